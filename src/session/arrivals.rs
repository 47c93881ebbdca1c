//! Where the tokens of a state lead that remembers nothing: the same for all states that would be it if they forgot.
//!
//! States that are alike but for bounds ([`Likeness`]) have the same sets of tokens; where one of each leads is found for each state.
//!
//! PERF: without it, masks under a deadline within strings that are counted take 8.1 ms for 1.8 at p99, in an object, and 7.7 for 1.3 in
//! a string alone (benches/LOG.md).

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::likeness::{Kind, Likeness};
use super::token_set::TokenSet;
use crate::base::{ByteSet, LimitError, TokenId};
use crate::machine::{Generation, StateId};
use crate::mask::{Run, Work};
use crate::vocab::{NodeId, Trie, Vocabulary, row};

/// The ordinary tokens, by where their bytes lead from a state, and by how long they are where that is bounded.
#[derive(Debug)]
pub(super) struct Arrivals {
    start: StateId,
    like: Likeness,
    sets: Box<[Arrival]>,
}

/// Tokens, and where their bytes lead.
#[derive(Debug)]
pub(super) struct Arrival {
    to: StateId,
    pub(super) told: Told,
    pub(super) tokens: TokenSet,
}

/// How it is known where tokens lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Told {
    /// Their bytes were followed.
    Exactly,
    /// On their way stands a state that was taken for another of its [`Kind`]: they lead to where those lead that pass the other, but
    /// for what was read.
    ByKind,
}

/// A step in the measuring of a token.
const STEPS_PER_MEASURE: usize = 4;

/// Where all that was read keeps states apart, so many of one kind are followed. Others are taken for the first of these.
///
/// PERF: within a key of objects that must differ each token leads to a state of its own, and all of them are more than one answer
/// may make. With 4,096 states of whatever kind for eight of each, two such objects take 92 MiB for 57 and the worst mask 80 ms for
/// 52, and five distinct numbers 37 MiB for 16 (`hostile --all due-`).
const STATES_OF_A_KIND: usize = 8;

impl Arrivals {
    /// Those from `start`, which is `like` so much.
    pub(super) fn find(
        generation: &Generation,
        vocabulary: &Vocabulary,
        (start, like): (StateId, Likeness),
        work: &Work<'_>,
    ) -> Result<Self, LimitError> {
        let mut sets = Self::walk(generation, vocabulary, start, work)?;
        if like.is_bounded() {
            // Where what may still come is bounded, that says what tokens measure.
            let is_bounded = |set: &Arrival| Likeness::of(generation, set.to).is_bounded_above();
            let (bounded, rest) = sets.into_iter().partition(is_bounded);
            sets = bounded;
            let measure = |text: &[u8]| like.measure(generation, text);
            sets.extend(measured(rest, vocabulary, work, measure)?);
        }
        Ok(Self {
            start,
            like,
            sets: sets.into(),
        })
    }

    fn walk(
        generation: &Generation,
        vocabulary: &Vocabulary,
        start: StateId,
        work: &Work<'_>,
    ) -> Result<Vec<Arrival>, LimitError> {
        let mut steps = Steps::new(generation, start, work);
        let (trie, nodes) = (vocabulary.trie(), vocabulary.trie().nodes());
        let Some((to, mut run)) = steps.run(vocabulary)? else {
            steps.walk(trie, 1..trie.node_count())?;
            return Ok(steps.finish(vocabulary.len()));
        };
        let mut tokens: Box<[u32]> = run.tokens.as_ref().into();
        for byte in 0..=u8::MAX {
            let leads = run.leads.contains(byte);
            if leads && steps.next(Steps::START, byte)? == steps.next(to, byte)? {
                continue;
            }
            let Some(node) = trie.child(NodeId::ROOT, byte) else {
                continue;
            };
            steps.walk(trie, node.index()..nodes[node.index()].end())?;
            if leads {
                run.leads = run.leads.without(&ByteSet::range(byte, byte));
                let astray = trie.subtree_tokens(node).iter();
                astray.for_each(|&token| row::remove(&mut tokens, token));
            }
        }
        for rank in run.others {
            let text = trie.text(rank);
            if text.first().is_some_and(|&byte| run.leads.contains(byte)) {
                steps.follow(text, trie.token(rank))?;
            }
        }
        let to = steps.reached[to as usize].0;
        let mut sets = steps.finish(vocabulary.len());
        sets.push(Arrival {
            to,
            told: Told::Exactly,
            tokens: TokenSet::Row(tokens),
        });
        Ok(sets)
    }

    /// Whether the same sets serve a state that is `like` so much.
    pub(super) fn serve(&self, like: &Likeness) -> bool {
        self.like.covers(like)
    }

    pub(super) fn sets(&self) -> &[Arrival] {
        &self.sets
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
            return Ok(self.sets.iter().map(|set| set.to).collect());
        }
        let lead = |set: &Arrival| {
            let first = set.tokens.iter().next();
            let text = first.and_then(|token| vocabulary.bytes(token));
            let text = text.unwrap_or_default();
            work.charge(text.len())?;
            text.iter()
                .try_fold(start, |at, &byte| generation.advance_unrecorded(at, byte))
        };
        self.sets.iter().map(lead).collect()
    }

    /// How many bytes they take.
    pub(super) fn bytes(&self) -> usize {
        let sets = self.sets.iter().map(|set| set.tokens.bytes());
        size_of_val(&*self.sets) + sets.sum::<usize>()
    }
}

