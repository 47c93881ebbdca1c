//! Whose the pool of threads is: it is that of the whole process, and so is what this file knows.

use maskwright::batch::PoolOwner;

use crate::error::{Failure, Kind};

static POOL: PoolOwner = PoolOwner::nobody();

/// Says that this process is about to fill so many rows.
///
/// # Errors
/// Where it was forked off one that has the threads.
pub(crate) fn check(rows: usize) -> Result<(), Failure> {
    let checked = POOL.check(std::process::id(), rows);
    checked.map_err(|error| Failure::new(Kind::Unsupported, error.to_string()))
}
