//! Masks where texts are remembered: no key comes twice, and no item of a set, and what is read of
//! Punycode decides where it may end. Each is held against
//! the reference walk, over tokens that repeat such texts and go on beyond them.
#![allow(clippy::unwrap_used)]

use maskwright::base::{Limits, TokenId};
use maskwright::front::json_schema::{JsonRules, PropertyOrder, SchemaConfig, Whitespace, compile};
use maskwright::grammar::GrammarBuilder;
use maskwright::session::{Constraint, ConstraintConfig, Engine, Session};
use maskwright::vocab::VocabularyBuilder;

/// Bytes that a walk may choose.
const BYTES: &[u8] = b"{}[]:,\"ab1x";

/// What tokens go on with behind a key.
const BEHIND_KEYS: [&str; 24] = [
    ":",
    ": ",
    " :",
    " : 1",
    ":\n ",
    ":1",
    ": 1",
    ":1,",
    ":1}",
    ":1,\"",
    ":1, \"b",
    ":11",
    ":\"",
    ":\"\"",
    ":\"a",
    ":\"a\"",
    ":\"a\",",
    ":\"\"}",
    ":\"a\",\"b\":",
    ":[",
    ":[]",
    ":[1],\"",
    ":{\"",
    ":true}",
];

/// Tokens that a walk may choose besides.
const WORDS: [&str; 53] = [
    "\"a\"",
    "\"b\"",
    "\"\"",
    "\":",
    "\":1",
    "1,\"",
    "\":1,\"",
    ",\"a",
    ",\"a\"",
    "\"a",
    "\"ab",
    "\"x",
    "\"xa",
    "a\"",
    "b\"",
    "a\":1,\"a",
    "ab\":1,\"ab\":",
    "b\":1,\"a\":1}",
    "{\"a",
    "{\"a\":1,\"a\":",
    "{\"a\":1,\"b\":",
    "{\"\":1,\"\"",
    "\"},\"a\"",
    "}},\"a\":",
    "},\"ab\":{",
    "\"b\",\"a\"",
    "\",\"a\",\"b",
    "\"a\",\"a\"",
    "\",",
    "\",\"",
    "\",\"a\"",
    "],\"a\":[",
    "\"aa",
    "aa\"",
    "\"aa\",\"a",
    "\":\"\",\"",
    "\":\"a\",\"a\":",
    "\"a\":\"a\"",
    "a\": \"a\"",
    "\"xn--",
    "xn",
    "n--",
    "--",
    "-",
    ".",
    "zca",
    "zca\"",
    "xn--zca\"",
    ".xn--zca.b",
    "a.xn--",
    "4dbc5h.xn--",
    "aaaaaaaaaaaaaaaaaaaaaaaaa",
    "-p7daaa4c\"",
];

