//! What a part of a value may be, by which sets it is in: no value in two choices.

use smallvec::{SmallVec, smallvec};

use super::Normaliser;
use crate::base::LimitError;
use crate::front::json_schema::SchemaError;
use crate::front::json_schema::reader::ValueId;
use crate::front::json_schema::shape::{Choice, Hits};
use crate::front::json_schema::values::SetId;

/// How many ways a value may be chosen in.
const CHOICES: usize = 256;

/// A clause or a counted set, and the sets of which a value is in one where it fulfils it.
pub(super) type Fulfilling = (Hits, SmallVec<[SetId; 1]>);

impl Normaliser<'_> {
    /// The values of `set`, by which of `all` they fulfil. There are never more choices than there are kinds of values.
    ///
    /// PERF: where choices overlap, each that may still hold is read beside all others to the end of the value. So MaskBench took, in any
    /// order, 1.11 times as long for cold masks and 1.09 for compiles, and 1.12 of the memory (benches/LOG.md).
    pub(super) fn apart(
        &mut self,
        set: SetId,
        all: &[Fulfilling],
        origin: ValueId,
    ) -> Result<SmallVec<[Choice; 1]>, SchemaError> {
        let mut choices: SmallVec<[Choice; 1]> = smallvec![Choice {
            set,
            hits: Hits::default(),
        }];
        choices.retain(|choice| choice.set != SetId::NEVER);
        for (hit, sets) in all {
            let sets = sets.to_vec();
            let fulfilling = self.model.sets.any(sets, origin);
            for choice in std::mem::take(&mut choices) {
                choices.extend(self.parted(choice, fulfilling, *hit)?);
            }
            LimitError::check("choices of a value", choices.len(), CHOICES)
                .map_err(|source| self.limit(origin, source))?;
        }
        Ok(choices)
    }

    /// What of a `choice` is outside of `fulfilling`, and what is inside, which is a `hit`.
    fn parted(
        &mut self,
        choice: Choice,
        fulfilling: SetId,
        hit: Hits,
    ) -> Result<SmallVec<[Choice; 2]>, SchemaError> {
        let sets = &mut self.model.sets;
        let others = sets.not(fulfilling);
        let [inside, outside] = [fulfilling, others].map(|part| sets.both(choice.set, part));
        let mut hits = choice.hits;
        hits |= hit;
        Ok(if self.normalise(inside)?.is_void() {
            smallvec![choice]
        } else if self.normalise(outside)?.is_void() {
            smallvec![Choice { hits, ..choice }]
        } else {
            let (outside, inside) = (
                Choice {
                    set: outside,
                    ..choice
                },
                Choice { set: inside, hits },
            );
            smallvec![outside, inside]
        })
    }
}
