//! Masks of many sessions on one thread and on several, and masks applied to logits, over the tokens of
//! o200k_base.

// Criterion's macros make items without documentation, and a benchmark that cannot start stops.
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use maskwright::base::{Limits, TokenId};
use maskwright::batch::{Bf16, F16, Job, Logit, apply_mask, fill_masks};
use maskwright::front::json_schema::{JsonRules, SchemaConfig, compile};
use maskwright::grammar::GrammarBuilder;
use maskwright::session::{Constraint, ConstraintConfig, Engine, Session};
use maskwright::vocab::VocabularyBuilder;
use rayon::prelude::*;
use tiktoken_rs::CoreBPE;

const SCHEMA: &str = r#"{
    "type": "object",
    "properties": {
        "location": {"type": "string"},
        "days": {"type": "integer", "minimum": 1, "maximum": 14},
        "tags": {"type": "array", "items": {"type": "string", "maxLength": 40}, "maxItems": 8}
    },
    "required": ["location"]
}"#;

/// An instance, in whose places the sessions stand.
const INSTANCE: &str = r#"{"location": "Paris, France", "days": 12, "tags": ["one", "another"]}"#;

const ORDINARY: u32 = 199_998;
const END: TokenId = TokenId::new(ORDINARY);

fn engine(bpe: &CoreBPE) -> Engine {
    let mut vocabulary = VocabularyBuilder::new();
    for id in 0..ORDINARY {
        let bytes = bpe.decode_bytes(&[id]).unwrap_or_default();
        vocabulary.ordinary(TokenId::new(id), &bytes).unwrap();
    }
    vocabulary.special(END, "<end>").unwrap().end_token(END);
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

/// A session at each place of the instance.
fn places(constraint: &Constraint, tokens: &[u32]) -> Vec<Session> {
    let mut session = constraint.session();
    let mut places = vec![session.fork()];
    for &token in tokens {
        session.accept(TokenId::new(token)).unwrap();
        places.push(session.fork());
    }
    places
}

/// A way to fill a row for each session.
type Fill = fn(&[Session], &mut [u32], usize);

fn one_by_one(sessions: &[Session], rows: &mut [u32], words: usize) {
    for (session, row) in sessions.iter().zip(rows.chunks_mut(words)) {
        session.mask(row).unwrap();
    }
}

/// As `fill_masks` does it above its threshold, whatever that is.
fn in_the_pool(sessions: &[Session], rows: &mut [u32], words: usize) {
    let rows = rows.par_chunks_mut(words);
    let each = sessions.par_iter().zip(rows);
    each.for_each(|(session, row)| session.mask(row).unwrap());
}

fn batch(sessions: &[Session], rows: &mut [u32], words: usize) {
    let rows = rows.chunks_mut(words);
    let jobs = sessions.iter().zip(rows).map(|(session, rows)| Job {
        session,
        draft: &[],
        rows,
    });
    black_box(fill_masks(&mut jobs.collect::<Vec<_>>()));
}

const WAYS: [(&str, Fill); 3] = [
    ("one by one", one_by_one),
    ("in the pool", in_the_pool),
    ("batch", batch),
];

/// Warm masks are known: sessions of one constraint, at all places of the instance in turn. Of cold ones nothing is
/// known but what the engine has of other constraints: each session has its own.
fn batches(criterion: &mut Criterion) {
    let bpe = tiktoken_rs::o200k_base().unwrap();
    let tokens = bpe.encode_ordinary(INSTANCE);
    let engine = engine(&bpe);
    let known = places(&constraint(&engine), &tokens);
    let words = known[0].constraint().vocabulary().mask_words();
    for (name, cold) in [("warm", false), ("cold", true)] {
        let mut group = criterion.benchmark_group(format!("{name} masks"));
        for count in [4, 16, 64, 256, 1024] {
            let mut rows = vec![0u32; words * count];
            let fresh = || {
                let each = known.iter().enumerate().cycle().take(count);
                let session = |(place, known): (usize, &Session)| match cold {
                    true => places(&constraint(&engine), &tokens[..place])
                        .pop()
                        .unwrap(),
                    false => known.fork(),
                };
                each.map(session).collect::<Vec<_>>()
            };
            for (way, fill) in WAYS {
                group.bench_function(BenchmarkId::new(way, count), |bencher| {
                    bencher.iter_batched(
                        fresh,
                        |sessions| {
                            fill(&sessions, &mut rows, words);
                            sessions
                        },
                        BatchSize::PerIteration,
                    );
                });
            }
        }
    }
}

fn logits(criterion: &mut Criterion) {
    let bpe = tiktoken_rs::o200k_base().unwrap();
    let constraint = constraint(&engine(&bpe));
    let words = constraint.vocabulary().mask_words();
    let mut row = vec![0u32; words];
    let mut session = constraint.session();
    for token in bpe.encode_ordinary(r#"{"location": "Par"#) {
        session.accept(TokenId::new(token)).unwrap();
    }
    session.mask(&mut row).unwrap();
    let count = constraint.vocabulary().len();
    apply(criterion, "f32", &row, vec![1.0f32; count]);
    apply(criterion, "f16", &row, vec![F16(0x3C00); count]);
    apply(criterion, "bf16", &row, vec![Bf16(0x3F80); count]);
    let alternate = vec![0x5555_5555; words];
    apply(
        criterion,
        "f32, alternating",
        &alternate,
        vec![1.0f32; count],
    );
    apply(
        criterion,
        "f16, alternating",
        &alternate,
        vec![F16(0x3C00); count],
    );
}

fn apply<L: Logit>(criterion: &mut Criterion, name: &str, row: &[u32], mut logits: Vec<L>) {
    criterion.bench_function(
        &format!("apply a mask of a string body to {name}"),
        |bencher| {
            bencher.iter(|| apply_mask(black_box(row), &mut logits));
        },
    );
}

criterion_group!(all, batches, logits);
criterion_main!(all);
