//! Structural tags: which texts belong to them, and what is refused where.

use maskwright::base::TokenId;
use maskwright::check::{CheckConfig, Encoding, drive};
use maskwright::front::structural_tag::{StructuralTagConfig, compile};
use maskwright::grammar::Grammar;
use maskwright::session::{Constraint, ConstraintConfig, Engine, Recogniser};
use maskwright::vocab::VocabularyBuilder;
use proptest::prelude::*;

#[derive(serde::Deserialize)]
struct Suite {
    case: Vec<Case>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// A format, or the whole tag where it says that it is whole.
    tag: String,
    #[serde(default)]
    accepts: Vec<String>,
    #[serde(default)]
    refuses: Vec<String>,
    error: Option<String>,
}

const SPECIALS: [&str; 3] = ["<|stop|>", "<|call|>", "<|other|>"];

/// Single bytes from 256 on, special tokens from 100 on, some longer tokens, an end token.
fn constraint(grammar: Grammar) -> Constraint {
    let mut builder = VocabularyBuilder::new();
    for (id, name) in (100..).zip(SPECIALS) {
        builder.special(TokenId::new(id), name).unwrap();
    }
    for byte in 0..=255u8 {
        let id = TokenId::new(256 + u32::from(byte));
        builder.ordinary(id, &[byte]).unwrap();
    }
    for (id, text) in (512..).zip(["<|", "|>", "</", "<a", "<c>", "ab", ">x<"]) {
        builder.ordinary(TokenId::new(id), text.as_bytes()).unwrap();
    }
    builder.special(TokenId::new(600), "<end>").unwrap();
    builder.end_token(TokenId::new(600));
    let engine = Engine::new(builder.build().unwrap());
    let config = ConstraintConfig::default();
    engine.constraint(grammar, &config).unwrap()
}

fn accepts(constraint: &Constraint, text: &str) -> bool {
    let mut recogniser = constraint.recogniser();
    reads(&mut recogniser, text) && recogniser.may_end()
}

fn reads(recogniser: &mut Recogniser, text: &str) -> bool {
    text.split('«').enumerate().all(|(index, part)| {
        let (control, rest) = match index {
            0 => (None, part),
            _ => part
                .split_once('»')
                .map(|(c, rest)| (Some(c), rest))
                .unwrap(),
        };
        control.is_none_or(|control| recogniser.control(control).unwrap())
            && rest.bytes().all(|byte| recogniser.byte(byte).unwrap())
    })
}

fn whole(tag: &str) -> String {
    match tag.strip_suffix(", \"whole\": true}") {
        Some(tag) => format!("{tag}}}"),
        None => format!(r#"{{"type": "structural_tag", "format": {tag}}}"#),
    }
}

fn cases() -> Vec<Case> {
    let suite: Suite = toml::from_str(include_str!("../data/structural_tag.toml")).unwrap();
    suite.case
}

#[test]
fn tags_mean_what_they_say() {
    let mut wrong = Vec::new();
    for case in cases() {
        let compiled = compile(&whole(&case.tag), &StructuralTagConfig::default());
        match (compiled, &case.error) {
            (Err(found), Some(error)) if found.to_string().starts_with(error.as_str()) => {}
            (Err(found), _) => wrong.push(format!("{}\n  {found}", case.tag)),
            (Ok(_), Some(error)) => wrong.push(format!("{}\n  taken, not {error}", case.tag)),
            (Ok(grammar), None) => {
                let constraint = constraint(grammar);
                let good = case.accepts.iter().map(|text| (text, true));
                for (text, good) in good.chain(case.refuses.iter().map(|text| (text, false))) {
                    if accepts(&constraint, text) != good {
                        wrong.push(format!("{}\n  {text:?} expected {good}", case.tag));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Strings that are found in each other, and in themselves.
#[test]
fn excluded_strings_are_looked_for_as_their_definition_says() {
    let words = |most: usize| {
        let lengths = 1..=most as u32;
        lengths.flat_map(|length| {
            (0..1u32 << length).map(move |bits| -> String {
                let letter = |at: u32| if bits >> at & 1 == 0 { 'a' } else { 'b' };
                (0..length).map(letter).collect()
            })
        })
    };
    let excluded: Vec<String> = words(4).collect();
    let texts: Vec<String> = words(9).collect();
    let mut step = 1;
    for first in &excluded {
        step = (step * 7 + 3) % 31;
        let others = excluded
            .iter()
            .step_by(step)
            .filter(|other| *other != first);
        let strings: Vec<&String> = others.take(2).chain([first]).collect();
        let tag = serde_json::json!({"type": "any_text", "excludes": strings});
        let grammar = compile(&whole(&tag.to_string()), &StructuralTagConfig::default());
        let constraint = constraint(grammar.unwrap());
        for text in &texts {
            let expected = strings.iter().all(|string| !text.contains(string.as_str()));
            assert_eq!(
                accepts(&constraint, text),
                expected,
                "{text} without {strings:?}"
            );
        }
    }
}

/// A string that repeats itself is looked for in time that grows with it, as long as its states are allowed.
#[test]
fn long_excluded_strings_meet_a_limit() {
    let tag = |length: usize| {
        let string = "xy".repeat(length / 2);
        let tag = serde_json::json!({"type": "any_text", "excludes": [string]});
        compile(&whole(&tag.to_string()), &StructuralTagConfig::default())
    };
    assert!(tag(20_000).is_ok());
    for length in [70_000, 3_000_000] {
        let error = tag(length).unwrap_err().to_string();
        assert!(error.contains("states of a free text"), "{error}");
    }
}

#[test]
fn special_tokens_of_other_shapes_are_known_by_the_caller() {
    let tag =
        whole(r#"{"type": "tag", "begin": "[INST]", "content": {"type": "any_text"}, "end": "x"}"#);
    let mut config = StructuralTagConfig::default();
    config.specials = vec!["[INST]".to_owned()];
    let grammar = compile(&tag, &config).unwrap();
    assert_eq!(grammar.controls().len(), 1);
    let text = constraint(grammar);
    // This vocabulary lacks the token, so it is read as its bytes, and no free text spells it.
    assert!(accepts(&text, "[INST]yx"));
    assert!(!accepts(&text, "[INST]y[INST]x"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Masks, accepts, rollbacks and ways out of every tag of the suite are those of the definition.
    #[test]
    fn tags_keep_the_promise(choices in prop::collection::vec(any::<u32>(), 1..24)) {
        for case in cases().iter().filter(|case| case.error.is_none()) {
            let grammar = compile(&whole(&case.tag), &StructuralTagConfig::default()).unwrap();
            let constraint = constraint(grammar);
            let mut choices = choices.iter().cycle();
            let mut choose = |below: u32| choices.next().unwrap() % below;
            // A token may be a part of a character.
            let encoding = match case.tag.contains("token") {
                true => Encoding::Bytes,
                false => Encoding::Utf8,
            };
            let config = CheckConfig::default().steps(12, 4).encoding(encoding);
            let run = drive(&constraint, &config, &mut choose, &mut |_| Ok(()));
            prop_assert!(run.is_ok(), "{}: {run:?}", case.tag);
        }
    }
}
