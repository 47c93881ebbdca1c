//! All rules of one schema that tell what they have read, and what their sets have besides some
//! values.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::alike::key;
use super::demand::Demand;
use super::number::NumberReader;
use super::value::{Sort, Value};
use crate::base::RuleId;
use crate::front::json_schema::lower::fresh::FreshText;
use crate::front::json_schema::lower::number::MOST_BEHIND_DIGITS;
use crate::front::json_schema::lower::spelling::Forbidden;
use crate::front::json_schema::number::Decimal;
use crate::grammar::{Texts, Words};

/// The rules of one schema that tell what they have read.
#[derive(Debug)]
pub(crate) struct Readers {
    pub(crate) forbidden: Arc<Forbidden>,
    /// The rule of the [`TextsBody`](super::TextsBody).
    pub(crate) texts: RuleId,
    /// By the rule that reads a set otherwise.
    pub(crate) sets: FxHashMap<RuleId, SetReader>,
}

/// How the members of a set are read.
#[derive(Debug)]
pub(crate) struct SetReader {
    /// The rule of its members: that of a [`MemberBody`](super::MemberBody).
    pub(crate) rule: RuleId,
    pub(crate) scalars: Vec<(RuleId, Scalar)>,
    /// The rules of single values.
    pub(crate) literals: Vec<(RuleId, Value)>,
    pub(crate) compounds: Vec<(RuleId, Arc<dyn Compound>)>,
}

/// Arrays or objects of one set.
pub(crate) trait Compound: std::fmt::Debug + Send + Sync {
    /// Whether they are arrays or objects.
    fn sort(&self) -> Sort;

    /// Whether one of them meets the demand.
    fn has(&self, readers: &Readers, demand: &Demand) -> bool;
}

/// How scalars of one kind are read.
#[derive(Clone, Debug)]
pub(crate) enum Scalar {
    /// Words and strings that have one spelling each.
    Text(Arc<FreshText>),
    Number(Arc<NumberReader>),
}

impl Readers {
    /// How the set is read that `rule` reads otherwise.
    pub(super) fn set(&self, rule: RuleId) -> &SetReader {
        &self.sets[&rule]
    }

    /// The arguments for a rule of scalars that is to read none of these.
    pub(super) fn args(&self, scalar: &Scalar, used: &[Value]) -> Words {
        Words::of_texts(self.in_use(scalar, used))
    }

    /// The texts by which these are in use, as far as a rule of scalars may read them.
    fn in_use(&self, scalar: &Scalar, used: &[Value]) -> Texts {
        let texts = used
            .iter()
            .filter_map(|value| match (scalar, value.sort()) {
                (Scalar::Text(_), Sort::Text) => Some(self.forbidden.spell(value.scalar())),
                (Scalar::Text(_), Sort::Word) => Some(value.scalar().into()),
                (Scalar::Number(_), Sort::Number) => {
                    Some(key(&Decimal::parse(value.scalar())).into())
                }
                _ => None,
            });
        let texts: Vec<Vec<u8>> = texts.collect();
        texts.iter().collect()
    }

    /// Whether a rule of scalars has one besides these.
    pub(super) fn has_scalar_besides(&self, scalar: &Scalar, used: &[Value]) -> bool {
        let used = self.in_use(scalar, used);
        match scalar {
            Scalar::Text(fresh) => fresh.has_left(&used),
            Scalar::Number(number) => number.has_left(&used),
        }
    }

    /// The spellings of `value` that the rules of `set` read, if it is a scalar.
    pub(super) fn spellings(&self, set: &SetReader, value: &Value) -> Vec<Vec<u8>> {
        let spelt = match value.sort() {
            Sort::Word => vec![value.scalar().into()],
            Sort::Text => vec![self.forbidden.spell(value.scalar())],
            Sort::Number => number_spellings(value.scalar()),
            _ => return Vec::new(),
        };
        let reads = |text: &Vec<u8>| {
            set.scalars.iter().any(|(_, scalar)| match scalar {
                Scalar::Text(fresh) => fresh.reads_whole(text),
                Scalar::Number(number) => number.reads(text),
            })
        };
        let spelt: Vec<Vec<u8>> = spelt.into_iter().filter(reads).collect();
        match spelt.is_empty() && value.sort() == Sort::Number {
            true => long_integer(value.scalar())
                .into_iter()
                .filter(reads)
                .collect(),
            false => spelt,
        }
    }

    /// Whether the set of `rule` has a member besides these.
    pub(super) fn has_besides(&self, rule: RuleId, used: &[Value]) -> bool {
        if used.is_empty() {
            return true;
        }
        let set = self.set(rule);
        let demand = Demand::Besides(used.to_vec());
        set.scalars
            .iter()
            .any(|(_, scalar)| self.has_scalar_besides(scalar, used))
            || set.literals.iter().any(|(_, value)| !used.contains(value))
            || set
                .compounds
                .iter()
                .any(|(_, compound)| compound.has(self, &demand.of_sort(compound.sort())))
    }

    /// Whether `value` is a member of the set of `rule`.
    pub(super) fn contains(&self, rule: RuleId, value: &Value) -> bool {
        let set = self.set(rule);
        let demand = Demand::Among(vec![value.clone()]);
        set.literals.iter().any(|(_, literal)| literal == value)
            || !self.spellings(set, value).is_empty()
            || set
                .compounds
                .iter()
                .any(|(_, compound)| compound.sort() == value.sort() && compound.has(self, &demand))
    }
}

/// An integer without exponent, however long.
fn long_integer(scalar: &str) -> Option<Vec<u8>> {
    let value = Decimal::parse(scalar);
    let text = value.to_text().filter(|_| value.is_integer())?;
    Some(text.into_bytes())
}

/// The ways in which programs write a number, and those in which any integer with an exponent can be read.
fn number_spellings(scalar: &str) -> Vec<Vec<u8>> {
    let value = Decimal::parse(scalar);
    let mut spellings = value.to_scientific_texts();
    for most in [MOST_BEHIND_DIGITS, i64::MAX] {
        spellings.extend(value.to_integer_scientific_text(most));
    }
    if let Some(plain) = value.to_text().filter(|_| value.point.abs() <= 40) {
        let point = if value.is_integer() { "." } else { "" };
        // Amounts have two places.
        for zeros in ["0", "00"] {
            spellings.push(format!("{plain}{point}{zeros}"));
        }
        spellings.push(plain);
    }
    spellings.into_iter().map(String::into_bytes).collect()
}
