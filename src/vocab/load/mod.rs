//! Readers of vocabularies as others write them.

mod gguf;
mod harmony;
mod json;
mod kind;
mod pieces;
mod sentence_piece;
mod tekken;
mod tiktoken;
mod tokenizer_json;
mod typed;

pub use gguf::chat_template_of_gguf;
pub use kind::FileKind;
