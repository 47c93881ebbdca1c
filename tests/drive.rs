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
use maskwright::front::structural_tag::{StructuralTagConfig, compile as compile_tag};
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

/// All bytes, and each two or three of those that end texts which stand without quotes, or may be text themselves.
fn vocabulary_of_ends() -> Vocabulary {
    let mut builder = VocabularyBuilder::new();
    let bytes = (0..=255u8).map(|byte| vec![byte]);
    let join = |mut text: Vec<u8>, byte| {
        text.push(byte);
        text
    };
    let ending = b"<>[]{}/|\"=\n ax";
    let pairs = ending.iter().flat_map(|&a| ending.map(|b| vec![a, b]));
    let few = b"<]}/\na";
    let pairs_of_few = few.iter().flat_map(|&a| few.map(|b| vec![a, b]));
    let triples = pairs_of_few.flat_map(|pair| few.map(|c| join(pair.clone(), c)));
    // Names with what stands around them, once and twice.
    let words: [&[u8]; 9] = [
        b"=a>",
        b"=ax>",
        b"\"a\"",
        b">a<",
        b"a</arg_key>",
        b"=a>\n1\n</parameter>\n<parameter=a>",
        b"=ab>\n1\n</parameter>\n<parameter=ac>",
        b"a\">1</parameter><parameter name=\"a\"",
        b"></parameter>\n<parameter=a>",
    ];
    let words = words.into_iter().map(<[u8]>::to_vec);
    let mut count = 0;
    for text in bytes.chain(pairs).chain(triples).chain(words) {
        builder.ordinary(TokenId::new(count), &text).unwrap();
        count += 1;
    }
    builder.special(TokenId::new(count), "<the end>").unwrap();
    builder.end_token(TokenId::new(count));
    builder.build().unwrap()
}

/// Objects with strings of which few characters may come, or a few must, and with names that are not declared.
const UNQUOTED: [&str; 5] = [
    r#"{"type":"object","properties":{"a":{"type":"string","maxLength":3}},"required":["a"],"additionalProperties":false}"#,
    r#"{"type":"object","properties":{"a":{"type":["integer","string"],"minLength":1,"maxLength":2},"b":{"type":"string"}},"additionalProperties":false}"#,
    r#"{"type":"object","properties":{"a":{"type":"string","pattern":"^[^a]*$","minLength":2,"maxLength":5}},"required":["a"],"additionalProperties":false}"#,
    r#"{"type":"object","properties":{"a":{"type":"boolean"}},"required":["a"]}"#,
    r#"{"type":"object","properties":{"ax":{"type":"string"}},"additionalProperties":{"enum":["","a",1]}}"#,
];

fn drive_often(constraint: &Constraint, name: &str) {
    let config = CheckConfig::default().steps(64, 32);
    for seed in 1..=60 {
        let mut random = Random(seed);
        let mut choose = |count: u32| random.below(count as usize) as u32;
        let driven = drive(constraint, &config, &mut choose, &mut |_| Ok(()));
        driven.unwrap_or_else(|violation| panic!("{name}, seed {seed}: {violation}"));
    }
}

#[test]
fn a_text_without_quotes_may_end_in_the_middle_of_a_token_that_could_be_text() {
    let styles = [
        "qwen_xml",
        "minimax_xml",
        "deepseek_xml",
        "deepseek_v4_1_xml",
        "glm_xml",
        "kimi_k3_xml",
        "cohere_xml",
        "minimax_m3_xml",
    ];
    let engine = Engine::new(vocabulary_of_ends());
    for (style, schema) in styles
        .iter()
        .flat_map(|style| UNQUOTED.map(|schema| (style, schema)))
    {
        let tag = format!(
            r#"{{"type":"structural_tag","format":{{"type":"json_schema","style":"{style}","json_schema":{schema}}}}}"#
        );
        let grammar = compile_tag(&tag, &StructuralTagConfig::default()).unwrap();
        let constraint = engine.constraint(grammar, &ConstraintConfig::default());
        drive_often(&constraint.unwrap(), &tag);
    }
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
