//! Typed schemas: what the keywords of a subschema say, and the table of all of them.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use super::equality::Equality;
use super::number_set::NumberSet;
use super::reader::{Document, ValueId};
use super::refs::Target;
use super::values::{
    ArraySet, Language, LanguageId, NameId, ObjectKeywords, SetId, StringSet, Types,
};
use crate::base::{Ids, Interner, LimitError, Limits, SmallMap, Texts, union};

/// A subschema, its keywords read. Its constraints hold together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Schema {
    pub(crate) types: Types,
    /// The values of `const` and `enum`, each the first one in the text that is spelt like it.
    pub(crate) constant: Option<ValueId>,
    pub(crate) enumeration: Option<ValueId>,
    pub(crate) number: Option<Box<NumberSet>>,
    pub(crate) string: StringSet,
    pub(crate) array: Option<Box<ArraySet>>,
    pub(crate) object: Option<Box<ObjectKeywords>>,
    /// All of these must hold.
    pub(crate) all_of: SmallVec<[SetId; 1]>,
    /// The target of `$ref`, or of another reference.
    pub(crate) reference: Option<Target>,
    /// Where in the text `properties` and the reference stand among all of these.
    pub(crate) places: Places,
}

/// Where the parts of a subschema that may name properties stand in the text, as ranks: that of a set of
/// `all_of` follows from its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Places {
    pub(crate) own: u32,
    pub(crate) reference: u32,
}

impl Places {
    /// `properties` first, a reference last.
    const USUAL: Self = Self {
        own: Self::own_behind(0),
        reference: u32::MAX,
    };

    /// The rank of a set of `all_of`.
    pub(crate) const fn of_set(index: usize) -> u32 {
        4 * index as u32 + 4
    }

    /// The rank of `properties` behind so many sets.
    pub(crate) const fn own_behind(sets: usize) -> u32 {
        4 * sets as u32 + 2
    }

    /// The rank of a reference behind so many sets, where `properties` are still to come.
    pub(crate) const fn reference_before_own(sets: usize) -> u32 {
        4 * sets as u32 + 1
    }

    /// The rank of a reference behind so many sets, and behind `properties`.
    pub(crate) const fn reference_behind_own(sets: usize) -> u32 {
        4 * sets as u32 + 3
    }
}

impl Schema {
    /// The schema of all values.
    pub(crate) fn any() -> Self {
        Self {
            types: Types::ALL,
            constant: None,
            enumeration: None,
            number: None,
            string: StringSet::ANY,
            array: None,
            object: None,
            all_of: SmallVec::new(),
            reference: None,
            places: Places::USUAL,
        }
    }

    /// The schema of no value.
    pub(crate) fn never() -> Self {
        let mut schema = Self::any();
        schema.types = Types::NONE;
        schema
    }

    /// What is said beside `enum`.
    pub(crate) fn beside_enumeration(&self) -> Self {
        Self {
            enumeration: None,
            ..self.clone()
        }
    }

    /// Calls `visit` with each set that a keyword names, but for references.
    fn each_part(&self, mut visit: impl FnMut(SetId)) {
        self.all_of.iter().copied().for_each(&mut visit);
        self.string.content.into_iter().for_each(&mut visit);
        if let Some(array) = &self.array {
            let counted = array.counts.iter().map(|count| count.set);
            let items = array.prefix.iter().copied().chain([array.rest]);
            items.chain(counted).for_each(&mut visit);
        }
        if let Some(object) = &self.object {
            let properties = object.properties.iter().map(|property| property.set);
            let patterns = object.patterns.iter().map(|&(_, set)| set);
            let values = properties.chain(patterns);
            values
                .chain([object.additional, object.names])
                .for_each(visit);
        }
    }

    /// Whether the schema says nothing but `$ref`.
    fn alias(&self) -> Option<Target> {
        let target = self.reference?;
        let bare = Self {
            reference: Some(target),
            places: self.places,
            ..Self::any()
        };
        (*self == bare).then_some(target)
    }

    /// The set that the schema says nothing beside.
    fn sole(&self) -> Option<SetId> {
        let [set] = self.all_of[..] else {
            return None;
        };
        let bare = Self {
            all_of: SmallVec::from([set]),
            places: self.places,
            ..Self::any()
        };
        (*self == bare).then_some(set)
    }
}

/// How a set of values is given.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Definition {
    /// By the keywords of a subschema.
    Schema(Arc<Schema>),
    /// As what a reference leads to, which is all that the subschema says.
    Alias(Target),
    /// As what all of these sets have in common; ascending, none of them such a set itself.
    All(Box<[SetId]>),
    /// As what any of these sets has.
    Any(Box<[SetId]>),
    /// As what exactly one of these sets has.
    One(Box<[SetId]>),
    /// As what this set has not.
    Not(SetId),
}

