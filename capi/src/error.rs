//! What went wrong, as a handle: `mw_error`; and where calls become statuses.

use super::failure::Failure;
use super::panic::{caught, quiet};
use super::pointer::{Out, free, shared, write_all};
use super::status::Status;
use super::text::MwText;

/// `mw_error`.
pub(super) struct MwError(Failure);

impl MwError {
    /// `field` is one of `enum mw_field`.
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
            7 => fault.excerpt.as_deref(),
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

/// As [`guard`], for a `body` that makes a handle, which the host gets at `out`.
///
/// # Safety
/// As [`guard`], and unless NULL, `out` can be written.
pub(super) unsafe fn make<T>(
    out: *mut *mut T,
    error: *mut *mut MwError,
    body: impl FnOnce() -> Result<T, Failure>,
) -> i32 {
    // SAFETY: as above.
    unsafe {
        guard(error, || {
            let out = Out::new(out, "out")?;
            out.give(body()?);
            Ok(())
        })
    }
}

/// As [`guard`], for a `body` that lists something: the host gets the first `capacity` items at `to`,
/// and how many there are at `count`.
///
/// # Safety
/// As [`guard`], and unless NULL, `to` has `capacity` places and `count` can be written.
pub(super) unsafe fn list<T: Copy, L: AsRef<[T]>>(
    to: *mut T,
    capacity: usize,
    count: *mut usize,
    error: *mut *mut MwError,
    body: impl FnOnce() -> Result<L, Failure>,
) -> i32 {
    // SAFETY: as above.
    unsafe {
        guard(error, || {
            let count = Out::new(count, "the number of results")?;
            write_all(body()?.as_ref(), to, capacity, count)
        })
    }
}

/// What `body` says of a handle, and `otherwise` if that is NULL or the body panics.
///
/// # Safety
/// As [`shared`].
pub(super) unsafe fn ask<H, T: Copy>(
    handle: *const H,
    otherwise: T,
    body: impl FnOnce(&H) -> T,
) -> T {
    quiet(otherwise, || {
        // SAFETY: as above.
        let handle = unsafe { shared(handle, "handle") };
        handle.map_or(otherwise, body)
    })
}

#[unsafe(no_mangle)]
extern "C" fn mw_status_name(status: i32) -> MwText {
    MwText::lent(Status::name(status))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_error_count(error: *const MwError) -> usize {
    // SAFETY: the host's.
    unsafe { ask(error, 0, |error| error.0.faults().len()) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_error_text(error: *const MwError, index: usize, field: i32) -> MwText {
    let absent = MwText::lent(None);
    // SAFETY: the host's.
    unsafe {
        ask(error, absent, |error| {
            MwText::lent(error.text(index, field))
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_error_copy(
    error: *const MwError,
    index: usize,
    field: i32,
    to: *mut u8,
    capacity: usize,
) -> usize {
    // SAFETY: the host's; unless NULL, `to` has `capacity` places.
    unsafe {
        ask(error, 0, |error| {
            let text = error.text(index, field).unwrap_or_default();
            if let (false, Some(room)) = (to.is_null(), capacity.checked_sub(1)) {
                let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
                let length = ends.take_while(|&end| end <= room).last().unwrap_or(0);
                std::ptr::copy_nonoverlapping(text.as_ptr(), to, length);
                to.add(length).write(0);
            }
            text.len()
        })
    }
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
    fn texts_are_copied_as_far_as_there_is_room() {
        let error = MwError(Failure::invalid("né"));
        for (capacity, expected) in [(4, "né"), (3, "n"), (2, "n"), (1, "")] {
            let mut room = [b'#'; 8];
            // SAFETY: there is room.
            let length = unsafe { mw_error_copy(&error, 0, 0, room.as_mut_ptr(), capacity) };
            assert_eq!(length, 3);
            assert_eq!(
                &room[..=expected.len()],
                [expected.as_bytes(), b"\0"].concat()
            );
            assert_eq!(room[expected.len() + 1], b'#');
        }
        // SAFETY: nothing is written where there is no room, and of no error.
        unsafe {
            assert_eq!(mw_error_copy(&error, 0, 0, std::ptr::null_mut(), 0), 3);
            assert_eq!(
                mw_error_copy(std::ptr::null(), 0, 0, std::ptr::null_mut(), 0),
                0
            );
        }
    }

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
