//! A schema in normal form: per set of values, the alternatives it consists of.

use std::sync::Arc;

use smallvec::SmallVec;

use super::evaluate::types;
use super::number_set::NumberSet;
use super::reader::{Document, ValueId};
use super::schema::Sets;
use super::shape::{ArrayShape, ObjectShape, Unique};
use super::values::{
    ArrayId, ArraySet, Language, LanguageId, NumberId, ObjectId, ObjectSet, SetId, StringId,
    StringSet, Types,
};
use crate::base::Interner;

/// Ids of which there mostly are one or two: as many as fit take no more room than a `Vec`.
pub(crate) type Few<T> = SmallVec<[T; 4]>;

/// A set of values as a union: of single values, and per type of conjunctions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Alternatives {
    pub(crate) null: bool,
    pub(crate) falsity: bool,
    pub(crate) truth: bool,
    /// Single values, `null`, `false` and `true` apart.
    pub(crate) literals: Few<ValueId>,
    pub(crate) numbers: Few<NumberId>,
    pub(crate) strings: Few<StringId>,
    pub(crate) arrays: Few<ArrayId>,
    pub(crate) objects: Few<ObjectId>,
}

impl Alternatives {
    /// Whether there are values of every type.
    pub(crate) fn is_all_types(&self) -> bool {
        let compounds = !self.arrays.is_empty() && !self.objects.is_empty();
        let scalars = !self.numbers.is_empty() && !self.strings.is_empty();
        self.null && self.falsity && self.truth && scalars && compounds
    }

    /// How many alternatives are no single values.
    pub(crate) fn unions(&self) -> usize {
        self.numbers.len() + self.strings.len() + self.arrays.len() + self.objects.len()
    }

    /// Whether there is no alternative.
    pub(crate) fn is_void(&self) -> bool {
        *self == Self::default()
    }
}

/// A schema in normal form, with all that its lowering needs.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) document: Box<Document>,
    pub(crate) sets: Box<Sets>,
    pub(crate) root: SetId,
    /// The alternatives of the sets that were looked at.
    pub(crate) alternatives: Vec<Option<Arc<Alternatives>>>,
    /// The root and the sets that its values' parts belong to.
    pub(crate) reached: Vec<SetId>,
    pub(crate) numbers: Interner<Arc<NumberSet>>,
    pub(crate) strings: Interner<StringSet>,
    pub(crate) arrays: Interner<ArraySet>,
    pub(crate) objects: Interner<Arc<ObjectSet>>,
    /// Per set, whether the root reaches it and it has a member.
    pub(crate) inhabited: Vec<bool>,
    /// The shapes of the arrays and objects among the alternatives of `reached`, by their ids.
    pub(crate) array_shapes: Vec<Option<Arc<ArrayShape>>>,
    pub(crate) object_shapes: Vec<Option<Arc<ObjectShape>>>,
}

impl Model {
    pub(crate) fn number(&self, id: NumberId) -> &Arc<NumberSet> {
        self.numbers.get(id.get())
    }

    pub(crate) fn string(&self, id: StringId) -> &StringSet {
        self.strings.get(id.get())
    }

    pub(crate) fn array(&self, id: ArrayId) -> &ArraySet {
        self.arrays.get(id.get())
    }

    pub(crate) fn object(&self, id: ObjectId) -> &Arc<ObjectSet> {
        self.objects.get(id.get())
    }

    /// The shape of an array set that the root reaches.
    pub(crate) fn array_shape(&self, id: ArrayId) -> &Arc<ArrayShape> {
        let shape = self.array_shapes[id.index()].as_ref();
        shape.expect("arrays that the root reaches have shapes")
    }

    /// Whether the root reaches an array set of which some items must be equal.
    pub(crate) fn has_repeated_items(&self) -> bool {
        let mut shapes = self.array_shapes.iter().flatten();
        shapes.any(|shape| matches!(shape.unique, Some(Unique::Repeated)))
    }

    /// The shape of an object set that the root reaches.
    pub(crate) fn object_shape(&self, id: ObjectId) -> &Arc<ObjectShape> {
        let shape = self.object_shapes[id.index()].as_ref();
        shape.expect("objects that the root reaches have shapes")
    }

    pub(crate) fn language(&self, id: LanguageId) -> &Language {
        &self.sets.languages[id.index()]
    }

    /// The sets that parts of members of a set belong to: items and members of objects.
    pub(crate) fn parts(&self, set: SetId) -> impl Iterator<Item = SetId> {
        let all = self.alternatives(set).into_iter();
        let parts = all.flat_map(|all| {
            let arrays = all.arrays.iter().flat_map(|&id| {
                let set = self.array(id);
                let own = set.prefix.iter().chain([&set.rest]).copied();
                own.chain(self.array_shape(id).sets())
            });
            let objects = all.objects.iter();
            let members = objects.flat_map(|&id| self.object_shape(id).sets());
            arrays.chain(members)
        });
        parts.map(|part| self.sets.resolve(part))
    }

    /// The sets with all that parts of their members belong to.
    pub(crate) fn all_parts(&self, mut sets: Vec<SetId>) -> Vec<SetId> {
        let mut seen = vec![false; self.alternatives.len()];
        let mut at = 0;
        sets.retain(|set| !std::mem::replace(&mut seen[set.index()], true));
        while let Some(&set) = sets.get(at) {
            at += 1;
            let parts = self.parts(set);
            sets.extend(parts.filter(|part| !std::mem::replace(&mut seen[part.index()], true)));
        }
        sets
    }

    /// The sets of what stands in the strings among the members of a set.
    pub(crate) fn contents(&self, set: SetId) -> impl Iterator<Item = SetId> {
        let all = self.alternatives(set).into_iter();
        let contents = all.flat_map(|all| &all.strings);
        let contents = contents.filter_map(|&id| self.string(id).content);
        contents.map(|content| self.sets.resolve(content))
    }

    /// The alternatives of a set.
    pub(crate) fn alternatives(&self, set: SetId) -> Option<&Alternatives> {
        self.alternatives.get(set.index())?.as_deref()
    }

    /// The types of the values of a set.
    pub(crate) fn types(&self, set: SetId) -> Types {
        let Some(all) = self.alternatives(set) else {
            return Types::NONE;
        };
        let literals = all
            .literals
            .iter()
            .map(|&value| types(&self.document, value));
        let listed = [
            (all.null, Types::NULL),
            (all.falsity || all.truth, Types::BOOLEAN),
            (!all.numbers.is_empty(), Types::NUMBER),
            (!all.strings.is_empty(), Types::STRING),
            (!all.arrays.is_empty(), Types::ARRAY),
            (!all.objects.is_empty(), Types::OBJECT),
        ];
        let listed = listed.into_iter().filter(|(is_there, _)| *is_there);
        let listed = listed.map(|(_, types)| types);
        listed.chain(literals).fold(Types::NONE, Types::union)
    }

    /// Whether a set that the root reaches has a member.
    pub(crate) fn inhabited(&self, set: SetId) -> bool {
        self.inhabited.get(set.index()) == Some(&true)
    }
}
