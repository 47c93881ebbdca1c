//! What grows: keys, items that must differ, schemas; and what comes first: masks and accepts.

use serde_json::{Value, json};

use crate::clock::Times;
use crate::engine::{Peer, Run, Tokens};
use crate::requests::{BEGINNINGS, PATTERNS, request};

/// The masks of so many members at the end are measured.
const MEASURED: usize = 200;

/// Masks and accepts.
#[derive(Default)]
struct Steps {
    masks: Times,
    accepts: Times,
}

impl Steps {
    /// Writes `text`, as far as it is taken; says whether all of it was.
    fn write(&mut self, tokens: &Tokens, run: &mut dyn Run, text: &str, measured: bool) -> bool {
        let mut row = vec![0u32; tokens.words()];
        tokens.of(text).into_iter().all(|token| match measured {
            true => {
                self.masks.take(|| run.mask(&mut row));
                self.accepts.take(|| run.accept(token))
            }
            false => run.accept(token),
        })
    }

    fn json(&self) -> Value {
        json!({ "mask": self.masks.summary(), "accept": self.accepts.summary() })
    }
}

/// An object of `count` keys that no two are alike: the last of them.
pub(crate) fn keys(tokens: &Tokens, peer: &dyn Peer, count: usize) -> Option<Value> {
    let schema = r#"{"type":"object","additionalProperties":{"type":"integer"}}"#;
    let compiled = peer.compile(schema)?;
    let (mut run, mut steps) = (compiled.run(), Steps::default());
    let mut all = Times::default();
    steps.write(tokens, &mut *run, "{", false);
    for key in 0..count {
        let word = ["name", "size", "colour", "id", "created_at", "x"][key % 6];
        let comma = if key == 0 { "" } else { "," };
        let number = key.wrapping_mul(2_654_435_761) % 1_000_003;
        let member = format!("{comma}\"{word}_{number}\":1");
        let measured = key + MEASURED >= count;
        all.take(|| steps.write(tokens, &mut *run, &member, measured))
            .then_some(())?;
    }
    let mut row = steps.json();
    row["longest_key"] = json!(all.max());
    Some(row)
}

/// All items but one of an enumeration of `count` words, no two alike.
pub(crate) fn unique(tokens: &Tokens, peer: &dyn Peer, count: usize) -> Option<Value> {
    let words: Vec<String> = (0..count)
        .map(|n| {
            let word = ["red", "green", "blue", "value", "item"][n % 5];
            format!("\"{word}_{}\"", n * 7919 % 10_007)
        })
        .collect();
    let schema = format!(
        r#"{{"type":"array","uniqueItems":true,"items":{{"enum":[{}]}}}}"#,
        words.join(",")
    );
    let compiled = peer.compile(&schema)?;
    let (mut run, mut steps) = (compiled.run(), Steps::default());
    for (index, word) in words.iter().take(count - 1).enumerate() {
        let before = if index == 0 { "[" } else { "," };
        steps
            .write(tokens, &mut *run, &format!("{before}{word}"), true)
            .then_some(())?;
    }
    Some(steps.json())
}

/// The last of `count` distinct integers.
pub(crate) fn integers(tokens: &Tokens, peer: &dyn Peer, count: usize) -> Option<Value> {
    let schema = r#"{"type":"array","uniqueItems":true,"items":{"type":"integer"}}"#;
    let compiled = peer.compile(schema)?;
    let (mut run, mut steps) = (compiled.run(), Steps::default());
    for index in 0..count {
        let before = if index == 0 { "[" } else { ", " };
        let number = index.wrapping_mul(2_654_435_761) % 1_000_003;
        let measured = index + MEASURED >= count;
        steps
            .write(tokens, &mut *run, &format!("{before}{number}"), measured)
            .then_some(())?;
    }
    Some(steps.json())
}

/// A stream of schemas, no two alike, through a small cache: the second half of them.
pub(crate) fn stream(tokens: &Tokens, peer: &dyn Peer, count: usize) -> Option<Value> {
    let (mut steps, mut compiles) = (Steps::default(), Times::default());
    for number in 0..count {
        let request = request(number);
        if number == count / 2 {
            (steps, compiles) = (Steps::default(), Times::default());
        }
        let compiled = compiles.take(|| peer.compile(&request.schema))?;
        steps.write(tokens, &mut *compiled.run(), &request.instance, true);
    }
    let mut row = steps.json();
    row["compile"] = compiles.summary();
    Some(row)
}

/// The masks of a pattern or format that nobody has seen, to the end of a text.
pub(crate) fn first_masks(tokens: &Tokens, peer: impl Fn() -> Box<dyn Peer>) -> Value {
    let mut steps = Steps::default();
    for (schema, text) in PATTERNS.iter().zip(BEGINNINGS) {
        let peer = peer();
        if let Some(compiled) = peer.compile(schema) {
            steps.write(tokens, &mut *compiled.run(), text, true);
        }
    }
    steps.json()
}

/// The masks and accepts of `count` fresh schemas, no two alike.
pub(crate) fn first_accepts(tokens: &Tokens, peer: &dyn Peer, count: usize) -> Option<Value> {
    let mut steps = Steps::default();
    for number in 0..count {
        let request = request(1_000_000 + number);
        let compiled = peer.compile(&request.schema)?;
        steps.write(tokens, &mut *compiled.run(), &request.instance, true);
    }
    Some(steps.json())
}
