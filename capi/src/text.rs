//! Texts: pointer and length.

use super::failure::Failure;
use super::pointer::slice;
use super::status::Status;

/// Pointer and length: `mw_text`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct MwText {
    data: *const u8,
    length: usize,
}

impl MwText {
    /// No text.
    pub(super) const ABSENT: Self = Self {
        data: std::ptr::null(),
        length: 0,
    };

    /// A text that the host may read; absent where there is none.
    pub(super) fn lent(text: Option<&str>) -> Self {
        Self {
            data: text.map_or(std::ptr::null(), str::as_ptr),
            length: text.map_or(0, str::len),
        }
    }

    pub(super) fn is_absent(&self) -> bool {
        self.data.is_null() && self.length == 0
    }

    /// The bytes of the text; none of an absent one.
    ///
    /// # Safety
    /// The host's: unless NULL, `data` points to `length` bytes that nobody writes to during `'a`.
    pub(super) unsafe fn bytes<'a>(self, name: &str) -> Result<&'a [u8], Failure> {
        // SAFETY: as above.
        unsafe { slice(self.data, self.length, name) }
    }

    /// The text; `None` where it is absent.
    ///
    /// # Safety
    /// As [`MwText::bytes`].
    pub(super) unsafe fn read<'a>(self, name: &str) -> Result<Option<&'a str>, Failure> {
        if self.is_absent() {
            return Ok(None);
        }
        // SAFETY: as above.
        let bytes = unsafe { self.bytes(name)? };
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let at = error.valid_up_to();
            Failure::new(
                Status::InvalidUtf8,
                format!("`{name}` is not UTF-8 at byte {at}"),
            )
        })?;
        Ok(Some(text))
    }
}
