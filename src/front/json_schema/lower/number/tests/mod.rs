//! Bodies against their sets, sets against their algebra, and both against another validator.

mod onward;
mod parts;
mod spelt;

use std::sync::Arc;

use parts::{Part, all_of, number, part, step_of};
use proptest::prelude::*;
use rustc_hash::FxHashMap;

use super::NumberBody;
use crate::front::json_schema::lower::lead::Lead;
use crate::front::json_schema::number::Decimal;
use crate::front::json_schema::number_set::{Integrality, NumberSet};
use crate::grammar::{ImplicitBody as _, Node, Words};

fn expand(body: &NumberBody, at: &Words) -> Node<Words> {
    let mut node = Node::default();
    body.expand(at, &mut node);
    node
}

/// What several positions offer together.
fn expand_all(body: &NumberBody, at: &[Words]) -> Node<Words> {
    let mut all = Node::default();
    for node in at.iter().map(|at| expand(body, at)) {
        all.edges.extend(node.edges);
        all.exit = all.exit.or(node.exit);
    }
    all
}

/// The positions after a byte.
fn next(node: &Node<Words>, byte: u8) -> Vec<Words> {
    let edges = node.edges.iter();
    let edges = edges.filter(|edge| (edge.lo..=edge.hi).contains(&byte));
    let mut next: Vec<Words> = edges.map(|edge| edge.to.clone()).collect();
    let count = next.len();
    next.sort();
    next.dedup();
    assert_eq!(next.len(), count, "positions come once");
    next
}

/// All spellings of at most `left` bytes more over `digits`, each with whether the body accepts it.
fn spellings(
    body: &NumberBody,
    digits: &[u8],
    left: usize,
    text: &mut String,
    at: &[Words],
    visit: &mut impl FnMut(&str, bool),
) {
    let node = expand_all(body, at);
    assert!(node.edges.len() <= 30, "{text}");
    if spelt::number(text) == Some(true) {
        visit(text, node.exit.is_some());
    }
    if left == 0 {
        return;
    }
    for &byte in digits.iter().chain(b"-+.e") {
        text.push(char::from(byte));
        let to = next(&node, byte);
        match spelt::number(text) {
            Some(_) => spellings(body, digits, left - 1, text, &to, visit),
            None => assert!(to.is_empty(), "{text}"),
        }
        text.pop();
    }
}

/// A text of the body: what is chosen from is decided by `choices`, then an exponent or the first
/// that there is.
fn walk(body: &NumberBody, choices: &[u8]) -> String {
    let (mut at, mut text) = (vec![body.start(&Words::new())], String::new());
    for step in 0.. {
        let node = expand_all(body, &at);
        let bytes: Vec<u8> = (0..=255)
            .filter(|&byte| !next(&node, byte).is_empty())
            .collect();
        let choice = choices.get(step).copied();
        if node.exit.is_some() && choice.is_none_or(|choice| choice % 8 == 0 || bytes.is_empty()) {
            return text;
        }
        assert!(
            !bytes.is_empty() && step < 2000,
            "{body:?} leads nowhere after {text}"
        );
        let byte = match (choice, bytes.contains(&b'e')) {
            (None, true) => b'e',
            _ => bytes[usize::from(choice.unwrap_or(0)) % bytes.len()],
        };
        text.push(char::from(byte));
        at = next(&node, byte);
    }
    text
}

