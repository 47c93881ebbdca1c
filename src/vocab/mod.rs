//! The vocabulary: tokens as bytes, specials and end tokens, the byte trie and its slices.
//!
//! A vocabulary is read once ([`Vocabulary::from_tiktoken`], [`Vocabulary::from_tokenizer_json`])
//! or put together token by token ([`VocabularyBuilder`]), and never changes afterwards. What
//! a model's tokens are is messier than it looks, and settled here once: several end tokens, ids
//! without a token, one byte string under several ids, more logits than tokens, tokens that are
//! not UTF-8 by themselves, and special tokens, whose text is no text.
//!
//! From the bottom: `row` and `error` stand alone; `tokens` is the table by id; `trie`, `slices`
//! and `spaces` are views of it; `vocabulary` is all of them; `builder` checks and assembles; `load`
//! reads the files of others.

mod builder;
mod error;
mod load;
mod longer;
pub(crate) mod row;
mod slices;
mod spaces;
mod tokens;
mod trie;
mod vocabulary;

pub use builder::VocabularyBuilder;
pub use error::{Place, Position, VocabError, VocabErrorKind};
pub use load::{FileKind, chat_template_of_gguf};
pub(crate) use longer::More;
pub(crate) use slices::TokenClass;
pub(crate) use spaces::Spaces;
pub use tokens::TokenKind;
pub(crate) use trie::Rank;
pub use trie::{NodeId, Trie};
pub use vocabulary::Vocabulary;
