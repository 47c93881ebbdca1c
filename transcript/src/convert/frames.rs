//! Messages on channels put together for the formats of `<|im_start|>`.

use std::collections::VecDeque;

use super::channels::without_structure;
use super::demand::demand_thoughts;
use super::loss::{ConvertError, Losses, Lost};
use crate::calls::{PYTHON, check_json, is_built_in};
use crate::control::ControlToken;
use crate::format::Format;
use crate::json::Json;
use crate::message::{Channel, Message, Part, PartKind, Role, Thought};
use crate::span::Span;
use crate::thoughts::marked;
use crate::visibility::is_shown;

/// Puts what one speaker says in a row together.
pub(super) fn together(
    messages: &[Message],
    to: Format,
    losses: &mut Losses,
) -> Result<Vec<Message>, ConvertError> {
    let mut out: Vec<Message> = Vec::new();
    let mut due = Due::default();
    for (index, message) in messages.iter().enumerate() {
        let refuse = |reason: &str| {
            Err(ConvertError {
                index,
                span: message.span,
                reason: format!("{} {reason}", to.name()),
            })
        };
        match message.role {
            Role::Tool if to == Format::ChatMl => return refuse("has no tools"),
            Role::Tool if to == Format::OpenChatMl01 && !due.is_answered_by(message) => {
                return refuse("answers each call once, in their order");
            }
            Role::Tool => out.push(answer(message, to)),
            Role::Assistant if message.is_call() => {
                let recipient = message.recipient.as_deref().unwrap_or_default();
                due.calls(recipient);
                if let Some(reason) = why_no_call(recipient, to) {
                    return refuse(reason);
                }
                if to == Format::OpenChatMl01 && drop_layout(&mut out) {
                    losses.add(index, message, Lost::LineBreak);
                }
                add_call(&mut out, message, recipient, to);
            }
            Role::Assistant => match (message.effective_channel(), &message.recipient) {
                (Channel::Analysis, None) if to == Format::OpenChatMl01 => think(&mut out, message),
                (Channel::Analysis, _) => losses.add(index, message, Lost::Reasoning),
                _ if is_shown(message) => speak(&mut out, message),
                _ => losses.add(index, message, Lost::HiddenCommentary),
            },
            Role::System | Role::Developer => out.push(instructions(message, to)),
            Role::User => out.push(plain(message, Role::User)),
        }
    }
    if to == Format::OpenChatMl01 {
        demand_thoughts(&mut out);
    }
    Ok(out)
}

/// Why a format has no such call.
fn why_no_call(recipient: &str, to: Format) -> Option<&'static str> {
    match to {
        Format::ChatMl => Some("has no tool calls"),
        Format::OpenChatMl01 if recipient == PYTHON => Some("has no calls with code"),
        _ => None,
    }
}

/// The calls that are to be answered next.
#[derive(Default)]
struct Due<'m> {
    calls: VecDeque<&'m str>,
    has_called: bool,
}

impl<'m> Due<'m> {
    fn calls(&mut self, recipient: &'m str) {
        self.calls.push_back(recipient);
        self.has_called = true;
    }

    /// Whether a reply answers the next call. A reply of no tool answers none, and where there is no
    /// call at all, it stands in an earlier piece of the conversation.
    fn is_answered_by(&mut self, reply: &Message) -> bool {
        match &reply.name {
            Some(name) if self.has_called => self.calls.pop_front() == Some(name.as_str()),
            _ => true,
        }
    }
}

/// What a message says, and who.
fn plain(message: &Message, role: Role) -> Message {
    Message {
        name: message.name.clone(),
        span: message.span,
        ..Message::new(role, message.body.as_str())
    }
}

fn part(kind: PartKind, text: &str) -> Part {
    Part {
        kind,
        text: text.to_owned(),
        span: Span::default(),
    }
}

/// A system message, with what it asks for and offers where the format has that.
fn instructions(message: &Message, to: Format) -> Message {
    let shown = without_structure(message.clone());
    let mut out = plain(&shown, Role::System);
    match to {
        Format::OpenChatMl01 => {
            out.body.clone_from(&message.body);
            out.parts.clone_from(&message.parts);
        }
        Format::InternLm2 => out.name.clone_from(&message.name),
        _ => {}
    }
    out
}

/// Whether a message has thoughts, and nothing else yet.
fn only_thinks(message: &Message) -> bool {
    let is_thought = |part: &Part| matches!(part.kind, PartKind::Thought(_));
    !message.parts.is_empty() && message.parts.iter().all(is_thought)
}

fn speak(out: &mut Vec<Message>, message: &Message) {
    match out.last_mut().filter(|last| only_thinks(last)) {
        Some(last) => {
            last.name.clone_from(&message.name);
            last.body.clone_from(&message.body);
            last.parts.push(part(PartKind::Text, &message.body));
        }
        None => out.push(plain(message, Role::Assistant)),
    }
}

/// Adds thoughts. They come before what is said, so that after that a new message begins; those
/// without a mark are step-by-step logic.
fn think(out: &mut Vec<Message>, message: &Message) {
    if !out.last().is_some_and(only_thinks) {
        out.push(Message {
            span: message.span,
            ..Message::new(Role::Assistant, "")
        });
    }
    if let Some(last) = out.last_mut() {
        for (thought, text) in marked(&message.body) {
            let kind = PartKind::Thought(thought.unwrap_or(Thought::Reason));
            last.parts.push(part(kind, text));
        }
    }
}

/// Leaves out a line break that the assistant has just said and nothing else, and says whether there was one: before a
/// call it would be read as the layout that it looks like.
fn drop_layout(out: &mut [Message]) -> bool {
    let is_layout = |last: &&mut Message| {
        last.role == Role::Assistant && last.parts.is_empty() && last.body == "\n"
    };
    let dropped = out.last_mut().filter(is_layout);
    dropped.map(|last| last.body.clear()).is_some()
}

/// Adds a call to what the assistant has just said; InternLM2 has one call a message.
fn add_call(out: &mut Vec<Message>, call: &Message, recipient: &str, to: Format) {
    let has_room = |message: &Message| {
        let is_free = to == Format::OpenChatMl01 || message.calls().next().is_none();
        message.role == Role::Assistant && is_free
    };
    if !out.last().is_some_and(has_room) {
        out.push(Message {
            span: call.span,
            ..Message::new(Role::Assistant, "")
        });
    }
    if let Some(message) = out.last_mut() {
        if message.parts.is_empty() && !message.body.is_empty() {
            message.parts.push(part(PartKind::Text, &message.body));
        }
        // The body of a message by hand is what it says; its parts are what is written.
        let recipient = recipient.to_owned();
        message
            .parts
            .push(part(PartKind::Call { recipient }, &call.body));
    }
}

fn answer(message: &Message, to: Format) -> Message {
    let tool = message.name.clone().unwrap_or_default();
    // An output has a tool's name.
    if to == Format::OpenChatMl01 && tool.is_empty() {
        return plain(message, Role::Tool);
    }
    if to == Format::InternLm2 {
        let token = match tool == PYTHON || is_built_in(&tool) {
            true => ControlToken::Interpreter,
            false => ControlToken::Plugin,
        };
        return Message {
            name: Some(token.spelling().to_owned()),
            ..plain(message, Role::Tool)
        };
    }
    let text = match check_json(&message.body) {
        Ok(()) => message.body.clone(),
        Err(_) => Json::from(message.body.as_str()).to_string(),
    };
    Message {
        span: message.span,
        parts: vec![part(PartKind::Output { tool }, &text)],
        ..Message::new(Role::Tool, "")
    }
}
