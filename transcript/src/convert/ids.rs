//! The ids of calls and replies, and their order.

use std::collections::BTreeSet;

use super::loss::ConvertError;
use crate::calls::check_json;
use crate::format::Format;
use crate::message::{Message, Role};

/// Gives calls and replies the ids that they lack: a reply takes that of the first open call of
/// its tool.
pub(crate) fn with_ids(mut messages: Vec<Message>) -> Vec<Message> {
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
            // Harmony's bare type is the type of the body, where the body is of it.
            let says_json = message.content_type.as_deref() == Some("json");
            if says_json && message.constrain.is_none() && check_json(&message.body).is_ok() {
                message.constrain = message.content_type.take();
            }
        } else if message.role == Role::Tool {
            let answers = |(id, tool): &(String, Option<String>)| match &message.call_id {
                Some(own) => own == id,
                None => *tool == message.name,
            };
            if let Some(at) = open.iter().position(answers) {
                let (id, tool) = open.remove(at);
                message.call_id = Some(id);
                // It may have said the bare name.
                message.name = tool;
            }
        }
    }
    messages
}

/// Whether each reply that says an id answers a call before it, and the first to do so.
pub(super) fn check_answers(messages: &[Message], to: Format) -> Result<(), ConvertError> {
    let mut open = BTreeSet::new();
    for (index, message) in messages.iter().enumerate() {
        let Some(id) = &message.call_id else { continue };
        if message.is_call() {
            open.insert(id);
        } else if message.role == Role::Tool && !open.remove(id) {
            let name = to.name();
            return Err(ConvertError {
                index,
                span: message.span,
                reason: format!("{name} answers each call once, and {id:?} is of no open one"),
            });
        }
    }
    Ok(())
}

/// Brings replies in a row into the order of their calls: without ids, only that tells whose they
/// are. Those of no call come last, as they came.
pub(super) fn in_call_order(messages: Vec<Message>) -> Vec<Message> {
    let mut messages = with_ids(messages);
    let calls = messages.iter().filter(|message| message.is_call());
    let calls: Vec<Option<String>> = calls.map(|call| call.call_id.clone()).collect();
    let place = |reply: &Message| {
        let call = calls.iter().position(|id| *id == reply.call_id);
        call.unwrap_or(calls.len())
    };
    for run in messages.chunk_by_mut(|a, b| a.role == Role::Tool && b.role == Role::Tool) {
        if run.iter().all(|message| message.role == Role::Tool) {
            run.sort_by_key(place);
        }
    }
    messages
}
