//! OpenChatML 2.2.

use super::header::{Header, Spanned};
use super::rules::{Attribute, CallIds, Dialect};
use crate::base::Span;
use crate::transcript::calls::PYTHON;
use crate::transcript::error::TranscriptError;
use crate::transcript::message::{Channel, Message, Part, PartKind, Role, Thought};
use crate::transcript::thoughts::{has_thoughts, marked};

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

/// The types to which a generated message may be constrained: JSON, and code for `python`.
pub(super) fn check_type(header: &Header) -> Result<(), TranscriptError> {
    let Some(constrain) = &header.constrain else {
        return Ok(());
    };
    let is_python = |to: &Spanned<String>| to.value == PYTHON;
    let due = match header.recipient.as_ref().is_some_and(is_python) {
        true => "code",
        false => "json",
    };
    if constrain.value == due {
        return Ok(());
    }
    let message = format!("the type {:?} where {due} is due", constrain.value);
    Err(TranscriptError::header(constrain.span, message))
}

/// The thoughts of an analysis, and the text around them (§7).
pub(super) fn thoughts(message: &Message) -> Vec<Part> {
    let is_analysis = message.role == Role::Assistant && message.channel == Some(Channel::Analysis);
    if !is_analysis || !has_thoughts(&message.body) {
        return Vec::new();
    }
    let pieces = marked(&message.body).into_iter();
    let part = |(thought, text): (Option<Thought>, &str)| Part {
        kind: thought.map_or(PartKind::Text, PartKind::Thought),
        text: text.to_owned(),
        // Escapes shift places within a body, so a part has that of the whole.
        span: Span::new(message.body_span.start, message.body_span.end),
    };
    pieces.map(part).collect()
}
