//! Mask rows: one bit a token, bit `id & 31` of word `id >> 5`, as hosts' bitmasks have it.

use crate::base::TokenId;

/// The words of a row with a bit for each of `logits` ids.
#[inline]
pub(crate) const fn words(logits: usize) -> usize {
    logits.div_ceil(32)
}

/// An empty row for `logits` ids.
pub(crate) fn empty(logits: usize) -> Box<[u32]> {
    vec![0; words(logits)].into_boxed_slice()
}

/// Whether `token` is in the row; ids beyond the row are not.
#[inline]
pub(crate) fn contains(row: &[u32], token: TokenId) -> bool {
    row.get(token.index() >> 5)
        .is_some_and(|word| word >> (token.get() & 31) & 1 == 1)
}

/// Adds `token`, which the row has a bit for.
#[inline]
pub(crate) fn insert(row: &mut [u32], token: TokenId) {
    row[token.index() >> 5] |= 1 << (token.get() & 31);
}

/// Takes `token` out, which the row has a bit for.
#[inline]
pub(crate) fn remove(row: &mut [u32], token: TokenId) {
    row[token.index() >> 5] &= !(1 << (token.get() & 31));
}

/// How many tokens the row has.
pub(crate) fn count(row: &[u32]) -> usize {
    row.iter().map(|word| word.count_ones() as usize).sum()
}

/// Adds the tokens of `other`, a row of the same length.
pub(crate) fn union(row: &mut [u32], other: &[u32]) {
    debug_assert_eq!(row.len(), other.len());
    row.iter_mut()
        .zip(other)
        .for_each(|(word, other)| *word |= other);
}

/// Takes the tokens of `other`, a row of the same length, out.
pub(crate) fn subtract(row: &mut [u32], other: &[u32]) {
    debug_assert_eq!(row.len(), other.len());
    row.iter_mut()
        .zip(other)
        .for_each(|(word, other)| *word &= !other);
}

/// Where two rows begin near each other in their pages, so many words are copied at a time.
const BLOCK: usize = 512;
/// The bytes of a page.
const PAGE: usize = 4096;
/// So many bytes before and behind each other are near.
const NEAR: usize = 256;

/// Fills `row`, which may be longer (a host's row), with `source` and zeros after it.
///
/// A shorter `row` takes what it has room for.
///
/// PERF: one copy of 25 KB takes 12 µs instead of 0.6 on some processors (glibc's `memmove` on AMD's, by `rep movsb`) where `row` lies
/// 16 bytes behind `source` in a page, and a fifth to a half more a little before it. In blocks it does not, but then it takes 0.84 to 1.0 µs
/// for 0.62 to 0.66 on an Intel Xeon, wherever they lie (benches/LOG.md).
pub(crate) fn copy(row: &mut [u32], source: &[u32]) {
    let shared = row.len().min(source.len());
    let (taken, rest) = row.split_at_mut(shared);
    let source = &source[..shared];
    match are_near_in_a_page(taken, source) {
        true => {
            for (to, from) in taken.chunks_mut(BLOCK).zip(source.chunks(BLOCK)) {
                to.copy_from_slice(from);
            }
        }
        false => taken.copy_from_slice(source),
    }
    rest.fill(0);
}

/// Whether two rows begin near each other, each in its page.
fn are_near_in_a_page(row: &[u32], source: &[u32]) -> bool {
    let behind = row.as_ptr().addr().wrapping_sub(source.as_ptr().addr());
    behind.wrapping_add(NEAR) % PAGE < 2 * NEAR
}

/// The tokens of the row, ascending.
pub(crate) fn tokens(row: &[u32]) -> impl Iterator<Item = TokenId> + '_ {
    row.iter().enumerate().flat_map(|(index, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros() as usize;
            (rest != 0).then(|| {
                rest &= rest - 1;
                TokenId::from_usize(index * 32 + bit)
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn rows_are_sets(
            logits in 1usize..200,
            one in prop::collection::vec(0u32..200, 0..60),
            other in prop::collection::vec(0u32..200, 0..60),
        ) {
            let set = |ids: &[u32]| -> BTreeSet<u32> {
                ids.iter().copied().filter(|&id| (id as usize) < logits).collect()
            };
            let make = |ids: &BTreeSet<u32>| {
                let mut row = empty(logits);
                ids.iter().for_each(|&id| insert(&mut row, TokenId::new(id)));
                row
            };
            let list = |row: &[u32]| tokens(row).map(TokenId::get).collect::<BTreeSet<_>>();
            let (one, other) = (set(&one), set(&other));
            let (row, other_row) = (make(&one), make(&other));
            prop_assert_eq!(list(&row), one.clone());
            prop_assert_eq!(count(&row), one.len());
            for id in 0..300 {
                prop_assert_eq!(contains(&row, TokenId::new(id)), one.contains(&id));
            }
            let mut sum = row.clone();
            union(&mut sum, &other_row);
            prop_assert_eq!(list(&sum), &one | &other);
            let mut difference = row.clone();
            subtract(&mut difference, &other_row);
            prop_assert_eq!(list(&difference), &one - &other);
            for id in &other {
                remove(&mut sum, TokenId::new(*id));
            }
            prop_assert_eq!(list(&sum), &one - &other);
        }
    }

    #[test]
    fn a_copy_clears_what_lies_beyond() {
        let mut row = [u32::MAX; 3];
        copy(&mut row, &[5, 6]);
        assert_eq!(row, [5, 6, 0]);
        copy(&mut row[..1], &[7, 8]);
        assert_eq!(row, [7, 6, 0]);
    }
}
