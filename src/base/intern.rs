//! Things numbered by their contents.

use std::hash::{BuildHasher as _, Hash};
use std::ops::Index;

use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use super::parted::Parts;

/// How many ids are looked through one by one.
const FEW: usize = 6;

/// Ids found by what they stand for. Equality is decided by the caller, on the stored contents.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ids {
    /// Hashes with their ids, as long as they are few: most tables stay that small.
    few: SmallVec<[Entry; FEW]>,
    /// All of them, once they are many.
    table: Option<Box<Parts<Entry>>>,
}

type Entry = (Hashed, u32);

/// What a thing is known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hashed(u32);

impl Hashed {
    /// As tables want it: they tell entries apart by the highest bits, and place them by the lowest.
    fn spread(self) -> u64 {
        u64::from(self.0) << 32 | u64::from(self.0)
    }
}

impl Ids {
    /// What `key` is known by.
    pub(crate) fn hash<K: Hash + ?Sized>(key: &K) -> Hashed {
        let hash = FxBuildHasher.hash_one(key);
        Hashed((hash >> 32 ^ hash) as u32)
    }

    /// The id with this hash for which `same` holds.
    pub(crate) fn find(&self, hash: Hashed, mut same: impl FnMut(u32) -> bool) -> Option<u32> {
        let mut is_it = |&(h, id): &Entry| h == hash && same(id);
        let found = match &self.table {
            None => self.few.iter().find(|entry| is_it(entry)),
            Some(table) => table.find(hash.spread(), is_it),
        };
        found.map(|&(_, id)| id)
    }

    /// All ids, to be dropped one by one.
    pub(crate) fn dismantle(self) -> impl Iterator<Item = ()> {
        let table = self.table.map(|table| *table);
        table.into_iter().flatten().map(drop)
    }

    /// Adds an id, which is not there yet.
    pub(crate) fn insert(&mut self, hash: Hashed, id: u32) {
        if self.few.len() < FEW {
            return self.few.push((hash, id));
        }
        let spread = |(hash, _): &Entry| hash.spread();
        let table = self.table.get_or_insert_with(|| {
            let mut table = Parts::with_capacity(4 * FEW);
            for &(hash, id) in &self.few {
                table.insert_unique(hash.spread(), (hash, id), spread);
            }
            Box::new(table)
        });
        table.insert_unique(hash.spread(), (hash, id), spread);
    }
}

/// Equal things once, by number.
#[derive(Clone, Debug)]
pub(crate) struct Interner<T> {
    items: Vec<T>,
    ids: Ids,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            ids: Ids::default(),
        }
    }
}

impl<T: Hash + Eq> Interner<T> {
    /// The number of `item`, and whether it is new.
    pub(crate) fn intern(&mut self, item: T) -> (u32, bool) {
        let hash = Ids::hash(&item);
        match self.find(hash, |known| *known == item) {
            Some(id) => (id, false),
            None => (self.insert(hash, item), true),
        }
    }
}

impl<T> Interner<T> {
    /// With room for so many items.
    pub(crate) fn with_capacity(count: usize) -> Self {
        Self {
            items: Vec::with_capacity(count),
            ids: Ids::default(),
        }
    }

    /// The number of the item with this hash that is the `same`.
    pub(crate) fn find(&self, hash: Hashed, same: impl Fn(&T) -> bool) -> Option<u32> {
        self.ids.find(hash, |id| same(&self.items[id as usize]))
    }

    /// Adds an item, which is not there yet, and gives its number.
    pub(crate) fn insert(&mut self, hash: Hashed, item: T) -> u32 {
        let id = self.items.len() as u32;
        self.ids.insert(hash, id);
        self.items.push(item);
        id
    }

    /// All items, to be dropped one by one.
    pub(crate) fn dismantle(self) -> impl Iterator<Item = ()> {
        self.items.into_iter().map(drop).chain(self.ids.dismantle())
    }

    /// All items, by number.
    pub(crate) fn items(&self) -> &[T] {
        &self.items
    }

    /// The item with this number.
    pub(crate) fn get(&self, id: u32) -> &T {
        &self.items[id as usize]
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }
}

/// Values by keys, of which there mostly are few.
#[derive(Clone, Debug)]
pub(crate) struct SmallMap<K, V> {
    keys: Interner<K>,
    values: Vec<V>,
}

impl<K, V> Default for SmallMap<K, V> {
    fn default() -> Self {
        Self {
            keys: Interner::default(),
            values: Vec::new(),
        }
    }
}

impl<K: Hash + Eq, V> SmallMap<K, V> {
    /// The value of `key`.
    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        let found = self.keys.find(Ids::hash(key), |known| known == key);
        found.map(|id| &self.values[id as usize])
    }

    /// Gives `key`, which has none yet, a value.
    pub(crate) fn insert(&mut self, key: K, value: V) {
        self.keys.insert(Ids::hash(&key), key);
        self.values.push(value);
    }

    /// The value of `key`, to be changed.
    pub(crate) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let found = self.keys.find(Ids::hash(key), |known| known == key);
        found.map(|id| &mut self.values[id as usize])
    }
}

impl<K: Hash + Eq, V> Index<&K> for SmallMap<K, V> {
    type Output = V;

    fn index(&self, key: &K) -> &V {
        self.get(key).expect("what is indexed by is among the keys")
    }
}

/// Texts, each once, by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    /// All of them, one after another.
    all: String,
    /// Where each ends.
    ends: Vec<u32>,
    ids: Ids,
}

impl Texts {
    /// The number of `text`.
    pub(crate) fn intern(&mut self, text: &str) -> u32 {
        let hash = Ids::hash(text);
        if let Some(id) = self.ids.find(hash, |id| self.get(id) == text) {
            return id;
        }
        let id = self.ends.len() as u32;
        self.ids.insert(hash, id);
        self.all.push_str(text);
        self.ends.push(self.all.len() as u32);
        id
    }

    /// The text with this number.
    pub(crate) fn get(&self, id: u32) -> &str {
        let begin = id
            .checked_sub(1)
            .map_or(0, |before| self.ends[before as usize]);
        &self.all[begin as usize..self.ends[id as usize] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_things_have_one_number() {
        let (mut numbers, mut texts) = (Interner::default(), Texts::default());
        let mut map = SmallMap::default();
        let spelt: Vec<String> = (0..100).map(|n: u32| n.to_string()).collect();
        for round in 0..2 {
            for (id, text) in (0..).zip(&spelt) {
                assert_eq!(numbers.intern(text.clone()), (id, round == 0));
                assert_eq!(texts.intern(text), id);
                assert_eq!(map.get(text), (round > 0).then_some(&id));
                if round == 0 {
                    map.insert(text.clone(), id);
                }
            }
        }
        assert_eq!(numbers.len(), spelt.len());
        for (id, text) in (0..).zip(&spelt) {
            assert_eq!((numbers.get(id), texts.get(id)), (text, text.as_str()));
        }
    }
}
