//! Normalisation: typed schemas to the alternatives that their values consist of.
//!
//! A set of values is normalised one level deep: its parts are sets again, by their ids, normalised
//! when it is their turn. So recursive schemas take as long as they are large.
//!
//! The normal form is a union: of single values, and for each type of conjunctions of constraints. The files
//! here say what an intersection (`intersect`), a complement (`complement`) and "exactly one of" (`one`, with
//! what stands `beside` it) are in that form, type by type: `strings` and `classes` (languages), `arrays`, `objects`. Where alternatives
//! would multiply, `factor` writes unions of objects as clauses. `array_shapes` and `object_shapes` then work
//! out which parts may follow one another, and `choices` what a part may be by which clauses it fulfils; `exact` says where a set and
//! its complement are all there is.

mod array_shapes;
mod arrays;
mod beside;
mod branches;
mod choices;
mod classes;
mod complement;
mod conditions;
mod contents;
mod exact;
mod factor;
mod intersect;
mod object_shapes;
mod objects;
mod one;
mod open;
mod order;
mod strings;
mod unique_items;

use std::cell::RefCell;
use std::hash::Hash;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use super::config::{Content, Escapes, Outermost, PropertyOrder};
use super::cycles::in_place;
use super::error::Faults;
use super::evaluate::Evaluator;
use super::model::{Alternatives, Few, Model};
use super::number_set::NumberSet;
use super::reader::{Document, Kind, ValueId};
use super::refs::References;
use super::schema::{Definition, Schema};
use super::values::NumberId;
use super::values::{ArraySet, LanguageId, NameId, ObjectSet, SetId, StringSet, Types};
use super::{SchemaConfig, SchemaError, abundance, emptiness, keywords, pointer, response_format};
use crate::base::{Interner, LimitError, Limits, Members};
use branches::Make;
use exact::Narrow;
use open::Open;

/// How many alternatives a set may have.
const ALTERNATIVES: usize = 4096;
/// How many pairs of alternatives are intersected at once.
const PAIRS: usize = 1 << 18;
/// How many sets a schema may have, intersections included.
const SETS: usize = 1 << 15;
/// How many arrays and objects of one `enum` are taken apart.
const COMPOUNDS: usize = 64;
/// What opening a set costs, in parts.
const PARTS_OF_A_SET: usize = 16;
/// What a part of a set costs: comparing it, hashing it and keeping it.
const STEPS_PER_PART: usize = 8;
/// How far emptiness is looked for while alternatives are still made.
const FORESIGHT: usize = 6;

/// Reads and normalises a schema, also one that is wrapped as requests wrap it.
pub(super) fn read(text: &str, config: &SchemaConfig) -> Result<Arc<Model>, Faults> {
    let config = config.begin();
    let (document, base) = response_format::read(text, &config.limits)?;
    of_document(document, &config).map_err(|faults| faults.under(&base))
}

fn of_document(mut document: Box<Document>, config: &SchemaConfig) -> Result<Arc<Model>, Faults> {
    let limits = &config.limits;
    let references = References::of(&mut document, config)?;
    if config.content == Content::Assert {
        document.read_contents(limits)?;
    }
    let (mut sets, root) = keywords::read(&document, references, config)?;
    let root = match config.outermost {
        Outermost::Any => root,
        Outermost::Object => sets.objects_of(root),
    };
    let mut shared = Arc::new(Model {
        root: sets.resolve(root),
        alternatives: vec![None; sets.len()],
        document,
        sets,
        numbers: Interner::default(),
        strings: Interner::default(),
        arrays: Interner::default(),
        objects: Interner::default(),
        array_shapes: Vec::new(),
        object_shapes: Vec::new(),
        reached: Vec::new(),
        inhabited: Vec::new(),
    });
    let mut normaliser = Normaliser {
        model: Arc::get_mut(&mut shared).expect("nobody else has it yet"),
        limits,
        takes_apart: config.order == PropertyOrder::Any || config.escapes == Escapes::All,
        order: config.order,
        open: Open::default(),
        derived: FxHashMap::default(),
        numbers: FxHashMap::default(),
        flattened: FxHashMap::default(),
        spoken: RefCell::default(),
        few: FxHashMap::default(),
        narrow: Narrow::default(),
        doubtful: None,
        unwritten: None,
    };
    normaliser.normalise_all()?;
    normaliser.check()?;
    Ok(shared)
}

