//! Generations that sessions have moved on from: taken apart a little at a time, since all at once takes long.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, TryLockError};

use super::live::{Live, Rest};
use crate::base::lock;

/// So many things are dropped at each call, for each generation that waits, and one more for so many steps that the call
/// worked: about twice as many as it made, in a fraction of its time.
const DROPPED_AT_ONCE: usize = 32;
const STEPS_PER_DROP: usize = 8;
/// So many generations are looked at whether any session is still in them.
const LOOKED_AT: usize = 16;

/// Generations that were left, and what is left of them.
#[derive(Default)]
pub(super) struct Retired {
    /// How many there are.
    count: AtomicUsize,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    /// Some session may still be in these; some of them are looked at with each call.
    left: VecDeque<Live>,
    rests: Vec<Rest>,
}

impl Retired {
    /// Takes over a generation that new sessions no longer begin in.
    pub(super) fn push(&self, live: Live) {
        let mut waiting = lock(&self.waiting);
        waiting.left.push_back(live);
        waiting.tell(&self.count);
    }

    /// Drops a little of what nobody holds any more, after so many steps of work; nothing while another thread does.
    #[inline]
    pub(super) fn drop_some(&self, worked: usize) {
        if self.count.load(Ordering::Relaxed) > 0 {
            self.drop_now(DROPPED_AT_ONCE.saturating_add(worked / STEPS_PER_DROP));
        }
    }

    #[cold]
    fn drop_now(&self, count: usize) {
        let mut waiting = match self.waiting.try_lock() {
            Ok(waiting) => waiting,
            Err(TryLockError::Poisoned(waiting)) => waiting.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        for _ in 0..waiting.left.len().min(LOOKED_AT) {
            match waiting.left.pop_front().map(Live::dismantle) {
                Some(Ok(rest)) => waiting.rests.push(rest),
                Some(Err(live)) => waiting.left.push_back(live),
                None => {}
            }
        }
        waiting.rests.retain_mut(|rest| {
            let dropped = rest.by_ref().take(count).count();
            dropped == count
        });
        waiting.tell(&self.count);
    }
}

impl Waiting {
    fn tell(&self, count: &AtomicUsize) {
        count.store(self.left.len() + self.rests.len(), Ordering::Relaxed);
    }
}

impl std::fmt::Debug for Retired {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Retired").finish_non_exhaustive()
    }
}
