//! What becomes of tokens that are on the way to a call, alike wherever that way is.
//!
//! A token that goes on over a separator into what is called there does so wherever the same separator leads to the
//! same rule, in all grammars. Only the tokens that come out behind the callee are tried in each place.
//!
//! PERF: p99 of cold masks is 1.05 times as long without crossings, the mean 1.02 times (benches/LOG.md).

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::places::{Over, Place, Places};
use super::rule::{Content, RuleKey};
use super::suffix::{Ended, SuffixTrie};
use crate::base::{ByteSet, LimitError, TokenId};
use crate::grammar::{Reading, Words};
use crate::machine::{Exit, Generation, Inst, Item, Pos, StateId};
use crate::vocab::{NodeId, Vocabulary};

/// Which tokens come to a passage.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Comers {
    /// Those that end a rule, by the exit of that index.
    Exit(RuleKey, u32),
    /// Those that begin with the bytes of a node of the vocabulary's trie.
    Below(NodeId),
}

/// Which tokens come to a passage, and what there is to say of it: equal keys, equal crossings.
pub(super) type CrossingKey = (Comers, Words);

/// What is known of a passage that was met.
#[derive(Clone, Debug)]
pub(super) enum Met {
    /// Nothing yet: hardly half of them are met again.
    Once,
    /// What becomes of tokens there; `None` where it parts.
    Often(Option<Arc<Crossing>>),
}

/// What becomes of tokens in a passage.
#[derive(Debug)]
pub(super) struct Crossing {
    /// Those that stay in it, or within what it calls.
    tokens: Box<[TokenId]>,
    /// How many of their bytes came before.
    taken: Box<[u32]>,
    behind: Box<[Behind]>,
}

/// What is left of tokens when a callee has ended.
#[derive(Debug)]
struct Behind {
    /// By which of the passage's positions it was called.
    index: usize,
    exit: Words,
    suffixes: SuffixTrie,
}

impl Crossing {
    /// Tries `suffixes` in the passage; `None` where that parts.
    pub(super) fn new(
        over: Over<'_>,
        passage: &Passage,
        suffixes: &SuffixTrie,
    ) -> Result<Option<Self>, LimitError> {
        let Some(Tried { stays, mut ended }) = tried(over.generation, passage, suffixes)? else {
            return Ok(None);
        };
        ended.sort_unstable();
        let alike = ended.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1));
        let behind = alike.map(|alike| {
            let nodes = alike.iter().map(|&(.., node)| node);
            Behind {
                index: alike[0].0,
                exit: over.generation.exit_words(alike[0].1),
                suffixes: left(over.vocabulary, suffixes, &stays, nodes),
            }
        });
        let tokens = suffixes.tokens().iter().zip(&stays);
        let tokens = tokens.filter(|(_, stays)| **stays).map(|(ended, _)| ended);
        let staying = || suffixes.whole().iter().chain(tokens.clone());
        Ok(Some(Self {
            tokens: staying().map(|&(token, _)| token).collect(),
            taken: staying().map(|&(_, taken)| taken).collect(),
            behind: behind.collect(),
        }))
    }

    pub(super) fn bytes(&self) -> usize {
        let behind = self.behind.iter();
        let behind = behind.map(|behind| size_of::<Behind>() + behind.suffixes.bytes());
        let each = size_of::<(TokenId, u32)>();
        self.tokens.len() * each + behind.sum::<usize>()
    }
}

/// What was found out of suffixes in a passage.
struct Tried {
    /// Which of them stay.
    stays: Vec<bool>,
    /// Where a callee has ended: by which position it was called, how it ended, and at which node.
    ended: Vec<(usize, Exit, usize)>,
}

/// Tries `suffixes` in the passage; `None` where that parts.
fn tried(
    generation: &Generation,
    passage: &Passage,
    suffixes: &SuffixTrie,
) -> Result<Option<Tried>, LimitError> {
    let mut stays = vec![false; suffixes.tokens().len()];
    let mut ended = Vec::new();
    let mut parts = false;
    let step = |from, byte, _| {
        let to = passage.step(generation, from, byte)?;
        parts |= matches!(to, To::Several);
        Ok(match to {
            To::One(to) => Some(to),
            To::Nowhere | To::Several => None,
        })
    };
    let start = (At::Position(0), passage.live(generation)?);
    suffixes.visit(start, step, |node, at| {
        let goes_on = match at {
            At::Position(_) => true,
            At::Within(index, inner) => {
                let state = generation.state(inner);
                if state.accepting {
                    ended.extend(generation.exits(inner).map(|exit| (index, exit, node)));
                }
                !state.is_over()
            }
        };
        if goes_on {
            stays[suffixes.at(node)].fill(true);
        }
    })?;
    Ok((!parts).then_some(Tried { stays, ended }))
}

/// What is left at `nodes` of those `suffixes` that come by, and do not stay.
fn left(
    vocabulary: &Vocabulary,
    suffixes: &SuffixTrie,
    stays: &[bool],
    nodes: impl Iterator<Item = usize>,
) -> SuffixTrie {
    let left = nodes.flat_map(|node| {
        let tokens = suffixes.by(node).filter(|&token| !stays[token]);
        tokens.map(move |token| {
            let (token, taken) = suffixes.tokens()[token];
            let bytes = vocabulary.bytes(token).unwrap_or_default();
            let read = taken as usize + suffixes.depth(node);
            (&bytes[read..], token, taken)
        })
    });
    SuffixTrie::new(left.collect())
}

/// What becomes of tokens in a passage that some item begins.
pub(super) struct Crossed {
    crossing: Arc<Crossing>,
    passage: Passage,
    start: Item,
}

