//! How far the end of the text is after each token that may come next.
//!
//! Each token has a way from where it leads to the end. What the ways cost sorts the tokens into levels, and the
//! mask of a session with so many tokens left is that of the levels that it can afford.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use super::token_set::TokenSet;
use super::way::Way;
use crate::base::TokenId;
use crate::machine::StateId;
use crate::vocab::row;

/// The tokens that may come next in a state, by how far the end is after them.
#[derive(Debug)]
pub(super) struct Bounds {
    /// The state as it would be with nothing remembered.
    start: StateId,
    /// By cost, ascending.
    levels: Box<[Level]>,
    ways: Ways,
    /// The tokens whose ways are only presumed.
    presumed: TokenSet,
    /// The tokens that end the text, as a row.
    ends: Box<[u32]>,
}

/// The ways to the end after tokens.
#[derive(Debug, Default)]
struct Ways {
    /// By where tokens lead if nothing is remembered.
    shared: FxHashMap<StateId, Arc<Way>>,
    /// Those of tokens to which these are not open.
    own: FxHashMap<TokenId, Arc<Way>>,
}

/// Tokens after which the end costs as much.
#[derive(Debug)]
struct Level {
    /// How many tokens are to come, the end token included.
    cost: usize,
    tokens: TokenSet,
    /// The mask of this level and those below, made when it is first asked for.
    row: OnceLock<Box<[u32]>>,
}

/// What is found out bit by bit.
#[derive(Default)]
pub(super) struct Levels {
    by_cost: BTreeMap<usize, TokenSet>,
    ways: Ways,
    presumed: TokenSet,
}

impl Levels {
    /// Adds tokens after which the end costs so much.
    pub(super) fn add(&mut self, cost: usize, tokens: TokenSet) {
        if !tokens.is_empty() {
            self.by_cost.entry(cost).or_default().add(tokens);
        }
    }

    /// Adds a token with a way of its own.
    pub(super) fn add_own(&mut self, token: TokenId, cost: usize, way: Arc<Way>) {
        self.add(cost, TokenSet::Few(vec![token]));
        self.ways.own.insert(token, way);
    }

    /// Adds tokens after which the end is presumed to cost at most so much.
    pub(super) fn presume(&mut self, cost: usize, tokens: TokenSet) {
        self.presumed.add(tokens.clone());
        self.add(cost, tokens);
    }

    /// All other tokens that lead to the state `to` have this `way`.
    pub(super) fn share(&mut self, to: StateId, way: Arc<Way>) {
        self.ways.shared.insert(to, way);
    }

    /// Whether the way from the state `to` is known.
    pub(super) fn knows(&self, to: StateId) -> bool {
        self.ways.shared.contains_key(&to)
    }

    /// Those of a state that is `start` with nothing remembered, and where the tokens of the row `ends` end the text.
    pub(super) fn finish(self, start: StateId, ends: Box<[u32]>) -> Bounds {
        let level = |(cost, tokens): (usize, TokenSet)| Level {
            cost,
            tokens,
            row: OnceLock::new(),
        };
        Bounds {
            start,
            levels: self.by_cost.into_iter().map(level).collect(),
            ways: self.ways,
            presumed: self.presumed,
            ends,
        }
    }
}

impl Bounds {
    /// Where the bytes of tokens begin, if nothing is remembered.
    pub(super) fn start(&self) -> StateId {
        self.start
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
            for level in &self.levels[..count] {
                level.tokens.insert_into(&mut row);
            }
            row
        })
    }

    /// Whether `token` may come next at all.
    pub(super) fn has(&self, token: TokenId) -> bool {
        let mut levels = self.levels.iter();
        row::contains(&self.ends, token) || levels.any(|level| level.tokens.contains(token))
    }

    /// What the end is presumed to cost after `token`, where its way was not looked for.
    pub(super) fn presumed(&self, token: TokenId) -> Option<usize> {
        if !self.presumed.contains(token) {
            return None;
        }
        let mut levels = self.levels.iter();
        let level = levels.find(|level| level.tokens.contains(token));
        level.map(|level| level.cost)
    }

    /// The way that `token` has to itself.
    pub(super) fn own(&self, token: TokenId) -> Option<&Arc<Way>> {
        self.ways.own.get(&token)
    }

    /// The way of all other tokens that lead to the state `to` if nothing is remembered.
    pub(super) fn shared(&self, to: StateId) -> Option<&Arc<Way>> {
        self.ways.shared.get(&to)
    }

    /// How many bytes it takes, with the rows that it may make.
    pub(super) fn bytes(&self) -> usize {
        let level = |level: &Level| level.tokens.bytes() + size_of_val(&*self.ends);
        let levels: usize = self.levels.iter().map(level).sum();
        let Ways { shared, own } = &self.ways;
        let ways = shared.values().chain(own.values());
        let ways: usize = ways
            .map(|way| way.bytes() + size_of::<Arc<Way>>() * 4)
            .sum();
        levels + ways + self.presumed.bytes() + size_of_val(&*self.ends)
    }
}
