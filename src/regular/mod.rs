//! Regular languages: byte classes, patterns, automata over UTF-8 bytes, lengths in code points.
//!
//! A [`Dfa`] is always trimmed, minimal and numbered in one canonical order, so two automata are
//! `==` exactly when they accept the same language. From the bottom:
//!
//! - `utf8`: code points as byte sequences.
//! - [`Dfa`]: the automaton, its set operations and questions about its language.
//! - [`Lengths`]: how many code points the texts may have that are accepted from a state.
//! - `texts`: a language by its automaton, or by one with a stack (`nesting`) or with counters beside it.
//! - `pattern`: patterns, in the syntax of ECMA-262 or another [`Dialect`], to a [`Dfa`].

mod dfa;
mod draft;
mod indents;
mod lacking;
mod lengths;
mod literals;
mod minimise;
mod nesting;
mod packed;
mod pattern;
mod product;
mod sole;
mod texts;
mod total;
pub(crate) mod utf8;

pub use dfa::{Dfa, StateId};
pub use lengths::Lengths;
pub(crate) use nesting::{Nesting, OUTERMOST, Place};
pub(crate) use pattern::{Counted, Told};
pub use pattern::{Dialect, Pattern, PatternError, PatternErrorKind, PatternNote, PatternNoteKind};
pub(crate) use texts::Texts;
