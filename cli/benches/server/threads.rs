//! What a second thread is worth.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use maskwright::batch::{Job, fill_masks};
use maskwright::{Constraint, Engine, SchemaConfig, Session, TokenId};
use serde_json::{Value, json};

use crate::clock::process_time;
use crate::engine::{Compiled, Peer, Tokens};
use crate::requests::request;

const SESSIONS: usize = 64;
/// So many runs of each; the median counts.
const RUNS: usize = 9;

/// Wall clock and processor time of work on so many threads; each takes the next piece.
fn on(threads: usize, pieces: Vec<Box<dyn FnOnce() + Send + '_>>) -> (Duration, Duration) {
    let pieces = Mutex::new(pieces);
    let (begun, used) = (Instant::now(), process_time());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let piece = pieces.lock().unwrap().pop();
                    match piece {
                        Some(piece) => piece(),
                        None => break,
                    }
                }
            });
        }
    });
    (begun.elapsed(), process_time() - used)
}

type Pieces<'a> = Vec<Box<dyn FnOnce() + Send + 'a>>;

/// How many times as fast two threads are as one, and how much more processor time they take.
fn scaling<'a>(mut pieces: impl FnMut() -> Pieces<'a>) -> Value {
    let (mut speeds, mut costs) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let (one, one_used) = on(1, pieces());
        let (two, two_used) = on(2, pieces());
        speeds.push(one.as_secs_f64() / two.as_secs_f64());
        costs.push(two_used.as_secs_f64() / one_used.as_secs_f64());
    }
    speeds.sort_unstable_by(f64::total_cmp);
    costs.sort_unstable_by(f64::total_cmp);
    json!({ "speed": speeds[RUNS / 2], "processor": costs[RUNS / 2] })
}

/// Work that shares nothing: what the machine gives.
pub(crate) fn spin() -> Value {
    let spin = || {
        let sum = (0..4_000_000u64).fold(1u64, |sum, n| sum.wrapping_mul(n | 1).rotate_left(7));
        assert_ne!(std::hint::black_box(sum), 0);
    };
    scaling(|| {
        let piece = |_| Box::new(spin) as Box<dyn FnOnce() + Send>;
        (0..16).map(piece).collect()
    })
}

/// Masks and accepts of a whole text, so many times.
fn write(tokens: &Tokens, compiled: &dyn Compiled, text: &[u32], times: usize) {
    let mut row = vec![0u32; tokens.words()];
    for _ in 0..times {
        let mut run = compiled.run();
        for &token in text {
            run.mask(&mut row);
            if !run.accept(token) {
                break;
            }
        }
    }
}

/// A long text under one schema, different for each session.
fn long(session: usize) -> (String, String) {
    let members = (0..60).map(|n| {
        let word = ["name", "size", "colour", "id"][(n + session) % 4];
        format!(
            "{{\"{word}_{}\": [\"{word} {n}\", {session}]}}",
            n * session
        )
    });
    let members: Vec<String> = members.collect();
    let schema = r#"{"type":"array","items":{"type":"object","additionalProperties":{"type":"array","items":{"type":["string","integer"]}}}}"#;
    (schema.to_owned(), format!("[{}]", members.join(", ")))
}

/// Distinct schemas, each compiled by whoever writes its text.
pub(crate) fn distinct<'a>(tokens: &'a Tokens, peer: &'a dyn Peer) -> Value {
    let mut number = 5_000_000;
    scaling(move || {
        let piece = |_| {
            number += 1;
            let request = request(number);
            let text = tokens.of(&request.instance);
            Box::new(move || {
                if let Some(compiled) = peer.compile(&request.schema) {
                    write(tokens, &*compiled, &text, 1);
                }
            }) as Box<dyn FnOnce() + Send>
        };
        (0..8 * SESSIONS).map(piece).collect()
    })
}

/// One schema, compiled afresh for each run, whose sessions write different texts.
pub(crate) fn one_fresh(tokens: &Tokens, peer: &dyn Peer) -> Value {
    let texts: Vec<Vec<u32>> = (0..SESSIONS).map(|n| tokens.of(&long(n).1)).collect();
    one(tokens, &texts, || peer.compile(&long(0).0))
}

fn one(
    tokens: &Tokens,
    texts: &[Vec<u32>],
    compile: impl Fn() -> Option<Box<dyn Compiled>>,
) -> Value {
    scaling(|| {
        let Some(compiled) = compile() else {
            return Vec::new();
        };
        let piece = |text| {
            let mut run = compiled.run();
            let mut row = vec![0u32; tokens.words()];
            Box::new(move || {
                for &token in text {
                    run.mask(&mut row);
                    if !run.accept(token) {
                        break;
                    }
                }
            }) as Box<dyn FnOnce() + Send>
        };
        texts.iter().map(piece).collect()
    })
}

/// One schema whose texts were all written before.
pub(crate) fn one_warm(tokens: &Tokens, engine: &Engine) -> Value {
    let texts: Vec<Vec<u32>> = (0..SESSIONS).map(|n| tokens.of(&long(n).1)).collect();
    let constraint = constraint(engine);
    let shared = || Some(Box::new(constraint.clone()) as Box<dyn Compiled>);
    texts
        .iter()
        .for_each(|text| write(tokens, &constraint, text, 1));
    let texts: Vec<Vec<u32>> = (0..8).flat_map(|_| texts.clone()).collect();
    one(tokens, &texts, shared)
}

fn constraint(engine: &Engine) -> Constraint {
    Constraint::from_json_schema(engine, &long(0).0, &SchemaConfig::default()).unwrap()
}

/// Batches whose masks nobody has made: one by one, and by `fill_masks`, which may use its pool.
pub(crate) fn batch_cold(tokens: &Tokens, engine: &Engine) -> Value {
    let mut speeds = Vec::new();
    for run in 0..RUNS {
        let sessions = |from: usize| -> Vec<Session> {
            let of = |n: usize| {
                let schema = request(from + n).schema;
                let config = SchemaConfig::default();
                let constraint = Constraint::from_json_schema(engine, &schema, &config).unwrap();
                let mut session = constraint.session();
                let text = tokens.of(&request(from + n).instance);
                for &token in &text[..text.len() / 2] {
                    let _ = session.accept(TokenId::new(token));
                }
                session
            };
            (0..SESSIONS).map(of).collect()
        };
        let (alone, together) = (
            sessions(9_000_000 + run * 1000),
            sessions(9_500_000 + run * 1000),
        );
        let mut rows = vec![0u32; tokens.words() * SESSIONS];
        let begun = Instant::now();
        for (session, row) in alone.iter().zip(rows.chunks_exact_mut(tokens.words())) {
            session.mask(row).unwrap();
        }
        let one = begun.elapsed();
        let jobs = together.iter().zip(rows.chunks_exact_mut(tokens.words()));
        let mut jobs: Vec<Job<'_>> = jobs
            .map(|(session, rows)| Job {
                session,
                draft: &[],
                rows,
            })
            .collect();
        let begun = Instant::now();
        fill_masks(&mut jobs);
        speeds.push(one.as_secs_f64() / begun.elapsed().as_secs_f64());
    }
    speeds.sort_unstable_by(f64::total_cmp);
    json!({ "speed": speeds[RUNS / 2] })
}
