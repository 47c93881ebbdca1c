//! How ChatML, OpenChatML 0.1 and InternLM2 differ.

use super::body::Body;
use crate::control::ControlToken;
use crate::error::TranscriptError;
use crate::message::{Part, Role};
use crate::span::Span;

/// What sets a format apart from its sisters.
pub(super) struct Dialect {
    /// The roles, as written.
    pub(super) roles: &'static [(&'static str, Role)],
    /// Whether a line feed right before `<|im_end|>` only frames the body.
    pub(super) frames_end: bool,
    /// Whether a name may be a control token.
    pub(super) has_token_names: bool,
    /// Whether a generated header may have a name; it is any visible text without `<`.
    pub(super) generates_names: bool,
    /// Whether the text is a sequence: its start and end marked, files in it, and blanks before
    /// line feeds.
    pub(super) is_sequence: bool,
    /// Whether a control token may stand after these segments of a body.
    pub(super) admit: fn(&Body<'_>, ControlToken, Span) -> Result<(), TranscriptError>,
    /// Judges a whole body, and says what it is made of.
    pub(super) close: fn(&Body<'_>) -> Result<Vec<Part>, TranscriptError>,
}
