//! What two sets of alternatives have in common.

use super::Normaliser;
use crate::front::json_schema::SchemaError;
use crate::front::json_schema::evaluate::equal;
use crate::front::json_schema::model::{Alternatives, Few};
use crate::front::json_schema::reader::{Kind, ValueId};

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

    /// Whether a value of the document is a member.
    fn contains(&self, all: &Alternatives, value: ValueId) -> bool {
        let (evaluator, model) = (self.evaluator(), &*self.model);
        all.literals
            .iter()
            .any(|&other| equal(&model.document, value, other))
            || match model.document.kind(value) {
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

fn push_new<T: PartialEq>(items: &mut Few<T>, new: impl IntoIterator<Item = T>) {
    for item in new {
        if !items.contains(&item) {
            items.push(item);
        }
    }
}
