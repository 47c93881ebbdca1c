//! What is known of the ways to the end from a generation's states.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::arrivals::Arrivals;
use super::bounds::Bounds;
use super::likeness::Alike;
use super::way::Way;
use crate::base::{BudgetPart, Share, lock};
use crate::machine::StateId;
use crate::mask::Bounded;

/// What is kept of states.
pub(super) type Kept<T> = Bounded<StateId, Arc<T>>;

/// What is kept of states that are alike.
pub(super) type KeptArrivals = Bounded<Alike, Arc<Arrivals>>;

/// Ways to the end, and what leads to them. Only deadlines and ways out ask for it, so it is made when they do.
#[derive(Debug)]
pub(super) struct Surveyed {
    ways: Mutex<Kept<Way>>,
    arrivals: Mutex<KeptArrivals>,
    bounds: Mutex<Kept<Bounds>>,
}

impl Surveyed {
    /// Nothing yet, of which at most about `most_bytes` are kept; they count towards `share`.
    pub(super) fn new(most_bytes: usize, share: &Arc<Share>) -> Self {
        let part = || BudgetPart::of(share);
        Self {
            ways: Mutex::new(Kept::within(most_bytes / 3, part())),
            arrivals: Mutex::new(KeptArrivals::within(most_bytes / 3, part())),
            bounds: Mutex::new(Kept::within(most_bytes / 3, part())),
        }
    }

    /// All that is kept, to be dropped one by one.
    pub(super) fn dismantle(self) -> impl Iterator<Item = ()> + Send {
        let ways = self.ways.into_inner();
        let ways = ways.unwrap_or_else(PoisonError::into_inner);
        let arrivals = self.arrivals.into_inner();
        let arrivals = arrivals.unwrap_or_else(PoisonError::into_inner);
        let bounds = self.bounds.into_inner();
        let bounds = bounds.unwrap_or_else(PoisonError::into_inner);
        let rest = ways.dismantle().chain(arrivals.dismantle());
        rest.chain(bounds.dismantle())
    }

    /// The ways to the end that are known.
    pub(super) fn ways(&self) -> MutexGuard<'_, Kept<Way>> {
        lock(&self.ways)
    }

    /// Where the tokens of states lead that remember nothing, as far as that is known.
    pub(super) fn arrivals(&self) -> MutexGuard<'_, KeptArrivals> {
        lock(&self.arrivals)
    }

    /// How far the end is after each token, where that is known.
    pub(super) fn bounds(&self) -> MutexGuard<'_, Kept<Bounds>> {
        lock(&self.bounds)
    }
}
