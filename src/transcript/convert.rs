//! A conversation of one format as messages of another.
//!
//! Formats with channels are the common ground: OpenChatML 0.1's and InternLM2's bodies are taken
//! apart into messages on channels, and put together again. What a format has no place for is
//! left out where nothing is lost to the reader (ids, intents, private reasoning), and refused
//! where it would be (calls in ChatML).

use std::collections::VecDeque;

use super::calls::{PYTHON, check_json, is_built_in};
use super::control::ControlToken;
use super::format::Format;
use super::json::Json;
use super::message::{Channel, Intent, Message, Part, PartKind, Role, Terminator};
use crate::base::Span;

/// Why a conversation cannot be converted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("message {index}: {reason}")]
pub struct ConvertError {
    /// Which message, from 0, of those on channels.
    pub index: usize,
    /// Why.
    pub reason: String,
}

/// Converts messages of any format into messages of format `to`.
///
/// # Errors
///
/// What `to` cannot say.
pub fn convert(messages: &[Message], to: Format) -> Result<Vec<Message>, ConvertError> {
    let channelled = on_channels(messages);
    match to {
        Format::OpenChatMl22 => Ok(with_ids(channelled).into_iter().map(openchatml).collect()),
        Format::Harmony => Ok(channelled.into_iter().map(harmony).collect()),
        Format::ChatMl | Format::OpenChatMl01 | Format::InternLm2 => {
            together(&in_call_order(channelled), to)
        }
    }
}

// ---- To channels

/// Takes bodies that have structure apart.
pub(super) fn on_channels(messages: &[Message]) -> Vec<Message> {
    let mut out = Vec::new();
    let mut open: VecDeque<String> = VecDeque::new();
    for message in messages {
        match message.role {
            Role::Assistant if message.channel.is_none() => assistant(message, &mut out, &mut open),
            Role::Tool if is_of_im(message) => tool(message, &mut out, &mut open),
            _ => out.push(Message {
                // InternLM2 names what offers tools by a control token.
                name: message.name.clone().filter(|name| !name.starts_with("<|")),
                body: match message.parts.is_empty() || message.role == Role::Assistant {
                    true => message.body.clone(),
                    false => shown_to_model(message),
                },
                parts: Vec::new(),
                ..message.clone()
            }),
        }
    }
    out
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

fn on(channel: Channel, body: &str) -> Message {
    Message {
        channel: Some(channel),
        ..Message::new(Role::Assistant, body)
    }
}

fn assistant(message: &Message, out: &mut Vec<Message>, open: &mut VecDeque<String>) {
    let calls = message.calls().next().is_some();
    if message.is_call() || message.recipient.is_some() {
        out.push(message.clone());
        return;
    }
    for part in &message.parts {
        if let PartKind::Thought(thought) = part.kind {
            let marker = format!("<|start_{}|>", thought.as_str());
            out.push(on(Channel::Analysis, &format!("{marker}{}", part.text)));
        }
    }
    let said = message.said();
    match calls {
        true if said.trim().is_empty() => {}
        true => out.push(Message {
            intent: Some(Intent::Preamble),
            ..on(Channel::Commentary, &said)
        }),
        false => out.push(Message {
            name: message.name.clone(),
            terminator: message.terminator,
            ..on(Channel::Final, &said)
        }),
    }
    for part in &message.parts {
        if let PartKind::Call { recipient } = &part.kind {
            open.push_back(recipient.clone());
            out.push(call(recipient, &part.text));
        }
    }
}

/// A call on a channel; its id comes later.
pub(super) fn call(recipient: &str, arguments: &str) -> Message {
    Message {
        recipient: Some(recipient.to_owned()),
        constrain: (recipient != PYTHON).then(|| "json".to_owned()),
        terminator: Terminator::Call,
        ..on(Channel::Commentary, arguments)
    }
}

/// A tool's reply on a channel; its id comes later.
pub(super) fn reply(tool: Option<String>, body: &str) -> Message {
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
            out.push(reply(Some(tool.clone()), &part.text));
        }
    }
    if !has_outputs {
        let is_code = message.name.as_deref() == Some(ControlToken::Interpreter.spelling());
        let tool = open.pop_front().or(is_code.then(|| PYTHON.to_owned()));
        out.push(reply(tool, &message.body));
    }
}

// ---- To OpenChatML 2.2

/// Gives calls and replies the ids that they lack: a reply takes that of the first open call of
/// its tool.
pub(super) fn with_ids(mut messages: Vec<Message>) -> Vec<Message> {
    let used: Vec<String> = messages.iter().filter_map(|m| m.call_id.clone()).collect();
    let mut fresh = (1..)
        .map(|n| format!("call_{n}"))
        .filter(|id| !used.contains(id));
    let mut open: Vec<(String, Option<String>)> = Vec::new();
    for message in &mut messages {
        if message.is_call() {
            if message.call_id.is_none() {
                message.call_id = fresh.next();
            }
            let id = message.call_id.clone().unwrap_or_default();
            open.push((id, message.recipient.clone()));
            // Harmony's bare type is the type of the body.
            if message.content_type.as_deref() == Some("json") && message.constrain.is_none() {
                message.constrain = message.content_type.take();
            }
        } else if message.role == Role::Tool {
            let answers = |(id, tool): &(String, Option<String>)| match &message.call_id {
                Some(own) => own == id,
                None => *tool == message.name,
            };
            if let Some(at) = open.iter().position(answers) {
                message.call_id = Some(open.remove(at).0);
            }
        }
    }
    messages
}

