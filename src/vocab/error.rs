//! What can be wrong with a vocabulary, and where.

use std::fmt;

use crate::base::{LimitError, TokenId};

use super::tokens::TokenKind;

/// A vocabulary was refused: why, and where in which file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VocabError {
    kind: VocabErrorKind,
    place: Option<Place>,
}

/// Why a vocabulary was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VocabErrorKind {
    /// The file is not what it should be.
    #[error("{0}")]
    Malformed(String),
    /// The file is well-formed, and of a kind whose tokens' bytes are not known here.
    #[error("{what} is not supported")]
    Unsupported {
        /// What is not: "a WordPiece model".
        what: String,
    },
    /// Two tokens have one id.
    #[error("token id {} is given twice", .0.get())]
    DuplicateId(TokenId),
    /// Two special tokens have one name.
    #[error("the special token {name:?} has two ids, {} and {}", .first.get(), .second.get())]
    DuplicateName {
        /// The name.
        name: String,
        /// The id it was given first.
        first: TokenId,
        /// The id it was given again.
        second: TokenId,
    },
    /// A special token without a name.
    #[error("the special token {} has an empty name", .0.get())]
    EmptyName(TokenId),
    /// A special token that something refers to is not there.
    #[error("the vocabulary has no token {0:?}")]
    UnknownName(String),
    /// An end token that is no special token.
    #[error("end token {} is {kind}, where an end token is a special token", .id.get())]
    EndToken {
        /// The end token.
        id: TokenId,
        /// What it is instead.
        kind: TokenKind,
    },
    /// Fewer logits were given than the ids need.
    #[error("{logits} logits cannot hold token ids up to {}", .needed - 1)]
    TooFewLogits {
        /// The number given.
        logits: usize,
        /// The least number that holds every id.
        needed: usize,
    },
    /// There is no ordinary token at all.
    #[error("the vocabulary has no ordinary token")]
    NoTokens,
    /// More than is sensible.
    #[error(transparent)]
    Limit(#[from] LimitError),
}

/// Where in which file an error lies.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The file by its customary name, such as `tokenizer.json`.
    pub file: &'static str,
    /// The place in it.
    pub position: Position,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Position {
    /// A line, from 1.
    Line(usize),
    /// A line, from 1, and a column in it, in bytes.
    LineColumn(usize, usize),
    /// A JSON pointer (RFC 6901).
    Pointer(String),
}

impl VocabError {
    /// Why the vocabulary was refused.
    pub fn kind(&self) -> &VocabErrorKind {
        &self.kind
    }

    /// Where the error lies, if a file is at fault.
    pub fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }

    /// What may help.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match &self.kind {
            VocabErrorKind::Unsupported { .. } => {
                "supported are byte-level BPE and SentencePiece (Metaspace) vocabularies"
            }
            VocabErrorKind::DuplicateName { .. } => "rename one of the two",
            VocabErrorKind::UnknownName(_) => {
                "do the tokenizer and its configuration belong to the same model?"
            }
            VocabErrorKind::EndToken { .. } => "declare it as a special token",
            VocabErrorKind::TooFewLogits { .. } => {
                "give the number of logits the model has, or none"
            }
            _ => return None,
        })
    }

    /// The same error, at `position` of `file`; an error that has a place keeps it.
    pub(super) fn at(mut self, file: &'static str, position: Position) -> Self {
        self.place.get_or_insert(Place { file, position });
        self
    }
}

impl Position {
    /// The JSON pointer with these reference tokens, escaped as RFC 6901 section 3 says.
    pub(super) fn pointer<'a>(tokens: impl IntoIterator<Item = &'a str>) -> Self {
        let escape = |token: &str| format!("/{}", token.replace('~', "~0").replace('/', "~1"));
        Self::Pointer(tokens.into_iter().map(escape).collect())
    }
}

impl<K: Into<VocabErrorKind>> From<K> for VocabError {
    fn from(kind: K) -> Self {
        Self {
            kind: kind.into(),
            place: None,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.position {
            Position::Line(line) => write!(f, "{}:{line}", self.file),
            Position::LineColumn(line, column) => write!(f, "{}:{line}:{column}", self.file),
            Position::Pointer(pointer) => write!(f, "{}: {pointer}", self.file),
        }
    }
}

impl fmt::Display for VocabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        write!(f, "{}", self.kind)?;
        match self.hint() {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for VocabError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.kind)
    }
}
