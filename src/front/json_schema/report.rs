//! What a compiled schema amounts to, for people and tools.

/// What a schema compiles to.
///
/// There is no "approximate": what compiles is exact, or the caller got an error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Distinct sets of values that the schema speaks of and that have members: each is a rule or
    /// shares one.
    pub sets: usize,
    /// The values of `format` that are not known and assert nothing, in ascending order.
    pub unknown_formats: Vec<String>,
    /// The encodings and media types that are not known and assert nothing, in ascending order, where the content of
    /// strings is asserted.
    pub unknown_content: Vec<String>,
}