/// How many sets schemas mostly speak of, at most.
const MANY: usize = 16;

/// The steps of putting a member of a set of many in its place.
const STEPS_PER_MEMBER: usize = 4;

/// All sets of values that a schema speaks of.
#[derive(Clone, Debug)]
pub(crate) struct Sets {
    definitions: Interner<Definition>,
    /// Where each set was first met.
    origins: Vec<ValueId>,
    /// The set of each subschema that was read, by its place.
    pub(crate) places: Vec<(ValueId, SetId)>,
    /// The sets of the subschemas that references lead to.
    pub(crate) targets: SmallMap<Target, SetId>,
    /// Property names.
    names: Texts,
    pub(crate) languages: Vec<Language>,
    /// How many states the automata of all languages have.
    language_states: usize,
    /// The formats that assert nothing.
    pub(crate) unknown_formats: BTreeSet<String>,
    /// The encodings and media types that assert nothing, though content is asserted.
    pub(crate) unknown_content: BTreeSet<String>,
    /// Whether a schema tells 1 from 1.0, as draft 4's integers do.
    pub(crate) tells_spellings: bool,
    /// Which values of the document are equal, once many are compared.
    equality: OnceLock<Arc<Equality>>,
    /// What comparing sets is charged against.
    limits: Limits,
}

impl Sets {
    /// The table with [`SetId::ANY`] and [`SetId::NEVER`].
    pub(crate) fn new(root: ValueId, limits: &Limits) -> Box<Self> {
        let mut sets = Box::new(Self {
            definitions: Interner::with_capacity(MANY),
            origins: Vec::with_capacity(MANY),
            places: Vec::with_capacity(MANY),
            targets: SmallMap::default(),
            names: Texts::default(),
            languages: Vec::new(),
            language_states: 0,
            unknown_formats: BTreeSet::new(),
            unknown_content: BTreeSet::new(),
            tells_spellings: false,
            equality: OnceLock::new(),
            limits: limits.clone(),
        });
        sets.add(Schema::any(), root);
        sets.add(Schema::never(), root);
        sets
    }

    /// Which values of `document`, the one that these sets speak of, are equal.
    pub(crate) fn equality(&self, document: &Document) -> &Equality {
        self.equality
            .get_or_init(|| Arc::new(Equality::of(document)))
    }

    /// The set that `schema` describes, which stands at `origin`.
    pub(crate) fn add(&mut self, schema: Schema, origin: ValueId) -> SetId {
        if let Some(target) = schema.alias() {
            return self.define(Definition::Alias(target), origin);
        }
        if let Some(set) = schema.sole() {
            return set;
        }
        let number = schema.number.as_ref();
        self.tells_spellings |= number.is_some_and(|number| number.tells_spellings());
        let hash = Ids::hash(&schema);
        let same = |known: &Definition| match known {
            Definition::Schema(known) => **known == schema,
            _ => false,
        };
        let known = self.definitions.find(hash, same);
        SetId::new(known.unwrap_or_else(|| {
            self.origins.push(origin);
            let definition = Definition::Schema(Arc::new(schema));
            self.definitions.insert(hash, definition)
        }))
    }

    /// The set that is made of others so.
    fn define(&mut self, definition: Definition, origin: ValueId) -> SetId {
        let (id, new) = self.definitions.intern(definition);
        if new {
            self.origins.push(origin);
        }
        SetId::new(id)
    }

    pub(crate) fn definition(&self, set: SetId) -> &Definition {
        self.definitions.get(set.get())
    }

    /// Calls `visit` with each set that the definition of `set` names, whatever for; whether all of them are known.
    pub(crate) fn each_part(&self, set: SetId, mut visit: impl FnMut(SetId)) -> bool {
        let target = match self.definition(set) {
            Definition::Alias(target) => Some(target),
            Definition::All(sets) | Definition::Any(sets) | Definition::One(sets) => {
                sets.iter().copied().for_each(visit);
                return true;
            }
            &Definition::Not(inner) => {
                visit(inner);
                return true;
            }
            Definition::Schema(schema) => {
                schema.each_part(&mut visit);
                schema.reference.as_ref()
            }
        };
        let Some(target) = target else {
            return true;
        };
        let target = self.targets.get(target).copied();
        target.map(visit).is_some()
    }

    pub(crate) fn origin(&self, set: SetId) -> ValueId {
        self.origins[set.index()]
    }

    pub(crate) fn len(&self) -> usize {
        self.definitions.len()
    }

    /// The number of a property name.
    pub(crate) fn name(&mut self, text: &str) -> NameId {
        NameId::new(self.names.intern(text))
    }

    /// The property name with this number.
    pub(crate) fn name_text(&self, name: NameId) -> &str {
        self.names.get(name.get())
    }

