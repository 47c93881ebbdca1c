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

/// What masks leave out is what the state behind each token needs, be the tokens of a string told together or not.
#[test]
fn masks_leave_out_what_needs_more_over_o200k() {
    let engine = o200k();
    let texts = CASES
        .iter()
        .flat_map(|(schema, beginnings)| beginnings.iter().map(move |text| (*schema, *text)));
    let open = r#"{"type": "object", "properties": {"name": {"type": "string"}, "n": {"type": "integer"}}, "required": ["n"]}"#;
    let pattern = r#"{"type": "array", "items": {"type": "string", "pattern": "^[a-z\u00e9 ]*$"}, "minItems": 1}"#;
    let more = [
        (open, "{\""),
        (open, "{\"n"),
        (open, "{\"name\":\"a"),
        (pattern, "[\""),
        (pattern, "[\"a b"),
    ];
    for (schema, text) in texts.chain(more) {
        let constraint = constraint(&engine, schema);
        let mut session = constraint.session();
        for token in engine.vocabulary().longest_tokens(text.as_bytes()) {
            session.accept(token).unwrap();
        }
        let needed = session.tokens_needed().unwrap();
        for left in [needed, needed + 1, needed + 3, needed + 12] {
            let mut hurried = session.fork();
            hurried.deadline(left).unwrap();
            let next = hurried.way_out().unwrap().first().copied();
            for token in (0..END.get()).step_by(37).map(TokenId::new) {
                let mut fork = session.fork();
                let is_kept = fork.accept(token).is_ok() && fork.tokens_needed().unwrap() < left;
                let is_kept = is_kept || next == Some(token);
                assert_eq!(
                    hurried.allows(token).unwrap(),
                    is_kept,
                    "{token:?} after {text:?} with {left} left"
                );
                assert_eq!(
                    hurried.fork().accept(token).is_ok(),
                    is_kept,
                    "{token:?} after {text:?} with {left} left"
                );
            }
        }
    }
}
