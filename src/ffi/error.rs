//! What went wrong, as a handle: `mw_error`; and where calls become statuses.

use super::failure::Failure;
use super::panic::{caught, quiet};
use super::pointer::{free, shared};
use super::status::Status;
use super::text::MwText;

/// `mw_error`.
pub(super) struct MwError(Failure);

impl MwError {
    fn text(&self, index: usize, field: i32) -> Option<&str> {
        let fault = self.0.faults().get(index)?;
        match field {
            0 => Some(&fault.message),
            1 => fault.source,
            2 => fault.place.as_deref(),
            3 => fault.pointer.as_deref(),
            4 => fault.keyword.as_deref(),
            5 => fault.reason.as_deref(),
            6 => fault.hint.as_deref(),
            _ => None,
        }
    }
}

/// Calls `body`. What it returns as wrong, and a panic, becomes a status, and an error if the host has
/// a place for one.
///
/// # Safety
/// The host's: unless NULL, `error` can be written.
pub(super) unsafe fn guard(
    error: *mut *mut MwError,
    body: impl FnOnce() -> Result<(), Failure>,
) -> i32 {
    let Err(failure) = caught(body).and_then(|result| result) else {
        return Status::Ok.code();
    };
    let status = failure.status();
    if !error.is_null() && error.is_aligned() {
        // SAFETY: checked, and the host's otherwise.
        unsafe { error.write(Box::into_raw(Box::new(MwError(failure)))) };
    }
    status.code()
}

#[unsafe(no_mangle)]
extern "C" fn mw_status_name(status: i32) -> MwText {
    MwText::lent(Status::name(status))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_error_count(error: *const MwError) -> usize {
    // SAFETY: the host's.
    quiet(0, || match unsafe { shared(error, "error") } {
        Ok(error) => error.0.faults().len(),
        Err(_) => 0,
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_error_text(error: *const MwError, index: usize, field: i32) -> MwText {
    quiet(MwText::lent(None), || {
        // SAFETY: the host's.
        let error = unsafe { shared(error, "error") };
        MwText::lent(error.ok().and_then(|error| error.text(index, field)))
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_error_free(error: *mut MwError) {
    // SAFETY: the host's.
    unsafe { free(error) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_status() {
        let mut error = std::ptr::null_mut();
        // SAFETY: `error` can be written.
        let status = unsafe { guard(&mut error, || panic!("on purpose")) };
        assert_eq!(status, Status::Panic.code());
        // SAFETY: it was written just now.
        let error = unsafe { Box::from_raw(error) };
        let message = error.text(0, 0).unwrap();
        assert_eq!(message, "a defect of maskwright: on purpose");
        // SAFETY: NULL.
        let status = unsafe { guard(std::ptr::null_mut(), || panic!("without a place")) };
        assert_eq!(status, Status::Panic.code());
        assert_eq!(quiet(7, || panic!("on purpose")), 7);
    }
}