    /// Adds a language.
    pub(crate) fn add_language(&mut self, language: Language) -> LanguageId {
        self.language_states += language.dfa.len();
        self.languages.push(language);
        LanguageId::from_usize(self.languages.len() - 1)
    }

    /// Whether all languages together are within the limit.
    pub(crate) fn check_languages(&self, limits: &Limits) -> Result<(), LimitError> {
        LimitError::check(
            "states of all automata of a schema",
            self.language_states,
            limits.schema_states,
        )
    }

    /// The set itself: where it is a mere `$ref`, what that leads to.
    pub(crate) fn resolve(&self, mut set: SetId) -> SetId {
        while let Definition::Alias(target) = self.definition(set)
            && let Some(&target) = self.targets.get(target)
        {
            set = target;
        }
        set
    }

    /// Lets each mere `$ref` lead straight to what it stands for, so that chains of them are followed once. None leads back
    /// to itself.
    pub(crate) fn shorten_references(&mut self) {
        let mut way: Vec<Target> = Vec::new();
        for start in (0..self.len()).map(SetId::from_usize) {
            let mut set = start;
            while let Definition::Alias(target) = self.definition(set)
                && let Some(&next) = self.targets.get(target)
            {
                way.push(*target);
                set = next;
            }
            for target in way.drain(..) {
                if let Some(leads_to) = self.targets.get_mut(&target) {
                    *leads_to = set;
                }
            }
        }
    }

    /// What two sets have in common.
    pub(crate) fn both(&mut self, left: SetId, right: SetId) -> SetId {
        let (left, right) = (self.resolve(left), self.resolve(right));
        if left == right || right == SetId::ANY {
            return left;
        }
        if left == SetId::ANY {
            return right;
        }
        if left == SetId::NEVER || right == SetId::NEVER {
            return SetId::NEVER;
        }
        let mut members: Vec<SetId> = Vec::new();
        for set in [left, right] {
            match self.definition(set) {
                Definition::All(sets) => members.extend(sets),
                _ => members.push(set),
            }
        }
        if members.len() > MANY {
            // Whoever asks charges too: what is over the limit here is refused there.
            let _ = self.limits.charge(STEPS_PER_MEMBER * members.len());
        }
        members.sort_unstable();
        members.dedup();
        let opposed = |set: &SetId| match self.definition(*set) {
            Definition::Not(inner) => members.binary_search(inner).is_ok(),
            _ => false,
        };
        if members.iter().any(opposed) {
            return SetId::NEVER;
        }
        let origin = self.origin(left);
        self.define(Definition::All(members.into_boxed_slice()), origin)
    }

    /// The set of what `members`, ascending, have in common, if it was asked for.
    pub(crate) fn known_all(&self, members: &[SetId]) -> Option<SetId> {
        let all = Definition::All(members.into());
        let same = |known: &Definition| *known == all;
        self.definitions.find(Ids::hash(&all), same).map(SetId::new)
    }

    /// The objects in `set`.
    pub(crate) fn objects_of(&mut self, set: SetId) -> SetId {
        let set = self.resolve(set);
        match self.definition(set) {
            Definition::Schema(schema) if schema.types == Types::OBJECT => set,
            _ => {
                let objects = Schema {
                    types: Types::OBJECT,
                    ..Schema::any()
                };
                let objects = self.add(objects, self.origin(set));
                self.both(set, objects)
            }
        }
    }

    /// What any of `sets` has.
    pub(crate) fn any(&mut self, sets: Vec<SetId>, origin: ValueId) -> SetId {
        if sets.contains(&SetId::ANY) {
            return SetId::ANY;
        }
        let members = union(sets.into_iter().filter(|&set| set != SetId::NEVER));
        match members.as_slice() {
            [] => SetId::NEVER,
            &[set] => set,
            _ => self.define(Definition::Any(members.into_boxed_slice()), origin),
        }
    }

    /// What exactly one of `sets` has.
    pub(crate) fn one(&mut self, sets: Vec<SetId>, origin: ValueId) -> SetId {
        let possible: Vec<SetId> = sets.into_iter().filter(|&s| s != SetId::NEVER).collect();
        match possible.as_slice() {
            [] => SetId::NEVER,
            &[set] => set,
            _ => self.define(Definition::One(possible.into_boxed_slice()), origin),
        }
    }

    /// What `set` has not. References in it need not be read yet.
    pub(crate) fn not(&mut self, set: SetId) -> SetId {
        match self.definition(set) {
            _ if set == SetId::ANY => SetId::NEVER,
            _ if set == SetId::NEVER => SetId::ANY,
            &Definition::Not(inner) => self.resolve(inner),
            _ => {
                let origin = self.origin(set);
                self.define(Definition::Not(set), origin)
            }
        }
    }
}
