//! OpenChatML 2.2.

use super::body::Body;
use super::calls::takes_json;
use super::header::{Header, Spanned};
use super::rules::{Attribute, CallIds, Dialect};
use crate::calls::PYTHON;
use crate::config::{ParserConfig, TypeRule};
use crate::error::{ErrorCode, TranscriptError};
use crate::message::Channel;
use crate::source::Source;
use crate::span::Span;
use crate::thoughts::markers;

pub(super) const DIALECT: Dialect = Dialect {
    attributes: &Attribute::ALL,
    has_bare_types: false,
    is_document: true,
    implies_preambles: false,
    has_markup: true,
    call_ids: CallIds::Needed,
    needs_channels: false,
    returns_anywhere: false,
    tool_name_hint: "add name=functions.f",
};

/// What a generated header says beside channel and recipient: the id of a call, the intent of
/// commentary to nobody, and the type of a call or an answer.
pub(super) fn check_header(
    header: &Header,
    channel: Channel,
    config: &ParserConfig<'_>,
) -> Result<(), TranscriptError> {
    let is_call = header.recipient.is_some();
    let has_intent = channel == Channel::Commentary && !is_call;
    let call_id = header.call_id.as_ref().filter(|_| !is_call);
    let intent = header.intent.as_ref().filter(|_| !has_intent);
    let superfluous = [
        ("name", header.name.as_ref().map(|name| name.span)),
        (
            "content_type",
            header.content_type.as_ref().map(|name| name.span),
        ),
        ("call_id", call_id.map(|id| id.span)),
        ("intent", intent.map(|intent| intent.span)),
    ];
    for (key, span) in superfluous {
        if let Some(span) = span {
            let message = format!("{key}= in a generated header that has no use for it");
            let error = TranscriptError::header(span, message);
            return Err(error.with_hint("calls have call_id=, commentary to nobody has intent="));
        }
    }
    check_type(header, channel, config)
}

/// The types to which a generated message may be constrained: JSON, and code for `python`. Those of
/// arguments may be demanded (§12.4).
fn check_type(
    header: &Header,
    channel: Channel,
    config: &ParserConfig<'_>,
) -> Result<(), TranscriptError> {
    let Some(constrain) = &header.constrain else {
        let takes_json = |to: &Spanned<String>| to.value != PYTHON;
        let is_due = header.recipient.as_ref().is_some_and(takes_json);
        return match is_due && config.types == TypeRule::Constrained {
            true => Err(
                TranscriptError::header(header.span, "arguments without their type")
                    .with_hint("<|constrain|>json"),
            ),
            false => Ok(()),
        };
    };
    let due = match &header.recipient {
        Some(recipient) if recipient.value == PYTHON => Some("code"),
        None if channel != Channel::Final => None,
        _ => Some("json"),
    };
    let message = match due {
        Some(due) if due == constrain.value => return Ok(()),
        Some(due) => format!("the type {:?} where {due} is due", constrain.value),
        None => format!(
            "the type {:?} on a message that takes none",
            constrain.value
        ),
    };
    Err(TranscriptError::header(constrain.span, message))
}

/// Markers of thoughts belong in analysis (§7): no other generated text has them but in literal
/// blocks. JSON may quote them.
pub(super) fn check_thoughts(
    header: &Header,
    body: &Body,
    config: &ParserConfig<'_>,
    source: &Source,
) -> Result<(), TranscriptError> {
    let channel = header.channel.as_ref().map(|channel| channel.value);
    let thinks = channel == Some(Channel::Analysis) && header.recipient.is_none();
    if thinks || takes_json(header, config) {
        return Ok(());
    }
    let is_text = |marker: &Span| {
        let within = |block: &Span| block.start <= marker.start && marker.end <= block.end;
        !body.literals.iter().any(within)
    };
    let written = &source.text[body.span.start..body.span.end];
    match markers(written, body.span.start).find(is_text) {
        None => Ok(()),
        Some(marker) => {
            let message = "a marker of a thought outside analysis";
            Err(TranscriptError::new(
                ErrorCode::TextControl,
                marker,
                message,
            ))
        }
    }
}
