//! Whether a JSON value that stands in the document satisfies a schema, decided exactly.

use super::number::Decimal;
use super::number_set::NumberSet;
use super::reader::{Document, Kind, ValueId};
use super::schema::{Definition, Schema, Sets};
use super::values::{ArraySet, ObjectSet, SetId, StringSet, Types};

/// Judges values of `document` by the sets that its schema describes.
#[derive(Clone, Copy)]
pub(super) struct Evaluator<'d> {
    pub(super) document: &'d Document,
    pub(super) sets: &'d Sets,
}

impl Evaluator<'_> {
    /// Whether `value` is a member of `set`.
    pub(super) fn satisfies(&self, set: SetId, value: ValueId) -> bool {
        match self.sets.definition(set) {
            Definition::All(sets) => sets.iter().all(|&set| self.satisfies(set, value)),
            Definition::Schema(schema) => self.satisfies_schema(schema, value),
        }
    }

    pub(super) fn satisfies_schema(&self, schema: &Schema, value: ValueId) -> bool {
        let document = self.document;
        schema.types.meets(types(document, value))
            && schema
                .constant
                .is_none_or(|constant| equal(document, constant, value))
            && schema.enumeration.is_none_or(|members| {
                document
                    .elements(members)
                    .any(|member| equal(document, member, value))
            })
            && self.satisfies_type(schema, value)
            && schema
                .any_of
                .as_ref()
                .is_none_or(|sets| sets.iter().any(|&set| self.satisfies(set, value)))
            && schema.all_of.iter().all(|&set| self.satisfies(set, value))
            && schema
                .reference
                .is_none_or(|target| self.satisfies(self.sets.targets[&target], value))
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
                .is_none_or(|set| self.object(set, value)),
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
        let bounds = (set.least as usize, set.most as usize);
        let long_enough = length >= bounds.0 && (set.most == u32::MAX || length <= bounds.1);
        let language = set.language.map(|id| &self.sets.languages[id.index()]);
        long_enough && language.is_none_or(|language| language.dfa.contains(text.as_bytes()))
    }

    pub(super) fn array(&self, set: &ArraySet, value: ValueId) -> bool {
        let count = self.document.elements(value).count();
        let enough =
            count >= set.least as usize && (set.most == u32::MAX || count <= set.most as usize);
        let mut items = self.document.elements(value).enumerate();
        enough && items.all(|(index, item)| self.satisfies(set.item(index), item))
    }

    pub(super) fn object(&self, set: &ObjectSet, value: ValueId) -> bool {
        let (document, names) = (self.document, &self.sets.names);
        let named = |name: ValueId, key: ValueId| document.string(name) == document.string(key);
        let required = set.required.iter().all(|name| {
            document
                .members(value)
                .any(|(key, _)| named(names[name.index()], key))
        });
        let mut members = document.members(value);
        required
            && members.all(|(key, member)| {
                let own = set
                    .properties
                    .iter()
                    .find(|p| named(names[p.name.index()], key));
                self.satisfies(own.map_or(set.additional, |p| p.set), member)
            })
    }
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
