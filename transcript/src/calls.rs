//! What every format's tool calls share: names, JSON arguments, the caller's judges.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::de::IgnoredAny;

use super::config::{ArgumentValidator, BodyDeadlines, ParserConfig, ToolChoice, ToolSet};
use super::error::{ErrorCode, TranscriptError};
use super::json::Json;
use crate::span::Span;

/// The namespace of function tools.
const FUNCTIONS: &str = "functions.";

/// The tool that takes code.
pub(super) const PYTHON: &str = "python";

/// Whether a tool is built in: called on `analysis` too (OpenChatML 2.2 §8.3).
pub(super) fn is_built_in(name: &str) -> bool {
    name == PYTHON || name.starts_with("browser.")
}

/// Whether a role says by itself that it is a tool's name: it is built in, or has the namespace of functions.
pub(super) fn is_role_of_tool(name: &str) -> bool {
    let has_name_in = |namespace| {
        let rest: Option<&str> = name.strip_prefix(namespace);
        rest.is_some_and(|rest| !rest.is_empty())
    };
    name == PYTHON || has_name_in(FUNCTIONS) || has_name_in("browser.")
}

/// The name by which a model addresses the function that a request calls `name`. One that is called
/// `python` is no exception, as it is called with JSON; the built-in tool takes code.
pub(super) fn full_name(name: &str) -> String {
    format!("{FUNCTIONS}{name}")
}

/// The same of a name in a format without namespaces, where built-in tools keep their own names: it
/// is a function's if such a function is among the tools given.
pub(super) fn full_name_among(name: &str, tools: Option<&ToolSet>) -> String {
    let full = full_name(name);
    let is_given = tools.is_some_and(|tools| tools.contains(&full));
    match is_built_in(name) && name != PYTHON && !is_given {
        true => name.to_owned(),
        false => full,
    }
}

/// The name of a tool where there are no namespaces: a function's without `functions.`.
pub(super) fn short_name(name: &str) -> &str {
    name.strip_prefix(FUNCTIONS).unwrap_or(name)
}

pub(super) fn is_id_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// Whether a character is seen, in any script; `<` begins control tokens.
pub(super) fn is_visible(c: char) -> bool {
    (c.is_ascii_graphic() && c != '<') || c > '\u{a0}'
}

/// Whether a character may stand in the role of a tool's reply in Harmony. With `=` a word is an attribute.
pub(super) fn is_role_char(c: char) -> bool {
    is_visible(c) && c != '='
}

/// Whether `text` is a JSON text (RFC 8259), however deep it nests.
pub(super) fn check_json(text: &str) -> Result<(), serde_json::Error> {
    serde_json::from_str::<IgnoredAny>(text).map(drop)
}

/// The error for a recipient that is none of the given tools.
pub(super) fn unknown_tool(name: &str, span: Span) -> TranscriptError {
    let message = format!("no tool is called {name:?}");
    TranscriptError::new(ErrorCode::ToolUnknown, span, message)
}

/// Whether a tool is one of those given, if any were given.
pub(super) fn check_tool(
    config: &ParserConfig<'_>,
    name: &str,
    span: Span,
) -> Result<(), TranscriptError> {
    match &config.tools {
        Some(tools) if !tools.contains(name) => Err(unknown_tool(name, span)),
        _ => Ok(()),
    }
}

/// Whether the arguments of a call are a JSON object that suits the tool. In history they are
/// judged only if the caller brings a judge.
pub(super) fn check_arguments(
    config: &ParserConfig<'_>,
    recipient: &str,
    arguments: &str,
    span: Span,
) -> Result<(), TranscriptError> {
    let judged = config.is_generation() || config.arguments.is_some();
    if recipient == PYTHON || !judged {
        return Ok(());
    }
    let invalid = |message: String| TranscriptError::new(ErrorCode::CallSchema, span, message);
    check_json(arguments).map_err(|error| invalid(format!("arguments are not JSON: {error}")))?;
    if !arguments.trim_start().starts_with('{') {
        return Err(invalid("arguments are not a JSON object".to_owned()));
    }
    match config.arguments {
        Some(validator) => {
            let judge = Some(validator);
            let (body, _) = body(config.body_deadlines, judge, (recipient, arguments));
            validator.validate(recipient, &body).map_err(invalid)
        }
        None => Ok(()),
    }
}

/// Whether the tool choice of a turn allows a call of this tool.
pub(super) fn check_choice(
    config: &ParserConfig<'_>,
    recipient: &str,
    span: Span,
) -> Result<(), TranscriptError> {
    let refused = match &config.tool_choice {
        ToolChoice::None => "the tool choice allows no calls".to_owned(),
        ToolChoice::Named(name) if name != recipient => {
            format!("the tool choice allows {name:?} only")
        }
        _ => return Ok(()),
    };
    Err(TranscriptError::new(
        ErrorCode::TurnToolChoice,
        span,
        refused,
    ))
}

/// The error for a turn that ends, at `span`, before the call that the tool choice demands.
pub(super) fn check_call_made(
    config: &ParserConfig<'_>,
    has_called: bool,
    span: Span,
) -> Result<(), TranscriptError> {
    let due = matches!(
        config.tool_choice,
        ToolChoice::Required | ToolChoice::Named(_)
    );
    if !due || has_called {
        return Ok(());
    }
    let message = "the tool choice demands a call before the turn can end";
    Err(TranscriptError::new(
        ErrorCode::TurnToolChoice,
        span,
        message,
    ))
}

