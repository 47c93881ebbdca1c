//! What is demanded of a value: to be none of some values, or one of them.

use super::value::{Sort, Value, next};
use crate::grammar::Words;

/// What is demanded of a value.
///
/// While an object or an array is read, only the values that it agrees with so far are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    Besides(Vec<Value>),
    Among(Vec<Value>),
}

impl Demand {
    /// The demand that all values meet.
    pub(super) const NONE: Self = Self::Besides(Vec::new());

    pub(super) fn is_none(&self) -> bool {
        *self == Self::NONE
    }

    pub(super) fn values(&self) -> &[Value] {
        match self {
            Self::Besides(values) | Self::Among(values) => values,
        }
    }

    fn with(&self, values: Vec<Value>) -> Self {
        match self {
            Self::Besides(_) => Self::Besides(values),
            Self::Among(_) => Self::Among(values),
        }
    }

    fn retain(&self, keep: impl Fn(&Value) -> bool) -> Self {
        self.with(
            self.values()
                .iter()
                .filter(|value| keep(value))
                .cloned()
                .collect(),
        )
    }

    /// What it demands of values of this sort.
    pub(super) fn of_sort(&self, sort: Sort) -> Self {
        self.retain(|value| value.sort() == sort)
    }

    pub(super) fn is_met(&self, value: &Value) -> bool {
        match self {
            Self::Besides(values) => !values.contains(value),
            Self::Among(values) => values.contains(value),
        }
    }

    /// The values that an object agrees with once `key` has `value`.
    pub(super) fn after_member(&self, key: &str, value: &Value) -> Self {
        self.retain(|other| member(other, key) == Some(value))
    }

    /// The values that an array agrees with once `value` is its item at `place`.
    pub(super) fn after_item(&self, place: usize, value: &Value) -> Self {
        self.retain(|other| item(other, place) == Some(value))
    }

    /// What the values have at `key`, each once.
    pub(super) fn members(&self, key: &str) -> Vec<Value> {
        distinct(self.values().iter().filter_map(|value| member(value, key)))
    }

    /// What the values have at `place`, each once.
    pub(super) fn items(&self, place: usize) -> Vec<Value> {
        distinct(self.values().iter().filter_map(|value| item(value, place)))
    }

    /// The keys of the values, each once.
    pub(super) fn keys(&self) -> Vec<Box<str>> {
        let mut keys: Vec<Box<str>> = Vec::new();
        for value in self.values() {
            if let Value::Object(members) = value {
                keys.extend(members.iter().map(|(key, _)| key.clone()));
            }
        }
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Whether an object or an array with so many parts, all of which agree, may end.
    pub(super) fn may_end(&self, parts: usize) -> bool {
        let mut values = self.values().iter();
        let complete = values.any(|value| match value {
            Value::Array(items) => items.len() == parts,
            Value::Object(members) => members.len() == parts,
            _ => false,
        });
        complete == matches!(self, Self::Among(_))
    }

    pub(super) fn write(&self, words: &mut Words) {
        // No demand takes no words: then rules are called without arguments.
        if !self.is_none() {
            words.extend([
                u32::from(matches!(self, Self::Among(_))),
                self.values().len() as u32,
            ]);
            self.values().iter().for_each(|value| value.write(words));
        }
    }

    /// The demand that `words` are.
    pub(super) fn read(words: &mut &[u32]) -> Self {
        let (among, count) = (next(words), next(words));
        let values = (0..count).map(|_| Value::read(words)).collect();
        match among {
            0 => Self::Besides(values),
            _ => Self::Among(values),
        }
    }

    pub(super) fn to_words(&self) -> Words {
        let mut words = Words::new();
        self.write(&mut words);
        words
    }
}

fn member<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    match value {
        Value::Object(members) => {
            let found = members.binary_search_by(|(other, _)| (**other).cmp(key));
            found.ok().map(|at| &members[at].1)
        }
        _ => None,
    }
}

fn item(value: &Value, place: usize) -> Option<&Value> {
    match value {
        Value::Array(items) => items.get(place),
        _ => None,
    }
}

fn distinct<'v>(values: impl Iterator<Item = &'v Value>) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    for value in values {
        if !found.contains(value) {
            found.push(value.clone());
        }
    }
    found
}
