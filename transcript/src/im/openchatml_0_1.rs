//! OpenChatML 0.1: the base, and with thoughts and functions.
//!
//! An assistant first has the thoughts that were asked for, then says something, then calls
//! functions; a tool answers the calls in their order.

use std::collections::BTreeSet;

use super::body::{Body, Segment, ends_thought, misplaced, starts_thought};
use super::dialect::Dialect;
use crate::calls::{check_arguments, check_choice, check_tool, full_name_among, members};
use crate::config::{Analysis, CallLimit};
use crate::control::ControlToken;
use crate::error::{ErrorCode, TranscriptError};
use crate::message::{Part, PartKind, Role, Thought};
use crate::span::Span;

pub(super) const DIALECT: Dialect = Dialect {
    roles: &[
        ("system", Role::System),
        ("tool", Role::Tool),
        ("user", Role::User),
        ("assistant", Role::Assistant),
    ],
    frames_end: true,
    has_token_names: false,
    generates_names: true,
    is_sequence: true,
    admit,
    close,
};

fn admit(body: &Body<'_>, token: ControlToken, span: Span) -> Result<(), TranscriptError> {
    let is_frame = matches!(
        token,
        ControlToken::ImStart
            | ControlToken::SequenceStart
            | ControlToken::SequenceEnd
            | ControlToken::FimPrefix
            | ControlToken::FimMiddle
            | ControlToken::FimSuffix
            | ControlToken::FileSeparator
    );
    match body.role {
        _ if is_frame => Err(misplaced(token, span)),
        // What a system message shows of calls and thoughts is an example.
        Role::System => Ok(()),
        Role::Tool if token == ControlToken::FunctionOutput => admit_output(body, span),
        Role::Assistant if token == ControlToken::FunctionCall => admit_call(body, span),
        Role::Assistant => admit_thought(body, token, span),
        _ => Err(misplaced(token, span)),
    }
}

fn close(body: &Body<'_>) -> Result<Vec<Part>, TranscriptError> {
    match body.role {
        Role::System => Ok(system_parts(body)),
        Role::Tool => outputs(body),
        Role::Assistant => {
            if body
                .last()
                .token
                .is_some_and(|token| starts_thought(token).is_some())
            {
                return Err(misplaced(ControlToken::ImEnd, body.end)
                    .with_hint("the thought is to be ended before"));
            }
            check_thoughts(body, body.end)?;
            assistant_parts(body)
        }
        _ => Ok(Vec::new()),
    }
}

// ---- Thoughts (§4)

/// The thoughts that a message must have.
fn due(body: &Body<'_>) -> BTreeSet<Thought> {
    let forbidden = body.config.is_generation() && body.config.analysis == Analysis::Forbidden;
    match forbidden {
        true => BTreeSet::new(),
        false => body.thoughts.clone(),
    }
}

/// The thoughts that a message has begun.
fn begun(body: &Body<'_>) -> impl Iterator<Item = Thought> {
    let begun = |segment: &Segment| segment.token.and_then(starts_thought);
    body.segments.iter().filter_map(begun)
}

fn admit_thought(body: &Body<'_>, token: ControlToken, span: Span) -> Result<(), TranscriptError> {
    let last = body.last();
    if let Some(thought) = ends_thought(token) {
        let is_open = last.token.and_then(starts_thought) == Some(thought);
        return match is_open {
            true => Ok(()),
            false => Err(misplaced(token, span)),
        };
    }
    let Some(thought) = starts_thought(token) else {
        return Err(misplaced(token, span));
    };
    let is_first = last.token.is_none_or(|token| ends_thought(token).is_some());
    let is_framed = match body.text(last.text) {
        "" => true,
        // A generated turn has the line feed of its header and no other.
        "\n" => last.token.is_some() || !body.config.is_generation(),
        _ => false,
    };
    if !is_first || !is_framed {
        return Err(misplaced(token, span).with_hint("thoughts come before everything else"));
    }
    if body.config.is_generation() && body.config.analysis == Analysis::Forbidden {
        let message = "thoughts are not allowed in this turn";
        return Err(TranscriptError::new(ErrorCode::TurnAnalysis, span, message));
    }
    if !body.config.is_generation() {
        // History has any of them, in any order.
        return Ok(());
    }
    let rest: BTreeSet<Thought> = due(body)
        .into_iter()
        .filter(|due| begun(body).all(|begun| begun < *due))
        .collect();
    if rest.first() == Some(&thought) {
        return Ok(());
    }
    let message = match rest.first() {
        Some(next) => format!(
            "{token} where the thought <|start_{}|> is due",
            next.as_str()
        ),
        None => format!("{token}, for which no system message has asked"),
    };
    Err(TranscriptError::header(span, message))
}

/// Whether every thought that was asked for has come.
fn check_thoughts(body: &Body<'_>, span: Span) -> Result<(), TranscriptError> {
    if !body.config.is_generation() {
        return Ok(());
    }
    let begun: BTreeSet<Thought> = begun(body).collect();
    match due(body).difference(&begun).next() {
        None => Ok(()),
        Some(thought) => {
            let message = format!("without the thought <|start_{}|>", thought.as_str());
            let error = TranscriptError::header(span, message);
            Err(error.with_hint("a system message has asked for it"))
        }
    }
}

// ---- Calls and outputs (§8)

fn admit_call(body: &Body<'_>, span: Span) -> Result<(), TranscriptError> {
    let last = body.last();
    if last.token == Some(ControlToken::FunctionCall) {
        call(body, last)?;
        let config = body.config;
        return match config.is_generation() && config.calls == CallLimit::One {
            true => {
                let message = "a second call, parallel calls are not allowed";
                Err(TranscriptError::new(ErrorCode::TurnParallel, span, message))
            }
            false => Ok(()),
        };
    }
    if last
        .token
        .is_some_and(|token| starts_thought(token).is_some())
    {
        return Err(misplaced(ControlToken::FunctionCall, span));
    }
    check_thoughts(body, span)
}

