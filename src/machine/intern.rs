//! A hash table from contents to ids, where the contents live elsewhere.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// An interned thing takes up to so many times its own size: stores double, and ids are found in a table.
pub(super) const ENTRY: usize = 2;

/// Ids found by what they stand for. Equality is decided by the caller, on the stored contents.
#[derive(Default)]
pub(super) struct Ids {
    table: HashTable<(u64, u32)>,
}

impl Ids {
    pub(super) fn hash<K: Hash + ?Sized>(key: &K) -> u64 {
        FxBuildHasher.hash_one(key)
    }

    /// The id with this hash for which `same` holds.
    pub(super) fn find(&self, hash: u64, mut same: impl FnMut(u32) -> bool) -> Option<u32> {
        self.table
            .find(hash, |&(h, id)| h == hash && same(id))
            .map(|&(_, id)| id)
    }

    pub(super) fn insert(&mut self, hash: u64, id: u32) {
        self.table.insert_unique(hash, (hash, id), |&(h, _)| h);
    }
}
