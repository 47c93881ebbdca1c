//! What is given away over a real vocabulary.

use maskwright::base::TokenId;
use maskwright::session::Engine;
use maskwright::vocab::VocabularyBuilder;

use super::constraint;

const END: TokenId = TokenId::new(200_002);
/// Schemas, and how instances begin.
const CASES: [(&str, &[&str]); 6] = [
    (
        r#"{"type": "object", "properties": {"location": {"type": "string"}, "unit": {"enum": ["C", "F"]}}, "required": ["location"], "additionalProperties": false}"#,
        &["", r#"{"location":"Par"#, r#"{"location":"Paris","un"#],
    ),
    (
        r#"{"type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}, "exact": {"type": "boolean"}}, "required": ["query", "limit", "exact"], "additionalProperties": false}"#,
        &["", r#"{"query":"a"#, r#"{"query":"a","limit":1"#],
    ),
    (
        r#"{"type": "array", "items": {"enum": ["red", "green", "ultramarine"]}, "minItems": 3}"#,
        &["", r#"["ul"#, r#"["green","#],
    ),
    (
        r#"{"type": "object", "properties": {"date": {"type": "string", "format": "date"}, "at": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}}, "required": ["date", "at"], "additionalProperties": false}"#,
        &["", r#"{"date":"2"#, r#"{"date":"2024-02-29","at":[1."#],
    ),
    (
        r#"{"anyOf": [{"type": "object", "properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}}, "required": ["kind", "radius"], "additionalProperties": false}, {"type": "object", "properties": {"kind": {"const": "rectangle"}, "width": {"type": "number"}, "height": {"type": "number"}}, "required": ["kind", "width", "height"], "additionalProperties": false}]}"#,
        &["", r#"{"kind":""#, r#"{"kind":"rec"#],
    ),
    (
        r#"{"type": "string", "pattern": "^[A-Z]{3}-[0-9]{6}$"}"#,
        &["", r#""AB"#],
    ),
];

fn o200k() -> Engine {
    let bpe = tiktoken_rs::o200k_base().unwrap();
    let mut builder = VocabularyBuilder::new();
    for id in 0..END.get() {
        if let Ok(bytes) = bpe.decode_bytes(&[id]) {
            builder.ordinary(TokenId::new(id), &bytes).unwrap();
        }
    }
    builder.special(END, "<end>").unwrap().end_token(END);
    Engine::new(builder.build().unwrap())
}

/// At most a tenth of what ways out take is given away.
#[test]
#[ignore = "a minute: walks the whole vocabulary from each state"]
fn little_is_given_away_over_o200k() {
    let engine = o200k();
    let (mut at_least, mut given) = (0, 0);
    for (schema, beginnings) in CASES {
        let constraint = constraint(&engine, schema);
        for beginning in beginnings {
            let mut session = constraint.session();
            for token in engine.vocabulary().longest_tokens(beginning.as_bytes()) {
                session.accept(token).unwrap();
            }
            let needed = session.tokens_needed().unwrap() - 1;
            let least = session.reference_way_out().unwrap();
            println!("{least:2} at least, {needed:2} by the bound, after {beginning:?}");
            assert!(needed >= least);
            at_least += least;
            given += needed - least;
        }
    }
    println!("{at_least} at least, {given} more by the bound");
    assert!(given * 10 <= at_least);
}
