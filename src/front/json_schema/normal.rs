//! Normalisation: typed schemas to the alternatives that their values consist of.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::evaluate::Evaluator;
use super::model::{Alternatives, ArrayId, Model, NumberId, ObjectId, StringId};
use super::number_set::NumberSet;
use super::reader::{Document, Kind, ValueId};
use super::schema::{Definition, Interner, Schema};
use super::values::{ArraySet, Language, LanguageId, ObjectSet, Property, SetId, StringSet, Types};
use super::{SchemaError, emptiness, keywords, pointer};
use crate::base::{LimitError, Limits};

/// How many alternatives a set may have.
const ALTERNATIVES: usize = 512;
/// How many sets a schema may have, intersections included.
const SETS: usize = 1 << 15;

/// Reads and normalises a schema.
pub(super) fn read(text: &str, limits: &Limits) -> Result<Model, SchemaError> {
    let document = Document::read(text, limits)?;
    let (sets, root) = keywords::read(&document, limits)?;
    let mut model = Model {
        root: sets.resolve(root),
        alternatives: vec![None; sets.len()],
        document,
        sets,
        numbers: Interner::default(),
        strings: Interner::default(),
        arrays: Interner::default(),
        objects: Interner::default(),
        ranks: Vec::new(),
        products: FxHashMap::default(),
    };
    model.normalise_all(limits)?;
    model.ranks = emptiness::ranks(&model);
    match emptiness::conflict(&model) {
        Some(place) => Err(SchemaError::Unsatisfiable {
            pointer: pointer::of(&model.document, place),
        }),
        None => Ok(model),
    }
}

impl Model {
    /// Normalises the root and all sets that values of it are made of.
    fn normalise_all(&mut self, limits: &Limits) -> Result<(), SchemaError> {
        let mut pending = vec![self.root];
        let mut arrays = 0;
        let mut objects = 0;
        loop {
            while let Some(set) = pending.pop() {
                self.normalise(set, limits)?;
            }
            for id in arrays..self.arrays.len() {
                let array = self.arrays.get(id as u32);
                pending.extend(array.prefix.iter().chain([&array.rest]));
            }
            for id in objects..self.objects.len() {
                let object = self.objects.get(id as u32);
                pending.extend(object.properties.iter().map(|property| property.set));
                pending.push(object.additional);
            }
            (arrays, objects) = (self.arrays.len(), self.objects.len());
            if pending.is_empty() {
                return Ok(());
            }
        }
    }

    fn limit(&self, place: ValueId, source: LimitError) -> SchemaError {
        SchemaError::Limit {
            pointer: pointer::of(&self.document, place),
            source,
        }
    }

    fn normalise(&mut self, set: SetId, limits: &Limits) -> Result<Arc<Alternatives>, SchemaError> {
        if let Some(Some(known)) = self.alternatives.get(set.index()) {
            return Ok(known.clone());
        }
        let origin = self.sets.origin(set);
        LimitError::check("sets of values of a schema", self.sets.len(), SETS)
            .map_err(|source| self.limit(origin, source))?;
        let alternatives = match self.sets.definition(set) {
            Definition::Schema(schema) => {
                let schema = schema.clone();
                self.schema(&schema, set, limits)?
            }
            Definition::All(members) => {
                let members = members.clone();
                let mut all = (*self.normalise(members[0], limits)?).clone();
                for &member in &members[1..] {
                    let other = self.normalise(member, limits)?;
                    all = self.intersect(&all, &other, origin, limits)?;
                }
                all
            }
        };
        let alternatives = Arc::new(alternatives);
        if self.alternatives.len() <= set.index() {
            self.alternatives.resize(self.sets.len(), None);
        }
        self.alternatives[set.index()] = Some(alternatives.clone());
        Ok(alternatives)
    }

