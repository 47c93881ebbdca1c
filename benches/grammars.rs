//! What compiling grammars costs, and masking under a large one beside JSON: figures, not samples
//! (`cargo bench --bench grammars`).

// What a bench is for ends here: a failure is a panic.
#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use maskwright::base::{Limits, TokenId};
use maskwright::front::ebnf::{Ebnf, ROOT};
use maskwright::front::json_schema::{JsonRules, SchemaConfig, compile};
use maskwright::front::lark::{Lark, START};
use maskwright::grammar::{Grammar, GrammarBuilder};
use maskwright::session::{ConstraintConfig, Engine};
use maskwright::vocab::VocabularyBuilder;

/// Grammars of the kinds that vLLM's documentation and tests hand over.
const EBNF: [(&str, &str); 3] = [
    (
        "SQL",
        r#"
root ::= select
select ::= "SELECT " columns " FROM " table (" WHERE " condition)?
columns ::= "*" | column (", " column)*
condition ::= column " " ("=" | "<" | ">") " " value
table ::= name
column ::= name
value ::= [0-9]+ | "'" [^']* "'"
name ::= [a-z_] [a-z0-9_]*
"#,
    ),
    (
        "sums",
        "root ::= root (\"+\" | \"-\") product | product\nproduct ::= product \"*\" n | n\nn ::= [0-9]+ | \"(\" root \")\"",
    ),
    (
        "call",
        "root ::= \"call(\" arg (\", \" arg)* \")\"\narg ::= [a-z]+ \"=\" (\"\\\"\" [^\"]* \"\\\"\" | [0-9]+)",
    ),
];
const LARK: &str = r#"
start: "SELECT" columns "FROM" CNAME ["WHERE" condition]
columns: "*" | CNAME ("," CNAME)*
condition: CNAME ("=" | "<" | ">") (INT | ESCAPED_STRING)
%import common (CNAME, INT, ESCAPED_STRING, WS)
%ignore WS
"#;
const SCHEMA: &str = r#"{"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"},
    "tags": {"type": "array", "items": {"type": "string"}}, "unit": {"enum": ["celsius", "fahrenheit"]}},
    "required": ["name"], "additionalProperties": false}"#;

/// A grammar of so many rules, each a call of others or a leaf.
fn large(rules: usize) -> String {
    let mut source = "root ::= r0\n".to_owned();
    let calls = rules - 2;
    for i in 0..calls {
        let (one, other) = ((i * 7 + 1) % calls, (i * 13 + 2) % calls);
        source += &format!(
            "r{i} ::= \"f{i}(\" r{one} (\", \" r{other})? \")\" | [a-z]+ | [0-9]+ | \"\\\"\" text \"\\\"\"\n"
        );
    }
    source + "text ::= [^\"\\\\\\n]*\n"
}

fn parsed(source: &str) -> Ebnf {
    Ebnf::parse(source, &Limits::default()).unwrap()
}

fn ebnf(source: &str) -> Grammar {
    parsed(source).lower(ROOT, &Limits::default()).unwrap()
}

fn schema() -> Grammar {
    let config = SchemaConfig::default();
    let mut builder = GrammarBuilder::new(Limits::default());
    let mut rules = JsonRules::new(&config).unwrap();
    let root = compile(SCHEMA, &config)
        .unwrap()
        .lower_into(&mut rules, &mut builder);
    builder.finish(root).unwrap()
}

/// The tokens of o200k.
fn engine() -> Engine {
    let bpe = tiktoken_rs::o200k_base().unwrap();
    let mut vocabulary = VocabularyBuilder::new();
    for id in 0..199_998 {
        let bytes = bpe.decode_bytes(&[id]).unwrap();
        vocabulary.ordinary(TokenId::new(id), &bytes).unwrap();
    }
    vocabulary.special(TokenId::new(199_999), "<end>").unwrap();
    vocabulary.end_token(TokenId::new(199_999));
    Engine::new(vocabulary.build().unwrap())
}

/// How long a mask and the token after it take, over random texts.
fn step(engine: &Engine, grammar: Grammar) -> Duration {
    let constraint = engine
        .constraint(grammar, &ConstraintConfig::default())
        .unwrap();
    let mut row = vec![0; constraint.vocabulary().mask_words()];
    let mut seed = 7u64;
    let mut random = move || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize
    };
    let (mut spent, mut tokens) = (Duration::ZERO, 0u32);
    for _ in 0..200 {
        let mut session = constraint.session();
        for _ in 0..40 {
            if session.is_finished() {
                break;
            }
            let begun = Instant::now();
            session.mask(&mut row).unwrap();
            spent += begun.elapsed();
            let from = random() % row.len();
            let words = (0..row.len()).map(|at| (from + at) % row.len());
            let word = words.clone().find(|&word| row[word] != 0).unwrap();
            let token = TokenId::new((word * 32) as u32 + row[word].trailing_zeros());
            let begun = Instant::now();
            session.accept(token).unwrap();
            spent += begun.elapsed();
            tokens += 1;
            if session.has_ended() {
                break;
            }
        }
    }
    spent / tokens
}

fn median(mut run: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..51)
        .map(|_| {
            let begun = Instant::now();
            run();
            begun.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[25]
}

fn main() {
    for (name, source) in EBNF {
        println!("compile, EBNF {name}: {:?}", median(|| drop(ebnf(source))));
    }
    let config = SchemaConfig::default();
    let lark = || {
        drop(
            Lark::parse(LARK, &config)
                .unwrap()
                .lower(START, &config)
                .unwrap(),
        )
    };
    println!("compile, Lark SQL: {:?}", median(lark));
    for rules in [75, 150, 300, 600] {
        let source = large(rules);
        let (parse, whole) = (
            median(|| drop(parsed(&source))),
            median(|| drop(ebnf(&source))),
        );
        println!("compile, EBNF of {rules} rules: {whole:?}, {parse:?} of it reading");
    }
    let source = large(300);
    // In turn and anew each time; the machine may have other work, so the medians are what is told.
    let (mut json, mut large) = (Vec::new(), Vec::new());
    for _ in 0..9 {
        let engine = engine();
        json.push(step(&engine, schema()));
        large.push(step(&engine, ebnf(&source)));
    }
    json.sort_unstable();
    large.sort_unstable();
    for (name, times) in [("JSON", &json), ("300 rules", &large)] {
        let (least, median, most) = (times[0], times[4], times[8]);
        println!("mask and accept, {name}: {median:?} a token, {least:?} to {most:?}");
    }
    let ratio = large[4].as_secs_f64() / json[4].as_secs_f64();
    println!("mask and accept, 300 rules to JSON: {ratio:.2}");
}
