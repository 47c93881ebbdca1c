//! The sets that are being normalised.

use crate::front::json_schema::values::SetId;

/// So many sets are looked through one by one.
const FEW: usize = 32;

/// A stack of distinct sets.
#[derive(Debug, Default)]
pub(super) struct Open {
    stack: Vec<SetId>,
    /// By set, whether it is on the stack above the first few.
    is_open: Vec<bool>,
}

impl Open {
    pub(super) fn len(&self) -> usize {
        self.stack.len()
    }

    pub(super) fn contains(&self, set: SetId) -> bool {
        let few = self.stack.len().min(FEW);
        self.stack[..few].contains(&set) || self.is_open.get(set.index()).copied() == Some(true)
    }

    /// Puts a set on top, and says whether it was not there yet.
    pub(super) fn push(&mut self, set: SetId) -> bool {
        if self.contains(set) {
            return false;
        }
        if self.stack.len() >= FEW {
            if self.is_open.len() <= set.index() {
                self.is_open.resize(set.index() + 1, false);
            }
            self.is_open[set.index()] = true;
        }
        self.stack.push(set);
        true
    }

    pub(super) fn pop(&mut self) {
        let set = self.stack.pop();
        if let Some(set) = set.filter(|_| self.stack.len() >= FEW) {
            self.is_open[set.index()] = false;
        }
    }

    /// Takes off what was put on top of the first `len`.
    pub(super) fn truncate(&mut self, len: usize) {
        while self.stack.len() > len {
            self.pop();
        }
    }
}
