//! Shapes: what of an array or an object decides which parts may come next, worked out once.
//!
//! A shape steps through the parts of a value. Its *progress* is what of the parts so far still matters, and
//! from there it says which part may come next so that the whole can still be completed: an array counts its
//! items by the sets they are in (`array`), an object has slots, classes of other keys and clauses that some
//! value must fulfil (`object`, and `live` for the search). Emptiness and lowering both ask it.

mod array;
mod hits;
mod live;
mod object;
mod unique;

use super::values::SetId;

pub(crate) use array::{ArrayProgress, ArrayShape, LiveArray, cap};
pub(crate) use hits::Hits;
pub(crate) use object::{ENOUGH, ObjectShape, Others, Progress, Slot, Usable};
pub(crate) use unique::{Unique, UniqueItems};

/// A set that a part may belong to, and which clauses or counted sets it then fulfils.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) set: SetId,
    pub(crate) hits: Hits,
}