impl Crossed {
    /// The `crossing` of the `passage` that begins at `start`.
    pub(super) fn new(crossing: Arc<Crossing>, passage: Passage, start: Item) -> Self {
        Self {
            crossing,
            passage,
            start,
        }
    }

    /// The tokens that stay in the passage.
    pub(super) fn tokens(&self) -> &[TokenId] {
        &self.crossing.tokens
    }

    /// How many bytes of each came before.
    pub(super) fn taken(&self) -> &[u32] {
        &self.crossing.taken
    }

    /// Calls `allow` with the tokens that come out behind a call, and survive.
    pub(super) fn behind(
        &self,
        over: Over<'_>,
        mut allow: impl FnMut(Ended),
    ) -> Result<(), LimitError> {
        let generation = over.generation;
        for behind in &self.crossing.behind {
            let exit = generation.exit(&behind.exit);
            let caller = self.passage.position(behind.index);
            let Some(pos) = generation.resumed(caller, exit) else {
                continue;
            };
            let place = Place::of(generation.arrive(Item { pos, ..self.start })?);
            if place != Place::State(StateId::DEAD) {
                let suffixes = &behind.suffixes;
                suffixes.whole().iter().copied().for_each(&mut allow);
                suffixes.walk(&mut Places::new(over, place), &mut allow)?;
            }
        }
        Ok(())
    }
}

/// So many positions a passage has at most.
const MOST_POSITIONS: usize = 2;

/// The positions that the own edges of one lead to, and what they call.
pub(super) struct Passage {
    positions: SmallVec<[Pos; MOST_POSITIONS]>,
    callees: SmallVec<[Option<Inst>; MOST_POSITIONS]>,
}

impl Passage {
    /// The passage from `start` on, if own edges and calls are all there is, and there is a call.
    pub(super) fn new(generation: &Generation, start: Pos) -> Option<Self> {
        let mut positions: SmallVec<[Pos; MOST_POSITIONS]> = smallvec![start];
        let mut callees = SmallVec::new();
        while let Some(&pos) = positions.get(callees.len()) {
            let node = generation.expand(pos);
            let callee = generation.sole_callee(pos);
            let is_plain = callee.is_some() || node.stays() && node.controls().is_empty();
            if !is_plain || node.reading != Reading::Passing {
                return None;
            }
            for edge in &node.edges {
                if positions.contains(&edge.to) {
                    continue;
                }
                if positions.len() == MOST_POSITIONS {
                    return None;
                }
                positions.push(edge.to);
            }
            callees.push(callee);
        }
        let calls = callees.iter().any(Option::is_some);
        calls.then_some(Self { positions, callees })
    }

    /// What there is to say of it but for where it is: equal keys, equal ways. `None` where a callee has
    /// no `content`.
    pub(super) fn key(
        &self,
        generation: &Generation,
        content: impl Fn(Inst) -> Option<Content>,
    ) -> Option<Words> {
        let mut key = Words::new();
        for (&pos, callee) in self.positions.iter().zip(&self.callees) {
            let edges = &generation.expand(pos).edges;
            key.push(edges.len() as u32 * 2 + u32::from(callee.is_some()));
            for edge in edges {
                let to = self.index(edge.to)? as u32;
                key.push(u32::from(edge.lo) << 16 | u32::from(edge.hi) << 8 | to);
            }
            if let Some(callee) = *callee {
                key.extend(content(callee)?.words());
            }
        }
        Some(key)
    }

    /// The bytes that lead on from where it begins.
    pub(super) fn live(&self, generation: &Generation) -> Result<ByteSet, LimitError> {
        let own = generation.expand(self.positions[0]).own_bytes();
        Ok(match self.callees[0] {
            Some(callee) => own.union(generation.state(generation.start_of(callee)?).live()),
            None => own,
        })
    }

    /// The position with this index.
    fn position(&self, index: usize) -> Pos {
        self.positions[index]
    }

    fn index(&self, pos: Pos) -> Option<usize> {
        self.positions.iter().position(|&known| known == pos)
    }

    /// Where `byte` leads.
    fn step(&self, generation: &Generation, from: At, byte: u8) -> Result<To, LimitError> {
        let (index, inner) = match from {
            At::Within(index, inner) => (index, inner),
            At::Position(index) => {
                let mut own = generation.expand(self.positions[index]).edges_on(byte);
                let start = match self.callees[index] {
                    Some(callee) => generation.start_of(callee)?,
                    None => StateId::DEAD,
                };
                let called = generation.state(start).live().contains(byte);
                match (own.next(), own.next(), called) {
                    (None, _, true) => (index, start),
                    (None, _, false) => return Ok(To::Nowhere),
                    (Some(edge), None, false) => {
                        let to = self.index(edge.to).map(At::Position);
                        return Ok(to.map_or(To::Nowhere, To::One));
                    }
                    _ => return Ok(To::Several),
                }
            }
        };
        if !generation.state(inner).live().contains(byte) {
            return Ok(To::Nowhere);
        }
        Ok(match generation.advance_unrecorded(inner, byte)? {
            StateId::DEAD => To::Nowhere,
            inner => To::One(At::Within(index, inner)),
        })
    }
}

/// Where in a passage a token is.
#[derive(Clone, Copy)]
enum At {
    /// At one of its positions.
    Position(usize),
    /// Within what that one calls, at a state for which nobody waits.
    Within(usize, StateId),
}

/// Where a byte leads in a passage.
enum To {
    Nowhere,
    One(At),
    Several,
}
