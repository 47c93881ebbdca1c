//! Pointers of the host's: checked, then read and written.

use super::failure::Failure;
use super::panic::quiet;

/// Whether `pointer` may be followed, as far as can be seen.
pub(super) fn check<T>(pointer: *const T, name: &str) -> Result<(), Failure> {
    if pointer.is_null() {
        return Err(Failure::null(name));
    }
    if !pointer.is_aligned() {
        return Err(Failure::invalid(format!("`{name}` is misaligned")));
    }
    Ok(())
}

/// What `pointer` points to.
///
/// # Safety
/// The host's: unless NULL, it points to a `T` that lives, and that nobody writes to, during `'a`.
pub(super) unsafe fn shared<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, Failure> {
    check(pointer, name)?;
    // SAFETY: checked, and the host's otherwise.
    Ok(unsafe { &*pointer })
}

/// What `pointer` points to, to be changed.
///
/// # Safety
/// The host's: unless NULL, it points to a `T` that lives, and that nobody else uses, during `'a`.
pub(super) unsafe fn exclusive<'a, T>(pointer: *mut T, name: &str) -> Result<&'a mut T, Failure> {
    check(pointer, name)?;
    // SAFETY: checked, and the host's otherwise.
    Ok(unsafe { &mut *pointer })
}

fn check_array<T>(pointer: *const T, length: usize, name: &str) -> Result<(), Failure> {
    check(pointer, name)?;
    match length.checked_mul(size_of::<T>()) {
        Some(bytes) if bytes <= isize::MAX as usize => Ok(()),
        _ => Err(Failure::invalid(format!(
            "`{name}` is beyond the address space"
        ))),
    }
}

/// The array at `pointer`, which may be NULL if it is empty.
///
/// # Safety
/// The host's: unless NULL, `pointer` points to `length` of `T` that live, and that nobody writes to,
/// during `'a`.
pub(super) unsafe fn slice<'a, T>(
    pointer: *const T,
    length: usize,
    name: &str,
) -> Result<&'a [T], Failure> {
    if length == 0 {
        return Ok(&[]);
    }
    check_array(pointer, length, name)?;
    // SAFETY: checked, and the host's otherwise.
    Ok(unsafe { std::slice::from_raw_parts(pointer, length) })
}

/// The array at `pointer`, to be changed; it may be NULL if it is empty.
///
/// # Safety
/// The host's: unless NULL, `pointer` points to `length` of `T` that live, and that nobody else uses,
/// during `'a`.
pub(super) unsafe fn slice_mut<'a, T>(
    pointer: *mut T,
    length: usize,
    name: &str,
) -> Result<&'a mut [T], Failure> {
    if length == 0 {
        return Ok(&mut []);
    }
    check_array(pointer, length, name)?;
    // SAFETY: checked, and the host's otherwise.
    Ok(unsafe { std::slice::from_raw_parts_mut(pointer, length) })
}

/// A place for a result.
pub(super) struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Looks at the place before any work is done for it.
    pub(super) fn new(pointer: *mut T, name: &str) -> Result<Self, Failure> {
        check(pointer, name)?;
        Ok(Self(pointer))
    }

    /// Writes the result.
    ///
    /// # Safety
    /// The host's: the pointer can be written.
    pub(super) unsafe fn write(self, value: T) {
        // SAFETY: checked, and the host's otherwise.
        unsafe { self.0.write(value) }
    }
}

impl<T> Out<*mut T> {
    /// Hands a new handle to the host.
    ///
    /// # Safety
    /// As [`Out::write`].
    pub(super) unsafe fn give(self, handle: T) {
        // SAFETY: as above.
        unsafe { self.write(Box::into_raw(Box::new(handle))) }
    }
}

/// Frees a handle that [`Out::give`] gave.
///
/// # Safety
/// The host's: `handle` is NULL, or was given and not freed yet, and nobody uses it.
pub(super) unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: it came from a box.
        quiet((), || drop(unsafe { Box::from_raw(handle) }));
    }
}

/// Writes the first of `items` to the `capacity` places at `to`, and how many there are to `count`.
///
/// # Safety
/// As [`slice_mut`] and [`Out::write`].
pub(super) unsafe fn write_all<T: Copy>(
    items: &[T],
    to: *mut T,
    capacity: usize,
    count: Out<usize>,
) -> Result<(), Failure> {
    // SAFETY: as above.
    let room = unsafe { slice_mut(to, capacity, "the array for the result")? };
    let fits = items.len().min(room.len());
    room[..fits].copy_from_slice(&items[..fits]);
    // SAFETY: as above.
    unsafe { count.write(items.len()) };
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::status::Status;

    #[test]
    fn arrays_beyond_the_address_space_and_misaligned_ones_are_refused() {
        let words = [0u32; 4];
        let odd = words.as_ptr().cast::<u8>().wrapping_add(1).cast::<u32>();
        for (pointer, length) in [(words.as_ptr(), usize::MAX), (odd, 1)] {
            // SAFETY: what is refused is not read.
            let refused = unsafe { slice(pointer, length, "words") };
            assert_eq!(refused.unwrap_err().status(), Status::InvalidArgument);
        }
    }
}
