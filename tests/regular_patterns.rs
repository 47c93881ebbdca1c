//! Patterns against `tests/data/patterns.toml`, and against another engine.

#![allow(clippy::unwrap_used)]

#[path = "regular_patterns/building.rs"]
mod building;
#[path = "regular_patterns/oracle.rs"]
mod oracle;

use maskwright::base::{Limits, Span};
use maskwright::regular::{Dfa, Dialect, Pattern};
use proptest::prelude::*;

#[derive(serde::Deserialize)]
struct Suite {
    pattern: Vec<Case>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    pattern: String,
    /// Whose syntax it is in; that of ECMA-262 where it is left out.
    #[serde(default)]
    dialect: String,
    /// What of another dialect is noted.
    #[serde(default)]
    notes: Vec<String>,
    #[serde(default)]
    accepts: Vec<String>,
    #[serde(default)]
    refuses: Vec<String>,
    error: Option<String>,
    span: Option<(usize, usize)>,
}

#[test]
fn suite() {
    let suite: Suite =
        toml::from_str(include_str!("data/patterns.toml")).expect("the suite is TOML");
    assert!(suite.pattern.len() >= 80);
    let failures: Vec<String> = suite.pattern.iter().flat_map(check).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// What is wrong with a case. Whatever a pattern accepts is a text.
fn check(case: &Case) -> Vec<String> {
    let (pattern, limits) = (&case.pattern, Limits::default());
    let dialect = match case.dialect.as_str() {
        "" => Dialect::Ecma,
        "python" => Dialect::Python,
        "pcre" => Dialect::Pcre,
        "rust" => Dialect::Rust,
        other => return vec![format!("{pattern}: no dialect {other}")],
    };
    let read = Pattern::parse(pattern, dialect, &limits);
    let mut failures = Vec::new();
    if let Ok(read) = &read {
        let notes = read.notes().iter().map(|note| format!("{:?}", note.kind));
        let notes: Vec<String> = notes.collect();
        if notes != case.notes {
            failures.push(format!("{pattern}: notes {notes:?}"));
        }
    }
    let dfa = match (read.and_then(|read| read.search(&limits)), &case.error) {
        (Ok(dfa), None) => dfa,
        (Ok(_), Some(kind)) => return vec![format!("{pattern}: compiles, {kind} expected")],
        (Err(error), None) => return vec![format!("{pattern}: {error}")],
        (Err(error), Some(kind)) => {
            let right = format!("{:?}", error.kind).starts_with(kind.as_str())
                && case
                    .span
                    .is_none_or(|(start, end)| error.span == Span::new(start, end));
            if !right {
                failures.push(format!("{pattern}: {error:?}"));
            }
            return failures;
        }
    };
    let wrong = |texts: &[String], expected: bool| -> Vec<String> {
        let wrong = texts
            .iter()
            .filter(|text| dfa.contains(text.as_bytes()) != expected);
        wrong
            .map(|text| format!("{pattern}: {text:?} expected {expected}"))
            .collect()
    };
    failures.extend(wrong(&case.accepts, true));
    failures.extend(wrong(&case.refuses, false));
    if let Some(bytes) = beyond_text(&dfa) {
        failures.push(format!(
            "{pattern}: accepts {bytes:02X?}, which is not UTF-8"
        ));
    }
    failures
}

/// Bytes that are accepted and no UTF-8.
fn beyond_text(dfa: &Dfa) -> Option<Vec<u8>> {
    let beyond = dfa.difference(&Dfa::utf8_text(), &Limits::default());
    beyond.expect("small").witness()
}

/// Code points where classes may go wrong: the ends of the surrogates, of their halves, and of Unicode.
const EDGES: [u32; 14] = [
    0x00, 0x61, 0x7F, 0x7FF, 0xD7FF, 0xD800, 0xD83C, 0xDBFF, 0xDC00, 0xDE00, 0xDFFF, 0xE000,
    0xFFFF, 0x10_FFFF,
];

proptest! {
    /// A class accepts those of its members that are characters, whichever way it spells its bounds.
    #[test]
    fn surrogates_match_nothing(
        ranges in prop::collection::vec((0..EDGES.len(), 0..EDGES.len(), any::<bool>()), 0..4),
        negated: bool,
        around in prop::sample::select(vec!["", "*", "{2}", "?"]),
    ) {
        let spelt = |code_point: u32, in_braces: bool| match in_braces || code_point > 0xFFFF {
            true => format!("\\u{{{code_point:x}}}"),
            false => format!("\\u{code_point:04x}"),
        };
        let mut members = vec![(u32::from('q'), u32::from('q'))];
        let mut class = String::from(if negated { "[^q" } else { "[q" });
        for (a, b, in_braces) in ranges {
            let (lo, hi) = (EDGES[a.min(b)], EDGES[a.max(b)]);
            members.push((lo, hi));
            // Two halves side by side would be one character.
            class += &format!("{}-{}q", spelt(lo, in_braces), spelt(hi, in_braces));
        }
        class.push(']');
        let limits = Limits::default();
        let one = Dfa::regex_full(&class, &limits).expect("well-formed");
        for c in EDGES.into_iter().chain([0x62, 0x71, 0xFFFD, 0x1F600]).filter_map(char::from_u32) {
            let is_member = members.iter().any(|&(lo, hi)| (lo..=hi).contains(&u32::from(c)));
            let accepted = one.contains(c.encode_utf8(&mut [0; 4]).as_bytes());
            prop_assert_eq!(accepted, is_member != negated, "{} {:?}", class, c);
        }
        let pattern = format!("^a{class}{around}$");
        let found = beyond_text(&Dfa::pattern(&pattern, &limits).expect("well-formed"));
        prop_assert_eq!(found, None, "{}", pattern);
    }

    /// No pattern accepts what is no text, wherever lone surrogates stand in it.
    #[test]
    fn what_is_accepted_is_text(parts in prop::collection::vec((0..PARTS.len(), 0..QUANTIFIERS.len()), 1..6)) {
        let parts = parts.into_iter();
        let pattern: String = parts.flat_map(|(part, quantifier)| [PARTS[part], QUANTIFIERS[quantifier]]).collect();
        let found = beyond_text(&Dfa::pattern(&pattern, &Limits::default()).expect("well-formed"));
        prop_assert_eq!(found, None, "{}", pattern);
    }
}

const PARTS: [&str; 14] = [
    "a",
    "(?:\\udc00|b)",
    "(?:\\ud83c|\\ud83d\\ude00)",
    "[^\\ud83c-\\udbff]",
    "[\\ud7ff-\\ue000]",
    "[\\udc00-\\uffff]",
    "[^\\u{dfff}]",
    "(?:\\ude00)",
    "(?:.)",
    "(?:\\S)",
    "(?:\\W)",
    "(?!\\udc00)",
    "(?=[^\\ud800])",
    "(?:\\p{L})",
];
const QUANTIFIERS: [&str; 4] = ["", "*", "?", "{1,2}"];

#[test]
fn whole_match_differs_from_search() {
    let limits = Limits::default();
    let whole = Dfa::regex_full("a|ab", &limits).expect("well-formed");
    assert_eq!(whole.members(9), Some(vec![b"a".to_vec(), b"ab".to_vec()]));
    let search = Dfa::pattern("^(?:a|ab)$", &limits).expect("well-formed");
    assert_eq!(whole, search, "equal languages give equal automata");
}

/// Within these limits a look-ahead by itself has too many states, and the pattern with it has not.
#[test]
fn look_aheads_are_followed_as_far_as_the_pattern_goes() {
    for (pattern, states) in [
        ("^(?=.{1,9}@.{1,40}$)[^@]+@[^@]+$", 600),
        ("^(?!.*a.{11}$)b*a?b*$", 64),
        ("^(?=.*a.{11}$)[bc]*a[bc]*(?!c)$", 64),
        ("^b*(?=.{0,9}a.{12}$)(?!.*a.{10}$)(b*a){1,2}b*$", 500),
        ("(?=[ab]*a[ab]{9}c)b*ab*c", 64),
    ] {
        let mut limits = Limits::default();
        let free = Dfa::pattern(pattern, &limits).expect("well-formed");
        limits.automaton_states = states;
        assert_eq!(Dfa::pattern(pattern, &limits).expect(pattern), free);
        let body = pattern.split(['(', ')']).nth(1).expect("a group");
        let body = body.trim_start_matches(['?', '=', '!']);
        Dfa::pattern(&format!("^(?={body}).*$"), &limits).expect_err(body);
    }
}

#[test]
fn explosions_meet_a_limit_at_once() {
    let begun = std::time::Instant::now();
    let error = Dfa::pattern("^(.{1,1000}){1,1000}$", &Limits::default());
    assert!(error.is_err());
    assert!(begun.elapsed() < std::time::Duration::from_millis(100));
}

#[test]
fn deep_groups_meet_a_limit() {
    let pattern = "(".repeat(100_000);
    let error = Dfa::pattern(&pattern, &Limits::default()).expect_err("too deep");
    assert!(format!("{error}").contains("nested groups"), "{error}");
    assert_eq!(error.span, Span::new(256, 257));
}
