//! A way to the end of a text.

use std::sync::Arc;

use crate::base::TokenId;
use crate::vocab::Vocabulary;

/// A way from a state to where the text may end.
#[derive(Debug)]
pub(super) struct Way {
    /// Its tokens, as few as spell it.
    pub(super) tokens: Arc<[TokenId]>,
    /// Its bytes, with [`Delimiters::CONTROL`](crate::grammar::Delimiters::CONTROL) for each control token.
    pub(super) text: Box<[u8]>,
}

impl Way {
    /// How many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.tokens) + self.text.len()
    }
}

/// How many tokens are to come on a way after `last`: those of the way, and an end token unless the text ends with one
/// of the vocabulary's by itself.
pub(super) fn cost(vocabulary: &Vocabulary, last: Option<TokenId>, way: &[TokenId]) -> usize {
    let last = way.last().copied().or(last);
    let ends = vocabulary.end_tokens();
    way.len() + usize::from(!last.is_some_and(|last| ends.contains(&last)))
}
