//! Whether a JSON value that stands in the document satisfies a schema, decided exactly.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use super::cycles::in_place;
use super::number::Decimal;
use super::number_set::NumberSet;
use super::reader::{Document, Kind, ValueId};
use super::schema::{Definition, Schema, Sets};
use super::values::{
    ArraySet, LanguageId, Literal, NameId, ObjectKeywords, ObjectSet, Property, Repeats, SetId,
    StringSet, Types,
};

/// So many values are compared one by one.
const MANY: usize = 16;

/// Judges values of `document` by the sets that its schema describes.
#[derive(Clone, Copy)]
pub(crate) struct Evaluator<'d> {
    pub(crate) document: &'d Document,
    pub(crate) sets: &'d Sets,
}

impl Evaluator<'_> {
    /// Whether `value` is a member of `set`.
    ///
    /// By hand as far as sets apply others to the same value, which they do as deep as a schema likes; into the
    /// value by recursion, which goes no deeper than its text.
    pub(crate) fn satisfies(&self, set: SetId, value: ValueId) -> bool {
        if in_place(self.sets, set, 0).is_none() {
            return self.has_own(set, value);
        }
        let mut known: FxHashMap<SetId, bool> = FxHashMap::default();
        let mut path: Vec<Applied> = Vec::new();
        let mut next = Some(set);
        loop {
            match next.take() {
                Some(set) if self.has_own(set, value) => path.push(Applied::new(set)),
                Some(set) => drop(known.insert(set, false)),
                None => {}
            }
            let Some(last) = path.last_mut() else {
                return known[&set];
            };
            match self.go_on(last, &known) {
                Ok(verdict) => {
                    known.insert(last.set, verdict);
                    path.pop();
                }
                Err(part) => next = Some(part),
            }
        }
    }

    /// The verdict on a set, once what is known of its parts decides; the part to look at next until then.
    fn go_on(&self, applied: &mut Applied, known: &FxHashMap<SetId, bool>) -> Result<bool, SetId> {
        let definition = self.sets.definition(applied.set);
        loop {
            let Some(part) = in_place(self.sets, applied.set, applied.seen) else {
                return Ok(match definition {
                    Definition::Any(_) => false,
                    Definition::One(_) => applied.met == 1,
                    _ => true,
                });
            };
            let &met = known.get(&part).ok_or(part)?;
            applied.seen += 1;
            applied.met += u32::from(met);
            match definition {
                Definition::Any(_) if met => return Ok(true),
                Definition::One(_) if applied.met > 1 => return Ok(false),
                Definition::Not(_) => return Ok(!met),
                Definition::Any(_) | Definition::One(_) => {}
                _ if !met => return Ok(false),
                _ => {}
            }
        }
    }

    /// Whether `value` is as the keywords of `set` ask for which no other sets are applied to it.
    fn has_own(&self, set: SetId, value: ValueId) -> bool {
        match self.sets.definition(set) {
            Definition::Schema(schema) => self.satisfies_own(schema, value),
            _ => true,
        }
    }

    pub(crate) fn satisfies_schema(&self, schema: &Schema, value: ValueId) -> bool {
        let target = schema.reference.map(|target| self.sets.targets[&target]);
        let mut parts = schema.all_of.iter().copied().chain(target);
        self.satisfies_own(schema, value) && parts.all(|part| self.satisfies(part, value))
    }

    fn satisfies_own(&self, schema: &Schema, value: ValueId) -> bool {
        let document = self.document;
        schema.types.meets(types(document, value))
            && schema
                .constant
                .is_none_or(|constant| equal(document, constant, value))
            && schema
                .enumeration
                .is_none_or(|members| self.has_element(members, value))
            && self.satisfies_type(schema, value)
    }

    /// Whether an element of `array` equals `value`.
    fn has_element(&self, array: ValueId, value: ValueId) -> bool {
        let document = self.document;
        match document.elements(array).nth(MANY).is_some() {
            true => self
                .sets
                .equality(document)
                .has_element(document, array, value),
            false => document
                .elements(array)
                .any(|element| equal(document, element, value)),
        }
    }

    fn satisfies_type(&self, schema: &Schema, value: ValueId) -> bool {
        match self.document.kind(value) {
            Kind::Null | Kind::True | Kind::False => true,
            Kind::Number => schema
                .number
                .as_ref()
                .is_none_or(|set| self.number(set, value)),
            Kind::PlainString | Kind::EscapedString => self.string(&schema.string, value),
            Kind::Array => schema
                .array
                .as_ref()
                .is_none_or(|set| self.array(set, value)),
            Kind::Object => schema
                .object
                .as_ref()
                .is_none_or(|keywords| self.object_keywords(keywords, value)),
        }
    }

    pub(super) fn number(&self, set: &NumberSet, value: ValueId) -> bool {
        set.contains(self.document.raw(value))
    }

    pub(super) fn string(&self, set: &StringSet, value: ValueId) -> bool {
        let Some(text) = self.document.string(value) else {
            return false;
        };
        let length = text.chars().count();
        let long_enough = within(length, set.least, set.most);
        let language = set.language.map(|id| &self.sets.languages[id.index()]);
        let content = |content| {
            let inner = self.document.content(value);
            inner.is_some_and(|inner| self.satisfies(content, inner))
        };
        long_enough
            && language.is_none_or(|language| language.contains(&text))
            && set.content.is_none_or(content)
    }

    pub(super) fn array(&self, set: &ArraySet, value: ValueId) -> bool {
        let items: Vec<ValueId> = self.document.elements(value).collect();
        let right_counts = set.counts.iter().all(|count| {
            let counted = items.iter().skip(count.from as usize);
            let members = counted.filter(|&&item| self.satisfies(count.set, item));
            within(members.count(), count.least, count.most)
        });
        let repeats = || {
            let numbers = items.iter();
            match items.len() > MANY {
                true => {
                    let equality = self.sets.equality(self.document);
                    let mut known = FxHashSet::default();
                    let mut numbers = numbers.map(|&item| equality.number(item));
                    numbers.any(|number| !known.insert(number))
                }
                false => {
                    let mut pairs = numbers.enumerate();
                    pairs.any(|(i, &a)| items[..i].iter().any(|&b| equal(self.document, a, b)))
                }
            }
        };
        let mut indexed = items.iter().enumerate();
        within(items.len(), set.least, set.most)
            && right_counts
            && indexed.all(|(index, &item)| self.satisfies(set.item(index), item))
            && match set.repeats {
                Repeats::Any => true,
                Repeats::None => !repeats(),
                Repeats::Some => repeats(),
            }
    }

    /// The keys and values of an object.
    fn members(&self, value: ValueId) -> Vec<(Cow<'_, str>, ValueId)> {
        let members = self.document.members(value);
        let text = |key| self.document.string(key).unwrap_or_default();
        members.map(|(key, member)| (text(key), member)).collect()
    }

    fn has(&self, members: &[(Cow<'_, str>, ValueId)], name: NameId) -> bool {
        let name = self.sets.name_text(name);
        members.iter().any(|(key, _)| key == name)
    }

    /// Whether all `required` names are there, and whatever is there has what goes with it.
    fn has_needed(
        &self,
        members: &[(Cow<'_, str>, ValueId)],
        required: &[NameId],
        implications: &[(NameId, NameId)],
    ) -> bool {
        let has = |&name: &NameId| self.has(members, name);
        let holds = |(name, needed): &(NameId, NameId)| !has(name) || has(needed);
        required.iter().all(has) && implications.iter().all(holds)
    }

    fn speaks(&self, language: LanguageId, text: &str) -> bool {
        let language = &self.sets.languages[language.index()];
        language.contains(text)
    }

    /// What the property called `key` has for a set of its own.
    fn own(&self, properties: &[Property], key: &str) -> Option<SetId> {
        let mut all = properties.iter();
        let own = all.find(|property| self.sets.name_text(property.name) == key);
        own.map(|property| property.set)
    }

    fn object_keywords(&self, set: &ObjectKeywords, value: ValueId) -> bool {
        let members = self.members(value);
        let right_value = |key: &str, member: ValueId| {
            let own = self.own(&set.properties, key);
            let matching = set
                .patterns
                .iter()
                .filter(|(language, _)| language.is_none_or(|language| self.speaks(language, key)));
            let mut sets = matching.map(|&(_, set)| set).chain(own).peekable();
            match sets.peek() {
                None => self.satisfies(set.additional, member),
                Some(_) => sets.all(|set| self.satisfies(set, member)),
            }
        };
        let mut document_members = self.document.members(value);
        within(members.len(), set.least, set.most)
            && self.has_needed(&members, &set.required, &set.implications)
            && document_members.all(|(key, _)| self.satisfies(set.names, key))
            && members
                .iter()
                .all(|(key, member)| right_value(key, *member))
    }

    pub(super) fn object(&self, set: &ObjectSet, value: ValueId) -> bool {
        let members = self.members(value);
        let right_value = |key: &str, member: ValueId| {
            let class = || {
                let mut classes = set.classes.iter();
                let class = classes.find(|class| self.speaks(class.language, key));
                class.map_or(set.additional, |class| class.set)
            };
            let own = self.own(&set.properties, key).unwrap_or_else(class);
            self.satisfies(own, member)
        };
        let holds = |literal: &Literal| match *literal {
            Literal::Lacks(name) => !self.has(&members, name),
            Literal::Bears(name, set) => {
                let name = self.sets.name_text(name);
                members
                    .iter()
                    .any(|(key, member)| key == name && self.satisfies(set, *member))
            }
            Literal::Other(language, of) => members.iter().any(|(key, member)| {
                self.own(&set.properties, key).is_none()
                    && self.speaks(language, key)
                    && self.satisfies(of, *member)
            }),
        };
        within(members.len(), set.least, set.most)
            && self.has_needed(&members, &set.required, &set.implications)
            && set.clauses.iter().all(|clause| clause.iter().any(holds))
            && members
                .iter()
                .all(|(key, member)| right_value(key, *member))
    }
}

/// A set that is applied to a value: how many of its parts were looked at, and how many of those the value is in.
struct Applied {
    set: SetId,
    seen: usize,
    met: u32,
}

impl Applied {
    fn new(set: SetId) -> Self {
        Self {
            set,
            seen: 0,
            met: 0,
        }
    }
}

/// Whether a number of things is within bounds, the greater of which may be missing.
fn within(count: usize, least: u32, most: u32) -> bool {
    count >= least as usize && (most == u32::MAX || count <= most as usize)
}

/// The type of a value, as a set.
pub(super) fn types(document: &Document, value: ValueId) -> Types {
    match document.kind(value) {
        Kind::Null => Types::NULL,
        Kind::True | Kind::False => Types::BOOLEAN,
        Kind::Number => Types::NUMBER,
        Kind::PlainString | Kind::EscapedString => Types::STRING,
        Kind::Array => Types::ARRAY,
        Kind::Object => Types::OBJECT,
    }
}

/// Whether two values are equal as JSON Schema understands it: numbers by value, objects whatever
/// their order.
pub(super) fn equal(document: &Document, left: ValueId, right: ValueId) -> bool {
    if left == right {
        return true;
    }
    match (document.kind(left), document.kind(right)) {
        (Kind::Number, Kind::Number) => {
            Decimal::parse(document.raw(left)) == Decimal::parse(document.raw(right))
        }
        (Kind::Array, Kind::Array) => {
            let (mut left, mut right) = (document.elements(left), document.elements(right));
            loop {
                match (left.next(), right.next()) {
                    (None, None) => return true,
                    (Some(a), Some(b)) if equal(document, a, b) => {}
                    _ => return false,
                }
            }
        }
        (Kind::Object, Kind::Object) => {
            document.members(left).count() == document.members(right).count()
                && document.members(left).all(|(key, value)| {
                    let name = document.string(key).unwrap_or_default();
                    let other = document.get(right, &name);
                    other.is_some_and(|other| equal(document, value, other))
                })
        }
        (a, b) => match (document.string(left), document.string(right)) {
            (Some(left), Some(right)) => left == right,
            _ => a == b,
        },
    }
}
