//! Dialects: a draft, and which of its vocabularies a schema is written in.

use crate::front::json_schema::draft::Draft;

/// A draft and its vocabularies (2019-09 and later; earlier drafts are whole).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    pub(crate) draft: Draft,
    pub(crate) vocabularies: Vocabularies,
}

impl Dialect {
    /// All of a draft.
    pub(crate) const fn whole(draft: Draft) -> Self {
        Self {
            draft,
            vocabularies: Vocabularies::ALL,
        }
    }
}

/// A set of vocabularies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vocabularies(u8);

impl Vocabularies {
    pub(super) const NONE: Self = Self(0);
    const ALL: Self = Self(0xFF);
    const APPLICATOR: Self = Self(1);
    const UNEVALUATED: Self = Self(2);
    const VALIDATION: Self = Self(4);
    const FORMAT: Self = Self(8);
    const CONTENT: Self = Self(16);

    pub(super) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What a URI of `$vocabulary` adds.
    pub(super) fn named(uri: &str) -> Option<Self> {
        let name = uri.strip_prefix("https://json-schema.org/draft/")?;
        Some(match name {
            "2019-09/vocab/applicator" => Self::APPLICATOR.union(Self::UNEVALUATED),
            "2020-12/vocab/applicator" => Self::APPLICATOR,
            "2020-12/vocab/unevaluated" => Self::UNEVALUATED,
            "2019-09/vocab/validation" | "2020-12/vocab/validation" => Self::VALIDATION,
            "2019-09/vocab/format"
            | "2020-12/vocab/format-annotation"
            | "2020-12/vocab/format-assertion" => Self::FORMAT,
            "2019-09/vocab/content" | "2020-12/vocab/content" => Self::CONTENT,
            "2019-09/vocab/core"
            | "2020-12/vocab/core"
            | "2019-09/vocab/meta-data"
            | "2020-12/vocab/meta-data" => Self::NONE,
            _ => return None,
        })
    }

    /// Whether `keyword` means anything: it belongs to one of these vocabularies, or to none at all.
    pub(crate) fn have(self, keyword: &str) -> bool {
        self == Self::ALL || Self::of(keyword).is_none_or(|own| self.0 & own.0 != 0)
    }

    /// The vocabulary of a keyword; none for those that are always there.
    fn of(keyword: &str) -> Option<Self> {
        Some(match keyword {
            "properties"
            | "patternProperties"
            | "additionalProperties"
            | "propertyNames"
            | "items"
            | "prefixItems"
            | "additionalItems"
            | "contains"
            | "allOf"
            | "anyOf"
            | "oneOf"
            | "not"
            | "if"
            | "then"
            | "else"
            | "dependentSchemas" => Self::APPLICATOR,
            "unevaluatedItems" | "unevaluatedProperties" => Self::UNEVALUATED,
            "type" | "enum" | "const" | "multipleOf" | "minimum" | "maximum"
            | "exclusiveMinimum" | "exclusiveMaximum" | "minLength" | "maxLength" | "pattern"
            | "minItems" | "maxItems" | "uniqueItems" | "minContains" | "maxContains"
            | "minProperties" | "maxProperties" | "required" | "dependentRequired" => {
                Self::VALIDATION
            }
            "format" => Self::FORMAT,
            "contentEncoding" | "contentMediaType" | "contentSchema" => Self::CONTENT,
            _ => return None,
        })
    }
}
