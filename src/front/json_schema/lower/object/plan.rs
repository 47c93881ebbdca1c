//! What is to know of an object set beyond its shape: which slots can have values, and how keys are spelt.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashSet;

use crate::front::json_schema::lower::lowered::Lowered;
use crate::front::json_schema::lower::spelling::Forbidden;
use crate::front::json_schema::shape::{ObjectShape, Usable};
use crate::front::json_schema::values::{ObjectId, SetId};

/// What is to know of an object set, worked out when it is first asked for.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) lowered: Arc<Lowered>,
    pub(super) object: ObjectId,
    pub(crate) shape: Arc<ObjectShape>,
    /// What of it can be written, where it is written as parameters.
    writable: Option<Writable>,
    known: OnceLock<Known>,
}

/// What of an object can be written as parameters.
#[derive(Debug)]
pub(crate) struct Writable {
    /// The sets of which some value can be.
    pub(crate) sets: FxHashSet<SetId>,
    /// By class of other keys, whether one can be.
    pub(crate) classes: Vec<bool>,
}

#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) usable: Usable,
    /// The keys of slots that may occur, as spelt, ascending; quotes are included, and parameters have none.
    pub(crate) keys: Vec<(Box<[u8]>, u32)>,
    /// The keys of all slots, as spelt, quotes included, ascending.
    names: Vec<Box<[u8]>>,
    /// The required slots, as bits.
    pub(super) required: Box<[u32]>,
    /// By slot which of the keys is its own, for those that have one.
    places: Vec<Option<u32>>,
    /// By slot from which on slots are ahead, the first slot that may not come next: one past the
    /// first required one.
    stops: Vec<u32>,
}

impl Known {
    /// All keys.
    pub(super) fn all(&self) -> Range<u32> {
        0..self.keys.len() as u32
    }

    /// Which of the keys is that of `slot`, if it may occur.
    pub(super) fn key_of(&self, slot: u32) -> Option<u32> {
        self.places[slot as usize]
    }

    /// The slots that may come next where the order is given and those from `next` on are left: up to the first
    /// required one.
    pub(super) fn ahead(&self, next: u32) -> Range<u32> {
        next..self.stops[next as usize]
    }
}

impl Plan {
    pub(crate) fn new(lowered: Arc<Lowered>, object: ObjectId) -> Self {
        Self {
            shape: lowered.model.object_shape(object).clone(),
            lowered,
            object,
            writable: None,
            known: OnceLock::new(),
        }
    }

    /// That of the parameters of an object.
    pub(crate) fn of_parameters(lowered: Arc<Lowered>, object: ObjectId, part: Writable) -> Self {
        Self {
            writable: Some(part),
            ..Self::new(lowered, object)
        }
    }

    /// Whether there is such an object.
    pub(crate) fn has_member(&self) -> bool {
        let usable = &self.known().usable;
        self.shape.is_live(usable, &self.shape.start(usable.order))
    }

    /// Which parts of the object can have values.
    fn usable(&self) -> Usable {
        let (order, model) = (self.lowered.order, &self.lowered.model);
        let Some(writable) = &self.writable else {
            return self.shape.usable(order, |set| model.inhabited(set));
        };
        let is_usable = |set| model.inhabited(set) && writable.sets.contains(&set);
        let mut usable = self.shape.usable(order, is_usable);
        for (others, written) in usable.others.iter_mut().zip(&writable.classes) {
            if !written {
                others.clear();
            }
        }
        usable
    }

    pub(crate) fn known(&self) -> &Known {
        self.known.get_or_init(|| self.work_out())
    }

    fn work_out(&self) -> Known {
        let (lowered, shape) = (&self.lowered, &self.shape);
        let model = &lowered.model;
        let usable = self.usable();
        let plain = Forbidden::new(&[]);
        let (mut keys, mut names) = (Vec::new(), Vec::new());
        for (index, slot) in (0..).zip(&shape.slots) {
            let text = model.sets.name_text(slot.name);
            names.push(plain.spell(text).into());
            if !usable.slots[index as usize].is_empty() {
                let spelt = match self.writable {
                    None => lowered.forbidden.spell(text),
                    Some(_) => text.as_bytes().to_vec(),
                };
                keys.push((spelt.into(), index));
            }
        }
        keys.sort_unstable();
        names.sort_unstable();
        let mut places = vec![None; shape.slots.len()];
        for (place, (_, slot)) in (0..).zip(&keys) {
            places[*slot as usize] = Some(place);
        }
        let mut required = vec![0; shape.slots.len().div_ceil(32)];
        let slots = shape.slots.iter().enumerate();
        for (index, _) in slots.filter(|(_, slot)| slot.required) {
            required[index / 32] |= 1 << (index % 32);
        }
        let mut stops = vec![shape.slots.len() as u32; shape.slots.len() + 1];
        for (index, slot) in shape.slots.iter().enumerate().rev() {
            stops[index] = match slot.required {
                true => index as u32 + 1,
                false => stops[index + 1],
            };
        }
        Known {
            usable,
            keys,
            names,
            required: required.into(),
            places,
            stops,
        }
    }

    /// The keys of all slots, ascending.
    pub(crate) fn names(&self) -> &[Box<[u8]>] {
        &self.known().names
    }

    /// Those names from the `first`-th on, counted from 1, that agree with it in `depth` bytes;
    /// none for 0.
    pub(crate) fn agreeing(&self, first: usize, depth: usize) -> &[Box<[u8]>] {
        let Some(names) = first.checked_sub(1).map(|first| &self.names()[first..]) else {
            return &[];
        };
        let prefix = &names[0][..depth];
        let count = names
            .iter()
            .take_while(|name| name.starts_with(prefix))
            .count();
        &names[..count]
    }
}
