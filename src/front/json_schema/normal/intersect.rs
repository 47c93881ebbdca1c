//! What two sets of alternatives have in common.

use rustc_hash::FxHashSet;

use super::Normaliser;
use crate::base::union;
use crate::front::json_schema::SchemaError;
use crate::front::json_schema::equality::Equality;
use crate::front::json_schema::evaluate::equal;
use crate::front::json_schema::model::{Alternatives, Few};
use crate::front::json_schema::reader::{Document, Kind, ValueId};

impl Normaliser<'_> {
    /// The members of both sets.
    pub(super) fn intersect(
        &mut self,
        left: &Alternatives,
        right: &Alternatives,
        origin: ValueId,
    ) -> Result<Alternatives, SchemaError> {
        let mut both = Alternatives {
            null: left.null && right.null,
            falsity: left.falsity && right.falsity,
            truth: left.truth && right.truth,
            ..Alternatives::default()
        };
        if !left.literals.is_empty() || !right.literals.is_empty() {
            let mut of_both = Vec::new();
            for (these, others) in [(left, right), (right, left)] {
                let literals = self.literals_of(&others.literals);
                let values = these.literals.iter().copied();
                of_both.extend(
                    values.filter(|&value| {
                        literals.have(value) || self.is_among_others(others, value)
                    }),
                );
            }
            both.literals = union(of_both.into_iter()).into();
        }
        for &a in &left.numbers {
            for &b in &right.numbers {
                let set = match a == b {
                    true => Some(a),
                    false => {
                        let (a, b) = (self.model.number(a), self.model.number(b));
                        let set = a.intersect(b);
                        let set = set.map_err(|source| self.limit(origin, source))?;
                        self.add_number(set, origin)
                    }
                };
                push_new(&mut both.numbers, set);
            }
        }
        for &a in &left.strings {
            for &b in &right.strings {
                let set = self.both_strings(a, b, origin)?;
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
                let sets = self.both_objects(a, b, origin)?;
                push_new(&mut both.objects, sets);
            }
            self.check_count(&both, origin)?;
        }
        self.check_count(&both, origin)?;
        Ok(both)
    }

    /// Those of the document's values that equal one of `values`.
    pub(super) fn literals_of<'n>(&'n self, values: &'n [ValueId]) -> Literals<'n> {
        let document = &self.model.document;
        match values.len() > MANY {
            false => Literals::Few(document, values),
            true => {
                let equality = self.model.sets.equality(document);
                let numbers = values.iter().map(|&value| equality.number(value));
                Literals::Many(equality, numbers.collect())
            }
        }
    }

    /// Whether a value of the document is a member that is not spelt out.
    fn is_among_others(&self, all: &Alternatives, value: ValueId) -> bool {
        let (evaluator, model) = (self.evaluator(), &*self.model);
        match model.document.kind(value) {
            Kind::Null => all.null,
            Kind::False => all.falsity,
            Kind::True => all.truth,
            Kind::Number => all
                .numbers
                .iter()
                .any(|&id| evaluator.number(model.number(id), value)),
            Kind::PlainString | Kind::EscapedString => all
                .strings
                .iter()
                .any(|&id| evaluator.string(model.string(id), value)),
            Kind::Array => all
                .arrays
                .iter()
                .any(|&id| evaluator.array(model.array(id), value)),
            Kind::Object => all
                .objects
                .iter()
                .any(|&id| evaluator.object(model.object(id), value)),
        }
    }
}

/// So many values are compared one by one.
const MANY: usize = 16;

/// The values that equal one of some.
pub(super) enum Literals<'n> {
    Few(&'n Document, &'n [ValueId]),
    Many(&'n Equality, FxHashSet<u32>),
}

impl Literals<'_> {
    pub(super) fn have(&self, value: ValueId) -> bool {
        match self {
            Self::Few(document, values) => {
                values.iter().any(|&other| equal(document, value, other))
            }
            Self::Many(equality, numbers) => numbers.contains(&equality.number(value)),
        }
    }
}

fn push_new<T: PartialEq>(items: &mut Few<T>, new: impl IntoIterator<Item = T>) {
    for item in new {
        if !items.contains(&item) {
            items.push(item);
        }
    }
}