/// The same sets, each taken apart by what its tokens measure.
fn measured(
    sets: Vec<Arrival>,
    vocabulary: &Vocabulary,
    work: &Work<'_>,
    measure: impl Fn(&[u8]) -> SmallVec<[u32; 1]>,
) -> Result<Vec<Arrival>, LimitError> {
    let mut parts = Vec::new();
    for Arrival { to, told, tokens } in sets {
        let mut by_measure: BTreeMap<_, Vec<TokenId>> = BTreeMap::new();
        for token in tokens.iter() {
            work.charge(STEPS_PER_MEASURE)?;
            let text = vocabulary.bytes(token).unwrap_or_default();
            by_measure.entry(measure(text)).or_default().push(token);
        }
        let ids = vocabulary.len();
        parts.extend(by_measure.into_values().map(|tokens| Arrival {
            to,
            told,
            tokens: TokenSet::new(tokens, ids),
        }));
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
    numbers: FxHashMap<(StateId, Told), u32>,
    reached: Vec<(StateId, Told, Vec<TokenId>)>,
    /// By state, where each byte leads.
    rows: Vec<[u32; 256]>,
    /// The states of each kind that are followed.
    kinds: FxHashMap<Kind, SmallVec<[StateId; 1]>>,
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
            kinds: FxHashMap::default(),
        };
        steps.number(StateId::DEAD, Told::Exactly);
        steps.number(start, Told::Exactly);
        steps
    }

    fn number(&mut self, state: StateId, told: Told) -> u32 {
        let next = self.reached.len() as u32;
        let number = *self.numbers.entry((state, told)).or_insert(next);
        if number == next {
            self.reached.push((state, told, Vec::new()));
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
        let (state, told, _) = self.reached[from as usize];
        let to = self.generation.advance_unrecorded(state, byte)?;
        self.work.charge(1)?;
        let to = match self.followed(to) {
            StateId::DEAD => Self::DEAD,
            same if same == to => self.number(to, told),
            other => self.number(other, Told::ByKind),
        };
        self.rows[from as usize][usize::from(byte)] = to;
        Ok(to)
    }

    /// The state itself, or the one that it is taken for.
    fn followed(&mut self, state: StateId) -> StateId {
        if state == StateId::DEAD || self.numbers.contains_key(&(state, Told::Exactly)) {
            return state;
        }
        let kind = Kind::of(self.generation, state);
        let followed = self.kinds.entry(kind).or_default();
        if followed.contains(&state) {
            return state;
        }
        if followed.len() < STATES_OF_A_KIND {
            followed.push(state);
            return state;
        }
        followed[0]
    }

    /// A state to which each of a class of characters leads from there, and the tokens of these, if there is one behind the first.
    ///
    /// PERF: of 200,000 tokens 190,000 are of such characters within a string. With it, the first mask within one under a deadline takes
    /// 0.4 ms for 4 (benches/LOG.md).
    fn run(&mut self, vocabulary: &Vocabulary) -> Result<Option<(u32, Run)>, LimitError> {
        for byte in [b'a', b'A', b'0'] {
            let home = self.next(Self::START, byte)?;
            let (state, told, _) = self.reached[home as usize];
            let [item] = self.generation.state(state).items[..] else {
                continue;
            };
            let run = Run::at(self.generation, vocabulary, item.pos)?;
            if let Some(run) = run.filter(|_| told == Told::Exactly)
                && self.returns(home, &run.leads)?
            {
                return Ok(Some((home, run)));
            }
        }
        Ok(None)
    }

    /// Whether the characters that begin with one of `leads` lead from the state `home` to it, and no other item is on their way.
    fn returns(&mut self, home: u32, leads: &ByteSet) -> Result<bool, LimitError> {
        for lead in leads.iter() {
            let mut at = self.next(home, lead)?;
            // A character has three more bytes at most.
            for _ in 0..3 {
                let (state, ..) = self.reached[at as usize];
                let state = self.generation.state(state);
                let next = state.live().iter().next();
                if let Some(byte) = next.filter(|_| at != home && state.items.len() == 1) {
                    at = self.next(at, byte)?;
                }
            }
            if at != home {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Walks the nodes of a subtree, the children of the root being read from the first state.
    fn walk(&mut self, trie: &Trie, nodes: Range<usize>) -> Result<(), LimitError> {
        let mut path = vec![Self::START];
        let mut index = nodes.start;
        while index < nodes.end {
            let entry = trie.nodes()[index];
            let node = NodeId::from_index(index);
            path.truncate(trie.depth(node));
            let to = self.next(path[path.len() - 1], entry.byte())?;
            if to == Self::DEAD {
                index = entry.end();
                continue;
            }
            self.arrive(to, trie.tokens(node));
            path.push(to);
            index += 1;
        }
        Ok(())
    }

    /// Reads the `text` of one token.
    fn follow(&mut self, text: &[u8], token: TokenId) -> Result<(), LimitError> {
        let mut at = Self::START;
        for &byte in text {
            at = self.next(at, byte)?;
            if at == Self::DEAD {
                return Ok(());
            }
        }
        self.arrive(at, &[token]);
        Ok(())
    }

    fn arrive(&mut self, at: u32, tokens: &[TokenId]) {
        self.reached[at as usize].2.extend_from_slice(tokens);
    }

    /// The states to which tokens lead, of a vocabulary of so many ids.
    fn finish(self, ids: usize) -> Vec<Arrival> {
        let reached = self.reached.into_iter();
        let reached = reached.filter(|(.., tokens)| !tokens.is_empty());
        let sets = reached.map(|(to, told, tokens)| Arrival {
            to,
            told,
            tokens: TokenSet::new(tokens, ids),
        });
        sets.collect()
    }
}
