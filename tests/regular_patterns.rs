//! Patterns against `tests/data/patterns.toml`.

use maskwright::base::{Limits, Span};
use maskwright::regular::Dfa;

#[derive(serde::Deserialize)]
struct Suite {
    pattern: Vec<Case>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    pattern: String,
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

/// What is wrong with a case.
fn check(case: &Case) -> Vec<String> {
    let pattern = &case.pattern;
    let dfa = match (Dfa::pattern(pattern, &Limits::default()), &case.error) {
        (Ok(dfa), None) => dfa,
        (Ok(_), Some(kind)) => return vec![format!("{pattern}: compiles, {kind} expected")],
        (Err(error), None) => return vec![format!("{pattern}: {error}")],
        (Err(error), Some(kind)) => {
            let right = format!("{:?}", error.kind).starts_with(kind.as_str())
                && case
                    .span
                    .is_none_or(|(start, end)| error.span == Span::new(start, end));
            return if right {
                Vec::new()
            } else {
                vec![format!("{pattern}: {error:?}")]
            };
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
    let mut failures = wrong(&case.accepts, true);
    failures.extend(wrong(&case.refuses, false));
    failures
}

#[test]
fn whole_match_differs_from_search() {
    let limits = Limits::default();
    let whole = Dfa::regex_full("a|ab", &limits).expect("well-formed");
    assert_eq!(whole.members(9), Some(vec![b"a".to_vec(), b"ab".to_vec()]));
    let search = Dfa::pattern("^(?:a|ab)$", &limits).expect("well-formed");
    assert_eq!(whole, search, "equal languages give equal automata");
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
