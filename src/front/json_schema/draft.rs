//! The drafts of JSON Schema, and which one a schema is written in.

use super::reader::{Document, ValueId};
use super::{SchemaError, pointer};

/// A draft, in order of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Draft {
    Draft4,
    Draft6,
    Draft7,
    Draft201909,
    Draft202012,
}

impl Draft {
    /// The draft that the root's `$schema` names; the newest without one.
    pub(crate) fn of(document: &Document) -> Result<Self, SchemaError> {
        let Some(value) = document.get(document.root(), "$schema") else {
            return Ok(Self::Draft202012);
        };
        let refuse = |value: ValueId, reason: &str| {
            SchemaError::unsupported("$schema", pointer::of(document, value), reason)
        };
        let Some(uri) = document.string(value) else {
            return Err(SchemaError::malformed(
                "$schema",
                pointer::of(document, value),
                "must be a string",
            ));
        };
        let uri = uri.trim_end_matches('#');
        let uri = uri
            .strip_prefix("http://")
            .or_else(|| uri.strip_prefix("https://"));
        match uri.and_then(|uri| uri.strip_prefix("json-schema.org/")) {
            Some("draft-04/schema") => Ok(Self::Draft4),
            Some("draft-06/schema") => Ok(Self::Draft6),
            Some("draft-07/schema") => Ok(Self::Draft7),
            Some("draft/2019-09/schema") => Ok(Self::Draft201909),
            Some("draft/2020-12/schema" | "schema") => Ok(Self::Draft202012),
            _ => Err(refuse(
                value,
                "only drafts 4, 6, 7, 2019-09 and 2020-12 are known",
            )),
        }
    }
}
