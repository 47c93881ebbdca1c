//! Masks where a token goes on into what is called, over vocabularies that have every short text: each
//! is held against the reference walk. All grammars share one engine, so that what one of them has
//! left behind is there for the next.
#![allow(clippy::unwrap_used)]

use maskwright::base::{Limits, TokenId};
use maskwright::check::{CheckConfig, drive};
use maskwright::front::abnf::{Abnf, Unbound};
use maskwright::front::json_schema::{JsonRules, SchemaConfig, Whitespace, compile};
use maskwright::grammar::{Grammar, GrammarBuilder};
use maskwright::session::{ConstraintConfig, Engine};
use maskwright::vocab::VocabularyBuilder;

/// Different ways to `v`, and different things behind it.
const WAYS: [&str; 13] = [
    r#"s = %s"k:" v ",""#,
    r#"s = %s"k=" v ",""#,
    r#"s = %s"k:" v "=""#,
    r#"s = %s"k" *":" v ":" v"#,
    r#"s = %s"k" *":" v *("," s)"#,
    r#"s = %s"k" (":" %s"v," / ":" v "=")"#,
    r#"s = %s"k:" *%s"v" v ",""#,
    r#"s = %s"k=" *":" v ":" v"#,
    r#"s = %s"k" *(":" / "=") v"#,
    r#"s = %s"k" *(":=") v"#,
    r#"s = %s"k" v %s"k" / %s"k" w %s"v""#,
    r#"s = %s"k:" *v %s"k""#,
    r#"s = %s"k:" v ["="] / "," s ",""#,
];

/// Different `v`, each of which calls itself, so that it is called and not copied.
const CALLED: [&str; 4] = [
    r#"v = %s"v" / "," v ":""#,
    r#"v = %s"v" [v]"#,
    r#"v = %s"v" / "=" v"#,
    r#"v = [%s"v" v ","]"#,
];

/// White space that runs on, with something else beside it or behind.
const RUNS: [&str; 8] = [
    r#"s = %s"a" *white v"#,
    r#"s = %s"a" *white [v] [%s"a" s]"#,
    r#"s = %s"a" *white (v / w %s"a")"#,
    r#"s = %s"a" *white (v / %s"a" / SP %s"a")"#,
    r#"s = %s"a" (SP / HTAB / CR) *white v / %s"a" LF s"#,
    r#"s = %s"a" *(SP / HTAB / CR) *(LF / %s"a") v"#,
    r#"s = %s"a" white v"#,
    r#"s = u SP %s"v" / v w"#,
];

/// Different `v` behind white space.
const BEHIND: [&str; 5] = [
    r#"v = %s"v" [v]"#,
    r#"v = %s"v" / SP v"#,
    r#"v = [%s"v" *white v %s"a"]"#,
    r#"v = *white %s"v" [v]"#,
    r#"v = %s"v" [v] / SP %s"a""#,
];

/// `LONG` is a text that makes descriptions long.
const SCHEMAS: [&str; 10] = [
    r#"{"type": "array", "items": {"enum": [1, "", LONG]}, "contains": {"const": 1}, "maxContains": 1}"#,
    r#"{"type": "array", "items": {"enum": [1, "", LONG]}, "contains": {"const": ""}, "minContains": 2}"#,
    r#"{"type": "array", "items": {"enum": [1, ""]}}"#,
    r#"{"type": "array", "items": {"enum": [1, ""]}, "maxItems": 3}"#,
    r#"{"type": "array", "items": {"enum": [1, ""]}, "contains": {"const": 1}, "maxContains": 1}"#,
    r#"{"type": "array", "items": {"enum": [1, 11]}, "contains": {"const": 1}, "maxContains": 2}"#,
    r#"{"type": "array", "items": {"type": ["integer", "string"]}, "contains": {"type": "string"}, "minContains": 2}"#,
    r#"{"type": "object", "properties": {"1": {"const": 1}, "11": {"const": 1}}, "additionalProperties": {"const": 1}}"#,
    r#"{"type": "object", "properties": {"1": {}, "": {}}, "additionalProperties": false}"#,
    r#"{"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 2}"#,
];