    fn schema(
        &mut self,
        schema: &Schema,
        set: SetId,
        limits: &Limits,
    ) -> Result<Alternatives, SchemaError> {
        let origin = self.sets.origin(set);
        if let Some(constant) = schema.constant {
            return Ok(self.literals(schema, [constant].into_iter()));
        }
        if let Some(enumeration) = schema.enumeration {
            let members: Vec<ValueId> = self.document.elements(enumeration).collect();
            return Ok(self.literals(schema, members.into_iter()));
        }
        let mut all = self.own(schema, origin, limits)?;
        if let Some(sets) = &schema.any_of {
            let mut any = Alternatives::default();
            for &set in sets {
                let alternative = self.normalise(set, limits)?;
                self.unite(&mut any, &alternative);
                self.check_count(&any, origin)?;
            }
            all = self.intersect(&all, &any, origin, limits)?;
        }
        let target = schema.reference.map(|target| self.sets.targets[&target]);
        for set in schema.all_of.iter().copied().chain(target) {
            let other = self.normalise(set, limits)?;
            all = self.intersect(&all, &other, origin, limits)?;
        }
        Ok(all)
    }

    /// Those of `values` that satisfy the schema.
    fn literals(&self, schema: &Schema, values: impl Iterator<Item = ValueId>) -> Alternatives {
        let evaluator = Evaluator {
            document: &self.document,
            sets: &self.sets,
        };
        let mut all = Alternatives::default();
        for value in values.filter(|&value| evaluator.satisfies_schema(schema, value)) {
            match self.document.kind(value) {
                Kind::Null => all.null = true,
                Kind::False => all.falsity = true,
                Kind::True => all.truth = true,
                _ => all.literals.push(value),
            }
        }
        all
    }

    /// What the keywords for single types allow.
    fn own(
        &mut self,
        schema: &Schema,
        origin: ValueId,
        limits: &Limits,
    ) -> Result<Alternatives, SchemaError> {
        let mut all = Alternatives {
            null: schema.types.meets(Types::NULL),
            falsity: schema.types.meets(Types::BOOLEAN),
            truth: schema.types.meets(Types::BOOLEAN),
            ..Alternatives::default()
        };
        if schema.types.meets(Types::NUMBER) {
            let number = schema.number.as_deref().cloned().unwrap_or_default();
            all.numbers.extend(self.add_number(number));
        }
        if schema.types.meets(Types::STRING) {
            all.strings
                .extend(self.add_string(schema.string, origin, limits)?);
        }
        if schema.types.meets(Types::ARRAY) {
            let mut array = schema.array.as_deref().cloned().unwrap_or(ArraySet::ANY);
            array.rest = self.sets.resolve(array.rest);
            for set in &mut array.prefix {
                *set = self.sets.resolve(*set);
            }
            all.arrays.extend(self.add_array(array));
        }
        if schema.types.meets(Types::OBJECT) {
            let mut object = schema.object.as_deref().cloned().unwrap_or(ObjectSet::ANY);
            object.additional = self.sets.resolve(object.additional);
            for property in &mut object.properties {
                property.set = self.sets.resolve(property.set);
            }
            all.objects.push(self.add_object(object));
        }
        Ok(all)
    }

    fn add_number(&mut self, set: NumberSet) -> Option<NumberId> {
        (!set.is_empty()).then(|| NumberId::new(self.numbers.intern(set).0))
    }

    fn add_string(
        &mut self,
        set: StringSet,
        origin: ValueId,
        limits: &Limits,
    ) -> Result<Option<StringId>, SchemaError> {
        if set.least > set.most {
            return Ok(None);
        }
        if let Some(id) = set.language {
            let language = &mut self.sets.languages[id.index()];
            if language.dfa.is_empty() {
                return Ok(None);
            }
            if set.is_bounded() {
                if language.lengths.is_none() {
                    let lengths = language.dfa.lengths(limits);
                    let lengths = lengths.map_err(|source| SchemaError::Limit {
                        pointer: pointer::of(&self.document, origin),
                        source,
                    })?;
                    language.lengths = Some(Arc::new(lengths));
                }
                let most = (set.most < u32::MAX).then_some(u64::from(set.most));
                let start = language.dfa.start();
                let lengths = language.lengths.as_ref();
                if !lengths.is_some_and(|l| l.can_finish(start, u64::from(set.least), most)) {
                    return Ok(None);
                }
            }
        }
        Ok(Some(StringId::new(self.strings.intern(set).0)))
    }

