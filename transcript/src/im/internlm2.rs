//! InternLM2's chat format.
//!
//! An assistant may end what it says with one action: `<|action_start|>`, then `<|plugin|>` and a
//! JSON object of name and parameters, or `<|interpreter|>` and a fenced block of code, then
//! `<|action_end|>`.

use super::body::{Body, misplaced};
use super::dialect::Dialect;
use crate::calls::{PYTHON, check_arguments, check_choice, check_tool, full_name_among, members};
use crate::control::ControlToken;
use crate::error::{ErrorCode, TranscriptError};
use crate::message::{Part, PartKind, Role};
use crate::span::Span;

pub(super) const DIALECT: Dialect = Dialect {
    roles: &[
        ("system", Role::System),
        ("user", Role::User),
        ("assistant", Role::Assistant),
        ("environment", Role::Tool),
    ],
    frames_end: true,
    has_token_names: true,
    generates_names: false,
    is_sequence: false,
    admit,
    close,
};

fn admit(body: &Body<'_>, token: ControlToken, span: Span) -> Result<(), TranscriptError> {
    let last = body.last();
    let is_empty = last.text.start == last.text.end;
    match (last.token, token) {
        (None, ControlToken::ActionStart) if body.role == Role::Assistant => Ok(()),
        (Some(ControlToken::ActionStart), ControlToken::Plugin | ControlToken::Interpreter)
            if is_empty =>
        {
            Ok(())
        }
        (Some(ControlToken::Plugin | ControlToken::Interpreter), ControlToken::ActionEnd) => {
            action(body).map(drop)
        }
        (Some(ControlToken::ActionStart), _) => Err(misplaced(token, span)
            .with_hint("<|plugin|> or <|interpreter|> stands right after <|action_start|>")),
        _ => Err(misplaced(token, span)),
    }
}

fn close(body: &Body<'_>) -> Result<Vec<Part>, TranscriptError> {
    let [speech, rest @ ..] = body.segments else {
        return Ok(Vec::new());
    };
    match rest {
        [] => Ok(Vec::new()),
        [_, _, after] if ["", "\n"].contains(&body.text(after.text)) => {
            let mut parts = Vec::new();
            if speech.text.start < speech.text.end {
                parts.push(body.part(PartKind::Text, speech.text));
            }
            let upto = Body {
                segments: &body.segments[..3],
                ..*body
            };
            parts.push(action(&upto)?);
            Ok(parts)
        }
        [_, _, after] => Err(TranscriptError::header(
            after.text,
            "text after <|action_end|>: the action is the last of a message",
        )),
        _ => {
            Err(misplaced(ControlToken::ImEnd, body.end)
                .with_hint("an action ends in <|action_end|>"))
        }
    }
}

/// The action in the last segment of a body.
fn action(body: &Body<'_>) -> Result<Part, TranscriptError> {
    let last = body.last();
    let text = body.text(last.text);
    if !text.starts_with('\n') {
        let message = "no line feed before the content of an action";
        let at = Span::new(last.text.start, last.text.start);
        return Err(TranscriptError::header(at, message));
    }
    let content = Span::new(last.text.start + 1, last.text.end);
    match last.token {
        Some(ControlToken::Interpreter) => code(body, content),
        _ => plugin(body, content),
    }
}

/// A JSON object of `name` and `parameters`, in any order.
fn plugin(body: &Body<'_>, content: Span) -> Result<Part, TranscriptError> {
    let content = body.trimmed(content);
    let text = body.text(content);
    let invalid = |message: String| TranscriptError::new(ErrorCode::CallSchema, content, message);
    let found = members(text).map_err(invalid)?;
    let value = |key: &str| {
        let member = found.iter().find(|(name, _)| name == key);
        let (_, span) = member.ok_or_else(|| invalid(format!("a call without {key:?}")))?;
        Ok(Span::new(
            content.start + span.start,
            content.start + span.end,
        ))
    };
    let (name, parameters) = (value("name")?, value("parameters")?);
    if found.len() > 2 {
        return Err(invalid("a call has name and parameters only".to_owned()));
    }
    let Ok(tool) = serde_json::from_str::<String>(body.text(name)) else {
        return Err(invalid("the name of a call is no text".to_owned()));
    };
    if !body.text(parameters).starts_with('{') {
        return Err(invalid("the parameters of a call are no object".to_owned()));
    }
    let recipient = full_name_among(&tool, body.config.tools.as_ref());
    judge(body, &recipient, name, parameters)?;
    Ok(body.part(PartKind::Call { recipient }, parameters))
}

/// A fenced block: three backquotes and a language, lines of code, three backquotes.
fn code(body: &Body<'_>, content: Span) -> Result<Part, TranscriptError> {
    let text = body.text(content);
    let invalid = |message: &str| {
        let error = TranscriptError::new(ErrorCode::BodyConstraintViolation, content, message);
        error.with_hint("```python, lines of code, ```")
    };
    let opened = text
        .strip_prefix("```")
        .and_then(|rest| rest.split_once('\n'))
        .filter(|(language, _)| language.chars().all(|c| c.is_ascii_alphanumeric()));
    let (language, rest) = opened.ok_or_else(|| invalid("code that no fence opens"))?;
    let start = content.start + "```".len() + language.len() + 1;
    let length = match rest.starts_with("```") {
        true => Some(0),
        false => rest.find("\n```").map(|at| at + 1),
    };
    let length = length.ok_or_else(|| invalid("code that no fence closes"))?;
    let after = &rest[length + "```".len()..];
    if !["", "\n"].contains(&after) {
        return Err(invalid("more after the fence that closes the code"));
    }
    let span = Span::new(start, start + length.saturating_sub(1));
    let recipient = PYTHON.to_owned();
    judge(body, PYTHON, content, span)?;
    Ok(body.part(PartKind::Call { recipient }, span))
}

fn judge(
    body: &Body<'_>,
    recipient: &str,
    place: Span,
    arguments: Span,
) -> Result<(), TranscriptError> {
    check_tool(body.config, recipient, place)?;
    if body.config.is_generation() {
        check_choice(body.config, recipient, place)?;
    }
    check_arguments(body.config, recipient, body.text(arguments), arguments)
}
