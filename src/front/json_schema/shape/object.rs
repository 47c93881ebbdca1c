//! Objects property by property.

use smallvec::SmallVec;

use super::{Choice, Hits};
use crate::base::graph::{self, Edges};
use crate::front::json_schema::config::PropertyOrder;
use crate::front::json_schema::values::{LanguageId, NameId, SetId};

/// Of which there are more keys than this, one is always left: as many cannot be read before a limit
/// is met.
pub(crate) const ENOUGH: usize = 1 << 20;

/// How the properties of an object may follow one another.
#[derive(Clone, Debug)]
pub(crate) struct ObjectShape {
    pub(crate) slots: Vec<Slot>,
    /// The keys of no slot, by class; no key is in two of them.
    pub(crate) others: Vec<Others>,
    pub(crate) least: u32,
    /// `u32::MAX` for no bound.
    pub(crate) most: u32,
    /// By clause, the slots whose absence fulfils it. What else does is said by choices.
    pub(crate) clauses: Vec<Vec<u32>>,
    /// By slot: where the first one is there, so is the second.
    pub(crate) implications: Vec<(u32, u32)>,
}

/// A key that is spelt out.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) name: NameId,
    pub(crate) required: bool,
    /// What the value may be.
    pub(crate) choices: SmallVec<[Choice; 1]>,
}

impl Slot {
    /// Whether the slot can have a value, given which sets have members.
    pub(crate) fn has_value(&self, known: impl Fn(SetId) -> bool) -> bool {
        self.choices.iter().any(|choice| known(choice.set))
    }
}

/// Keys that are not spelt out.
#[derive(Clone, Debug)]
pub(crate) struct Others {
    /// `None` for all keys but those of slots.
    pub(crate) keys: Option<LanguageId>,
    /// How many keys there are; `u32::MAX` for more than are ever used up ([`ENOUGH`]).
    pub(crate) count: u32,
    /// What their values may be.
    pub(crate) choices: SmallVec<[Choice; 1]>,
}

/// The properties so far, as far as they matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    /// In declared order: the first slot that may come next.
    pub(crate) next: u32,
    /// The slots that are there, as bits, where that must be known.
    pub(crate) seen: SmallVec<[u32; 2]>,
    /// How many properties there are, where that must be known.
    pub(crate) count: u32,
    /// Which clauses a value fulfils.
    pub(crate) met: Hits,
    /// By class of keys of no slot, how many are left; nothing where none can be used up.
    pub(crate) left: SmallVec<[u32; 1]>,
}

impl Progress {
    pub(crate) fn has(&self, slot: usize) -> bool {
        let word = self.seen.get(slot / 32);
        word.is_some_and(|word| word >> (slot % 32) & 1 == 1)
    }

    /// How many keys are left of a class of keys of no slot.
    pub(crate) fn left(&self, class: usize) -> u32 {
        self.left.get(class).copied().unwrap_or(u32::MAX)
    }

    fn add(&mut self, slot: usize) {
        if let Some(word) = self.seen.get_mut(slot / 32) {
            *word |= 1 << (slot % 32);
        }
    }
}

/// Which parts of an object have values at all.
#[derive(Debug)]
pub(crate) struct Usable {
    pub(crate) order: PropertyOrder,
    /// By slot, the choices that are left.
    pub(crate) slots: Box<[SmallVec<[Choice; 1]>]>,
    /// By class of other keys, the choices that are left.
    pub(crate) others: Box<[SmallVec<[Choice; 1]>]>,
}

impl ObjectShape {
    pub(crate) fn sets(&self) -> impl Iterator<Item = SetId> {
        let slots = self.slots.iter().flat_map(|slot| &slot.choices);
        let others = self.others.iter().flat_map(|others| &others.choices);
        slots.chain(others).map(|choice| choice.set)
    }

    pub(crate) fn is_counted(&self) -> bool {
        self.least > 0 || self.most < u32::MAX
    }

    /// Whether only the order of the slots and which of them are required matters.
    pub(crate) fn is_plain(&self) -> bool {
        !self.is_counted() && self.clauses.is_empty() && self.implications.is_empty()
    }

    /// How many parts are looked at to tell whether one key may come next, at most: one where only the order of the slots and what
    /// is required matters, else all slots, and all of them again for each clause.
    pub(crate) fn parts_per_key(&self) -> usize {
        match self.is_plain() {
            true => 1,
            false => self.slots.len().saturating_mul(4 + self.clauses.len()) / 8 + 1,
        }
    }

    /// Whether slots need each other in a circle.
    pub(crate) fn has_cycle(&self) -> bool {
        let mut edges: Edges = vec![Vec::new(); self.slots.len()];
        for &(slot, needed) in &self.implications {
            edges[slot as usize].push(needed as usize);
        }
        let components = graph::components(&edges);
        components
            .iter()
            .any(|component| graph::is_loop(component, &edges))
    }

    /// What of the shape is usable, given which sets have members.
    pub(crate) fn usable(&self, order: PropertyOrder, known: impl Fn(SetId) -> bool) -> Usable {
        let left = |choices: &SmallVec<[Choice; 1]>| {
            let choices = choices.iter().copied();
            choices.filter(|choice| known(choice.set)).collect()
        };
        Usable {
            order,
            slots: self.slots.iter().map(|slot| left(&slot.choices)).collect(),
            others: self
                .others
                .iter()
                .map(|others| left(&others.choices))
                .collect(),
        }
    }

