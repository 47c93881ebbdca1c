//! What grows beyond all measure meets a limit, and what is merely long is done: each of these took seconds to minutes
//! when its parts were compared with each other one by one.

use maskwright::base::Limits;
use maskwright::front::abnf::{Abnf, Unbound};
use maskwright::front::chat::{ChatOptions, Format, ToolSet, compile as compile_chat};
use maskwright::front::json_schema::{SchemaConfig, SchemaError, compile};
use maskwright::front::schema_lint::lint;
use maskwright::vocab::Vocabulary;

fn many(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect::<Vec<_>>().join(",")
}

fn answer(text: &str) -> Result<usize, SchemaError> {
    let compiled = compile(text, &SchemaConfig::default());
    compiled.map(|compiled| compiled.report().sets)
}

#[test]
fn enums_are_compared_by_number() {
    let listed = |from: usize, count: usize| many(count, |i| format!("\"v{}\"", from + i));
    let overlapping = many(46, |i| format!("{{\"enum\":[{}]}}", listed(250 * i, 500)));
    assert!(answer(&format!("{{\"oneOf\":[{overlapping}]}}")).is_ok());
    let values = |from: usize| many(20_000, |i| format!("[{}]", from + i));
    let both = format!(
        "{{\"allOf\":[{{\"enum\":[{}]}},{{\"enum\":[{}]}}]}}",
        values(0),
        values(19_999)
    );
    assert!(answer(&both).is_ok());
    let none = format!(
        "{{\"allOf\":[{{\"enum\":[{}]}},{{\"enum\":[{}]}}]}}",
        values(0),
        values(20_000)
    );
    assert!(matches!(
        answer(&none),
        Err(SchemaError::Unsatisfiable { .. })
    ));
    let beside = format!(
        "{{\"enum\":[{0}],\"allOf\":[{{\"enum\":[{0}]}}]}}",
        values(0)
    );
    assert!(answer(&beside).is_ok());
}

/// What is none of many numbers is made of the same intervals again and again.
#[test]
fn objects_that_must_not_be_are_many() {
    let objects = many(60, |i| format!("{{\"a\":{i}}}"));
    assert!(answer(&format!("{{\"not\":{{\"enum\":[{objects}]}}}}")).is_ok());
}

/// Each of so many texts that may not stand in a string as they are is spelt by an escape.
#[test]
fn keys_full_of_control_tokens_are_spelt() {
    let name = "<|end|>".repeat(60_000);
    let tools = format!(
        r#"[{{"name":"f","parameters":{{"properties":{{"{name}":{{}}}},"required":["{name}"]}}}}]"#
    );
    let mut options = ChatOptions::default();
    options.tools = ToolSet::parse(&tools, &Limits::default()).unwrap();
    let format = Format::built_in("openchatml-2.2", &Limits::default());
    let format = format.unwrap().unwrap();
    assert!(compile_chat(&format, "assistant-turn", &options).is_ok());
}

#[test]
fn many_names_are_looked_up() {
    let required = many(50_000, |i| format!("\"r{i}\""));
    assert!(
        answer(&format!(
            "{{\"type\":\"object\",\"required\":[{required}]}}"
        ))
        .is_ok()
    );
    let references = many(20_000, |i| format!("{{\"$ref\":\"#/$defs/d{i}\"}}"));
    let definitions = many(20_000, |i| format!("\"d{i}\":{{\"const\":{i}}}"));
    let text = format!("{{\"anyOf\":[{references}],\"$defs\":{{{definitions}}}}}");
    assert!(answer(&text).is_err_and(|error| matches!(error, SchemaError::Limit { .. })));
    let half = |from: usize| {
        many(10_000, |i| {
            format!("\"p{}\":{{\"maxLength\":{i}}}", from + i)
        })
    };
    let text = format!(
        "{{\"allOf\":[{{\"properties\":{{{}}}}},{{\"properties\":{{{}}}}}]}}",
        half(0),
        half(5_000)
    );
    assert!(answer(&text).is_ok());
}

