//! What becomes of tokens that are on the way to a call, alike wherever that way is.
//!
//! A token that goes on over a separator into what is called there does so wherever the same separator leads to the
//! same rule, in all grammars. Only the tokens that come out behind the callee are tried in each place.

use std::sync::Arc;

use super::passage::{At, Passage, To};
use super::places::{Over, Place, Places};
use super::suffix::{Ended, SuffixTrie};
use crate::base::{LimitError, TokenId};
use crate::grammar::Words;
use crate::machine::{Exit, Generation, Item, StateId};
use crate::vocab::{Rank, Vocabulary};

/// What becomes of tokens in a passage.
#[derive(Debug)]
pub(super) struct Crossing {
    /// Those that stay in it, or within what it calls, in the order of their ranks.
    tokens: Box<[TokenId]>,
    ranks: Box<[Rank]>,
    /// How many of their bytes came before.
    taken: Box<[u16]>,
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
        let trie = over.vocabulary.trie();
        let tokens = suffixes.tokens().iter().zip(&stays);
        let tokens = tokens.filter(|(_, stays)| **stays).map(|(ended, _)| ended);
        let staying = suffixes.whole().iter().chain(tokens);
        let mut staying: Vec<(Rank, u16)> = staying
            .map(|&(token, taken)| (trie.rank(token), taken))
            .collect();
        staying.sort_unstable();
        Ok(Some(Self {
            behind: behind.collect(),
            tokens: staying.iter().map(|&(rank, _)| trie.token(rank)).collect(),
            ranks: staying.iter().map(|&(rank, _)| rank).collect(),
            taken: staying.iter().map(|&(_, taken)| taken).collect(),
        }))
    }

    pub(super) fn bytes(&self) -> usize {
        let behind = self.behind.iter();
        let behind = behind.map(|behind| size_of::<Behind>() + behind.suffixes.bytes());
        let each = size_of::<(TokenId, Rank, u16)>();
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
            let read = usize::from(taken) + suffixes.depth(node);
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

    /// Their ranks, ascending.
    pub(super) fn ranks(&self) -> &[Rank] {
        &self.crossing.ranks
    }

    /// How many bytes of each came before.
    pub(super) fn taken(&self) -> &[u16] {
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
