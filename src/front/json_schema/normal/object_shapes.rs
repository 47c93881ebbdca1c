//! The shapes of objects: slots for the names, classes of all other keys, and what values fulfil.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::Normaliser;
use super::choices::Fulfilling;
use super::classes::Classes;
use crate::base::{DEPENDENT, LimitError, Members};
use crate::front::json_schema::reader::ValueId;
use crate::front::json_schema::shape::{Choice, ENOUGH, Hits, ObjectShape, Others, Slot};
use crate::front::json_schema::values::{
    KeyClass, LanguageId, Literal, NameId, ObjectId, ObjectSet, SetId,
};
use crate::front::json_schema::{SchemaError, pointer};

/// So many steps of one answer there are for each look: a look takes two, and looks may take half of them.
const STEPS_PER_LOOK: usize = 4;

impl Normaliser<'_> {
    pub(super) fn object_shape(&mut self, id: ObjectId) -> Result<ObjectShape, SchemaError> {
        let set = self.model.object(id).clone();
        let places: FxHashMap<NameId, u32> = match set.has_conditions() {
            true => set.properties.iter().map(|p| p.name).zip(0..).collect(),
            false => FxHashMap::default(),
        };
        let slot_of = |name: NameId| places.get(&name).copied();
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
        self.check_keys(&shape, &set)?;
        if shape.is_counted() && shape.has_cycle() {
            return Err(SchemaError::unsupported(
                "dependentRequired",
                pointer::of(&self.model.document, self.fault(&set)),
                "properties that need each other in a circle cannot be counted as well",
            ));
        }
        Ok(shape)
    }

    /// Whether one answer of a session can tell which of all keys may come next, and much else: where they depend on each other, that
    /// takes the square of their number.
    fn check_keys(&self, shape: &ObjectShape, set: &ObjectSet) -> Result<(), SchemaError> {
        if shape.is_plain() {
            return Ok(());
        }
        let needed = shape.slots.len().saturating_mul(shape.parts_per_key());
        LimitError::check(DEPENDENT, needed, self.limits.work / STEPS_PER_LOOK)
            .map_err(|source| self.limit(self.fault(set), source))
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
        if object.clauses.is_empty() {
            return self.choices(set, &[], self.fault(object));
        }
        let clauses = object.clauses.iter().enumerate();
        let clauses = clauses
            .map(|(index, clause)| (Hits::of(index), clause.iter().filter_map(&of).collect()));
        let clauses: Vec<Fulfilling> = clauses
            .filter(|(_, sets): &Fulfilling| !sets.is_empty())
            .collect();
        let origin = self.fault(object);
        self.choices(set, &clauses, origin)
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
