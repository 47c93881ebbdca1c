//! The suite `tests/data/json_schema.toml`, and schemas made at random, judged by another validator.

#![allow(clippy::unwrap_used)]

#[path = "json_schema/bad_input.rs"]
mod bad_input;
#[path = "json_schema/branches.rs"]
mod branches;
#[path = "support/machine.rs"]
mod machine;
#[path = "json_schema/random.rs"]
mod random;
#[path = "support/schemas.rs"]
mod schemas;

use machine::{Machine, accepts, after, grammar, led_out, machine, token, way_out};
use maskwright::base::Limits;
use maskwright::front::json_schema::{
    Draft, Escapes, JsonRules, PropertyOrder, SchemaConfig, SchemaError, SpacePattern, Whitespace,
    compile,
};
use maskwright::grammar::GrammarBuilder;
use maskwright::regular::{Dfa, Dialect};
use proptest::prelude::*;

/// A case of the suite.
struct Case {
    name: String,
    schema: String,
    space: Option<String>,
    is_judged: bool,
    draft: Option<String>,
    regex: Option<String>,
    escapes: Escapes,
    order: PropertyOrder,
    forbidden: Vec<String>,
    valid: Vec<String>,
    invalid: Vec<String>,
    error: Vec<String>,
}

fn suite_cases() -> Vec<Case> {
    let text = include_str!("data/json_schema.toml");
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
            is_judged: text("judge").is_none(),
            draft: text("draft"),
            regex: text("regex"),
            escapes: match text("escapes").as_deref() {
                Some("minimal") => Escapes::Minimal,
                Some("all") => Escapes::All,
                _ => Escapes::Free,
            },
            order: match text("order").as_deref() {
                Some("any") => PropertyOrder::Any,
                _ => PropertyOrder::Declared,
            },
            forbidden: texts("forbidden"),
            valid: texts("valid"),
            invalid: texts("invalid"),
            error: texts("error"),
        }
    };
    suite["case"].as_array().unwrap().iter().map(case).collect()
}

/// Whether some text that is accepted begins with `text`.
fn leads_on(machine: &Machine, text: &str) -> bool {
    after(machine, text).is_some_and(|session| session.may_end() || !way_out(&session).is_empty())
}

/// White space by a pattern.
fn spaced(pattern: &str) -> Whitespace {
    Whitespace::Pattern(SpacePattern::new(pattern, &Limits::default()).unwrap())
}

fn kind(error: &SchemaError) -> &'static str {
    match error {
        SchemaError::Json { .. } => "json",
        SchemaError::Document { .. } => "document",
        SchemaError::Malformed { .. } => "malformed",
        SchemaError::Unsupported { .. } => "unsupported",
        SchemaError::Unsatisfiable { .. } => "unsatisfiable",
        SchemaError::Limit { .. } => "limit",
        _ => "another",
    }
}

/// Where on the way through `text` a comma may follow that leads to no end.
fn dead_end(machine: &Machine, text: &str) -> Option<usize> {
    let mut session = machine.session();
    text.bytes().position(|byte| {
        session.accept(token(byte)).unwrap();
        let mut more = session.fork();
        more.accept(token(b',')).is_ok() && !more.may_end() && way_out(&more).is_empty()
    })
}

