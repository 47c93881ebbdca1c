//! The fronts that read one text each: regular expressions, choices, EBNF, Lark, structural tags.

// What stands outside `#[test]` functions here is of tests too.
#![allow(clippy::unwrap_used)]

#[path = "fronts/choice.rs"]
mod choice;
#[path = "fronts/ebnf.rs"]
mod ebnf;
#[path = "fronts/lark.rs"]
mod lark;
#[path = "fronts/regex.rs"]
mod regex;
#[path = "fronts/structural_tag.rs"]
mod structural_tag;
#[path = "fronts/tree.rs"]
mod tree;

use maskwright::base::TokenId;
use maskwright::grammar::Grammar;
use maskwright::session::{Constraint, ConstraintConfig, Engine};
use maskwright::vocab::VocabularyBuilder;

/// Grammars, and which texts belong to them.
#[derive(serde::Deserialize)]
pub(crate) struct Suite {
    pub(crate) case: Vec<Case>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    grammar: String,
    pub(crate) start: Option<String>,
    #[serde(default)]
    accepts: Vec<String>,
    #[serde(default)]
    refuses: Vec<String>,
    /// What each warning says, with its place.
    #[serde(default)]
    warnings: Vec<String>,
    /// How the message begins with which the grammar is refused, and what else is in it.
    error: Option<String>,
    hint: Option<String>,
}

/// A grammar and the warnings about it, or why it is refused.
type Compiled = Result<(Grammar, Vec<String>), String>;

impl Case {
    /// What is wrong with it.
    pub(crate) fn check(&self, compile: impl FnOnce(&str) -> Compiled) -> Vec<String> {
        let source = &self.grammar;
        let (grammar, warnings) = match (compile(source), &self.error) {
            (Ok(compiled), None) => compiled,
            (Ok(_), Some(error)) => return vec![format!("{source}\n  is taken, expected {error}")],
            (Err(error), None) => return vec![format!("{source}\n  {error}")],
            (Err(found), Some(error)) => {
                let hint = self.hint.as_deref().unwrap_or_default();
                let right = found.starts_with(error.as_str())
                    && found.contains(hint)
                    && found.contains('^');
                return match right {
                    true => Vec::new(),
                    false => vec![format!(
                        "{source}\n  expected {error} ({hint}), found {found}"
                    )],
                };
            }
        };
        let mut wrong = Vec::new();
        let as_expected = warnings.len() == self.warnings.len()
            && warnings
                .iter()
                .zip(&self.warnings)
                .all(|(found, expected)| found.starts_with(expected.as_str()));
        if !as_expected {
            wrong.push(format!(
                "{source}\n  warnings {warnings:?}, expected {:?}",
                self.warnings
            ));
        }
        let constraint = constraint(grammar);
        let expected = self.accepts.iter().map(|text| (text, true));
        for (text, expected) in expected.chain(self.refuses.iter().map(|text| (text, false))) {
            if accepts(&constraint, text.as_bytes()) != expected {
                wrong.push(format!("{source}\n  {text:?} expected {expected}"));
            }
        }
        wrong
    }
}

/// The grammar over a vocabulary of single bytes, a few longer tokens and an end token.
pub(crate) fn constraint(grammar: Grammar) -> Constraint {
    let mut builder = VocabularyBuilder::new();
    let mut id = 0;
    let mut next = || {
        id += 1;
        TokenId::new(id - 1)
    };
    for byte in 0..=255u8 {
        builder.ordinary(next(), &[byte]).unwrap();
    }
    for text in [
        "ab", "aa", "abc", "bb", "é", " a", "a ", "\n\n", "12", "\":", "x(y", "))",
    ] {
        builder.ordinary(next(), text.as_bytes()).unwrap();
    }
    let end = next();
    builder.special(end, "<end>").unwrap();
    builder.end_token(end);
    let engine = Engine::new(builder.build().unwrap());
    engine
        .constraint(grammar, &ConstraintConfig::default())
        .unwrap()
}

/// Whether `text` belongs to the language.
pub(crate) fn accepts(constraint: &Constraint, text: &[u8]) -> bool {
    let mut recogniser = constraint.recogniser();
    text.iter().all(|&byte| recogniser.byte(byte).unwrap()) && recogniser.may_end()
}
