//! The tokens that a grammar's control tokens are, and those that end its texts.

use super::error::ConstraintError;
use crate::base::TokenId;
use crate::grammar::{Control, Grammar, TokenName};
use crate::machine::{Binding, ControlBinding};
use crate::vocab::{TokenKind, Vocabulary};

/// Looks up what `grammar` names in the vocabulary, and which tokens end texts.
pub(super) fn bind(
    grammar: &Grammar,
    vocabulary: &Vocabulary,
    stop_tokens: Option<&[TokenId]>,
) -> Result<(Binding, Vec<TokenId>), ConstraintError> {
    let mut controls = Vec::with_capacity(grammar.controls().len());
    for (_, control) in grammar.controls() {
        controls.push(match control {
            Control::Named(name) => match vocabulary.special(name) {
                Some(token) => ControlBinding::Tokens([token].into()),
                None => ControlBinding::Bytes(name.as_bytes().into()),
            },
            Control::OneOf(names) => ControlBinding::Tokens(one_of(names, vocabulary)?),
            // Whatever ends texts is left out below.
            Control::Except(names) => except(names, vocabulary)?,
        });
    }
    let ends = ends(vocabulary, &controls, stop_tokens)?;
    for control in &mut controls {
        if let ControlBinding::Except { left_out, .. } = control {
            let mut all = [left_out, &ends[..]].concat();
            all.sort_unstable();
            all.dedup();
            *left_out = all.into();
        }
    }
    Ok((Binding::new(controls), ends))
}

/// The tokens of this name, at least one.
fn tokens(name: &TokenName, vocabulary: &Vocabulary) -> Result<Vec<TokenId>, ConstraintError> {
    let mut found = match name {
        TokenName::Id(token) => vec![*token],
        TokenName::Text(text) => match vocabulary.special(text) {
            Some(token) => vec![token],
            None => {
                let node = vocabulary.trie().find(text.as_bytes());
                node.map_or_else(Vec::new, |node| vocabulary.trie().tokens(node).to_vec())
            }
        },
    };
    found.retain(|&token| vocabulary.kind(token) != TokenKind::Hole);
    match found.is_empty() {
        true => Err(ConstraintError::UnknownToken {
            name: name.to_string(),
        }),
        false => Ok(found),
    }
}

/// The tokens of these names, ascending.
fn one_of(names: &[TokenName], vocabulary: &Vocabulary) -> Result<Box<[TokenId]>, ConstraintError> {
    let mut found = Vec::with_capacity(names.len());
    for name in names {
        found.extend(tokens(name, vocabulary)?);
    }
    found.sort_unstable();
    found.dedup();
    Ok(found.into())
}

/// All tokens but those named.
fn except(names: &[TokenName], vocabulary: &Vocabulary) -> Result<ControlBinding, ConstraintError> {
    let all = (0..vocabulary.len()).map(TokenId::from_usize);
    let mut left_out: Vec<TokenId> = all
        .filter(|&token| vocabulary.kind(token) == TokenKind::Hole)
        .collect();
    for name in names {
        left_out.extend(tokens(name, vocabulary)?);
    }
    Ok(ControlBinding::Except {
        left_out: left_out.into(),
        tokens: vocabulary.len() as u32,
    })
}

fn ends(
    vocabulary: &Vocabulary,
    controls: &[ControlBinding],
    stop_tokens: Option<&[TokenId]>,
) -> Result<Vec<TokenId>, ConstraintError> {
    let ends = match stop_tokens {
        Some(tokens) => tokens.to_vec(),
        None => {
            let all = vocabulary.end_tokens();
            let free = |token: &&TokenId| !controls.iter().any(|control| control.names(**token));
            let free: Vec<TokenId> = all.iter().filter(free).copied().collect();
            if free.is_empty() { all.to_vec() } else { free }
        }
    };
    if ends.is_empty() {
        return Err(ConstraintError::NoEndToken);
    }
    let tokens = vocabulary.len();
    match ends.iter().find(|token| token.index() >= tokens) {
        Some(&token) => Err(ConstraintError::UnknownStopToken { token, tokens }),
        None => Ok(ends),
    }
}
