//! What the linter says, and where.

use std::fmt;

use crate::front::json_schema::{Document, ValueId, pointer};

/// What a warning is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Lint {
    /// A name in `required` that no `properties` beside it declares.
    UndeclaredRequired,
    /// `additionalProperties: false` or `unevaluatedProperties: false` that forbids what a schema of
    /// the same value declares.
    UnseenProperties,
    /// A pattern that may match anywhere in a text.
    UnanchoredPattern,
    /// A pattern that every text matches.
    EmptyPattern,
    /// A pattern with something of another dialect in it that is read as it is meant there.
    PatternOfAnotherDialect,
    /// A pattern with something in it that means something else in the dialect it is likely written in.
    MisreadPattern,
    /// A keyword that no draft has, and that looks like one.
    MisspeltKeyword,
    /// What looks like a schema, under a key that is no keyword, where nothing else is said.
    UnreadSchema,
    /// A keyword that the draft at hand does not have.
    KeywordOfAnotherDraft,
    /// A keyword that says nothing here: it is about other types, or needs another keyword.
    IdleKeyword,
    /// A keyword beside a `$ref` that stands alone (drafts 4 to 7).
    IgnoredSibling,
    /// A keyword whose value had this shape in another draft.
    ShapeOfAnotherDraft,
    /// A format that asserts nothing, since it is not known.
    UnknownFormat,
    /// A schema that no value satisfies, where that is not what is written.
    NeverValid,
    /// A value of `enum` that the rest of the schema refuses.
    UselessValue,
    /// A `default` or an example that the schema itself refuses.
    InvalidExample,
    /// A value that is there twice.
    Repeated,
}

impl Lint {
    /// Its name: lower case, with hyphens. It does not change.
    pub fn name(self) -> &'static str {
        match self {
            Self::UndeclaredRequired => "undeclared-required",
            Self::UnseenProperties => "unseen-properties",
            Self::UnanchoredPattern => "unanchored-pattern",
            Self::EmptyPattern => "empty-pattern",
            Self::PatternOfAnotherDialect => "pattern-of-another-dialect",
            Self::MisreadPattern => "misread-pattern",
            Self::MisspeltKeyword => "misspelt-keyword",
            Self::UnreadSchema => "unread-schema",
            Self::KeywordOfAnotherDraft => "keyword-of-another-draft",
            Self::IdleKeyword => "idle-keyword",
            Self::IgnoredSibling => "ignored-sibling",
            Self::ShapeOfAnotherDraft => "shape-of-another-draft",
            Self::UnknownFormat => "unknown-format",
            Self::NeverValid => "never-valid",
            Self::UselessValue => "useless-value",
            Self::InvalidExample => "invalid-example",
            Self::Repeated => "repeated",
        }
    }
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Something in a schema that probably does not mean what it was written for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// What it is about.
    pub lint: Lint,
    /// The JSON pointer of the place, as a URI fragment.
    pub pointer: String,
    /// What is so, in one line.
    pub message: String,
    /// What to do about it, in one line.
    pub hint: String,
}

impl Warning {
    /// The warning of a schema that stands at `base` of the text that was given.
    pub(super) fn under(mut self, base: &str) -> Self {
        if let Some(rest) = self.pointer.strip_prefix('#') {
            self.pointer = format!("{base}{rest}");
        }
        self
    }
}

/// The warnings so far.
pub(super) struct Report<'d> {
    pub(super) document: &'d Document,
    pub(super) found: Vec<(ValueId, Warning)>,
}

impl Report<'_> {
    pub(super) fn warn(
        &mut self,
        lint: Lint,
        place: ValueId,
        message: String,
        hint: impl Into<String>,
    ) {
        let warning = Warning {
            lint,
            pointer: pointer::of(self.document, place),
            message,
            hint: hint.into(),
        };
        self.found.push((place, warning));
    }
}
