//! What the sessions of a constraint share and fill while they run.

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::bounds::Bounds;
use super::way::Way;
use crate::base::LimitError;
use crate::grammar::Grammar;
use crate::machine::{Binding, Generation, StateId};
use crate::mask::{Bounded, Masks};

/// A generation of the machine with what is kept of it, as one session holds them. Over its budget a fresh one takes its
/// place.
#[derive(Clone, Debug)]
pub(super) struct Live {
    pub(super) generation: Generation,
    shared: Arc<Shared>,
}

/// What the sessions of a generation keep.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) masks: Masks,
    pub(super) start: StateId,
    ways: Mutex<Kept<Way>>,
    bounds: Mutex<Kept<Bounds>>,
}

/// What is left of a generation: each step drops one thing of it.
pub(super) type Rest = Box<dyn Iterator<Item = ()> + Send>;

/// What is kept of states.
pub(super) type Kept<T> = Bounded<StateId, Arc<T>>;

impl Live {
    pub(super) fn new(grammar: &Arc<Grammar>, binding: &Arc<Binding>) -> Result<Self, LimitError> {
        let generation = Generation::new(grammar.clone(), binding.clone());
        let start = generation.start()?;
        let budget = grammar.limits().mask_bytes;
        let shared = Arc::new(Shared {
            masks: Masks::new(budget),
            start,
            ways: Mutex::new(Kept::new(budget / 4)),
            bounds: Mutex::new(Kept::new(budget / 2)),
        });
        Ok(Self { generation, shared })
    }
}

impl Live {
    /// All that is kept, to be dropped one by one, if nobody else holds it.
    pub(super) fn dismantle(self) -> Result<Rest, Self> {
        let Self { generation, shared } = self;
        let shared = match Arc::try_unwrap(shared) {
            Ok(shared) => shared,
            Err(shared) => return Err(Self { generation, shared }),
        };
        let generation = match generation.dismantle() {
            Ok(rest) => rest,
            Err(generation) => {
                let shared = Arc::new(shared);
                return Err(Self { generation, shared });
            }
        };
        let Shared {
            masks,
            ways,
            bounds,
            ..
        } = shared;
        let ways = ways.into_inner().unwrap_or_else(PoisonError::into_inner);
        let bounds = bounds.into_inner().unwrap_or_else(PoisonError::into_inner);
        let rest = masks.dismantle().chain(ways.dismantle());
        Ok(Box::new(rest.chain(bounds.dismantle()).chain(generation)))
    }
}

impl Deref for Live {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.shared
    }
}

impl Shared {
    /// The ways to the end that are known.
    pub(super) fn ways(&self) -> MutexGuard<'_, Kept<Way>> {
        self.ways.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How far the end is after each token, where that is known.
    pub(super) fn bounds(&self) -> MutexGuard<'_, Kept<Bounds>> {
        self.bounds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
