//! Regular languages: byte classes, patterns, automata over UTF-8 bytes, lengths in code points.
//!
//! A [`Dfa`] is always trimmed, minimal and numbered in one canonical order, so two automata are
//! `==` exactly when they accept the same language. From the bottom:
//!
//! - [`utf8`]: code points as byte sequences.
//! - [`Dfa`]: the automaton, its set operations and questions about its language.
//! - [`Lengths`]: how many code points the texts may have that are accepted from a state.
//! - `pattern`: JSON Schema's `pattern`, ECMA-262 syntax to a [`Dfa`].

mod dfa;
mod draft;
mod lengths;
mod literals;
mod minimise;
mod nesting;
mod packed;
mod pattern;
mod product;
mod total;
pub mod utf8;

pub use dfa::{Dfa, StateId};
pub use lengths::Lengths;
pub(crate) use nesting::{Nesting, OUTERMOST, Place};
pub use pattern::{PatternError, PatternErrorKind};
