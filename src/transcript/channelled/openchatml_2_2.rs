//! OpenChatML 2.2.

use super::header::{Header, Spanned};
use super::rules::{Attribute, CallIds, Dialect};
use crate::base::Span;
use crate::transcript::calls::PYTHON;
use crate::transcript::error::TranscriptError;
use crate::transcript::message::{Channel, Message, Part, PartKind, Role, Thought};

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

/// Whether a text has a marker that starts a thought.
pub(super) fn has_thoughts(body: &str) -> bool {
    body.contains("<|start_") && next_marker(body).is_some()
}

/// The thoughts of an analysis (§7): each runs from its marker to the next one, or to the end
/// of the body. What stands before the first, or after an `end_` marker, is text.
pub(super) fn thoughts(message: &Message) -> Vec<Part> {
    let is_analysis = message.role == Role::Assistant && message.channel == Some(Channel::Analysis);
    if !is_analysis || !has_thoughts(&message.body) {
        return Vec::new();
    }
    let mut parts = Vec::new();
    let mut rest = message.body.as_str();
    let mut kind = PartKind::Text;
    loop {
        let next = next_marker(rest);
        let text = &rest[..next.as_ref().map_or(rest.len(), |marker| marker.at)];
        if kind != PartKind::Text || !text.trim().is_empty() {
            parts.push(Part {
                kind,
                text: text.to_owned(),
                // Escapes shift places within a body, so a part has that of the whole.
                span: Span::new(message.body_span.start, message.body_span.end),
            });
        }
        let Some(marker) = next else { return parts };
        kind = match marker.opens {
            Some(thought) => PartKind::Thought(thought),
            None => PartKind::Text,
        };
        rest = &rest[marker.at + marker.length..];
    }
}

struct Marker {
    at: usize,
    length: usize,
    /// The thought that it opens, if it does not close one.
    opens: Option<Thought>,
}

fn next_marker(text: &str) -> Option<Marker> {
    let markers = Thought::ALL.into_iter().flat_map(|thought| {
        let spelt = |edge: &str| format!("<|{edge}_{}|>", thought.as_str());
        [(spelt("start"), Some(thought)), (spelt("end"), None)]
    });
    let found = markers.filter_map(|(marker, opens)| {
        let at = text.find(&marker)?;
        Some(Marker {
            at,
            length: marker.len(),
            opens,
        })
    });
    found.min_by_key(|marker| marker.at)
}
