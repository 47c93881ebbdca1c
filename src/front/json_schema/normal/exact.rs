//! Which sets are told exactly, so that nothing lies between them and their complements.

use crate::front::json_schema::schema::{Definition, Sets};
use crate::front::json_schema::values::{Extent, SetId};

/// By set, as far as was asked: whether strings are left out that somebody takes for members, as those of a format are, or spellings,
/// as of numbers with bounds or steps.
#[derive(Debug, Default)]
pub(super) struct Narrow(Vec<bool>);

impl Narrow {
    /// How many sets must be looked at before `set` is known.
    pub(super) fn unknown(&self, sets: &Sets, set: SetId) -> usize {
        match set.index() < self.0.len() {
            true => 0,
            false => sets.len() - self.0.len(),
        }
    }

    /// Whether each value is in `set` or in its complement, as both are told.
    pub(super) fn is_exact(&mut self, sets: &Sets, set: SetId) -> bool {
        if self.0.len() <= set.index() {
            self.find(sets);
        }
        !self.0[set.index()]
    }

    /// Finds out which of the sets are narrow that came since.
    fn find(&mut self, sets: &Sets) {
        let known = self.0.len();
        self.0.resize(sets.len(), false);
        // Of sets that are new, which of these they are parts of.
        let mut wholes: Vec<Vec<usize>> = vec![Vec::new(); sets.len() - known];
        let mut pending: Vec<usize> = Vec::new();
        for index in known..sets.len() {
            let set = SetId::from_usize(index);
            let mut is_narrow = leaves_out(sets, set);
            let are_known = sets.each_part(set, |part| match part.index().checked_sub(known) {
                Some(new) => wholes[new].push(index),
                None => is_narrow |= self.0[part.index()],
            });
            if is_narrow || !are_known {
                pending.push(index);
            }
        }
        while let Some(index) = pending.pop() {
            if !std::mem::replace(&mut self.0[index], true) {
                pending.append(&mut wholes[index - known]);
            }
        }
    }
}

/// Whether strings are left out of `set` by what it says itself.
fn leaves_out(sets: &Sets, set: SetId) -> bool {
    let Definition::Schema(schema) = sets.definition(set) else {
        return false;
    };
    let is_spelt_narrowly = schema.number.is_some() || schema.string.content.is_some();
    let language = schema.string.language.map(|id| &sets.languages[id.index()]);
    let is_narrower = |extent: &Extent| matches!(extent, Extent::Narrower { .. });
    is_spelt_narrowly || language.is_some_and(|own| is_narrower(&own.extent))
}
