//! A list that grows a chunk at a time, so that nobody who adds to one waits for all of it to move.

use std::ops::{Index, IndexMut};

/// The length of a chunk, as a power of two.
const CHUNK: u32 = 10;
/// For how many things the first chunk has room to begin with.
const FIRST: usize = 4;

/// Things in the order in which they were added.
#[derive(Clone, Debug)]
pub(crate) struct Chunked<T> {
    /// All but the last are full.
    chunks: Vec<Vec<T>>,
}

impl<T> Default for Chunked<T> {
    fn default() -> Self {
        Self { chunks: Vec::new() }
    }
}

impl<T> Chunked<T> {
    /// How many things there are.
    pub(crate) fn len(&self) -> usize {
        let full = self.chunks.len().saturating_sub(1) << CHUNK;
        full + self.chunks.last().map_or(0, Vec::len)
    }

    #[inline]
    fn place(index: usize) -> (usize, usize) {
        (index >> CHUNK, index % (1 << CHUNK))
    }

    /// The thing at `index`, if there are so many.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        let (chunk, offset) = Self::place(index);
        self.chunks.get(chunk)?.get(offset)
    }

    /// Adds a thing behind the others.
    pub(crate) fn push(&mut self, thing: T) {
        match self.chunks.last_mut() {
            Some(last) if last.len() < 1 << CHUNK => last.push(thing),
            last => {
                let room = last.map_or(FIRST, |_| 1 << CHUNK);
                let mut next = Vec::with_capacity(room);
                next.push(thing);
                self.chunks.push(next);
            }
        }
    }
}

impl<T> Index<usize> for Chunked<T> {
    type Output = T;

    #[inline]
    fn index(&self, index: usize) -> &T {
        let (chunk, offset) = Self::place(index);
        &self.chunks[chunk][offset]
    }
}

impl<T> IndexMut<usize> for Chunked<T> {
    #[inline]
    fn index_mut(&mut self, index: usize) -> &mut T {
        let (chunk, offset) = Self::place(index);
        &mut self.chunks[chunk][offset]
    }
}

impl<T> IntoIterator for Chunked<T> {
    type Item = T;
    type IntoIter = std::iter::Flatten<std::vec::IntoIter<Vec<T>>>;

    fn into_iter(self) -> Self::IntoIter {
        self.chunks.into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_stay_where_they_were_added() {
        let mut list = Chunked::default();
        for n in 0..5000usize {
            assert_eq!((list.len(), list.get(n)), (n, None));
            list.push(n);
        }
        list[4000] = 7;
        assert_eq!(list[4999], 4999);
        let all: Vec<usize> = list.into_iter().collect();
        assert!((0..5000).all(|n| all[n] == if n == 4000 { 7 } else { n }));
    }
}
