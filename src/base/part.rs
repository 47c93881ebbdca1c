//! A part of a text, as tokens spell it.

/// A part of a text, as tokens spell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// Bytes of ordinary tokens; a character may be spread over several parts.
    Text(&'a [u8]),
    /// A special token, by its name.
    Special(&'a str),
}
