//! What is nested deep, or refers on and on, is compiled or refused on a small stack: compiling, linting, lowering,
//! masks, reading on and dropping.

#![allow(clippy::unwrap_used)]

#[path = "deep/bounds.rs"]
mod bounds;
#[path = "deep/formats.rs"]
mod formats;
#[path = "deep/readers.rs"]
mod readers;
#[path = "deep/schemas.rs"]
mod schemas;
#[path = "deep/texts.rs"]
mod texts;
#[path = "deep/work.rs"]
mod work;

use maskwright::base::{Limits, TokenId};
use maskwright::check::{CheckConfig, drive};
use maskwright::front::abnf::{Abnf, Unbound};
use maskwright::front::json_schema::{JsonRules, SchemaConfig, compile, faults};
use maskwright::front::schema_lint::lint;
use maskwright::grammar::{Grammar, GrammarBuilder};
use maskwright::session::{ConstraintConfig, Engine};
use maskwright::vocab::VocabularyBuilder;

/// The least stack that hosts give their threads.
const STACK: usize = 512 << 10;

/// Does `work` on a small stack. An overflow aborts the process, as it would a host's.
fn on_a_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work);
    thread.unwrap().join().unwrap()
}

/// `depth` times `open`, then `inner`, then as often `close`.
fn nested(depth: usize, open: &str, inner: &str, close: &str) -> String {
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

fn engine() -> Engine {
    let mut vocabulary = VocabularyBuilder::new();
    for byte in 0..=255u8 {
        let id = TokenId::new(u32::from(byte));
        vocabulary.ordinary(id, &[byte]).unwrap();
    }
    for (word, id) in ["{\"", "\":", "[[", "]]", "}}", "true"].iter().zip(300..) {
        let id = TokenId::new(id);
        vocabulary.ordinary(id, word.as_bytes()).unwrap();
    }
    vocabulary.special(TokenId::new(400), "<end>").unwrap();
    vocabulary.end_token(TokenId::new(400));
    Engine::new(vocabulary.build().unwrap())
}

/// Lints and compiles a schema, and reads on in what it allows; gives why it was refused.
fn schema(engine: &Engine, text: &str) -> Result<(), String> {
    let config = SchemaConfig::default();
    // What the linter says of a schema that is refused is no matter here.
    let warnings = lint(text, &config);
    let found = faults(text, &config);
    let compiled = compile(text, &config).map_err(|error| error.to_string())?;
    assert!(warnings.is_ok() && found.is_empty());
    assert!(compiled.report().sets > 0);
    let mut builder = GrammarBuilder::new(Limits::default());
    let mut rules = JsonRules::new(&config).unwrap();
    let root = compiled.lower_into(&mut rules, &mut builder);
    let grammar = builder.finish(root).map_err(|error| error.to_string())?;
    read_on(engine, grammar)
}

fn abnf(engine: &Engine, text: &str) -> Result<(), String> {
    let limits = Limits::default();
    let abnf = Abnf::parse(text, &limits).map_err(|error| error.to_string())?;
    let grammar = abnf.lower("a", &mut Unbound, &limits);
    read_on(engine, grammar.map_err(|error| error.to_string())?)
}

/// Masks, forced tokens, forks and ways out, for a few tokens.
fn read_on(engine: &Engine, grammar: Grammar) -> Result<(), String> {
    let constraint = engine.constraint(grammar, &ConstraintConfig::default());
    let constraint = constraint.map_err(|error| error.to_string())?;
    let mut seed = 1u32;
    let mut choose = |n: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) % n
    };
    let config = CheckConfig::default().steps(6, 0).reference_every(0);
    let run = drive(&constraint, &config, &mut choose, &mut |_| Ok(()));
    run.map(drop).map_err(|error| error.to_string())
}

/// Patterns with groups within each other, of every kind.
#[test]
fn patterns() {
    for (open, close) in [
        ("(", ")"),
        ("(?:a|", ")"),
        ("(a", "b)*"),
        ("(?=", ")"),
        ("(?<=", ")"),
        ("(|", ")?"),
    ] {
        for depth in [256, 257, 100_000] {
            let pattern = nested(depth, open, "x", close);
            let refused = on_a_small_stack(move || {
                let text = serde_json::to_string(&pattern).unwrap();
                let schema = format!("{{\"type\": \"string\", \"pattern\": {text}}}");
                let whole = nested(20, "{\"items\":", &schema, "}");
                [schema, whole].map(|text| self::schema(&engine(), &text).err())
            });
            for refused in refused {
                let is_limit = |error: &String| error.contains("allowed");
                assert!(
                    refused.iter().all(is_limit),
                    "{open} x {depth}: {refused:?}"
                );
                assert!(depth <= 256 || refused.is_some(), "{open} x {depth}");
            }
        }
    }
}

/// Groups of a grammar within each other, rules that lead on and on, and rules within each other for good.
#[test]
fn grammars() {
    for (open, close) in [
        ("[", "]"),
        ("(", ")"),
        ("*(\"a\" / \"b\" ", ")"),
        ("(\"a\" [", " \"c\"] / \"d\")"),
        ("(\"a\" / ", ")"),
    ] {
        for depth in [60, 127, 255, 256, 257, 100_000] {
            let text = format!("a = {}\n", nested(depth, open, "\"x\"", close));
            let refused = on_a_small_stack(move || abnf(&engine(), &text).err());
            let is_limit = |error: &String| error.contains("allowed");
            assert!(
                refused.iter().all(is_limit),
                "{open} x {depth}: {refused:?}"
            );
            assert!(depth <= 256 || refused.is_some(), "{open} x {depth}");
        }
    }
    let chain = |count: usize, rule: &dyn Fn(usize) -> String| {
        let rules: Vec<String> = (0..count).map(rule).collect();
        format!("a = r0\n{}\nr{count} = \"x\"\n", rules.join("\n"))
    };
    for text in [
        chain(20_000, &|i| format!("r{i} = r{}", i + 1)),
        chain(20_000, &|i| format!("r{i} = \"a\" r{} \"b\"", i + 1)),
        chain(2_000, &|i| format!("r{i} = [r{}] \"b\" / r0 \"c\"", i + 1)),
    ] {
        let refused = on_a_small_stack(move || abnf(&engine(), &text).err());
        let is_limit = |error: &String| error.contains("allowed");
        assert!(refused.iter().all(is_limit), "{refused:?}");
    }
}
