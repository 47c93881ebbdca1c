//! Objects property by property.

use smallvec::SmallVec;

use super::Choice;
use crate::front::json_schema::SchemaError;
use crate::front::json_schema::model::ObjectId;
use crate::front::json_schema::normal::{Classes, Normaliser};
use crate::front::json_schema::values::{LanguageId, NameId, ObjectSet, SetId};
use crate::front::json_schema::{config::PropertyOrder, pointer};

/// How the properties of an object may follow one another.
#[derive(Clone, Debug)]
pub(crate) struct ObjectShape {
    pub(crate) slots: Vec<Slot>,
    /// The keys of no slot, by class; no key is in two of them.
    pub(crate) others: Vec<Others>,
    pub(crate) least: u32,
    /// `u32::MAX` for no bound.
    pub(crate) most: u32,
    /// One bit for each witness.
    pub(crate) witnesses: u32,
    /// By slot: where the first one is there, so is the second.
    pub(crate) implications: Vec<(u32, u32)>,
}

/// A key that is spelt out.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) name: NameId,
    pub(crate) set: SetId,
    pub(crate) required: bool,
}

/// Keys that are not spelt out.
#[derive(Clone, Debug)]
pub(crate) struct Others {
    /// `None` for all keys but those of slots.
    pub(crate) keys: Option<LanguageId>,
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
    /// Which witnesses there are, as bits.
    pub(crate) met: u32,
}

impl Progress {
    pub(crate) fn has(&self, slot: usize) -> bool {
        let word = self.seen.get(slot / 32);
        word.is_some_and(|word| word >> (slot % 32) & 1 == 1)
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
    pub(crate) slots: Box<[bool]>,
    /// By class of other keys, the choices that are left.
    pub(crate) others: Box<[SmallVec<[Choice; 1]>]>,
    /// By bits of witnesses that are missing, how many more keys it takes; `u32::MAX` where no
    /// number does.
    missing: Box<[u32]>,
}

impl Usable {
    pub(crate) fn is_open(&self) -> bool {
        self.others.iter().any(|choices| !choices.is_empty())
    }
}

impl ObjectShape {
    pub(super) fn new(normaliser: &mut Normaliser<'_>, id: ObjectId) -> Result<Self, SchemaError> {
        let set = normaliser.model.object(id).clone();
        let slot_of = |name: NameId| {
            let mut properties = set.properties.iter();
            properties.position(|property| property.name == name)
        };
        let slots = set.properties.iter().map(|property| Slot {
            name: property.name,
            set: property.set,
            required: set.required.contains(&property.name),
        });
        let implications = set.implications.iter();
        let implications = implications
            .filter_map(|&(name, needed)| Some((slot_of(name)? as u32, slot_of(needed)? as u32)));
        let shape = Self {
            slots: slots.collect(),
            others: others(normaliser, &set)?,
            least: set.least,
            most: set.most,
            witnesses: (1 << set.witnesses.len()) - 1,
            implications: implications.collect(),
        };
        if shape.is_counted() && shape.has_cycle() {
            let origin = normaliser.model.sets.origin(normaliser.model.root);
            return Err(SchemaError::unsupported(
                "dependentRequired",
                pointer::of(&normaliser.model.document, origin),
                "properties that need each other in a circle cannot be counted as well",
            ));
        }
        Ok(shape)
    }

    pub(super) fn sets(&self) -> Vec<SetId> {
        let others = self.others.iter().flat_map(|others| &others.choices);
        let slots = self.slots.iter().map(|slot| slot.set);
        slots.chain(others.map(|choice| choice.set)).collect()
    }

    fn is_counted(&self) -> bool {
        self.least > 0 || self.most < u32::MAX
    }

    /// Whether only the order of the slots and which of them are required matters.
    pub(crate) fn is_plain(&self) -> bool {
        !self.is_counted() && self.witnesses == 0 && self.implications.is_empty()
    }

    fn has_cycle(&self) -> bool {
        let mut left: Vec<(u32, u32)> = self.implications.clone();
        loop {
            let before = left.len();
            let targets: Vec<u32> = left.iter().map(|&(from, _)| from).collect();
            left.retain(|(_, to)| targets.contains(to));
            if left.len() == before {
                return before > 0;
            }
        }
    }

