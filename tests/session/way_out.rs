//! Ways out: short, allowed, and to an end, from wherever a session stands.

use maskwright::base::{Limits, TokenId};
use maskwright::front::chat::{ChatOptions, Format, compile};
use maskwright::session::{Constraint, ConstraintConfig, Session};

use super::{END, constraint, engine};

/// The session after `text`, a byte a token.
fn after(constraint: &Constraint, text: &str) -> Session {
    let mut session = constraint.session();
    for byte in text.bytes() {
        session.accept(TokenId::new(u32::from(byte))).unwrap();
    }
    session
}

fn spelt(session: &Session, tokens: &[TokenId]) -> String {
    let vocabulary = session.constraint().vocabulary();
    let bytes = |&token: &TokenId| match vocabulary.bytes(token) {
        Some(bytes) => bytes,
        None => vocabulary.special_name(token).unwrap().as_bytes(),
    };
    let bytes: Vec<u8> = tokens.iter().flat_map(bytes).copied().collect();
    String::from_utf8(bytes).unwrap()
}

fn check(constraint: &Constraint, text: &str, expect: &str) {
    let mut session = after(constraint, text);
    let way = session.way_out().unwrap();
    assert_eq!(spelt(&session, &way), expect, "after {text}");
    for token in way {
        session.accept(token).unwrap();
    }
    assert!(session.may_end(), "{text}{expect}");
    assert_eq!(session.way_out().unwrap(), []);
    if !session.is_finished() {
        session.accept(END).unwrap();
        assert_eq!(session.way_out().unwrap(), []);
    }
}

#[test]
fn ways_out_of_schemas_are_short() {
    let person = r#"{"type": "object", "required": ["name", "pets"], "properties": {
        "name": {"type": "string", "minLength": 2}, "age": {"type": "integer"},
        "pets": {"type": "array", "minItems": 1, "items": {"enum": ["cat", "elephant"]}}}}"#;
    let list = r##"{"anyOf": [{"type": "null"}, {"type": "array", "items": {"$ref": "#"}, "minItems": 2}]}"##;
    let distinct = r#"{"type": "array", "items": {"type": "number"}, "uniqueItems": true, "minItems": 3}"#;
    let objects = r#"{"type": "array", "uniqueItems": true, "minItems": 2, "items": {"type": "object",
        "properties": {"a": {"type": "boolean"}}, "additionalProperties": false}}"#;
    for (schema, text, expect) in [
        (r#"{"type": "integer"}"#, "", "0"),
        (r#"{"type": "integer"}"#, "-", "0"),
        (r#"{"type": "integer", "minimum": 100}"#, "", "100"),
        (r#"{"type": "integer"}"#, "12", ""),
        (r#"{"type": "string"}"#, "\"a\\", "\"\""),
        (r#"{"const": "hello big"}"#, "", "\"hello big\""),
        (person, "", r#"{"name":"  ","pets":["cat"]}"#),
        (person, r#"{"name":"Zo","#, r#""pets":["cat"]}"#),
        (person, r#"{"name":"Zo","pets":["e"#, r#"lephant"]}"#),
        (list, "[[", "null,null],null]"),
        (distinct, "", "[0,1,2]"),
        (distinct, "[0.0,", "1,2]"),
        (objects, "", r#"[{},{"a":true}]"#),
        (objects, r#"[{"a":true},"#, "{}]"),
        (r#"{"type": "object", "minProperties": 3}"#, "", ""),
        (r#"{"minProperties": 2, "propertyNames": {"pattern": "^[ab]$"}, "type": "object"}"#, "", ""),
    ] {
        check(&constraint(schema, Limits::default()), text, expect);
    }
}

#[test]
fn control_tokens_are_on_the_way() {
    let source = "a = *\"x\" ( call / 9\"y\" ) end\ncall = other \"z\" other\nother = %s\"<|other|>\"\nend = \"abc\" %s\"<|other|>\"\n";
    let limits = Limits::default();
    let format = Format::parse("a", source, &["<|other|>"], &limits).unwrap();
    let grammar = compile(&format, "a", &ChatOptions::default()).unwrap();
    let constraint = engine().constraint(grammar, &ConstraintConfig::default()).unwrap();
    check(&constraint, "xx", "<|other|>z<|other|>abc<|other|>");
}
