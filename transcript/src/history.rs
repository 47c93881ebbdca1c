//! A conversation as it is stored, for the next turn to be sampled (OpenChatML 2.2 §§7, 12).

use std::collections::BTreeSet;

use super::message::{Channel, Message, Role, Terminator};

/// Brings messages of the formats with channels to the form in which history is kept:
/// `<|return|>` becomes `<|end|>`, and the analysis of a turn that a final message has ended goes
/// once the user has spoken again, but for what led to a call that nothing has answered.
pub fn normalise_history(messages: &[Message]) -> Vec<Message> {
    let open = open_calls(messages);
    let is_user = |message: &Message| message.role == Role::User;
    let last_user = messages.iter().rposition(is_user).unwrap_or(0);
    let mut kept = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let is_old = index < last_user && turn_is_answered(&messages[index..]);
        if is_analysis(message) && is_old && !leads_to(messages, index, &open) {
            continue;
        }
        let mut message = message.clone();
        if message.terminator == Terminator::Return {
            message.terminator = Terminator::End;
        }
        kept.push(message);
    }
    kept
}

/// Reasoning; a call of a built-in tool on analysis is no such thing.
fn is_analysis(message: &Message) -> bool {
    message.role == Role::Assistant
        && message.channel == Some(Channel::Analysis)
        && message.recipient.is_none()
}

/// Whether a final message comes before the user's next one.
fn turn_is_answered(rest: &[Message]) -> bool {
    let turn = rest.iter().take_while(|m| m.role != Role::User);
    turn.into_iter().any(|message| {
        message.role == Role::Assistant
            && message.recipient.is_none()
            && message.effective_channel() == Channel::Final
    })
}

/// Whether the assistant's next message that is no analysis is one of these calls.
fn leads_to(messages: &[Message], index: usize, calls: &BTreeSet<usize>) -> bool {
    let next = (index + 1..messages.len()).find(|&next| !is_analysis(&messages[next]));
    next.is_some_and(|next| calls.contains(&next))
}

/// The calls, by their places, that no reply has answered: a reply echoes the id of its call;
/// without ids it answers the first open call of its tool.
pub(super) fn open_calls(messages: &[Message]) -> BTreeSet<usize> {
    let mut open = BTreeSet::new();
    for (index, message) in messages.iter().enumerate() {
        if message.is_call() {
            open.insert(index);
        }
        if message.role != Role::Tool {
            continue;
        }
        let answers = |call: &&usize| {
            let call = &messages[**call];
            match &message.call_id {
                Some(id) => call.call_id.as_ref() == Some(id),
                None => call.recipient == message.name,
            }
        };
        if let Some(call) = open.iter().find(answers).copied() {
            open.remove(&call);
        }
    }
    open
}
