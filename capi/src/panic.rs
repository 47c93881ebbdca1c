//! No panic crosses the interface.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::failure::Failure;
use super::status::Status;

/// What `body` gives; if it panics, that as a failure.
pub(super) fn caught<T>(body: impl FnOnce() -> T) -> Result<T, Failure> {
    // What a call may have left half done is a handle that may only be freed: the header says so.
    catch_unwind(AssertUnwindSafe(body)).map_err(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| panic.downcast_ref::<&str>().copied());
        let said = said.unwrap_or("a panic without a message");
        let failure = Failure::new(Status::Panic, format!("a defect of maskwright: {said}"));
        // To drop what was thrown could throw again.
        std::mem::forget(panic);
        failure
    })
}

/// What `body` gives, and `otherwise` if it panics.
pub(super) fn quiet<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    caught(body).unwrap_or(otherwise)
}
