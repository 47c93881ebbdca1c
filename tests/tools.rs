//! Tools files in the spelling of every provider: what is enforced, refused, and warned of.

#![allow(clippy::unwrap_used)]

#[path = "tools/choice.rs"]
mod choice;

use maskwright::base::{Limits, TokenId};
use maskwright::front::chat::{ChatOptions, Format, ToolSet, ToolsWarning, compile};
use maskwright::front::json_schema::response_format;
use maskwright::grammar::Grammar;
use maskwright::session::{ConstraintConfig, Engine};
use maskwright::vocab::VocabularyBuilder;
use serde::Deserialize;

/// A format that says nothing but the call.
const FORMAT: &str = r#"
    call   = <tool.short-name> " " <tool.arguments>
    answer = <unless response-schema> "text" / <if response-schema> <response>
"#;

#[derive(Deserialize)]
struct Suite {
    case: Vec<Case>,
}

/// A tools file (or a response format), and what becomes of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    /// The rule to start from: `call`, or `answer` where `file` is a response format.
    #[serde(default = "call")]
    start: String,
    file: String,
    #[serde(default)]
    good: Vec<String>,
    #[serde(default)]
    bad: Vec<String>,
    /// Parts of the error, if it is refused.
    #[serde(default)]
    error: Vec<String>,
    /// Parts of the warnings, in order; there are no others.
    #[serde(default)]
    warnings: Vec<String>,
}

fn call() -> String {
    "call".to_owned()
}

fn suite() -> Vec<Case> {
    let suite: Suite = toml::from_str(include_str!("data/tools.toml")).unwrap();
    suite.case
}

fn engine() -> Engine {
    let mut builder = VocabularyBuilder::new();
    for byte in 0..=u8::MAX {
        let token = TokenId::new(u32::from(byte));
        builder.ordinary(token, &[byte]).unwrap();
    }
    builder.special(TokenId::new(256), "<end>").unwrap();
    builder.end_token(TokenId::new(256));
    Engine::new(builder.build().unwrap())
}

fn compiled(case: &Case) -> Result<Grammar, String> {
    let limits = Limits::default();
    let format = Format::parse("calls", FORMAT, &[], &limits).unwrap();
    let mut options = ChatOptions::default();
    if case.start == "answer" {
        options.response_schema = Some(case.file.clone());
    } else {
        options.tools = ToolSet::parse(&case.file, &limits).map_err(|error| error.to_string())?;
        let found: Vec<String> = options
            .tools
            .warnings()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(found.len(), case.warnings.len(), "{}: {found:?}", case.name);
        for (found, expected) in found.iter().zip(&case.warnings) {
            assert!(found.contains(expected), "{}: {found}", case.name);
        }
    }
    compile(&format, &case.start, &options).map_err(|error| error.to_string())
}

#[test]
fn every_spelling_means_what_it_says() {
    let engine = engine();
    for case in suite() {
        let grammar = match compiled(&case) {
            Ok(grammar) => grammar,
            Err(error) => {
                assert!(!case.error.is_empty(), "{}: {error}", case.name);
                for part in &case.error {
                    assert!(error.contains(part), "{}: {error}", case.name);
                }
                continue;
            }
        };
        assert!(case.error.is_empty(), "{}: it is not refused", case.name);
        let constraint = engine
            .constraint(grammar, &ConstraintConfig::default())
            .unwrap();
        for (texts, expected) in [(&case.good, true), (&case.bad, false)] {
            for text in texts {
                let mut recogniser = constraint.recogniser();
                let read = text.bytes().all(|byte| recogniser.byte(byte).unwrap());
                let accepted = read && recogniser.may_end();
                assert_eq!(accepted, expected, "{}: {text}", case.name);
            }
        }
    }
}

/// What is read in any spelling is the same when it is read again from OpenAI's.
#[test]
fn openai_is_a_fixed_point() {
    let limits = Limits::default();
    for case in suite() {
        let Ok(tools) = ToolSet::parse(&case.file, &limits) else {
            continue;
        };
        let again = ToolSet::parse(&tools.to_openai(), &limits).unwrap();
        let said = |tools: &ToolSet| -> Vec<_> {
            let tool = |tool: &maskwright::front::chat::Tool| {
                (
                    tool.name().to_owned(),
                    tool.description().map(str::to_owned),
                )
            };
            tools.iter().map(tool).collect()
        };
        assert_eq!(said(&tools), said(&again), "{}", case.name);
        assert_eq!(tools.to_openai(), again.to_openai(), "{}", case.name);
        // What is no keyword is written as it came, and warned of again; nothing else is.
        let says = |warning: &&ToolsWarning| warning.message.contains("is no keyword");
        let kept = tools.warnings().iter().filter(says).count();
        assert!(
            again.warnings().iter().all(|warning| says(&warning)),
            "{}",
            case.name
        );
        assert_eq!(again.warnings().len(), kept, "{}", case.name);
    }
}

#[test]
fn response_formats_say_where_their_schema_stands() {
    let limits = Limits::default();
    for (text, pointer) in [
        (r#"{"type":"object"}"#, "#"),
        (
            r#"{"type":"json_schema","json_schema":{"schema":{}}}"#,
            "#/json_schema/schema",
        ),
        (
            r#"{"response_format":{"type":"json_schema","schema":{}}}"#,
            "#/response_format/schema",
        ),
        (r#"{"schema":{"type":"object"}}"#, "#/schema"),
        (r#"{"schema":{},"properties":{}}"#, "#"),
    ] {
        let format = response_format(text, &limits).unwrap().unwrap();
        assert_eq!(format.pointer, pointer, "{text}");
    }
    assert_eq!(response_format(r#"{"type":"text"}"#, &limits), Ok(None));
}