/// Objects without the property would have to fulfil all that is asked, one demand after the other; with "required" there
/// are none.
#[test]
fn conditions_on_one_property_are_many() {
    for (count, required) in [(500, ""), (1_000, r#","required":["kind"]"#)] {
        let conditions = many(count, |i| {
            let asked = format!(
                r#"{{"type":"object","properties":{{"a{i}":{{}},"b":{{"minimum":{i}}}}},"required":["a{i}"]}}"#
            );
            format!(
                r#"{{"if":{{"properties":{{"kind":{{"const":"k{i}"}}}}}},"then":{{"properties":{{"value":{asked}}}}}}}"#
            )
        });
        let text = format!(r#"{{"type":"object","allOf":[{conditions}]{required}}}"#);
        assert!(answer(&text).is_ok(), "{count}");
    }
}

/// The linter names a hundred values that are refused, and says how many more there are.
#[test]
fn warnings_of_one_enum_are_not_without_end() {
    let values = many(100_000, |i| format!("\"v{i}\""));
    let text =
        format!("{{\"type\":\"string\",\"pattern\":\"^[0-9v]$\",\"enum\":[\"v\",{values}]}}");
    let warnings = lint(&text, &SchemaConfig::default()).unwrap();
    assert_eq!(warnings.len(), 101);
    let last = &warnings[100].message;
    assert!(last.contains(" 99900 more"), "{last}");
}

/// Automata are counted together: each of these is far from the limit alone.
#[test]
fn automata_of_one_schema_are_counted_together() {
    let pattern = |i: usize| {
        format!(
            "\"p{i}\":{{\"not\":{{\"pattern\":\"^.*a.{{6}}[b-{}]$\"}}}}",
            char::from(b'c' + i as u8)
        )
    };
    let text = |count: usize| {
        format!(
            "{{\"type\":\"object\",\"properties\":{{{}}}}}",
            many(count, pattern)
        )
    };
    let mut config = SchemaConfig::default();
    config.limits.schema_states = 6_000;
    assert!(compile(&text(1), &config).is_ok());
    let error = compile(&text(8), &config).unwrap_err().to_string();
    assert!(
        error.contains("states of all automata of a schema"),
        "{error}"
    );
}

/// Thirty marks in any order would be a state for each of their sets.
#[test]
fn marks_meet_a_limit() {
    let uses: Vec<String> = (0..30).map(|i| format!("<once m{i}> \"{i}\"")).collect();
    let text = format!("assistant-turn = *( {} )\n", uses.join(" / "));
    let limits = Limits::default();
    let format = Format::parse("marks", &text, &[], &limits).unwrap();
    let error = compile_chat(&format, "assistant-turn", &ChatOptions::default()).unwrap_err();
    assert!(
        error.to_string().contains("states of a rule with marks"),
        "{error}"
    );
}

#[test]
fn long_literals_meet_a_limit() {
    // Not the work of reading them.
    let mut limits = Limits::default();
    limits.work = usize::MAX;
    for literal in [
        format!("\"{}\"", "a".repeat(10_000_000)),
        format!("%x41{}", ".41".repeat(100_000)),
    ] {
        let abnf = Abnf::parse(&format!("a = {literal}\n"), &limits).unwrap();
        let error = abnf
            .lower("a", &mut Unbound, &limits)
            .unwrap_err()
            .to_string();
        assert!(error.contains("states of a rule body"));
    }
}

/// Steps of a decoder that make pieces longer and longer.
#[test]
fn decoders_that_grow_meet_a_limit() {
    let tokenizer = |steps: usize, from: &str, to: &str| {
        let step =
            format!(r#"{{"type":"Replace","pattern":{{"String":"{from}"}},"content":"{to}"}}"#);
        let steps = many(steps, |_| step.clone());
        let text = format!(
            r#"{{"decoder":{{"type":"Sequence","decoders":[{steps}]}},"model":{{"type":"BPE","vocab":{{"x":0,"y":1}}}}}}"#
        );
        Vocabulary::from_tokenizer_json(text.as_bytes(), None).map(drop)
    };
    assert!(tokenizer(3, "x", "xx").is_ok());
    for (steps, to) in [
        (60, "xx".to_owned()),
        (2, "x".repeat(1_000_000)),
        (10_000, "z".to_owned()),
    ] {
        let error = tokenizer(steps, "x", &to).unwrap_err().to_string();
        assert!(error.contains("allowed"), "{error}");
    }
}

/// Groups within counted groups are written as often as the budget of a rule allows, not twice as often with each step.
#[test]
fn counted_groups_within_each_other_do_not_double() {
    for (open, close) in [
        ("1*3( \"y\" ", ")"),
        ("2*9[ \"y\" ", "]"),
        ("2*( \"y\" ", ")"),
    ] {
        let text = format!("a = {}\r\n", super::nested(60, open, "\"x\"", close));
        let limits = Limits::default();
        let abnf = Abnf::parse(&text, &limits).unwrap();
        let grammar = abnf.lower("a", &mut Unbound, &limits);
        let rules = grammar.map(|grammar| grammar.rule_count());
        assert!(
            rules.as_ref().is_ok_and(|&rules| rules < 100_000),
            "{open}: {rules:?}"
        );
    }
}

/// Sixty-four clauses of three properties each, all of which must come: whether they can all hold is found at once.
#[test]
fn clauses_that_share_properties_are_searched_quickly() {
    for count in [15, 40, 60] {
        let mut seed: u64 = count;
        let mut draw = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        let mut clause = || {
            let mut part = || {
                let (name, value) = (draw(count), draw(2) == 0);
                format!("{{\"properties\":{{\"p{name}\":{{\"const\":{value}}}}}}}")
            };
            format!("{{\"anyOf\":[{},{},{}]}}", part(), part(), part())
        };
        let clauses: Vec<String> = (0..64).map(|_| clause()).collect();
        let names: Vec<String> = (0..count).map(|name| format!("\"p{name}\"")).collect();
        let properties: Vec<String> = names
            .iter()
            .map(|name| format!("{name}:{{\"type\":\"boolean\"}}"))
            .collect();
        let text = format!(
            "{{\"type\":\"object\",\"properties\":{{{}}},\"required\":[{}],\"allOf\":[{}]}}",
            properties.join(","),
            names.join(","),
            clauses.join(",")
        );
        if let Err(error) = super::schema(&super::engine(), &text) {
            assert!(
                error.contains("needed") || error.contains("satisfies"),
                "{error}"
            );
        }
    }
}

/// Numbers that differ and end many digits on only, each in an exponent.
#[test]
fn distinct_numbers_far_from_their_ends_are_found() {
    for places in [10, 100, 300] {
        let text = format!(
            "{{\"type\":\"array\",\"uniqueItems\":true,\"minItems\":3,\"items\":{{\"type\":\"number\",\"exclusiveMinimum\":0,\"maximum\":1e-{places}}}}}"
        );
        if let Err(error) = super::schema(&super::engine(), &text) {
            assert!(error.contains("it cannot be seen"), "{error}");
        }
    }
}
