//! `contentEncoding`, `contentMediaType` and `contentSchema` where they assert: the suite
//! `tests/data/json_schema_content.toml`, and texts at random, judged by other readers.

#![allow(clippy::unwrap_used)]

#[path = "support/machine.rs"]
mod machine;

use jsonschema::{Keyword, ValidationError, Validator};
use machine::{accepts, after, led_out, machine, token};
use maskwright::front::json_schema::{
    Content, Escapes, SchemaConfig, SchemaError, Whitespace, compile,
};
use serde_json::{Map, Value};

/// A case of the suite.
struct Case(toml::Table);

impl Case {
    fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.as_str()
    }

    fn texts(&self, key: &str) -> Vec<&str> {
        let texts = self.0.get(key).and_then(toml::Value::as_array);
        let texts = texts.into_iter().flatten();
        texts.map(|text| text.as_str().unwrap()).collect()
    }

    fn name(&self) -> &str {
        self.text("name").unwrap()
    }

    fn schema(&self) -> &str {
        self.text("schema").unwrap()
    }

    fn config(&self) -> SchemaConfig {
        SchemaConfig {
            content: Content::Assert,
            escapes: match self.text("escapes") {
                Some("minimal") => Escapes::Minimal,
                Some("all") => Escapes::All,
                _ => Escapes::Free,
            },
            whitespace: match self.text("space") {
                Some("compact") => Whitespace::Compact,
                _ => Whitespace::Json,
            },
            forbidden: self
                .texts("forbidden")
                .into_iter()
                .map(str::to_owned)
                .collect(),
            ..SchemaConfig::default()
        }
    }
}

fn cases() -> Vec<Case> {
    let suite: toml::Table = include_str!("data/json_schema_content.toml")
        .parse()
        .unwrap();
    let cases = suite["case"].as_array().unwrap().iter();
    cases
        .map(|case| Case(case.as_table().unwrap().clone()))
        .collect()
}

fn compiling() -> Vec<Case> {
    let mut all = cases();
    all.retain(|case| case.texts("error").is_empty());
    all
}

/// What is said of one string by the keywords about its content.
struct Judge {
    is_json: bool,
    schema: Option<Validator>,
}

impl Judge {
    fn is_met(&self, text: &str) -> bool {
        let value = serde_json::from_str::<Value>(text);
        let fits = |value: Value| {
            let schema = self.schema.as_ref();
            schema.is_none_or(|schema| schema.is_valid(&value))
        };
        !self.is_json || value.is_ok_and(fits)
    }
}

impl<'i> Keyword<'i> for Judge {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        match self.is_valid(instance) {
            true => Ok(()),
            false => Err(ValidationError::custom("not the content that is asked for")),
        }
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        instance.as_str().is_none_or(|text| self.is_met(text))
    }
}

/// Another judge of a schema: `jsonschema`, to which the keywords are told.
fn judge(schema: &Value) -> Validator {
    let root = schema.clone();
    let options = jsonschema::options()
        .should_validate_formats(true)
        .with_keyword("contentMediaType", move |beside, media_type, _| {
            Ok(Box::new(content(&root, beside, media_type)))
        })
        .with_keyword("contentEncoding", |_, encoding, _| {
            Ok(Box::new(Base64(encoding.as_str() == Some("base64"))))
        });
    options.build(schema).unwrap()
}

/// What a media type says with what stands beside it.
fn content(root: &Value, beside: &Map<String, Value>, media_type: &Value) -> Judge {
    let media_type = media_type.as_str().unwrap().to_ascii_lowercase();
    let essence = media_type.split(';').next().unwrap();
    let has_schema = !root["$schema"].to_string().contains("draft-07");
    let inner = beside.get("contentSchema").filter(|_| has_schema);
    let schema = inner.map(|inner| match inner {
        // References lead to definitions of the whole.
        Value::Object(members) => {
            let definitions = root
                .get("$defs")
                .map(|all| ("$defs".to_owned(), all.clone()));
            let members = members.clone().into_iter().chain(definitions);
            judge(&Value::Object(members.collect()))
        }
        other => judge(other),
    });
    Judge {
        is_json: essence == "application/json" || essence.ends_with("+json"),
        schema,
    }
}

/// Whether base64 is asked for: as far as the suite goes, told by the length.
struct Base64(bool);

impl<'i> Keyword<'i> for Base64 {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        match self.is_valid(instance) {
            true => Ok(()),
            false => Err(ValidationError::custom("not base64")),
        }
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        let length = instance.as_str().map_or(0, str::len);
        !self.0 || length.is_multiple_of(4)
    }
}

