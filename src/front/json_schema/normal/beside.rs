//! What stands beside "exactly one of": it may tell the branches apart, so they are held against each other within it.

use std::sync::Arc;

use super::Normaliser;
use super::branches::{branches, branching};
use crate::front::json_schema::SchemaError;
use crate::front::json_schema::model::Alternatives;
use crate::front::json_schema::reader::ValueId;
use crate::front::json_schema::values::SetId;

/// Branches of which exactly one holds, and the set that says so, perhaps with more.
struct One {
    set: SetId,
    branches: Box<[SetId]>,
}

impl Normaliser<'_> {
    /// The values of `own` that all of `parts` have.
    pub(super) fn beside(
        &mut self,
        own: &Alternatives,
        parts: &[SetId],
        origin: ValueId,
    ) -> Result<Alternatives, SchemaError> {
        let mut ones = Vec::new();
        let mut members = Vec::with_capacity(parts.len());
        for &part in parts {
            match self.besides(part, &mut ones) {
                Some(rest) => members.push(self.normalise(rest)?),
                None => continue,
            }
        }
        let base = self.all_of(own, &members, origin)?;
        let mut all = None;
        for One { set, branches } in &ones {
            let origin = self.model.sets.origin(*set);
            let narrow = [&base, own].into_iter().find(|all| self.tells_apart(all));
            let one = match narrow {
                Some(narrow) => Arc::new(self.one_within(narrow, branches, origin)?),
                None => self.normalise(*set)?,
            };
            let is_within_base = narrow.is_some_and(|narrow| std::ptr::eq(narrow, &base));
            all = Some(match &all {
                None if is_within_base => (*one).clone(),
                None => self.all_of(&base, &[one], origin)?,
                Some(all) => self.all_of(all, &[one], origin)?,
            });
        }
        Ok(all.unwrap_or(base))
    }

    /// What a part says beside "exactly one of", if anything; those are added to `ones`.
    fn besides(&mut self, part: SetId, ones: &mut Vec<One>) -> Option<SetId> {
        let sets = &mut self.model.sets;
        if let Some(branches) = branches(sets, part) {
            let branches = branches.into();
            ones.push(One {
                set: part,
                branches,
            });
            return None;
        }
        let Some(schema) = branching(sets, part).cloned() else {
            return Some(part);
        };
        let mut rest = (*schema).clone();
        rest.all_of.clear();
        for &set in &schema.all_of {
            match branches(sets, set) {
                Some(branches) => ones.push(One {
                    set: part,
                    branches: branches.into(),
                }),
                None => rest.all_of.push(set),
            }
        }
        let origin = sets.origin(part);
        Some(sets.add(rest, origin))
    }

    /// Whether values are of one kind of objects, or not all types, so that they may tell branches apart.
    fn tells_apart(&self, all: &Alternatives) -> bool {
        let demands = |&id| !self.model.object(id).required.is_empty();
        all.objects.len() <= 1 && (!all.is_all_types() || all.objects.iter().any(demands))
    }
}
