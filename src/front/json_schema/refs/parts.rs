//! Which keywords hold schemas, and where in their values.

use crate::front::json_schema::reader::{Document, Kind, ValueId};

/// What the value of a keyword holds of schemas.
#[derive(Clone, Copy)]
pub(crate) enum Parts {
    None,
    /// A schema, or an array with schemas among its elements.
    Schemas,
    /// An object with schemas among its members.
    Map,
}

impl Parts {
    /// By the drafts taken together: what a draft does not know, nobody writes there to be no schema.
    pub(crate) fn of(keyword: &str) -> Self {
        match keyword {
            "additionalItems"
            | "additionalProperties"
            | "allOf"
            | "anyOf"
            | "contains"
            | "contentSchema"
            | "else"
            | "if"
            | "items"
            | "not"
            | "oneOf"
            | "prefixItems"
            | "propertyNames"
            | "then"
            | "unevaluatedItems"
            | "unevaluatedProperties" => Self::Schemas,
            "$defs" | "definitions" | "dependencies" | "dependentSchemas" | "patternProperties"
            | "properties" => Self::Map,
            _ => Self::None,
        }
    }

    /// The schemas in a keyword's value.
    pub(crate) fn within(self, document: &Document, value: ValueId) -> Vec<ValueId> {
        match self {
            Self::None => Vec::new(),
            Self::Schemas if document.kind(value) == Kind::Object => vec![value],
            Self::Schemas => document.elements(value).collect(),
            Self::Map => document.members(value).map(|(_, part)| part).collect(),
        }
    }
}
