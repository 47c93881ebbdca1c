//! What answers cost: steps of work, and bytes of states.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::base::{ANSWER, LimitError, Limits};

/// What was spent so far by one who holds a generation.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    /// Steps of work.
    pub(crate) steps: usize,
    /// Bytes of the states that were made, with their positions.
    pub(crate) bytes: usize,
}

impl Cost {
    /// What has been spent since the `other`.
    pub(super) fn since(self, other: Self) -> Self {
        Self {
            steps: self.steps.wrapping_sub(other.steps),
            bytes: self.bytes.wrapping_sub(other.bytes),
        }
    }

    /// Both.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            steps: self.steps.saturating_add(other.steps),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }

    /// Whether one answer may cost so much.
    ///
    /// # Errors
    /// If it is more than [`Limits::work`], or makes more than three quarters of [`Limits::machine_bytes`].
    pub(super) fn check(self, limits: &Limits) -> Result<(), LimitError> {
        LimitError::check(ANSWER, self.steps, limits.work)?;
        // A generation is left when it is full, so this is how far beyond that one grows, and how far a fresh one does in which
        // the answer is looked for then: both fit into twice as much.
        let allowed = limits.machine_bytes / 4 * 3;
        LimitError::check("bytes for states of one answer", self.bytes, allowed)
    }
}

/// The same, counted.
#[derive(Default)]
pub(super) struct Costs {
    steps: AtomicUsize,
    bytes: AtomicUsize,
}

impl Costs {
    pub(super) fn get(&self) -> Cost {
        Cost {
            steps: self.steps.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
        }
    }

    /// The steps alone.
    pub(super) fn steps(&self) -> usize {
        self.steps.load(Ordering::Relaxed)
    }

    pub(super) fn add(&self, cost: Cost) {
        self.steps.fetch_add(cost.steps, Ordering::Relaxed);
        self.bytes.fetch_add(cost.bytes, Ordering::Relaxed);
    }
}