/// Positions that can be reached and cannot end, if there are not too many to tell.
fn dead_ends(body: &NumberBody) -> Option<usize> {
    let mut ids: FxHashMap<Words, usize> = FxHashMap::default();
    let mut nodes = Vec::new();
    let mut pending = vec![body.start(&Words::new())];
    ids.insert(pending[0].clone(), 0);
    let mut edges: Vec<(usize, usize)> = Vec::new();
    while let Some(at) = pending.pop() {
        let from = ids[&at];
        let node = expand(body, &at);
        for edge in &node.edges {
            let id = ids.len();
            let to = *ids.entry(edge.to.clone()).or_insert_with(|| {
                pending.push(edge.to.clone());
                id
            });
            edges.push((from, to));
        }
        nodes.push((from, node.exit.is_some()));
        if ids.len() > 20_000 {
            return None;
        }
    }
    let mut ends = vec![false; ids.len()];
    nodes.iter().for_each(|&(id, exit)| ends[id] = exit);
    loop {
        let more = edges.iter().filter(|&&(from, to)| ends[to] && !ends[from]);
        let more: Vec<usize> = more.map(|&(from, _)| from).collect();
        if more.is_empty() {
            return Some(ends.iter().filter(|ends| !**ends).count());
        }
        more.into_iter().for_each(|id| ends[id] = true);
    }
}

fn body(set: &NumberSet) -> NumberBody {
    NumberBody::new(Lead::Bare, Arc::new(set.clone()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    /// A body accepts the members that are written and no other text.
    #[test]
    fn members_are_accepted(
        parts in prop::collection::vec(part(), 0..5),
        digits in prop::sample::subsequence((b'1'..=b'9').collect::<Vec<u8>>(), 4),
    ) {
        let digits = [b"0", digits.as_slice()].concat();
        for set in all_of(&parts).unwrap_or_default().iter().filter(|set| !set.is_empty()) {
            let body = body(set);
            let start = body.start(&Words::new());
            let mut wrong = Vec::new();
            spellings(&body, &digits, 6, &mut String::new(), &[start], &mut |text, accepted| {
                // Written by nothing that tells 1 from 1.0.
                let doubtful = text == "-0" && !set.contains("0.0");
                if accepted != spelt::is_written(set, text) && !doubtful {
                    wrong.push(text.to_owned());
                }
            });
            let near = spelt::near_bounds(set).into_iter();
            wrong.extend(near.filter(|text| accepts(&body, text) != spelt::is_written(set, text)));
            prop_assert!(wrong.is_empty(), "{:?} {:?}", set, wrong);
        }
    }

    /// Every position leads to an end, and what is written is a member.
    #[test]
    fn positions_are_live(
        parts in prop::collection::vec(part(), 0..5),
        choices in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..30), 20),
    ) {
        for set in all_of(&parts).unwrap_or_default().iter().filter(|set| !set.is_empty()) {
            let body = body(set);
            prop_assert!(matches!(dead_ends(&body), None | Some(0)), "{:?}", set);
            for choices in &choices {
                let text = walk(&body, choices);
                prop_assert!(set.contains(&text), "{:?} {}", set, text);
            }
        }
    }

    /// Intersections and complements mean what they say, and no two sets of one have a number in
    /// common.
    #[test]
    fn algebra(
        parts in prop::collection::vec(part(), 0..5),
        numbers in prop::collection::vec(number(), 40),
    ) {
        let Some(sets) = all_of(&parts) else { return Ok(()) };
        for text in &numbers {
            let count = sets.iter().filter(|set| set.contains(text)).count();
            let expected = parts.iter().all(|part| part.contains(text));
            prop_assert_eq!(count, usize::from(expected), "{:?} {}", &sets, text);
        }
        for set in &sets {
            let complement = set.complement();
            for text in &numbers {
                let sets = complement.iter().chain([set]);
                let count = sets.filter(|set| set.contains(text)).count();
                prop_assert_eq!(count, 1, "{:?} {:?} {}", set, &complement, text);
            }
        }
    }

    /// Another validator agrees with what is written, and with what is a member.
    #[test]
    fn another_validator_agrees(
        parts in prop::collection::vec(part(), 0..4),
        choices in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..30), 20),
        numbers in prop::collection::vec(number(), 20),
    ) {
        let schemas: Vec<serde_json::Value> = parts.iter().map(Part::schema).collect();
        // `Digits` are draft 4's integers, and it spells exclusive bounds in another way.
        let said = format!("{parts:?} {schemas:?}");
        let draft4 = said.contains("Digits");
        if draft4 && (said.contains("Integer") || said.contains("exclusive")) {
            return Ok(());
        }
        let draft = if draft4 { "http://json-schema.org/draft-04/schema#" } else { "https://json-schema.org/draft/2020-12/schema" };
        let schema = serde_json::json!({"$schema": draft, "allOf": [{}, {"allOf": schemas}]});
        let schema = match parts.is_empty() { true => serde_json::json!({}), false => schema };
        let validator = jsonschema::validator_for(&schema).unwrap();
        let judge = |text: &str| validator.is_valid(&serde_json::from_str(text).unwrap());
        let Some(sets) = all_of(&parts) else { return Ok(()) };
        for set in sets.iter().filter(|set| !set.is_empty()) {
            let body = body(set);
            for choices in &choices {
                let text = walk(&body, choices);
                prop_assert!(judge(&text), "{} {:?} {}", schema, set, text);
            }
        }
        // Draft 4 tells spellings apart, and so does `Part::contains`.
        for text in &numbers {
            let member = parts.iter().all(|part| part.contains(text));
            let many = text.trim_matches('0').len() > 15;
            prop_assert!(many || member == judge(text), "{} {}", schema, text);
        }
    }
}

