//! What is known by id, where ids are given in order.

use std::marker::PhantomData;

use super::chunked::Chunked;

/// An id: ids of a kind are given in order.
pub(crate) trait Numbered {
    /// How many were given before.
    fn number(self) -> usize;
}

/// Values by id: a slot for each id up to the greatest that has one.
///
/// PERF: two places in memory a look-up, and nothing to hash or to move when it grows. For ids of which a good part
/// have a value.
#[derive(Clone, Debug)]
pub(crate) struct IdMap<K, V> {
    slots: Chunked<Option<V>>,
    keys: PhantomData<K>,
}

impl<K, V> Default for IdMap<K, V> {
    fn default() -> Self {
        Self {
            slots: Chunked::default(),
            keys: PhantomData,
        }
    }
}

impl<K: Numbered, V> IdMap<K, V> {
    /// The value of `id`, if it has one.
    #[inline]
    pub(crate) fn get(&self, id: K) -> Option<&V> {
        self.slots.get(id.number())?.as_ref()
    }

    /// All values, to be dropped one by one.
    pub(crate) fn dismantle(self) -> impl Iterator<Item = ()> {
        self.slots.into_iter().map(drop)
    }

    /// Gives `id` a value, whatever it had before.
    pub(crate) fn insert(&mut self, id: K, value: V) {
        let index = id.number();
        while self.slots.len() <= index {
            self.slots.push(None);
        }
        self.slots[index] = Some(value);
    }
}
