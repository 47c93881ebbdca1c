//! What one position of a rule contributes to a mask, whoever called the rule.

use std::collections::hash_map::Entry;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use super::measures::Measures;
use super::places::{Over, Place, Places, Wanted};
use super::representation::Row;
use super::slice::Slice;
use super::suffix::Suffixes;
use super::walk::{self, Below, Tour};
use crate::base::{LimitError, TokenId};
use crate::grammar::Words;
use crate::machine::{Exit, Item, Origin, Pos, StateId};
use crate::vocab::{NodeId, Rank, row};

/// What a rule's description says: a number that is never given again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Content(u64);

impl Content {
    pub(super) const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number, in words.
    pub(super) fn words(self) -> [u32; 2] {
        [self.0 as u32, (self.0 >> 32) as u32]
    }
}

/// A rule's content and a position in it: equal keys, equal contributions.
pub(super) type RuleKey = (Content, Words);

/// From this many tokens on, a row is kept instead of a list.
const ROW_FROM: usize = 1024;
/// A rule whose tokens can end it in more places than this is walked in its context instead.
const MOST_EXITS: usize = 40_000;
/// Where fewer nodes lie below, they are walked faster than looked up in a slice.
const WORTH_SLICING: usize = 32;
/// Where fewer tokens lie below, no slice is made for them.
const WORTH_A_SLICE: usize = 2048;
/// Where so many places were asked for their slices, there is no end to them.
const MOST_SLICES: usize = 16;

/// The tokens that stay within the rule.
#[derive(Clone, Debug)]
pub(super) enum Inside {
    Row(Row),
    /// Ascending.
    List(Box<[TokenId]>),
}

impl Inside {
    fn contains(&self, token: TokenId) -> bool {
        match self {
            Self::Row(row) => row::contains(row, token),
            Self::List(list) => list.binary_search(&token).is_ok(),
        }
    }
}

/// What a position contributes.
#[derive(Debug)]
pub(super) struct Contribution {
    pub(super) inside: Inside,
    /// By exit, in words, since exits are numbered by each generation for itself.
    pub(super) exits: Box<[(Words, Suffixes)]>,
    /// The tokens of the class that the position absorbs, and where they lead, if to one position.
    pub(super) slice: Option<(Row, Words)>,
    /// For those that shadow this position: of all tokens, or of long ones only.
    pub(super) measures: [OnceLock<Arc<Measures>>; 3],
}

impl Contribution {
    /// Computes what `pos` contributes; `None` where that is too much to keep.
    ///
    /// Of a position that is like another but for the texts that end its rule, `wider` is the other's.
    pub(super) fn new(
        over: Over<'_>,
        pos: Pos,
        wider: Option<&Self>,
    ) -> Result<Option<Self>, LimitError> {
        let Over {
            generation,
            vocabulary,
            ..
        } = over;
        let mut collector = Collector::new(over);
        if let Some(wider) = wider {
            let trie = vocabulary.trie();
            let exits = wider.exits.iter();
            let ending = exits.flat_map(|(_, suffixes)| suffixes.all(trie));
            collector.one_by_one(pos, trie.ranked(ending))?;
            return Ok(collector.with_inside(wider.inside.clone()));
        }
        let sliced = Slice::at(generation, pos)?.and_then(|absorbed| {
            let slice = absorbed.row(vocabulary);
            let candidates = absorbed.candidates(vocabulary, &slice)?;
            Some((absorbed.home, candidates, slice))
        });
        let Some((home, candidates, slice)) = sliced else {
            collector.walk(pos)?;
            return Ok(collector.finish(None));
        };
        collector.one_by_one(pos, candidates)?;
        let home = home.and_then(|home| generation.words(home).cloned());
        Ok(collector.finish(Some(&slice)).map(|mask| Self {
            slice: home.map(|home| (slice, home)),
            ..mask
        }))
    }

    pub(super) fn bytes(&self) -> usize {
        let inside = match &self.inside {
            Inside::Row(row) => row.len() * 4,
            Inside::List(list) => list.len() * 4,
        };
        let slice = self.slice.as_ref().map_or(0, |(row, _)| row.len() * 4);
        inside
            + slice
            + self
                .exits
                .iter()
                .map(|(_, trie)| trie.bytes())
                .sum::<usize>()
            + 256
    }
}

/// The slices of the places of a walk.
///
/// PERF: cold masks take 1.08 times as long without (benches/LOG.md).
#[derive(Default)]
struct Slices {
    /// By place, what it absorbs, if it does.
    classes: FxHashMap<u32, Option<Slice>>,
    /// By place and the first byte of the way there, if that is a stranger.
    rows: FxHashMap<(u32, Option<u8>), Row>,
}