fn admit_output(body: &Body<'_>, span: Span) -> Result<(), TranscriptError> {
    let last = body.last();
    match last.token {
        Some(_) => output(body, last).map(drop),
        None if body.text(last.text).trim().is_empty() => Ok(()),
        None => Err(misplaced(ControlToken::FunctionOutput, span)
            .with_hint("a tool says nothing beside its outputs")),
    }
}

/// A JSON object of `arguments` and `name`, in any order.
fn call(body: &Body<'_>, segment: Segment) -> Result<Part, TranscriptError> {
    let content = body.trimmed(segment.text);
    let invalid = |message: String| TranscriptError::new(ErrorCode::CallSchema, content, message);
    let [name, arguments] = pair(body, content, ["name", "arguments"]).map_err(invalid)?;
    let Ok(tool) = serde_json::from_str::<String>(body.text(name)) else {
        return Err(invalid("the name of a call is no text".to_owned()));
    };
    if !body.text(arguments).starts_with('{') {
        return Err(invalid("the arguments of a call are no object".to_owned()));
    }
    let recipient = full_name_among(&tool, body.config.tools.as_ref());
    check_tool(body.config, &recipient, name)?;
    if body.config.is_generation() {
        check_choice(body.config, &recipient, name)?;
    }
    check_arguments(body.config, &recipient, body.text(arguments), arguments)?;
    Ok(body.part(PartKind::Call { recipient }, arguments))
}

/// A JSON object of `name` and `content`, in any order.
fn output(body: &Body<'_>, segment: Segment) -> Result<Part, TranscriptError> {
    let content = body.trimmed(segment.text);
    let code = ErrorCode::BodyConstraintViolation;
    let invalid = |message: String| TranscriptError::new(code, content, message);
    let [name, value] = pair(body, content, ["name", "content"]).map_err(invalid)?;
    let Ok(tool) = serde_json::from_str::<String>(body.text(name)) else {
        return Err(invalid("the name of an output is no text".to_owned()));
    };
    let tool = full_name_among(&tool, body.config.tools.as_ref());
    Ok(body.part(PartKind::Output { tool }, value))
}

/// The values of an object that has these two keys and no other.
fn pair(body: &Body<'_>, content: Span, keys: [&str; 2]) -> Result<[Span; 2], String> {
    let found = members(body.text(content))?;
    let value = |key: &str| {
        let member = found.iter().find(|(name, _)| name == key);
        let (_, span) = member.ok_or_else(|| format!("{key:?} is missing"))?;
        Ok::<_, String>(Span::new(
            content.start + span.start,
            content.start + span.end,
        ))
    };
    let values = [value(keys[0])?, value(keys[1])?];
    match found.len() {
        2 => Ok(values),
        _ => Err(format!(
            "there is more than {:?} and {:?}",
            keys[0], keys[1]
        )),
    }
}

// ---- What bodies are made of

fn assistant_parts(body: &Body<'_>) -> Result<Vec<Part>, TranscriptError> {
    if body.segments.len() == 1 {
        return Ok(Vec::new());
    }
    let mut parts = Vec::new();
    for (index, segment) in body.segments.iter().enumerate() {
        let is_last = index + 1 == body.segments.len();
        let kind = match segment.token {
            Some(ControlToken::FunctionCall) => {
                parts.push(call(body, *segment)?);
                continue;
            }
            Some(token) => match starts_thought(token) {
                Some(thought) => PartKind::Thought(thought),
                None => PartKind::Text,
            },
            None => PartKind::Text,
        };
        let mut span = segment.text;
        let frames = kind == PartKind::Text;
        if frames && segment.token.is_some() && body.text(span).starts_with('\n') {
            span.start += 1;
        }
        if frames && is_last && body.text(span).ends_with('\n') {
            span.end -= 1;
        }
        let opens = index == 0 && ["", "\n"].contains(&body.text(span));
        if !frames || (span.start < span.end && !opens) {
            parts.push(body.part(kind, span));
        }
    }
    Ok(parts)
}

fn outputs(body: &Body<'_>) -> Result<Vec<Part>, TranscriptError> {
    let outputs = body.segments.iter().skip(1);
    outputs.map(|segment| output(body, *segment)).collect()
}

/// What a system message says, asks for and offers; nothing of it is judged.
fn system_parts(body: &Body<'_>) -> Vec<Part> {
    if body.segments.len() == 1 {
        return Vec::new();
    }
    let mut parts = Vec::new();
    for (index, segment) in body.segments.iter().enumerate() {
        let mut text = segment.text;
        let frames = index + 1 == body.segments.len() && body.text(text).ends_with('\n');
        text.end -= usize::from(frames);
        let flag = |thought| PartKind::ThoughtFlag(thought);
        let empty = Span::new(text.start, text.start);
        match segment.token {
            Some(ControlToken::Reflect) => parts.push(body.part(flag(Thought::Reflect), empty)),
            Some(ControlToken::Introspect) => {
                parts.push(body.part(flag(Thought::Introspect), empty));
            }
            Some(ControlToken::Reason) => parts.push(body.part(flag(Thought::Reason), empty)),
            Some(ControlToken::FunctionList) => {
                parts.push(body.part(PartKind::FunctionList, body.trimmed(text)));
                continue;
            }
            _ => {}
        }
        if text.start < text.end {
            parts.push(body.part(PartKind::Text, text));
        }
    }
    parts
}
