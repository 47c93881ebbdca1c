//! Status codes. Their values never change.

/// What a call came to: `enum mw_status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(super) enum Status {
    Ok = 0,
    NullPointer = 1,
    InvalidArgument = 2,
    InvalidUtf8 = 3,
    Malformed = 4,
    Unsupported = 5,
    Unsatisfiable = 6,
    Limit = 7,
    NotAllowed = 8,
    Ended = 9,
    Panic = 10,
}

impl Status {
    const NAMES: [(Self, &'static str); 11] = [
        (Self::Ok, "MW_OK"),
        (Self::NullPointer, "MW_NULL_POINTER"),
        (Self::InvalidArgument, "MW_INVALID_ARGUMENT"),
        (Self::InvalidUtf8, "MW_INVALID_UTF8"),
        (Self::Malformed, "MW_MALFORMED"),
        (Self::Unsupported, "MW_UNSUPPORTED"),
        (Self::Unsatisfiable, "MW_UNSATISFIABLE"),
        (Self::Limit, "MW_LIMIT"),
        (Self::NotAllowed, "MW_NOT_ALLOWED"),
        (Self::Ended, "MW_ENDED"),
        (Self::Panic, "MW_PANIC"),
    ];

    /// The name of a status; `None` for a number that is none.
    pub(super) fn name(status: i32) -> Option<&'static str> {
        let mut names = Self::NAMES.iter();
        let named = names.find(|(known, _)| known.code() == status)?;
        Some(named.1)
    }

    /// The number that crosses the interface.
    pub(super) const fn code(self) -> i32 {
        self as i32
    }
}