    /// Nothing so far.
    pub(crate) fn start(&self, order: PropertyOrder) -> Progress {
        let related = !self.implications.is_empty() || !self.clauses.is_empty();
        let remembers = order == PropertyOrder::Any || related;
        let words = if remembers {
            self.slots.len().div_ceil(32)
        } else {
            0
        };
        let counts = self.others.iter().map(|others| others.count);
        let left = match counts.clone().all(|count| count == u32::MAX) {
            true => SmallVec::new(),
            false => counts.collect(),
        };
        Progress {
            seen: smallvec::smallvec![0; words],
            left,
            ..Progress::default()
        }
    }

    /// Whether `slot` has not been passed.
    pub(super) fn is_ahead(&self, usable: &Usable, progress: &Progress, slot: usize) -> bool {
        match usable.order {
            PropertyOrder::Declared => slot >= progress.next as usize,
            PropertyOrder::Any => !progress.has(slot),
        }
    }

    /// Whether `slot` is there already.
    pub(super) fn is_there(&self, usable: &Usable, progress: &Progress, slot: usize) -> bool {
        match usable.order {
            // What is required is not passed over.
            PropertyOrder::Declared if progress.seen.is_empty() => {
                slot < progress.next as usize && self.slots[slot].required
            }
            _ => progress.has(slot),
        }
    }

    pub(super) fn counted(&self, count: u32) -> u32 {
        match (self.is_counted(), self.most) {
            (false, _) => 0,
            (true, u32::MAX) => count.min(self.least),
            (true, _) => count,
        }
    }

    /// The progress once the key of `slot` is read; `None` where it may not come next.
    pub(crate) fn after_slot(
        &self,
        usable: &Usable,
        progress: &Progress,
        slot: usize,
    ) -> Option<Progress> {
        if usable.slots[slot].is_empty() || !self.is_ahead(usable, progress, slot) {
            return None;
        }
        let mut next = progress.clone();
        next.add(slot);
        if usable.order == PropertyOrder::Declared {
            next.next = slot as u32 + 1;
        }
        next.count = self.counted(progress.count.saturating_add(1));
        let passed = match usable.order {
            PropertyOrder::Declared => progress.next as usize..slot,
            PropertyOrder::Any => 0..0,
        };
        // What is required is not passed over.
        if self.slots[passed].iter().any(|slot| slot.required) {
            return None;
        }
        let mut choices = usable.slots[slot].iter();
        let live = self.is_plain()
            || choices.any(|&choice| self.after_value(usable, &next, choice).is_some());
        live.then_some(next)
    }

    /// The progress after a value that was chosen so, its key being read already; `None` where it
    /// may not be.
    pub(crate) fn after_value(
        &self,
        usable: &Usable,
        progress: &Progress,
        choice: Choice,
    ) -> Option<Progress> {
        let mut next = progress.clone();
        next.met |= choice.hits;
        (self.is_plain() || self.is_live(usable, &next)).then_some(next)
    }

    /// The progress after a key of no slot, of a class, its value chosen so; `None` where there may be
    /// none.
    pub(crate) fn after_other(
        &self,
        usable: &Usable,
        progress: &Progress,
        class: usize,
        choice: Choice,
    ) -> Option<Progress> {
        let mut next = progress.clone();
        if let Some(left) = next
            .left
            .get_mut(class)
            .filter(|&&mut left| left < u32::MAX)
        {
            *left = left.checked_sub(1)?;
        }
        next.count = self.counted(progress.count.saturating_add(1));
        self.after_value(usable, &next, choice)
    }

    /// Whether the object may end here.
    pub(crate) fn may_end(&self, usable: &Usable, progress: &Progress) -> bool {
        let mut required = (0..self.slots.len()).filter(|&slot| self.slots[slot].required);
        let mut implications = self.implications.iter();
        let there = |slot: u32| self.is_there(usable, progress, slot as usize);
        required.all(|slot| there(slot as u32))
            && implications.all(|&(slot, needed)| !there(slot) || there(needed))
            && (0..self.clauses.len()).all(|clause| self.holds(usable, progress, clause))
            && progress.count >= self.least
    }

    /// Whether a clause is fulfilled as long as no further slot comes.
    fn holds(&self, usable: &Usable, progress: &Progress, clause: usize) -> bool {
        let mut lacks = self.clauses[clause].iter();
        progress.met.has(clause)
            || lacks.any(|&slot| !self.is_there(usable, progress, slot as usize))
    }

    /// Adds what goes with the slots of `all`.
    pub(super) fn add_implied(&self, all: &mut [bool]) {
        self.spread(all, true, |(slot, needed)| (slot, needed));
    }

    /// Drops the slots of `all` that something not in `all` goes with.
    pub(super) fn drop_unsupported(&self, all: &mut [bool]) {
        self.spread(all, false, |(slot, needed)| (needed, slot));
    }

    /// Lets what is `held` of a slot hold of those that it is linked to by implications, and so on.
    fn spread(&self, all: &mut [bool], held: bool, link: impl Fn((u32, u32)) -> (u32, u32)) {
        if !self.is_lacking(all) {
            return;
        }
        let mut links: Vec<(u32, u32)> = self.implications.iter().copied().map(link).collect();
        links.sort_unstable();
        let slots = 0..all.len() as u32;
        let mut pending: Vec<u32> = slots.filter(|&slot| all[slot as usize] == held).collect();
        while let Some(slot) = pending.pop() {
            let first = links.partition_point(|&(from, _)| from < slot);
            let own = links[first..].iter().take_while(|&&(from, _)| from == slot);
            for &(_, to) in own {
                if all[to as usize] != held {
                    all[to as usize] = held;
                    pending.push(to);
                }
            }
        }
    }

    /// Whether a slot of `all` goes with one that is not.
    fn is_lacking(&self, all: &[bool]) -> bool {
        let mut pairs = self.implications.iter();
        pairs.any(|&(slot, needed)| all[slot as usize] && !all[needed as usize])
    }
}
