//! JSON Schemas as the crate `jsonschema` understands them: the judge of JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use maskwright::base::Limits;
use maskwright::front::chat::{Arguments, ToolSet};
use maskwright::front::json_schema::{Draft, SchemaConfig, response_format};
use maskwright::regular::Dialect;
use maskwright_transcript::{ArgumentValidator, ResponseValidator};
use serde_json::{Value, json};

use super::failure::Failure;
use super::formats::Formats;
use super::input::Named;
use super::json::Json;
use super::looks::most_looks;
use super::output::warn;
use super::plain_schema::plain;

/// What a tool takes whose arguments are not strict.
const ANY_OBJECT: &str = r#"{"type":"object"}"#;

/// The judge of one schema. `jsonschema` follows each reference anew: where they multiply it takes any value for valid, and says so.
/// A web of them may take more time or stack than there is, so where there are any it works in a thread of its own, and is given up
/// after a while.
pub(crate) struct SchemaJudge {
    validator: Arc<Validator>,
    /// Whether its work is bounded by the schema and the instance.
    is_plain: bool,
    given_up: AtomicBool,
}

impl SchemaJudge {
    /// The judge of a schema, which reads it as `config` says or not at all.
    pub(crate) fn new(
        schema: &Named,
        formats: Formats,
        config: &SchemaConfig,
    ) -> Result<Self, Failure> {
        Json::parse(&schema.text).map_err(|e| Failure::json(e, &schema.name, &schema.text))?;
        let asked = response_format(&schema.text, &Limits::default())
            .map_err(|error| Failure::new(format!("{}: {error}", schema.name)))?
            .ok_or_else(|| Failure::new(format!("{}: it asks for text", schema.name)))?;
        let value = Json::parse(&asked.schema).map_err(|error| Failure::new(error.message))?;
        let value = value.value();
        if config.regex != Dialect::Ecma && has_patterns(&value) {
            return Err(Failure::new(format!("{}: {OTHER_PATTERNS}", schema.name)));
        }
        Self::of(&value, formats, config.draft)
            .map_err(|message| Failure::new(format!("{}: {message}", schema.name)))
    }

    /// The same for `check`, which judges what else a text says: a schema with patterns of another dialect is
    /// warned of, and takes any JSON.
    pub(crate) fn or_any(
        schema: &Named,
        formats: Formats,
        config: &SchemaConfig,
    ) -> Result<Self, Failure> {
        let said = Json::parse(&schema.text).map(|said| said.value());
        if config.regex != Dialect::Ecma && said.is_ok_and(|said| has_patterns(&said)) {
            warn(format_args!(
                "not judged: {}: {OTHER_PATTERNS}",
                schema.name
            ));
            return Self::of(&Value::Bool(true), formats, config.draft).map_err(Failure::new);
        }
        Self::new(schema, formats, config)
    }

    fn of(schema: &Value, formats: Formats, draft: Draft) -> Result<Self, String> {
        let mut schema = plain(schema, draft);
        let mut is_plain = !may_take_long(&schema);
        let counted = (!is_plain).then(|| schema.clone());
        let looks = counted.map(|counted| patiently(false, move || most_looks(&counted)));
        if looks.is_some_and(|looks| looks.is_none_or(|looks| looks > MOST_LOOKS)) {
            warn(format_args!("not judged: {TOO_LONG}"));
            (schema, is_plain) = (Value::Bool(true), true);
        }
        let build = move || {
            jsonschema::options()
                .should_validate_formats(formats == Formats::Assert)
                .build(&schema)
                .map_err(|error| error.to_string())
        };
        let validator = patiently(is_plain, build).unwrap_or_else(|| Err(TOO_LONG.to_owned()));
        let validator =
            validator.map_err(|error| format!("the judge cannot use this schema: {error}"))?;
        Ok(Self {
            validator: Arc::new(validator),
            is_plain,
            given_up: AtomicBool::new(false),
        })
    }

    /// What is wrong with a value. One that it cannot judge in time, and all behind it, are warned of and taken for valid.
    fn fault(&self, value: Value) -> Result<(), Fault> {
        if self.given_up.load(Ordering::Relaxed) {
            return Ok(());
        }
        let validator = self.validator.clone();
        let validate = move || {
            validator
                .validate(&value)
                .map_err(|error| Fault::of(&error))
        };
        patiently(self.is_plain, validate).unwrap_or_else(|| {
            if !self.given_up.swap(true, Ordering::Relaxed) {
                warn(format_args!("not judged: {TOO_LONG}"));
            }
            Ok(())
        })
    }

