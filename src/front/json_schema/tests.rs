//! The suite `tests/data/json_schema.toml`, and schemas made at random, judged by another validator.

use std::sync::Arc;

use proptest::prelude::*;

use super::{JsonRules, SchemaConfig, SchemaError, Whitespace, compile};
use crate::base::Limits;
use crate::grammar::{Grammar, GrammarBuilder};
use crate::machine::{Binding, Generation, StateId};

/// A case of the suite.
struct Case {
    name: String,
    schema: String,
    space: Option<String>,
    valid: Vec<String>,
    invalid: Vec<String>,
    error: Vec<String>,
}

fn suite_cases() -> Vec<Case> {
    let text = include_str!("../../../tests/data/json_schema.toml");
    let suite: toml::Table = text.parse().unwrap();
    let case = |case: &toml::Value| {
        let text = |key: &str| Some(case.get(key)?.as_str().unwrap().to_owned());
        let texts = |key: &str| -> Vec<String> {
            let texts = case.get(key).map(|texts| texts.as_array().unwrap().iter());
            texts
                .into_iter()
                .flatten()
                .map(|text| text.as_str().unwrap().to_owned())
                .collect()
        };
        Case {
            name: text("name").unwrap(),
            schema: text("schema").unwrap(),
            space: text("space"),
            valid: texts("valid"),
            invalid: texts("invalid"),
            error: texts("error"),
        }
    };
    suite["case"].as_array().unwrap().iter().map(case).collect()
}

fn grammar(schema: &str, config: &SchemaConfig) -> Result<Grammar, SchemaError> {
    let schema = compile(schema, config)?;
    let mut builder = GrammarBuilder::new(Limits::default());
    let mut rules = JsonRules::new(config)?;
    let root = schema.lower_into(&mut rules, &mut builder);
    Ok(builder.finish(root).expect("lowered schemas have texts"))
}

fn machine(schema: &str, config: &SchemaConfig) -> Result<Generation, SchemaError> {
    let binding = Binding::new(std::iter::empty());
    let grammar = grammar(schema, config)?;
    Ok(Generation::new(Arc::new(grammar), Arc::new(binding)))
}

/// Whether the whole of `text` is accepted.
fn accepts(machine: &Generation, text: &str) -> bool {
    let mut state = machine.start().unwrap();
    for byte in text.bytes() {
        state = machine.advance(state, byte).unwrap();
        if state == StateId::DEAD {
            return false;
        }
    }
    machine.state(state).accepting
}

fn kind(error: &SchemaError) -> &'static str {
    match error {
        SchemaError::Json { .. } => "json",
        SchemaError::Malformed { .. } => "malformed",
        SchemaError::Unsupported { .. } => "unsupported",
        SchemaError::Unsatisfiable { .. } => "unsatisfiable",
        SchemaError::Limit { .. } => "limit",
    }
}

/// What is wrong with a case, if anything.
fn faults(case: &Case) -> Vec<String> {
    let config = SchemaConfig {
        whitespace: match case.space.as_deref() {
            Some("compact") => Whitespace::Compact,
            _ => Whitespace::Json,
        },
        ..SchemaConfig::default()
    };
    let machine = match (machine(&case.schema, &config), case.error.as_slice()) {
        (Ok(machine), []) => machine,
        (Ok(_), error) => return vec![format!("compiles, expected {error:?}")],
        (Err(error), expected) => {
            let keyword = error.keyword().unwrap_or_default();
            let got = [kind(&error), keyword, error.pointer().unwrap_or_default()];
            return match expected == got {
                true => Vec::new(),
                false => vec![format!("{got:?}: {error}, expected {expected:?}")],
            };
        }
    };
    let refused = case.valid.iter().filter(|text| !accepts(&machine, text));
    let accepted = case.invalid.iter().filter(|text| accepts(&machine, text));
    let refused = refused.map(|text| format!("refuses {text}"));
    refused
        .chain(accepted.map(|text| format!("accepts {text}")))
        .collect()
}