    fn add_array(&mut self, mut set: ArraySet) -> Option<ArrayId> {
        let never = |set: &SetId| *set == SetId::NEVER;
        let possible = set.prefix.iter().position(never);
        let possible = possible.or((set.rest == SetId::NEVER).then_some(set.prefix.len()));
        if let Some(possible) = possible {
            set.most = set.most.min(u32::try_from(possible).unwrap_or(u32::MAX));
        }
        if (set.most as usize) <= set.prefix.len() {
            set.prefix.truncate(set.most as usize);
            set.rest = SetId::NEVER;
        }
        while set.prefix.last() == Some(&set.rest) {
            set.prefix.pop();
        }
        (set.least <= set.most).then(|| ArrayId::new(self.arrays.intern(set).0))
    }

    fn add_object(&mut self, set: ObjectSet) -> ObjectId {
        ObjectId::new(self.objects.intern(set).0)
    }

    /// Adds the members of `other` to `all`.
    fn unite(&self, all: &mut Alternatives, other: &Alternatives) {
        fn add<T: Copy + PartialEq>(all: &mut Vec<T>, other: &[T], any: impl Fn(T) -> bool) {
            for &item in other {
                if all.contains(&item) || all.first().is_some_and(|&first| any(first)) {
                    continue;
                }
                if any(item) {
                    all.clear();
                }
                all.push(item);
            }
        }
        all.null |= other.null;
        all.falsity |= other.falsity;
        all.truth |= other.truth;
        add(&mut all.literals, &other.literals, |_| false);
        add(&mut all.numbers, &other.numbers, |id| {
            *self.number(id) == NumberSet::default()
        });
        add(&mut all.strings, &other.strings, |id| {
            *self.string(id) == StringSet::ANY
        });
        add(&mut all.arrays, &other.arrays, |id| {
            *self.array(id) == ArraySet::ANY
        });
        add(&mut all.objects, &other.objects, |id| {
            *self.object(id) == ObjectSet::ANY
        });
    }

    fn check_count(&self, all: &Alternatives, origin: ValueId) -> Result<(), SchemaError> {
        let count = all.numbers.len() + all.strings.len() + all.arrays.len() + all.objects.len();
        LimitError::check("alternatives of a schema", count, ALTERNATIVES)
            .map_err(|source| self.limit(origin, source))
    }

    /// The members of both sets.
    fn intersect(
        &mut self,
        left: &Alternatives,
        right: &Alternatives,
        origin: ValueId,
        limits: &Limits,
    ) -> Result<Alternatives, SchemaError> {
        let mut both = Alternatives {
            null: left.null && right.null,
            falsity: left.falsity && right.falsity,
            truth: left.truth && right.truth,
            ..Alternatives::default()
        };
        for (these, others) in [(left, right), (right, left)] {
            for &value in &these.literals {
                if !both.literals.contains(&value) && self.contains(others, value) {
                    both.literals.push(value);
                }
            }
        }
        for &a in &left.numbers {
            for &b in &right.numbers {
                let set = match a == b {
                    true => Some(a),
                    false => {
                        let set = self.number(a).intersect(self.number(b));
                        self.add_number(set.map_err(|source| self.limit(origin, source))?)
                    }
                };
                push_new(&mut both.numbers, set);
            }
        }
        for &a in &left.strings {
            for &b in &right.strings {
                let set = self.both_strings(a, b, origin, limits)?;
                push_new(&mut both.strings, set);
            }
        }
        for &a in &left.arrays {
            for &b in &right.arrays {
                let set = self.both_arrays(a, b);
                push_new(&mut both.arrays, set);
            }
        }
        for &a in &left.objects {
            for &b in &right.objects {
                let set = self.both_objects(a, b);
                push_new(&mut both.objects, Some(set));
            }
        }
        self.check_count(&both, origin)?;
        Ok(both)
    }

