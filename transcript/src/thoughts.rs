//! Thoughts that are marked within a text (OpenChatML 2.2 §7).

use super::message::{Channel, Message, Part, PartKind, Role, Thought};
use crate::span::Span;

/// The text that marks the beginning of a thought.
pub(super) fn start_marker(thought: Thought) -> String {
    format!("<|start_{}|>", thought.as_str())
}

/// Whether a text has a marker that starts a thought.
pub(super) fn has_thoughts(text: &str) -> bool {
    text.contains("<|start_") && next_marker(text).is_some()
}

/// The places of all markers in a text that begins at byte `start`.
pub(super) fn markers(text: &str, start: usize) -> impl Iterator<Item = Span> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let marker = next_marker(&text[at..])?;
        let from = at + marker.at;
        at = from + marker.length;
        Some(Span::new(start + from, start + at))
    })
}

/// The thoughts of a text, and what stands between them: a thought runs from its marker to the
/// next one, or to the end. Blank text that is no thought is left out.
pub(super) fn marked(text: &str) -> Vec<(Option<Thought>, &str)> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let mut thought = None;
    loop {
        let next = next_marker(rest);
        let piece = &rest[..next.as_ref().map_or(rest.len(), |marker| marker.at)];
        if thought.is_some() || !piece.trim().is_empty() {
            pieces.push((thought, piece));
        }
        let Some(marker) = next else { return pieces };
        thought = marker.opens;
        rest = &rest[marker.at + marker.length..];
    }
}

/// The thoughts of an analysis, and the text around them (§7).
pub(super) fn thoughts_of(message: &Message) -> Vec<Part> {
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

/// What of a text that may grow is said, and no thought: thoughts that are marked within it are left out.
#[derive(Default)]
pub(super) struct Spoken {
    text: String,
    /// How much of the text has been read.
    read: usize,
    /// Whether that ends within a thought.
    thinks: bool,
}

/// Whether more of a text may come.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Growth {
    Over,
    Going,
}

impl Spoken {
    /// Reads on in a text that begins with what was read before, and gives all that is said in it. What may be the
    /// beginning of a marker is left for the next time, where there may be one.
    pub(super) fn read(&mut self, text: &str, growth: Growth) -> &str {
        while let Some(marker) = next_marker(&text[self.read..]) {
            let at = self.read + marker.at;
            let end = at + marker.length;
            // What ends no thought is text.
            let is_text = marker.opens.is_none() && !self.thinks;
            self.take(text, if is_text { end } else { at });
            self.thinks = marker.opens.is_some();
            self.read = end;
        }
        let end = match growth {
            Growth::Over => text.len(),
            Growth::Going => self.read + before_marker(&text[self.read..]),
        };
        self.take(text, end);
        &self.text
    }

    fn take(&mut self, text: &str, end: usize) {
        if !self.thinks {
            self.text.push_str(&text[self.read..end]);
        }
        self.read = end;
    }
}

/// How much of a text without markers stands before what may become one.
fn before_marker(text: &str) -> usize {
    let longest = spellings().map(|(marker, _)| marker.len()).max();
    let from = text.len().saturating_sub(longest.unwrap_or(0));
    let begins = |&at: &usize| {
        let is_open = text.as_bytes()[at] == b'<';
        is_open && spellings().any(|(marker, _)| marker.starts_with(&text[at..]))
    };
    (from..text.len()).find(begins).unwrap_or(text.len())
}

struct Marker {
    at: usize,
    length: usize,
    /// The thought that it opens, if it does not close one.
    opens: Option<Thought>,
}

/// Every marker, and the thought that it opens if it does not close one.
fn spellings() -> impl Iterator<Item = (String, Option<Thought>)> {
    Thought::ALL.into_iter().flat_map(|thought| {
        let end = format!("<|end_{}|>", thought.as_str());
        [(start_marker(thought), Some(thought)), (end, None)]
    })
}

fn next_marker(text: &str) -> Option<Marker> {
    let found = spellings().filter_map(|(marker, opens)| {
        let at = text.find(&marker)?;
        Some(Marker {
            at,
            length: marker.len(),
            opens,
        })
    });
    found.min_by_key(|marker| marker.at)
}
