//! An append-only table that is read without a lock while it grows.

use std::sync::OnceLock;

/// An interned thing takes up to so many times its own size: stores double, and ids are found in a table.
pub(super) const ENTRY: usize = 2;

/// The first chunk's length, as a power of two.
const FIRST: u32 = 2;
/// Chunks double, so this many reach past every `u32` index that limits allow.
const CHUNKS: usize = 30;

/// Slots that are written once, in chunks that double; a slot never moves.
///
/// Many stores hold a handful of things, so only the first chunk has its place here.
pub(super) struct Store<T> {
    first: OnceLock<Chunk<T>>,
    /// The other chunks.
    more: OnceLock<Chunk<Chunk<T>>>,
}

type Chunk<T> = Box<[OnceLock<T>]>;

impl<T> Store<T> {
    pub(super) fn new() -> Self {
        Self {
            first: OnceLock::new(),
            more: OnceLock::new(),
        }
    }

    /// Which chunk holds `index`, and where in it.
    #[inline]
    fn place(index: u32) -> (usize, usize) {
        let shifted = index + (1 << FIRST);
        let chunk = shifted.ilog2();
        ((chunk - FIRST) as usize, (shifted - (1 << chunk)) as usize)
    }

    /// The slot at `index`, if it was written.
    #[inline]
    pub(super) fn get(&self, index: u32) -> Option<&T> {
        let (chunk, offset) = Self::place(index);
        let slots = match chunk.checked_sub(1) {
            None => self.first.get()?,
            Some(chunk) => self.more.get()?.get(chunk)?.get()?,
        };
        slots.get(offset)?.get()
    }

    /// Writes the slot at `index`; a slot that was already written keeps its value.
    pub(super) fn set(&self, index: u32, value: T) -> &T {
        let (chunk, offset) = Self::place(index);
        let slots = match chunk.checked_sub(1) {
            None => &self.first,
            Some(chunk) => &self.more.get_or_init(|| empty(CHUNKS - 1))[chunk],
        };
        let slots = slots.get_or_init(|| empty(1 << (FIRST as usize + chunk)));
        slots[offset].get_or_init(|| value)
    }
}

fn empty<T>(count: usize) -> Box<[OnceLock<T>]> {
    (0..count).map(|_| OnceLock::new()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_stay_where_they_are() {
        let store = Store::new();
        assert!(store.get(0).is_none());
        let first: *const u32 = store.set(0, 7);
        for index in 1..1000 {
            store.set(index, index);
        }
        assert!(std::ptr::eq(first, store.get(0).unwrap()));
        assert_eq!(store.get(999), Some(&999));
        assert!(store.get(100_000).is_none());
    }
}
