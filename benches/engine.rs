//! The small figures: compiling a schema, a mask cold and warm, accepting a token, forking; over the
//! tokens of o200k_harmony.

// Criterion's macros make items without documentation, and a benchmark that cannot start stops.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use maskwright::base::{Limits, TokenId};
use maskwright::front::json_schema::{JsonRules, SchemaConfig, compile};
use maskwright::grammar::GrammarBuilder;
use maskwright::session::{Constraint, ConstraintConfig, Engine, Session};
use maskwright::vocab::VocabularyBuilder;
use tiktoken_rs::CoreBPE;

const SCHEMA: &str = r#"{
    "type": "object",
    "properties": {
        "location": {"type": "string", "description": "City and country"},
        "format": {"enum": ["celsius", "fahrenheit"]},
        "days": {"type": "integer", "minimum": 1, "maximum": 14},
        "tags": {"type": "array", "items": {"type": "string", "maxLength": 40}, "maxItems": 8}
    },
    "required": ["location"],
    "additionalProperties": false
}"#;

/// Places in an instance, by what was written before them.
const PLACES: [(&str, &str); 4] = [
    ("string body", r#"{"location": "Par"#),
    ("object key", r#"{"location": "Paris", ""#),
    ("value start", r#"{"location": "Paris", "days":"#),
    ("bounded string", r#"{"location": "Paris", "tags": ["a"#),
];

/// 199,998 ordinary tokens, then specials.
const IDS: u32 = 201_088;
const ORDINARY: u32 = 199_998;
const RETURN: u32 = 200_002;

fn engine(bpe: &CoreBPE) -> Engine {
    let mut vocabulary = VocabularyBuilder::new();
    for id in 0..IDS {
        let bytes = bpe.decode_bytes(&[id]).unwrap_or_default();
        let token = TokenId::new(id);
        match (bytes.is_empty(), id < ORDINARY) {
            (true, _) => continue,
            (_, true) => vocabulary.ordinary(token, &bytes).unwrap(),
            (_, false) => {
                let name = String::from_utf8(bytes).unwrap();
                vocabulary.special(token, &name).unwrap()
            }
        };
    }
    vocabulary.end_token(TokenId::new(RETURN));
    Engine::new(vocabulary.build().unwrap())
}

fn constraint(engine: &Engine) -> Constraint {
    let config = SchemaConfig::default();
    let schema = compile(SCHEMA, &config).unwrap();
    let mut builder = GrammarBuilder::new(Limits::default());
    let root = schema.lower_into(&mut JsonRules::new(&config).unwrap(), &mut builder);
    let grammar = builder.finish(root).unwrap();
    engine
        .constraint(grammar, &ConstraintConfig::default())
        .unwrap()
}

/// A session after `text`.
fn at(constraint: &Constraint, bpe: &CoreBPE, text: &str) -> Session {
    let mut session = constraint.session();
    for id in bpe.encode_ordinary(text) {
        session.accept(TokenId::new(id)).unwrap();
    }
    session
}

fn benches(criterion: &mut Criterion) {
    let bpe = tiktoken_rs::o200k_harmony().unwrap();
    let engine = engine(&bpe);
    let mut row = vec![0u32; engine.vocabulary().mask_words()];
    criterion.bench_function("compile", |b| b.iter(|| constraint(black_box(&engine))));

    // Cold: a fresh compile, over an engine that knows the rules which recur in every schema.
    let mut cold = criterion.benchmark_group("mask, cold");
    for (name, text) in PLACES {
        let session = || at(&constraint(&engine), &bpe, text);
        cold.bench_function(name, |b| {
            b.iter_batched(
                session,
                |session| {
                    session.mask(&mut row).unwrap();
                    session
                },
                BatchSize::SmallInput,
            );
        });
    }
    cold.finish();

    let constraint = constraint(&engine);
    let mut warm = criterion.benchmark_group("mask, warm");
    for (name, text) in PLACES {
        let session = at(&constraint, &bpe, text);
        warm.bench_function(name, |b| b.iter(|| session.mask(black_box(&mut row))));
    }
    warm.finish();

    let mut late = criterion.benchmark_group("mask, warm, under a deadline");
    for (name, text) in PLACES {
        let mut session = at(&constraint, &bpe, text);
        let needed = session.tokens_needed().unwrap();
        for (how, tokens) in [("near", needed), ("far", needed + 10_000)] {
            session.deadline(tokens).unwrap();
            late.bench_function(format!("{how}, {name}"), |b| {
                b.iter(|| session.mask(black_box(&mut row)))
            });
        }
    }
    late.finish();

    let mut session = at(&constraint, &bpe, PLACES[0].1);
    let token = TokenId::new(bpe.encode_ordinary("is")[0]);
    criterion.bench_function("accept and rollback", |b| {
        b.iter(|| {
            session.accept(black_box(token)).unwrap();
            session.rollback(1).unwrap();
        });
    });
    criterion.bench_function("fork", |b| b.iter(|| black_box(&session).fork()));
}

criterion_group!(engine_benches, benches);
criterion_main!(engine_benches);
