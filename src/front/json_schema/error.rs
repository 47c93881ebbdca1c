//! What can be wrong with a schema, and where.

use std::fmt;

use crate::base::{LimitError, Span};

/// Why a schema does not compile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// The text is not JSON (RFC 8259), or names a member of an object twice.
    #[error("not JSON: {reason}")]
    Json {
        /// What is wrong.
        reason: &'static str,
        /// Where, in bytes of the text.
        span: Span,
    },
    /// A document that the schema refers to cannot be read.
    #[error("{uri}: {source}")]
    Document {
        /// The URI it is known by.
        uri: String,
        /// Why: [`Json`](Self::Json) or [`Limit`](Self::Limit).
        source: Box<SchemaError>,
    },
    /// A keyword's value is not what JSON Schema says it must be.
    #[error("{pointer}: `{keyword}` {reason}")]
    Malformed {
        /// The keyword.
        keyword: String,
        /// The JSON pointer (RFC 6901, as a URI fragment) of its value.
        pointer: String,
        /// What it must be.
        reason: String,
    },
    /// A keyword that asserts something and is not supported, or not in this combination.
    #[error("{pointer}: `{keyword}` is not supported: {reason}")]
    Unsupported {
        /// The keyword.
        keyword: String,
        /// The JSON pointer of its value.
        pointer: String,
        /// Why, and what to do about it.
        reason: String,
        /// Of a pattern: two lines, the place in it and carets below.
        excerpt: Option<String>,
    },
    /// No value satisfies the schema.
    #[error("{pointer}: no value satisfies this schema")]
    Unsatisfiable {
        /// The JSON pointer of the subschema that cannot be satisfied.
        pointer: String,
    },
    /// A limit was met.
    #[error("{pointer}: {source}")]
    Limit {
        /// The JSON pointer of the place that met it.
        pointer: String,
        /// The limit.
        source: LimitError,
    },
}

impl SchemaError {
    /// The JSON pointer of the place, where the text could be read as JSON at all; in another
    /// document, with its URI before it.
    pub fn pointer(&self) -> Option<&str> {
        match self {
            Self::Json { .. } | Self::Document { .. } => None,
            Self::Malformed { pointer, .. }
            | Self::Unsupported { pointer, .. }
            | Self::Unsatisfiable { pointer }
            | Self::Limit { pointer, .. } => Some(pointer),
        }
    }

    /// The keyword at fault, where there is one.
    pub fn keyword(&self) -> Option<&str> {
        match self {
            Self::Malformed { keyword, .. } | Self::Unsupported { keyword, .. } => Some(keyword),
            _ => None,
        }
    }

    /// Where in a pattern it is, for people: two lines, the pattern and carets below it.
    pub fn excerpt(&self) -> Option<&str> {
        match self {
            Self::Unsupported { excerpt, .. } => excerpt.as_deref(),
            _ => None,
        }
    }

    /// With the place in a pattern.
    pub(super) fn showing(mut self, shown: String) -> Self {
        if let Self::Unsupported { excerpt, .. } = &mut self {
            *excerpt = Some(shown);
        }
        self
    }

    #[cold]
    pub(super) fn malformed(
        keyword: impl fmt::Display,
        pointer: String,
        reason: impl fmt::Display,
    ) -> Self {
        Self::Malformed {
            keyword: keyword.to_string(),
            pointer,
            reason: reason.to_string(),
        }
    }

    #[cold]
    pub(crate) fn unsupported(
        keyword: impl fmt::Display,
        pointer: String,
        reason: impl fmt::Display,
    ) -> Self {
        Self::Unsupported {
            keyword: keyword.to_string(),
            pointer,
            reason: reason.to_string(),
            excerpt: None,
        }
    }
}

/// All that was found wrong with a schema, in the order of reading.
#[derive(Debug)]
pub(super) struct Faults {
    first: SchemaError,
    others: Vec<SchemaError>,
}

impl Faults {
    /// Adds a fault that is not known yet.
    pub(super) fn add(&mut self, fault: SchemaError) {
        if self.first != fault && !self.others.contains(&fault) {
            self.others.push(fault);
        }
    }

    /// The same of a schema that stands at `base` of the text that was given.
    pub(super) fn under(self, base: &str) -> Self {
        let others = self.others.into_iter();
        Self {
            first: self.first.under(base),
            others: others.map(|fault| fault.under(base)).collect(),
        }
    }

    pub(super) fn into_all(self) -> Vec<SchemaError> {
        std::iter::once(self.first).chain(self.others).collect()
    }
}

impl From<SchemaError> for Faults {
    fn from(first: SchemaError) -> Self {
        Self {
            first,
            others: Vec::new(),
        }
    }
}

impl From<Faults> for SchemaError {
    fn from(faults: Faults) -> Self {
        faults.first
    }
}
