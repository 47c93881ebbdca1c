//! What all of several sets have in common, unions of objects among them written as clauses where they multiply.
//!
//! Conditions that hold side by side multiply alternatives, where they only add clauses: ten properties each of
//! which asks for another one are a thousand alternatives, or ten clauses.

use std::sync::Arc;

use smallvec::smallvec;

use super::Normaliser;
use crate::front::json_schema::SchemaError;
use crate::front::json_schema::model::Alternatives;
use crate::front::json_schema::reader::ValueId;
use crate::front::json_schema::values::{Literal, NameId, ObjectId, ObjectSet, Property, SetId};

/// A union that would take more clauses than this is left as it is.
const CLAUSES: usize = 32;
/// So many kinds of objects are no matter, whatever makes them.
const WAYS: usize = 8;

impl Normaliser<'_> {
    /// The values of `first` that all of `members` have.
    pub(super) fn all_of(
        &mut self,
        first: &Alternatives,
        members: &[Arc<Alternatives>],
        origin: ValueId,
    ) -> Result<Alternatives, SchemaError> {
        // Of conditions on one property only one is met at a time: these are as many kinds as conditions.
        let kinds = members.iter().map(|member| member.objects.len());
        let apart = 1 + kinds.map(|kinds| kinds.saturating_sub(1)).sum::<usize>();
        let few = self.fold(first, members, WAYS.max(2 * apart), origin);
        if let Some(all) = within_limits(few)? {
            return Ok(all);
        }
        let mut parts = Vec::with_capacity(members.len());
        for member in members {
            let factored = self.factored(member, origin)?;
            parts.push(factored.map_or_else(|| member.clone(), Arc::new));
        }
        if parts != members {
            let factored = self.fold(first, &parts, usize::MAX, origin);
            if let Some(all) = within_limits(factored)? {
                return Ok(all);
            }
        }
        let all = self.fold(first, members, usize::MAX, origin)?;
        Ok(all.unwrap_or_default())
    }

    /// The values of `first` that all of `members` have; `None` where that comes to more kinds of objects than
    /// `most` on the way.
    fn fold(
        &mut self,
        first: &Alternatives,
        members: &[Arc<Alternatives>],
        most: usize,
        origin: ValueId,
    ) -> Result<Option<Alternatives>, SchemaError> {
        let mut all = first.clone();
        for member in members {
            all = self.intersect(&all, member, origin)?;
            if all.objects.len() > most {
                return Ok(None);
            }
        }
        Ok(Some(all))
    }

    /// The same values, the objects among them as one set; `None` where clauses do not say it, or it is one already.
    fn factored(
        &mut self,
        all: &Alternatives,
        origin: ValueId,
    ) -> Result<Option<Alternatives>, SchemaError> {
        if all.objects.len() < 2 {
            return Ok(None);
        }
        let Some((names, clauses)) = self.factors(&all.objects) else {
            return Ok(None);
        };
        let properties = names.into_iter();
        let properties = properties.map(|name| Property {
            name,
            set: SetId::ANY,
        });
        let set = ObjectSet {
            properties: properties.collect(),
            clauses,
            ..ObjectSet::ANY
        };
        let object = self.add_object(set, origin)?;
        Ok(object.map(|object| Alternatives {
            objects: smallvec![object],
            ..all.clone()
        }))
    }

    /// The names of a union in an order that suits all its parts, and clauses that say it.
    fn factors(&mut self, objects: &[ObjectId]) -> Option<(Vec<NameId>, Vec<Vec<Literal>>)> {
        let mut names: Vec<NameId> = Vec::new();
        let mut clauses: Vec<Vec<Literal>> = vec![Vec::new()];
        for &object in objects {
            let object = self.model.object(object).clone();
            join_names(&mut names, &object)?;
            let own = conjuncts(&object)?;
            let mut longer = Vec::new();
            for clause in &clauses {
                for literals in &own {
                    let both = [&clause[..], literals].concat();
                    if !self.holds_always(&both, literals) {
                        longer.push(both);
                    }
                }
            }
            if longer.len() > CLAUSES {
                return None;
            }
            clauses = longer;
        }
        Some((names, clauses))
    }

    /// Whether a key of the `newest` literals that is there, with one value or with any other, and one that is not there fulfil
    /// the clause. It did not hold always without them.
    fn holds_always(&mut self, clause: &[Literal], newest: &[Literal]) -> bool {
        newest.iter().any(|&literal| {
            let (Literal::Bears(name, _) | Literal::Lacks(name)) = literal else {
                return false;
            };
            let mut values = clause.iter().filter_map(|&literal| match literal {
                Literal::Bears(own, of) if own == name => Some(of),
                _ => None,
            });
            clause.contains(&Literal::Lacks(name))
                && values.any(|of| {
                    let others = self.model.sets.not(of);
                    of == SetId::ANY || clause.contains(&Literal::Bears(name, others))
                })
        })
    }
}

/// What was found, if it was within the limits: where it was not, there may be another way.
pub(super) fn within_limits<T>(
    found: Result<Option<T>, SchemaError>,
) -> Result<Option<T>, SchemaError> {
    match found {
        Err(SchemaError::Limit { .. }) => Ok(None),
        found => found,
    }
}

/// Adds the names of `object`; `None` where it has them in another order.
fn join_names(names: &mut Vec<NameId>, object: &ObjectSet) -> Option<()> {
    let mut after = 0;
    for property in &object.properties {
        match names.iter().position(|&name| name == property.name) {
            Some(place) if place < after => return None,
            Some(place) => after = place + 1,
            None => {
                names.push(property.name);
                after = names.len();
            }
        }
    }
    Some(())
}

/// What holds of the members of `object`, as clauses that all hold; `None` where clauses do not say it.
fn conjuncts(object: &ObjectSet) -> Option<Vec<Vec<Literal>>> {
    let is_open = object.additional == SetId::ANY && object.classes.is_empty();
    if !is_open || object.least > 0 || object.most < u32::MAX {
        return None;
    }
    let mut all = object.clauses.clone();
    for &Property { name, set } in &object.properties {
        let bears = Literal::Bears(name, set);
        match object.required.contains(&name) {
            true => all.push(vec![bears]),
            false if set == SetId::ANY => {}
            false if set == SetId::NEVER => all.push(vec![Literal::Lacks(name)]),
            false => all.push(vec![Literal::Lacks(name), bears]),
        }
    }
    let implications = object.implications.iter();
    all.extend(
        implications
            .map(|&(name, needed)| vec![Literal::Lacks(name), Literal::Bears(needed, SetId::ANY)]),
    );
    Some(all)
}
