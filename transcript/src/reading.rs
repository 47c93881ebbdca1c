//! A conversation read from JSON, and what of it was mended or left out.

use crate::message::Message;
use crate::span::Span;

/// A conversation, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadMessages {
    /// The messages, on channels.
    pub messages: Vec<Message>,
    /// What was mended or left out, in the order of the text.
    pub warnings: Vec<ReadWarning>,
}

/// Something that was read otherwise than it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadWarning {
    /// The JSON pointer of the value.
    pub pointer: String,
    /// Where the message stands in the text.
    pub span: Span,
    /// What it is, and what became of it.
    pub message: String,
}

impl std::fmt::Display for ReadWarning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.pointer, self.message)
    }
}
