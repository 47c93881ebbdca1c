//! The bytes that lead towards the end of a multiple: each takes one of the fewest steps, and the first that is taken
//! leads to the last.

use std::collections::VecDeque;

use super::*;
use crate::grammar::Hints as _;

/// More positions than this are not looked through.
const POSITIONS: usize = 2_000;

/// The fewest bytes to an end from `at`, by looking through everything; `None` where there is too much.
fn distance(body: &NumberBody, at: &Words) -> Option<usize> {
    let mut seen: FxHashMap<Words, usize> = FxHashMap::default();
    let mut agenda = VecDeque::from([at.clone()]);
    seen.insert(at.clone(), 0);
    while let Some(at) = agenda.pop_front() {
        let distance = seen[&at];
        let node = expand(body, &at);
        if node.exit.is_some() {
            return Some(distance);
        }
        for edge in node.edges {
            if !seen.contains_key(&edge.to) {
                seen.insert(edge.to.clone(), distance + 1);
                agenda.push_back(edge.to);
            }
        }
        if seen.len() > POSITIONS {
            return None;
        }
    }
    panic!("{at:?} leads nowhere");
}

/// Follows what the body says from `at` on; gives the steps, if it says something there.
fn steps_said(body: &NumberBody, at: &Words) -> Option<usize> {
    let (mut at, mut steps) = (at.clone(), 0);
    while let Some(byte) = body.onward(&at) {
        let next = next(&expand(body, &at), byte);
        at = next.into_iter().next().expect("what leads on is read");
        steps += 1;
    }
    let ends = expand(body, &at).exit.is_some();
    assert!(ends || steps == 0, "{body:?} is silent half-way");
    (steps > 0).then_some(steps)
}

/// All that is said within some steps of `at`; gives how often it could be compared.
fn check(body: &NumberBody, choices: &[u8]) -> usize {
    let mut at = body.start(&Words::new());
    let mut compared = 0;
    for choice in choices {
        if let Some(steps) = steps_said(body, &at)
            && let Some(distance) = distance(body, &at)
        {
            assert_eq!(steps, distance, "{body:?} {at:?}");
            compared += 1;
        }
        let edges = expand(body, &at).edges;
        let Some(edge) = edges.get(usize::from(*choice) % edges.len().max(1)) else {
            break;
        };
        at = edge.to.clone();
    }
    compared
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ways_are_shortest(
        parts in prop::collection::vec(part(), 0..5),
        choices in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..30), 8),
    ) {
        for set in all_of(&parts).unwrap_or_default().iter().filter(|set| !set.is_empty()) {
            let body = body(set);
            choices.iter().for_each(|choices| _ = check(&body, choices));
        }
    }
}

/// Steps of all sizes, with bounds, exceptions and draft 4's spellings; each says something.
#[test]
fn multiples_say_their_way() {
    let not = |step| Part::Not(Box::new(Part::MultipleOf(step)));
    let least = |text: &str| Part::Least(text.to_owned(), true);
    let most = |text: &str| Part::Most(text.to_owned(), false);
    for parts in [
        vec![Part::MultipleOf("0.01")],
        vec![Part::MultipleOf("7")],
        vec![Part::MultipleOf("12.5"), not("5")],
        vec![
            Part::MultipleOf("8721"),
            not("2"),
            not("5"),
            not("7"),
            not("6.5"),
            not("11"),
            not("37"),
        ],
        vec![Part::MultipleOf("1234.567"), least("1e7")],
        vec![Part::MultipleOf("97"), least("-123456"), most("-1234")],
        vec![Part::MultipleOf("0.0375"), most("10")],
        vec![
            Part::MultipleOf("13"),
            Part::Not(Box::new(Part::Type(Integrality::Digits))),
        ],
        vec![Part::MultipleOf("999999999989")],
    ] {
        let mut said = 0;
        for set in all_of(&parts).unwrap().iter().filter(|set| !set.is_empty()) {
            let body = body(set);
            let seeds = 0..200u32;
            let choices = seeds.map(|seed| {
                (0..8).map(move |at| (seed.wrapping_mul(2_654_435_761) >> (3 * at)) as u8)
            });
            said += choices
                .map(|choices| check(&body, &choices.collect::<Vec<u8>>()))
                .sum::<usize>();
        }
        assert!(said > 0, "{parts:?}");
    }
}