#[test]
fn suite() {
    let cases = suite_cases();
    let faults: Vec<String> = cases
        .iter()
        .flat_map(|case| {
            faults(case)
                .into_iter()
                .map(|fault| format!("{}: {fault}", case.name))
        })
        .collect();
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

/// Samples are texts of the grammar, and instances.
#[test]
fn samples() {
    let config = SchemaConfig::default();
    for case in suite_cases().iter().filter(|case| is_judged(case)) {
        let samples = compile(&case.schema, &config).unwrap().report().samples;
        let machine = machine(&case.schema, &config).unwrap();
        assert!(!samples.is_empty(), "{}", case.name);
        for sample in samples {
            assert!(accepts(&machine, &sample), "{}: {sample}", case.name);
            assert!(judge(&case.schema, &sample), "{}: {sample}", case.name);
        }
    }
}

/// What the suite calls valid is valid, by another validator.
#[test]
fn suite_is_right() {
    for case in suite_cases().iter().filter(|case| is_judged(case)) {
        for text in &case.valid {
            assert!(judge(&case.schema, text), "{}: {text}", case.name);
        }
    }
}

#[test]
fn control_spellings_are_not_spelt_plainly() {
    let config = SchemaConfig {
        forbidden: vec!["<|end|>".to_owned(), "<|call|>".to_owned(), "é>".to_owned()],
        ..SchemaConfig::default()
    };
    let any = machine("true", &config).unwrap();
    for text in [
        r#""<|en""#,
        r#""<|end|\u003e""#,
        r#""\u003c|end|>""#,
        r#"["<|", "end|>"]"#,
        r#"{"<|x|>":1}"#,
    ] {
        assert!(accepts(&any, text), "{text}");
    }
    for text in [
        r#""<|end|>""#,
        r#""<<|<|call|>""#,
        r#"{"<|end|>":1}"#,
        r#"{"a":["<|end|>x"]}"#,
        r#""é>""#,
    ] {
        assert!(!accepts(&any, text), "{text}");
    }
    let schema = r#"{"type":"object","properties":{"a<|end|>":{"enum":["<|call|>"]},
        "p":{"pattern":"^<\\|end\\|>$"},"q":{"pattern":"^x?é>$","type":"string","maxLength":2},
        "s":{"type":"string","maxLength":8}},"required":["a<|end|>"],"additionalProperties":false}"#;
    let named = machine(schema, &config).unwrap();
    for text in [
        r#"{"a\u003c|end|>":"\u003c|call|>"}"#,
        r#"{"a\u003c|end|>":"\u003c|call|>","p":"<|end|\u003e","q":"\u00e9>"}"#,
        r#"{"a\u003c|end|>":"\u003c|call|>","p":"\u003c|end|>","q":"é\u003e"}"#,
        r#"{"a\u003c|end|>":"\u003c|call|>","s":"<|end|x"}"#,
    ] {
        assert!(accepts(&named, text), "{text}");
    }
    for text in [
        r#"{"a<|end|>":"\u003c|call|>"}"#,
        r#"{"a\u003c|end|>":"<|call|>"}"#,
        r#"{"a\u003c|end|>":"\u003c|call|>","p":"<|end|>"}"#,
        r#"{"a\u003c|end|>":"\u003c|call|>","s":"<|end|>"}"#,
    ] {
        assert!(!accepts(&named, text), "{text}");
    }
    assert!(machine(r#"{"properties":{"a":1}}"#, &config).is_err());
    for text in ["", "a\\"] {
        let config = SchemaConfig {
            forbidden: vec![text.to_owned()],
            ..SchemaConfig::default()
        };
        assert!(JsonRules::new(&config).is_err());
    }
}

#[test]
fn equal_parts_share_rules() {
    let config = SchemaConfig::default();
    let count = |schema: &str| grammar(schema, &config).unwrap().rule_count();
    let one =
        r#"{"properties":{"a":{"type":"string"}},"type":"object","additionalProperties":false}"#;
    let many = r##"{"properties":{"a":{"type":"string"},"b":{"title":"x","type":"string"},"c":{"$ref":"#/$defs/s"}},
        "$defs":{"s":{"type":"string"}},"type":"object","additionalProperties":false}"##;
    assert_eq!(count(one), count(many));
}