    /// What of the shape is usable, given which sets have members.
    pub(crate) fn usable(&self, order: PropertyOrder, known: impl Fn(SetId) -> bool) -> Usable {
        let others = self.others.iter().map(|others| {
            let choices = others.choices.iter().copied();
            choices.filter(|choice| known(choice.set)).collect()
        });
        let others: Box<[SmallVec<[Choice; 1]>]> = others.collect();
        let mut missing = vec![u32::MAX; self.witnesses as usize + 1];
        missing[0] = 0;
        // Adding keys clears bits, so sets of bits are settled from the least one up.
        for bits in 1..missing.len() {
            let choices = others.iter().flatten();
            let clearing = choices.filter(|choice| choice.hits as usize & bits != 0);
            let fewest = clearing
                .map(|choice| missing[bits & !(choice.hits as usize)])
                .min();
            missing[bits] = fewest.map_or(u32::MAX, |fewest| fewest.saturating_add(1));
        }
        Usable {
            order,
            slots: self.slots.iter().map(|slot| known(slot.set)).collect(),
            others,
            missing: missing.into(),
        }
    }

    /// Nothing so far.
    pub(crate) fn start(&self, order: PropertyOrder) -> Progress {
        let remembers = order == PropertyOrder::Any || !self.implications.is_empty();
        let words = if remembers {
            self.slots.len().div_ceil(32)
        } else {
            0
        };
        Progress {
            seen: smallvec::smallvec![0; words],
            ..Progress::default()
        }
    }

    /// Whether `slot` has not been passed.
    fn is_ahead(&self, usable: &Usable, progress: &Progress, slot: usize) -> bool {
        match usable.order {
            PropertyOrder::Declared => slot >= progress.next as usize,
            PropertyOrder::Any => !progress.has(slot),
        }
    }

    /// Whether `slot` is there already.
    fn is_there(&self, usable: &Usable, progress: &Progress, slot: usize) -> bool {
        match usable.order {
            // What is required is not passed over.
            PropertyOrder::Declared if progress.seen.is_empty() => {
                slot < progress.next as usize && self.slots[slot].required
            }
            _ => progress.has(slot),
        }
    }

    fn counted(&self, count: u32) -> u32 {
        match (self.is_counted(), self.most) {
            (false, _) => 0,
            (true, u32::MAX) => count.min(self.least),
            (true, _) => count,
        }
    }

