//! A vocabulary that was read: its parts agree, and the promise holds over it.

use maskwright::base::{Limits, TokenId};
use maskwright::check::{Broken, CheckConfig, drive};
use maskwright::front::regex::{DIALECT, compile};
use maskwright::session::{ConstraintConfig, Engine, SessionError};
use maskwright::vocab::{TokenKind, VocabError, Vocabulary};

/// More tokens than this are not driven: an input costs as much as its vocabulary is large.
const MOST: usize = 1 << 14;

/// Looks through a vocabulary, and drives the texts of any characters over it.
pub fn use_vocabulary(vocabulary: Result<Vocabulary, VocabError>) {
    let vocabulary = match vocabulary {
        Ok(vocabulary) => vocabulary,
        Err(error) => {
            assert!(!error.to_string().is_empty(), "an error says something");
            return;
        }
    };
    look_through(&vocabulary);
    if vocabulary.len() <= MOST {
        drive_over(vocabulary);
    }
}

fn look_through(vocabulary: &Vocabulary) {
    for token in (0..vocabulary.len().min(MOST)).map(TokenId::from_usize) {
        let bytes = vocabulary.bytes(token);
        match vocabulary.kind(token) {
            TokenKind::Ordinary => {
                let bytes = bytes.expect("an ordinary token has bytes");
                let node = vocabulary.trie().find(bytes).expect("they are in the trie");
                assert!(vocabulary.trie().tokens(node).contains(&token), "{token:?}");
                assert!(bytes.len() <= vocabulary.longest_token(), "{token:?}");
            }
            TokenKind::Special => {
                // One that shares its name with another has none of its own.
                let name = vocabulary.special_name(token);
                assert!(name.is_none_or(|name| vocabulary.special(name) == Some(token)));
            }
            TokenKind::Hole => assert!(bytes.is_none(), "{token:?}"),
        }
    }
}

fn drive_over(vocabulary: Vocabulary) {
    let grammar = compile("[^x]*(x[^x]*){0,3}", DIALECT, &Limits::default());
    let grammar = grammar.expect("the pattern is well-formed and small");
    let engine = Engine::new(vocabulary);
    let Ok(constraint) = engine.constraint(grammar, &ConstraintConfig::default()) else {
        return;
    };
    let mut state = 1u32;
    let mut choose = |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8).checked_rem(below).unwrap_or_default()
    };
    let config = CheckConfig::default().steps(16, 8);
    match drive(&constraint, &config, &mut choose, &mut |_| Ok(())) {
        Err(violation) if !matches!(violation.broken, Broken::Session(SessionError::Limit(_))) => {
            panic!("{violation}")
        }
        _ => {}
    }
}
