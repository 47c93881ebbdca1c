//! Every promise of `check::drive` at every step: over the schemas of our own tests and all formats, and, ignored, 10^8 steps
//! over published schemas.

#![allow(clippy::unwrap_used)]

#[path = "support/random.rs"]
mod random;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use maskwright::base::{Limits, TokenId};
use maskwright::check::{CheckConfig, Violation, drive};
use maskwright::front::chat::{ChatOptions, Format, ToolSet, compile as compile_chat};
use maskwright::front::json_schema::{JsonRules, PropertyOrder, SchemaConfig, compile};
use maskwright::grammar::{Grammar, GrammarBuilder};
use maskwright::session::{Constraint, ConstraintConfig, Engine};
use maskwright::vocab::{Vocabulary, VocabularyBuilder};
use random::Random;
use serde::Deserialize;

/// What sessions are driven over.
#[derive(Clone, Debug)]
enum Input {
    Schema(String, PropertyOrder),
    /// A turn of a format that comes along.
    Format(&'static str),
}

/// What a run over many inputs came to.
#[derive(Debug, Default)]
struct Sum {
    refused: AtomicUsize,
    texts: AtomicUsize,
    complete: AtomicUsize,
    steps: AtomicUsize,
}

/// All bytes, what is common in JSON in one token, pairs of letters and digits, and `controls`.
fn vocabulary(controls: &[String]) -> Vocabulary {
    let common = [
        "{\"", "\":", "\": ", "\", \"", "\"}", "},", "}}", "]}", "[]", "{}", "\": {", "\": [",
        "true", "false", "null", "  ", "\n", "\n  ", "\\n", "\\\"", "\\u00", "é", "日本", "😀",
        "-1", "0.", "e+", "://", ".com", "@",
    ];
    let mut builder = VocabularyBuilder::new();
    let mut ids = (0..).map(TokenId::new);
    let mut ordinary = |spelling: &[u8]| {
        let id = ids.next().unwrap();
        builder.ordinary(id, spelling).unwrap();
    };
    (0..=255u8).for_each(|byte| ordinary(&[byte]));
    common.iter().for_each(|word| ordinary(word.as_bytes()));
    for letters in [b'a'..=b'z', b'0'..=b'9'] {
        for first in letters.clone() {
            letters
                .clone()
                .for_each(|second| ordinary(&[first, second]));
        }
    }
    for control in controls {
        builder.special(ids.next().unwrap(), control).unwrap();
    }
    let end = ids.next().unwrap();
    builder.special(end, "<the end>").unwrap();
    builder.end_token(end);
    builder.build().unwrap()
}

const TOOLS: &str = r#"[{"name":"look","parameters":{"type":"object","properties":{"at":{"type":"string"},"n":{"type":"integer"}},"required":["at"]}},
    {"name":"go"}]"#;

fn constraint(input: &Input, plain: &Engine) -> Option<Constraint> {
    let config = ConstraintConfig::default();
    match input {
        Input::Schema(schema, order) => {
            let grammar = schema_grammar(schema, *order)?;
            plain.constraint(grammar, &config).ok()
        }
        Input::Format(name) => {
            let limits = Limits::default();
            let format = Format::built_in(name, &limits).unwrap().unwrap();
            let mut options = ChatOptions::default();
            options.tools = ToolSet::parse(TOOLS, &limits).unwrap();
            let grammar = compile_chat(&format, "assistant-turn", &options).unwrap();
            let engine = Engine::new(vocabulary(format.controls()));
            Some(engine.constraint(grammar, &config).unwrap())
        }
    }
}

fn schema_grammar(schema: &str, order: PropertyOrder) -> Option<Grammar> {
    let config = SchemaConfig {
        order,
        ..SchemaConfig::default()
    };
    let schema = compile(schema, &config).ok()?;
    let mut builder = GrammarBuilder::new(Limits::default());
    let mut rules = JsonRules::new(&config).unwrap();
    let root = schema.lower_into(&mut rules, &mut builder);
    builder.finish(root).ok()
}

