//! Which control tokens of a grammar are tokens of the vocabulary, and which are spelt in bytes.

use crate::base::{ByteSet, ControlId, TokenId};

/// How one control token of a grammar is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ControlBinding {
    /// As one of these tokens, ascending; at least one.
    Tokens(Box<[TokenId]>),
    /// As any of the first `tokens` tokens but those that are left out, ascending.
    Except {
        left_out: Box<[TokenId]>,
        tokens: u32,
    },
    /// The vocabulary lacks it: its bytes, across token boundaries.
    Bytes(Box<[u8]>),
}

impl ControlBinding {
    /// Whether it is written as tokens.
    pub(crate) fn is_token(&self) -> bool {
        !matches!(self, Self::Bytes(_))
    }

    /// Whether `token` is a way to write it.
    pub(crate) fn takes(&self, token: TokenId) -> bool {
        match self {
            Self::Tokens(tokens) => tokens.binary_search(&token).is_ok(),
            Self::Except { left_out, tokens } => {
                token.get() < *tokens && left_out.binary_search(&token).is_err()
            }
            Self::Bytes(_) => false,
        }
    }

    /// Whether it names `token`, by itself or as one of a few.
    pub(crate) fn names(&self, token: TokenId) -> bool {
        matches!(self, Self::Tokens(tokens) if tokens.contains(&token))
    }

    /// The tokens that are ways to write it, ascending.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = TokenId> + '_ {
        let (listed, range) = match self {
            Self::Tokens(tokens) => (&tokens[..], 0..0),
            Self::Except { tokens, .. } => (&[][..], 0..*tokens),
            Self::Bytes(_) => (&[][..], 0..0),
        };
        let taken = range.map(TokenId::new).filter(|&token| self.takes(token));
        listed.iter().copied().chain(taken)
    }

    /// The token that alone is a way to write it.
    pub(crate) fn sole(&self) -> Option<TokenId> {
        match self {
            Self::Tokens(tokens) => match **tokens {
                [token] => Some(token),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The meeting of a grammar's control tokens with a vocabulary, which the grammar does not know.
#[derive(Clone, Debug, Default)]
pub(crate) struct Binding {
    controls: Box<[ControlBinding]>,
    /// The bytes that no token spells by itself: bodies that are made when visited do not read them.
    missing: ByteSet,
}

impl Binding {
    /// How each control token is written, in the order of their ids.
    pub(crate) fn new(controls: Vec<ControlBinding>) -> Self {
        Self {
            controls: controls.into(),
            missing: ByteSet::EMPTY,
        }
    }

    /// The same over a vocabulary that lacks these bytes.
    pub(crate) fn without(self, missing: ByteSet) -> Self {
        Self { missing, ..self }
    }

    /// The bytes that bodies which are made when visited do not read.
    pub(crate) fn missing(&self) -> &ByteSet {
        &self.missing
    }

    pub(crate) fn control(&self, control: ControlId) -> &ControlBinding {
        &self.controls[control.index()]
    }
}
