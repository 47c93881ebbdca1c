//! The engine's promise over random context-free grammars and random small vocabularies.

#![allow(clippy::unwrap_used)]

use maskwright::base::{Limits, RuleId, TokenId};
use maskwright::check::{CheckConfig, drive};
use maskwright::grammar::{Control, Grammar, GrammarBuilder, Nfa, TokenName};
use maskwright::session::{Constraint, ConstraintConfig, Engine};
use maskwright::vocab::VocabularyBuilder;
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Symbol {
    Bytes(u8, u8),
    Text,
    Control,
    /// A token that is ordinary too, or any token but it.
    Token(u8),
    Except(u8),
    Rule(usize),
}

type Rules = Vec<Vec<Vec<Symbol>>>;

fn symbol(rules: usize) -> impl Strategy<Value = Symbol> {
    prop_oneof![
        4 => (b'a'..=b'd', b'a'..=b'd').prop_map(|(a, b)| Symbol::Bytes(a.min(b), a.max(b))),
        1 => Just(Symbol::Text),
        1 => Just(Symbol::Control),
        1 => (b'a'..=b'd').prop_map(Symbol::Token),
        1 => (b'a'..=b'd').prop_map(Symbol::Except),
        3 => (0..rules).prop_map(Symbol::Rule),
    ]
}

fn rules() -> impl Strategy<Value = Rules> {
    (1usize..5).prop_flat_map(|count| {
        let production = prop::collection::vec(symbol(count), 0..4);
        prop::collection::vec(prop::collection::vec(production, 1..4), count)
    })
}

/// The token of a single byte.
fn name(byte: u8) -> TokenName {
    TokenName::Id(TokenId::new(byte.into()))
}

fn lower(rules: &Rules) -> Option<Grammar> {
    let mut builder = GrammarBuilder::new(Limits::default());
    let control = builder.control("<c>");
    let ids: Vec<RuleId> = (0..rules.len())
        .map(|i| builder.declare(format!("r{i}")))
        .collect();
    for (rule, alternatives) in ids.iter().zip(rules) {
        let mut nfa = Nfa::new();
        for production in alternatives {
            let mut at = nfa.start();
            for symbol in production {
                let next = nfa.state();
                match *symbol {
                    Symbol::Bytes(lo, hi) => nfa.bytes(at, lo, hi, next),
                    // A loop over a whole class, as a string's body is.
                    Symbol::Text => {
                        nfa.empty(at, next);
                        nfa.bytes(next, b'A', b'z', next);
                    }
                    Symbol::Control => nfa.control(at, control, next),
                    Symbol::Token(byte) => {
                        let control = builder.control_for(Control::OneOf(vec![name(byte)]));
                        nfa.control(at, control, next);
                    }
                    Symbol::Except(byte) => {
                        // Tokens of part of a character are left out: texts stay UTF-8.
                        let others = [byte].into_iter().chain(128..=255).map(name);
                        let control = builder.control_for(Control::Except(others.collect()));
                        nfa.control(at, control, next);
                    }
                    Symbol::Rule(index) => nfa.call(at, ids[index], next),
                }
                at = next;
            }
            nfa.accept(at);
        }
        builder.define(*rule, &nfa).ok()?;
    }
    builder.finish(ids[0]).ok()
}

fn engine(words: &[String], control: bool) -> Engine {
    let mut vocabulary = VocabularyBuilder::new();
    for byte in 0..=255u8 {
        vocabulary
            .ordinary(TokenId::new(u32::from(byte)), &[byte])
            .unwrap();
    }
    for (index, word) in words.iter().enumerate() {
        vocabulary
            .ordinary(TokenId::new(300 + index as u32), word.as_bytes())
            .unwrap();
    }
    if control {
        vocabulary.special(TokenId::new(260), "<c>").unwrap();
    }
    vocabulary.special(TokenId::new(261), "<end>").unwrap();
    vocabulary.end_token(TokenId::new(261));
    Engine::new(vocabulary.build().unwrap())
}

/// Whether what was written token by token is read byte by byte.
fn read(constraint: &Constraint, tokens: &[TokenId]) -> Result<(), String> {
    let vocabulary = constraint.vocabulary();
    let mut recogniser = constraint.recogniser();
    for &token in tokens {
        let read = match vocabulary.special_name(token) {
            Some(name) => recogniser.control(name).unwrap(),
            None => {
                let mut bytes = vocabulary.bytes(token).unwrap().iter();
                bytes.all(|&byte| recogniser.byte(byte).unwrap())
            }
        };
        if !read {
            return Err(format!("token {} is not read", token.get()));
        }
    }
    recogniser
        .may_end()
        .then_some(())
        .ok_or_else(|| "it may not end".to_owned())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn keeps_its_promise(
        rules in rules(),
        words in prop::collection::vec("[a-d<c>Z]{2,6}", 0..40),
        control in any::<bool>(),
        choices in any::<[u8; 12]>(),
    ) {
        let Some(grammar) = lower(&rules) else { return Ok(()) };
        let constraint =
            engine(&words, control).constraint(grammar, &ConstraintConfig::default()).unwrap();
        let mut next = 0usize;
        let mut choose = |n: u32| {
            next += 1;
            u32::from(choices[next % 12]).wrapping_mul(2654435761u32.wrapping_mul(next as u32)) % n
        };
        let config = CheckConfig::default().steps(24, 12);
        let run = drive(&constraint, &config, &mut choose, &mut |run| read(&constraint, &run.tokens));
        prop_assert!(run.is_ok(), "{}", run.unwrap_err());
    }
}
