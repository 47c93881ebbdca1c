//! What building automata costs, ours and those of `regex-automata`: the figures of
//! `docs/internals/json-schema-corners.md`.
//!
//! The patterns are all that MaskBench's schemas have, as far as both dialects can say them. Each is made a
//! dense automaton of the whole text, with anything before and behind it, as `pattern` means it.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::PathBuf;
use std::time::Instant;

use maskwright::base::Limits;
use maskwright::regular::Dfa;
use regex_automata::dfa::{StartKind, dense};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use serde_json::Value;

/// Automata of more bytes are given up.
const MOST_BYTES: usize = 1 << 26;

fn patterns() -> Option<BTreeSet<String>> {
    let data = std::env::var_os("MASKWRIGHT_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared")),
        PathBuf::from,
    );
    let file = std::fs::File::open(data.join("data/maskbench-dev.jsonl.zst")).ok()?;
    let mut text = String::new();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(file).unwrap();
    decoder.read_to_string(&mut text).unwrap();
    let mut found = BTreeSet::new();
    for line in text.lines() {
        add_patterns(&serde_json::from_str(line).unwrap(), &mut found);
    }
    Some(found)
}

fn add_patterns(value: &Value, found: &mut BTreeSet<String>) {
    let parts: Vec<&Value> = match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(members) => {
            found.extend(
                members
                    .get("pattern")
                    .and_then(Value::as_str)
                    .map(str::to_owned),
            );
            let keyed = members.get("patternProperties").and_then(Value::as_object);
            found.extend(keyed.into_iter().flat_map(|keyed| keyed.keys().cloned()));
            members.values().collect()
        }
        _ => return,
    };
    parts.into_iter().for_each(|part| add_patterns(part, found));
}

/// A pattern in Rust's dialect, where the classes of ECMA-262 are ASCII; `None` where it looks around.
fn in_rust(pattern: &str) -> Option<String> {
    if ["(?=", "(?!", "(?<=", "(?<!"]
        .iter()
        .any(|look| pattern.contains(look))
    {
        return None;
    }
    let (mut rust, mut in_class) = (String::new(), false);
    let mut characters = pattern.chars();
    while let Some(c) = characters.next() {
        match (c, in_class) {
            ('\\', _) => match (characters.next()?, in_class) {
                ('d', false) => rust.push_str("[0-9]"),
                ('d', true) => rust.push_str("0-9"),
                ('w', false) => rust.push_str("[0-9A-Za-z_]"),
                ('w', true) => rust.push_str("0-9A-Za-z_"),
                (c, _) => rust.extend(['\\', c]),
            },
            ('[' | '&' | '~', true) => rust.extend(['\\', c]),
            _ => {
                in_class = (in_class || c == '[') && c != ']';
                rust.push(c);
            }
        }
    }
    Some(format!(r"\A(?s:.)*?(?:{rust})(?s:.)*\z"))
}

fn theirs(pattern: &str, minimal: bool) -> Option<dense::DFA<Vec<u32>>> {
    let config = dense::Config::new()
        .minimize(minimal)
        .accelerate(false)
        .start_kind(StartKind::Anchored)
        .dfa_size_limit(Some(MOST_BYTES))
        .determinize_size_limit(Some(MOST_BYTES));
    let nfa = thompson::Config::new().which_captures(WhichCaptures::None);
    let mut builder = dense::Builder::new();
    builder.configure(config).thompson(nfa).build(pattern).ok()
}

/// The least time of three, in microseconds.
fn micros<T>(build: impl Fn() -> Option<T>) -> Option<f64> {
    let times = (0..3).map(|_| {
        let begin = Instant::now();
        build().map(|_| begin.elapsed().as_secs_f64() * 1e6)
    });
    times
        .collect::<Option<Vec<f64>>>()?
        .into_iter()
        .reduce(f64::min)
}

#[test]
#[ignore = "measures; docs/internals/json-schema-corners.md has the result"]
fn building() {
    let Some(patterns) = patterns() else {
        return eprintln!("skipped: no data (set MASKWRIGHT_DATA)");
    };
    let limits = Limits::default();
    let (mut common, mut too_large) = (0, 0);
    let mut rows: [Vec<f64>; 3] = Default::default();
    for pattern in &patterns {
        let own = || Dfa::pattern(pattern, &limits).ok();
        let Some(rust) = in_rust(pattern).filter(|_| own().is_some()) else {
            continue;
        };
        if thompson::NFA::new(&rust).is_err() {
            continue;
        }
        common += 1;
        let Some(dense) = micros(|| theirs(&rust, false)) else {
            too_large += 1;
            continue;
        };
        rows[0].extend(micros(own));
        rows[1].push(dense);
        // Minimising is quadratic and more.
        rows[2].extend(if dense < 20_000.0 {
            micros(|| theirs(&rust, true))
        } else {
            None
        });
    }
    println!(
        "{} patterns, {common} in both dialects, {too_large} of them beyond {MOST_BYTES} bytes",
        patterns.len()
    );
    for (name, row) in ["ours, minimal", "theirs", "theirs, minimal"]
        .iter()
        .zip(&mut rows)
    {
        row.sort_by(f64::total_cmp);
        let at = |share: usize| row[(row.len() - 1) * share / 100];
        let mean = row.iter().sum::<f64>() / row.len() as f64;
        println!(
            "{name}: {} built, mean {mean:.0} µs, p50 {:.0}, p90 {:.0}, p99 {:.0}, max {:.0}",
            row.len(),
            at(50),
            at(90),
            at(99),
            at(100)
        );
    }
}
