//! What stands in a grammar for tokens instead of text.

use std::fmt;

use crate::base::TokenId;

/// What one control token of a grammar stands for. A grammar knows no vocabulary: what it names is
/// looked up when the two meet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Control {
    /// The special token of this name, or, where the vocabulary has none, the bytes of the name.
    Named(String),
    /// One token, special or not, whatever bytes it spells.
    Token(TokenName),
    /// Any one token but these and those that end texts.
    Except(Vec<TokenName>),
}

/// A token of a vocabulary.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TokenName {
    /// The token with this id.
    Id(TokenId),
    /// The special token of this name, or, where there is none, the ordinary tokens with these bytes.
    Text(String),
}

/// As grammars write it: `<|name|>`, `<[7]>`, `!<[7]>`.
impl fmt::Display for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => f.write_str(name),
            Self::Token(token) => token.fmt(f),
            Self::Except(tokens) => {
                f.write_str("!")?;
                for (i, token) in tokens.iter().enumerate() {
                    f.write_str(if i > 0 { "," } else { "" })?;
                    token.fmt(f)?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for TokenName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => write!(f, "<[{}]>", id.get()),
            Self::Text(text) => f.write_str(text),
        }
    }
}
