//! The shapes of objects: slots for the names, classes of all other keys, and what values fulfil.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::Normaliser;
use super::classes::Classes;
use crate::base::{LimitError, Members};
use crate::front::json_schema::model::Alternatives;
use crate::front::json_schema::reader::ValueId;
use crate::front::json_schema::shape::{Choice, ENOUGH, Hits, ObjectShape, Others, Slot};
use crate::front::json_schema::values::{
    ArraySet, KeyClass, LanguageId, Literal, NameId, ObjectId, ObjectSet, SetId,
};
use crate::front::json_schema::{SchemaError, pointer};

/// How many ways a value may be chosen in.
const CHOICES: usize = 256;
/// From how many on it is seen whether fewer do, of which none overlap.
const MANY: usize = 8;

/// A clause, and the sets whose values fulfil it.
type Fulfilling = (Hits, SmallVec<[SetId; 1]>);

impl Normaliser<'_> {
    pub(super) fn object_shape(&mut self, id: ObjectId) -> Result<ObjectShape, SchemaError> {
        let set = self.model.object(id).clone();
        let slot_of = |name: NameId| {
            let mut properties = set.properties.iter();
            let slot = properties.position(|property| property.name == name);
            slot.map(|slot| slot as u32)
        };
        let required = Members::of(&set.required);
        let mut slots = Vec::with_capacity(set.properties.len());
        for property in &set.properties {
            let bears = |literal: &Literal| match *literal {
                Literal::Bears(name, of) if name == property.name => Some(of),
                _ => None,
            };
            slots.push(Slot {
                name: property.name,
                required: required.have(property.name),
                choices: self.value_choices(&set, property.set, bears)?,
            });
        }
        let lacks = |clause: &Vec<Literal>| {
            let lacks = clause.iter().filter_map(|literal| match *literal {
                Literal::Lacks(name) => slot_of(name),
                _ => None,
            });
            lacks.collect()
        };
        let implications = set.implications.iter();
        let implications =
            implications.filter_map(|&(name, needed)| Some((slot_of(name)?, slot_of(needed)?)));
        let shape = ObjectShape {
            slots,
            others: self.others(&set)?,
            least: set.least,
            most: set.most,
            clauses: set.clauses.iter().map(lacks).collect(),
            implications: implications.collect(),
        };
        if shape.is_counted() && shape.has_cycle() {
            return Err(SchemaError::unsupported(
                "dependentRequired",
                pointer::of(&self.model.document, self.fault(&set)),
                "properties that need each other in a circle cannot be counted as well",
            ));
        }
        Ok(shape)
    }

    /// Where the set is said to be at fault.
    fn fault(&self, set: &ObjectSet) -> ValueId {
        let part = set.properties.first().map_or(set.additional, |p| p.set);
        self.model.sets.origin(part)
    }

    /// A value of `set`, by which clauses it fulfils through the sets that `of` finds in them.
    fn value_choices(
        &mut self,
        object: &ObjectSet,
        set: SetId,
        of: impl Fn(&Literal) -> Option<SetId>,
    ) -> Result<SmallVec<[Choice; 1]>, SchemaError> {
        let clauses = object.clauses.iter().enumerate();
        let clauses = clauses
            .map(|(index, clause)| (Hits::of(index), clause.iter().filter_map(&of).collect()));
        let clauses: Vec<Fulfilling> = clauses
            .filter(|(_, sets): &Fulfilling| !sets.is_empty())
            .collect();
        let all = Choice {
            set,
            hits: Hits::default(),
        };
        if clauses.is_empty() {
            let possible = set != SetId::NEVER;
            return Ok(possible.then_some(all).into_iter().collect());
        }
        let form = self.normalise(set)?;
        let mut choices = self.overlapping(all, &form, &clauses, MANY)?;
        if choices.len() > MANY {
            choices = match self.apart(all, &form, &clauses)? {
                Some(apart) => apart,
                None => self.overlapping(all, &form, &clauses, CHOICES)?,
            };
        }
        let origin = self.fault(object);
        LimitError::check("choices of a value", choices.len(), CHOICES)
            .map_err(|source| self.limit(origin, source))?;
        choices.retain(|choice| choice.set != SetId::NEVER);
        Ok(choices)
    }

    /// What each set of clauses leaves of a choice; given up once there are more than `most`.
    fn overlapping(
        &mut self,
        all: Choice,
        form: &Arc<Alternatives>,
        clauses: &[Fulfilling],
        most: usize,
    ) -> Result<SmallVec<[Choice; 1]>, SchemaError> {
        let mut choices: SmallVec<[Choice; 1]> = smallvec![all];
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

    /// A choice by which clauses its values fulfil, no value in two parts: never more than there are values.
    /// `None` where values have parts themselves, whose complements take long.
    fn apart(
        &mut self,
        all: Choice,
        form: &Arc<Alternatives>,
        clauses: &[Fulfilling],
    ) -> Result<Option<SmallVec<[Choice; 1]>>, SchemaError> {
        if !self.is_shallow(form) {
            return Ok(None);
        }
        let mut choices: SmallVec<[Choice; 1]> = smallvec![all];
        for (hit, sets) in clauses {
            let fulfilling = match sets.as_slice() {
                &[set] => set,
                sets => {
                    let origin = self.model.sets.origin(sets[0]);
                    self.model.sets.any(sets.to_vec(), origin)
                }
            };
            let form = self.normalise(fulfilling)?;
            if !self.is_shallow(&form) {
                return Ok(None);
            }
            let others = self.model.sets.not(fulfilling);
            for choice in std::mem::take(&mut choices) {
                let [inside, outside] =
                    [fulfilling, others].map(|part| self.model.sets.both(choice.set, part));
                let mut hits = choice.hits;
                hits |= *hit;
                if self.normalise(inside)?.is_void() {
                    choices.push(choice);
                } else if self.normalise(outside)?.is_void() {
                    choices.push(Choice { hits, ..choice });
                } else {
                    choices.push(Choice {
                        set: outside,
                        ..choice
                    });
                    choices.push(Choice { set: inside, hits });
                }
            }
            if choices.len() > CHOICES {
                break;
            }
        }
        Ok(Some(choices))
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

    /// The classes of keys of no slot, cut so that each is inside or outside of every clause's.
    fn others(&mut self, set: &ObjectSet) -> Result<Vec<Others>, SchemaError> {
        let origin = self.model.sets.origin(set.additional);
        let mut classes = Classes::of(set);
        for literal in set.clauses.iter().flatten() {
            if let &Literal::Other(language, _) = literal {
                self.cut_classes(&mut classes, language)?;
            }
        }
        let mut parts: Vec<(Option<LanguageId>, SetId)> = Vec::new();
        // Keys that have no value never come.
        let values = |class: &&KeyClass| class.set != SetId::NEVER;
        for class in classes.classes.iter().filter(values) {
            let keys = self.without_names(class.language, &set.properties, origin)?;
            parts.push((Some(keys), class.set));
        }
        if classes.rest != SetId::NEVER {
            let rest = match classes.classes.is_empty() {
                true => None,
                false => {
                    let rest = self.rest_language(&classes.classes, origin)?;
                    Some(self.without_names(rest, &set.properties, origin)?)
                }
            };
            parts.push((rest, classes.rest));
        }
        let mut others = Vec::new();
        for (keys, value) in parts {
            let model = &*self.model;
            if keys.is_some_and(|keys| model.language(keys).dfa.is_empty()) {
                continue;
            }
            let mut containing: Vec<LanguageId> = Vec::new();
            for literal in set.clauses.iter().flatten() {
                if let (&Literal::Other(language, _), Some(keys)) = (literal, keys)
                    && !containing.contains(&language)
                    && self.is_within(keys, language)?
                {
                    containing.push(language);
                }
            }
            let of = |literal: &Literal| match *literal {
                Literal::Other(language, of) if containing.contains(&language) => Some(of),
                _ => None,
            };
            let choices = self.value_choices(set, value, of)?;
            let count = keys.and_then(|keys| self.model.language(keys).dfa.count(ENOUGH));
            others.push(Others {
                keys,
                count: count.map_or(u32::MAX, |count| count as u32),
                choices,
            });
        }
        Ok(others)
    }
}
