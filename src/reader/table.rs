//! Sets of places as an automaton, made as far as a text visits it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::places::{Controls, Marks, On, Owner, PlaceId, Places};
use crate::base::{ControlId, Interner};
use crate::front::chat::Skeleton;

/// How many places, and how many sets of them, are kept before the automaton is made anew.
const MOST_PLACES: usize = 1 << 16;
const MOST_SETS: usize = 1 << 12;

/// An interned set of places.
pub(super) type SetId = u32;

/// What is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Symbol {
    Byte(u8),
    Control(ControlId),
}

/// Where a step leads a part of a set: places that agree on what was passed and whose the symbol is.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub(super) marks: Marks,
    pub(super) owner: Owner,
    pub(super) to: SetId,
}

/// A number of a list of branches; 0 is for steps that were not taken so far.
type StepId = u32;

#[derive(Debug)]
pub(super) struct Table {
    skeleton: Arc<Skeleton>,
    controls: Arc<Controls>,
    places: Places,
    sets: Interner<Box<[PlaceId]>>,
    /// By set and byte.
    bytes: Vec<[StepId; 256]>,
    others: FxHashMap<(SetId, ControlId), StepId>,
    steps: Vec<Arc<[Branch]>>,
    /// By step, whose the byte is and where it leads, if that is one place without a boundary before it.
    plain: Vec<Option<(Owner, SetId)>>,
}

impl Table {
    pub(super) fn new(skeleton: Arc<Skeleton>, controls: Arc<Controls>) -> Self {
        Self {
            places: Places::new(skeleton.clone(), controls.clone()),
            skeleton,
            controls,
            sets: Interner::default(),
            bytes: Vec::new(),
            others: FxHashMap::default(),
            steps: vec![Arc::new([])],
            plain: vec![None],
        }
    }

    pub(super) fn start(&mut self) -> SetId {
        let start = self.places.start();
        self.set(vec![start])
    }

    fn set(&mut self, mut places: Vec<PlaceId>) -> SetId {
        places.sort_unstable();
        places.dedup();
        let (set, is_new) = self.sets.intern(places.into());
        if is_new {
            self.bytes.push([0; 256]);
        }
        set
    }

    /// The places of two sets.
    pub(super) fn union(&mut self, left: SetId, right: SetId) -> SetId {
        let both = [&self.sets.get(left)[..], &self.sets.get(right)[..]].concat();
        self.set(both)
    }

    /// Where a symbol leads from a set: nowhere, or to the parts that agree.
    pub(super) fn step(&mut self, set: SetId, symbol: Symbol) -> &Arc<[Branch]> {
        let known = match symbol {
            Symbol::Byte(byte) => self.bytes[set as usize][usize::from(byte)],
            Symbol::Control(control) => self.others.get(&(set, control)).copied().unwrap_or(0),
        };
        let step = if known == 0 {
            self.make(set, symbol)
        } else {
            known
        };
        &self.steps[step as usize]
    }

    /// Where a byte leads from a set, and whose it is, if that is known and there is one way, without a boundary before it.
    pub(super) fn plain(&self, set: SetId, byte: u8) -> Option<(Owner, SetId)> {
        self.plain[self.bytes[set as usize][usize::from(byte)] as usize]
    }

    fn make(&mut self, set: SetId, symbol: Symbol) -> StepId {
        let mut parts: Vec<((Marks, Owner), Vec<PlaceId>)> = Vec::new();
        for place in self.sets.get(set).clone() {
            let ways = self.places.ways(place);
            for way in ways.on.iter().filter(|way| takes(way.on, symbol)) {
                let key = (way.marks.clone(), way.owner);
                match parts.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, places)) => places.push(way.to),
                    None => parts.push((key, vec![way.to])),
                }
            }
        }
        let branches = parts.into_iter().map(|((marks, owner), places)| Branch {
            marks,
            owner,
            to: self.set(places),
        });
        let branches: Arc<[Branch]> = branches.collect();
        self.plain.push(match &branches[..] {
            [only] if only.marks.is_empty() => Some((only.owner, only.to)),
            _ => None,
        });
        self.steps.push(branches);
        let step = self.steps.len() as StepId - 1;
        match symbol {
            Symbol::Byte(byte) => self.bytes[set as usize][usize::from(byte)] = step,
            Symbol::Control(control) => drop(self.others.insert((set, control), step)),
        }
        step
    }

    /// What is passed where a turn ends in a set, in each way that it can.
    pub(super) fn ends(&mut self, set: SetId) -> Vec<Marks> {
        let mut ends: Vec<Marks> = Vec::new();
        for place in self.sets.get(set).clone() {
            for marks in &self.places.ways(place).ends {
                if !ends.contains(marks) {
                    ends.push(marks.clone());
                }
            }
        }
        ends
    }

    /// The table, in whose place an empty one is left.
    pub(super) fn take(&mut self) -> Self {
        let empty = Self::new(self.skeleton.clone(), self.controls.clone());
        std::mem::replace(self, empty)
    }

    /// Whether so much was made that it is better made anew.
    pub(super) fn is_full(&self) -> bool {
        self.places.len() > MOST_PLACES || self.bytes.len() > MOST_SETS
    }

    /// Makes the automaton anew, with these sets, whose numbers change.
    pub(super) fn renew<'a>(&mut self, sets: impl Iterator<Item = &'a mut SetId>) {
        let mut fresh = Self::new(self.skeleton.clone(), self.controls.clone());
        for set in sets {
            let places = self.sets.get(*set).iter();
            let places = places.map(|&place| self.places.carry(place, &mut fresh.places));
            let places = places.collect();
            *set = fresh.set(places);
        }
        *self = fresh;
    }
}

fn takes(on: On, symbol: Symbol) -> bool {
    match (on, symbol) {
        (On::Bytes(lo, hi), Symbol::Byte(byte)) => (lo..=hi).contains(&byte),
        (On::Control(own), Symbol::Control(control)) => own == control,
        _ => false,
    }
}