/// Every text over `alphabet` of at most `longest` bytes, and no other token but an end.
fn engine(alphabet: &[u8], longest: usize) -> Engine {
    let mut texts: Vec<Vec<u8>> = vec![Vec::new()];
    let mut done = 0;
    while let Some(text) = texts.get(done).cloned() {
        done += 1;
        if text.len() < longest {
            texts.extend(alphabet.iter().map(|&byte| [&*text, &[byte]].concat()));
        }
    }
    let mut vocabulary = VocabularyBuilder::new();
    let ids = || (0..).map(TokenId::new);
    for (id, text) in ids().zip(&texts[1..]) {
        vocabulary.ordinary(id, text).unwrap();
    }
    let others = (0..=255).filter(|byte| !alphabet.contains(byte));
    for (id, byte) in ids().skip(texts.len()).zip(others) {
        vocabulary.ordinary(id, &[byte]).unwrap();
    }
    let end = TokenId::new(texts.len() as u32 + 256);
    vocabulary.special(end, "<end>").unwrap();
    vocabulary.end_token(end);
    Engine::new(vocabulary.build().unwrap())
}

/// Goes through each grammar several times; at every step the mask is what the definition says.
fn go_through(engine: &Engine, grammars: &[(String, Grammar)]) {
    let mut seed: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut choose = |below: u32| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 33) as u32 % below.max(1)
    };
    let check = CheckConfig::default().steps(30, 12).reference_every(1);
    for _ in 0..3 {
        for (source, grammar) in grammars {
            let constraint = engine.constraint(grammar.clone(), &ConstraintConfig::default());
            let constraint = constraint.unwrap();
            for _ in 0..6 {
                let run = drive(&constraint, &check, &mut choose, &mut |_| Ok(()));
                assert!(run.is_ok(), "{source}: {}", run.unwrap_err());
            }
        }
    }
}

/// Each of the `starts` with each of the `called` rules.
fn grammars(starts: &[&str], called: &[&str], others: &str) -> Vec<(String, Grammar)> {
    let limits = Limits::default();
    let both = starts
        .iter()
        .flat_map(|start| called.iter().map(move |called| (start, called)));
    let grammars = both.map(|(start, called)| {
        // What has a short description is kept whole, and hides what it calls.
        let source = format!("{start} / 40(\"xyz\")\n{called}\n{others}\n");
        let abnf = Abnf::parse(&source, &limits).unwrap();
        let grammar = abnf.lower("s", &mut Unbound, &limits).unwrap();
        (source, grammar)
    });
    grammars.collect()
}

#[test]
fn ways_of_grammars_are_told_apart() {
    let grammars = grammars(&WAYS, &CALLED, r#"w = ":" [w] / v"#);
    go_through(&engine(b"k:=v,", 4), &grammars);
}

#[test]
fn white_space_is_told_from_what_reads_it() {
    let others = [
        r#"u = %s"a" *white [x] / 40("xyz")"#,
        r#"x = %s"a" [u / x]"#,
        r#"w = %s"a" [w] / v"#,
        "white = SP / HTAB / LF / CR",
    ];
    let grammars = grammars(&RUNS, &BEHIND, &others.join("\n"));
    go_through(&engine(b"av \t\n\r", 4), &grammars);
}

#[test]
fn ways_of_schemas_are_told_apart() {
    let mut grammars = Vec::new();
    for schema in SCHEMAS {
        for whitespace in [Whitespace::Compact, Whitespace::Json] {
            let config = SchemaConfig {
                whitespace,
                ..SchemaConfig::default()
            };
            let schema = schema.replace("LONG", &format!("\"{}\"", "xyz".repeat(40)));
            let mut builder = GrammarBuilder::new(Limits::default());
            let mut rules = JsonRules::new(&config).unwrap();
            let root = compile(&schema, &config).unwrap();
            let root = root.lower_into(&mut rules, &mut builder);
            grammars.push((schema, builder.finish(root).unwrap()));
        }
    }
    go_through(&engine(b"{}\":1, ", 4), &grammars);
    go_through(&engine(b"[]\"1, ", 4), &grammars);
}
