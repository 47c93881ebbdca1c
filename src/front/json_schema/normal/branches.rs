//! "Exactly one of", as the parts of a schema have it.

use std::sync::Arc;

use crate::front::json_schema::schema::{Definition, Schema, Sets};
use crate::front::json_schema::values::SetId;

/// So deep "exactly one of" may stand within another and not be made whole before it is known what stands beside them all.
const DEPTH: u8 = 3;

/// What is made of a set on the way to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Make {
    Whole,
    /// Only what it consists of: the branches of "exactly one of" are not held against each other before it is known
    /// what stands beside them. The number is of such sets that it is in, which are made by recursion later.
    Parts(u8),
}

impl Make {
    /// What is made of `part` before `set` is, of which this is made.
    pub(super) fn of(self, part: SetId, set: SetId, sets: &Sets) -> Self {
        let is_one = branches(sets, part).is_some();
        let has_branches = is_one || branching(sets, part).is_some();
        let (stands_beside, is_branch) = match sets.definition(set) {
            Definition::Schema(_) | Definition::All(_) => (true, false),
            Definition::One(_) => (false, true),
            _ => (false, false),
        };
        match self {
            Self::Whole if stands_beside && has_branches => Self::Parts(1),
            Self::Parts(depth) if is_branch && has_branches && depth < DEPTH => {
                Self::Parts(depth + 1)
            }
            Self::Parts(_) if stands_beside && is_one => self,
            _ => Self::Whole,
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
