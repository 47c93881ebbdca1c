//! What the sessions of a constraint share and fill while they run.

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::arrivals::Arrivals;
use super::bounds::Bounds;
use super::likeness::Alike;
use super::way::Way;
use crate::base::{Budget, BudgetPart, LimitError, Share};
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
    arrivals: Mutex<KeptArrivals>,
    bounds: Mutex<Kept<Bounds>>,
    /// What all of it takes of the engine's budget.
    share: Arc<Share>,
}

/// What is left of a generation: each step drops one thing of it.
pub(super) type Rest = Box<dyn Iterator<Item = ()> + Send>;

/// What is kept of states.
pub(super) type Kept<T> = Bounded<StateId, Arc<T>>;

/// What is kept of states that are alike.
type KeptArrivals = Bounded<Alike, Arc<Arrivals>>;

impl Live {
    /// One that has seen nothing.
    pub(super) fn new(
        grammar: &Arc<Grammar>,
        binding: &Arc<Binding>,
        engine: &Arc<Budget>,
    ) -> Result<Self, LimitError> {
        let share = Share::of(engine);
        let part = || BudgetPart::of(&share);
        let generation = Generation::new(grammar.clone(), binding.clone(), part());
        let start = generation.start()?;
        let budget = grammar.limits().mask_bytes;
        let shared = Arc::new(Shared {
            masks: Masks::new(budget, &share),
            start,
            ways: Mutex::new(Kept::within(budget / 4, part())),
            arrivals: Mutex::new(KeptArrivals::within(budget / 4, part())),
            bounds: Mutex::new(Kept::within(budget / 4, part())),
            share,
        });
        Ok(Self { generation, shared })
    }
}

impl Live {
    /// Whether those in it are to leave it.
    pub(super) fn is_to_be_left(&self) -> bool {
        self.generation.mark().is_to_be_left()
    }

    /// Says that it is in use; whether those in it are to leave it.
    pub(super) fn is_asked_to_be_left(&self) -> bool {
        self.generation.mark().answer();
        self.is_to_be_left()
    }

    /// No new session begins here: it counts towards the engine's budget no more, and those in it are to leave it.
    pub(super) fn retire(&self) {
        self.share.give_up();
        self.generation.mark().leave();
    }

    /// How many bytes of the engine's budget it takes.
    pub(super) fn bytes(&self) -> usize {
        self.share.bytes()
    }

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
            arrivals,
            bounds,
            ..
        } = shared;
        let ways = ways.into_inner().unwrap_or_else(PoisonError::into_inner);
        let arrivals = arrivals
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let bounds = bounds.into_inner().unwrap_or_else(PoisonError::into_inner);
        let rest = masks.dismantle().chain(ways.dismantle());
        let rest = rest.chain(arrivals.dismantle()).chain(bounds.dismantle());
        Ok(Box::new(rest.chain(generation)))
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

    /// Where the tokens of states lead that remember nothing, as far as that is known.
    pub(super) fn arrivals(&self) -> MutexGuard<'_, KeptArrivals> {
        self.arrivals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How far the end is after each token, where that is known.
    pub(super) fn bounds(&self) -> MutexGuard<'_, Kept<Bounds>> {
        self.bounds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
