//! The vocabulary: tokens as bytes, specials and end tokens, the byte trie and its slices.
//!
//! A vocabulary is read once ([`Vocabulary::from_tiktoken`], [`Vocabulary::from_tokenizer_json`])
//! or put together token by token ([`VocabularyBuilder`]), and never changes afterwards. What
//! a model's tokens are is messier than it looks, and settled here once: several end tokens, ids
//! without a token, one byte string under several ids, more logits than tokens, tokens that are
//! not UTF-8 by themselves, and special tokens, whose text is no text.
//!
//! From the bottom: `byte_set`, `row` and `error` stand alone; `tokens` is the table by id; `trie` and
//! `slices` are views of it; `vocabulary` is all of them; `builder` checks and assembles; `load`
//! reads the files of others.

mod builder;
mod byte_set;
mod error;
mod load;
#[allow(dead_code, reason = "the mask layer is its user")]
pub(crate) mod row;
#[allow(dead_code, reason = "the mask layer is its user")]
mod slices;
mod tokens;
#[allow(dead_code, reason = "the mask layer is its user")]
mod trie;
mod vocabulary;

pub use builder::VocabularyBuilder;
pub use byte_set::ByteSet;
pub use error::{Place, Position, VocabError, VocabErrorKind};
#[allow(unused_imports, reason = "the mask layer is their user")]
pub(crate) use slices::{Multibyte, Slices, TokenClass};
pub use tokens::TokenKind;
#[allow(unused_imports, reason = "the mask layer is its user")]
pub(crate) use trie::TrieNode;
pub use trie::{Children, NodeId, Trie};
pub use vocabulary::Vocabulary;
