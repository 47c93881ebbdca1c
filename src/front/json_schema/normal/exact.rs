//! Which sets are told exactly, so that nothing lies between them and their complements, and both can be told with others.

use crate::front::json_schema::model::Model;
use crate::front::json_schema::reader::Kind;
use crate::front::json_schema::schema::Definition;
use crate::front::json_schema::values::{Extent, Language, Repeats, SetId};

/// By set, as far as was asked: whether members are left out, as those of a format that only some take for such, or spellings, as
/// of numbers with bounds or steps and of items that must differ, and orders of properties, as of single values. So are strings
/// that are counted or nest: they are not told beside others, or need an automaton for it that may be too large.
#[derive(Debug, Default)]
pub(super) struct Narrow(Vec<bool>);

impl Narrow {
    /// How many sets must be looked at before `set` is known.
    pub(super) fn unknown(&self, model: &Model, set: SetId) -> usize {
        match set.index() < self.0.len() {
            true => 0,
            false => model.sets.len() - self.0.len(),
        }
    }

    /// Whether each value is in `set` or in its complement, as both are told.
    pub(super) fn is_exact(&mut self, model: &Model, set: SetId) -> bool {
        if self.0.len() <= set.index() {
            self.find(model);
        }
        !self.0[set.index()]
    }

    /// Finds out which of the sets are narrow that came since.
    fn find(&mut self, model: &Model) {
        let sets = &model.sets;
        let known = self.0.len();
        self.0.resize(sets.len(), false);
        // Of sets that are new, which of these they are parts of.
        let mut wholes: Vec<Vec<usize>> = vec![Vec::new(); sets.len() - known];
        let mut pending: Vec<usize> = Vec::new();
        for index in known..sets.len() {
            let set = SetId::from_usize(index);
            let mut is_narrow = leaves_out(model, set);
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

/// Whether something is left out of `set` by what it says itself.
fn leaves_out(model: &Model, set: SetId) -> bool {
    let Definition::Schema(schema) = model.sets.definition(set) else {
        return false;
    };
    let is_narrower = |language: &Language| {
        !language.is_flat() || matches!(language.extent, Extent::Narrower { .. })
    };
    let language = schema.string.language;
    let array = schema.array.as_ref();
    let listed = schema.enumeration.into_iter();
    let mut values = listed
        .flat_map(|all| model.document.elements(all))
        .chain(schema.constant);
    schema.number.is_some()
        || schema.string.content.is_some()
        || language.is_some_and(|language| is_narrower(model.language(language)))
        || array.is_some_and(|array| array.repeats != Repeats::Any)
        || values.any(|value| {
            let kind = model.document.kind(value);
            matches!(kind, Kind::Number | Kind::Array | Kind::Object)
        })
}
