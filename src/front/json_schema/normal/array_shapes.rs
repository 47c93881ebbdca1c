//! The shapes of arrays: what an item may be, by which counted sets it is in.

use smallvec::smallvec;

use super::Normaliser;
use super::choices::{Choices, Fulfilling};
use crate::base::LimitError;
use crate::front::json_schema::SchemaError;
use crate::front::json_schema::shape::{ArrayShape, Choice, Hits, cap};
use crate::front::json_schema::values::{ArrayId, Count, SetId};

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
            let choices = self.item_choices(&shape, place, item)?;
            shape.choices.push(choices);
        }
        Ok(shape)
    }

    /// The sets that an item at `place` may belong to, by which counted sets it is in.
    fn item_choices(
        &mut self,
        shape: &ArrayShape,
        place: usize,
        item: SetId,
    ) -> Result<Choices, SchemaError> {
        let counts = shape.counts.iter().enumerate();
        let counts = counts.filter(|(_, count)| place >= count.from as usize);
        // Where only too few is wrong, an item of the set need not be counted, unless it cannot
        // come again.
        let must_count = |count: &Count| count.most < u32::MAX || shape.unique.is_some();
        if !counts.clone().any(|(_, count)| must_count(count)) {
            let counted = counts.map(|(index, count)| (Hits::of(index), smallvec![count.set]));
            let counted: Vec<Fulfilling> = counted.collect();
            return self.choices(item, &counted, self.model.sets.origin(item));
        }
        let mut choices: Choices = smallvec![Choice {
            set: item,
            hits: Hits::default(),
        }];
        for (index, count) in counts {
            let sets = &mut self.model.sets;
            let mut hit = choices.clone();
            for choice in &mut hit {
                choice.set = sets.both(choice.set, count.set);
                choice.hits |= Hits::of(index);
            }
            if must_count(count) {
                let others = sets.not(count.set);
                for choice in &mut choices {
                    choice.set = sets.both(choice.set, others);
                }
            }
            choices.extend(hit);
        }
        choices.retain(|choice| choice.set != SetId::NEVER);
        Ok(choices)
    }
}