#[test]
fn schemas_share_the_rules_of_leaves() {
    let config = SchemaConfig::default();
    let mut builder = GrammarBuilder::new(Limits::default());
    let mut rules = JsonRules::new(&config).unwrap();
    let schema = r#"{"type":"array","items":{"type":["integer","string"],"maxLength":4}}"#;
    let schema = compile(schema, &config).unwrap();
    let first = schema.lower_into(&mut rules, &mut builder);
    let before = builder.declare("marker");
    let second = schema.lower_into(&mut rules, &mut builder);
    assert_ne!(first, second);
    // An array twice, as root and as part, and a union: the strings and numbers are there already.
    let after = builder.declare("marker");
    assert!(after.get() - before.get() <= 4, "{before:?} {after:?}");
}

#[test]
fn any_value_and_any_object() {
    let config = SchemaConfig::default();
    let mut rules = JsonRules::new(&config).unwrap();
    let mut builder = GrammarBuilder::new(Limits::default());
    let root = rules.object(&mut builder);
    let grammar = builder.finish(root).unwrap();
    let binding = Arc::new(Binding::new(std::iter::empty()));
    let machine = Generation::new(Arc::new(grammar), binding);
    assert!(accepts(&machine, r#"{"a": [1, {}], "b" : null}"#));
    assert!(!accepts(&machine, "[]") && !accepts(&machine, " {}"));
}

#[test]
fn deep_nesting_meets_a_limit() {
    let depth = 10_000;
    let schema = format!("{}true{}", r#"{"items":"#.repeat(depth), "}".repeat(depth));
    let error = compile(&schema, &SchemaConfig::default()).unwrap_err();
    assert!(matches!(error, SchemaError::Limit { .. }), "{error}");
}

#[test]
fn exploding_conjunctions_meet_a_limit() {
    let branch = r##"{"anyOf":[{"required":["a"]},{"required":["b"]},{"required":["c"]},{"required":["d"]}]}"##;
    let branches: Vec<String> = (0..12)
        .map(|i| {
            ["a", "b", "c", "d"].iter().fold(branch.to_owned(), |b, n| {
                b.replace(&format!("\"{n}\""), &format!("\"{n}{i}\""))
            })
        })
        .collect();
    let schema = format!(r#"{{"allOf":[{}]}}"#, branches.join(","));
    let error = compile(&schema, &SchemaConfig::default()).unwrap_err();
    assert!(matches!(error, SchemaError::Limit { .. }), "{error}");
}

/// A schema of the supported keywords, at random.
fn schema() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("true".to_owned()),
        Just(r#"{"type":"string"}"#.to_owned()),
        (0u32..3, 0u32..4).prop_map(|(a, b)| format!(
            r#"{{"type":"string","minLength":{a},"maxLength":{}}}"#,
            a + b
        )),
        Just(r#"{"type":"string","pattern":"^[a-c]+$"}"#.to_owned()),
        Just(r#"{"pattern":"a|é"}"#.to_owned()),
        Just(r#"{"type":["integer","null"]}"#.to_owned()),
        (-25i32..25, 0i32..30).prop_map(|(a, b)| format!(
            r#"{{"type":"integer","minimum":{a},"maximum":{}}}"#,
            a + b
        )),
        (-25i32..25, 1i32..30).prop_map(|(a, b)| {
            let (a, b) = (f64::from(a) / 4.0, f64::from(a + b) / 4.0);
            format!(r#"{{"type":"number","exclusiveMinimum":{a},"maximum":{b}}}"#)
        }),
        (-25i32..25, 1i32..30, 1u32..9).prop_map(|(a, b, step)| {
            let (a, b, step) = (
                f64::from(a) / 4.0,
                f64::from(a + b) / 4.0,
                f64::from(step) / 4.0,
            );
            format!(r#"{{"type":"number","minimum":{a},"maximum":{b},"multipleOf":{step}}}"#)
        }),
        Just(r#"{"enum":["a","ab",1,null,[1]]}"#.to_owned()),
        Just(r#"{"const":2}"#.to_owned()),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone(), inner.clone(), 0u8..16).prop_map(|(a, b, c, bits)| {
                let names = ["\"a\"", "\"b\"", "\"c\"", "\"ab\""];
                let required: Vec<&str> = (0..4).filter(|i| bits & (1 << i) != 0).map(|i| names[i]).collect();
                format!(
                    r#"{{"type":"object","properties":{{"a":{a},"ab":{b}}},"additionalProperties":{c},"required":[{}]}}"#,
                    required.join(",")
                )
            }),
            (inner.clone(), inner.clone(), 0u32..3, 0u32..3).prop_map(|(a, b, least, more)| format!(
                r#"{{"type":"array","prefixItems":[{a}],"items":{b},"minItems":{least},"maxItems":{}}}"#,
                least + more
            )),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!(r#"{{"anyOf":[{a},{b}]}}"#)),
            (inner.clone(), inner.clone(), inner).prop_map(|(a, b, c)| format!(
                r#"{{"allOf":[{a}],"anyOf":[{b},{c}],"properties":{{"b":{a}}}}}"#
            )),
        ]
    })
}

/// What a random walk may not choose from: everything is worth trying, but not for ever.
fn walk(machine: &Generation, choices: &[u8]) -> Option<String> {
    let mut state = machine.start().unwrap();
    let mut text = Vec::new();
    let closers = b"\"]}0123456789aelrsu,:tfn-[{bc.";
    for step in 0..400 {
        let here = machine.state(state);
        let choice = choices.get(step).copied();
        if here.accepting && choice.is_none_or(|choice| choice % 3 == 0) {
            return Some(String::from_utf8(text).expect("texts are UTF-8"));
        }
        let next = |byte: u8| machine.advance(state, byte).unwrap();
        // The first choices are free, and a text is closed as soon as can be afterwards.
        let byte = match choice {
            Some(choice) => (0..=255u8)
                .map(|offset| choice.wrapping_mul(37).wrapping_add(offset))
                .find(|&byte| next(byte) != StateId::DEAD),
            None => closers
                .iter()
                .copied()
                .chain(0..=255)
                .find(|&byte| next(byte) != StateId::DEAD),
        };
        let Some(byte) = byte else {
            assert!(here.accepting, "every state leads on or is an end");
            return Some(String::from_utf8(text).expect("texts are UTF-8"));
        };
        text.push(byte);
        state = next(byte);
    }
    None
}

/// An instance at random, not after any schema.
fn instance() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        prop::sample::select(vec![
            "null", "true", "1", "2", "-3", "0", "1.0", "0.25", "-1.5", "5.75", "12", "\"\"",
            "\"a\"", "\"ab\"", "\"abca\"", "\"é\"", "\"xyz\"",
        ])
        .prop_map(str::to_owned),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(inner, 4).prop_flat_map(|values| (0u8..16).prop_map(
                move |bits| {
                    let names = ["a", "ab", "b", "c"];
                    let members: Vec<String> = (0..4)
                        .filter(|i| bits & (1 << i) != 0)
                        .map(|i| format!(r#""{}":{}"#, names[i], values[i]))
                        .collect();
                    format!("{{{}}}", members.join(","))
                }
            )),
        ]
    })
}

/// Whether the other validator can read the schema of a case, which must be one.
fn is_judged(case: &Case) -> bool {
    case.error.is_empty() && serde_json::from_str::<serde_json::Value>(&case.schema).is_ok()
}

fn judge(schema: &str, text: &str) -> bool {
    let schema: serde_json::Value = serde_json::from_str(schema).unwrap();
    let Ok(instance) = serde_json::from_str(text) else {
        return false;
    };
    jsonschema::is_valid(&schema, &instance)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn what_is_generated_is_valid(schema in schema(), choices in prop::collection::vec(any::<u8>(), 0..60)) {
        let machine = machine(&schema, &SchemaConfig::default());
        if let Some(text) = machine.ok().and_then(|machine| walk(&machine, &choices)) {
            prop_assert!(judge(&schema, &text), "{} {}", schema, text);
        }
    }

    /// Names are in the order of every object of `schema()`, so all that is valid is accepted.
    #[test]
    fn what_is_valid_is_accepted(schema in schema(), instances in prop::collection::vec(instance(), 12)) {
        match machine(&schema, &SchemaConfig::default()) {
            Ok(machine) => for instance in &instances {
                prop_assert_eq!(accepts(&machine, instance), judge(&schema, instance), "{} {}", schema, instance);
            },
            Err(error) => {
                prop_assert!(matches!(error, SchemaError::Unsatisfiable { .. }), "{}", error);
                for instance in &instances {
                    prop_assert!(!judge(&schema, instance), "{} {}", schema, instance);
                }
            }
        }
    }
}
