//! What grows in a server: masks and accepts of objects that have more and more keys: figures, not samples
//! (`cargo bench --bench server`).

// What a bench is for ends here: a failure is a panic.
#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use maskwright::vocab::VocabularyBuilder;
use maskwright::{Constraint, Engine, SchemaConfig, Session, TokenId};
use tiktoken_rs::CoreBPE;

/// Ordinary tokens, and the token that ends a text.
const ORDINARY: u32 = 199_998;
const RETURN: u32 = 200_002;

/// The masks of so many keys at the end are measured.
const MEASURED: u32 = 200;

fn engine(bpe: &CoreBPE) -> Engine {
    let mut vocabulary = VocabularyBuilder::new();
    for id in 0..ORDINARY {
        let bytes = bpe.decode_bytes(&[id]).unwrap();
        vocabulary.ordinary(TokenId::new(id), &bytes).unwrap();
    }
    let end = TokenId::new(RETURN);
    vocabulary.special(end, "<|return|>").unwrap();
    vocabulary.end_token(end);
    Engine::new(vocabulary.build().unwrap())
}

/// Times of calls.
#[derive(Default)]
struct Times(Vec<Duration>);

impl Times {
    fn take<R>(&mut self, work: impl FnOnce() -> R) -> R {
        let begun = Instant::now();
        let result = work();
        self.0.push(begun.elapsed());
        result
    }

    fn row(&self) -> String {
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let mean = self.0.iter().sum::<Duration>() / self.0.len() as u32;
        let max = self.0.iter().max().copied().unwrap_or_default();
        format!("{:>10.1} {:>10.0}", micros(mean), micros(max))
    }
}

fn write(
    session: &mut Session,
    bpe: &CoreBPE,
    text: &str,
    mut each: impl FnMut(&mut Session, TokenId),
) {
    for id in bpe.encode_ordinary(text) {
        each(session, TokenId::new(id));
    }
}

/// The object with `keys` keys that no two are alike, of words and a number.
fn keys(engine: &Engine, bpe: &CoreBPE, keys: u32) {
    let schema = r#"{"type": "object", "additionalProperties": {"type": "integer"}}"#;
    let constraint =
        Constraint::from_json_schema(engine, schema, &SchemaConfig::default()).unwrap();
    let mut session = constraint.session();
    let mut row = vec![0u32; engine.vocabulary().mask_words()];
    let (mut masks, mut accepts) = (Times::default(), Times::default());
    let begun = Instant::now();
    write(&mut session, bpe, "{", |session, token| {
        session.accept(token).unwrap()
    });
    for key in 0..keys {
        let word = ["name", "size", "colour", "id", "created_at", "x"][key as usize % 6];
        let comma = if key == 0 { "" } else { "," };
        let member = format!(
            "{comma}\"{word}_{}\":1",
            key.wrapping_mul(2_654_435_761) % 1_000_003
        );
        let measured = key + MEASURED >= keys;
        write(&mut session, bpe, &member, |session, token| {
            if measured {
                masks.take(|| session.mask(&mut row).unwrap());
                accepts.take(|| session.accept(token).unwrap());
            } else {
                session.accept(token).unwrap();
            }
        });
    }
    println!(
        "{keys:>8} {} {} {:>10.2?}",
        masks.row(),
        accepts.row(),
        begun.elapsed()
    );
}

fn main() {
    let bpe = tiktoken_rs::o200k_harmony().unwrap();
    let engine = engine(&bpe);
    println!(
        "{:>8} {:>10} {:>10} {:>10} {:>10} {:>10}",
        "keys", "mask, us", "max", "accept, us", "max", "in all"
    );
    let most: u32 = std::env::var("KEYS")
        .ok()
        .and_then(|most| most.parse().ok())
        .unwrap_or(100_000);
    for count in [10, 100, 800, 5_000, 20_000, 100_000] {
        if count <= most {
            keys(&engine, &bpe, count);
        }
    }
}
