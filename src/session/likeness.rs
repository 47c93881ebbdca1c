//! What states have in common whose tokens lead alike, but for how much of them there may be.
//!
//! A string of which 100 characters may still come and one of which 40 may differ in which tokens go too far, and in what
//! is counted behind them. Tokens that lead to one state from the first, and are as long as each other, lead to one state from the
//! second as well: [`Shadow`] says so.

use smallvec::SmallVec;

use crate::grammar::{Ends, Shadow, Tails, Words};
use crate::machine::{Generation, Inst, Origin, Pos, StateId};

/// What the items of a state are like: by rule, callers, and the position that they are like.
pub(super) type Alike = SmallVec<[(Inst, Origin, Pos); 1]>;

/// The least and the greatest measure of what may come by an item.
type Measure = (u32, u32);

/// A state by what it is like.
#[derive(Debug)]
pub(super) struct Likeness {
    pub(super) alike: Alike,
    pub(super) measures: SmallVec<[Measure; 1]>,
}

impl Likeness {
    /// That of `state`.
    pub(super) fn of(generation: &Generation, state: StateId) -> Self {
        let kernel = &generation.state(state).kernel;
        let items = kernel.iter().map(|item| {
            let shadow = generation.shadow(item.pos).filter(is_only_bounded);
            let (like, measure) = match shadow {
                Some(shadow) => (generation.shadowed(&shadow), (shadow.least, shadow.most)),
                None => (item.pos, UNBOUNDED),
            };
            let inst = generation.inst(item.pos);
            ((inst, item.origin, like), measure, item.pos)
        });
        let mut items: SmallVec<[_; 1]> = items.collect();
        items.sort_unstable();
        // Where two items are like one position it cannot be told which bounds are whose.
        let is_twice = items.windows(2).any(|pair| pair[0].0 == pair[1].0);
        if is_twice {
            for ((_, _, like), measure, own) in &mut items {
                (*like, *measure) = (*own, UNBOUNDED);
            }
        }
        Self {
            alike: items.iter().map(|&(alike, ..)| alike).collect(),
            measures: items.iter().map(|&(_, measure, _)| measure).collect(),
        }
    }

    /// Whether whatever may come in a state that is like this one may come here, so that what is known of this one serves there.
    pub(super) fn covers(&self, other: &Self) -> bool {
        let mut pairs = self.measures.iter().zip(&other.measures);
        self.alike == other.alike && pairs.all(|(own, other)| own.0 <= other.0 && other.1 <= own.1)
    }

    /// How long `text` is for each item that is bounded.
    pub(super) fn measure(&self, generation: &Generation, text: &[u8]) -> SmallVec<[u32; 1]> {
        let items = self.alike.iter().zip(&self.measures);
        let bounded = items.filter(|&(_, &measure)| measure != UNBOUNDED);
        let told = bounded.filter_map(|(&(_, _, like), _)| generation.told(like));
        told.map(|(hints, words)| hints.measure(words, text))
            .collect()
    }

    /// Whether any item is bounded.
    pub(super) fn is_bounded(&self) -> bool {
        self.measures.iter().any(|&measure| measure != UNBOUNDED)
    }

    /// Whether what may come by each item has a greatest measure.
    pub(super) fn is_bounded_above(&self) -> bool {
        self.measures.iter().all(|&(_, most)| most < u32::MAX)
    }
}

/// What decides how far the end is in a state: of its items the rules, callers, and what their positions tell
/// ([`Hints::gist`](crate::grammar::Hints::gist)), where they tell it. States of one kind may differ in what was read.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Kind(SmallVec<[KindOfItem; 1]>);

/// What a position tells, or itself where it tells nothing.
type KindOfItem = (Inst, Origin, Result<Words, Pos>);

impl Kind {
    /// That of `state`.
    pub(super) fn of(generation: &Generation, state: StateId) -> Self {
        let kernel = &generation.state(state).kernel;
        let items = kernel.iter().map(|item| {
            let told = generation.gist(item.pos).ok_or(item.pos);
            (generation.inst(item.pos), item.origin, told)
        });
        let mut items: SmallVec<[KindOfItem; 1]> = items.collect();
        // A kernel is in the order of its positions, which states of one kind do not share.
        items.sort_by(|one, other| {
            let (told, other_told) = (one.2.as_deref(), other.2.as_deref());
            (one.0, one.1, told).cmp(&(other.0, other.1, other_told))
        });
        Self(items)
    }
}

const UNBOUNDED: Measure = (0, u32::MAX);

/// Whether a shadow cuts by measure alone.
fn is_only_bounded(shadow: &Shadow<'_>) -> bool {
    let is_bounded = (shadow.least, shadow.most) != UNBOUNDED;
    is_bounded
        && shadow.without == Tails::default()
        && shadow.except.is_empty()
        && shadow.memory.is_none()
        && shadow.ends == Ends::Same
}
