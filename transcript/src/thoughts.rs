//! Thoughts that are marked within a text (OpenChatML 2.2 §7).

use super::message::Thought;
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

struct Marker {
    at: usize,
    length: usize,
    /// The thought that it opens, if it does not close one.
    opens: Option<Thought>,
}

fn next_marker(text: &str) -> Option<Marker> {
    let markers = Thought::ALL.into_iter().flat_map(|thought| {
        let end = format!("<|end_{}|>", thought.as_str());
        [(start_marker(thought), Some(thought)), (end, None)]
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
