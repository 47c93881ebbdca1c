//! Where the tokens of a state lead that remembers nothing: the same for all states that would be it if they forgot.
//!
//! States that are alike but for bounds ([`Likeness`]) have the same sets of tokens; where one of each leads is found for each state.
//!
//! PERF: without it, masks under a deadline within strings that are counted take 8.1 ms for 1.8 at p99, in an object, and 7.7 for 1.3 in
//! a string alone (benches/LOG.md).

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::likeness::Likeness;
use super::token_set::TokenSet;
use crate::base::{LimitError, TokenId};
use crate::machine::{Generation, StateId};
use crate::mask::Work;
use crate::vocab::{NodeId, Vocabulary};

/// The ordinary tokens, by where their bytes lead from a state, and by how long they are where that is bounded.
#[derive(Debug)]
pub(super) struct Arrivals {
    start: StateId,
    like: Likeness,
    sets: Box<[(StateId, TokenSet)]>,
    /// Tokens for which that was not looked for.
    beyond: TokenSet,
}

/// A step in the measuring of a token.
const STEPS_PER_MEASURE: usize = 4;

/// Where all that was read keeps states apart, so many are looked at. The tokens that lead on from there are beyond them.
///
/// PERF: within a key of objects that must differ each token leads to a state of its own, and all of them are more than one answer
/// may make (`hostile --all due-objects`).
const STATES: usize = 1 << 12;

impl Arrivals {
    /// Those from `start`, which is `like` so much.
    pub(super) fn find(
        generation: &Generation,
        vocabulary: &Vocabulary,
        (start, like): (StateId, Likeness),
        work: &Work<'_>,
    ) -> Result<Self, LimitError> {
        let (mut sets, beyond) = Self::walk(generation, vocabulary, start, work)?;
        if like.is_bounded() {
            // Where what may still come is bounded, that says what tokens measure.
            let is_told = |to| Likeness::of(generation, to).is_bounded_above();
            let (told, rest) = sets.into_iter().partition(|&(to, _)| is_told(to));
            sets = told;
            let measure = |text: &[u8]| like.measure(generation, text);
            sets.extend(measured(rest, vocabulary, work, measure)?);
        }
        Ok(Self {
            start,
            like,
            sets: sets.into(),
            beyond: TokenSet::new(beyond, vocabulary.len()),
        })
    }

    fn walk(
        generation: &Generation,
        vocabulary: &Vocabulary,
        start: StateId,
        work: &Work<'_>,
    ) -> Result<(Sets, Vec<TokenId>), LimitError> {
        let trie = vocabulary.trie();
        let mut steps = Steps::new(generation, start, work);
        let mut beyond = Vec::new();
        let mut path = vec![Steps::START];
        let nodes = trie.nodes();
        let mut index = 1;
        while index < trie.node_count() {
            let entry = nodes[index];
            let node = NodeId::from_index(index);
            path.truncate(trie.depth(node));
            let to = steps.next(path[path.len() - 1], entry.byte())?;
            if to == Steps::DEAD {
                index = entry.end();
                continue;
            }
            if to == Steps::BEYOND {
                let below = (index..entry.end()).map(NodeId::from_index);
                beyond.extend(below.flat_map(|node| trie.tokens(node)));
                index = entry.end();
                continue;
            }
            steps.arrive(to, trie.tokens(node));
            path.push(to);
            index += 1;
        }
        Ok((steps.finish(vocabulary.len()), beyond))
    }

    /// Whether the same sets serve a state that is `like` so much.
    pub(super) fn serve(&self, like: &Likeness) -> bool {
        self.like.covers(like)
    }

    pub(super) fn sets(&self) -> impl Iterator<Item = &TokenSet> {
        self.sets.iter().map(|(_, tokens)| tokens)
    }

    /// The tokens that are in no set, though they may lead somewhere.
    pub(super) fn beyond(&self) -> &TokenSet {
        &self.beyond
    }

    /// Where the tokens of each set lead from `start`, which they serve.
    pub(super) fn ends(
        &self,
        generation: &Generation,
        vocabulary: &Vocabulary,
        start: StateId,
        work: &Work<'_>,
    ) -> Result<Vec<StateId>, LimitError> {
        if start == self.start {
            return Ok(self.sets.iter().map(|&(to, _)| to).collect());
        }
        let lead = |tokens: &TokenSet| {
            let first = tokens.iter().next();
            let text = first.and_then(|token| vocabulary.bytes(token));
            let text = text.unwrap_or_default();
            work.charge(text.len())?;
            text.iter()
                .try_fold(start, |at, &byte| generation.advance_unrecorded(at, byte))
        };
        self.sets().map(lead).collect()
    }

