//! No panic crosses the interface.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::failure::Failure;
use super::status::Status;

/// What `body` gives; if it panics, that as a failure.
pub(super) fn caught<T>(body: impl FnOnce() -> T) -> Result<T, Failure> {
    // What a call may have left half done is a handle that may only be freed: the header says so.
    catch_unwind(AssertUnwindSafe(body)).map_err(|panic| {
        let said = message(panic);
        let said = said.as_deref().unwrap_or("a panic without a message");
        Failure::new(Status::Panic, format!("a defect of maskwright: {said}"))
    })
}

/// What a panic says.
fn message(panic: Box<dyn Any + Send>) -> Option<String> {
    let panic = match panic.downcast::<String>() {
        Ok(said) => return Some(*said),
        Err(panic) => panic,
    };
    match panic.downcast::<&str>() {
        Ok(said) => Some((*said).to_owned()),
        Err(panic) => {
            // To drop what was thrown could throw again.
            std::mem::forget(panic);
            None
        }
    }
}

/// What `body` gives, and `otherwise` if it panics.
pub(super) fn quiet<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    caught(body).unwrap_or(otherwise)
}
