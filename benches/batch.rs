//! Batches of masks on one thread and on several, and masks applied to logits, over the tokens of
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

fn constraint(bpe: &CoreBPE) -> Constraint {
    let mut vocabulary = VocabularyBuilder::new();
    for id in 0..ORDINARY {
        let bytes = bpe.decode_bytes(&[id]).unwrap_or_default();
        vocabulary.ordinary(TokenId::new(id), &bytes).unwrap();
    }
    vocabulary.special(END, "<end>").unwrap().end_token(END);
    let config = SchemaConfig::default();
    let schema = compile(SCHEMA, &config).unwrap();
    let mut builder = GrammarBuilder::new(Limits::default());
    let root = schema.lower_into(&mut JsonRules::new(&config).unwrap(), &mut builder);
    let grammar = builder.finish(root).unwrap();
    Engine::new(vocabulary.build().unwrap())
        .constraint(grammar, &ConstraintConfig::default())
        .unwrap()
}

/// `count` sessions, at the places of the instance in turn.
fn sessions(constraint: &Constraint, bpe: &CoreBPE, count: usize) -> Vec<Session> {
    let tokens = bpe.encode_ordinary(INSTANCE);
    let mut session = constraint.session();
    let mut places = vec![session.fork()];
    for &token in &tokens {
        session.accept(TokenId::new(token)).unwrap();
        places.push(session.fork());
    }
    places.iter().cycle().take(count).cloned().collect()
}

fn batches(criterion: &mut Criterion) {
    let bpe = tiktoken_rs::o200k_base().unwrap();
    let known = constraint(&bpe);
    let words = known.vocabulary().mask_words();
    for (name, cold) in [("warm", false), ("cold", true)] {
        let mut group = criterion.benchmark_group(format!("{name} masks"));
        for count in [4, 8, 16, 32, 64, 256] {
            let mut rows = vec![0u32; words * count];
            // The engine's rule masks are warm; those of the constraint's states are not.
            let fresh = |bpe: &CoreBPE| match cold {
                true => sessions(&constraint(bpe), bpe, count),
                false => sessions(&known, bpe, count),
            };
            if cold && count > 16 {
                continue;
            }
            group.bench_function(BenchmarkId::new("one by one", count), |bencher| {
                bencher.iter_batched(
                    || fresh(&bpe),
                    |sessions| {
                        for (session, row) in sessions.iter().zip(rows.chunks_mut(words)) {
                            session.mask(row).unwrap();
                        }
                        sessions
                    },
                    BatchSize::PerIteration,
                );
            });
            group.bench_function(BenchmarkId::new("batch", count), |bencher| {
                bencher.iter_batched(
                    || fresh(&bpe),
                    |sessions| {
                        let rows = rows.chunks_mut(words);
                        let jobs = sessions.iter().zip(rows).map(|(session, rows)| Job {
                            session,
                            draft: &[],
                            rows,
                        });
                        black_box(fill_masks(&mut jobs.collect::<Vec<_>>()));
                        sessions
                    },
                    BatchSize::PerIteration,
                );
            });
        }
    }
}

fn logits(criterion: &mut Criterion) {
    let bpe = tiktoken_rs::o200k_base().unwrap();
    let constraint = constraint(&bpe);
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
