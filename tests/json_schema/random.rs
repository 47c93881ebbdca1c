//! Schemas over all keywords and instances near their boundaries, both made at random: the other
//! validator and the engine must agree on every one.

use proptest::prelude::*;

use super::machine::{Machine, accepts, machine, token, way_out};
use super::schemas::{NAMES, cases, conditions, distinct, schema};
use super::{judge, spaced};
use maskwright::front::json_schema::{
    Escapes, PropertyOrder, SchemaConfig, SchemaError, Whitespace,
};

/// A text with free choices at first, which ends as soon as can be when they are used up.
fn walk(machine: &Machine, choices: &[u8]) -> String {
    let mut session = machine.session();
    let mut text = Vec::new();
    for choice in choices {
        if session.may_end() && choice % 3 == 0 {
            break;
        }
        let mut bytes = (0..=255u8).map(|offset| choice.wrapping_mul(37).wrapping_add(offset));
        let Some(byte) = bytes.find(|&byte| session.accept(token(byte)).is_ok()) else {
            break;
        };
        text.push(byte);
    }
    for byte in way_out(&session) {
        session.accept(token(byte)).unwrap();
        text.push(byte);
    }
    assert!(session.may_end(), "the way out leads to an end");
    String::from_utf8(text).expect("texts are UTF-8")
}

/// An instance at random, not after any schema.
fn instance() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        prop::sample::select(vec![
            "null", "true", "1", "2", "-3", "0", "1.0", "0.25", "-1.5", "5.75", "12", "\"\"",
            "\"a\"", "\"ab\"", "\"abca\"", "\"é\"", "\"xyz\"", "[]", "{}", "[1]",
        ])
        .prop_map(str::to_owned),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let members = prop::sample::subsequence(NAMES.to_vec(), 0..4).prop_shuffle();
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|items| format!("[{}]", items.join(","))),
            (members, prop::collection::vec(inner, 4)).prop_map(|(names, values)| {
                let members = names
                    .iter()
                    .zip(&values)
                    .map(|(name, value)| format!(r#""{name}":{value}"#));
                format!("{{{}}}", members.collect::<Vec<_>>().join(","))
            }),
        ]
    })
}

/// White space and escapes at random.
fn spelling() -> impl Strategy<Value = SchemaConfig> {
    let whitespace = prop::sample::select(vec![Whitespace::Compact, spaced(" ?"), spaced("\n +")]);
    let escapes = prop::sample::select(vec![Escapes::Minimal, Escapes::Free, Escapes::All]);
    (whitespace, escapes).prop_map(|(whitespace, escapes)| SchemaConfig {
        whitespace,
        escapes,
        ..SchemaConfig::default()
    })
}

/// An instance with its strings, keys apart, and the space between its tokens as `choices` have it.
fn respelt(instance: &str, choices: &[u8]) -> String {
    let mut choices = choices.iter().copied().cycle();
    let mut next = || choices.next().unwrap_or(0);
    let mut text = String::new();
    let mut chars = instance.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if "}]:,".contains(c) && next() % 3 == 0 {
            text.push(' ');
        }
        text.push(c);
        if c == '"' {
            let inner: Vec<char> = chars
                .by_ref()
                .map(|(_, c)| c)
                .take_while(|&c| c != '"')
                .collect();
            let end = at + 2 + inner.iter().map(|c| c.len_utf8()).sum::<usize>();
            let is_key = instance[end..].starts_with(':');
            for c in inner {
                match next() % 3 {
                    0 if !is_key => text.push_str(&format!("\\u{:04X}", u32::from(c))),
                    1 if !is_key => text.push_str(&format!("\\u{:04x}", u32::from(c))),
                    _ => text.push(c),
                }
            }
            text.push('"');
        } else if "{[:,".contains(c)
            && next() % 3 == 0
            && !matches!(chars.peek(), Some((_, '}' | ']')))
        {
            text.push(' ');
        }
    }
    text
}