impl Slices {
    /// Which of the tokens `below` need not be walked from the place of that `number`, at `pos`; the row says nothing of
    /// others.
    fn get(
        &mut self,
        over: Over<'_>,
        (number, pos): (u32, Pos),
        mut below: impl ExactSizeIterator<Item = Rank>,
    ) -> Result<Option<&Row>, LimitError> {
        let vocabulary = over.vocabulary;
        let is_large = below.len() >= WORTH_A_SLICE;
        let Some(rank) = below.next() else {
            return Ok(None);
        };
        let made = self.classes.len();
        let class = match self.classes.entry(number) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(_) if !is_large || made == MOST_SLICES => return Ok(None),
            Entry::Vacant(new) => new.insert(Slice::at(over.generation, pos)?),
        };
        let Some(class) = class else {
            return Ok(None);
        };
        let stranger = class.stranger(vocabulary.trie().text(rank)[0]);
        Ok(match self.rows.entry((number, stranger)) {
            Entry::Occupied(known) => Some(known.into_mut()),
            Entry::Vacant(_) if !is_large => None,
            Entry::Vacant(new) => Some(new.insert(match stranger {
                Some(stranger) => class.row_after(vocabulary, stranger),
                None => class.row(vocabulary),
            })),
        })
    }
}

struct Collector<'a> {
    over: Over<'a>,
    inside: Vec<TokenId>,
    /// Tokens that end the rule, with the bytes that do.
    ended: Vec<(Exit, Rank, u32)>,
    /// Places in the trie where the rule may end, for every token from there on.
    ends: Vec<(Exit, NodeId)>,
    /// The same where nothing else can happen.
    done: Vec<(Exit, NodeId)>,
}

/// What ends a rule with one exit.
#[derive(Default)]
struct Exits {
    nodes: Vec<NodeId>,
    others: Vec<(Rank, u32)>,
}

impl<'a> Collector<'a> {
    fn new(over: Over<'a>) -> Self {
        Self {
            over,
            inside: Vec::new(),
            ended: Vec::new(),
            ends: Vec::new(),
            done: Vec::new(),
        }
    }

    /// Tries the candidates of an absorbing position one by one.
    fn one_by_one(&mut self, pos: Pos, candidates: Vec<Rank>) -> Result<(), LimitError> {
        let start = self.over.generation.enter(pos, Origin::BOTTOM)?;
        let mut places = Places::new(self.over, Place::State(start));
        let from = (Places::START, 0);
        self.run(&mut places, from, candidates.into_iter())
    }

    /// Tries tokens from a place on that their first bytes lead to.
    fn run(
        &mut self,
        places: &mut Places<'_>,
        (from, before): (u32, usize),
        tokens: impl Iterator<Item = Rank>,
    ) -> Result<(), LimitError> {
        let trie = self.over.vocabulary.trie();
        for rank in tokens {
            if self.try_one(places, (from, before), rank)? {
                self.inside.push(trie.token(rank));
            }
        }
        Ok(())
    }

