//! Bodies with structure taken apart into messages on channels.

use std::collections::VecDeque;

use crate::calls::PYTHON;
use crate::control::ControlToken;
use crate::message::{Channel, Intent, Message, Part, PartKind, Role, Terminator, Thought};
use crate::thoughts::start_marker;

use super::loss::{Losses, Lost};

/// What becomes of the markers that begin thoughts.
pub(crate) enum Markers<'l> {
    Kept,
    /// The kinds of thoughts are lost, which is told.
    Lost(&'l mut Losses),
}

/// Takes the bodies of assistants and tools apart. What a system message asks for and offers stays
/// with it.
pub(crate) fn on_channels(messages: &[Message], mut markers: Markers<'_>) -> Vec<Message> {
    let mut out = Vec::new();
    let mut open: VecDeque<String> = VecDeque::new();
    for message in messages {
        let is_of_a_kind = thoughts(message).any(|(thought, _)| thought != Thought::Reason);
        if let (Markers::Lost(losses), true) = (&mut markers, is_of_a_kind) {
            losses.add(out.len(), message, Lost::ThoughtKinds);
        }
        match message.role {
            Role::Assistant if message.channel.is_none() => {
                assistant(message, &markers, &mut out, &mut open)
            }
            Role::Tool if is_of_im(message) => tool(message, &mut out, &mut open),
            Role::Assistant => out.push(Message {
                body: match markers {
                    Markers::Kept => message.body.clone(),
                    Markers::Lost(_) => without_markers(message),
                },
                parts: Vec::new(),
                ..message.clone()
            }),
            _ => out.push(message.clone()),
        }
    }
    out
}

/// The thoughts of a message that are marked, those that are demanded and not had apart.
fn thoughts(message: &Message) -> impl Iterator<Item = (Thought, &str)> {
    message.parts.iter().filter_map(|part| match part.kind {
        PartKind::Thought(thought) if !part.text.is_empty() => Some((thought, &*part.text)),
        _ => None,
    })
}

/// A body in which no marker begins a thought: an analysis is all thought.
fn without_markers(message: &Message) -> String {
    if thoughts(message).next().is_none() {
        return message.body.clone();
    }
    let texts = message
        .parts
        .iter()
        .map(|part| part.text.trim_end_matches('\n'));
    texts.collect::<Vec<_>>().join("\n")
}

/// A message with what it says and offers as one text, and no control token as its name.
pub(crate) fn without_structure(message: Message) -> Message {
    Message {
        name: message.name.clone().filter(|name| !name.starts_with("<|")),
        body: match message.parts.is_empty() {
            true => message.body.clone(),
            false => shown_to_model(&message),
        },
        parts: Vec::new(),
        ..message
    }
}

/// What a system message says and offers, without its flags.
fn shown_to_model(message: &Message) -> String {
    let text = |part: &Part| match part.kind {
        PartKind::Text | PartKind::FunctionList => Some(part.text.clone()),
        _ => None,
    };
    message.parts.iter().filter_map(text).collect()
}

/// Whether a tool's message comes from a format without recipients.
fn is_of_im(message: &Message) -> bool {
    let is_output = |part: &Part| matches!(part.kind, PartKind::Output { .. });
    let by_token = message
        .name
        .as_deref()
        .is_none_or(|name| name.starts_with("<|"));
    by_token || message.parts.iter().any(is_output)
}

/// What an assistant says on a channel, in a message that comes from `source`.
fn on(channel: Channel, body: &str, source: &Message) -> Message {
    Message {
        channel: Some(channel),
        span: source.span,
        ..Message::new(Role::Assistant, body)
    }
}

fn assistant(
    message: &Message,
    markers: &Markers<'_>,
    out: &mut Vec<Message>,
    open: &mut VecDeque<String>,
) {
    let calls = message.calls().next().is_some();
    if message.is_call() || message.recipient.is_some() {
        out.push(message.clone());
        return;
    }
    for (thought, text) in thoughts(message) {
        let marker = match markers {
            Markers::Kept => start_marker(thought),
            Markers::Lost(_) => String::new(),
        };
        out.push(on(Channel::Analysis, &format!("{marker}{text}"), message));
    }
    let said = message.said();
    match calls {
        true if said.is_empty() => {}
        true => out.push(Message {
            name: message.name.clone(),
            intent: Some(Intent::Preamble),
            ..on(Channel::Commentary, &said, message)
        }),
        false => out.push(Message {
            channel: Some(Channel::Final),
            body: said.into_owned(),
            parts: Vec::new(),
            ..message.clone()
        }),
    }
    for part in &message.parts {
        if let PartKind::Call { recipient } = &part.kind {
            open.push_back(recipient.clone());
            out.push(Message {
                name: message.name.clone(),
                span: message.span,
                ..call(recipient, &part.text)
            });
        }
    }
}

/// A call on a channel; its id comes later.
pub(crate) fn call(recipient: &str, arguments: &str) -> Message {
    Message {
        recipient: Some(recipient.to_owned()),
        constrain: (recipient != PYTHON).then(|| "json".to_owned()),
        channel: Some(Channel::Commentary),
        terminator: Terminator::Call,
        ..Message::new(Role::Assistant, arguments)
    }
}

/// A tool's reply on a channel; its id comes later.
pub(crate) fn reply(tool: Option<String>, body: &str) -> Message {
    Message {
        name: tool,
        recipient: Some("assistant".to_owned()),
        channel: Some(Channel::Commentary),
        ..Message::new(Role::Tool, body)
    }
}

fn tool(message: &Message, out: &mut Vec<Message>, open: &mut VecDeque<String>) {
    let mut has_outputs = false;
    for part in &message.parts {
        if let PartKind::Output { tool } = &part.kind {
            open.pop_front();
            has_outputs = true;
            out.push(Message {
                span: message.span,
                ..reply(Some(tool.clone()), &part.text)
            });
        }
    }
    if !has_outputs {
        let is_code = message.name.as_deref() == Some(ControlToken::Interpreter.spelling());
        let tool = open.pop_front().or(is_code.then(|| PYTHON.to_owned()));
        out.push(Message {
            span: message.span,
            ..reply(tool, &message.body)
        });
    }
}