    /// The keyword that a JSON text fails, with the format where it is that; `None` where it is no
    /// JSON, or valid.
    pub(crate) fn failed(&self, text: &str) -> Option<String> {
        let value = Json::parse(text).ok()?.value();
        self.fault(value).err().map(|fault| fault.keyword)
    }

    /// Judges a JSON text.
    pub(crate) fn judge(&self, text: &str) -> Result<(), String> {
        let value = Json::parse(text)
            .map_err(|error| format!("not JSON: {}", error.message))?
            .value();
        self.fault(value).map_err(|fault| fault.message)
    }
}

/// What is wrong with an instance.
struct Fault {
    message: String,
    /// The keyword that it fails, with the format where it is that.
    keyword: String,
}

impl Fault {
    fn of(error: &ValidationError<'_>) -> Self {
        Self {
            message: match error.instance_path().as_str() {
                "" => error.to_string(),
                path => format!("{path}: {error}"),
            },
            keyword: match error.kind() {
                ValidationErrorKind::Format { format } => format!("format {format}"),
                kind => kind.keyword().to_owned(),
            },
        }
    }
}

/// Why it judges no schema with patterns of another dialect.
pub(crate) const OTHER_PATTERNS: &str = "the judge reads patterns as ECMA-262 has them";
/// Why the judge is given up.
const TOO_LONG: &str = "the schema takes the judge too long";
/// The most subschemas that it may look at for one value at one place: a tenth of a second.
const MOST_LOOKS: u64 = 1 << 20;
/// How long it may take for a schema or an instance.
const PATIENCE: Duration = Duration::from_secs(5);
/// The stack of its thread: it recurses once a reference, and a schema may have a chain of many.
const STACK: usize = 512 << 20;

/// Does the work, in a thread of its own unless it is `plain`; `None` if it takes too long, or no thread is to be had. What
/// takes too long is left to itself until the process ends.
fn patiently<T: Send + 'static>(
    plain: bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    if plain {
        return Some(work());
    }
    let (tell, told) = mpsc::channel();
    let thread = thread::Builder::new().stack_size(STACK).spawn(move || {
        // Who waited may have given up.
        let _ = tell.send(work());
    });
    thread.ok()?;
    told.recv_timeout(PATIENCE).ok()
}

/// Whether there is a keyword somewhere in the schema for which the judge goes through parts of it again and again.
fn may_take_long(schema: &Value) -> bool {
    const KEYWORDS: [&str; 5] = [
        "$ref",
        "$dynamicRef",
        "$recursiveRef",
        "unevaluatedProperties",
        "unevaluatedItems",
    ];
    has_any(schema, &KEYWORDS)
}

/// Whether there is a pattern somewhere in what is said in JSON, or a property of that name.
pub(crate) fn has_patterns(said: &Value) -> bool {
    has_any(said, &["pattern", "patternProperties"])
}

fn has_any(said: &Value, keys: &[&str]) -> bool {
    match said {
        Value::Array(items) => items.iter().any(|item| has_any(item, keys)),
        Value::Object(members) => {
            keys.iter().any(|key| members.contains_key(*key))
                || members.values().any(|value| has_any(value, keys))
        }
        _ => false,
    }
}

impl ResponseValidator for SchemaJudge {
    fn validate(&self, response: &str) -> Result<(), String> {
        self.judge(response)
    }
}

/// The judge of the arguments of tools, by their full names.
pub(crate) struct ToolJudge {
    judges: BTreeMap<String, SchemaJudge>,
    /// The tools that declare the member `deadline_ms` themselves.
    own_deadlines: BTreeSet<String>,
}

impl ToolJudge {
    /// The judge of the tools of a request, whose patterns are of `dialect`.
    pub(crate) fn new(tools: &ToolSet, dialect: Dialect) -> Result<Self, Failure> {
        let mut judges = Self::of_none();
        judges.add(tools, dialect)?;
        Ok(judges)
    }

    /// The judge of no tools.
    pub(crate) fn of_none() -> Self {
        Self {
            judges: BTreeMap::new(),
            own_deadlines: BTreeSet::new(),
        }
    }

