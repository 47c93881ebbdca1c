//! How a mask is kept: a shared row, less a few tokens, plus a few.
//!
//! PERF: with a row of its own for each mask, cold masks take 1.13 times as long and memory 1.4 times as much (benches/LOG.md).

use std::sync::Arc;

use smallvec::SmallVec;

use super::room::{Lent, Reuse, Rooms};
use crate::base::TokenId;
use crate::vocab::{Spaces, row};

/// A row of mask words that many masks share.
pub(super) type Row = Arc<[u32]>;

/// What tells masks with lists apart at first sight: the row, how long each list is, and the tokens at its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Lists {
    row: usize,
    lengths: [usize; 2],
    ends: [Option<TokenId>; 4],
}

/// The tokens that a state allows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mask {
    row: Option<Row>,
    minus: Box<[TokenId]>,
    plus: Box<[TokenId]>,
}

impl Mask {
    /// Writes the mask into `out`, which has the vocabulary's words.
    pub(crate) fn fill(&self, out: &mut [u32]) {
        match &self.row {
            Some(source) => row::copy(out, source),
            None => out.fill(0),
        }
        for &token in &self.minus {
            row::remove(out, token);
        }
        for &token in &self.plus {
            row::insert(out, token);
        }
    }

    /// The mask without `tokens`, which are ascending.
    pub(super) fn without(&self, tokens: &[TokenId]) -> Self {
        let kept = |token: &TokenId| tokens.binary_search(token).is_err();
        Self {
            row: self.row.clone(),
            minus: self.minus.iter().chain(tokens).copied().collect(),
            plus: self.plus.iter().copied().filter(kept).collect(),
        }
    }

    /// The lists, where they are so long that filling them in takes a good part of the time.
    pub(super) fn long_lists(&self) -> Option<Lists> {
        let Self { row, minus, plus } = self;
        let row = row.as_ref()?.as_ptr().addr();
        let lengths = [minus.len(), plus.len()];
        let ends = [minus.first(), minus.last(), plus.first(), plus.last()];
        (lengths[0] + lengths[1] > SHORT_LISTS).then(|| Lists {
            row,
            lengths,
            ends: ends.map(Option::<&TokenId>::copied),
        })
    }

    /// Whether it is the same mask, kept in the same way.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let is_row = match (&self.row, &other.row) {
            (Some(row), Some(other)) => Arc::ptr_eq(row, other),
            (row, other) => row.is_none() && other.is_none(),
        };
        is_row && self.minus == other.minus && self.plus == other.plus
    }

    /// The same mask as a row of its own.
    pub(super) fn dense(&self) -> Self {
        let words = self.row.as_ref().map_or(0, |row| row.len());
        let mut dense = vec![0u32; words];
        self.fill(&mut dense);
        Self {
            row: Some(dense.into()),
            ..Self::default()
        }
    }

    /// The bytes that [`dense`](Self::dense) takes.
    pub(super) fn dense_bytes(&self) -> usize {
        let row = self.row.as_ref().map_or(0, |row| size_of_val(&**row));
        row + size_of::<Self>()
    }

    /// Puts a token in the place of one that is listed.
    #[cfg(test)]
    pub(super) fn replace_listed(&mut self, index: usize, token: TokenId) {
        self.plus[index] = token;
    }

    /// The bytes that this mask alone keeps in memory.
    pub(super) fn bytes(&self) -> usize {
        let own_row = self.row.as_ref().filter(|row| Arc::strong_count(row) == 1);
        own_row.map_or(0, |row| row.len() * 4) + (self.minus.len() + self.plus.len()) * 4 + 64
    }
}

/// Lists of so many tokens together are filled in at once.
const SHORT_LISTS: usize = 256;
/// Where a list of tokens is longer than this, a row of its own is cheaper.
const LONG_LIST: usize = 2048;

/// Collects what the items of a state allow.
pub(super) struct MaskBuilder<'a> {
    /// Rows, and what is not meant of each: mostly one.
    rows: SmallVec<[(Row, Vec<TokenId>); 1]>,
    plus: Lent<'a, Vec<TokenId>>,
    /// White space, if it is allowed: its row, and its tokens.
    white: Option<(&'a Row, &'a Spaces)>,
}

/// Room for longer lists is not kept.
const MOST_KEPT: usize = 1 << 16;

impl Reuse for Vec<TokenId> {
    fn reset(&mut self) -> bool {
        self.clear();
        self.capacity() <= MOST_KEPT
    }
}

impl<'a> MaskBuilder<'a> {
    pub(super) fn new(lists: &'a Rooms<Vec<TokenId>>) -> Self {
        Self {
            rows: SmallVec::new(),
            plus: lists.take(),
            white: None,
        }
    }

    pub(super) fn row(&mut self, row: Row, minus: Vec<TokenId>) {
        self.rows.push((row, minus));
    }

    pub(super) fn tokens(&mut self, tokens: &[TokenId]) {
        self.plus.extend_from_slice(tokens);
    }

    pub(super) fn token(&mut self, token: TokenId) {
        self.plus.push(token);
    }

    /// Adds the tokens of white space, whose row is `row`.
    pub(super) fn white_space(&mut self, row: &'a Row, spaces: &'a Spaces) {
        self.white = Some((row, spaces));
    }

    /// The mask, for rows of `words` words.
    pub(super) fn finish(mut self, words: usize) -> Mask {
        // They are many in the masks of many states, which share the row.
        match self.white {
            Some((row, _)) if self.rows.is_empty() => self.row(row.clone(), Vec::new()),
            Some((_, spaces)) => self.tokens(spaces.tokens()),
            None => {}
        }
        self.rows
            .dedup_by(|a, b| Arc::ptr_eq(&a.0, &b.0) && a.1 == b.1);
        if self.rows.len() <= 1 && self.plus.len() <= LONG_LIST {
            let (row, minus) = self
                .rows
                .pop()
                .map_or((None, Vec::new()), |(r, m)| (Some(r), m));
            return Mask {
                row,
                minus: minus.into(),
                plus: self.plus.as_slice().into(),
            };
        }
        let mut dense = vec![0u32; words];
        let mut part = vec![0u32; words];
        for (source, minus) in &self.rows {
            row::copy(&mut part, source);
            for &token in minus {
                row::remove(&mut part, token);
            }
            row::union(&mut dense, &part);
        }
        for &token in &*self.plus {
            row::insert(&mut dense, token);
        }
        Mask {
            row: Some(dense.into()),
            ..Mask::default()
        }
    }
}
