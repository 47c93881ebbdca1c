//! What an interface declares, in terms that C and Rust share: types are spelt as in Rust, with the
//! names of C.

use std::collections::{BTreeMap, BTreeSet};

/// Names and types, in order.
pub(crate) type Fields = Vec<(String, String)>;

/// A function: its parameters and its result.
pub(crate) type Signature = (Fields, String);

#[derive(Debug, Default)]
pub(crate) struct Declarations {
    pub(crate) functions: BTreeMap<String, Signature>,
    /// What each function does, as it is written; a header has none.
    pub(crate) bodies: BTreeMap<String, String>,
    /// Types of function pointers.
    pub(crate) callbacks: BTreeMap<String, Signature>,
    pub(crate) structs: BTreeMap<String, Fields>,
    pub(crate) opaque: BTreeSet<String>,
    pub(crate) enums: BTreeMap<String, Vec<(String, i64)>>,
}