/// Drives sessions of one constraint for so many steps.
fn drive_for(constraint: &Constraint, steps: usize, seed: u64, sum: &Sum) -> Result<(), Violation> {
    // The reference walks every token, which takes as long as hundreds of steps.
    let config = CheckConfig::default().steps(400, 60).reference_every(97);
    let mut random = Random(seed);
    let mut left = steps;
    while left > 0 {
        let mut choose = |count: u32| random.below(count as usize) as u32;
        let run = drive(constraint, &config, &mut choose, &mut |_| Ok(()))?;
        let taken = run.tokens.len() + 1;
        left = left.saturating_sub(taken);
        sum.steps.fetch_add(taken, Ordering::Relaxed);
        sum.texts.fetch_add(1, Ordering::Relaxed);
        sum.complete
            .fetch_add(usize::from(run.complete), Ordering::Relaxed);
    }
    Ok(())
}

/// Drives each of `inputs` for its share of `steps`, on both cores.
fn drive_all(inputs: &[Input], steps: usize) -> Sum {
    let sum = Sum::default();
    let share = steps.div_ceil(inputs.len());
    let plain = Engine::new(vocabulary(&[]));
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(index) =
            Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&index| index < inputs.len())
        {
            let input = &inputs[index];
            match constraint(input, &plain) {
                None => _ = sum.refused.fetch_add(1, Ordering::Relaxed),
                Some(constraint) => {
                    let driven = drive_for(&constraint, share, index as u64 + 1, &sum);
                    driven.unwrap_or_else(|violation| panic!("{violation}: {input:?}"));
                }
            }
        }
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(work);
        work();
        other.join().unwrap();
    });
    sum
}

fn formats() -> impl Iterator<Item = Input> {
    Format::BUILT_IN.iter().copied().map(Input::Format)
}

/// A schema in each order of properties.
fn in_each_order(schema: String) -> [Input; 2] {
    let orders = [PropertyOrder::Declared, PropertyOrder::Any];
    orders.map(|order| Input::Schema(schema.clone(), order))
}

#[test]
fn promises_hold_over_our_own_schemas_and_all_formats() {
    #[derive(Deserialize)]
    struct Suite {
        case: Vec<Case>,
    }
    #[derive(Deserialize)]
    struct Case {
        schema: String,
        #[serde(default)]
        error: Vec<String>,
    }
    let suite: Suite = toml::from_str(include_str!("data/json_schema.toml")).unwrap();
    let cases = suite.case.into_iter().filter(|case| case.error.is_empty());
    let schemas = cases.flat_map(|case| in_each_order(case.schema));
    let inputs: Vec<Input> = schemas.chain(formats()).collect();
    let sum = drive_all(&inputs, 100 * inputs.len());
    eprintln!("{sum:?}");
    let (refused, complete) = (sum.refused.into_inner(), sum.complete.into_inner());
    assert!(refused < inputs.len() / 10, "{refused} of {}", inputs.len());
    assert!(
        complete > inputs.len() / 2,
        "{complete} of {}",
        inputs.len()
    );
}

#[test]
#[ignore = "10^8 steps; docs/testing.md has the command, and how far it came"]
fn promises_hold_for_very_many_steps() {
    let root = std::env::var_os("MASKWRIGHT_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let Ok(file) = std::fs::File::open(root.join("data/maskbench-dev.jsonl.zst")) else {
        eprintln!("skipped: the published schemas are absent (set MASKWRIGHT_DATA)");
        return;
    };
    #[derive(Deserialize)]
    struct Row {
        schema: serde_json::Value,
    }
    let decoder = ruzstd::decoding::StreamingDecoder::new(file).unwrap();
    let rows = serde_json::Deserializer::from_reader(decoder).into_iter::<Row>();
    let schemas = rows.flat_map(|row| in_each_order(row.unwrap().schema.to_string()));
    let inputs: Vec<Input> = schemas.chain(formats()).collect();
    let steps =
        std::env::var("MASKWRIGHT_STEPS").map_or(100_000_000, |steps| steps.parse().unwrap());
    eprintln!("{} inputs: {:?}", inputs.len(), drive_all(&inputs, steps));
}
