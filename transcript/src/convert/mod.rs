//! A conversation of one format as messages of another.
//!
//! Formats with channels are the common ground: OpenChatML 0.1's and InternLM2's bodies are taken
//! apart into messages on channels ([`channels`]), and put together again ([`frames`]). What a
//! format has no place for is left out and said so ([`loss`]) where the conversation goes on
//! without it (ids, intents, private reasoning), and refused where it does not (calls in ChatML).

pub(super) mod channels;
mod demand;
mod frames;
pub(super) mod ids;
pub(super) mod loss;
mod spelling;

pub use loss::{ConvertError, Converted, Loss, Lost};

use channels::{Markers, on_channels, without_structure};
use frames::together;
use ids::{check_answers, in_call_order, with_ids};
use loss::Losses;
use spelling::spell_headers;

use super::calls::{check_json, is_role_of_tool};
use super::format::Format;
use super::message::{Channel, HeaderForm, Intent, Message, Role, Terminator};
use super::thoughts::thoughts_of;
use super::visibility::is_shown;

/// Converts messages of any format into messages of format `to`. Their places are still those of
/// the messages they come from.
///
/// # Errors
///
/// What `to` cannot say, and the conversation cannot do without.
pub fn convert(messages: &[Message], to: Format) -> Result<Converted<Vec<Message>>, ConvertError> {
    let mut losses = Losses::default();
    let markers = match to {
        Format::Harmony => Markers::Lost(&mut losses),
        _ => Markers::Kept,
    };
    let channelled = on_channels(messages, markers);
    for (index, message) in channelled.iter().enumerate() {
        losses.add_all_but(index, message, |what| keeps(to, message, what));
    }
    let mut output: Vec<Message> = match to {
        Format::OpenChatMl22 => {
            let messages = with_ids(plainly(channelled));
            check_answers(&messages, to)?;
            messages.into_iter().map(openchatml).collect()
        }
        Format::Harmony => in_call_order(plainly(channelled))
            .into_iter()
            .map(harmony)
            .collect(),
        Format::ChatMl | Format::OpenChatMl01 | Format::InternLm2 => {
            together(&in_call_order(channelled), to, &mut losses)?
        }
    };
    spell_headers(&mut output, to, &mut losses);
    Ok(losses.of(output))
}

fn plainly(messages: Vec<Message>) -> Vec<Message> {
    messages.into_iter().map(without_structure).collect()
}

/// Whether `to` has a place for something that a message on channels says.
fn keeps(to: Format, message: &Message, what: Lost) -> bool {
    let is_token = |name: &str| name.starts_with("<|");
    let by_token = message.name.as_deref().is_some_and(is_token);
    match (to, what) {
        (Format::OpenChatMl22, Lost::Name) => !by_token,
        (Format::OpenChatMl22, what) => what != Lost::ThoughtFlags,
        (Format::Harmony, Lost::Developer | Lost::Recipient) => true,
        (Format::Harmony, Lost::Intent) => is_preamble(message),
        (Format::Harmony, Lost::ContentType) => is_json(message),
        (Format::Harmony, _) => false,
        (Format::OpenChatMl01, Lost::ThoughtFlags) => true,
        (Format::InternLm2, Lost::Name) => !message.is_call(),
        (_, Lost::Name) => !by_token && !message.is_call(),
        _ => false,
    }
}

/// `<|return|>` closes final messages only, and thoughts are marked within an analysis.
fn openchatml(mut message: Message) -> Message {
    message.parts = thoughts_of(&message);
    let is_final = message.effective_channel() == Channel::Final && message.recipient.is_none();
    if message.terminator == Terminator::Return && !is_final {
        message.terminator = Terminator::End;
    }
    message
}

/// Whether an assistant's message is commentary for the user, which Harmony says with no intent.
fn is_preamble(message: &Message) -> bool {
    message.role == Role::Assistant
        && message.channel == Some(Channel::Commentary)
        && message.recipient.is_none()
        && message.intent == Some(Intent::Preamble)
}

/// Whether an assistant's body is JSON and said to be: a hint need not be true, `<|constrain|>` must.
fn is_json(message: &Message) -> bool {
    let says_json = [&message.constrain, &message.content_type]
        .into_iter()
        .any(|name| name.as_deref() == Some("json"));
    message.role == Role::Assistant && says_json && check_json(&message.body).is_ok()
}

fn harmony(message: Message) -> Message {
    let (is_preamble, is_json) = (is_preamble(&message), is_json(&message));
    // Harmony shows what is said to nobody, but for analysis.
    let is_hidden =
        message.role == Role::Assistant && message.recipient.is_none() && !is_shown(&message);
    let name = message.name.filter(|_| message.role == Role::Tool);
    // What does not say by itself that it is a tool's name is seen to be one by whom it writes to.
    let needs_recipient = name.as_deref().is_some_and(|name| !is_role_of_tool(name));
    let recipient = message
        .recipient
        .or_else(|| needs_recipient.then(|| "assistant".to_owned()));
    Message {
        name,
        recipient,
        channel: match message.channel {
            _ if is_hidden => Some(Channel::Analysis),
            None if message.role == Role::Assistant => Some(Channel::Final),
            channel => channel,
        },
        intent: message.intent.filter(|_| is_preamble),
        call_id: None,
        form: HeaderForm::default(),
        content_type: None,
        // Text needs no type, and code has none here.
        constrain: is_json.then(|| "json".to_owned()),
        ..message
    }
}
