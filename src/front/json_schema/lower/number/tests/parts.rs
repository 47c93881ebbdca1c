//! Sets of numbers, and numbers close to what decides whether they are members, at random.

use proptest::prelude::*;

use crate::front::json_schema::number::Decimal;
use crate::front::json_schema::number_set::{Bound, Integrality, NumberSet};
use crate::front::json_schema::step::Step;

const STEPS: [&str; 19] = [
    "1", "2", "3", "5", "7", "10", "12", "1e3", "0.5", "0.25", "0.1", "0.3", "1.5", "2.5", "0.01",
    "0.0001", "1e-9", "1e9", "999983",
];

/// A schema of one keyword, or its negation.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Type(Integrality),
    Least(String, bool),
    Most(String, bool),
    MultipleOf(&'static str),
    Const(String),
    Not(Box<Part>),
}

pub(super) fn part() -> impl Strategy<Value = Part> {
    let bound = prop_oneof![
        4 => (-120i64..120, 0u32..4).prop_map(|(n, places)| format!("{n}e-{places}")),
        1 => prop::sample::select(vec![
            "7.000000000000001", "99999999999999.99", "-123456789012345678", "1e-12", "1e14",
            "999999999999999", "0.1234567890123456",
            "9223372036854775807", "1234567890123456788.5", "1e-7", "-1.25e-7", "2.5e16", "1.5e308",
            "-3e-200",
        ]).prop_map(str::to_owned),
    ];
    let bound = bound.boxed();
    let types = vec![Integrality::Any, Integrality::Integer, Integrality::Digits];
    let part = prop_oneof![
        1 => prop::sample::select(types).prop_map(Part::Type),
        2 => (bound.clone(), any::<bool>()).prop_map(|(text, i)| Part::Least(text, i)),
        2 => (bound.clone(), any::<bool>()).prop_map(|(text, i)| Part::Most(text, i)),
        1 => bound.prop_map(Part::Const),
        4 => prop::sample::select(STEPS.to_vec()).prop_map(Part::MultipleOf),
    ];
    (part, any::<bool>()).prop_map(|(part, negated)| match (part, negated) {
        (part @ (Part::Type(_) | Part::MultipleOf(_) | Part::Const(_)), true) => {
            Part::Not(Box::new(part))
        }
        (part, _) => part,
    })
}

impl Part {
    /// The sets that it is the union of.
    fn sets(&self) -> Vec<NumberSet> {
        let bound = |text: &str, inclusive: bool| Bound {
            value: Decimal::parse(text),
            inclusive,
        };
        let mut set = NumberSet::default();
        match self {
            Self::Type(integrality) => set = NumberSet::of_type(*integrality),
            Self::Least(text, inclusive) => set.at_least(bound(text, *inclusive)),
            Self::Most(text, inclusive) => set.at_most(bound(text, *inclusive)),
            Self::MultipleOf(step) => set = NumberSet::multiples_of(step_of(step)),
            Self::Const(text) => set = NumberSet::of_literal(text),
            Self::Not(part) => return part.sets()[0].complement(),
        }
        vec![set]
    }

    /// Whether the number spelt so is a member, by no algebra.
    pub(super) fn contains(&self, text: &str) -> bool {
        match self {
            Self::Not(part) => !part.contains(text),
            _ => self.sets()[0].contains(text),
        }
    }

    pub(super) fn schema(&self) -> serde_json::Value {
        let number = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        match self {
            Self::Type(Integrality::Any) => serde_json::json!({"type": "number"}),
            Self::Type(_) => serde_json::json!({"type": "integer"}),
            Self::Least(text, true) => serde_json::json!({"minimum": number(text)}),
            Self::Least(text, false) => serde_json::json!({"exclusiveMinimum": number(text)}),
            Self::Most(text, true) => serde_json::json!({"maximum": number(text)}),
            Self::Most(text, false) => serde_json::json!({"exclusiveMaximum": number(text)}),
            Self::MultipleOf(step) => serde_json::json!({"multipleOf": number(step)}),
            Self::Const(text) => serde_json::json!({"enum": [number(text)]}),
            Self::Not(part) => serde_json::json!({"not": part.schema()}),
        }
    }
}

pub(super) fn step_of(text: &str) -> Step {
    Step::new(&Decimal::parse(text)).unwrap()
}

/// The sets whose union is what all `parts` have in common; `None` where a limit is met.
pub(super) fn all_of(parts: &[Part]) -> Option<Vec<NumberSet>> {
    let mut all = vec![NumberSet::default()];
    for part in parts {
        let part = part.sets();
        let pairs = all
            .iter()
            .flat_map(|set| part.iter().map(move |other| set.intersect(other)));
        all = pairs.collect::<Result<_, _>>().ok()?;
    }
    Some(all)
}

/// A number near something that matters.
pub(super) fn number() -> impl Strategy<Value = String> {
    let near = (-2000i64..2000, 0u32..5)
        .prop_map(|(n, places)| Decimal::parse(&format!("{n}e-{places}")).to_text().unwrap());
    let step = (prop::sample::select(STEPS.to_vec()), -40i64..40).prop_map(|(step, n)| {
        let step: f64 = step.parse().unwrap();
        serde_json::json!(step * n as f64).to_string()
    });
    (
        prop_oneof![near, step],
        prop::sample::select(vec!["", ".0", "0"]),
    )
        .prop_map(|(text, zeros)| match (text.contains(['.', 'e']), zeros) {
            (true, "0") if !text.contains('e') => text + "0",
            (false, ".0") => text + ".0",
            _ => text,
        })
}
