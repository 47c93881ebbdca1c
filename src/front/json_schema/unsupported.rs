//! Keywords that assert something and are not supported, with the cases in which they say nothing.

use super::draft::Draft;
use super::values::Types;

/// A keyword that is refused unless it says nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unsupported {
    pub(super) name: &'static str,
    pub(super) reason: &'static str,
    /// The drafts that have it.
    since: Draft,
    until: Draft,
    /// The types it asserts something about.
    types: Types,
}

const ANNOTATE: &str = "whether it asserts anything is optional in this draft";
const LATER: &str = "this assertion cannot be compiled; leave it out to generate without it";

const fn keyword(name: &'static str, since: Draft, types: Types) -> Unsupported {
    Unsupported {
        name,
        reason: LATER,
        since,
        until: Draft::Draft202012,
        types,
    }
}

const fn content(name: &'static str) -> Unsupported {
    Unsupported {
        reason: ANNOTATE,
        until: Draft::Draft7,
        ..keyword(name, Draft::Draft6, Types::STRING)
    }
}

const TABLE: [Unsupported; 2] = [content("contentEncoding"), content("contentMediaType")];

impl Unsupported {
    /// The entry for `name`, where it is such a keyword in `draft`.
    pub(super) fn find(name: &str, draft: Draft) -> Option<Self> {
        let entry = TABLE.iter().find(|entry| entry.name == name)?;
        (entry.since <= draft && draft <= entry.until).then_some(*entry)
    }

    /// Whether the keyword says nothing in a schema that allows `types`.
    pub(super) fn says_nothing(&self, types: Types) -> bool {
        !self.types.meets(types)
    }
}
