//! EBNF: the suite `tests/data/ebnf.toml`, and random grammars against a reading of their trees.

use maskwright::base::{Limits, TokenId};
use maskwright::check::{CheckConfig, drive};
use maskwright::front::ebnf::{Ebnf, ROOT};
use maskwright::session::{ConstraintConfig, ConstraintError, Engine};
use maskwright::vocab::VocabularyBuilder;
use proptest::prelude::*;

use super::tree::{Ignored, RULES, Tree, belongs, rules, times};
use super::{Suite, accepts, constraint};

#[test]
fn suite() {
    let suite: Suite = toml::from_str(include_str!("../data/ebnf.toml")).unwrap();
    assert!(suite.case.len() >= 60, "{} cases", suite.case.len());
    let check = suite.case.iter().flat_map(|case| {
        case.check(|source| {
            let limits = Limits::default();
            let start = case.start.as_deref().unwrap_or(ROOT);
            let ebnf = Ebnf::parse(source, &limits).map_err(|errors| errors.to_string())?;
            let grammar = ebnf
                .lower(start, &limits)
                .map_err(|errors| errors.to_string())?;
            let warnings = ebnf
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
    match tree {
        Tree::Rule(rule) => RULES[*rule].to_owned(),
        Tree::Text(text) => format!("\"{}\"", text.replace('"', "\\\"")),
        Tree::Class(lo, hi, true) => format!("[^{lo}-{hi}]"),
        Tree::Class(lo, hi, false) => format!("[{lo}-{hi}]"),
        Tree::Sequence(items) => format!(
            "({})",
            items.iter().map(written).collect::<Vec<_>>().join(" ")
        ),
        Tree::Choice(items) => format!(
            "({})",
            items.iter().map(written).collect::<Vec<_>>().join(" | ")
        ),
        Tree::Repeat(item, min, max) => format!("({}){}", written(item), times(*min, *max)),
    }
}

proptest! {
    #[test]
    fn a_grammar_has_the_texts_of_its_tree(
        trees in rules(),
        texts in prop::collection::vec("[abcé\"]{0,5}", 10),
        choices in prop::collection::vec(any::<u32>(), 1..30),
    ) {
        let lines = RULES.iter().zip(&trees).map(|(name, tree)| format!("{name} ::= {}\n", written(tree)));
        let source: String = lines.collect();
        let limits = Limits::default();
        let ebnf = Ebnf::parse(&source, &limits).unwrap();
        // A grammar to which no text belongs is refused, and is no example.
        let Ok(grammar) = ebnf.lower(ROOT, &limits) else {
            prop_assert!(texts.iter().all(|text| !belongs(&trees, Ignored::Nothing, text)), "{}", source);
            return Ok(());
        };
        let constraint = constraint(grammar);
        for text in &texts {
            prop_assert_eq!(accepts(&constraint, text.as_bytes()), belongs(&trees, Ignored::Nothing, text), "{:?} in\n{}", text, source);
        }
        let mut choices = choices.iter().cycle();
        let mut choose = |below: u32| choices.next().unwrap() % below;
        let run = drive(&constraint, &CheckConfig::default().steps(16, 6), &mut choose, &mut |run| {
            let text = std::str::from_utf8(&run.text).map_err(|error| error.to_string())?;
            let short = text.chars().count() > 12 || belongs(&trees, Ignored::Nothing, text);
            short.then_some(()).ok_or_else(|| format!("{text:?} does not belong"))
        });
        prop_assert!(run.is_ok(), "{}\n{:?}", source, run);
    }

    #[test]
    fn garbage_does_no_harm(pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..24)) {
        let source = pieces.concat();
        match Ebnf::parse(&source, &Limits::default()) {
            Ok(ebnf) => {
                let start = ebnf.rule_names().next().unwrap().to_owned();
                ebnf.warnings(&start);
                let _ = ebnf.lower(&start, &Limits::default());
            }
            Err(errors) => prop_assert!(errors.to_string().contains('^')),
        }
    }
}

const PIECES: [&str; 40] = [
    "root",
    "a",
    " ",
    "\n",
    "::=",
    "|",
    "(",
    ")",
    "*",
    "+",
    "?",
    "{2}",
    "{1,}",
    "{3,1}",
    "{,2}",
    "{",
    "\"x\"",
    "\"",
    "'y'",
    "[a-z]",
    "[^",
    "[z-a]",
    "[]",
    "#x41",
    "# c\n",
    ".",
    "<[7]>",
    "!<|t|>",
    "<",
    "(=",
    "Regex(\"x*\")",
    "Token(",
    "a ::= b\n",
    "root ::= \"x\"\n",
    "\\",
    "[lazy]",
    ",",
    "é",
    "/*",
    "a.b",
];

#[test]
fn tokens_are_told_from_text() {
    let limits = Limits::default();
    let engine = {
        let mut builder = VocabularyBuilder::new();
        for byte in 0..=255u8 {
            builder
                .ordinary(TokenId::new(byte.into()), &[byte])
                .unwrap();
        }
        builder.ordinary(TokenId::new(256), b"abc").unwrap();
        builder.special(TokenId::new(257), "<think>").unwrap();
        builder.special(TokenId::new(258), "</think>").unwrap();
        builder.special(TokenId::new(259), "<end>").unwrap();
        builder.end_token(TokenId::new(259));
        Engine::new(builder.build().unwrap())
    };
    let tokens = |source: &str, tokens: &[u32]| {
        let grammar = Ebnf::parse(source, &limits)
            .unwrap()
            .lower(ROOT, &limits)
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
    let (a, b, c, abc, open, close, end) = (97, 98, 99, 256, 257, 258, 259);
    let thinking = "root ::= <think> thinking </think> .*\nthinking ::= !</think>*";
    assert!(tokens(thinking, &[open, a, abc, open, close, b]));
    assert!(!tokens(thinking, &[open, a, close, close]));
    assert!(!tokens(thinking, &[open, a, b]));
    assert!(!tokens(thinking, &[a]));
    // A token by its number, whatever it spells: the same text in other tokens is another thing.
    assert!(tokens("root ::= <[256]>", &[abc]));
    assert!(!tokens("root ::= <[256]>", &[a, b, c]));
    assert!(tokens("root ::= <[256]> | \"abc\" \"d\"", &[abc]));
    assert!(tokens("root ::= <[256]> | \"abc\" \"d\"", &[abc, 100]));
    assert!(!tokens("root ::= <[256]> | \"abc\" \"d\"", &[a, b, c]));
    // Any token but one, and how often; none of them ends the text.
    assert!(tokens("root ::= !<[97]>{2}", &[abc, open]));
    assert!(!tokens("root ::= !<[97]>{2}", &[abc, a]));
    assert!(!tokens("root ::= !<[97]>{2}", &[abc]));
    assert!(!tokens("root ::= !<[97]>{2}", &[abc, end]));
    assert!(tokens(
        "root ::= Token(97, 256) ExcludeToken(97)",
        &[abc, b]
    ));
    let grammar = Ebnf::parse("root ::= <[300]>", &limits)
        .unwrap()
        .lower(ROOT, &limits)
        .unwrap();
    let refused = engine
        .constraint(grammar, &ConstraintConfig::default())
        .unwrap_err();
    assert!(matches!(refused, ConstraintError::UnknownToken { .. }));
    assert_eq!(
        refused.to_string(),
        "the vocabulary has no token <[300]>, which the grammar names"
    );
}
