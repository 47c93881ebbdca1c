//! A budget of bytes that many share, and what each of them has of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What all who share it have together, and may have.
#[derive(Debug)]
pub(crate) struct Budget {
    allowed: usize,
    taken: AtomicUsize,
    /// All that was ever taken.
    made: AtomicUsize,
}

impl Budget {
    /// So many bytes, of which nobody has any yet.
    pub(crate) fn new(allowed: usize) -> Arc<Self> {
        Arc::new(Self {
            allowed,
            taken: AtomicUsize::new(0),
            made: AtomicUsize::new(0),
        })
    }

    /// How many bytes all have together.
    pub(crate) fn taken(&self) -> usize {
        // What is given up may be taken off before what it grew by last is added.
        let taken = self.taken.load(Ordering::Relaxed) as isize;
        taken.max(0) as usize
    }

    /// How many bytes all have taken so far, with what they gave up again.
    pub(crate) fn made(&self) -> usize {
        self.made.load(Ordering::Relaxed)
    }

    /// How many they may have.
    pub(crate) fn allowed(&self) -> usize {
        self.allowed
    }
}

/// What one has of a budget, in parts; nothing any more once it is given up or dropped.
#[derive(Debug)]
pub(crate) struct Share {
    budget: Arc<Budget>,
    /// How many bytes its parts have, and [`GIVEN_UP`].
    bytes: AtomicUsize,
}

/// Added to the bytes of a share that counts no more.
const GIVEN_UP: usize = 1 << (usize::BITS - 1);

impl Share {
    /// Nothing yet of `budget`.
    pub(crate) fn of(budget: &Arc<Budget>) -> Arc<Self> {
        Arc::new(Self {
            budget: budget.clone(),
            bytes: AtomicUsize::new(0),
        })
    }

    /// How many bytes its parts have, whether they still count or not.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed) & !GIVEN_UP
    }

    /// From now on it counts no more.
    pub(crate) fn give_up(&self) {
        let bytes = self.bytes.fetch_or(GIVEN_UP, Ordering::Relaxed);
        if bytes & GIVEN_UP == 0 {
            self.budget.taken.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    /// Has `to` bytes where it had `from`.
    fn change(&self, from: usize, to: usize) {
        let change = to.wrapping_sub(from);
        let before = self.bytes.fetch_add(change, Ordering::Relaxed);
        if before & GIVEN_UP == 0 {
            self.budget.taken.fetch_add(change, Ordering::Relaxed);
        }
        let more = to.saturating_sub(from);
        self.budget.made.fetch_add(more, Ordering::Relaxed);
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.give_up();
    }
}

/// A part tells how large it is when it has changed by so many bytes: those who grow seldom meet at the sum.
const NEWS: usize = 16 << 10;

/// A part of a share; one of none counts nowhere.
#[derive(Debug, Default)]
pub(crate) struct Part {
    share: Option<Arc<Share>>,
    told: usize,
}

impl Part {
    /// A part of `share`, which has nothing yet.
    pub(crate) fn of(share: &Arc<Share>) -> Self {
        let share = Some(share.clone());
        Self { share, told: 0 }
    }

    /// So many bytes it has now.
    pub(crate) fn tell(&mut self, bytes: usize) {
        if let Some(share) = &self.share
            && bytes.abs_diff(self.told) >= NEWS
        {
            share.change(self.told, bytes);
            self.told = bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_until_they_are_given_up() {
        let budget = Budget::new(100 * NEWS);
        let (one, other) = (Share::of(&budget), Share::of(&budget));
        let (mut first, mut second) = (Part::of(&one), Part::of(&one));
        let mut third = Part::of(&other);
        first.tell(5 * NEWS);
        second.tell(NEWS);
        third.tell(7 * NEWS);
        assert_eq!((budget.taken(), one.bytes()), (13 * NEWS, 6 * NEWS));
        first.tell(5 * NEWS + NEWS / 2);
        assert_eq!(budget.taken(), 13 * NEWS, "no news");
        first.tell(NEWS);
        assert_eq!(budget.taken(), 9 * NEWS);
        other.give_up();
        third.tell(20 * NEWS);
        assert_eq!((budget.taken(), other.bytes()), (2 * NEWS, 20 * NEWS));
        Part::default().tell(NEWS);
        drop((one, first, second, other, third));
        assert_eq!((budget.taken(), budget.allowed()), (0, 100 * NEWS));
    }
}
