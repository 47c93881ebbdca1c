//! What is wrong with requests in every language, as a host is told of it.

#![allow(clippy::unwrap_used)]

use maskwright::base::{LimitError, Limits};
use maskwright::front::chat::{Format, ToolSet, compile};
use maskwright::front::choice::Choices;
use maskwright::front::ebnf::Ebnf;
use maskwright::front::json_schema::{self, SchemaConfig};
use maskwright::front::lark::Lark;
use maskwright::front::regex;
use maskwright::front::structural_tag::{self, StructuralTagConfig};
use maskwright::{ChatOptions, Diagnosis, Fault, SchemaPlace};

/// A text in a language, and what of its diagnosis is to be so: parts that are not named are not looked at.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    language: String,
    text: String,
    kind: String,
    source: Option<String>,
    place: Option<String>,
    pointer: Option<String>,
    keyword: Option<String>,
    hint: Option<String>,
    excerpt: Option<String>,
    /// How many faults are told, one where it is not said.
    faults: Option<usize>,
}

#[derive(serde::Deserialize)]
struct Suite {
    case: Vec<Case>,
}

/// Why `text` is refused; `None` where it is not.
fn diagnosis(language: &str, text: &str) -> Option<Diagnosis> {
    let limits = Limits::default();
    let config = SchemaConfig::default();
    match language {
        "schema" => {
            let place = SchemaPlace {
                text: Some(text),
                ..SchemaPlace::whole("schema")
            };
            let error = json_schema::compile(text, &config).err()?;
            Some(Diagnosis::of_schema(&error, place))
        }
        "tools" => {
            let tools = match ToolSet::parse(text, &limits) {
                Ok(tools) => tools,
                Err(error) => return Some(error.into()),
            };
            let mut options = ChatOptions::default();
            options.tools = tools;
            let format = Format::built_in("harmony", &limits).unwrap().unwrap();
            let compiled = compile(&format, "assistant-turn", &options);
            compiled.err().map(Diagnosis::from)
        }
        "format" => {
            let format = match Format::parse("own", text, &[], &limits) {
                Ok(format) => format,
                Err(error) => return Some(error.into()),
            };
            let compiled = compile(&format, "assistant-turn", &ChatOptions::default());
            compiled.err().map(Diagnosis::from)
        }
        "choice" => Choices::parse(text, &limits).err().map(Diagnosis::from),
        "regex" => regex::compile(text, regex::DIALECT, &limits)
            .err()
            .map(Diagnosis::from),
        "ebnf" => {
            let parsed = Ebnf::parse(text, &limits);
            let lowered = parsed.and_then(|parsed| parsed.lower("root", &limits));
            lowered.err().map(Diagnosis::from)
        }
        "lark" => {
            let parsed = Lark::parse(text, &config);
            let lowered = parsed.and_then(|parsed| parsed.lower("start", &config));
            lowered.err().map(Diagnosis::from)
        }
        "structural tag" => structural_tag::compile(text, &StructuralTagConfig::default())
            .err()
            .map(Diagnosis::from),
        other => panic!("no language {other}"),
    }
}

/// What of a fault is not as the case says.
fn differences(case: &Case, fault: &Fault) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut check = |what: &str, expect: &Option<String>, is: Option<&str>| {
        if expect.is_some() && expect.as_deref() != is {
            wrong.push(format!("{what} is {is:?}, not {expect:?}"));
        }
    };
    let place = fault.line_column.map(|place| place.to_string());
    check("source", &case.source, fault.source);
    check("place", &case.place, place.as_deref());
    check("pointer", &case.pointer, fault.pointer.as_deref());
    check("keyword", &case.keyword, fault.keyword.as_deref());
    check("excerpt", &case.excerpt, fault.excerpt.as_deref());
    if let Some(part) = &case.hint
        && !fault.hint.as_ref().is_some_and(|hint| hint.contains(part))
    {
        wrong.push(format!("hint is {:?}, without {part:?}", fault.hint));
    }
    wrong
}

#[test]
fn suite() {
    let suite: Suite = toml::from_str(include_str!("data/diagnosis.toml")).unwrap();
    let mut wrong = Vec::new();
    for case in &suite.case {
        let about = |what: String| format!("{} {:?}: {what}", case.language, case.text);
        let Some(diagnosis) = diagnosis(&case.language, &case.text) else {
            wrong.push(about("is taken".to_owned()));
            continue;
        };
        let kind = format!("{:?}", diagnosis.kind());
        if kind != case.kind {
            wrong.push(about(format!("is {kind}, not {}", case.kind)));
        }
        if diagnosis.faults().len() != case.faults.unwrap_or(1) {
            wrong.push(about(format!("has {} faults", diagnosis.faults().len())));
        }
        let differences = differences(case, &diagnosis.faults()[0]);
        wrong.extend(differences.into_iter().map(about));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(suite.case.len() >= 25);
}

/// Whatever else is wrong: who met a limit can be told to ask for less.
#[test]
fn limits_are_limits() {
    let mut config = SchemaConfig::default();
    config.limits.source_bytes = 4;
    let few = config.limits.clone();
    let mut tag_config = StructuralTagConfig::default();
    tag_config.schemas.limits = few.clone();
    let schema = json_schema::compile("{\"type\": \"string\"}", &config).unwrap_err();
    let all = [
        Diagnosis::of_schema(&schema, SchemaPlace::whole("schema")),
        ToolSet::parse("[{}, {}]", &few).unwrap_err().into(),
        Format::parse("own", "assistant-turn = \"a\"", &[], &few)
            .unwrap_err()
            .into(),
        Choices::parse("[\"abc\"]", &few).unwrap_err().into(),
        regex::compile("a{4}b", regex::DIALECT, &few)
            .unwrap_err()
            .into(),
        Ebnf::parse("root ::= \"a\"", &few).unwrap_err().into(),
        Lark::parse("start: \"a\"", &config).unwrap_err().into(),
        structural_tag::compile("{\"type\": 1}", &tag_config)
            .unwrap_err()
            .into(),
        Diagnosis::from(LimitError::check("bytes", 2, 1).unwrap_err()),
    ];
    for diagnosis in all {
        let kind = diagnosis.kind();
        assert_eq!(kind, maskwright::DiagnosisKind::Limit, "{diagnosis:?}");
    }
}
