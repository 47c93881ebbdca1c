//! What look-aheads that were passed ask of the rest of the text.

use rustc_hash::FxHashMap;

use super::ast::{Look, Polarity};
use super::gap::Before;
use super::table::DEAD;
use crate::base::LimitError;

/// The automaton of a look-ahead: its body, then anything.
pub(super) trait LookAhead {
    /// Where it begins.
    fn start(&self, before: Before) -> u32;

    /// Whether it accepts whatever follows `state`. It may be that it says so a character later.
    fn is_universal(&self, state: u32) -> bool;

    /// The state after `state` and a code point of `class`.
    fn next(&mut self, state: u32, class: u32) -> Result<u32, LimitError>;

    /// Whether the text may end at `state`.
    fn accepts(&mut self, state: u32) -> Result<bool, LimitError>;
}

/// The number of the empty set of obligations.
pub(super) const NO_OBLIGATION: u32 = 0;

/// Sets of states of look-aheads' automata, numbered.
pub(super) struct Obligations<'l, 'a> {
    looks: &'l mut [Box<dyn LookAhead + 'a>],
    sets: Vec<Vec<(Look, u32)>>,
    numbers: FxHashMap<Vec<(Look, u32)>, u32>,
}

/// What is known of an obligation.
enum Fate {
    Open,
    Fulfilled,
    Refuted,
}

impl<'l, 'a> Obligations<'l, 'a> {
    pub(super) fn new(looks: &'l mut [Box<dyn LookAhead + 'a>]) -> Self {
        let mut new = Self {
            looks,
            sets: Vec::new(),
            numbers: FxHashMap::default(),
        };
        new.intern(Vec::new());
        new
    }

    fn intern(&mut self, mut set: Vec<(Look, u32)>) -> u32 {
        set.sort_unstable();
        set.dedup();
        let sets = &mut self.sets;
        *self.numbers.entry(set).or_insert_with_key(|set| {
            sets.push(set.clone());
            sets.len() as u32 - 1
        })
    }

    fn fate(&self, look: Look, state: u32) -> Fate {
        let matched = self.looks[look.body as usize].is_universal(state);
        match look.polarity {
            Polarity::Positive if matched => Fate::Fulfilled,
            Polarity::Positive if state == DEAD => Fate::Refuted,
            Polarity::Negative if matched => Fate::Refuted,
            Polarity::Negative if state == DEAD => Fate::Fulfilled,
            _ => Fate::Open,
        }
    }

    /// The set `number` and `look` beginning here, unless it is refuted at once.
    pub(super) fn add(&mut self, number: u32, look: Look, before: Before) -> Option<u32> {
        let state = self.looks[look.body as usize].start(before);
        match self.fate(look, state) {
            Fate::Refuted => None,
            Fate::Fulfilled => Some(number),
            Fate::Open => {
                let mut set = self.sets[number as usize].clone();
                set.push((look, state));
                Some(self.intern(set))
            }
        }
    }

    /// The set `number` after a code point of `class`, unless one of it is refuted.
    pub(super) fn step(&mut self, number: u32, class: u32) -> Result<Option<u32>, LimitError> {
        if number == NO_OBLIGATION {
            return Ok(Some(number));
        }
        let mut set = Vec::new();
        for &(look, state) in &self.sets[number as usize] {
            let state = self.looks[look.body as usize].next(state, class)?;
            match self.fate(look, state) {
                Fate::Refuted => return Ok(None),
                Fate::Fulfilled => {}
                Fate::Open => set.push((look, state)),
            }
        }
        Ok(Some(self.intern(set)))
    }

    /// Whether all of the set `number` hold if the text ends here.
    pub(super) fn at_end(&mut self, number: u32) -> Result<bool, LimitError> {
        for &(look, state) in &self.sets[number as usize] {
            let matched = self.looks[look.body as usize].accepts(state)?;
            if matched != (look.polarity == Polarity::Positive) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