/// Intervals with a step whose members are few, or none.
#[test]
fn few_members() {
    let set = |parts: &[Part]| {
        let sets = all_of(parts).unwrap();
        assert_eq!(sets.len(), 1);
        sets[0].clone()
    };
    let between = |least: &str, most: &str, step: &'static str| {
        set(&[
            Part::Least(least.to_owned(), true),
            Part::Most(most.to_owned(), false),
            Part::MultipleOf(step),
        ])
    };
    for (least, most, step, members) in [
        ("7", "11", "5", "10"),
        ("0.1", "0.3", "0.25", "0.25"),
        ("-0.3", "0", "0.25", "-0.25"),
        ("999983", "1999965", "999983", "999983"),
        (
            "123456789.000000001",
            "123456789.000002",
            "1e-6",
            "123456789.000001",
        ),
        (
            "99999999999990",
            "100000000000003",
            "8",
            "99999999999992 100000000000000",
        ),
        ("-9", "-3", "3", "-9 -6"),
    ] {
        let set = between(least, most, step);
        assert!(!set.is_empty(), "{set:?}");
        let body = body(&set);
        for member in members.split(' ') {
            assert!(accepts(&body, member), "{member} {body:?}");
        }
        for choice in 0..=255u8 {
            let text = walk(&body, &[choice, choice / 3, choice / 7]);
            let value = Decimal::parse(&text);
            let mut members = members.split(' ').map(Decimal::parse);
            assert!(members.any(|member| member == value), "{text} {body:?}");
        }
    }
    for (least, most, step) in [("6", "10", "5"), ("0.26", "0.5", "0.25"), ("1", "1", "1")] {
        assert!(between(least, most, step).is_empty());
    }
    let not_two = Part::Not(Box::new(Part::MultipleOf("2")));
    let four = [
        Part::Least("4".to_owned(), true),
        Part::Most("4".to_owned(), true),
        not_two,
    ];
    assert!(all_of(&four).unwrap().iter().all(NumberSet::is_empty));
}

fn accepts(body: &NumberBody, text: &str) -> bool {
    let mut at = vec![body.start(&Words::new())];
    for byte in text.bytes() {
        at = next(&expand_all(body, &at), byte);
    }
    expand_all(body, &at).exit.is_some()
}

