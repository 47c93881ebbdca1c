//! What look-aheads that were passed ask of the rest of the text.

use rustc_hash::FxHashMap;

use super::ast::{Look, Polarity};
use super::gap::Before;
use super::table::{DEAD, Table};

/// The number of the empty set of obligations.
pub(super) const NO_OBLIGATION: u32 = 0;

/// Sets of states of look-aheads' automata, numbered.
pub(super) struct Obligations<'a> {
    looks: &'a [Table],
    sets: Vec<Vec<(Look, u32)>>,
    numbers: FxHashMap<Vec<(Look, u32)>, u32>,
}

/// What is known of an obligation.
enum Fate {
    Open,
    Fulfilled,
    Refuted,
}

impl<'a> Obligations<'a> {
    pub(super) fn new(looks: &'a [Table]) -> Self {
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
        let matched = self.looks[look.body as usize].universal() == Some(state);
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
        let state = self.looks[look.body as usize].starts[before as usize];
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
    pub(super) fn step(&mut self, number: u32, class: u32) -> Option<u32> {
        if number == NO_OBLIGATION {
            return Some(number);
        }
        let mut set = Vec::new();
        for &(look, state) in &self.sets[number as usize] {
            let state = self.looks[look.body as usize].next(state, class);
            match self.fate(look, state) {
                Fate::Refuted => return None,
                Fate::Fulfilled => {}
                Fate::Open => set.push((look, state)),
            }
        }
        Some(self.intern(set))
    }

    /// Whether all of the set `number` hold if the text ends here.
    pub(super) fn at_end(&self, number: u32) -> bool {
        self.sets[number as usize].iter().all(|&(look, state)| {
            let matched = self.looks[look.body as usize].accepts(state);
            matched == (look.polarity == Polarity::Positive)
        })
    }
}