fn kind(error: &SchemaError) -> &'static str {
    match error {
        SchemaError::Malformed { .. } => "malformed",
        SchemaError::Unsupported { .. } => "unsupported",
        SchemaError::Unsatisfiable { .. } => "unsatisfiable",
        _ => "another",
    }
}

fn faults(case: &Case) -> Vec<String> {
    let expected = case.texts("error");
    let machine = match (machine(case.schema(), &case.config()), expected.as_slice()) {
        (Ok(machine), []) => machine,
        (Ok(_), error) => return vec![format!("compiles, expected {error:?}")],
        (Err(error), expected) => {
            let keyword = error.keyword().unwrap_or_default();
            let got = [kind(&error), keyword, error.pointer().unwrap_or_default()];
            let is_right = expected == got;
            let wrong = format!("{got:?}: {error}, expected {expected:?}");
            return Vec::from_iter((!is_right).then_some(wrong));
        }
    };
    let refused = case.texts("valid").into_iter();
    let refused = refused.filter(|text| !accepts(&machine, text));
    let accepted = case.texts("invalid").into_iter();
    let accepted = accepted.filter(|text| accepts(&machine, text));
    let report = compile(case.schema(), &case.config()).unwrap().report();
    let unknown = (report.unknown_content != case.texts("unknown"))
        .then(|| format!("does not know {:?}", report.unknown_content));
    let refused = refused.map(|text| format!("refuses {text}"));
    let accepted = accepted.map(|text| format!("accepts {text}"));
    refused.chain(accepted).chain(unknown).collect()
}

#[test]
fn suite() {
    let all = cases();
    let faults = all.iter().flat_map(|case| {
        let faults = faults(case).into_iter();
        faults.map(|fault| format!("{}: {fault}", case.name()))
    });
    let faults: Vec<String> = faults.collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// What the suite says is what the other judge says, but for keys that come twice.
#[test]
fn suite_is_right() {
    for case in compiling() {
        let judge = judge(&serde_json::from_str(case.schema()).unwrap());
        let is_valid = |text: &str| {
            let value = serde_json::from_str::<Value>(text);
            value.is_ok_and(|value| judge.is_valid(&value))
        };
        for text in case.texts("valid") {
            assert!(is_valid(text), "{}: {text}", case.name());
        }
        let spelling = ["escapes", "space", "forbidden"];
        if spelling.iter().any(|key| case.0.contains_key(*key)) {
            continue;
        }
        for text in case.texts("invalid") {
            let is_twice =
                text.matches(r#"\"a\":"#).count() > 1 || text.matches(r#"\"q\":"#).count() > 1;
            assert!(is_twice || !is_valid(text), "{}: {text}", case.name());
        }
    }
}

/// Wherever one is in a text, there is a way to the end, and what comes of it is valid.
#[test]
fn every_beginning_has_an_end() {
    for case in compiling() {
        let machine = machine(case.schema(), &case.config()).unwrap();
        let judge = judge(&serde_json::from_str(case.schema()).unwrap());
        let mut random = 7u64;
        for length in (0..60).step_by(4) {
            let mut beginning = String::new();
            let mut bytes: Vec<u8> = Vec::new();
            let mut session = after(&machine, "").unwrap();
            for _ in 0..length {
                let mut allowed: Vec<u8> = (0..=255)
                    .filter(|&byte| session.fork().accept(token(byte)).is_ok())
                    .collect();
                // White space runs on.
                if allowed.len() > 4 {
                    allowed.retain(|byte| !byte.is_ascii_whitespace());
                }
                if allowed.is_empty() {
                    break;
                }
                random = random
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                let byte = allowed[(random >> 33) as usize % allowed.len()];
                session.accept(token(byte)).unwrap();
                bytes.push(byte);
                if let Ok(text) = std::str::from_utf8(&bytes) {
                    beginning = text.to_owned();
                }
            }
            let text = led_out(&machine, &beginning);
            assert!(accepts(&machine, &text), "{}: {text}", case.name());
            let value: Value = serde_json::from_str(&text)
                .unwrap_or_else(|error| panic!("{}: {text}: {error}", case.name()));
            assert!(judge.is_valid(&value), "{}: {text}", case.name());
        }
    }
}

/// Without being asked for, they are annotations.
#[test]
fn nothing_is_asserted_by_itself() {
    let schema = r#"{"type": "string", "contentMediaType": "application/json", "contentSchema": {"type": "object"}}"#;
    let config = SchemaConfig::default();
    let machine = machine(schema, &config).unwrap();
    assert!(accepts(&machine, "\"no JSON\""));
    let report = compile(schema, &config).unwrap().report();
    assert!(report.unknown_content.is_empty());
}