/// What is wrong with a case, if anything.
fn faults(case: &Case) -> Vec<String> {
    let config = SchemaConfig {
        whitespace: match case.space.as_deref() {
            Some("compact") => Whitespace::Compact,
            None | Some("json") => Whitespace::Json,
            Some(pattern) => spaced(pattern),
        },
        escapes: case.escapes,
        order: case.order,
        forbidden: case.forbidden.clone(),
        draft: match case.draft.as_deref() {
            Some("openapi-3.0") => Draft::OpenApi30,
            Some(other) => panic!("no draft {other}"),
            None => Draft::default(),
        },
        regex: match case.regex.as_deref() {
            Some("python") => Dialect::Python,
            Some("pcre") => Dialect::Pcre,
            Some(other) => panic!("no dialect {other}"),
            None => Dialect::Ecma,
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
    let lost = case.valid.iter().filter_map(|text| {
        let at = dead_end(&machine, text)?;
        Some(format!("a comma leads nowhere behind {}", &text[..=at]))
    });
    refused
        .chain(accepted.map(|text| format!("accepts {text}")))
        .chain(lost)
        .collect()
}

/// In an array of at most two items that must not differ, whatever is read first can come again.
#[test]
fn numbers_can_come_again() {
    const SETS: [&str; 4] = [
        r#"{"type": "integer"}"#,
        r#"{"type": "number"}"#,
        r#"{"type": "integer", "minimum": 100000}"#,
        r#"{"type": "number", "multipleOf": 0.5}"#,
    ];
    let lengths = [1, 2, 5, 17, 25, 200, 201, 301];
    let integers = lengths
        .map(|length| ["7", "70003", &"1".repeat(40)].map(|head| format!("{head:0<length$}")));
    let config = SchemaConfig {
        whitespace: spaced(" ?"),
        ..SchemaConfig::default()
    };
    let mut members = 0;
    for set in SETS {
        let alone = machine(set, &config).unwrap();
        let two = format!(
            r#"{{"type": "array", "items": {set}, "maxItems": 2, "not": {{"uniqueItems": true}}}}"#
        );
        for integer in integers.as_flattened() {
            // No generation holds what all of them are remembered by.
            let two = machine(&two, &config).unwrap();
            for tail in ["", ".0", ".5", "e0", "e36", "E+98", "e99", "e100", "e-5"] {
                let number = format!("{integer}{tail}");
                if accepts(&alone, &number) {
                    members += 1;
                    let first = format!("[{number} ");
                    assert!(leads_on(&two, &format!("{first},")), "{number} in {set}");
                }
            }
        }
    }
    assert!(members > 200, "{members}");
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

/// Every keyword that is at fault is named once, in the order of reading; a limit ends the reading.
#[test]
fn all_faults_are_found() {
    let deep = format!("{}0{}", "[".repeat(300), "]".repeat(300));
    for (schema, expected) in [
        (r#"{"items": {"type": "string"}}"#, vec![]),
        (
            r##"{"$ref": "#/$defs/a", "items": {"$ref": "#/$defs/a", "minimum": "1"},
                "$defs": {"a": {"pattern": "(a)\\1", "not": {"type": 7}, "anyOf": []}, "b": {"type": 7}}}"##,
            vec![
                "#/items/minimum",
                "#/$defs/a/pattern",
                "#/$defs/a/not/type",
                "#/$defs/a/anyOf",
            ],
        ),
        (
            r##"{"properties": {"a": {"$ref": "#/nowhere"}, "b": {"required": {}}, "c": false}, "type": "text"}"##,
            vec!["#/type", "#/properties/a/$ref", "#/properties/b/required"],
        ),
        (
            r#"{"allOf": [{"type": "string"}, {"type": "null"}]}"#,
            vec!["#"],
        ),
        (&deep, vec!["#"]),
    ] {
        let faults = maskwright::front::json_schema::faults(schema, &SchemaConfig::default());
        let pointers: Vec<_> = faults.iter().filter_map(SchemaError::pointer).collect();
        assert_eq!(pointers, expected, "{schema}: {faults:?}");
        let first = compile(schema, &SchemaConfig::default()).err();
        assert_eq!(first.as_ref(), faults.first(), "{schema}");
    }
}

/// The shortest way to an end is a text of the grammar, and an instance.
#[test]
fn shortest_texts_are_instances() {
    for case in suite_cases().iter().filter(|case| is_judged(case)) {
        let machine = machine(&case.schema, &SchemaConfig::default()).unwrap();
        let text = led_out(&machine, "");
        assert!(accepts(&machine, &text), "{}: {text}", case.name);
        assert!(judge(&case.schema, &text), "{}: {text}", case.name);
    }
}

/// Patterns that are counted, and accepted by an automaton that is just small enough.
const COUNTED: [&str; 5] = [
    "^(?:[a-c]{2,5};){2,300}$",
    "^[ab]{1,3}(-[bc]{1,400}){0,3}$",
    "^a{0,2}[bc]{3}(?:-|;)[a-c]{1,1200}$",
    "^(?:[a-c]{2}(?:-[bc]{0,2})?;){1,300}$",
    "^(?:(?:[ab]{1,3}-){1,2};){1,400}c?$",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn counted_is_what_an_automaton_accepts(
        pattern in prop::sample::select(&COUNTED[..]),
        text in "([a-c]{0,6}[-;]?){0,6}",
        bounds in prop::option::of((0u32..8, 33u32..60)),
    ) {
        let automaton = Dfa::pattern(pattern, &Limits::default()).unwrap();
        let bounded = bounds.map(|(least, most)| format!(r#","minLength":{least},"maxLength":{most}"#));
        let bounded = bounded.unwrap_or_default();
        let schema = format!(r#"{{"type":"string","pattern":"{pattern}"{bounded}}}"#);
        let machine = machine(&schema, &SchemaConfig::default()).unwrap();
        let length = text.len() as u32;
        let fits = bounds.is_none_or(|(least, most)| (least..=most).contains(&length));
        let expected = fits && automaton.contains(text.as_bytes());
        prop_assert_eq!(accepts(&machine, &format!("\"{}\"", text)), expected, "{} {}", schema, text);
        if expected {
            prop_assert_eq!(dead_end(&machine, &format!("\"{}\"", text)), None, "{} {}", schema, text);
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
fn white_space_is_white_space() {
    let limits = Limits::default();
    for pattern in ["", " ", "[ \\t]{2,4}|\\n *", "\\r?\\n", "^ $", "(?= )[^] ?"] {
        assert!(SpacePattern::new(pattern, &limits).is_ok(), "{pattern}");
    }
    for (pattern, reason) in [
        ("\\s", "only space, \\t, \\n and \\r"),
        (" |//.*", "matches \"//\""),
        ("a^", "matches nothing"),
        ("( ", "`( `"),
        ("( )\\1", "back-reference"),
    ] {
        let error = SpacePattern::new(pattern, &limits).unwrap_err();
        assert_eq!(error.keyword(), Some("whitespace"));
        assert!(error.to_string().contains(reason), "{pattern}: {error}");
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
    let machine = Machine::new(builder.finish(root).unwrap());
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
    let branches: Vec<String> = (0..65)
        .map(|i| {
            ["a", "b", "c", "d"].iter().fold(branch.to_owned(), |b, n| {
                b.replace(&format!("\"{n}\""), &format!("\"{n}{i}\""))
            })
        })
        .collect();
    let all = format!(r#"{{"allOf":[{}]}}"#, branches.join(","));
    let counted = format!(
        r#"{{"allOf":[{}],"maxProperties":9}}"#,
        branches[..14].join(",")
    );
    for schema in [all, counted] {
        let error = compile(&schema, &SchemaConfig::default()).unwrap_err();
        assert!(matches!(error, SchemaError::Limit { .. }), "{error}");
    }
    let fewer = format!(r#"{{"allOf":[{}]}}"#, branches[..60].join(","));
    assert!(compile(&fewer, &SchemaConfig::default()).is_ok());
}

/// Names that lead to each other are followed once each, and more of them than one answer can look at are refused before
/// a mask is asked for.
#[test]
fn many_dependents_take_linear_time_or_meet_a_limit() {
    let dependents = |count: usize, need: fn(usize) -> (String, String)| {
        let needs: Vec<String> = (0..count)
            .rev()
            .map(need)
            .map(|(name, needed)| format!(r#""{name}":["{needed}"]"#))
            .collect();
        let needs = needs.join(",");
        format!(r#"{{"properties":{{"n0":false}},"dependentRequired":{{{needs}}}}}"#)
    };
    let compiled = |schema: &str| compile(schema, &SchemaConfig::default());
    let impossible = |at| (format!("n{}", at + 1), format!("n{at}"));
    assert!(compiled(&dependents(20_000, impossible)).is_ok());
    let possible = |at| (format!("m{at}"), "m".to_owned());
    assert!(compiled(&dependents(2_000, possible)).is_ok());
    let error = compiled(&dependents(20_000, possible)).unwrap_err();
    assert!(matches!(error, SchemaError::Limit { .. }), "{error}");
}

/// Whether the other validator can read the schema of a case, which must be one.
fn is_judged(case: &Case) -> bool {
    case.is_judged
        && case.error.is_empty()
        && serde_json::from_str::<serde_json::Value>(&case.schema).is_ok()
}

fn judge(schema: &str, text: &str) -> bool {
    let Ok(instance) = serde_json::from_str(text) else {
        return false;
    };
    schemas::validator(schema).is_valid(&instance)
}

/// A way out is found where very many sets of properties or items might come first.
#[test]
fn ways_out_are_found_among_many() {
    let names: Vec<String> = (0..40).map(|n| format!("\"name{n}\"")).collect();
    let names = names.join(",");
    let schemas = [
        format!(r#"{{"type":"object","required":[{names}]}}"#),
        format!(
            r#"{{"type":"object","required":[{names}],"if":{{"properties":{{"name1":{{"const":1}}}}}},"then":{{"required":["x"]}},"dependentRequired":{{"name2":["y","z"]}}}}"#
        ),
        format!(r#"{{"type":"object","propertyNames":{{"enum":[{names}]}},"minProperties":40}}"#),
        format!(
            r#"{{"type":"array","items":{{"enum":[{names}]}},"minItems":30,"uniqueItems":true}}"#
        ),
        format!(
            r#"{{"type":"array","items":{{"enum":[[],{{}},{names}]}},"minItems":30,"uniqueItems":true}}"#
        ),
        r#"{"type":"array","items":{"multipleOf":0.5},"minItems":99,"uniqueItems":true}"#
            .to_owned(),
    ];
    for schema in schemas {
        for order in [PropertyOrder::Declared, PropertyOrder::Any] {
            let machine = machine(
                &schema,
                &SchemaConfig {
                    order,
                    ..SchemaConfig::default()
                },
            )
            .unwrap();
            let text = led_out(&machine, "");
            assert!(judge(&schema, &text), "{schema} {text}");
        }
    }
}

/// A way out is found where long texts must come again, byte by byte.
#[test]
fn ways_out_are_found_through_long_texts() {
    let long = "k".repeat(300);
    for items in [
        r#"{"type":"object","required":["a"]}"#,
        r#"{"type":"string"}"#,
    ] {
        let schema = format!(
            r#"{{"type":"array","items":{items},"maxItems":2,"not":{{"uniqueItems":true}}}}"#
        );
        let machine = machine(&schema, &SchemaConfig::default()).unwrap();
        let item = match items.contains("object") {
            true => format!(r#"{{"a":1,"{long}":["{long}"]}}"#),
            false => format!("\"{long}\""),
        };
        for beginning in [
            format!("[{item}"),
            format!("[{item},"),
            format!("[{item},{}", &item[..9]),
        ] {
            let text = led_out(&machine, &beginning);
            assert_eq!(text, format!("[{item},{item}]"));
        }
    }
}
