//! Shapes: what of an array or an object decides which parts may come next, worked out once.
//!
//! A shape steps through the parts of a value: it says which part may come next so that the whole
//! can still be completed. Emptiness, lowering and samples all ask it.

mod array;
mod object;
mod search;
mod unique;

use std::sync::Arc;

use super::SchemaError;
use super::model::{ArrayId, ObjectId};
use super::normal::Normaliser;
use super::values::SetId;

pub(crate) use array::{ArrayProgress, ArrayShape, LiveArray};
pub(crate) use object::{ObjectShape, Others, Progress, Slot, Usable};
pub(crate) use unique::UniqueItems;

/// A set that a part may belong to, and which of the counted sets it is then in, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) set: SetId,
    pub(crate) hits: u32,
}

/// Works out the shapes of some arrays and objects, and adds the sets of their parts to `pending`.
pub(super) fn add(
    normaliser: &mut Normaliser<'_>,
    arrays: &[ArrayId],
    objects: &[ObjectId],
    pending: &mut Vec<SetId>,
) -> Result<(), SchemaError> {
    for &id in arrays {
        if !normaliser.model.array_shapes.contains_key(&id) {
            let shape = ArrayShape::new(normaliser, id)?;
            let set = normaliser.model.array(id);
            pending.extend(set.prefix.iter().chain([&set.rest]));
            pending.extend(shape.sets());
            normaliser.model.array_shapes.insert(id, Arc::new(shape));
        }
    }
    for &id in objects {
        if !normaliser.model.object_shapes.contains_key(&id) {
            let shape = ObjectShape::new(normaliser, id)?;
            pending.extend(shape.sets());
            normaliser.model.object_shapes.insert(id, Arc::new(shape));
        }
    }
    Ok(())
}
