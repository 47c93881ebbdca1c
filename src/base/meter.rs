//! What a compile has cost so far, counted by all that takes part in it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A counter of steps, which clones share; it counts nothing before a compile begins. All meters are equal, and look alike: what was
/// spent says nothing of limits.
#[derive(Clone, Default)]
pub(crate) struct Meter(Option<Arc<AtomicUsize>>);

impl Meter {
    /// Begins to count, unless it does.
    pub(super) fn begin(&mut self) {
        self.0.get_or_insert_default();
    }

    pub(super) fn has_begun(&self) -> bool {
        self.0.is_some()
    }

    /// Adds `steps`, and gives how many there are now.
    pub(super) fn add(&self, steps: usize) -> usize {
        // In which order threads add is no matter: each sees a sum that has its own steps in it.
        let before = |sum: &Arc<AtomicUsize>| sum.fetch_add(steps, Ordering::Relaxed);
        self.0.as_ref().map_or(0, before).saturating_add(steps)
    }

    pub(super) fn spent(&self) -> usize {
        let spent = |sum: &Arc<AtomicUsize>| sum.load(Ordering::Relaxed);
        self.0.as_ref().map_or(0, spent)
    }
}

impl fmt::Debug for Meter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Meter")
    }
}

impl PartialEq for Meter {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Meter {}
