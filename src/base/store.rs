//! An append-only table that is read without a lock while it grows.

use std::fmt;
use std::sync::OnceLock;

/// The first chunk's length, as a power of two.
const FIRST: u32 = 2;
/// Chunks double up to this length, as a power of two, and are all of it from then on: so that nobody waits for a
/// chunk that grows with what there is already.
// PERF: shorter chunks are found by way of pages too often. With 2^10, over MaskBench in any order, cold masks and accepts
// were 5 % slower in the mean and warm accepts 7 % (`maskbench`, 3 passes in turn, a quiet machine of 2 cores).
const LARGEST: u32 = 13;
/// Chunks that double, but for the first.
const DOUBLING: usize = (LARGEST - FIRST - 1) as usize;
/// Chunks of the largest length are found by pages of so many, as a power of two: together all that a `u32` tells apart.
const PAGE: u32 = 10;

/// Slots that are written once, in chunks; a slot never moves.
///
/// Many stores hold a handful of things, so only the first chunk has its place here.
pub(crate) struct Store<T> {
    first: OnceLock<Chunk<T>>,
    /// The other chunks.
    more: OnceLock<Box<More<T>>>,
}

type Chunk<T> = Box<[OnceLock<T>]>;

struct More<T> {
    doubling: [OnceLock<Chunk<T>>; DOUBLING],
    pages: OnceLock<Chunk<Chunk<Chunk<T>>>>,
}

/// Where a slot is.
enum Place {
    First,
    Doubling(usize),
    Page(usize, usize),
}

impl<T> Store<T> {
    pub(crate) fn new() -> Self {
        Self {
            first: OnceLock::new(),
            more: OnceLock::new(),
        }
    }

    /// Which chunk holds `index`, and where in it.
    #[inline]
    fn place(index: u32) -> (Place, usize) {
        let shifted = u64::from(index) + (1 << FIRST);
        let size = shifted.ilog2();
        if size >= LARGEST {
            let chunk = ((shifted >> LARGEST) - 1) as usize;
            let place = Place::Page(chunk >> PAGE, chunk % (1 << PAGE));
            return (place, (shifted % (1 << LARGEST)) as usize);
        }
        let offset = (shifted - (1 << size)) as usize;
        match (size - FIRST).checked_sub(1) {
            None => (Place::First, offset),
            Some(chunk) => (Place::Doubling(chunk as usize), offset),
        }
    }

    /// The slot at `index`, if it was written.
    #[inline]
    pub(crate) fn get(&self, index: u32) -> Option<&T> {
        let (place, offset) = Self::place(index);
        let slots = match place {
            Place::First => self.first.get()?,
            Place::Doubling(chunk) => self.more.get()?.doubling[chunk].get()?,
            Place::Page(page, chunk) => self.paged(page, chunk)?,
        };
        slots[offset].get()
    }

    /// A chunk of the largest length; away from `get`, which is small enough to stand where it is called then.
    #[cold]
    fn paged(&self, page: usize, chunk: usize) -> Option<&Chunk<T>> {
        self.more.get()?.pages.get()?[page].get()?[chunk].get()
    }

    /// Writes the slot at `index`; a slot that was already written keeps its value.
    // Away from who calls it, so that a compile fetches its code once.
    #[inline(never)]
    pub(crate) fn set(&self, index: u32, value: T) -> &T {
        let (place, offset) = Self::place(index);
        let more = || self.more.get_or_init(|| Box::new(More::new()));
        let slots = match place {
            Place::First => self.first.get_or_init(|| empty(1 << FIRST)),
            Place::Doubling(chunk) => {
                more().doubling[chunk].get_or_init(|| empty(1 << (FIRST as usize + 1 + chunk)))
            }
            Place::Page(page, chunk) => {
                let pages = more()
                    .pages
                    .get_or_init(|| empty(1 << (32 - LARGEST - PAGE)));
                let page = pages[page].get_or_init(|| empty(1 << PAGE));
                page[chunk].get_or_init(|| empty(1 << LARGEST))
            }
        };
        slots[offset].get_or_init(|| value)
    }
}

impl<T: Send + 'static> Store<T> {
    /// All that is in it, to be dropped one by one.
    pub(crate) fn dismantle(self) -> impl Iterator<Item = ()> + Send {
        let more = self.more.into_inner().map(|more| *more);
        let (doubling, pages) = more.map_or((None, None), |more| {
            (Some(more.doubling), more.pages.into_inner())
        });
        let doubling = doubling.into_iter().flatten();
        let pages = pages.into_iter().flatten().filter_map(OnceLock::into_inner);
        let chunks = doubling.chain(pages.flatten());
        let chunks = chunks.filter_map(OnceLock::into_inner);
        let first = self.first.into_inner().into_iter();
        first.chain(chunks).flatten().map(drop)
    }
}

impl<T> fmt::Debug for Store<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}

impl<T> More<T> {
    fn new() -> Self {
        Self {
            doubling: [const { OnceLock::new() }; DOUBLING],
            pages: OnceLock::new(),
        }
    }
}

fn empty<T>(count: usize) -> Box<[OnceLock<T>]> {
    (0..count).map(|_| OnceLock::new()).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn slots_stay_where_they_are() {
        let store = Store::new();
        assert!(store.get(0).is_none());
        let first: *const u32 = store.set(0, 7);
        for index in 1..10_000 {
            store.set(index, index);
        }
        assert!(std::ptr::eq(first, store.get(0).unwrap()));
        assert!((1..10_000).all(|index| store.get(index) == Some(&index)));
        assert!(store.get(100_000).is_none());
        for index in [1 << 21, 1 << 30, u32::MAX] {
            store.set(index, index);
            assert_eq!(store.get(index), Some(&index));
            assert!(store.get(index - 1).is_none());
        }
    }

    #[test]
    fn a_store_is_dropped_one_by_one() {
        let (store, value) = (Store::new(), Arc::new(()));
        (0..5000).for_each(|index| drop(store.set(index, value.clone()).clone()));
        let mut rest = store.dismantle();
        assert!((&mut rest).take(100).count() == 100 && Arc::strong_count(&value) > 4800);
        rest.for_each(drop);
        assert_eq!(Arc::strong_count(&value), 1);
    }
}
