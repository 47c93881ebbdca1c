//! Tables that readers of one plan lend one after the other: what one has visited, the next need not make again.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex};

use super::places::Controls;
use super::table::Table;
use crate::base::lock;
use crate::front::chat::Skeleton;

/// As many as threads are likely to read at once.
const MOST_KEPT: usize = 16;

/// The tables of a plan that no reader has.
#[derive(Debug, Default)]
pub(super) struct Tables(Mutex<Vec<Table>>);

impl Tables {
    /// A table until it is dropped; a new one, for this skeleton, where none is free.
    pub(super) fn lend(
        self: &Arc<Self>,
        skeleton: &Arc<Skeleton>,
        controls: &Arc<Controls>,
    ) -> Lent {
        let free = lock(&self.0).pop();
        Lent {
            table: free.unwrap_or_else(|| Table::new(skeleton.clone(), controls.clone())),
            owner: self.clone(),
        }
    }
}

/// A table that a reader has.
#[derive(Debug)]
pub(super) struct Lent {
    table: Table,
    owner: Arc<Tables>,
}

impl Deref for Lent {
    type Target = Table;

    fn deref(&self) -> &Table {
        &self.table
    }
}

impl DerefMut for Lent {
    fn deref_mut(&mut self) -> &mut Table {
        &mut self.table
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if self.table.is_full() {
            return;
        }
        let mut free = lock(&self.owner.0);
        if free.len() < MOST_KEPT {
            free.push(self.table.take());
        }
    }
}
