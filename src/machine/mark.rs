//! What those in a generation are to do: leave it, or say that it is in use.

use std::sync::atomic::{AtomicU8, Ordering};

/// Its states take so much room that a fresh generation is due.
const FULL: u8 = 1;
/// Room is wanted for others.
const LEFT: u8 = 2;
/// Nobody has said that it is in use since that was asked.
const ASKED: u8 = 4;

/// A few bits that whoever makes a step looks at, and that mostly are clear: so nothing is written where all is warm.
#[derive(Debug, Default)]
pub(crate) struct Mark(AtomicU8);

impl Mark {
    fn has(&self, bits: u8) -> bool {
        self.0.load(Ordering::Relaxed) & bits != 0
    }

    /// Whether there is anything to do.
    #[inline]
    pub(crate) fn is_set(&self) -> bool {
        self.has(u8::MAX)
    }

    /// Whether it is to be left.
    #[inline]
    pub(crate) fn is_to_be_left(&self) -> bool {
        self.has(FULL | LEFT)
    }

    /// Whether it is full, so that nobody can stay.
    pub(crate) fn is_full(&self) -> bool {
        self.has(FULL)
    }

    pub(super) fn fill(&self) {
        self.0.fetch_or(FULL, Ordering::Relaxed);
    }

    /// Asks those in it to leave it, if they can.
    pub(crate) fn leave(&self) {
        self.0.fetch_or(LEFT, Ordering::Relaxed);
    }

    /// Notes that somebody cannot leave it before it is full.
    pub(crate) fn stay(&self) {
        self.0.fetch_and(!LEFT, Ordering::Relaxed);
    }

    /// Asks whether it is in use; gives whether nobody has said so since that was asked before.
    pub(crate) fn ask(&self) -> bool {
        self.0.fetch_or(ASKED, Ordering::Relaxed) & ASKED != 0
    }

    /// Says that it is in use.
    #[cold]
    pub(crate) fn answer(&self) {
        self.0.fetch_and(!ASKED, Ordering::Relaxed);
    }
}
