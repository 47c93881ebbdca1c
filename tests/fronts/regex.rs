//! Regular expressions against `tests/data/regex.toml`, whose verdicts are Python's, and against the
//! crate `regex-automata`.

use maskwright::base::Limits;
use maskwright::check::{CheckConfig, drive};
use maskwright::front::regex;
use maskwright::regular::Dialect;
use proptest::prelude::*;
use regex_automata::{Anchored, Input, meta};

use super::{accepts, constraint};

#[derive(serde::Deserialize)]
struct Suite {
    case: Vec<Case>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    pattern: String,
    /// Whose syntax it is in; Python's where it is not said.
    dialect: Option<String>,
    #[serde(default)]
    accepts: Vec<String>,
    #[serde(default)]
    refuses: Vec<String>,
    error: Option<String>,
    place: Option<String>,
}

impl Case {
    fn dialect(&self) -> Dialect {
        match self.dialect.as_deref() {
            None => regex::DIALECT,
            Some("ecma") => Dialect::Ecma,
            Some("rust") => Dialect::Rust,
            Some(other) => panic!("{other}: no dialect of this suite"),
        }
    }
}

#[test]
fn suite() {
    let suite: Suite = toml::from_str(include_str!("../data/regex.toml")).unwrap();
    assert!(suite.case.len() >= 60, "{} cases", suite.case.len());
    let failures: Vec<String> = suite.case.iter().flat_map(check).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// What is wrong with a case.
fn check(case: &Case) -> Vec<String> {
    let pattern = &case.pattern;
    let grammar = match (
        regex::compile(pattern, case.dialect(), &Limits::default()),
        &case.error,
    ) {
        (Ok(grammar), None) => grammar,
        (Ok(_), Some(kind)) => return vec![format!("{pattern}: compiles, {kind} expected")],
        (Err(error), None) => return vec![format!("{pattern}: {error}")],
        (Err(error), Some(kind)) => {
            let found = format!("{:?}", error.kind());
            let right = found.contains(kind) && case.place == Some(error.place().to_string());
            return match right {
                true => Vec::new(),
                false => vec![format!("{pattern}: {found}, {error}")],
            };
        }
    };
    let constraint = constraint(grammar);
    let expected = case.accepts.iter().map(|text| (text, true));
    let expected = expected.chain(case.refuses.iter().map(|text| (text, false)));
    let wrong =
        expected.filter(|(text, expected)| accepts(&constraint, text.as_bytes()) != *expected);
    wrong
        .map(|(text, expected)| format!("{pattern}: {text:?} expected {expected}"))
        .collect()
}

/// Patterns that all dialects read alike.
fn pattern() -> impl Strategy<Value = String> {
    let atoms = [
        "a", "b", "é", "[ab]", "[^a]", "[a-y]", "[é-ü]", "\\.", "ab", "(?:)", "x{2}",
    ];
    let leaf = prop::sample::select(atoms.to_vec()).prop_map(str::to_owned);
    leaf.prop_recursive(4, 16, 3, |inner| {
        let times = ["*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "+?"];
        prop_oneof![
            (inner.clone(), prop::sample::select(times.to_vec()))
                .prop_map(|(item, times)| format!("(?:{item}){times}")),
            prop::collection::vec(inner.clone(), 1..4).prop_map(|items| items.concat()),
            prop::collection::vec(inner, 1..4).prop_map(|items| format!("({})", items.join("|"))),
        ]
    })
}

proptest! {
    #[test]
    fn whole_matches_are_those_of_another_engine(
        pattern in pattern(),
        texts in prop::collection::vec("[abxéz.]{0,6}", 8),
        choices in prop::collection::vec(any::<u32>(), 1..40),
    ) {
        let constraint = constraint(regex::compile(&pattern, regex::DIALECT, &Limits::default()).unwrap());
        let other = meta::Regex::new(&format!("^(?:{pattern})$")).unwrap();
        let matches = |text: &str| other.is_match(Input::new(text).anchored(Anchored::Yes));
        for text in &texts {
            prop_assert_eq!(accepts(&constraint, text.as_bytes()), matches(text), "{}: {:?}", pattern, text);
        }
        let mut choices = choices.iter().cycle();
        let config = CheckConfig::default().steps(40, 8);
        let mut choose = |below: u32| choices.next().unwrap() % below;
        let run = drive(&constraint, &config, &mut choose, &mut |run| {
            let text = std::str::from_utf8(&run.text).map_err(|error| error.to_string())?;
            matches(text).then_some(()).ok_or_else(|| format!("{pattern}: {text:?}"))
        });
        prop_assert!(run.is_ok(), "{}: {:?}", pattern, run);
    }
}
