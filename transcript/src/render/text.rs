//! Text that must not become a control token, nor change a header.

use crate::calls::{check_json, is_id_char, is_role_char, is_visible};
use crate::error::ErrorCode;
use crate::format::Format;
use crate::json::Json;

/// Why something cannot be written.
pub(super) type Refusal = (ErrorCode, String);

pub(super) fn refusal(reason: impl Into<String>) -> Refusal {
    (ErrorCode::ParseHeader, reason.into())
}

/// A value of a header: visible ASCII without `<`.
pub(super) fn header_value<'v>(key: &str, value: &'v str) -> Result<&'v str, Refusal> {
    value_of(key, value, |c| c.is_ascii_graphic() && c != '<')
}

/// The name of a tool where it stands as a role, as Harmony's parsers know one.
pub(super) fn role_name(value: &str) -> Result<&str, Refusal> {
    value_of("a role", value, is_role_char)
}

/// A name in OpenChatML 0.1 or Harmony: any visible characters without `<`.
pub(super) fn any_name<'v>(key: &str, value: &'v str) -> Result<&'v str, Refusal> {
    value_of(key, value, is_visible)
}

fn value_of<'v>(
    key: &str,
    value: &'v str,
    fits: impl Fn(char) -> bool,
) -> Result<&'v str, Refusal> {
    match !value.is_empty() && value.chars().all(fits) {
        true => Ok(value),
        false => Err(refusal(format!(
            "{value:?} would change the header as {key}"
        ))),
    }
}

pub(super) fn call_id(value: &str) -> Result<&str, Refusal> {
    match (1..=64).contains(&value.len()) && value.chars().all(is_id_char) {
        true => Ok(value),
        false => Err(refusal(format!("{value:?} is no call id"))),
    }
}

/// Where the next control token of the format is spelt, and how.
pub(super) fn next_spelling(
    text: &str,
    format: Format,
    sequence: [&str; 2],
) -> Option<(usize, String)> {
    use crate::control::ControlToken as T;
    let spellings = format.controls().iter().map(|token| match token {
        T::SequenceStart => sequence[0],
        T::SequenceEnd => sequence[1],
        _ => token.spelling(),
    });
    let found = spellings.filter_map(|s| text.find(s).map(|at| (at, s.to_owned())));
    found.min_by_key(|(at, _)| *at)
}

/// Plain text that spells no control token.
pub(super) fn plain<'t>(
    text: &'t str,
    format: Format,
    sequence: [&str; 2],
) -> Result<&'t str, Refusal> {
    match next_spelling(text, format, sequence) {
        None => Ok(text),
        Some((_, token)) => Err((
            ErrorCode::TextControl,
            format!(
                "the text spells {token}, and {} has no escape",
                format.name()
            ),
        )),
    }
}

/// JSON that spells no control token: within its strings `<` is `\u003c`.
pub(super) fn json(text: &str, format: Format, sequence: [&str; 2]) -> Result<String, Refusal> {
    let code = ErrorCode::BodyConstraintViolation;
    check_json(text).map_err(|error| (code, format!("not JSON: {error}")))?;
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, token)) = next_spelling(rest, format, sequence) {
        let first = token.chars().next().map_or(0, char::len_utf8);
        let escape = match token.starts_with('<') {
            true => "\\u003c",
            // A base model's own token, such as `[EOS]`.
            false => return Err((ErrorCode::TextControl, format!("the JSON spells {token}"))),
        };
        out.push_str(&rest[..at]);
        out.push_str(escape);
        rest = &rest[at + first..];
    }
    out.push_str(rest);
    Ok(out)
}

/// The arguments of a call in a format in which they are an object.
pub(super) fn arguments(
    text: &str,
    format: Format,
    sequence: [&str; 2],
) -> Result<String, Refusal> {
    let arguments = json(text, format, sequence)?;
    match Json::parse(text) {
        Ok(Json::Object(_)) => Ok(arguments),
        _ => {
            let reason = format!("a call in {} has an object as its arguments", format.name());
            Err((ErrorCode::CallSchema, reason))
        }
    }
}

/// Text of OpenChatML 2.2, each control token in it with its `<` doubled (§3).
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, token)) = next_spelling(rest, Format::OpenChatMl22, ["", ""]) {
        out.push_str(&rest[..at]);
        out.push('<');
        out.push_str(&token);
        rest = &rest[at + token.len()..];
    }
    out.push_str(rest);
    out
}
