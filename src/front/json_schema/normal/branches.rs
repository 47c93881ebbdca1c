//! "Exactly one of", as the parts of a schema have it.

use std::sync::Arc;

use crate::front::json_schema::schema::{Definition, Schema, Sets};
use crate::front::json_schema::values::SetId;

/// What is made of a set on the way to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Make {
    Whole,
    /// Only what it consists of: the branches of "exactly one of" are not held against each other before it is known
    /// what stands beside them.
    Parts,
}

impl Make {
    /// What is made of `part` before `set` is, of which this is made.
    pub(super) fn of(self, part: SetId, set: SetId, sets: &Sets) -> Self {
        let stands_beside = matches!(
            sets.definition(set),
            Definition::Schema(_) | Definition::All(_)
        );
        // Within a schema that is in parts another is made whole, so that nothing is left to be made deep within.
        let is_in_parts = branches(sets, part).is_some()
            || self == Self::Whole && branching(sets, part).is_some();
        match stands_beside && is_in_parts {
            true => Self::Parts,
            false => Self::Whole,
        }
    }
}

/// The schema that a set is given by, where some of its parts are "exactly one of".
pub(super) fn branching(sets: &Sets, set: SetId) -> Option<&Arc<Schema>> {
    let Definition::Schema(schema) = sets.definition(sets.resolve(set)) else {
        return None;
    };
    let is_open = schema.constant.is_none() && schema.enumeration.is_none();
    let has_branches = |&part: &SetId| branches(sets, part).is_some();
    (is_open && schema.all_of.iter().any(has_branches)).then_some(schema)
}

/// The branches of which exactly one is to hold, where a set says just that.
pub(super) fn branches(sets: &Sets, set: SetId) -> Option<&[SetId]> {
    match sets.definition(sets.resolve(set)) {
        Definition::One(branches) => Some(branches),
        _ => None,
    }
}
