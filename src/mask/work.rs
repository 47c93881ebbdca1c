//! What one answer of a session may cost.

use std::cell::Cell;

use crate::base::{LimitError, Limits};

/// Steps of one answer: positions and items that are looked at where nothing is kept.
#[derive(Debug)]
pub(crate) struct Work {
    spent: Cell<usize>,
    allowed: usize,
}

impl Work {
    /// Nothing is spent yet of what `limits` allow.
    pub(crate) fn within(limits: &Limits) -> Self {
        Self {
            spent: Cell::new(0),
            allowed: limits.work,
        }
    }

    /// Takes so many steps.
    #[inline]
    pub(super) fn charge(&self, steps: usize) -> Result<(), LimitError> {
        let spent = self.spent.get().saturating_add(steps);
        self.spent.set(spent);
        LimitError::check("steps of one answer", spent, self.allowed)
    }
}
