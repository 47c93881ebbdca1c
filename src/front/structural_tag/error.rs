//! Why a structural tag is refused.

use crate::base::{LimitError, LineColumn};
use crate::front::ebnf::EbnfErrors;
use crate::front::json_schema::SchemaError;
use crate::front::regex::RegexError;
use crate::grammar::GrammarError;

/// Why a structural tag is refused. Pointers are JSON pointers into the tag.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StructuralTagError {
    /// It is not JSON.
    #[error("{place}: {reason}")]
    Json {
        /// What is wrong.
        reason: &'static str,
        /// Where.
        place: LineColumn,
    },
    /// A value is not what must stand there.
    #[error("{pointer}: expected {expected}")]
    Shape {
        /// Where.
        pointer: String,
        /// What must stand there.
        expected: String,
    },
    /// A key or a kind of node that is not known.
    #[error("{pointer}: {what} `{name}` is not known; known are {known}")]
    Unknown {
        /// Where.
        pointer: String,
        /// What is not known.
        what: &'static str,
        /// Its name.
        name: String,
        /// The names that are known there.
        known: String,
    },
    /// Something that is known and cannot be enforced.
    #[error("{pointer}: {what} is not supported")]
    Unsupported {
        /// Where.
        pointer: String,
        /// What it is.
        what: String,
    },
    /// Parts that do not fit together.
    #[error("{pointer}: {reason}")]
    Conflict {
        /// Where.
        pointer: String,
        /// Why they do not.
        reason: String,
    },
    /// A schema is refused; the pointer is that of the schema in the tag.
    #[error("{pointer}: {source}")]
    Schema {
        /// Where the schema stands.
        pointer: String,
        /// Why it is refused.
        source: Box<SchemaError>,
    },
    /// A regular expression is refused.
    #[error("{pointer}: {source}")]
    Regex {
        /// Where it stands.
        pointer: String,
        /// Why it is refused.
        source: Box<RegexError>,
    },
    /// A grammar is refused.
    #[error("{pointer}: {source}")]
    Ebnf {
        /// Where it stands.
        pointer: String,
        /// Why it is refused.
        source: Box<EbnfErrors>,
    },
    /// A limit was met.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// The whole describes no text, or needs too much.
    #[error(transparent)]
    Grammar(#[from] GrammarError),
}

impl StructuralTagError {
    /// The JSON pointer of what is refused, in the tag; none for text that is not JSON and for limits of the whole.
    pub fn pointer(&self) -> Option<&str> {
        match self {
            Self::Shape { pointer, .. }
            | Self::Unknown { pointer, .. }
            | Self::Unsupported { pointer, .. }
            | Self::Conflict { pointer, .. }
            | Self::Schema { pointer, .. }
            | Self::Regex { pointer, .. }
            | Self::Ebnf { pointer, .. } => Some(pointer),
            Self::Json { .. } | Self::Limit(_) | Self::Grammar(_) => None,
        }
    }
}
