//! Whose the pool of threads is: a child of `fork()` inherits the pool and none of its threads.

use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use super::failure::Failure;
use super::status::Status;
use maskwright::batch::PARALLEL_ROWS;

/// The process that started the pool, or 0: the pool is that of the whole process, and so is this.
static STARTED_BY: AtomicU32 = AtomicU32::new(0);

/// Says that this process is about to fill so many rows.
///
/// Whether there are few or many, they are refused where there are no threads: what works in a test with a few works
/// with many.
///
/// # Errors
/// Where the pool was started before this process was forked off.
pub(super) fn check(rows: usize) -> Result<(), Failure> {
    let this = process::id();
    let started_by = match rows < PARALLEL_ROWS {
        true => STARTED_BY.load(Ordering::Relaxed),
        false => STARTED_BY
            .compare_exchange(0, this, Ordering::Relaxed, Ordering::Relaxed)
            .unwrap_or_else(|started_by| started_by),
    };
    match started_by == 0 || started_by == this {
        true => Ok(()),
        false => Err(Failure::new(
            Status::Unsupported,
            "this process was forked off one that fills batches in threads of its own: fill masks one by one here, or \
             fill the first batch after the fork",
        )),
    }
}
