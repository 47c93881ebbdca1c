//! What the sessions of a constraint share and fill while they run.

use std::sync::Arc;

use crate::base::LimitError;
use crate::grammar::Grammar;
use crate::machine::{Binding, Generation, StateId};
use crate::mask::Masks;

/// A generation of the machine with its masks. Over its budget a fresh one takes its place.
#[derive(Debug)]
pub(super) struct Live {
    pub(super) generation: Generation,
    pub(super) masks: Masks,
    pub(super) start: StateId,
}

impl Live {
    pub(super) fn new(grammar: &Arc<Grammar>, binding: &Arc<Binding>) -> Result<Self, LimitError> {
        let generation = Generation::new(grammar.clone(), binding.clone());
        let start = generation.start()?;
        Ok(Self {
            generation,
            masks: Masks::new(grammar.limits().mask_bytes),
            start,
        })
    }
}