    /// The progress after `slot`; `None` where it may not come next.
    pub(crate) fn after_slot(
        &self,
        usable: &Usable,
        progress: &Progress,
        slot: usize,
    ) -> Option<Progress> {
        if !usable.slots[slot] || !self.is_ahead(usable, progress, slot) {
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
        let live = match self.is_plain() {
            true => self.slots[passed].iter().all(|slot| !slot.required),
            false => self.is_live(usable, &next),
        };
        live.then_some(next)
    }

    /// The progress after a key of no slot, its value chosen so; `None` where there may be none.
    pub(crate) fn after_other(
        &self,
        usable: &Usable,
        progress: &Progress,
        choice: Choice,
    ) -> Option<Progress> {
        let mut next = progress.clone();
        next.count = self.counted(progress.count.saturating_add(1));
        next.met |= choice.hits;
        (self.is_plain() || self.is_live(usable, &next)).then_some(next)
    }

    /// Whether the object may end here.
    pub(crate) fn may_end(&self, usable: &Usable, progress: &Progress) -> bool {
        let mut required = (0..self.slots.len()).filter(|&slot| self.slots[slot].required);
        let mut implications = self.implications.iter();
        let there = |slot: u32| self.is_there(usable, progress, slot as usize);
        required.all(|slot| there(slot as u32))
            && implications.all(|&(slot, needed)| !there(slot) || there(needed))
            && progress.met == self.witnesses
            && progress.count >= self.least
    }

    /// Whether an object that is `progress` so far can be completed.
    ///
    /// What must still come is the least set that has the required slots and what goes with them; it
    /// is there or ahead, and room for it is left. What may come besides, one by one, is all that is
    /// ahead and has what goes with it.
    pub(crate) fn is_live(&self, usable: &Usable, progress: &Progress) -> bool {
        let slots = self.slots.len();
        let there = |slot: usize| self.is_there(usable, progress, slot);
        let possible = |slot: usize| usable.slots[slot] && self.is_ahead(usable, progress, slot);
        let mut needed: Vec<bool> = (0..slots)
            .map(|slot| self.slots[slot].required || there(slot))
            .collect();
        self.add_implied(&mut needed);
        if (0..slots).any(|slot| needed[slot] && !there(slot) && !possible(slot)) {
            return false;
        }
        let missing = usable.missing[(self.witnesses & !progress.met) as usize];
        if missing == u32::MAX {
            return false;
        }
        if !self.is_counted() {
            return true;
        }
        let coming = (0..slots)
            .filter(|&slot| needed[slot] && !there(slot))
            .count() as u32;
        let count = progress
            .count
            .saturating_add(coming)
            .saturating_add(missing);
        if self.most < u32::MAX && count > self.most {
            return false;
        }
        if count >= self.least || usable.is_open() {
            return true;
        }
        let mut reachable: Vec<bool> = (0..slots)
            .map(|slot| there(slot) || possible(slot))
            .collect();
        self.drop_unsupported(&mut reachable);
        let more = (0..slots)
            .filter(|&slot| reachable[slot] && !there(slot))
            .count() as u32;
        progress.count.saturating_add(more) >= self.least
    }

    /// Adds what goes with the slots of `all`.
    fn add_implied(&self, all: &mut [bool]) {
        while let Some(&(_, needed)) = self
            .implications
            .iter()
            .find(|&&(slot, needed)| all[slot as usize] && !all[needed as usize])
        {
            all[needed as usize] = true;
        }
    }

    /// Drops the slots of `all` that something not in `all` goes with.
    fn drop_unsupported(&self, all: &mut [bool]) {
        while let Some(&(slot, _)) = self
            .implications
            .iter()
            .find(|&&(slot, needed)| all[slot as usize] && !all[needed as usize])
        {
            all[slot as usize] = false;
        }
    }
}

/// The classes of keys of no slot, cut so that each is inside or outside of every witness's.
fn others(normaliser: &mut Normaliser<'_>, set: &ObjectSet) -> Result<Vec<Others>, SchemaError> {
    let origin = normaliser.model.sets.origin(set.additional);
    let mut classes = Classes::of(set);
    for witness in &set.witnesses {
        normaliser.cut_classes(&mut classes, witness.language)?;
    }
    let mut parts: Vec<(Option<LanguageId>, SetId)> = Vec::new();
    for class in &classes.classes {
        let keys = normaliser.without_names(class.language, &set.properties, origin)?;
        parts.push((Some(keys), class.set));
    }
    let rest = match classes.classes.is_empty() {
        true => None,
        false => {
            let rest = normaliser.rest_language(&classes.classes, origin)?;
            Some(normaliser.without_names(rest, &set.properties, origin)?)
        }
    };
    parts.push((rest, classes.rest));
    let mut others = Vec::new();
    for (keys, value) in parts {
        let model = &mut normaliser.model;
        if value == SetId::NEVER || keys.is_some_and(|keys| model.language(keys).dfa.is_empty()) {
            continue;
        }
        let mut choices: SmallVec<[Choice; 1]> = SmallVec::new();
        choices.push(Choice {
            set: value,
            hits: 0,
        });
        for (index, witness) in set.witnesses.iter().enumerate() {
            let bears = match keys {
                None => false,
                Some(keys) => normaliser.is_within(keys, witness.language)?,
            };
            if bears {
                let mut hit = choices.clone();
                for choice in &mut hit {
                    choice.set = normaliser.model.sets.both(choice.set, witness.set);
                    choice.hits |= 1 << index;
                }
                choices.extend(hit);
            }
        }
        others.push(Others { keys, choices });
    }
    Ok(others)
}
