//! Which values of a document are equal, for where many are compared.

use rustc_hash::{FxHashMap, FxHashSet};

use super::number::Decimal;
use super::reader::{Document, Kind, ValueId};
use crate::base::Interner;

/// Longer arrays have their members at hand.
const LONG: usize = 32;

/// The values of a document by numbers: equal values, as JSON Schema understands it, have the same.
#[derive(Clone, Debug)]
pub(crate) struct Equality {
    numbers: Vec<u32>,
    /// The numbers of the elements of long arrays, ascending.
    elements: FxHashMap<ValueId, Box<[u32]>>,
}

/// What values that are equal have in common; parts by their numbers.
#[derive(PartialEq, Eq, Hash)]
enum Content {
    Word(Kind),
    Number(Decimal),
    Text(Box<str>),
    Array(Box<[u32]>),
    /// By key, in any order that is always the same.
    Object(Box<[(u32, u32)]>),
}

impl Equality {
    pub(crate) fn of(document: &Document) -> Self {
        let mut contents: Interner<Content> = Interner::default();
        let mut equality = Self {
            numbers: vec![0; document.len()],
            elements: FxHashMap::default(),
        };
        // Parts stand behind what they are parts of.
        for index in (0..document.len()).rev() {
            let content = equality.content(document, ValueId::from_usize(index));
            equality.numbers[index] = contents.intern(content).0;
        }
        equality
    }

    fn content(&mut self, document: &Document, value: ValueId) -> Content {
        match document.kind(value) {
            kind @ (Kind::Null | Kind::False | Kind::True) => Content::Word(kind),
            Kind::Number => Content::Number(Decimal::parse(document.raw(value))),
            Kind::PlainString | Kind::EscapedString => {
                Content::Text(document.string(value).unwrap_or_default().into())
            }
            Kind::Array => {
                let elements = document.elements(value).map(|element| self.number(element));
                let elements: Box<[u32]> = elements.collect();
                if elements.len() > LONG {
                    let mut sorted = elements.clone();
                    sorted.sort_unstable();
                    self.elements.insert(value, sorted);
                }
                Content::Array(elements)
            }
            Kind::Object => {
                let members = document.members(value);
                let members = members.map(|(key, member)| (self.number(key), self.number(member)));
                let mut members: Box<[(u32, u32)]> = members.collect();
                members.sort_unstable();
                Content::Object(members)
            }
        }
    }

    /// The number of a value.
    pub(crate) fn number(&self, value: ValueId) -> u32 {
        self.numbers[value.index()]
    }

    /// Of the values that are equal, the first ones.
    pub(crate) fn distinct(&self, values: &[ValueId]) -> Vec<ValueId> {
        let mut met = FxHashSet::default();
        let is_new = |&value: &ValueId| met.insert(self.number(value));
        values.iter().copied().filter(is_new).collect()
    }

    /// Whether an element of `array` equals `value`.
    pub(crate) fn has_element(&self, document: &Document, array: ValueId, value: ValueId) -> bool {
        let number = self.number(value);
        match self.elements.get(&array) {
            Some(sorted) => sorted.binary_search(&number).is_ok(),
            None => document
                .elements(array)
                .any(|element| self.number(element) == number),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::base::Limits;
    use crate::front::json_schema::evaluate::equal;

    #[test]
    fn numbers_are_equal_where_values_are() {
        let text = r#"[1, 1.0, 10e-1, -1, "1", "a", "\u0061", null, false, [], {}, [1], [1.0], [[1]], [1, 1],
            {"a": 1, "b": [null]}, {"b": [null], "\u0061": 1e0}, {"a": 1}, {"a": [], "b": 1}, 0, -0.0, ""]"#;
        let document = Document::read(text, &Limits::default()).unwrap();
        let equality = Equality::of(&document);
        for a in document.elements(document.root()) {
            for b in document.elements(document.root()) {
                let same = equality.number(a) == equality.number(b);
                assert_eq!(
                    same,
                    equal(&document, a, b),
                    "{} {}",
                    document.raw(a),
                    document.raw(b)
                );
            }
            assert!(equality.has_element(&document, document.root(), a));
        }
    }
}