    /// How many bytes they take.
    pub(super) fn bytes(&self) -> usize {
        let sets = self.sets().map(TokenSet::bytes);
        size_of_val(&*self.sets) + sets.sum::<usize>() + self.beyond.bytes()
    }
}

/// Sets of tokens, each with where its tokens lead.
type Sets = Vec<(StateId, TokenSet)>;

/// The same sets, each taken apart by what its tokens measure.
fn measured(
    sets: Sets,
    vocabulary: &Vocabulary,
    work: &Work<'_>,
    measure: impl Fn(&[u8]) -> SmallVec<[u32; 1]>,
) -> Result<Sets, LimitError> {
    let mut parts = Vec::new();
    for (to, tokens) in sets {
        let mut by_measure: BTreeMap<_, Vec<TokenId>> = BTreeMap::new();
        for token in tokens.iter() {
            work.charge(STEPS_PER_MEASURE)?;
            let text = vocabulary.bytes(token).unwrap_or_default();
            by_measure.entry(measure(text)).or_default().push(token);
        }
        let ids = vocabulary.len();
        let apart = by_measure.into_values();
        parts.extend(apart.map(|tokens| (to, TokenSet::new(tokens, ids))));
    }
    Ok(parts)
}

/// Where bytes lead if nothing is remembered, and what tokens come there: states by numbers, in the order in which they are met.
///
/// PERF: within a string some 400,000 bytes lead to a dozen states. With this, and tokens taken together that lead to one state, a survey
/// takes a fourth to a sixth of the time where nothing is remembered (benches/LOG.md).
struct Steps<'g> {
    generation: &'g Generation,
    work: &'g Work<'g>,
    numbers: FxHashMap<StateId, u32>,
    reached: Vec<(StateId, Vec<TokenId>)>,
    /// By state, where each byte leads.
    rows: Vec<[u32; 256]>,
}

const UNKNOWN: u32 = u32::MAX;

impl<'g> Steps<'g> {
    const DEAD: u32 = 0;
    const START: u32 = 1;
    /// Where there are more than [`STATES`].
    const BEYOND: u32 = u32::MAX - 1;

    fn new(generation: &'g Generation, start: StateId, work: &'g Work<'g>) -> Self {
        let mut steps = Self {
            generation,
            work,
            numbers: FxHashMap::default(),
            reached: Vec::new(),
            rows: Vec::new(),
        };
        steps.number(StateId::DEAD);
        steps.number(start);
        steps
    }

    fn number(&mut self, state: StateId) -> u32 {
        let next = self.reached.len() as u32;
        let number = *self.numbers.entry(state).or_insert(next);
        if number == next {
            self.reached.push((state, Vec::new()));
            self.rows.push([UNKNOWN; 256]);
        }
        number
    }

    #[inline]
    fn next(&mut self, from: u32, byte: u8) -> Result<u32, LimitError> {
        match self.rows[from as usize][usize::from(byte)] {
            UNKNOWN => self.discover(from, byte),
            known => Ok(known),
        }
    }

    #[inline(never)]
    fn discover(&mut self, from: u32, byte: u8) -> Result<u32, LimitError> {
        let state = self.reached[from as usize].0;
        if self.reached.len() > STATES && self.generation.records(state, byte) {
            return Ok(Self::BEYOND);
        }
        let to = self.generation.advance_unrecorded(state, byte)?;
        self.work.charge(1)?;
        let to = self.number(to);
        self.rows[from as usize][usize::from(byte)] = to;
        Ok(to)
    }

    fn arrive(&mut self, at: u32, tokens: &[TokenId]) {
        self.reached[at as usize].1.extend_from_slice(tokens);
    }

    /// The states to which tokens lead, of a vocabulary of so many ids.
    fn finish(self, ids: usize) -> Sets {
        let reached = self.reached.into_iter();
        let reached = reached.filter(|(_, tokens)| !tokens.is_empty());
        let sets = reached.map(|(to, tokens)| (to, TokenSet::new(tokens, ids)));
        sets.collect()
    }
}
