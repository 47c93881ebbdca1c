//! What stands in a grammar for tokens instead of text.

use std::fmt;

use crate::base::TokenId;

/// What one control token of a grammar stands for. A grammar knows no vocabulary: what it names is
/// looked up when the two meet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Control {
    /// The special token of this name, or, where the vocabulary has none, the bytes of the name.
    Named(String),
    /// One of these tokens, special or not, whatever bytes they spell.
    OneOf(Vec<TokenName>),
    /// Any one token but these and those that end texts. It may spell no more than part of a character.
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
            Self::OneOf(tokens) => list(tokens, f),
            Self::Except(tokens) => {
                f.write_str("!")?;
                list(tokens, f)
            }
        }
    }
}

fn list(tokens: &[TokenName], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (i, token) in tokens.iter().enumerate() {
        f.write_str(if i > 0 { "," } else { "" })?;
        write!(f, "{token}")?;
    }
    Ok(())
}

impl fmt::Display for TokenName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => write!(f, "<[{}]>", id.get()),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// The name of the shape `<|name|>` that `text` begins with, where the name is of ASCII letters, digits, `_`, `-`
/// and dots. Fronts take it for a control token, whatever the vocabulary.
pub(crate) fn control_name_at(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("<|")?;
    let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"_-.".contains(c))?;
    (length > 0 && rest[length..].starts_with("|>")).then(|| &text[..length + 4])
}
