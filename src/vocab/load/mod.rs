//! Readers of vocabularies as others write them.

mod harmony;
mod json;
mod pieces;
mod tiktoken;
mod tokenizer_json;
