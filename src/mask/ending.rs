//! Tokens that end a rule and survive behind it.

use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustc_hash::FxHashMap;

use super::crossing::Crossed;
use super::places::{Over, Place};
use super::suffix::{Ended, Suffixes};
use crate::base::{LimitError, TokenId};
use crate::grammar::Words;
use crate::machine::{Generation, Item, Origin, Pos};
use crate::vocab::{Rank, Vocabulary};

/// The position whose exits are meant, which of them, and where callers go on.
type EndingKey = (Pos, u32, Place);

/// Over this many, what is remembered of endings is forgotten and begun afresh.
const MOST_ENDINGS: usize = 1 << 14;

/// Which tokens survive their suffixes, by where its callers go on: positions that shadow
/// the same one before the same continuation need not try them again.
#[derive(Debug, Default)]
pub(super) struct Endings {
    known: Mutex<FxHashMap<EndingKey, Arc<Ending>>>,
}

/// Tokens that end a rule and survive.
#[derive(Debug, Default)]
pub(super) struct Ending {
    pub(super) tokens: Vec<TokenId>,
    /// How many bytes of each end the rule.
    taken: Vec<u16>,
    /// The ranks of the first of them, ascending.
    pub(super) ranks: Vec<Rank>,
    measures: OnceLock<EndingMeasures>,
}

/// What the bytes that end a rule measure.
#[derive(Debug)]
pub(super) struct EndingMeasures {
    /// By token.
    pub(super) each: Box<[u32]>,
    /// The least and the greatest.
    pub(super) range: RangeInclusive<u32>,
}

impl Ending {
    /// Adds a token.
    pub(super) fn push(&mut self, (token, taken): Ended) {
        self.tokens.push(token);
        self.taken.push(taken);
    }

    /// The tokens of a crossing that stay there.
    pub(super) fn staying(crossed: &Crossed) -> Self {
        Self {
            tokens: crossed.tokens().to_vec(),
            taken: crossed.taken().to_vec(),
            ranks: crossed.ranks().to_vec(),
            measures: OnceLock::new(),
        }
    }

    /// So many bytes at most end the rule.
    pub(super) fn longest(&self) -> u16 {
        self.taken.iter().copied().max().unwrap_or(0)
    }

    /// The bytes of the token with this `index` that end the rule.
    pub(super) fn text<'v>(&self, vocabulary: &'v Vocabulary, index: usize) -> &'v [u8] {
        let bytes = vocabulary.bytes(self.tokens[index]).unwrap_or_default();
        &bytes[..usize::from(self.taken[index])]
    }

    /// What they measure, told by `measure` for the position that is shadowed.
    pub(super) fn measures(
        &self,
        vocabulary: &Vocabulary,
        measure: impl Fn(&[u8]) -> u32,
    ) -> &EndingMeasures {
        self.measures.get_or_init(|| {
            let texts = (0..self.tokens.len()).map(|index| self.text(vocabulary, index));
            let each: Box<[u32]> = texts.map(measure).collect();
            let ends =
                |&first| (each.iter()).fold((first, first), |(a, b), &m| (m.min(a), m.max(b)));
            let (least, greatest) = each.first().map_or((0, 0), ends);
            EndingMeasures {
                range: least..=greatest,
                each,
            }
        })
    }
}

impl Endings {
    /// The tokens that end the rule of `item` by the `index`th exit of the position at `source`,
    /// and survive where its callers go on.
    pub(super) fn get(
        &self,
        over: Over<'_>,
        item: Item,
        (source, index): (Pos, u32),
        (exit, suffixes): &(Words, Suffixes),
        walk: impl FnOnce(Place, &mut Ending) -> Result<(), LimitError>,
    ) -> Result<Arc<Ending>, LimitError> {
        let mut ending = Ending::default();
        let Some(after) = after(over.generation, item, exit)? else {
            let whole = suffixes.whole(over.vocabulary.trie());
            whole.for_each(|ended| ending.push(ended));
            return Ok(Arc::new(ending));
        };
        let key = (source, index, after);
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ending) = known().get(&key) {
            return Ok(ending.clone());
        }
        walk(after, &mut ending)?;
        let ending = Arc::new(ending);
        let mut known = known();
        if known.len() >= MOST_ENDINGS {
            known.clear();
        }
        known.insert(key, ending.clone());
        Ok(ending)
    }
}

/// Where callers go on when the rule of `item` has ended with `exit`; `None` where nobody waits for it.
fn after(generation: &Generation, item: Item, exit: &[u32]) -> Result<Option<Place>, LimitError> {
    if item.origin == Origin::BOTTOM {
        return Ok(None);
    }
    let (inst, exit) = (generation.inst(item.pos), generation.exit(exit));
    let left = generation.leave(inst, exit, item.origin)?;
    Ok(Some(Place::of(left)))
}

/// Calls `allow` with the tokens that end the rule of `item` and survive where its callers go on.
pub(super) fn ended(
    over: Over<'_>,
    item: Item,
    (exit, suffixes): &(Words, Suffixes),
    allow: impl FnMut(Ended),
) -> Result<(), LimitError> {
    match after(over.generation, item, exit)? {
        Some(after) => suffixes.walk(over, after, allow),
        None => {
            suffixes.whole(over.vocabulary.trie()).for_each(allow);
            Ok(())
        }
    }
}
