//! Whose the pool of threads is: a child of `fork()` inherits the pool and none of its threads.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};

use super::fill::PARALLEL_ROWS;

/// The process that started the pool. A host that may be forked keeps one for the whole process, as the pool is.
///
/// ```
/// use maskwright::batch::PoolOwner;
/// static POOL: PoolOwner = PoolOwner::nobody();
/// assert!(POOL.check(7, 1_000).is_ok()); // process 7 fills a large batch, and starts the pool
/// assert!(POOL.check(7, 1).is_ok());
/// assert!(POOL.check(8, 1).is_err()); // process 8 was forked off it
/// ```
#[derive(Debug)]
pub struct PoolOwner(AtomicU32);

impl PoolOwner {
    /// No process yet.
    #[must_use]
    pub const fn nobody() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Says that the process of this id is about to fill so many rows by [`fill_masks`](super::fill_masks).
    ///
    /// Whether there are few or many, they are refused where there are no threads: what works in a test with a few works
    /// with many.
    ///
    /// # Errors
    /// Where the pool was started before the process was forked off.
    pub fn check(&self, process: u32, rows: usize) -> Result<(), ForkedOff> {
        let owner = match rows < PARALLEL_ROWS {
            true => self.0.load(Ordering::Relaxed),
            false => {
                let taken =
                    self.0
                        .compare_exchange(0, process, Ordering::Relaxed, Ordering::Relaxed);
                taken.unwrap_or_else(|owner| owner)
            }
        };
        match owner == 0 || owner == process {
            true => Ok(()),
            false => Err(ForkedOff),
        }
    }
}

/// A batch cannot be filled in this process, which was forked off one that has the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForkedOff;

impl fmt::Display for ForkedOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "this process was forked off one that fills batches in threads of its own: fill masks one by one here, or \
             fill the first batch after the fork",
        )
    }
}

impl std::error::Error for ForkedOff {}
