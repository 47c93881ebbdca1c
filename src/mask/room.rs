//! Room to work in, lent again and again: most masks are small work, and making the room would be as much.
//!
//! PERF: without it p99 of cold masks is 1.07 times as long (benches/LOG.md).

use std::ops::{Deref, DerefMut};
use std::sync::Mutex;

use crate::base::lock;

/// What can be used again.
pub(super) trait Reuse: Default {
    /// Makes it as it was; `false` where it has become too large to be kept.
    fn reset(&mut self) -> bool;
}

/// As many as threads are likely to work at once.
const MOST_KEPT: usize = 16;

/// Room that nobody has.
#[derive(Debug)]
pub(super) struct Rooms<T>(Mutex<Vec<T>>);

impl<T> Default for Rooms<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Reuse> Rooms<T> {
    /// Room until it is dropped.
    pub(super) fn take(&self) -> Lent<'_, T> {
        let mut free = lock(&self.0);
        Lent {
            room: free.pop().unwrap_or_default(),
            owner: self,
        }
    }

    fn put(&self, mut room: T) {
        if !room.reset() {
            return;
        }
        let mut free = lock(&self.0);
        if free.len() < MOST_KEPT {
            free.push(room);
        }
    }
}

/// Room that somebody works in.
#[derive(Debug)]
pub(super) struct Lent<'a, T: Reuse> {
    room: T,
    owner: &'a Rooms<T>,
}

impl<T: Reuse> Deref for Lent<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.room
    }
}

impl<T: Reuse> DerefMut for Lent<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.room
    }
}

impl<T: Reuse> Drop for Lent<'_, T> {
    fn drop(&mut self) {
        self.owner.put(std::mem::take(&mut self.room));
    }
}