/// Exponents as programs write them.
#[test]
fn exponents() {
    let between = |least: &str, most: &str| {
        let least = Part::Least(least.to_owned(), true);
        let most = Part::Most(most.to_owned(), true);
        body(&all_of(&[least, most]).unwrap()[0])
    };
    for (least, most, members, others) in [
        (
            "0",
            "1",
            "1e-06 1.5e-7 5e-324 1E-1 1e0 9.999e-005",
            "1.5e0 1e+00000 10e-2 0e1 1e1 1e-1000",
        ),
        (
            "1.5e-7",
            "2e16",
            "1.5e-07 2e+16 2.0E16 1e16",
            "1.49e-07 2.01e16 1e+17 1e-7",
        ),
        (
            "-3e-200",
            "-1e-200",
            "-1e-200 -2.5e-200",
            "-0.9e-200 -3.1e-200 1e-200",
        ),
        (
            "0",
            "1e400",
            "1.7976931348623157e308 12e5 0.5e-3",
            "1.8e308 9e308 12e300 1e309",
        ),
        (
            "-9223372036854775808",
            "0",
            "-1e14 -1.5e-7",
            "-1e15 -9e18 0e0",
        ),
    ] {
        let body = between(least, most);
        for member in members.split(' ') {
            assert!(accepts(&body, member), "{member} {body:?}");
        }
        for other in others.split(' ') {
            assert!(!accepts(&body, other), "{other} {body:?}");
        }
    }
}

/// Integers have exponents beside steps that doubles tell them to be multiples of.
#[test]
fn exponents_beside_steps() {
    let multiples = |step: &'static str| body(&all_of(&[Part::MultipleOf(step)]).unwrap()[0]);
    for (step, members, others) in [
        (
            "0.5",
            "1e308 2.0E1 -1e0 0.5 12.0",
            "1.5e1 5e-1 10e1 0e1 1e309",
        ),
        ("0.125", "1e22 3e1 0.375", "1e-1 0.3"),
        ("1", "1e308 10e1", "1e-1 1.5e1"),
        ("0.1", "0.3 12.5", "1e1"),
        ("1.5", "1.5 3.0", "3e0"),
        ("2", "4.0", "2e0"),
    ] {
        let body = multiples(step);
        for member in members.split(' ') {
            assert!(accepts(&body, member), "{member} {body:?}");
        }
        for other in others.split(' ') {
            assert!(!accepts(&body, other), "{other} {body:?}");
        }
    }
}

/// Great and small steps cost no more than others; positions are few where nothing is left to say.
#[test]
fn positions_are_few() {
    let count = |parts: &[Part]| {
        let sets = all_of(parts).unwrap();
        let body = body(&sets[0]);
        let mut seen = vec![body.start(&Words::new())];
        let mut at = 0;
        while at < seen.len() && seen.len() < 5000 {
            for edge in expand(&body, &seen[at]).edges {
                if !seen.contains(&edge.to) {
                    seen.push(edge.to);
                }
            }
            at += 1;
        }
        seen.len()
    };
    let cents = [Part::MultipleOf("0.01")];
    assert!(count(&cents) < 50, "{}", count(&cents));
    let bounds = [
        Part::Least("-1.5".to_owned(), true),
        Part::Most("2.25".to_owned(), true),
    ];
    assert!(count(&bounds) < 60, "{}", count(&bounds));
    let fives = [Part::MultipleOf("5")];
    assert!(count(&fives) < 200, "{}", count(&fives));
    let fractions = [Part::Not(Box::new(Part::Type(Integrality::Integer)))];
    assert!(count(&fractions) < 500, "{}", count(&fractions));
    for (step, member, other) in [
        ("1e9", "-7000000000", "7000000001"),
        ("1e-9", "123456.123456789", "0.1234567891"),
        ("0.01", "9999999999999.99", "0.001"),
        ("999999999999989", "-999999999999989", "999999999999988"),
    ] {
        let body = body(&NumberSet::multiples_of(step_of(step)));
        assert!(accepts(&body, member) && !accepts(&body, other), "{step}");
    }
}