/// Whether a place of a table by id is filled.
fn is_filled<T>(table: &[Option<T>], index: usize) -> bool {
    table.get(index).is_some_and(Option::is_some)
}

/// Fills a place of a table by id, which grows as ids do.
fn put<T>(table: &mut Vec<Option<T>>, index: usize, item: T) {
    if table.len() <= index {
        table.resize_with(index + 1, || None);
    }
    table[index] = Some(item);
}

/// Which language is derived from two others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Operation {
    Intersection,
    Union,
    Difference,
}

/// A model being made.
pub(super) struct Normaliser<'l> {
    pub(super) model: &'l mut Model,
    limits: &'l Limits,
    /// Whether arrays and objects that are spelt out are taken apart: a value that is not has its properties
    /// in one order only, and few escapes.
    takes_apart: bool,
    /// The order of properties.
    order: PropertyOrder,
    /// The sets that are being normalised, each for the sake of the one before.
    open: Open,
    /// Languages by what they were made of.
    derived: FxHashMap<(Operation, LanguageId, LanguageId), LanguageId>,
    /// What two sets of numbers have in common.
    numbers: FxHashMap<(NumberId, NumberId), Option<NumberId>>,
    /// The automata of languages that are counted, where one was needed.
    flattened: FxHashMap<(LanguageId, u32), LanguageId>,
    /// Which names belong to which languages.
    spoken: RefCell<FxHashMap<(LanguageId, NameId), bool>>,
    /// The texts of languages that have few.
    few: FxHashMap<LanguageId, Option<Arc<[NameId]>>>,
    /// Which sets leave something out.
    narrow: Narrow,
    /// Where strings would be needed that only some take for ones of a format.
    doubtful: Option<ValueId>,
    /// Where numbers would be needed that all have more digits than are written.
    unwritten: Option<ValueId>,
}

