//! The shapes of arrays: what an item may be, by which counted sets it is in.

use smallvec::smallvec;

use super::Normaliser;
use super::choices::Fulfilling;
use crate::base::LimitError;
use crate::front::json_schema::SchemaError;
use crate::front::json_schema::shape::{ArrayShape, Hits, cap};
use crate::front::json_schema::values::ArrayId;

/// How many sets the items of one array may be counted by.
const COUNTS: usize = 8;
/// How many states of counting are told apart.
const STATES: usize = 1 << 16;

impl Normaliser<'_> {
    pub(super) fn array_shape(&mut self, id: ArrayId) -> Result<ArrayShape, SchemaError> {
        let set = self.model.array(id).clone();
        let mut shape = ArrayShape {
            choices: Vec::new(),
            counts: set.counts.clone(),
            unique: self.unique_items(&set)?,
        };
        if shape.counts.is_empty() {
            return Ok(shape);
        }
        let origin = self.model.sets.origin(set.counts[0].set);
        let states = shape
            .counts
            .iter()
            .fold(shape.last(&set) as usize + 1, |n, count| {
                n.saturating_mul(cap(count) as usize + 1)
            });
        LimitError::check(
            "sets that count the items of an array",
            shape.counts.len(),
            COUNTS,
        )
        .and(LimitError::check(
            "states of counting items",
            states,
            STATES,
        ))
        .map_err(|source| self.limit(origin, source))?;
        let places = shape.counts.iter().map(|count| count.from as usize);
        let places = places.fold(set.prefix.len(), usize::max);
        for place in 0..=places {
            let item = set.item(place);
            let counts = shape.counts.iter().enumerate();
            let counts = counts.filter(|(_, count)| place >= count.from as usize);
            let counted: Vec<Fulfilling> = counts
                .map(|(index, count)| (Hits::of(index), smallvec![count.set]))
                .collect();
            shape.choices.push(self.apart(item, &counted, origin)?);
        }
        Ok(shape)
    }
}
