//! Readers of vocabularies as others write them.

mod gguf;
mod harmony;
mod json;
mod pieces;
mod sentence_piece;
mod tekken;
mod tiktoken;
mod tokenizer_json;
mod typed;
