//! Where the tokens of a state lead that remembers nothing: the same for all states that would be it if they forgot.

use rustc_hash::FxHashMap;

use super::token_set::TokenSet;
use crate::base::{LimitError, TokenId};
use crate::machine::{Generation, StateId};
use crate::mask::Work;
use crate::vocab::{NodeId, Vocabulary};

/// The ordinary tokens, by where their bytes lead.
#[derive(Debug)]
pub(super) struct Arrivals(Box<[(StateId, TokenSet)]>);

impl Arrivals {
    /// Those from `start`.
    pub(super) fn find(
        generation: &Generation,
        vocabulary: &Vocabulary,
        start: StateId,
        work: &Work<'_>,
    ) -> Result<Self, LimitError> {
        let trie = vocabulary.trie();
        let mut steps = Steps::new(generation, start, work);
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
            steps.arrive(to, trie.tokens(node));
            path.push(to);
            index += 1;
        }
        Ok(Self(steps.finish(vocabulary.len())))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(StateId, TokenSet)> {
        self.0.iter()
    }

    /// How many bytes they take.
    pub(super) fn bytes(&self) -> usize {
        let sets = self.0.iter().map(|(_, tokens)| tokens.bytes());
        size_of_val(&*self.0) + sets.sum::<usize>()
    }
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
    fn finish(self, ids: usize) -> Box<[(StateId, TokenSet)]> {
        let reached = self.reached.into_iter();
        let reached = reached.filter(|(_, tokens)| !tokens.is_empty());
        let sets = reached.map(|(to, tokens)| (to, TokenSet::new(tokens, ids)));
        sets.collect()
    }
}
