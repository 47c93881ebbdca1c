//! Hash tables that grow a part at a time, so that nobody who adds to one waits for all of it to move.

use std::hash::{BuildHasher as _, Hash};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// From so many things on, a table is in parts.
const MANY: usize = 4096;
const PARTS: usize = 64;
/// The bits of a hash that tell which part: those that tables themselves use last.
const PART_BITS: u32 = 19;

/// Things by their hashes. Who adds one when there are many moves a 64th of them at most, and mostly none.
#[derive(Clone, Debug)]
pub(crate) struct Parts<T> {
    /// None, one, or all parts.
    tables: Vec<HashTable<T>>,
}

impl<T> Default for Parts<T> {
    fn default() -> Self {
        Self { tables: Vec::new() }
    }
}

impl<T> Parts<T> {
    /// No things, with room for some.
    pub(crate) fn with_capacity(things: usize) -> Self {
        Self {
            tables: vec![HashTable::with_capacity(things)],
        }
    }

    fn index(&self, hash: u64) -> usize {
        match self.tables.len() {
            PARTS => (hash >> PART_BITS) as usize % PARTS,
            _ => 0,
        }
    }

    /// The thing with this hash that `is_it`.
    pub(crate) fn find(&self, hash: u64, is_it: impl FnMut(&T) -> bool) -> Option<&T> {
        self.tables.get(self.index(hash))?.find(hash, is_it)
    }

    /// The same, to be changed.
    pub(crate) fn find_mut(&mut self, hash: u64, is_it: impl FnMut(&T) -> bool) -> Option<&mut T> {
        let index = self.index(hash);
        self.tables.get_mut(index)?.find_mut(hash, is_it)
    }

    /// Takes out the thing with this hash that `is_it`.
    pub(crate) fn remove(&mut self, hash: u64, is_it: impl FnMut(&T) -> bool) -> Option<T> {
        let index = self.index(hash);
        let found = self.tables.get_mut(index)?.find_entry(hash, is_it).ok()?;
        Some(found.remove().0)
    }

    /// Adds a thing, which is not there yet.
    pub(crate) fn insert_unique(&mut self, hash: u64, thing: T, hash_of: impl Fn(&T) -> u64) {
        match &self.tables[..] {
            [] => self.tables.push(HashTable::new()),
            [table] if table.len() >= MANY => self.part(&hash_of),
            _ => {}
        }
        let index = self.index(hash);
        self.tables[index].insert_unique(hash, thing, hash_of);
    }

    fn part(&mut self, hash_of: &impl Fn(&T) -> u64) {
        let all = std::mem::take(&mut self.tables);
        self.tables = (0..PARTS)
            .map(|_| HashTable::with_capacity(2 * MANY / PARTS))
            .collect();
        for thing in all.into_iter().flatten() {
            let hash = hash_of(&thing);
            let index = self.index(hash);
            self.tables[index].insert_unique(hash, thing, hash_of);
        }
    }
}

impl<T> IntoIterator for Parts<T> {
    type Item = T;
    type IntoIter = std::iter::Flatten<std::vec::IntoIter<HashTable<T>>>;

    /// All things, a part at a time.
    fn into_iter(self) -> Self::IntoIter {
        self.tables.into_iter().flatten()
    }
}

/// Values by key.
#[derive(Clone, Debug)]
pub(crate) struct PartedMap<K, V> {
    entries: Parts<(K, V)>,
}

impl<K, V> Default for PartedMap<K, V> {
    fn default() -> Self {
        Self {
            entries: Parts::default(),
        }
    }
}

impl<K: Eq + Hash, V> PartedMap<K, V> {
    fn hash(key: &K) -> u64 {
        FxBuildHasher.hash_one(key)
    }

    /// The value of `key`.
    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        let found = self
            .entries
            .find(Self::hash(key), |(known, _)| known == key);
        found.map(|(_, value)| value)
    }

    /// Gives `key` a value, and gives back the one before.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let hash = Self::hash(&key);
        if let Some((_, known)) = self.entries.find_mut(hash, |(known, _)| *known == key) {
            return Some(std::mem::replace(known, value));
        }
        let hash_of = |(key, _): &(K, V)| Self::hash(key);
        self.entries.insert_unique(hash, (key, value), hash_of);
        None
    }

    /// Takes out `key` with its value.
    pub(crate) fn remove(&mut self, key: &K) -> Option<(K, V)> {
        let hash = Self::hash(key);
        self.entries.remove(hash, |(known, _)| known == key)
    }
}

impl<K, V> IntoIterator for PartedMap<K, V> {
    type Item = (K, V);
    type IntoIter = <Parts<(K, V)> as IntoIterator>::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_in_parts_is_a_map() {
        let (mut map, mut known) = (PartedMap::default(), std::collections::BTreeMap::new());
        let mut at = 1u32;
        for step in 0..40_000 {
            at = at.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let key = at >> 17;
            if step % 5 == 0 {
                let gone = known.remove(&key);
                assert_eq!(map.remove(&key), gone.map(|value| (key, value)));
            } else {
                assert_eq!(map.insert(key, step), known.insert(key, step));
            }
        }
        assert!(known.len() > 2 * MANY && map.entries.tables.len() == PARTS);
        for key in 0..1 << 15 {
            assert_eq!(map.get(&key), known.get(&key));
        }
        let mut all: Vec<_> = map.into_iter().collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(known));
    }
}
