//! What is given away over a real vocabulary.

use maskwright::base::TokenId;
use maskwright::session::Engine;
use maskwright::vocab::VocabularyBuilder;

use super::constraint;

const END: TokenId = TokenId::new(200_002);
/// Schemas, and how instances begin. None of them has numbers or patterns, which have a state for each of thousands of
/// beginnings.
const CASES: [(&str, &[&str]); 3] = [
    (
        r#"{"type": "object", "properties": {"location": {"type": "string"}, "unit": {"enum": ["C", "F"]}}, "required": ["location"], "additionalProperties": false}"#,
        &["", r#"{"location":"Par"#, r#"{"location":"Paris","un"#],
    ),
    (
        r#"{"type": "array", "items": {"enum": ["red", "green", "ultramarine"]}, "minItems": 3}"#,
        &["", r#"["ul"#, r#"["green","#],
    ),
    (
        r#"{"type": "object", "properties": {"kind": {"const": "circle"}, "exact": {"type": "boolean"}, "name": {"enum": ["Sirius", "Alpha Centauri"]}}, "required": ["kind", "exact", "name"], "additionalProperties": false}"#,
        &[
            "",
            r#"{"kind":"#,
            r#"{"kind":"circle","exact":true,"name":"Si"#,
        ],
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
