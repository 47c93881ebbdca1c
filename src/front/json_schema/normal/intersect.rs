//! What two sets of alternatives have in common.

use std::hash::Hash;

use rustc_hash::FxHashSet;

use super::{ALTERNATIVES, Normaliser, PAIRS, PARTS_OF_A_SET};
use crate::base::{LimitError, union};
use crate::front::json_schema::SchemaError;
use crate::front::json_schema::equality::Equality;
use crate::front::json_schema::evaluate::equal;
use crate::front::json_schema::model::{Alternatives, Few};
use crate::front::json_schema::reader::{Document, Kind, ValueId};
use crate::front::json_schema::values::NumberId;

/// What two alternatives have in common; none where that is nothing.
type Meeting<N, T> = fn(&mut N, T, T, ValueId) -> Result<Option<T>, SchemaError>;

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
                self.charge(
                    these.literals.len() * (1 + others.unions()) + others.literals.len(),
                    origin,
                )?;
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
        both.numbers = self.meet(&left.numbers, &right.numbers, origin, Self::both_numbers)?;
        both.strings = self.meet(&left.strings, &right.strings, origin, Self::both_strings)?;
        both.arrays = self.meet(&left.arrays, &right.arrays, origin, Self::both_arrays)?;
        both.objects = self.meet(&left.objects, &right.objects, origin, Self::both_objects)?;
        self.check_count(&both, origin)?;
        Ok(both)
    }

    /// What the alternatives for values of one type have in common, pair by pair.
    pub(super) fn meet<T: Copy + Eq + Hash>(
        &mut self,
        left: &[T],
        right: &[T],
        origin: ValueId,
        both: Meeting<Self, T>,
    ) -> Result<Few<T>, SchemaError> {
        let pairs = left.len().saturating_mul(right.len());
        LimitError::check("pairs of alternatives of a schema", pairs, PAIRS)
            .map_err(|source| self.limit(origin, source))?;
        let mut met = Few::new();
        // Many are looked for by their hashes.
        let mut known = FxHashSet::default();
        for &a in left {
            self.charge(1 + right.len(), origin)?;
            for &b in right {
                let Some(set) = both(self, a, b, origin)? else {
                    continue;
                };
                let is_new = match pairs > MANY {
                    true => known.insert(set),
                    false => !met.contains(&set),
                };
                if is_new {
                    met.push(set);
                }
            }
            LimitError::check("alternatives of a schema", met.len(), ALTERNATIVES)
                .map_err(|source| self.limit(origin, source))?;
        }
        Ok(met)
    }

    /// The numbers of both sets. Complements of many values ask for the same pairs again and again.
    pub(super) fn both_numbers(
        &mut self,
        a: NumberId,
        b: NumberId,
        origin: ValueId,
    ) -> Result<Option<NumberId>, SchemaError> {
        if a == b {
            return Ok(Some(a));
        }
        if let Some(&known) = self.numbers.get(&(a, b)) {
            return Ok(known);
        }
        self.charge(PARTS_OF_A_SET, origin)?;
        let set = self.model.number(a).intersect(self.model.number(b));
        let set = set.map_err(|source| self.limit(origin, source))?;
        let both = self.add_number(set, origin);
        self.numbers.insert((a, b), both);
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