const SCHEMAS: [&str; 34] = [
    r#"{"type": "object", "properties": {"a": {}, "b": {}, "x": {"type": "string"}, "ab": {"type": "string"}}, "additionalProperties": false}"#,
    r#"{"type": "object", "properties": {"a": {"enum": [1, "a"]}, "b": {"enum": [1, "a"]}, "ab": {"type": "integer"}}, "required": ["b"],
        "additionalProperties": {"enum": [1, "a"]}}"#,
    r#"{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"enum": [1, "a"]}, "x": {"enum": [1, "a"]}}, "maxProperties": 2,
        "additionalProperties": {"type": "integer"}}"#,
    r#"{"type":"array","items":true,"maxItems":2,"not":{"uniqueItems":true}}"#,
    r#"{"type":"array","items":{"type":"array","items":true,"maxItems":2,"not":{"uniqueItems":true}},"minItems":1,"uniqueItems":true}"#,
    "true",
    r#"{"type": "object", "properties": {"a": {}, "aab": {}}}"#,
    r#"{"type": "object", "additionalProperties": {"type": "object", "additionalProperties": {"const": 1}}}"#,
    r#"{"type": "object", "patternProperties": {"^x(a|b+)$": {"const": 1}}, "additionalProperties": false, "minProperties": 2}"#,
    r#"{"type": "object", "patternProperties": {"^[ab]{1,3}$": {"const": 1}}, "additionalProperties": false}"#,
    r#"{"type": "object", "patternProperties": {"^[ab]$": {"const": 1}, "^x": {}}, "additionalProperties": false}"#,
    r#"{"type": "object", "propertyNames": {"maxLength": 2}, "additionalProperties": {"const": 1}}"#,
    r#"{"type": "object", "patternProperties": {"a.?x": {"const": 1}}}"#,
    r#"{"type": "array", "items": {"type": "string", "pattern": "ab|x$", "maxLength": 9}, "uniqueItems": true}"#,
    r#"{"type": "array", "items": {"enum": ["a", "aa", "ab", "b"]}, "uniqueItems": true}"#,
    r#"{"type": "array", "items": {"enum": ["a", "aa", "ab", 1, 11, true]}, "uniqueItems": true, "minItems": 3}"#,
    r#"{"type": "array", "items": {"type": "string", "maxLength": 2}, "uniqueItems": true}"#,
    r#"{"type": "array", "items": {"type": "string", "pattern": "^[ab]{1,3}$"}, "uniqueItems": true}"#,
    r#"{"type": "array", "items": {"type": "string", "pattern": "^x(aa|b*)$"}, "uniqueItems": true}"#,
    r#"{"type": "array", "items": {"type": "string", "maxLength": 1, "pattern": "^[ab]*$"}, "uniqueItems": true, "minItems": 3}"#,
    r#"{"type": "object", "propertyNames": {"pattern": "^[ab]?$"}, "additionalProperties": {"const": 1}}"#,
    r#"{"type": "array", "items": {"type": ["string", "integer", "boolean"]}, "uniqueItems": true}"#,
    r#"{"type": "array", "items": {"type": "object", "additionalProperties": {"enum": [1, "a"]}}, "uniqueItems": true}"#,
    r#"{"type": "array", "items": {"type": "array", "items": {"type": "string"}}, "uniqueItems": true}"#,
    r#"{"type": "array", "items": {"properties": {"a": {"type": "string"}, "b": {"type": "boolean"}}, "additionalProperties": false},
        "uniqueItems": true, "minItems": 2}"#,
    r#"{"anyOf": [{"type": "array", "items": {"type": "object"}}, {"type": "array", "items": {"type": "array",
        "uniqueItems": true, "items": {"type": "string"}}}]}"#,
    r#"{"type": "string", "format": "hostname"}"#,
    r#"{"type": "string", "format": "hostname", "maxLength": 70}"#,
    r#"{"type": "array", "items": {"type": "string", "format": "hostname", "maxLength": 140}}"#,
    r#"{"type": "string", "format": "idn-hostname"}"#,
    r#"{"type": "array", "items": {"enum": ["a", "aa", "aab", "b", "ba", "bab", "bb", "x"]}, "uniqueItems": true}"#,
    r#"{"type": "array", "items": {"enum": ["a", "b"]}, "uniqueItems": true, "maxItems": 2}"#,
    r#"{"type": "object", "propertyNames": {"enum": ["a", "ab", "b", "x", "aa"]}, "additionalProperties": {"enum": [1, "a"]}}"#,
    r#"{"type": "object", "patternProperties": {"^(a|b|ab|aa)$": {"enum": [1, "a"]}}, "additionalProperties": false, "minProperties": 3}"#,
];

