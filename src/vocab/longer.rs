//! Which ordinary tokens have more than so many characters.

use std::cmp::Reverse;

use super::row;
use super::tokens::Tokens;
use crate::base::TokenId;

/// There is a row for every number of characters below this.
const ROWS: usize = 32;

/// The tokens by how many characters they have.
///
/// PERF: a bound on a string cuts the tokens of a class of characters by two rows. Where each token was measured and
/// sorted instead, the first mask of a bounded string took 3.6 times as long (benches/LOG.md).
#[derive(Clone)]
pub(crate) struct Longer {
    /// Words of a row.
    words: usize,
    /// For each number of characters below [`ROWS`] the row of the tokens that have more.
    rows: Box<[u32]>,
    /// Those that have more than [`ROWS`], the longest first, and how many each has.
    list: Box<[(u32, TokenId)]>,
}

/// The tokens of more than so many characters.
pub(crate) enum More<'a> {
    Row(&'a [u32]),
    List(&'a [(u32, TokenId)]),
}

impl Longer {
    /// Of these tokens, whose characters `chars` counts by id, in rows of `words` words.
    pub(super) fn new(tokens: &Tokens, chars: &[u32], words: usize) -> Self {
        let mut longer = Self {
            words,
            rows: vec![0; ROWS * words].into_boxed_slice(),
            list: Box::default(),
        };
        let mut list = Vec::new();
        for (id, _) in tokens.ordinary() {
            let count = chars[id.index()];
            if count as usize > ROWS {
                list.push((count, id));
            }
            if let Some(last) = (count as usize).min(ROWS).checked_sub(1) {
                row::insert(&mut longer.rows[last * words..][..words], id);
            }
        }
        // What has more than one more has more.
        for count in (0..ROWS - 1).rev() {
            let (rows, above) = longer.rows.split_at_mut((count + 1) * words);
            row::union(&mut rows[count * words..], &above[..words]);
        }
        list.sort_unstable_by_key(|&(count, id)| (Reverse(count), id));
        longer.list = list.into();
        longer
    }

    /// The ordinary tokens of more than so many characters.
    pub(crate) fn more(&self, chars: u32) -> More<'_> {
        if (chars as usize) < ROWS {
            return More::Row(&self.rows[chars as usize * self.words..][..self.words]);
        }
        let longer = |&(count, _): &(u32, TokenId)| count > chars;
        More::List(&self.list[..self.list.partition_point(longer)])
    }
}
