//! Grammars: rules whose bodies are automata over bytes, control tokens and calls to other rules.
//!
//! Fronts write a [`GrammarBuilder`], which is unchecked; [`GrammarBuilder::finish`] checks and
//! trims it into a [`Grammar`], which the machine runs. A body is either an automaton, written as
//! an [`Nfa`] and determinised, or *implicit*: an `ImplicitBody` that makes its positions when
//! they are first visited, so that a counter or a set of seen properties costs nothing until used.

mod body;
mod builder;
mod control;
mod delimiters;
mod describe;
mod determinise;
mod error;
mod hints;
mod key;
mod nfa;
pub(crate) mod packed;
mod provenance;
mod rule;
mod text;
mod texts;
mod trim;
mod words;

pub(crate) use body::{
    Automaton, Body, Call, Edge, ImplicitBody, Node, Reading, ReturnTo, advance_by_edges,
};
pub(crate) use builder::SharedBody;
pub use builder::{Grammar, GrammarBuilder};
pub(crate) use control::control_name_at;
pub use control::{Control, TokenName};
pub(crate) use delimiters::Delimiters;
pub(crate) use describe::content_key;
pub use error::GrammarError;
pub(crate) use hints::{
    ANY_TEXT, Ahead, Ends, Hints, Memory, Needed, Progress, Refusal, Refusing, Remembered,
    Remembering, Shadow, Tails,
};
pub(crate) use key::KeyWriter;
pub(crate) use nfa::Label;
pub use nfa::{Nfa, NfaState};
pub(crate) use provenance::Provenance;
pub(crate) use texts::Texts;
pub(crate) use words::Words;
