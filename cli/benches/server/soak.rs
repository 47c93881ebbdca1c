//! Many short requests over many schemas on two threads: memory, the longest calls, and whether answers are those of one.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};

use maskwright::{Constraint, Engine, SchemaConfig, TokenId};
use serde_json::{Value, json};

use crate::clock::Times;
use crate::engine::Tokens;
use crate::requests::request;

const SCHEMAS: usize = 10_000;

/// The resident memory of this process in bytes, by the kernel's word; 0 where it says nothing.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = status
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse().ok());
    pages.unwrap_or(0usize) * 4096
}

/// What the masks of a request are, all of them.
fn answer(tokens: &Tokens, engine: &Engine, number: usize, times: (&mut Times, &mut Times)) -> u64 {
    let request = request(number % SCHEMAS);
    let (compiles, calls) = times;
    let config = SchemaConfig::default();
    let compile = || Constraint::from_json_schema(engine, &request.schema, &config);
    let mut session = compiles.take(compile).unwrap().session();
    let mut row = vec![0u32; tokens.words()];
    let mut hasher = DefaultHasher::new();
    for token in tokens.of(&request.instance) {
        calls.take(|| session.mask(&mut row).unwrap());
        row.hash(&mut hasher);
        if calls.take(|| session.accept(TokenId::new(token))).is_err() {
            break;
        }
    }
    hasher.finish()
}

/// So many requests on two threads.
pub(crate) fn soak(tokens: &Tokens, engine: &Engine, requests: usize) -> Value {
    // One thread says what is right.
    let (mut compiles, mut calls) = (Times::default(), Times::default());
    let right: Vec<u64> = (0..SCHEMAS.min(requests))
        .map(|number| answer(tokens, engine, number, (&mut compiles, &mut calls)))
        .collect();
    let (next, wrong) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let memory: [AtomicUsize; 5] = Default::default();
    let work = || {
        let (mut compiles, mut calls) = (Times::default(), Times::default());
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= requests {
                return (compiles, calls);
            }
            if number % (requests / 4).max(1) == 0 {
                memory[number / (requests / 4).max(1)].store(resident(), Ordering::Relaxed);
            }
            let mixed = number.wrapping_mul(7919) % right.len();
            let mask = answer(tokens, engine, mixed, (&mut compiles, &mut calls));
            if mask != right[mixed] {
                wrong.fetch_add(1, Ordering::Relaxed);
            }
        }
    };
    let (compiles, calls) = std::thread::scope(|scope| {
        let other = scope.spawn(work);
        let (mut compiles, mut calls) = work();
        let (more_compiles, more_calls) = other.join().unwrap();
        compiles.merge(more_compiles);
        calls.merge(more_calls);
        (compiles, calls)
    });
    let memory: Vec<usize> = memory
        .iter()
        .map(|at| at.load(Ordering::Relaxed) >> 20)
        .collect();
    json!({
        "requests": requests, "schemas": right.len(), "wrong": wrong.into_inner(),
        "resident_mib_at_quarters": memory, "resident_mib_at_end": resident() >> 20,
        "compile": compiles.summary(), "call": calls.summary(),
    })
}
