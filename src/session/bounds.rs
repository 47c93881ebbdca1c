//! How far the end of the text is after each token that may come next.
//!
//! Each token has a way from where it leads to the end. What the ways cost sorts the tokens into levels, and the
//! mask of a session with so many tokens left is that of the levels that it can afford.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::way::Way;
use crate::base::TokenId;
use crate::vocab::row;

/// The tokens that may come next in a state, by how far the end is after them.
#[derive(Debug)]
pub(super) struct Bounds {
    /// By cost, ascending.
    levels: Box<[Level]>,
    ways: Vec<Arc<Way>>,
    /// The tokens that end the text, as a row.
    ends: Box<[u32]>,
}

/// Tokens after which the end costs as much.
#[derive(Debug)]
struct Level {
    /// How many tokens are to come, the end token included.
    cost: usize,
    /// The tokens, ascending, each with its way.
    tokens: Box<[(TokenId, u32)]>,
    /// The mask of this level and those below, made when it is first asked for.
    row: OnceLock<Box<[u32]>>,
}

impl Bounds {
    /// Of `tokens`, each with what the end costs after it and the number of its way, and those that end the text.
    pub(super) fn new(
        tokens: Vec<(TokenId, usize, u32)>,
        ways: Vec<Arc<Way>>,
        ends: Box<[u32]>,
    ) -> Self {
        let mut by_cost: BTreeMap<usize, Vec<(TokenId, u32)>> = BTreeMap::new();
        for (token, cost, way) in tokens {
            by_cost.entry(cost).or_default().push((token, way));
        }
        Self {
            levels: by_cost.into_iter().map(Level::new).collect(),
            ways,
            ends,
        }
    }

    /// With so many tokens left after the next one, no token is dropped.
    pub(super) fn greatest(&self) -> usize {
        self.levels.last().map_or(0, |level| level.cost)
    }

    /// The tokens after which `left` tokens suffice.
    pub(super) fn row(&self, left: usize) -> &[u32] {
        let count = self.levels.partition_point(|level| level.cost <= left);
        let Some(last) = count.checked_sub(1) else {
            return &self.ends;
        };
        self.levels[last].row.get_or_init(|| {
            let mut row = self.ends.clone();
            for &(token, _) in self.levels[..count].iter().flat_map(|level| &level.tokens) {
                row::insert(&mut row, token);
            }
            row
        })
    }

    /// The way after `token`, and what it costs.
    pub(super) fn way(&self, token: TokenId) -> Option<(usize, &Arc<Way>)> {
        self.levels.iter().find_map(|level| {
            let tokens = &level.tokens;
            let found = tokens.binary_search_by_key(&token, |&(token, _)| token);
            let (_, way) = tokens[found.ok()?];
            Some((level.cost, &self.ways[way as usize]))
        })
    }

    /// How many bytes it takes, with the rows that it may make.
    pub(super) fn bytes(&self) -> usize {
        let level = |level: &Level| size_of_val(&*level.tokens) + size_of_val(&*self.ends);
        let levels: usize = self.levels.iter().map(level).sum();
        let ways: usize = self.ways.iter().map(|way| way.bytes()).sum();
        levels + ways + size_of_val(&*self.ends)
    }
}

impl Level {
    fn new((cost, mut tokens): (usize, Vec<(TokenId, u32)>)) -> Self {
        tokens.sort_unstable();
        Self {
            cost,
            tokens: tokens.into(),
            row: OnceLock::new(),
        }
    }
}