/// Arrays of few values, so that some come again.
fn array_instance() -> impl Strategy<Value = String> {
    let scalar = prop::sample::select(vec![
        "null", "true", "1", "2", "0", "1.0", "0.25", "0.250", "\"\"", "\"a\"", "\"ab\"",
    ]);
    let names = prop::sample::subsequence(NAMES.to_vec(), 0..3).prop_shuffle();
    let item = prop_oneof![
        scalar.clone().prop_map(str::to_owned),
        prop::collection::vec(scalar.clone(), 0..3)
            .prop_map(|items| format!("[{}]", items.join(","))),
        (names, prop::collection::vec(scalar, 3)).prop_map(|(names, values)| {
            let members = names.iter().zip(&values);
            let members = members.map(|(name, value)| format!(r#""{name}":{value}"#));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }),
    ];
    prop::collection::vec(item, 0..5).prop_map(|items| format!("[{}]", items.join(",")))
}

/// Objects of few names, with values that conditions speak of.
fn object_instance() -> impl Strategy<Value = String> {
    let value = prop::sample::select(vec![
        r#""x""#, r#""y""#, r#""z""#, "1", "null", "[]", r#""a""#, "2",
    ]);
    let names = prop::sample::subsequence(NAMES.to_vec(), 0..=NAMES.len()).prop_shuffle();
    (names, prop::collection::vec(value, NAMES.len())).prop_map(|(names, values)| {
        let members = names.iter().zip(&values);
        let members = members.map(|(name, value)| format!(r#""{name}":{value}"#));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(512), ..ProptestConfig::default() })]

    #[test]
    fn what_is_generated_is_valid(schema in schema(), choices in prop::collection::vec(any::<u8>(), 0..60), any_order in any::<bool>()) {
        let order = if any_order { PropertyOrder::Any } else { PropertyOrder::Declared };
        let machine = machine(&schema, &SchemaConfig { order, ..SchemaConfig::default() });
        if let Ok(machine) = machine {
            let text = walk(&machine, &choices);
            prop_assert!(judge(&schema, &text), "{} {}", schema, text);
        }
    }

    #[test]
    fn distinct_items_are_generated(schema in distinct(), choices in prop::collection::vec(any::<u8>(), 0..120), any_order in any::<bool>()) {
        let order = if any_order { PropertyOrder::Any } else { PropertyOrder::Declared };
        let machine = machine(&schema, &SchemaConfig { order, ..SchemaConfig::default() });
        if let Ok(machine) = machine {
            let text = walk(&machine, &choices);
            prop_assert!(judge(&schema, &text), "{} {}", schema, text);
        }
    }

    #[test]
    fn all_spellings_are_valid(schema in schema(), choices in prop::collection::vec(any::<u8>(), 0..60), config in spelling()) {
        if let Ok(machine) = machine(&schema, &config) {
            let text = walk(&machine, &choices);
            prop_assert!(judge(&schema, &text), "{} {}", schema, text);
        }
    }

    /// Strings may be spelt in any way where all escapes are asked for, but for keys and distinct items.
    #[test]
    fn spellings_change_no_verdict(schema in schema(), instance in instance(), choices in prop::collection::vec(any::<u8>(), 1..40)) {
        let config = SchemaConfig {
            order: PropertyOrder::Any,
            escapes: Escapes::All,
            whitespace: spaced(" ?"),
            ..SchemaConfig::default()
        };
        if let Some(machine) = machine(&schema, &config).ok().filter(|_| !schema.contains("uniqueItems")) {
            let text = respelt(&instance, &choices);
            prop_assert_eq!(accepts(&machine, &text), judge(&schema, &instance), "{} {}", schema, text);
        }
    }

    #[test]
    fn verdicts_on_distinct_items_are_equal(schema in distinct(), instances in prop::collection::vec(array_instance(), 12)) {
        let config = SchemaConfig { order: PropertyOrder::Any, ..SchemaConfig::default() };
        if let Ok(machine) = machine(&schema, &config) {
            for instance in &instances {
                prop_assert_eq!(accepts(&machine, instance), judge(&schema, instance), "{} {}", schema, instance);
            }
        }
    }

    /// What is said by alternatives and by clauses is the same.
    #[test]
    fn verdicts_under_conditions_are_equal(schema in conditions(), instances in prop::collection::vec(object_instance(), 24)) {
        let config = SchemaConfig { order: PropertyOrder::Any, ..SchemaConfig::default() };
        match machine(&schema, &config) {
            Ok(machine) => for instance in &instances {
                prop_assert_eq!(accepts(&machine, instance), judge(&schema, instance), "{} {}", schema, instance);
            },
            Err(SchemaError::Unsatisfiable { .. }) => for instance in &instances {
                prop_assert!(!judge(&schema, instance), "{} {}", schema, instance);
            },
            Err(error) => prop_assert!(matches!(error, SchemaError::Limit { .. }), "{} {}", schema, error),
        }
    }

    #[test]
    fn what_is_generated_under_conditions_is_valid(schema in conditions(), choices in prop::collection::vec(any::<u8>(), 0..60), any_order in any::<bool>()) {
        let order = if any_order { PropertyOrder::Any } else { PropertyOrder::Declared };
        let machine = machine(&schema, &SchemaConfig { order, ..SchemaConfig::default() });
        if let Ok(machine) = machine {
            let text = walk(&machine, &choices);
            prop_assert!(judge(&schema, &text), "{} {}", schema, text);
        }
    }

    #[test]
    fn both_verdicts_are_equal(schema in schema(), instances in prop::collection::vec(instance(), 12)) {
        let config = SchemaConfig { order: PropertyOrder::Any, ..SchemaConfig::default() };
        match machine(&schema, &config) {
            Ok(machine) => for instance in &instances {
                prop_assert_eq!(accepts(&machine, instance), judge(&schema, instance), "{} {}", schema, instance);
            },
            Err(SchemaError::Unsatisfiable { .. }) => for instance in &instances {
                prop_assert!(!judge(&schema, instance), "{} {}", schema, instance);
            },
            // Names that need each other in a circle are not counted as well, nor is what repeats looked
            // for.
            Err(error) => {
                let refused = matches!(error.keyword(), Some("dependentRequired" | "uniqueItems"));
                prop_assert!(refused || matches!(error, SchemaError::Limit { .. }), "{} {}", schema, error);
            }
        }
    }
}
