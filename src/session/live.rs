//! What the sessions of a constraint share and fill while they run.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::bounds::Bounds;
use super::way::Way;
use crate::base::LimitError;
use crate::grammar::Grammar;
use crate::machine::{Binding, Generation, StateId};
use crate::mask::{Bounded, Masks};

/// A generation of the machine with its masks. Over its budget a fresh one takes its place.
#[derive(Debug)]
pub(super) struct Live {
    pub(super) generation: Generation,
    pub(super) masks: Masks,
    pub(super) start: StateId,
    ways: Mutex<Kept<Way>>,
    bounds: Mutex<Kept<Bounds>>,
}

/// What is kept of states.
pub(super) type Kept<T> = Bounded<StateId, Arc<T>>;

impl Live {
    pub(super) fn new(grammar: &Arc<Grammar>, binding: &Arc<Binding>) -> Result<Self, LimitError> {
        let generation = Generation::new(grammar.clone(), binding.clone());
        let start = generation.start()?;
        let budget = grammar.limits().mask_bytes;
        Ok(Self {
            generation,
            masks: Masks::new(budget),
            start,
            ways: Mutex::new(Kept::new(budget / 4)),
            bounds: Mutex::new(Kept::new(budget / 2)),
        })
    }

    /// The ways to the end that are known.
    pub(super) fn ways(&self) -> MutexGuard<'_, Kept<Way>> {
        self.ways.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How far the end is after each token, where that is known.
    pub(super) fn bounds(&self) -> MutexGuard<'_, Kept<Bounds>> {
        self.bounds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
