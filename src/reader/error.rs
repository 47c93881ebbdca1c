//! What can be wrong with a text that is read, and with a format that is to read it.

use super::event::Message;

/// Why a text is not a turn of the format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// No turn of the format goes on so.
    #[error("byte {at}: no turn of this format goes on like this")]
    Unexpected {
        /// The first byte that does not fit, or the first of a token that does not.
        at: usize,
    },
    /// The text ends where the turn does not.
    #[error("byte {at}: the turn is not complete")]
    Incomplete {
        /// Where the text ends.
        at: usize,
    },
    /// The text has two meanings; nothing of what they differ in was told.
    #[error("the turn can be read in two ways, as {first:?} and as {second:?}")]
    Ambiguous {
        /// One meaning.
        first: Box<Message>,
        /// The other.
        second: Box<Message>,
    },
    /// Too many meanings were possible at once.
    #[error("byte {at}: the turn can be read in more than {allowed} ways so far")]
    Readings {
        /// Where.
        at: usize,
        /// How many may be open.
        allowed: usize,
    },
    /// The token is not in the vocabulary.
    #[error("token {0} is not in the vocabulary")]
    UnknownToken(u32),
    /// The plan was made without a vocabulary, so tokens mean nothing to it.
    #[error("tokens can be read only with a vocabulary")]
    NoVocabulary,
}

/// Why it cannot be shown that each text of a format has one reading.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "it cannot be shown that each turn has one reading: after {text:?}, what follows may belong to {first} or to {second}"
)]
#[non_exhaustive]
pub struct Unsettled {
    /// A text that leads to where two readings part. `…` stands for an object or an array in it.
    pub text: String,
    /// The rules that read on in the one, innermost last.
    pub first: String,
    /// The rules that read on in the other.
    pub second: String,
}