/// Whether a final message suits the response schema, if there is one.
pub(super) fn check_response(
    config: &ParserConfig<'_>,
    text: &str,
    span: Span,
) -> Result<(), TranscriptError> {
    let Some(validator) = config.response else {
        return Ok(());
    };
    let invalid = |message: String| TranscriptError::new(ErrorCode::ResponseSchema, span, message);
    check_json(text).map_err(|error| invalid(format!("the response is not JSON: {error}")))?;
    validator.validate(text).map_err(invalid)
}

/// What the tool of this full name gets as arguments, and the deadline that they say, where that is read.
pub(super) fn body<'a>(
    deadlines: BodyDeadlines,
    judge: Option<&dyn ArgumentValidator>,
    (recipient, arguments): (&str, &'a str),
) -> (Cow<'a, str>, Option<u64>) {
    let read = match deadlines {
        BodyDeadlines::Ignored => None,
        BodyDeadlines::Read => without_deadline(arguments),
    };
    match read {
        None => (arguments.into(), None),
        Some((rest, deadline)) => {
            let is_argument = judge.is_some_and(|judge| judge.declares_deadline(recipient));
            let body = match is_argument {
                true => arguments.into(),
                false => rest.into(),
            };
            (body, Some(deadline))
        }
    }
}

/// The arguments without a member `deadline_ms` that is a number, and that number, rounded up to whole
/// milliseconds: the deadline of the call (OpenChatML 2.2 §8.2).
fn without_deadline(arguments: &str) -> Option<(String, u64)> {
    let found = members(arguments).ok()?;
    let at = found.iter().position(|(key, _)| key == "deadline_ms")?;
    let written = |index: usize| {
        let (_, span) = &found[index];
        &arguments[span.start..span.end]
    };
    // A number that is too large is as long as one likes; one below zero is over already.
    let is_number = written(at).starts_with(|c: char| c == '-' || c.is_ascii_digit());
    let deadline: f64 = written(at).parse().ok().filter(|_| is_number)?;
    let member = |index: usize| {
        let key = Json::from(found[index].0.as_str());
        format!("{key}:{}", written(index))
    };
    let rest = (0..found.len()).filter(|index| *index != at);
    let rest: Vec<String> = rest.map(member).collect();
    Some((format!("{{{}}}", rest.join(",")), deadline.ceil() as u64))
}

/// The members of a JSON object, each value as it is written, by its place in `text`.
///
/// # Errors
///
/// Why `text` is no JSON object.
pub(super) fn members(text: &str) -> Result<Vec<(String, Span)>, String> {
    check_json(text).map_err(|error| format!("not JSON: {error}"))?;
    let skip = |at: usize| {
        let is_space = |c: char| matches!(c, ' ' | '\t' | '\r' | '\n');
        text.len() - text[at..].trim_start_matches(is_space).len()
    };
    let mut at = skip(0);
    if !text[at..].starts_with('{') {
        return Err("not a JSON object".to_owned());
    }
    at = skip(at + 1);
    let mut members = Vec::new();
    let mut keys = BTreeSet::new();
    // The text is JSON, so each value is followed by one byte of punctuation.
    while text[at..].starts_with('"') {
        let mut key = serde_json::Deserializer::from_str(&text[at..]).into_iter::<String>();
        let Some(Ok(name)) = key.next() else {
            return Err("a key is no text".to_owned());
        };
        at = skip(skip(at + key.byte_offset()) + 1);
        let mut value = serde_json::Deserializer::from_str(&text[at..]).into_iter::<IgnoredAny>();
        value.next();
        let span = Span::new(at, at + value.byte_offset());
        if !keys.insert(name.clone()) {
            return Err(format!("the key {name:?} stands twice"));
        }
        members.push((name, span));
        at = skip(skip(span.end) + 1);
    }
    Ok(members)
}

/// The places of the items of a JSON array; none where `text` is no array.
pub(super) fn items(text: &str) -> Vec<Span> {
    let is_space = |c: char| matches!(c, ' ' | '\t' | '\r' | '\n');
    let skip = |at: usize| text.len() - text[at..].trim_start_matches(is_space).len();
    let mut items = Vec::new();
    let mut at = skip(0);
    if check_json(text).is_err() || !text[at..].starts_with('[') {
        return items;
    }
    at = skip(at + 1);
    // The text is JSON, so each item is followed by one byte of punctuation.
    while at < text.len() && !text[at..].starts_with(']') {
        let mut item = serde_json::Deserializer::from_str(&text[at..]).into_iter::<IgnoredAny>();
        item.next();
        let span = Span::new(at, at + item.byte_offset());
        items.push(span);
        at = skip(span.end);
        if text[at..].starts_with(']') {
            break;
        }
        at = skip(at + 1);
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_as_written() {
        let text = r#" { "a" : 1.0 ,"b\u0020":{"c":[1, "}"]}, "d":"x" } "#;
        let found = members(text).expect("an object");
        let found: Vec<_> = found
            .iter()
            .map(|(key, span)| (key.as_str(), &text[span.start..span.end]))
            .collect();
        let expected = [("a", "1.0"), ("b ", r#"{"c":[1, "}"]}"#), ("d", "\"x\"")];
        assert_eq!(found, expected);
        assert_eq!(members("{}"), Ok(vec![]));
        let text = r#" [ 1 ,"a]", [2,[]],{"b":"]"}] "#;
        let found: Vec<_> = items(text)
            .iter()
            .map(|span| &text[span.start..span.end])
            .collect();
        assert_eq!(found, ["1", "\"a]\"", "[2,[]]", "{\"b\":\"]\"}"]);
        for none in ["[]", " [ ] ", "{}", "[1", "[1]]"] {
            assert_eq!(items(none), [], "{none}");
        }
        for wrong in ["[]", "{", "", r#"{"a":1,"a":2}"#, "{} {}"] {
            assert!(members(wrong).is_err(), "{wrong}");
        }
    }
}