    /// Adds tools, such as those that a format has built in. With patterns of another dialect than the judge's they
    /// take any object.
    pub(crate) fn add(&mut self, tools: &ToolSet, dialect: Dialect) -> Result<(), Failure> {
        for tool in tools.iter() {
            let schema = match tool.arguments() {
                Arguments::Schema(schema) => schema,
                _ => ANY_OBJECT,
            };
            let schema = Json::parse(schema).map_err(|error| Failure::new(error.message))?;
            let mut schema = schema.value();
            let has_deadline = schema.pointer("/properties/deadline_ms").is_some();
            if dialect != Dialect::Ecma && has_patterns(&schema) {
                warn(format_args!(
                    "not judged: tool `{}`: {OTHER_PATTERNS}",
                    tool.name()
                ));
                schema = json!({"type": "object"});
            }
            let judge = SchemaJudge::of(&schema, Formats::Assert, Draft::default())
                .map_err(|message| Failure::new(format!("tool `{}`: {message}", tool.name())))?;
            if self.has(tool.name()) {
                continue;
            }
            if has_deadline {
                self.own_deadlines.insert(tool.name().to_owned());
            }
            self.judges.insert(tool.name().to_owned(), judge);
        }
        Ok(())
    }

    /// Whether there is a tool of this full name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.judges.contains_key(name)
    }

    /// The full names of the tools.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.judges.keys().map(String::as_str)
    }
}

impl ArgumentValidator for ToolJudge {
    fn validate(&self, recipient: &str, arguments: &str) -> Result<(), String> {
        match self.judges.get(recipient) {
            Some(judge) => judge.judge(arguments),
            None => Err(format!("there is no tool {recipient:?}")),
        }
    }

    fn declares_deadline(&self, recipient: &str) -> bool {
        self.own_deadlines.contains(recipient)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools(text: &str) -> ToolJudge {
        let file = Named {
            name: "tools".to_owned(),
            text: text.to_owned(),
        };
        let tools = ToolSet::parse(&file.text, &Limits::default())
            .unwrap_or_else(|error| panic!("{error}"));
        ToolJudge::new(&tools, Dialect::Ecma).unwrap_or_else(|_| panic!("well-formed: {text}"))
    }

    #[test]
    fn reads_both_shapes() {
        let schema = r#"{"type": "object", "required": ["a"]}"#;
        for text in [
            format!(
                r#"[{{"type": "function", "function": {{"name": "t", "parameters": {schema}}}}}]"#
            ),
            format!(r#"{{"tools": [{{"name": "t", "inputSchema": {schema}}}]}}"#),
        ] {
            let judge = tools(&text);
            assert_eq!(judge.names().collect::<Vec<_>>(), ["functions.t"]);
            assert!(judge.validate("functions.t", r#"{"a": 1e999}"#).is_ok());
            assert!(judge.validate("functions.t", "{}").is_err());
            assert!(judge.validate("functions.u", "{}").is_err());
        }
    }

    #[test]
    fn a_line_ends_where_it_does_in_ecma() {
        let schema = serde_json::json!({"pattern": r"^.[.\].]\.$"});
        let judge = SchemaJudge::of(&schema, Formats::Assert, Draft::default())
            .unwrap_or_else(|e| panic!("{e}"));
        for (text, valid) in [
            (r#""a..""#, true),
            (r#""a].""#, true),
            (r#""ax.""#, false),
            (r#""a.x""#, false),
            (r#""\r..""#, false),
            (r#""\u2028..""#, false),
        ] {
            assert_eq!(judge.judge(text).is_ok(), valid, "{text}");
        }
    }

    #[test]
    fn escaped_angles_are_plain() {
        let schema = serde_json::json!({
            "properties": {"pattern": {"pattern": r"^\<\\[\>]$"}},
            "patternProperties": {r"\>": {"enum": [{"pattern": r"\<"}]}},
        });
        let judge = SchemaJudge::of(&schema, Formats::Assert, Draft::default())
            .unwrap_or_else(|e| panic!("{e}"));
        for (text, valid) in [
            (r#"{"pattern": "<\\>"}"#, true),
            (r#"{"pattern": "a"}"#, false),
            (r#"{">": {"pattern": "\\<"}}"#, true),
            (r#"{">": {"pattern": "<"}}"#, false),
        ] {
            assert_eq!(judge.judge(text).is_ok(), valid, "{text}");
        }
    }

    #[test]
    fn knows_tools_without_a_schema() {
        let judge =
            tools(r#"[{"name": "a"}, {"name": "b.c", "strict": false, "parameters": false}]"#);
        assert!(judge.validate("functions.a", "{}").is_ok());
        assert!(judge.validate("functions.a", r#"{"x": 1}"#).is_err());
        assert!(judge.validate("functions.b.c", r#"{"x": 1}"#).is_ok());
        assert!(judge.validate("functions.b.c", "[]").is_err());
    }
}
