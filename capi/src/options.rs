//! Structs of options, by whatever version of the header the host was compiled with.

use std::mem::MaybeUninit;

use super::failure::Failure;
use super::pointer::check;

/// Larger sizes are sizes of something else.
const MOST_BYTES: usize = 1 << 12;

/// A struct of options, which begins with its size as the host knows it.
///
/// # Safety
/// It is `repr(C)`, begins with a `usize`, and may be all zero bytes.
pub(super) unsafe trait Options: Copy {}

/// The options at `pointer`, by whatever version of the header the host was compiled with.
///
/// # Safety
/// The host's: unless NULL, `pointer` points to as many bytes as the `size_t` there says.
pub(super) unsafe fn options<T: Options>(pointer: *const T, name: &str) -> Result<T, Failure> {
    check(pointer, name)?;
    // SAFETY: options begin with a `usize`; checked, and the host's otherwise.
    let size = unsafe { pointer.cast::<usize>().read() };
    if size < size_of::<usize>() || size > MOST_BYTES {
        return Err(Failure::invalid(format!(
            "`{name}.size` is {size}; it must be sizeof the struct"
        )));
    }
    // SAFETY: the host says so.
    let bytes = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), size) };
    let (known, unknown) = bytes.split_at(size.min(size_of::<T>()));
    if unknown.iter().any(|&byte| byte != 0) {
        return Err(Failure::invalid(format!(
            "`{name}` sets fields that this version does not know"
        )));
    }
    let mut options = MaybeUninit::<T>::zeroed();
    // SAFETY: `known` is no longer than `T`, and `T` may have any field zero.
    unsafe {
        std::ptr::copy_nonoverlapping(known.as_ptr(), options.as_mut_ptr().cast(), known.len());
        Ok(options.assume_init())
    }
}

/// Writes a result that begins with its size, as far as the struct at `pointer` reaches, whose size the host has set.
///
/// # Safety
/// The host's: unless NULL, as many bytes as the `size_t` at `pointer` says can be written there. `T` is `repr(C)` and begins
/// with a `usize`.
pub(super) unsafe fn write<T: Copy>(pointer: *mut T, value: T, name: &str) -> Result<(), Failure> {
    check(pointer, name)?;
    // SAFETY: it begins with a `usize`; checked, and the host's otherwise.
    let size = unsafe { pointer.cast::<usize>().read() };
    if size < size_of::<usize>() || size > MOST_BYTES {
        return Err(Failure::invalid(format!(
            "`{name}.size` is {size}; it must be sizeof the struct"
        )));
    }
    let (from, to) = (size_of::<usize>(), size.min(size_of::<T>()));
    let source = std::ptr::from_ref(&value).cast::<u8>();
    // SAFETY: both have `to` bytes, of which the size of the struct stays the host's.
    unsafe {
        std::ptr::copy_nonoverlapping(source.add(from), pointer.cast::<u8>().add(from), to - from);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::Status;

    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    struct Two {
        size: usize,
        one: i32,
        two: i32,
    }

    // SAFETY: integers only.
    unsafe impl Options for Two {}

    #[derive(Clone, Copy)]
    #[repr(C)]
    struct Three {
        two: Two,
        three: usize,
    }

    const TWO: Two = Two {
        size: size_of::<Two>(),
        one: 1,
        two: 2,
    };

    fn read(given: &Three) -> Result<Two, Status> {
        // SAFETY: `size` is at most that of `given`.
        unsafe { options(std::ptr::from_ref(given).cast(), "options") }
            .map_err(|failure: Failure| failure.status())
    }

    #[test]
    fn options_of_older_and_newer_hosts_are_read() {
        let mut given = Three { two: TWO, three: 0 };
        assert_eq!(read(&given), Ok(TWO));
        given.two.size = size_of::<usize>() + 4;
        assert_eq!(read(&given).map(|o| (o.one, o.two)), Ok((1, 0)));
        given.two.size = size_of::<Three>();
        assert_eq!(read(&given).map(|o| (o.one, o.two)), Ok((1, 2)));
        given.three = 1;
        assert_eq!(read(&given), Err(Status::InvalidArgument));
        for size in [0, size_of::<usize>() - 1, usize::MAX] {
            given.two.size = size;
            assert_eq!(read(&given), Err(Status::InvalidArgument));
        }
    }
}
