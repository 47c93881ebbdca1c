//! Explanations: each token that may come has a reason, and reasons point to where they stand.

use maskwright::base::{Limits, TokenId};
use maskwright::front::chat::{ChatOptions, Format, ToolSet, compile};
use maskwright::front::json_schema::Whitespace;
use maskwright::session::{Constraint, ConstraintConfig, Engine, Reason};
use maskwright::vocab::VocabularyBuilder;

use super::{END, constraint, engine, grammar};

/// The reasons behind `text`, a byte a token. On the way each token that may come must have a reason, and no other.
fn reasons(constraint: &Constraint, text: &str) -> Vec<Reason> {
    let (mut session, mut explainer) = (constraint.session(), constraint.explainer().unwrap());
    let mut mask = vec![0; constraint.vocabulary().mask_words()];
    let mut bytes = text.bytes();
    loop {
        session.mask(&mut mask).unwrap();
        let reasons = explainer.reasons().unwrap();
        let explained = reasons.iter().flat_map(|reason| &reason.tokens).copied();
        let ends = constraint.stop_tokens().iter().copied();
        let ends = ends.filter(|_| explainer.may_end());
        let mut all: Vec<TokenId> = explained.chain(ends).collect();
        all.sort_unstable();
        all.dedup();
        let allowed = (0..constraint.vocabulary().len()).map(TokenId::from_usize);
        let allowed = allowed.filter(|id| mask[id.index() / 32] >> (id.index() % 32) & 1 == 1);
        assert_eq!(all, allowed.collect::<Vec<_>>(), "in {text}");
        let Some(byte) = bytes.next() else {
            return reasons;
        };
        let token = TokenId::new(u32::from(byte));
        session.accept(token).unwrap();
        explainer.accept(token).unwrap();
    }
}

/// Rules and pointers behind `text`, most tokens first.
fn check(schema: &str, text: &str, expect: &[(&str, &[&str])]) {
    let constraint = constraint(schema, Limits::default());
    let found = reasons(&constraint, text);
    let found: Vec<(&str, Vec<&str>)> = found
        .iter()
        .map(|reason| {
            let pointers = reason.pointers.iter().map(String::as_str);
            (reason.rule.as_str(), pointers.collect())
        })
        .collect();
    let expect: Vec<(&str, Vec<&str>)> = expect.iter().map(|(r, p)| (*r, p.to_vec())).collect();
    assert_eq!(found, expect, "{schema} after {text}");
}

#[test]
fn reasons_point_into_the_schema() {
    let alike = r#"{"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a", "b"],
        "additionalProperties": false}"#;
    check(alike, "{\"", &[("object", &["#"])]);
    check(alike, r#"{"a":""#, &[("string", &["#/properties/a"])]);
    // What reads alike is one set, but it is said of two properties.
    check(
        alike,
        r#"{"a":"x","b":"y"#,
        &[("string", &["#/properties/b"])],
    );
    check(alike, r#"{"a":"x","b":"y""#, &[("object", &["#"])]);

    let deep = r##"{"type": "object", "required": ["list"], "properties": {"list": {"type": "array", "items":
        {"$ref": "#/$defs/leaf"}}}, "additionalProperties": false, "$defs": {"leaf": {"enum": [17, "x"]}}}"##;
    check(deep, r#"{"list":[1"#, &[("literal", &["#/$defs/leaf"])]);
    // The number may go on, as 17.0.
    check(
        deep,
        r#"{"list":[17"#,
        &[
            ("array", &["#/properties/list"]),
            ("literal", &["#/$defs/leaf"]),
        ],
    );

    let either = r#"{"anyOf": [{"type": "boolean"}, {"type": "integer", "minimum": 5}]}"#;
    let constraint = constraint(either, Limits::default());
    assert_eq!(reasons(&constraint, "").len(), 2);
}

#[test]
fn reasons_follow_recursion_back() {
    let tree = r##"{"type": "object", "properties": {"value": {"type": "boolean"}, "next": {"$ref": "#"}},
        "additionalProperties": false}"##;
    check(
        tree,
        r#"{"value":t"#,
        &[("literal", &["#/properties/value"])],
    );
    check(
        tree,
        r#"{"next":{"next":{"value":f"#,
        &[("literal", &["#/properties/value"])],
    );
    let inner = reasons(
        &constraint(tree, Limits::default()),
        r#"{"next":{"next":{}"#,
    );
    assert_eq!(inner.len(), 1, "{inner:?}");
    assert_eq!(inner[0].within, ["object"], "{inner:?}");
}

#[test]
fn reasons_name_the_tool() {
    let tools = r#"[{"name": "add", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}},
        "required": ["a"], "additionalProperties": false}}]"#;
    let limits = Limits::default();
    let harmony = Format::built_in("harmony", &limits).unwrap().unwrap();
    let mut options = ChatOptions::default();
    options.tools = ToolSet::parse(tools, &limits).unwrap();
    let grammar = compile(&harmony, "assistant-turn", &options).unwrap();
    let constraint = engine()
        .constraint(grammar, &ConstraintConfig::default())
        .unwrap();
    let reasons = reasons(
        &constraint,
        "<|channel|>commentary to=functions.add<|message|>{\"a\": 1",
    );
    let of_tool = |reason: &Reason| reason.subject.as_deref() == Some("functions.add");
    assert!(reasons.iter().all(of_tool), "{reasons:?}");
    let number = reasons
        .iter()
        .find(|reason| reason.rule == "number")
        .unwrap();
    assert_eq!(number.pointers, ["#/properties/a"]);
    assert!(
        number.within.iter().any(|rule| rule == "assistant-turn"),
        "{number:?}"
    );
}

/// Keys that could come are not states: a machine with little room explains a vocabulary of many words.
#[test]
fn explaining_takes_no_state_for_each_key() {
    let mut limits = Limits::default();
    limits.machine_bytes = 1 << 20;
    let letters: Vec<u8> = (b'a'..=b'z').collect();
    let mut vocabulary = VocabularyBuilder::new();
    for byte in 0..=255u8 {
        let token = TokenId::new(u32::from(byte));
        vocabulary.ordinary(token, &[byte]).unwrap();
    }
    vocabulary.special(END, "<end>").unwrap().end_token(END);
    let words = letters
        .iter()
        .flat_map(|&a| letters.iter().map(move |&b| (a, b)))
        .flat_map(|(a, b)| letters.iter().map(move |&c| [a, b, c]));
    for (word, id) in words.zip(1000..) {
        vocabulary.ordinary(TokenId::new(id), &word).unwrap();
    }
    let engine = Engine::with_limits(vocabulary.build().unwrap(), &limits);
    let grammar = grammar(r#"{"type": "object"}"#, Whitespace::Json, limits);
    let constraint = engine
        .constraint(grammar, &ConstraintConfig::default())
        .unwrap();
    let reasons = reasons(&constraint, "{\"");
    assert!(reasons[0].tokens.len() > 26 * 26 * 26, "{reasons:?}");
}
