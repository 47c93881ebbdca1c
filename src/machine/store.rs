//! An append-only table that is read without a lock while it grows.

use std::sync::OnceLock;

/// The first chunk's length, as a power of two.
const FIRST: u32 = 6;
/// Chunks double, so this many reach past every `u32` index that limits allow.
const CHUNKS: usize = 26;

/// Slots that are written once, in chunks that double; a slot never moves.
pub(super) struct Store<T> {
    chunks: [OnceLock<Box<[OnceLock<T>]>>; CHUNKS],
}

impl<T> Store<T> {
    pub(super) fn new() -> Self {
        Self {
            chunks: [const { OnceLock::new() }; CHUNKS],
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
        self.chunks.get(chunk)?.get()?.get(offset)?.get()
    }

    /// Writes the slot at `index`; a slot that was already written keeps its value.
    pub(super) fn set(&self, index: u32, value: T) -> &T {
        let (chunk, offset) = Self::place(index);
        let slots = self.chunks[chunk].get_or_init(|| {
            (0..1usize << (FIRST as usize + chunk))
                .map(|_| OnceLock::new())
                .collect()
        });
        slots[offset].get_or_init(|| value)
    }
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
