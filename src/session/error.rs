//! What can go wrong when a constraint is made and while a session runs.

use crate::base::{LimitError, TokenId};
use crate::grammar::GrammarError;

/// Why a grammar cannot be run over a vocabulary.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConstraintError {
    /// No token could ever end a text.
    #[error(
        "the vocabulary names no end token: name one when loading it, or give `stop_tokens` with the constraint"
    )]
    NoEndToken,
    /// A stop token that the vocabulary does not have.
    #[error("stop token {} is not in the vocabulary of {tokens} tokens", token.get())]
    UnknownStopToken {
        /// The token.
        token: TokenId,
        /// The number of tokens of the vocabulary.
        tokens: usize,
    },
    /// A token that the grammar names and the vocabulary does not have.
    #[error("the vocabulary has no token {name}, which the grammar names")]
    UnknownToken {
        /// The token as grammars write it.
        name: String,
    },
    /// Bytes that rules need, but that no token of a single byte spells.
    #[error(
        "the vocabulary has no single-byte token for {} that rule `{rule}` may need",
        hex(bytes)
    )]
    MissingBytes {
        /// The bytes, ascending.
        bytes: Vec<u8>,
        /// One of the rules.
        rule: String,
    },
    /// A text that a schema names, or a pattern, needs a byte that no token of a single byte spells.
    #[error("the vocabulary has no single-byte token for {}, which {text} needs (rule `{rule}`)", hex(&[*byte]))]
    TextNeedsByte {
        /// The byte.
        byte: u8,
        /// The text as it is spelt, or `a pattern`.
        text: String,
        /// The rule.
        rule: String,
    },
    /// A stop token is the only token of one byte for a byte that texts of the grammar may need, and a stop token is
    /// never text.
    #[error(
        "a stop token is the only single-byte token for {}, which rule `{rule}` may need; leave it out of the stop tokens",
        hex(&[*byte])
    )]
    StopTokenIsText {
        /// The byte.
        byte: u8,
        /// One of the rules.
        rule: String,
    },
    /// Without the bytes that the vocabulary cannot spell, nothing is left of the grammar.
    #[error("over this vocabulary, which cannot spell {}: {source}", hex(bytes))]
    Unspellable {
        /// The bytes that no single-byte token spells, ascending.
        bytes: Vec<u8>,
        /// What is wrong with the rest.
        source: GrammarError,
    },
    /// A limit was met.
    #[error(transparent)]
    Limit(#[from] LimitError),
}

/// Bytes as people read them, cut after a few.
fn hex(bytes: &[u8]) -> String {
    let shown: Vec<String> = bytes
        .iter()
        .take(8)
        .map(|byte| format!("0x{byte:02X}"))
        .collect();
    let rest = bytes.len().saturating_sub(8);
    let more = if rest > 0 {
        format!(" and {rest} more")
    } else {
        String::new()
    };
    format!("{}{more}", shown.join(", "))
}

/// Why a session refuses what it is asked for. The session is as it was before.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The token is not in the mask.
    #[error("token {} is not allowed here", token.get())]
    NotAllowed {
        /// The token.
        token: TokenId,
    },
    /// What the text is said to have already is not the beginning of one.
    #[error("the text cannot begin as it is said to: part {part} is not allowed where it stands")]
    Lead {
        /// The part that was refused, from 0.
        part: usize,
    },
    /// An end token was accepted: nothing may follow.
    #[error("the text has ended: nothing may follow")]
    Ended,
    /// More tokens to take back than were accepted.
    #[error("cannot take back {asked} tokens of {accepted}")]
    Rollback {
        /// How many were asked for.
        asked: usize,
        /// How many were accepted.
        accepted: usize,
    },
    /// A deadline so near that the text cannot end before it.
    #[error("the text cannot end in {given} tokens from here: {needed} suffice")]
    Deadline {
        /// The tokens given.
        given: usize,
        /// So many suffice.
        needed: usize,
    },
    /// A mask row of the wrong length.
    #[error("a mask row of {given} words, where the vocabulary needs {needed}")]
    RowLength {
        /// The words given.
        given: usize,
        /// The words needed.
        needed: usize,
    },
    /// A limit was met: the mask is all zero, and the host should stop.
    #[error(transparent)]
    Limit(#[from] LimitError),
}
