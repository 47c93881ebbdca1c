//! Dialects: a draft, and which of its vocabularies a schema is written in.

use crate::front::json_schema::draft::Draft;
use crate::front::json_schema::keyword::{Keyword, Vocabulary};

/// A draft and its vocabularies (2019-09 and later; earlier drafts are whole).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    pub(crate) draft: Draft,
    pub(crate) vocabularies: Vocabularies,
}

impl Dialect {
    /// Whether `keyword` means anything.
    pub(crate) fn has(self, keyword: Keyword) -> bool {
        keyword.is_in(self.draft) && self.vocabularies.have(keyword)
    }

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

    const fn of(vocabulary: Vocabulary) -> Self {
        Self(vocabulary as u8)
    }

    pub(super) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What a URI of `$vocabulary` adds.
    pub(super) fn named(uri: &str) -> Option<Self> {
        let name = uri.strip_prefix("https://json-schema.org/draft/")?;
        Some(match name {
            "2019-09/vocab/applicator" => {
                Self::of(Vocabulary::Applicator).union(Self::of(Vocabulary::Unevaluated))
            }
            "2020-12/vocab/applicator" => Self::of(Vocabulary::Applicator),
            "2020-12/vocab/unevaluated" => Self::of(Vocabulary::Unevaluated),
            "2019-09/vocab/validation" | "2020-12/vocab/validation" => {
                Self::of(Vocabulary::Validation)
            }
            "2019-09/vocab/format"
            | "2020-12/vocab/format-annotation"
            | "2020-12/vocab/format-assertion" => Self::of(Vocabulary::Format),
            "2019-09/vocab/content" | "2020-12/vocab/content" => Self::of(Vocabulary::Content),
            "2019-09/vocab/core"
            | "2020-12/vocab/core"
            | "2019-09/vocab/meta-data"
            | "2020-12/vocab/meta-data" => Self::NONE,
            _ => return None,
        })
    }

    /// Whether `keyword` belongs to one of these, or to every schema.
    fn have(self, keyword: Keyword) -> bool {
        match keyword.vocabulary() {
            Vocabulary::Core => true,
            own => self.0 & own as u8 != 0,
        }
    }
}
