//! Lark: the suite `tests/data/lark.toml`, random grammars against a reading of their trees, tokens.

use maskwright::base::TokenId;
use maskwright::check::{CheckConfig, drive};
use maskwright::front::json_schema::SchemaConfig;
use maskwright::front::lark::{Lark, START};
use maskwright::session::{ConstraintConfig, Engine};
use maskwright::vocab::VocabularyBuilder;
use proptest::prelude::*;

use super::tree::{Ignored, RULES, Tree, belongs, rules, times};
use super::{Suite, accepts, constraint};

#[test]
fn suite() {
    let suite: Suite = toml::from_str(include_str!("../data/lark.toml")).unwrap();
    assert!(suite.case.len() >= 70, "{} cases", suite.case.len());
    let config = SchemaConfig::default();
    let check = suite.case.iter().flat_map(|case| {
        case.check(|source| {
            let start = case.start.as_deref().unwrap_or(START);
            let lark = Lark::parse(source, &config).map_err(|errors| errors.to_string())?;
            let grammar = lark
                .lower(start, &config)
                .map_err(|errors| errors.to_string())?;
            let warnings = lark
                .warnings(start)
                .iter()
                .map(ToString::to_string)
                .collect();
            Ok((grammar, warnings))
        })
    });
    let failures: Vec<String> = check.collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn written(tree: &Tree) -> String {
    let all = |items: &[Tree], by: &str| items.iter().map(written).collect::<Vec<_>>().join(by);
    match tree {
        Tree::Rule(rule) => RULES[*rule].to_owned(),
        Tree::Text(text) => format!("\"{}\"", text.replace('"', "\\\"")),
        Tree::Class(lo, hi, true) => format!("/[^{lo}-{hi}]/"),
        Tree::Class(lo, hi, false) => format!("\"{lo}\"..\"{hi}\""),
        Tree::Sequence(items) => format!("({})", all(items, " ")),
        Tree::Choice(items) => format!("({})", all(items, " | ")),
        Tree::Repeat(item, min, max) => format!("({}){}", written(item), times(*min, *max)),
    }
}

proptest! {
    #[test]
    fn a_grammar_has_the_texts_of_its_tree(
        trees in rules(),
        ignores in any::<bool>(),
        texts in prop::collection::vec("[abcé\" ]{0,5}", 10),
        choices in prop::collection::vec(any::<u32>(), 1..30),
    ) {
        let lines = RULES.iter().zip(&trees).map(|(name, tree)| format!("{name}: {}\n", written(tree)));
        let mut source: String = lines.collect();
        let ignored = if ignores { Ignored::Spaces } else { Ignored::Nothing };
        if ignores {
            source += "%ignore \" \"\n";
        }
        let config = SchemaConfig::default();
        let lark = Lark::parse(&source, &config).unwrap();
        // A grammar to which no text belongs is refused, and is no example.
        let Ok(grammar) = lark.lower(RULES[0], &config) else {
            prop_assert!(texts.iter().all(|text| !belongs(&trees, ignored, text)), "{}", source);
            return Ok(());
        };
        let constraint = constraint(grammar);
        for text in &texts {
            let expected = belongs(&trees, ignored, text);
            prop_assert_eq!(accepts(&constraint, text.as_bytes()), expected, "{:?} in\n{}", text, source);
        }
        let mut choices = choices.iter().cycle();
        let mut choose = |below: u32| choices.next().unwrap() % below;
        let run = drive(&constraint, &CheckConfig::default().steps(16, 6), &mut choose, &mut |run| {
            let text = std::str::from_utf8(&run.text).map_err(|error| error.to_string())?;
            let fine = text.chars().count() > 12 || belongs(&trees, ignored, text);
            fine.then_some(()).ok_or_else(|| format!("{text:?} does not belong"))
        });
        prop_assert!(run.is_ok(), "{}\n{:?}", source, run);
    }

    #[test]
    fn garbage_does_no_harm(pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..24)) {
        let (source, config) = (pieces.concat(), SchemaConfig::default());
        match Lark::parse(&source, &config) {
            Ok(lark) => {
                lark.warnings(START);
                let _ = lark.lower(START, &config);
            }
            Err(errors) => prop_assert!(errors.to_string().contains('^')),
        }
    }
}

const PIECES: [&str; 44] = [
    "start",
    "a",
    "A",
    " ",
    "\n",
    ":",
    "|",
    "(",
    ")",
    "[",
    "]",
    "*",
    "+",
    "?",
    "~2",
    "{1,3}",
    "{",
    "}",
    "\"x\"",
    "\"",
    "/[a-z]/",
    "/",
    "// c\n",
    "<[7]>",
    "<|t|>",
    "<",
    "%ignore ",
    "%import common.INT\n",
    "%json {}",
    "%lark {",
    "%regex {}",
    "-> b",
    "&",
    "~",
    "start: A\n",
    "A: \"x\"\n",
    "[lazy]",
    ".2",
    ",",
    "é",
    "\\",
    "\"a\"..\"z\"",
    "@g",
    "::",
];

#[test]
fn tokens_are_told_from_text() {
    let mut builder = VocabularyBuilder::new();
    for byte in 0..=255u8 {
        builder
            .ordinary(TokenId::new(byte.into()), &[byte])
            .unwrap();
    }
    for (id, name) in [(256, "<think>"), (257, "</think>"), (258, "<end>")] {
        builder.special(TokenId::new(id), name).unwrap();
    }
    builder.end_token(TokenId::new(258));
    let engine = Engine::new(builder.build().unwrap());
    let config = SchemaConfig::default();
    let tokens = |source: &str, tokens: &[u32]| {
        let grammar = Lark::parse(source, &config)
            .unwrap()
            .lower(START, &config)
            .unwrap();
        let constraint = engine
            .constraint(grammar, &ConstraintConfig::default())
            .unwrap();
        let mut session = constraint.session();
        let taken = tokens
            .iter()
            .take_while(|&&token| session.accept(TokenId::new(token)).is_ok());
        taken.count() == tokens.len() && session.may_end()
    };
    let thinking = "start: <think> \"\\n\" /(.|\\n)*/ </think> /[a-z]+/";
    assert!(tokens(thinking, &[256, 10, 97, 98, 257, 97]));
    assert!(!tokens(thinking, &[256, 10, 97, 257]));
    assert!(!tokens(thinking, &[256, 10, 256, 257, 97]));
    for (source, token, expected) in [
        ("start: <[97-99]>", 98, true),
        ("start: <[97-99,120]>", 120, true),
        ("start: <[97-99]>", 100, false),
        ("start: <[^97-99]>", 98, false),
        ("start: <[^97-99]>", 256, true),
        ("start: <[*]>", 256, true),
        ("start: <[*]>", 258, false),
    ] {
        assert_eq!(tokens(source, &[token]), expected, "{source} {token}");
    }
    // What is ignored may stand behind a token, too.
    assert!(tokens(
        "start: <think> \"a\"\n%ignore \" \"",
        &[32, 256, 32, 97]
    ));
}