/// The words, those that begin with a text once more behind white space.
fn words() -> Vec<String> {
    let texts = WORDS.iter().filter(|word| word.starts_with('"'));
    let spaced = [" ", "\n  "].map(|white| texts.clone().map(move |word| format!("{white}{word}")));
    let plain = WORDS.iter().map(|&word| word.to_owned());
    let behind = BEHIND_KEYS.iter().map(|behind| format!("\"{behind}"));
    let all = plain.chain(spaced.into_iter().flatten()).chain(behind);
    let mut all: Vec<String> = all.collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn token(index: usize) -> TokenId {
    TokenId::new(index as u32)
}

fn engine() -> Engine {
    let mut vocabulary = VocabularyBuilder::new();
    for byte in 0..=255u8 {
        vocabulary.ordinary(token(byte.into()), &[byte]).unwrap();
    }
    let words = words();
    for (index, word) in (256..).zip(&words) {
        vocabulary.ordinary(token(index), word.as_bytes()).unwrap();
    }
    let end = token(256 + words.len());
    vocabulary.special(end, "<end>").unwrap();
    vocabulary.end_token(end);
    Engine::new(vocabulary.build().unwrap())
}

fn constraint(
    engine: &Engine,
    schema: &str,
    (order, whitespace): (PropertyOrder, Whitespace),
) -> Constraint {
    let config = SchemaConfig {
        whitespace,
        order,
        ..SchemaConfig::default()
    };
    let mut builder = GrammarBuilder::new(Limits::default());
    let mut rules = JsonRules::new(&config).unwrap();
    let compiled = compile(schema, &config).unwrap();
    let root = compiled.lower_into(&mut rules, &mut builder);
    let grammar = builder.finish(root).unwrap();
    engine
        .constraint(grammar, &ConstraintConfig::default())
        .unwrap()
}

/// Walks at random; at every step the mask is what the definition says.
fn walk(schema: &str, mut session: Session, mut choose: impl FnMut(usize) -> usize) {
    let vocabulary = session.constraint().vocabulary();
    let (all, words) = (vocabulary.len(), vocabulary.mask_words());
    let (mut mask, mut expected) = (vec![0; words], vec![0; words]);
    for _ in 0..40 {
        session.mask(&mut mask).unwrap();
        session.reference_mask(&mut expected).unwrap();
        let differ = (0..all).map(token);
        let differ: Vec<String> = differ
            .filter(|&token| contains(&mask, token) != contains(&expected, token))
            .map(|token| String::from_utf8_lossy(&bytes(&session, token)).into_owned())
            .collect();
        assert!(
            differ.is_empty(),
            "{schema} after {:?}: {differ:?}",
            text(&session)
        );
        let chosen = |token: &TokenId| match token.index() {
            byte @ 0..256 => BYTES.contains(&(byte as u8)),
            _ => true,
        };
        let allowed = (0..all).map(token);
        let allowed = allowed.filter(|token| contains(&mask, *token) && chosen(token));
        let allowed: Vec<TokenId> = allowed.collect();
        if allowed.is_empty() {
            return;
        }
        session.accept(allowed[choose(allowed.len())]).unwrap();
        if session.has_ended() {
            return;
        }
    }
}

fn contains(row: &[u32], token: TokenId) -> bool {
    row[token.index() / 32] >> (token.index() % 32) & 1 == 1
}

fn bytes(session: &Session, token: TokenId) -> Vec<u8> {
    let vocabulary = session.constraint().vocabulary();
    vocabulary.bytes(token).unwrap_or_default().to_vec()
}

fn text(session: &Session) -> String {
    let tokens = session.tokens();
    let all = tokens.iter().flat_map(|&token| bytes(session, token));
    String::from_utf8_lossy(&all.collect::<Vec<u8>>()).into_owned()
}

#[test]
fn masks_know_what_is_remembered() {
    let engine = engine();
    let mut seed: u64 = 0x9E37_79B9_7F4A_7C15;
    for schema in SCHEMAS {
        let orders = [PropertyOrder::Declared, PropertyOrder::Any];
        let ways = orders.into_iter().flat_map(|order| {
            [Whitespace::Compact, Whitespace::Json].map(|whitespace| (order, whitespace))
        });
        for way in ways {
            let constraint = constraint(&engine, schema, way);
            for _ in 0..15 {
                walk(schema, constraint.session(), |bound| {
                    seed ^= seed << 13;
                    seed ^= seed >> 7;
                    seed ^= seed << 17;
                    (seed >> 33) as usize % bound
                });
            }
        }
    }
}