    fn contains(&self, all: &Alternatives, value: ValueId) -> bool {
        let evaluator = Evaluator {
            document: &self.document,
            sets: &self.sets,
        };
        let equal = |&other: &ValueId| super::evaluate::equal(&self.document, value, other);
        all.literals.iter().any(equal)
            || match self.document.kind(value) {
                Kind::Null => all.null,
                Kind::False => all.falsity,
                Kind::True => all.truth,
                Kind::Number => all
                    .numbers
                    .iter()
                    .any(|&id| evaluator.number(self.number(id), value)),
                Kind::PlainString | Kind::EscapedString => all
                    .strings
                    .iter()
                    .any(|&id| evaluator.string(self.string(id), value)),
                Kind::Array => all
                    .arrays
                    .iter()
                    .any(|&id| evaluator.array(self.array(id), value)),
                Kind::Object => all
                    .objects
                    .iter()
                    .any(|&id| evaluator.object(self.object(id), value)),
            }
    }

    fn both_strings(
        &mut self,
        a: StringId,
        b: StringId,
        origin: ValueId,
        limits: &Limits,
    ) -> Result<Option<StringId>, SchemaError> {
        if a == b {
            return Ok(Some(a));
        }
        let (a, b) = (*self.string(a), *self.string(b));
        let language = match (a.language, b.language) {
            (Some(a), Some(b)) if a != b => Some(self.product(a.min(b), a.max(b), limits)?),
            (a, b) => a.or(b),
        };
        let set = StringSet {
            least: a.least.max(b.least),
            most: a.most.min(b.most),
            language,
        };
        self.add_string(set, origin, limits)
    }

    fn product(
        &mut self,
        a: LanguageId,
        b: LanguageId,
        limits: &Limits,
    ) -> Result<LanguageId, SchemaError> {
        if let Some(&known) = self.products.get(&(a, b)) {
            return Ok(known);
        }
        let origin = self.language(b).origin;
        let dfa = self
            .language(a)
            .dfa
            .intersect(&self.language(b).dfa, limits);
        let dfa = dfa.map_err(|source| self.limit(origin, source))?;
        let id = LanguageId::from_usize(self.sets.languages.len());
        self.sets.languages.push(Language {
            dfa: Arc::new(dfa),
            lengths: None,
            origin,
        });
        self.products.insert((a, b), id);
        Ok(id)
    }

    fn both_arrays(&mut self, a: ArrayId, b: ArrayId) -> Option<ArrayId> {
        if a == b {
            return Some(a);
        }
        let (a, b) = (self.array(a).clone(), self.array(b).clone());
        let places = a.prefix.len().max(b.prefix.len());
        let prefix = (0..places)
            .map(|i| self.sets.both(a.item(i), b.item(i)))
            .collect();
        let rest = self.sets.both(a.rest, b.rest);
        self.add_array(ArraySet {
            prefix,
            rest,
            least: a.least.max(b.least),
            most: a.most.min(b.most),
        })
    }

    fn both_objects(&mut self, a: ObjectId, b: ObjectId) -> ObjectId {
        if a == b {
            return a;
        }
        let (a, b) = (self.object(a).clone(), self.object(b).clone());
        let mut properties = Vec::with_capacity(a.properties.len() + b.properties.len());
        for &Property { name, set } in &a.properties {
            let set = self.sets.both(set, b.property(name));
            properties.push(Property { name, set });
        }
        for &Property { name, set } in &b.properties {
            if !a.properties.iter().any(|property| property.name == name) {
                let set = self.sets.both(a.additional, set);
                properties.push(Property { name, set });
            }
        }
        let mut required = a.required;
        for name in b.required {
            if !required.contains(&name) {
                required.push(name);
            }
        }
        let additional = self.sets.both(a.additional, b.additional);
        self.add_object(ObjectSet {
            properties,
            required,
            additional,
        })
    }
}

fn push_new<T: PartialEq>(items: &mut Vec<T>, item: Option<T>) {
    items.extend(item.filter(|item| !items.contains(item)));
}
