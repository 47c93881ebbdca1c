//! What a part of a value may be, by which of several sets it is in.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::Normaliser;
use crate::base::LimitError;
use crate::front::json_schema::SchemaError;
use crate::front::json_schema::config::PropertyOrder;
use crate::front::json_schema::model::Alternatives;
use crate::front::json_schema::reader::ValueId;
use crate::front::json_schema::schema::Definition;
use crate::front::json_schema::shape::{Choice, Hits};
use crate::front::json_schema::values::{ArraySet, ObjectSet, SetId};

/// How many ways a value may be chosen in.
const CHOICES: usize = 256;
/// Where there are more it is seen whether fewer do, of which none overlap.
const MANY: usize = 4;

/// A clause or a counted set, and the sets of which a value is in one where it fulfils it.
pub(super) type Fulfilling = (Hits, SmallVec<[SetId; 1]>);

/// What may be in none of the choices that do not overlap.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lost {
    Nothing,
    /// What lies between a set and its complement, of strings, numbers and the like.
    BetweenSets,
}

/// The ways in which a value may be chosen.
pub(super) type Choices = SmallVec<[Choice; 1]>;

impl Normaliser<'_> {
    /// The values of `set`, by which of `all` they fulfil.
    pub(super) fn choices(
        &mut self,
        set: SetId,
        all: &[Fulfilling],
        origin: ValueId,
    ) -> Result<Choices, SchemaError> {
        let whole = Choice {
            set,
            hits: Hits::default(),
        };
        if all.is_empty() {
            let possible = set != SetId::NEVER;
            return Ok(possible.then_some(whole).into_iter().collect());
        }
        let form = self.normalise(set)?;
        let mut choices = self.overlapping(whole, &form, all, MANY)?;
        if choices.len() > MANY {
            choices = match self.apart(whole, &form, (all, Lost::Nothing))? {
                Some(apart) => apart,
                None => self.overlapping(whole, &form, all, CHOICES)?,
            };
        }
        if choices.len() > CHOICES
            && let Some(apart) = self.apart(whole, &form, (all, Lost::BetweenSets))?
        {
            choices = apart;
        }
        LimitError::check("choices of a value", choices.len(), CHOICES)
            .map_err(|source| self.limit(origin, source))?;
        choices.retain(|choice| choice.set != SetId::NEVER);
        Ok(choices)
    }

    /// What each set of clauses leaves of a choice; given up once there are more than `most`.
    fn overlapping(
        &mut self,
        whole: Choice,
        form: &Arc<Alternatives>,
        clauses: &[Fulfilling],
        most: usize,
    ) -> Result<Choices, SchemaError> {
        let mut choices: Choices = smallvec![whole];
        // What fulfils a clause often is all of a choice, or nothing, or as much as another clause's.
        let mut forms = vec![form.clone()];
        for (hit, sets) in clauses {
            let known = choices.clone();
            for (choice, &fulfilling) in sets
                .iter()
                .flat_map(|set| known.iter().map(move |choice| (choice, set)))
            {
                let set = self.model.sets.both(choice.set, fulfilling);
                let mut hits = choice.hits;
                hits |= *hit;
                let form = self.normalise(set)?;
                if form.is_void() {
                    continue;
                }
                match forms.iter().position(|other| *other == form) {
                    Some(same) => choices[same].hits |= hits,
                    None => {
                        choices.push(Choice { set, hits });
                        forms.push(form);
                    }
                }
            }
            if choices.len() > most {
                break;
            }
        }
        Ok(choices)
    }

    /// What of `whole` fulfils which of `all`, no value in two choices: never more of them than there are kinds of values. `None` where
    /// more would be in none than may be `lost`.
    ///
    /// PERF: else each choice that may still hold is read beside all others to the end of the value: 128 of them within the
    /// configurations of `angular.json`, whose masks take 6 us in the mean for 152 (benches/LOG.md).
    fn apart(
        &mut self,
        whole: Choice,
        form: &Arc<Alternatives>,
        (all, lost): (&[Fulfilling], Lost),
    ) -> Result<Option<Choices>, SchemaError> {
        let origin = self.model.sets.origin(whole.set);
        let is_shallow = self.is_shallow(form);
        let mut choices: Choices = smallvec![whole];
        for (hit, sets) in all {
            let fulfilling = match sets.as_slice() {
                &[set] => set,
                sets => {
                    let origin = self.model.sets.origin(sets[0]);
                    self.model.sets.any(sets.to_vec(), origin)
                }
            };
            let form = self.normalise(fulfilling)?;
            let is_plain = is_shallow && self.is_shallow(&form);
            let may_be = match lost {
                Lost::BetweenSets => is_plain,
                Lost::Nothing => {
                    (is_plain || self.is_stated_outside(fulfilling))
                        && self.is_exact(fulfilling, origin)?
                }
            };
            if !may_be {
                return Ok(None);
            }
            for choice in std::mem::take(&mut choices) {
                choices.extend(self.parted(choice, fulfilling, *hit)?);
            }
            if choices.len() > CHOICES {
                break;
            }
        }
        Ok(Some(choices))
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
        let without = Choice {
            set: outside,
            ..choice
        };
        let with = Choice { set: inside, hits };
        Ok(if self.normalise(inside)?.is_void() {
            smallvec![choice]
        } else if self.normalise(outside)?.is_void() {
            smallvec![Choice { hits, ..choice }]
        } else {
            smallvec![without, with]
        })
    }

    /// Whether what is outside of `set` is what the schema says, so that no complement is made of values with parts; and whether it gives
    /// no order to the properties of an object.
    fn is_stated_outside(&self, set: SetId) -> bool {
        let is_complement = matches!(self.model.sets.definition(set), Definition::Not(_));
        is_complement && self.order == PropertyOrder::Any
    }

    /// Whether each value is in `set` or in its complement, as both are told.
    fn is_exact(&mut self, set: SetId, origin: ValueId) -> Result<bool, SchemaError> {
        self.charge(self.narrow.unknown(self.model, set), origin)?;
        Ok(self.narrow.is_exact(self.model, set))
    }

    /// Whether nothing is said of items and properties.
    fn is_shallow(&self, all: &Alternatives) -> bool {
        let model = &*self.model;
        !all.literals.iter().any(|&value| self.is_compound(value))
            && all
                .arrays
                .iter()
                .all(|&id| *model.array(id) == ArraySet::ANY)
            && all
                .objects
                .iter()
                .all(|&id| **model.object(id) == ObjectSet::ANY)
    }
}
