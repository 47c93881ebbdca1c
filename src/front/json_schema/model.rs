//! A schema in normal form: per set of values, the alternatives it consists of.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::number_set::NumberSet;
use super::reader::{Document, ValueId};
use super::schema::{Interner, Sets};
use super::values::{ArraySet, Language, LanguageId, ObjectSet, SetId, StringSet};
use crate::base::define_id;

define_id! {
    /// A [`NumberSet`] of a model.
    pub(crate) NumberId
}
define_id! {
    /// A [`StringSet`] of a model.
    pub(crate) StringId
}
define_id! {
    /// An [`ArraySet`] of a model.
    pub(crate) ArrayId
}
define_id! {
    /// An [`ObjectSet`] of a model.
    pub(crate) ObjectId
}

/// A set of values as a union: of single values, and per type of conjunctions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Alternatives {
    pub(crate) null: bool,
    pub(crate) falsity: bool,
    pub(crate) truth: bool,
    /// Single values, `null`, `false` and `true` apart.
    pub(crate) literals: Vec<ValueId>,
    pub(crate) numbers: Vec<NumberId>,
    pub(crate) strings: Vec<StringId>,
    pub(crate) arrays: Vec<ArrayId>,
    pub(crate) objects: Vec<ObjectId>,
}

/// A schema in normal form, with all that its lowering needs.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) document: Document,
    pub(crate) sets: Sets,
    pub(crate) root: SetId,
    /// The alternatives of all sets that the root reaches.
    pub(crate) alternatives: Vec<Option<Arc<Alternatives>>>,
    pub(crate) numbers: Interner<NumberSet>,
    pub(crate) strings: Interner<StringSet>,
    pub(crate) arrays: Interner<ArraySet>,
    pub(crate) objects: Interner<ObjectSet>,
    /// Per set, in how many rounds it was found to have a member; 0 where it has none.
    pub(crate) ranks: Vec<u32>,
    /// Languages of several patterns, by the pair they were made of.
    pub(crate) products: FxHashMap<(LanguageId, LanguageId), LanguageId>,
}

impl Model {
    pub(crate) fn number(&self, id: NumberId) -> &NumberSet {
        self.numbers.get(id.get())
    }

    pub(crate) fn string(&self, id: StringId) -> &StringSet {
        self.strings.get(id.get())
    }

    pub(crate) fn array(&self, id: ArrayId) -> &ArraySet {
        self.arrays.get(id.get())
    }

    pub(crate) fn object(&self, id: ObjectId) -> &ObjectSet {
        self.objects.get(id.get())
    }

    pub(crate) fn language(&self, id: LanguageId) -> &Language {
        &self.sets.languages[id.index()]
    }

    /// The alternatives of a set that the root reaches.
    pub(crate) fn alternatives(&self, set: SetId) -> Option<&Alternatives> {
        self.alternatives.get(set.index())?.as_deref()
    }

    /// Whether a set that the root reaches has a member.
    pub(crate) fn inhabited(&self, set: SetId) -> bool {
        self.ranks.get(set.index()).is_some_and(|&rank| rank > 0)
    }
}
