//! What one answer of a session may cost.

use std::cell::Cell;

use crate::base::{ANSWER, LimitError};
use crate::machine::{Cost, Generation};

/// Steps of one answer: positions and items that are looked at where nothing is kept, and what the machine does for it.
pub(crate) struct Work<'g> {
    spent: Cell<usize>,
    generation: &'g Generation,
    /// What the machine had spent when the answer began.
    began: Cost,
    /// How much it had worked when that was looked at last.
    worked: Cell<usize>,
}

impl<'g> Work<'g> {
    /// Nothing is spent yet of what the limits of the grammar allow.
    pub(crate) fn on(generation: &'g Generation) -> Self {
        Self {
            spent: Cell::new(0),
            generation,
            began: generation.cost(),
            worked: Cell::new(generation.worked()),
        }
    }

    /// Takes so many steps.
    #[inline]
    pub(crate) fn charge(&self, steps: usize) -> Result<(), LimitError> {
        let spent = self.spent.get().saturating_add(steps);
        self.spent.set(spent);
        // What was spent here counts as if it were spent before.
        let steps = self.began.steps.wrapping_sub(spent);
        let worked = self.generation.worked();
        if worked == self.worked.replace(worked) {
            // The machine has made nothing, so that steps alone are to be looked at.
            let allowed = self.generation.grammar().limits().work;
            return LimitError::check(ANSWER, worked.wrapping_sub(steps), allowed);
        }
        let began = Cost {
            steps,
            ..self.began
        };
        self.generation.check_answer(began)
    }
}