    /// Tries one token, and notes where the rule may end in it; whether it stays inside the rule.
    fn try_one(
        &mut self,
        places: &mut Places<'_>,
        (from, before): (u32, usize),
        rank: Rank,
    ) -> Result<bool, LimitError> {
        let generation = self.over.generation;
        let token = self.over.vocabulary.trie().text(rank);
        let mut at = from;
        for (index, &byte) in token.iter().enumerate().skip(before) {
            at = match index + 1 == token.len() {
                true => places.last(at, byte)?,
                false => places.next(at, byte)?,
            };
            if let Place::State(state) = places.place(at) {
                let here = generation.state(state);
                if here.accepting {
                    let exits = generation.exits(state);
                    let ended = exits.map(|exit| (exit, rank, index as u32 + 1));
                    self.ended.extend(ended);
                }
                if here.is_over() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Walks the trie from the position's own edges.
    fn walk(&mut self, pos: Pos) -> Result<(), LimitError> {
        let vocabulary = self.over.vocabulary;
        let mut places = self.begin(pos);
        let mut slices = Slices::default();
        let behind = walk::behind_spaces(&mut places)?;
        // Elsewhere the rule may end in each of them.
        let behind = behind.filter(|&behind| matches!(places.place(behind), Place::Item(_)));
        if behind.is_some() {
            self.inside.extend_from_slice(vocabulary.spaces().tokens());
        }
        let tour = Tour {
            vocabulary,
            wanted: Wanted::Survival,
        };
        walk::from_start(&mut places, tour, behind, |places, node, number| {
            self.visit(places, &mut slices, (node, number))
        })
    }

    /// The places of a walk from the position, for which nobody waits.
    fn begin(&self, pos: Pos) -> Places<'a> {
        let item = Item {
            pos,
            origin: Origin::BOTTOM,
        };
        Places::new(self.over, Place::Item(item))
    }

    /// Takes in a node where a walk is alive, at the place of that `number`.
    fn visit(
        &mut self,
        places: &mut Places<'_>,
        slices: &mut Slices,
        (node, number): (NodeId, u32),
    ) -> Result<Below, LimitError> {
        let trie = self.over.vocabulary.trie();
        let item = match places.place(number) {
            Place::Item(item) => item,
            Place::Onward => {
                self.inside.extend_from_slice(trie.tokens(node));
                return Ok(Below::Walk);
            }
            Place::State(state) => return Ok(self.alive(node, state)),
        };
        self.inside.extend_from_slice(trie.tokens(node));
        if trie.subtree_size(node) < WORTH_SLICING {
            return Ok(Below::Walk);
        }
        let below = trie.ranks_below(node);
        let Some(slice) = slices.get(self.over, (number, item.pos), below.clone())? else {
            return Ok(Below::Walk);
        };
        let (before, most) = (self.inside.len(), below.len() / 4);
        let mut others = Vec::new();
        for rank in below {
            let token = trie.token(rank);
            if row::contains(slice, token) {
                self.inside.push(token);
            } else if others.len() < most {
                others.push(rank);
            } else {
                // Walking tokens one by one costs more than walking what they share.
                self.inside.truncate(before);
                return Ok(Below::Walk);
            }
        }
        let depth = trie.depth(node);
        self.run(places, (number, depth), others.into_iter())?;
        Ok(Below::Skip)
    }

    fn alive(&mut self, node: NodeId, state: StateId) -> Below {
        let Over {
            generation,
            vocabulary,
            ..
        } = self.over;
        let known = generation.state(state);
        if !known.is_over() {
            self.inside
                .extend_from_slice(vocabulary.trie().tokens(node));
        }
        if known.accepting {
            let ends = match known.is_over() {
                true => &mut self.done,
                false => &mut self.ends,
            };
            ends.extend(generation.exits(state).map(|exit| (exit, node)));
        }
        match known.is_over() {
            true => Below::Skip,
            false => Below::Walk,
        }
    }

    /// What ends the rule and does not stay `inside`, by exit; `None` where that is too much.
    fn exits(&self, inside: &Inside) -> Option<Vec<(Exit, Exits)>> {
        let trie = self.over.vocabulary.trie();
        let mut exits: Vec<(Exit, Exits)> = Vec::new();
        let mut count = 0;
        for &(exit, node) in &self.done {
            count += trie.subtree_tokens(node).len();
            exits_with(&mut exits, exit).nodes.push(node);
        }
        let mut add = |exit: Exit, rank: Rank, taken: u32| {
            if !inside.contains(trie.token(rank)) {
                count += 1;
                exits_with(&mut exits, exit).others.push((rank, taken));
            }
        };
        self.ended
            .iter()
            .for_each(|&(exit, rank, taken)| add(exit, rank, taken));
        for &(exit, node) in &self.ends {
            let taken = trie.depth(node) as u32;
            let ranks = trie.subtree_ranks(node);
            (ranks.start.get()..ranks.end.get()).for_each(|rank| add(exit, Rank::new(rank), taken));
        }
        (count <= MOST_EXITS).then_some(exits)
    }

    /// What is collected, with the tokens of a slice.
    fn finish(mut self, slice: Option<&Row>) -> Option<Contribution> {
        if slice.is_none() && self.inside.len() < ROW_FROM {
            self.inside.sort_unstable();
            let list = std::mem::take(&mut self.inside);
            return self.with_inside(Inside::List(list.into()));
        }
        let mut inside = row::empty(self.over.vocabulary.len());
        if let Some(slice) = slice {
            row::copy(&mut inside, slice);
        }
        for &token in &self.inside {
            row::insert(&mut inside, token);
        }
        self.with_inside(Inside::Row(inside.into()))
    }

    /// What is collected, with the tokens that stay inside.
    fn with_inside(self, inside: Inside) -> Option<Contribution> {
        let generation = self.over.generation;
        let trie = self.over.vocabulary.trie();
        let mut exits = Vec::new();
        for (exit, Exits { nodes, others }) in self.exits(&inside)? {
            let others = others.iter().map(|&(rank, taken)| {
                let suffix = &trie.text(rank)[taken as usize..];
                (suffix, trie.token(rank), taken)
            });
            let suffixes = Suffixes::new(trie, nodes, others.collect());
            exits.push((generation.exit_words(exit), suffixes));
        }
        Some(Contribution {
            inside,
            exits: exits.into(),
            slice: None,
            measures: Default::default(),
        })
    }
}

/// What ends the rule with `exit`.
fn exits_with(exits: &mut Vec<(Exit, Exits)>, exit: Exit) -> &mut Exits {
    let index = exits.iter().position(|(known, _)| *known == exit);
    let index = index.unwrap_or_else(|| {
        exits.push((exit, Exits::default()));
        exits.len() - 1
    });
    &mut exits[index].1
}
