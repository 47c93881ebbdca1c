//! Which clauses of an object, or counted sets of an array, a part fulfils.

use std::ops::BitOrAssign;

/// A set of their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hits(u64);

impl Hits {
    /// How many can be told apart.
    pub(crate) const MOST: usize = u64::BITS as usize;

    /// What `index` alone fulfils.
    pub(crate) fn of(index: usize) -> Self {
        debug_assert!(index < Self::MOST);
        Self(1 << index)
    }

    pub(crate) fn has(self, index: usize) -> bool {
        self.0 >> index & 1 == 1
    }

    pub(crate) fn words(self) -> [u32; 2] {
        [self.0 as u32, (self.0 >> 32) as u32]
    }

    pub(crate) fn of_words([low, high]: [u32; 2]) -> Self {
        Self(u64::from(high) << 32 | u64::from(low))
    }
}

impl BitOrAssign for Hits {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}
