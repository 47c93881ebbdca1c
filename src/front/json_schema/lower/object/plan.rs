//! What is to know of an object set beyond its shape: which slots can have values, and how keys are spelt.

use std::sync::{Arc, OnceLock};

use crate::front::json_schema::lower::lowered::Lowered;
use crate::front::json_schema::lower::spelling::Forbidden;
use crate::front::json_schema::shape::{ObjectShape, Usable};
use crate::front::json_schema::values::ObjectId;

/// What is to know of an object set, worked out when it is first asked for.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) lowered: Arc<Lowered>,
    pub(super) object: ObjectId,
    pub(crate) shape: Arc<ObjectShape>,
    known: OnceLock<Known>,
}

#[derive(Debug)]
pub(super) struct Known {
    pub(super) usable: Usable,
    /// The keys of slots that may occur, as spelt, quotes included, ascending.
    pub(super) keys: Vec<(Box<[u8]>, u32)>,
    /// The keys of all slots, as spelt, quotes included, ascending.
    names: Vec<Box<[u8]>>,
    /// By slot from which on slots are ahead, the first slot that may not come next: one past the
    /// first required one.
    pub(super) stops: Vec<u32>,
}

impl Plan {
    pub(crate) fn new(lowered: Arc<Lowered>, object: ObjectId) -> Self {
        Self {
            shape: lowered.model.object_shape(object).clone(),
            lowered,
            object,
            known: OnceLock::new(),
        }
    }

    pub(super) fn known(&self) -> &Known {
        self.known.get_or_init(|| self.work_out())
    }

    fn work_out(&self) -> Known {
        let (lowered, shape) = (&self.lowered, &self.shape);
        let model = &lowered.model;
        let usable = shape.usable(lowered.order, |set| model.inhabited(set));
        let plain = Forbidden::new(&[]);
        let (mut keys, mut names) = (Vec::new(), Vec::new());
        for (index, slot) in (0..).zip(&shape.slots) {
            let text = model.sets.name_text(slot.name);
            names.push(plain.spell(text).into());
            if !usable.slots[index as usize].is_empty() {
                keys.push((lowered.forbidden.spell(text).into(), index));
            }
        }
        keys.sort_unstable();
        names.sort_unstable();
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
