//! Which control tokens of a grammar are single tokens, and which are spelt in bytes.

use crate::base::{ControlId, TokenId};

/// How one control token of a grammar is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ControlBinding {
    /// The vocabulary has it as one token.
    Token(TokenId),
    /// The vocabulary lacks it: its bytes, across token boundaries.
    Bytes,
}

/// The meeting of a grammar's control tokens with a vocabulary, which the grammar does not know.
#[derive(Clone, Debug, Default)]
pub(crate) struct Binding {
    controls: Box<[(ControlBinding, Box<[u8]>)]>,
    tokens: Box<[(TokenId, ControlId)]>,
}

impl Binding {
    /// Binds each control token, in the order of their ids.
    pub(crate) fn new<'a>(controls: impl Iterator<Item = (&'a str, Option<TokenId>)>) -> Self {
        let mut tokens = Vec::new();
        let mut bound = Vec::new();
        for (index, (spelling, token)) in controls.enumerate() {
            let binding = match token {
                Some(token) => {
                    tokens.push((token, ControlId::from_usize(index)));
                    ControlBinding::Token(token)
                }
                None => ControlBinding::Bytes,
            };
            bound.push((binding, spelling.as_bytes().into()));
        }
        tokens.sort_unstable();
        Self {
            controls: bound.into(),
            tokens: tokens.into(),
        }
    }

    pub(crate) fn control(&self, control: ControlId) -> &ControlBinding {
        &self.controls[control.index()].0
    }

    /// Whether `control` is a single token.
    pub(crate) fn is_token(&self, control: ControlId) -> bool {
        *self.control(control) != ControlBinding::Bytes
    }

    pub(crate) fn spelling(&self, control: ControlId) -> &[u8] {
        &self.controls[control.index()].1
    }

    /// The control token that `token` is, if the grammar names it.
    pub(crate) fn control_of(&self, token: TokenId) -> Option<ControlId> {
        let index = self
            .tokens
            .binary_search_by_key(&token, |&(token, _)| token)
            .ok()?;
        Some(self.tokens[index].1)
    }
}
