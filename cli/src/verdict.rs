//! What a command came to.

/// What a command that could do its work found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    Good,
    Bad,
    /// Some of the input was bad, and the output says which.
    BadInput,
}
