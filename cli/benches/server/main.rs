//! What a server's engine does as things grow, beside llguidance in the same run: figures, not samples
//! (`cargo bench -p maskwright-cli --bench server -- [ROW …] [--json FILE] [--most N] [--soak REQUESTS]`).

// What a bench is for ends here: a failure is a panic.
#![allow(clippy::unwrap_used)]

mod clock;
mod engine;
mod formats;
mod requests;
mod rows;
mod soak;
mod threads;
#[path = "../../../benches/support/tools.rs"]
mod tools;

use engine::{Peer, Tokens};
use serde_json::{Value, json};

/// A small cache, in bytes: it overflows many times in a stream.
const SMALL_CACHE: usize = 16 << 20;
const STREAM: usize = 20_000;
const FRESH: usize = 2_000;
/// Beyond so many keys the yardstick, which does not look for repeated ones, has shown that it is flat.
const MOST_KEYS_OF_THEIRS: usize = 10_000;

/// What is asked for.
struct Asked {
    rows: Vec<String>,
    json: Option<String>,
    most: usize,
    soak: Option<usize>,
}

impl Asked {
    fn read() -> Self {
        let mut asked = Self {
            rows: Vec::new(),
            json: None,
            most: 100_000,
            soak: None,
        };
        let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
        while let Some(word) = words.next() {
            match word.as_str() {
                "--json" => asked.json = words.next(),
                "--most" => asked.most = words.next().unwrap().parse().unwrap(),
                "--soak" => asked.soak = Some(words.next().unwrap().parse().unwrap()),
                _ => asked.rows.push(word),
            }
        }
        asked
    }

    fn has(&self, row: &str) -> bool {
        let is_default = self.rows.is_empty() && self.soak.is_none();
        is_default || self.rows.iter().any(|asked| asked == row)
    }
}

/// The table: rows are printed as they come, and kept.
#[derive(Default)]
struct Table(Vec<Value>);

impl Table {
    fn add(&mut self, row: &str, engine: &str, figures: Option<Value>) {
        let figures = figures.unwrap_or(Value::Null);
        println!("{row:<28} {engine:<11} {}", line(&figures));
        self.0
            .push(json!({ "row": row, "engine": engine, "figures": figures }));
    }
}

/// Figures on a line, such as `mask mean 1.2 p99 3.4`.
fn line(figures: &Value) -> String {
    match figures {
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| match value {
                Value::Object(_) => format!("{name}: {}", line(value)),
                _ => format!("{name} {}", line(value)),
            };
            fields.iter().map(field).collect::<Vec<_>>().join("  ")
        }
        Value::Number(number) if number.is_f64() => {
            format!("{:.2}", number.as_f64().unwrap_or_default())
        }
        Value::Null => "-".to_owned(),
        other => other.to_string(),
    }
}

fn growing(asked: &Asked, tokens: &Tokens, table: &mut Table) {
    let (ours, theirs) = (tokens.ours(None), tokens.theirs());
    let peers: [&dyn Peer; 2] = [&ours, &theirs];
    if asked.has("keys") {
        for count in [10, 100, 1_000, 10_000, 100_000] {
            let few = count <= asked.most;
            for peer in peers.iter().filter(|_| few) {
                if peer.name() == ours.name() || count <= MOST_KEYS_OF_THEIRS {
                    let figures = rows::keys(tokens, *peer, count);
                    table.add(&format!("keys {count}"), peer.name(), figures);
                }
            }
        }
    }
    if asked.has("unique") {
        for count in [10, 100, 400, 1_000] {
            for peer in peers {
                let figures = rows::unique(tokens, peer, count);
                table.add(&format!("unique {count}"), peer.name(), figures);
            }
        }
        for count in [10, 100, 1_000, 10_000] {
            let figures = rows::integers(tokens, &ours, count);
            table.add(&format!("integers {count}"), ours.name(), figures);
        }
    }
    if asked.has("accepts") {
        for peer in peers {
            let figures = rows::first_accepts(tokens, peer, FRESH);
            table.add("first accepts", peer.name(), figures);
        }
    }
    if asked.has("stream") {
        let small = tokens.ours(Some(SMALL_CACHE));
        let figures = rows::stream(tokens, &small, STREAM);
        table.add(&format!("stream {STREAM}"), ours.name(), figures);
        let figures = rows::stream(tokens, &theirs, STREAM / 10);
        table.add(&format!("stream {}", STREAM / 10), theirs.name(), figures);
    }
    if asked.has("masks") {
        let fresh = || Box::new(tokens.ours(None)) as Box<dyn Peer>;
        table.add(
            "first masks",
            ours.name(),
            Some(rows::first_masks(tokens, fresh)),
        );
        let fresh = || Box::new(tokens.theirs()) as Box<dyn Peer>;
        table.add(
            "first masks",
            theirs.name(),
            Some(rows::first_masks(tokens, fresh)),
        );
    }
}

fn threaded(tokens: &Tokens, table: &mut Table) {
    let (ours, theirs) = (tokens.ours(None), tokens.theirs());
    table.add("2 threads, spin", "", Some(threads::spin()));
    for peer in [&ours as &dyn Peer, &theirs] {
        let figures = threads::distinct(tokens, peer);
        table.add("2 threads, distinct fresh", peer.name(), Some(figures));
        let figures = threads::one_fresh(tokens, peer);
        table.add("2 threads, one fresh", peer.name(), Some(figures));
    }
    let figures = threads::one_warm(tokens, &ours);
    table.add("2 threads, one warm", ours.name(), Some(figures));
    let figures = threads::batch_cold(tokens, &ours);
    table.add("2 threads, batch cold", ours.name(), Some(figures));
}

fn main() {
    let asked = Asked::read();
    let (tokens, mut table) = (Tokens::new(), Table::default());
    println!(
        "microseconds of processor time; threads: how many times as fast as one, and its processor time"
    );
    growing(&asked, &tokens, &mut table);
    if asked.has("formats") {
        for (name, figures) in formats::formats(&tokens.ours(None)) {
            table.add(
                &format!("format {name}, tools"),
                "maskwright",
                Some(figures),
            );
        }
    }
    if asked.has("threads") {
        threaded(&tokens, &mut table);
    }
    if let Some(requests) = asked.soak {
        let figures = soak::soak(&tokens, &tokens.ours(None), requests);
        table.add("soak", "maskwright", Some(figures));
    }
    if let Some(file) = asked.json {
        let text = serde_json::to_string_pretty(&json!({ "rows": table.0 })).unwrap();
        std::fs::write(file, text + "\n").unwrap();
    }
}
