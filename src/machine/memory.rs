//! What states remember, and what they would be if they forgot it.

use std::sync::Arc;

use smallvec::SmallVec;

use super::origin::Origin;
use super::state::{Items, StateId};
use crate::base::{IdMap, Interner, define_id};
use crate::grammar::{Delimiters, Grammar, Memory, Remembered};

define_id! {
    /// Items from which nothing happens but steps within their bodies.
    pub(crate) ReadersId
}

/// Where one would be if nothing were remembered.
#[derive(Clone, Debug)]
pub(crate) enum Remains {
    State(StateId),
    /// At these items, and at no others that they call: that is known without a state, which takes long to make.
    Readers(ReadersId, Items),
}

/// The texts under way, each with what was read of it and what its own position remembers: mostly one.
pub(crate) type Begun = SmallVec<[Memory; 1]>;

/// What a state would be if nothing were remembered, and what is.
#[derive(Clone, Debug)]
pub(crate) struct Forgotten {
    pub(crate) remains: Remains,
    /// What is remembered anywhere in the stack.
    pub(crate) memory: Memories,
    /// The texts under way.
    pub(crate) begun: Begun,
}

/// What is remembered ([`crate::grammar::Memory`]), and how that is delimited, each once.
pub(crate) type Memories = Arc<[(Delimiters, Remembered)]>;

/// How the bodies of a grammar delimit the texts that they remember, each way once.
pub(super) fn delimiters(grammar: &Grammar) -> SmallVec<[Delimiters; 1]> {
    let hints = grammar.rules().map(|rule| rule.body().hints());
    let mut delimiters: SmallVec<[Delimiters; 1]> = SmallVec::new();
    for body in hints.filter_map(|hints| hints.remembering()) {
        let declared = body.delimiters();
        if !delimiters.contains(&declared) {
            delimiters.push(declared);
        }
    }
    delimiters
}

/// The origins that were made to forget so far, each with what it remembered.
#[derive(Default)]
pub(super) struct Forgetting {
    pub(super) origins: IdMap<Origin, (Origin, Memories)>,
    pub(super) readers: Interner<Items>,
}

impl Forgetting {
    /// All that is known, to be dropped one by one.
    pub(super) fn dismantle(self) -> impl Iterator<Item = ()> + Send {
        self.origins.dismantle().chain(self.readers.dismantle())
    }
}