/// `<|return|>` closes final messages only.
fn openchatml(mut message: Message) -> Message {
    let is_final = message.effective_channel() == Channel::Final && message.recipient.is_none();
    if message.terminator == Terminator::Return && !is_final {
        message.terminator = Terminator::End;
    }
    message
}

// ---- To Harmony

fn harmony(message: Message) -> Message {
    let is_assistant = message.role == Role::Assistant;
    let is_open = message.channel == Some(Channel::Commentary) && message.recipient.is_none();
    let is_preamble = is_open && message.intent == Some(Intent::Preamble);
    // A hint need not be true, `<|constrain|>` must.
    let says_json = [&message.constrain, &message.content_type]
        .into_iter()
        .any(|name| name.as_deref() == Some("json"));
    let is_json = is_assistant && says_json && check_json(&message.body).is_ok();
    Message {
        name: message.name.filter(|_| message.role == Role::Tool),
        channel: match message.channel {
            None if is_assistant => Some(Channel::Final),
            // Harmony shows commentary to nobody as a preamble: what is hidden stays hidden.
            Some(_) if is_assistant && is_open && !is_preamble => Some(Channel::Analysis),
            channel => channel,
        },
        intent: message.intent.filter(|_| is_preamble),
        call_id: None,
        content_type: None,
        // Text needs no type, and code has none here.
        constrain: is_json.then(|| "json".to_owned()),
        ..message
    }
}

// ---- To the formats of `<|im_start|>`

/// Brings replies in a row into the order of their calls: here only that tells whose they are.
fn in_call_order(messages: Vec<Message>) -> Vec<Message> {
    let mut messages = with_ids(messages);
    let calls = messages.iter().filter(|message| message.is_call());
    let calls: Vec<Option<String>> = calls.map(|call| call.call_id.clone()).collect();
    let place = |reply: &Message| calls.iter().position(|id| *id == reply.call_id);
    for run in messages.chunk_by_mut(|a, b| a.role == Role::Tool && b.role == Role::Tool) {
        if run.iter().all(|message| message.role == Role::Tool) {
            run.sort_by_key(place);
        }
    }
    messages
}

/// Puts what one speaker says in a row together.
fn together(messages: &[Message], to: Format) -> Result<Vec<Message>, ConvertError> {
    let mut out: Vec<Message> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let refuse = |reason: &str| {
            Err(ConvertError {
                index,
                reason: format!("{} {reason}", to.name()),
            })
        };
        match message.role {
            Role::Tool if to == Format::ChatMl => return refuse("has no tools"),
            Role::Tool => out.push(answer(message, to)),
            Role::Assistant if message.is_call() => {
                if to == Format::ChatMl {
                    return refuse("has no tool calls");
                }
                let recipient = message.recipient.clone().unwrap_or_default();
                if to == Format::OpenChatMl01 && recipient == PYTHON {
                    return refuse("has no calls with code");
                }
                add_call(&mut out, recipient, &message.body, to);
            }
            Role::Assistant => {
                let shown = match message.effective_channel() {
                    Channel::Final => true,
                    Channel::Commentary => message.intent == Some(Intent::Preamble),
                    Channel::Analysis => false,
                };
                if shown {
                    out.push(Message {
                        name: message.name.clone(),
                        ..Message::new(Role::Assistant, message.body.as_str())
                    });
                }
            }
            Role::System | Role::Developer | Role::User => out.push(Message {
                name: message.name.clone(),
                ..Message::new(
                    match message.role {
                        Role::User => Role::User,
                        _ => Role::System,
                    },
                    message.body.as_str(),
                )
            }),
        }
    }
    Ok(out)
}

/// Adds a call to what the assistant has just said; InternLM2 has one call a message.
fn add_call(out: &mut Vec<Message>, recipient: String, arguments: &str, to: Format) {
    let part = |kind, text: &str| Part {
        kind,
        text: text.to_owned(),
        span: Span::default(),
    };
    let has_room = |message: &Message| {
        let is_free = to == Format::OpenChatMl01 || message.calls().next().is_none();
        message.role == Role::Assistant && is_free
    };
    if !out.last().is_some_and(has_room) {
        out.push(Message::new(Role::Assistant, ""));
    }
    if let Some(message) = out.last_mut() {
        if message.parts.is_empty() && !message.body.is_empty() {
            message.parts.push(part(PartKind::Text, &message.body));
        }
        // The body of a message by hand is what it says; its parts are what is written.
        message
            .parts
            .push(part(PartKind::Call { recipient }, arguments));
    }
}

fn answer(message: &Message, to: Format) -> Message {
    let tool = message.name.clone().unwrap_or_default();
    if to == Format::InternLm2 {
        let token = match tool == PYTHON || is_built_in(&tool) {
            true => ControlToken::Interpreter,
            false => ControlToken::Plugin,
        };
        return Message {
            name: Some(token.spelling().to_owned()),
            ..Message::new(Role::Tool, message.body.as_str())
        };
    }
    let text = match check_json(&message.body) {
        Ok(()) => message.body.clone(),
        Err(_) => Json::from(message.body.as_str()).to_string(),
    };
    Message {
        parts: vec![Part {
            kind: PartKind::Output { tool },
            text,
            span: Span::default(),
        }],
        ..Message::new(Role::Tool, "")
    }
}
