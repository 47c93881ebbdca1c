//! Schemas over all keywords and instances near their boundaries, both made at random: the other
//! validator and the engine must agree on every one.

use proptest::prelude::*;

use super::{accepts, judge, machine, spaced};
use crate::front::json_schema::{Escapes, PropertyOrder, SchemaConfig, SchemaError, Whitespace};
use crate::machine::{Generation, StateId, Step};

/// Names of properties in schemas and instances.
const NAMES: [&str; 5] = ["a", "ab", "b", "c", "x1"];

fn leaf() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("true".to_owned()),
        Just("false".to_owned()),
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
        Just(r#"{"type":["string","integer"],"format":"date"}"#.to_owned()),
        Just(r#"{"enum":[{"a":1},2,[],["a",1]]}"#.to_owned()),
        Just(r#"{"const":2}"#.to_owned()),
        Just(r#"{"type":["array","object"]}"#.to_owned()),
    ]
}

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&NAMES[..])
}

fn pattern() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["^a", "b", "^x[0-9]$", "^.$", "c|1"])
}

/// The keywords of an object, each there or not.
fn object(inner: impl Strategy<Value = String> + Clone + 'static) -> impl Strategy<Value = String> {
    let member = |keyword: &'static str, value: BoxedStrategy<String>| {
        prop::option::weighted(0.25, value)
            .prop_map(move |value| value.map(|value| format!(r#""{keyword}":{value}"#)))
            .boxed()
    };
    let names = prop::collection::vec(name().prop_map(|n| format!("\"{n}\"")), 1..3);
    let names = names
        .prop_map(|names| format!("[{}]", names.join(",")))
        .boxed();
    let names = names.prop_filter("distinct", |n| !n.contains(','));
    let of = |key: BoxedStrategy<&'static str>, value: BoxedStrategy<String>| {
        prop::collection::btree_map(key, value, 1..3)
            .prop_map(|map| {
                let members = map.iter().map(|(key, value)| format!(r#""{key}":{value}"#));
                format!("{{{}}}", members.collect::<Vec<_>>().join(","))
            })
            .boxed()
    };
    let number = || (0u32..3).prop_map(|n| n.to_string()).boxed();
    let members = vec![
        member("properties", of(name().boxed(), inner.clone().boxed())),
        member(
            "patternProperties",
            of(pattern().boxed(), inner.clone().boxed()),
        ),
        member("additionalProperties", inner.clone().boxed()),
        member("propertyNames", leaf().boxed()),
        member("required", names.clone().boxed()),
        member("minProperties", number()),
        member(
            "maxProperties",
            (0u32..4).prop_map(|n| n.to_string()).boxed(),
        ),
        member("dependentRequired", of(name().boxed(), names.boxed())),
        member(
            "dependentSchemas",
            of(name().boxed(), inner.clone().boxed()),
        ),
        member("unevaluatedProperties", inner.boxed()),
    ];
    members.prop_map(|members| {
        let members: Vec<String> = members.into_iter().flatten().collect();
        format!(
            r#"{{"type":"object"{}}}"#,
            members.iter().map(|m| format!(",{m}")).collect::<String>()
        )
    })
}

/// The keywords of an array, each there or not.
fn array(inner: impl Strategy<Value = String> + Clone + 'static) -> impl Strategy<Value = String> {
    let member = |keyword: &'static str, value: BoxedStrategy<String>| {
        prop::option::weighted(0.3, value)
            .prop_map(move |value| value.map(|value| format!(r#""{keyword}":{value}"#)))
            .boxed()
    };
    let number = |most: u32| (0..most).prop_map(|n| n.to_string()).boxed();
    let prefix = prop::collection::vec(inner.clone(), 1..3);
    let members = vec![
        member(
            "prefixItems",
            prefix.prop_map(|p| format!("[{}]", p.join(","))).boxed(),
        ),
        member("items", inner.clone().boxed()),
        member("contains", inner.clone().boxed()),
        member("minContains", number(3)),
        member("maxContains", number(3)),
        member("minItems", number(3)),
        member("maxItems", number(4)),
        member(
            "uniqueItems",
            any::<bool>().prop_map(|unique| unique.to_string()).boxed(),
        ),
        member("unevaluatedItems", inner.boxed()),
    ];
    members.prop_map(|members| {
        let members: Vec<String> = members.into_iter().flatten().collect();
        format!(
            r#"{{"type":"array"{}}}"#,
            members.iter().map(|m| format!(",{m}")).collect::<String>()
        )
    })
}

/// A schema of all keywords, at random.
fn schema() -> impl Strategy<Value = String> {
    leaf().prop_recursive(3, 14, 3, |inner| {
        let several = |keyword: &'static str| {
            let branches = prop::collection::vec(inner.clone(), 1..4);
            branches.prop_map(move |b| format!(r#"{{"{keyword}":[{}]}}"#, b.join(",")))
        };
        prop_oneof![
            3 => object(inner.clone()),
            2 => array(inner.clone()),
            1 => several("anyOf"),
            1 => several("allOf"),
            1 => several("oneOf"),
            1 => inner.clone().prop_map(|s| format!(r#"{{"not":{s}}}"#)),
            1 => (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!(r#"{{"if":{a},"then":{b},"else":{c}}}"#)),
            1 => (inner.clone(), inner.clone(), inner)
                .prop_map(|(a, b, c)| format!(r#"{{"allOf":[{a}],"anyOf":[{b},{c}],"unevaluatedProperties":{a},"unevaluatedItems":{b}}}"#)),
        ]
    })
}

/// A text with free choices at first, which ends as soon as can be when they are used up.
fn walk(machine: &Generation, choices: &[u8]) -> String {
    let mut state = machine.start().unwrap();
    let mut text = Vec::new();
    for choice in choices {
        if machine.state(state).accepting && choice % 3 == 0 {
            break;
        }
        let bytes = (0..=255u8).map(|offset| choice.wrapping_mul(37).wrapping_add(offset));
        let mut steps = bytes.map(|byte| (byte, machine.advance(state, byte).unwrap()));
        let Some((byte, to)) = steps.find(|&(_, to)| to != StateId::DEAD) else {
            break;
        };
        text.push(byte);
        state = to;
    }
    for step in machine.way_out(state).unwrap() {
        let Step::Byte(byte) = step else {
            panic!("schemas name no control tokens")
        };
        text.push(byte);
        state = machine.advance(state, byte).unwrap();
    }
    assert!(
        machine.state(state).accepting,
        "the way out leads to an end"
    );
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

/// A schema of arrays of distinct items, few of which there are or many.
fn distinct() -> impl Strategy<Value = String> {
    let few = prop_oneof![
        Just(r#"{"enum":[1,2,{"a":1}]}"#.to_owned()),
        Just(r#"{"type":"boolean"}"#.to_owned()),
        Just(r#"{"type":"integer","minimum":0,"maximum":2}"#.to_owned()),
        Just(r#"{"type":"number","multipleOf":0.25,"minimum":0,"maximum":1}"#.to_owned()),
        Just(r#"{"type":["null","string"],"pattern":"^a?b?$"}"#.to_owned()),
    ];
    let part = prop_oneof![3 => few, 1 => leaf()];
    let items = prop_oneof![
        (prop::collection::btree_map(name(), part.clone(), 1..3), any::<bool>(), prop::option::of(name())).prop_map(|(of, open, required)| {
            let members = of.iter().map(|(key, value)| format!(r#""{key}":{value}"#));
            let members = members.collect::<Vec<_>>().join(",");
            let required = required.map(|name| format!("\"{name}\"")).unwrap_or_default();
            format!(r#"{{"type":"object","properties":{{{members}}},"additionalProperties":{open},"required":[{required}]}}"#)
        }),
        (part.clone(), 0u32..3, any::<bool>()).prop_map(|(items, most, unique)| {
            format!(r#"{{"type":"array","items":{items},"maxItems":{most},"uniqueItems":{unique}}}"#)
        }),
        part.clone(),
    ];
    (prop::collection::vec(items, 1..3), 0u32..3, prop::option::weighted(0.2, part)).prop_map(|(items, least, contains)| {
        let contains = contains.map(|set| format!(r#","contains":{set}"#)).unwrap_or_default();
        format!(r#"{{"type":"array","items":{{"anyOf":[{}]}},"minItems":{least},"uniqueItems":true{contains}}}"#, items.join(","))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

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
