//! How much memory things take, as budgets count it.

use smallvec::{Array, SmallVec};

/// An interned thing takes up to so many times its own size: stores double, and ids are found in a table.
pub(crate) const ENTRY: usize = 2;

/// How many bytes a list takes beyond its own.
pub(crate) fn spilled_bytes<A: Array>(list: &SmallVec<A>) -> usize {
    match list.spilled() {
        true => list.capacity() * size_of::<A::Item>(),
        false => 0,
    }
}
