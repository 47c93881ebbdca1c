//! OpenChatML 0.1's thoughts: those that are there are demanded, and those demanded are there (§4).

use std::collections::BTreeSet;

use crate::format::Format;
use crate::message::{Message, Part, PartKind, Role, Thought};
use crate::render::spells_control;
use crate::span::Span;

/// Has a system message ask for the thoughts that the assistant has, and gives every message the
/// thoughts that it must have, in their order; one that it has not is empty.
pub(super) fn demand_thoughts(messages: &mut Vec<Message>) {
    ask(messages);
    let mut asked = BTreeSet::new();
    for message in messages {
        asked.extend(flags(message));
        if message.role == Role::Assistant && !asked.is_empty() {
            arrange(message, &asked);
        }
    }
}

/// Asks for every thought that nothing before it has asked for.
fn ask(messages: &mut Vec<Message>) {
    let mut asked = BTreeSet::new();
    let mut missing = BTreeSet::new();
    let mut first = None;
    for (index, message) in messages.iter().enumerate() {
        asked.extend(flags(message));
        for thought in thoughts(message).filter(|thought| !asked.contains(thought)) {
            missing.insert(thought);
            first.get_or_insert(index);
        }
    }
    let Some(first) = first else { return };
    let is_system = |message: &Message| message.role == Role::System;
    let system = messages[..first].iter().rposition(is_system);
    // What only spells control tokens must not become some beside flags.
    let takes_flags = |message: &Message| {
        !message.parts.is_empty() || !spells_control(&message.body, Format::OpenChatMl01)
    };
    let at = match system {
        Some(at) if takes_flags(&messages[at]) => at,
        other => {
            let at = other.map_or(0, |at| at + 1);
            messages.insert(at, Message::new(Role::System, ""));
            at
        }
    };
    let system = &mut messages[at];
    with_parts(system);
    for thought in missing {
        system.body.push_str(&format!("<|{}|>", thought.as_str()));
        let flag = PartKind::ThoughtFlag(thought);
        system.parts.push(part(flag, String::new()));
    }
}

fn part(kind: PartKind, text: String) -> Part {
    Part {
        kind,
        text,
        span: Span::default(),
    }
}

/// Writes a body that is one text as a part.
fn with_parts(message: &mut Message) {
    if message.parts.is_empty() && !message.body.is_empty() {
        let text = part(PartKind::Text, message.body.clone());
        message.parts.push(text);
    }
}

fn flags(message: &Message) -> impl Iterator<Item = Thought> {
    message.parts.iter().filter_map(|part| match part.kind {
        PartKind::ThoughtFlag(thought) => Some(thought),
        _ => None,
    })
}

fn thoughts(message: &Message) -> impl Iterator<Item = Thought> {
    message.parts.iter().filter_map(|part| match part.kind {
        PartKind::Thought(thought) => Some(thought),
        _ => None,
    })
}

/// Brings the thoughts of a message into their order, one of each that is due.
fn arrange(message: &mut Message, due: &BTreeSet<Thought>) {
    with_parts(message);
    let (had, rest): (Vec<Part>, Vec<Part>) = std::mem::take(&mut message.parts)
        .into_iter()
        .partition(|part| matches!(part.kind, PartKind::Thought(_)));
    for &thought in due {
        let kind = PartKind::Thought(thought);
        let texts = had.iter().filter(|part| part.kind == kind);
        let texts: Vec<&str> = texts.map(|part| part.text.as_str()).collect();
        message.parts.push(part(kind, texts.join("\n")));
    }
    message.parts.extend(rest);
}