impl Normaliser<'_> {
    /// Normalises the root and all sets that values of it are made of.
    fn normalise_all(&mut self) -> Result<(), SchemaError> {
        let mut pending = vec![self.model.root];
        let mut seen = Vec::new();
        while let Some(set) = pending.pop() {
            let set = self.model.sets.resolve(set);
            if !is_filled(&seen, set.index()) {
                put(&mut seen, set.index(), ());
                let all = self.normalise(set)?;
                self.model.reached.push(set);
                self.add_shapes(&all, &mut pending)?;
            }
        }
        Ok(())
    }

    /// Whether the root has members, and arrays as many items as they must.
    fn check(&mut self) -> Result<(), SchemaError> {
        self.model.inhabited = emptiness::inhabited(self.model);
        if let Some(place) = emptiness::conflict(self.model) {
            if let Some(origin) = self.doubtful {
                return Err(self.unknown(origin));
            }
            if let Some(origin) = self.unwritten {
                return Err(self.limit(origin, NumberSet::too_many_digits()));
            }
            let pointer = pointer::of(&self.model.document, place);
            return Err(SchemaError::Unsatisfiable { pointer });
        }
        self.check_contents()?;
        match abundance::scarce(self.model) {
            Some(set) => Err(self.refuse_unique(
                set,
                "it cannot be seen that there are as many distinct items as must be there",
            )),
            None => Ok(()),
        }
    }

    /// Works out the shapes of arrays and objects, and adds the sets of their parts to `pending`.
    fn add_shapes(
        &mut self,
        all: &Alternatives,
        pending: &mut Vec<SetId>,
    ) -> Result<(), SchemaError> {
        pending.extend(
            all.strings
                .iter()
                .filter_map(|&id| self.model.string(id).content),
        );
        for &id in &all.arrays {
            if !is_filled(&self.model.array_shapes, id.index()) {
                let shape = self.array_shape(id)?;
                let set = self.model.array(id);
                pending.extend(set.prefix.iter().chain([&set.rest]));
                pending.extend(shape.sets());
                put(&mut self.model.array_shapes, id.index(), Arc::new(shape));
            }
        }
        for &id in &all.objects {
            if !is_filled(&self.model.object_shapes, id.index()) {
                let shape = self.object_shape(id)?;
                pending.extend(shape.sets());
                put(&mut self.model.object_shapes, id.index(), Arc::new(shape));
            }
        }
        Ok(())
    }

    /// Takes so many parts of what a compile may cost: members of sets that are looked at, compared and kept.
    fn charge(&self, parts: usize, place: ValueId) -> Result<(), SchemaError> {
        let charged = self.limits.charge(STEPS_PER_PART.saturating_mul(parts));
        charged.map_err(|source| self.limit(place, source))
    }

    #[cold]
    pub(super) fn limit(&self, place: ValueId, source: LimitError) -> SchemaError {
        pointer::limit(&self.model.document, place)(source)
    }

    fn evaluator(&self) -> Evaluator<'_> {
        Evaluator {
            document: &self.model.document,
            sets: &self.model.sets,
        }
    }

    /// The alternatives of a set.
    ///
    /// By hand, not by recursion: sets are made of others as deep as a schema likes. What a set is made of comes
    /// first, so that its own turn only looks it up.
    fn normalise(&mut self, set: SetId) -> Result<Arc<Alternatives>, SchemaError> {
        let set = self.model.sets.resolve(set);
        if let Some(Some(known)) = self.model.alternatives.get(set.index()) {
            return Ok(known.clone());
        }
        let before = self.open.len();
        let normalised = self.normalise_from(set);
        self.open.truncate(before);
        normalised
    }

    fn normalise_from(&mut self, set: SetId) -> Result<Arc<Alternatives>, SchemaError> {
        self.begin(set)?;
        // How many parts of each set that is open here were looked at, and what is to be made of them.
        let mut path: SmallVec<[(SetId, usize, Make); 8]> = smallvec![(set, 0, Make::Whole)];
        while let Some((set, seen, make)) = path.last_mut() {
            let (set, make) = (*set, *make);
            if let Some(part) = self.part(set, *seen) {
                *seen += 1;
                let part = self.model.sets.resolve(part);
                if !is_filled(&self.model.alternatives, part.index()) {
                    self.begin(part)?;
                    path.push((part, 0, make.of(part, set, &self.model.sets)));
                }
                continue;
            }
            path.pop();
            if make == Make::Whole {
                let definition = self.model.sets.definition(set).clone();
                let alternatives = self.definition(&definition, self.model.sets.origin(set))?;
                put(
                    &mut self.model.alternatives,
                    set.index(),
                    Arc::new(alternatives),
                );
            }
            self.open.pop();
        }
        let made = self.model.alternatives[set.index()].clone();
        Ok(made.expect("it was made last"))
    }

    /// The `index`-th of the sets that must be normalised before `set` is.
    fn part(&self, set: SetId, index: usize) -> Option<SetId> {
        let sets = &self.model.sets;
        let Definition::Schema(schema) = sets.definition(set) else {
            return in_place(sets, set, index);
        };
        if schema.constant.is_some() || schema.enumeration.is_some() {
            return None;
        }
        let keywords = schema.object.as_ref();
        let names = keywords.map(|keywords| keywords.names);
        let names = names.filter(|&names| names != SetId::ANY && schema.types.meets(Types::OBJECT));
        match (index, names) {
            (0, Some(names)) => Some(names),
            (_, Some(_)) => in_place(sets, set, index - 1),
            (_, None) => in_place(sets, set, index),
        }
    }

    /// Opens a set, which is not normalised yet.
    fn begin(&mut self, set: SetId) -> Result<(), SchemaError> {
        let origin = self.model.sets.origin(set);
        let sets = &self.model.sets;
        LimitError::check("sets of values of a schema", sets.len(), SETS)
            .and_then(|()| sets.check_languages(self.limits))
            .map_err(|source| self.limit(origin, source))?;
        self.charge(PARTS_OF_A_SET, origin)?;
        match self.open.push(set) {
            true => Ok(()),
            false => Err(SchemaError::unsupported(
                "$ref",
                pointer::of(&self.model.document, origin),
                "the names of its properties depend on the schema itself",
            )),
        }
    }

    fn definition(
        &mut self,
        definition: &Definition,
        origin: ValueId,
    ) -> Result<Alternatives, SchemaError> {
        match definition {
            Definition::Schema(schema) => self.schema(schema, origin),
            Definition::Alias(target) => {
                let all = self.normalise(self.model.sets.targets[target])?;
                Ok((*all).clone())
            }
            Definition::All(members) => self.all(members, origin),
            Definition::Any(members) => {
                let mut any = Alternatives::default();
                for &member in members {
                    let alternative = self.normalise(member)?;
                    self.unite(&mut any, &alternative);
                    self.check_count(&any, origin)?;
                }
                Ok(any)
            }
            Definition::One(members) => self.one(members, origin),
            Definition::Not(inner) => {
                let inner = self.normalise(*inner)?;
                self.complement(&inner, origin)
            }
        }
    }

    /// The values that all of `members` have. Members come one after the other, so what the others have in common is
    /// mostly known: from the first on it would take the cube of their number.
    fn all(&mut self, members: &[SetId], origin: ValueId) -> Result<Alternatives, SchemaError> {
        if let [others @ .., last] = members
            && others.len() > 1
            && let Some(others) = self.model.sets.known_all(others)
            && let Some(Some(known)) = self.model.alternatives.get(others.index()).cloned()
        {
            return self.beside(&known, &[*last], origin);
        }
        let any = self.normalise(SetId::ANY)?;
        self.beside(&any, members, origin)
    }

    fn schema(&mut self, schema: &Schema, origin: ValueId) -> Result<Alternatives, SchemaError> {
        // What they list need not be looked for in them: that would take the square of their size.
        if let Some(constant) = schema.constant {
            let others = Schema {
                constant: None,
                ..schema.clone()
            };
            return self.literals(&others, &[constant], origin);
        }
        if let Some(enumeration) = schema.enumeration {
            let members: Vec<ValueId> = self.model.document.elements(enumeration).collect();
            return self.literals(&schema.beside_enumeration(), &members, origin);
        }
        let own = self.own(schema, origin)?;
        if schema.all_of.is_empty() && schema.reference.is_none() {
            return Ok(own);
        }
        let target = schema
            .reference
            .map(|target| self.model.sets.targets[&target]);
        let parts = schema.all_of.iter().copied().chain(target).collect();
        let parts = self.conditions_joined(schema, parts, origin);
        let mut all = self.beside(&own, &parts, origin)?;
        self.put_in_order(schema, &mut all, origin)?;
        Ok(all)
    }

    /// Those of `values` that satisfy the schema, which speaks of them no more.
    fn literals(
        &mut self,
        schema: &Schema,
        values: &[ValueId],
        origin: ValueId,
    ) -> Result<Alternatives, SchemaError> {
        self.charge(values.len(), origin)?;
        let evaluator = self.evaluator();
        let members = values.iter().copied();
        let members = members.filter(|&value| evaluator.satisfies_schema(schema, value));
        let members: Vec<ValueId> = members.collect();
        let compounds = members.iter().filter(|&&value| self.is_compound(value));
        let takes_apart = self.takes_apart && compounds.count() <= COMPOUNDS;
        let mut all = Alternatives::default();
        for value in members {
            match self.model.document.kind(value) {
                Kind::Null => all.null = true,
                Kind::False => all.falsity = true,
                Kind::True => all.truth = true,
                Kind::Array if takes_apart => {
                    let array = self.array_of(value);
                    all.arrays.extend(self.add_array(array));
                }
                Kind::Object if takes_apart => {
                    let object = self.object_of_literal(value);
                    all.objects.extend(self.add_object(object, origin)?);
                }
                _ => all.literals.push(value),
            }
        }
        Ok(all)
    }

    fn is_compound(&self, value: ValueId) -> bool {
        matches!(self.model.document.kind(value), Kind::Array | Kind::Object)
    }

    /// What the keywords for single types allow.
    fn own(&mut self, schema: &Schema, origin: ValueId) -> Result<Alternatives, SchemaError> {
        let mut all = Alternatives {
            null: schema.types.meets(Types::NULL),
            falsity: schema.types.meets(Types::BOOLEAN),
            truth: schema.types.meets(Types::BOOLEAN),
            ..Alternatives::default()
        };
        if schema.types.meets(Types::NUMBER) {
            let number = schema.number.as_deref().cloned().unwrap_or_default();
            all.numbers.extend(self.add_number(number, origin));
        }
        if schema.types.meets(Types::STRING) {
            all.strings.extend(self.add_string(schema.string, origin)?);
        }
        if schema.types.meets(Types::ARRAY) {
            let mut array = schema.array.as_deref().cloned().unwrap_or(ArraySet::ANY);
            let sets = &self.model.sets;
            array.rest = sets.resolve(array.rest);
            for set in &mut array.prefix {
                *set = sets.resolve(*set);
            }
            for count in &mut array.counts {
                count.set = sets.resolve(count.set);
            }
            all.arrays.extend(self.add_array(array));
        }
        if schema.types.meets(Types::OBJECT) {
            all.objects.extend(match &schema.object {
                Some(keywords) => self.object_of(keywords, origin)?,
                None => self.add_object(ObjectSet::ANY, origin)?,
            });
        }
        Ok(all)
    }

    /// Adds a normalised set of which some member is written.
    fn add_number(&mut self, set: NumberSet, origin: ValueId) -> Option<NumberId> {
        if set.is_unwritten() {
            self.unwritten.get_or_insert(origin);
        }
        (!set.is_empty()).then(|| NumberId::new(self.model.numbers.intern(Arc::new(set)).0))
    }

    /// Adds the members of `other` to `all`.
    fn unite(&self, all: &mut Alternatives, other: &Alternatives) {
        fn add<T: Copy + Eq + Hash>(all: &mut Few<T>, other: &[T], any: impl Fn(T) -> bool) {
            if other.is_empty() {
                return;
            }
            // The others are distinct themselves.
            let before = all.clone();
            let before = Members::of(&before);
            for &item in other {
                if before.have(item) || all.first().is_some_and(|&first| any(first)) {
                    continue;
                }
                if any(item) {
                    all.clear();
                }
                all.push(item);
            }
        }
        let model = &*self.model;
        all.null |= other.null;
        all.falsity |= other.falsity;
        all.truth |= other.truth;
        add(&mut all.literals, &other.literals, |_| false);
        add(&mut all.numbers, &other.numbers, |id| {
            **model.number(id) == NumberSet::default()
        });
        add(&mut all.strings, &other.strings, |id| {
            *model.string(id) == StringSet::ANY
        });
        add(&mut all.arrays, &other.arrays, |id| {
            *model.array(id) == ArraySet::ANY
        });
        add(&mut all.objects, &other.objects, |id| {
            **model.object(id) == ObjectSet::ANY
        });
    }

    fn check_count(&self, all: &Alternatives, origin: ValueId) -> Result<(), SchemaError> {
        let count = all.unions();
        self.charge(1 + count + all.literals.len(), origin)?;
        LimitError::check("alternatives of a schema", count, ALTERNATIVES)
            .map_err(|source| self.limit(origin, source))
    }

    /// Whether `set` is seen to have no member without going far: `false` says nothing.
    fn is_surely_empty(&mut self, set: SetId) -> Result<bool, SchemaError> {
        if set == SetId::NEVER {
            return Ok(true);
        }
        Ok(self.is_within_sight(set) && self.normalise(set)?.is_void())
    }

    /// Whether `set` may be looked into while others are being normalised.
    fn is_within_sight(&self, set: SetId) -> bool {
        if set == SetId::ANY || is_filled(&self.model.alternatives, set.index()) {
            return set != SetId::ANY;
        }
        if self.open.len() > FORESIGHT {
            return false;
        }
        let sets = &self.model.sets;
        let mut met = FxHashSet::default();
        let mut pending = vec![set];
        while let Some(set) = pending.pop() {
            if set == SetId::ANY || is_filled(&self.model.alternatives, set.index()) {
                continue;
            }
            if self.open.contains(set) {
                return false;
            }
            if met.insert(set) {
                pending.extend((0..).map_while(|index| in_place(sets, set, index)));
            }
        }
        true
    }
}
