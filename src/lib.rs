//! Token masks that make malformed chat headers and invalid tool calls impossible.
//!
//! A chat format written in ABNF and the JSON Schemas of a request are compiled into one
//! token-level automaton. At each decode step it gives the sampler a mask of the tokens that can
//! still lead to a well-formed header, a legal channel and schema-conforming arguments.
//!
//! The layers, from the bottom (`ARCHITECTURE.md` is the map):
//!
//! - [`base`]: ids, spans, limits.
//! - [`regular`]: byte classes, regular expressions, automata over code points.
//! - [`vocab`]: tokens as bytes, specials, the byte trie and its slices.
//! - [`grammar`]: rules as automata over bytes, control tokens and calls.
//! - `machine`: the parser, determinised lazily.
//! - `mask`: which tokens may come next.
//! - [`front`]: the languages a constraint is written in: ABNF, JSON Schema, chat formats.
//! - [`session`]: what a host holds: a shared constraint and a session per sequence.
//! - [`reader`]: what a model wrote, taken apart.
//! - `batch` (a feature): masks of many sessions at once, and masks applied to logits.
//!
//! Other packages of the workspace stand beside this crate: `maskwright-transcript`, an independent parser of the chat formats
//! that shares no code with the engine, `maskwright-capi`, the C interface, and `maskwright-cli`, the command line.

#![forbid(unsafe_code)]

pub mod base;
#[cfg(feature = "batch")]
pub mod batch;
#[cfg(feature = "check")]
pub mod check;
pub mod front;
pub mod grammar;
mod host;
mod machine;
mod mask;
pub mod reader;
pub mod regular;
pub mod session;
pub mod vocab;

pub use base::{LimitError, Limits, TokenId};
pub use front::chat::{
    Analysis, BuiltIns, ChatOptions, Format, ParallelCalls, Prompt, ToolChoice, ToolSet,
};
pub use front::json_schema::{SchemaConfig, Whitespace};
pub use host::{Diagnosis, DiagnosisKind, Fault, RequestError, SchemaPlace};
pub use session::{Constraint, ConstraintConfig, Engine, Session, SessionError};
pub use vocab::{Vocabulary, VocabularyBuilder};

/// The programs on the front page and in the guide compile, and what they assert holds.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    mod front {}
    #[doc = include_str!("../docs/guide/host-loop.md")]
    mod host_loop {}
    #[doc = include_str!("../docs/guide/transcripts.md")]
    mod transcripts {}
}
