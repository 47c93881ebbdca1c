//! What the items of an array are where it matters which are equal, so that they can be told apart.

use crate::front::json_schema::reader::ValueId;
use crate::front::json_schema::values::{NumberId, StringId};

/// How the items of an array are told apart: no two of them are equal, or some are.
#[derive(Clone, Debug)]
pub(crate) enum Unique {
    Scalars(UniqueItems),
    /// By their values, whatever they are. There are as many as are needed.
    Values,
    /// By their values, until two are equal, which some must be. All items are of one set.
    Repeated,
}

/// Scalars: strings, which are told apart by their texts, numbers, and what is told apart one by one.
#[derive(Clone, Debug, Default)]
pub(crate) struct UniqueItems {
    pub(crate) strings: Vec<StringId>,
    /// Numbers, told apart by their values, and how many there are; `None` where there is no end to them.
    pub(crate) number: Option<(NumberId, Option<u32>)>,
    /// Strings of the document.
    pub(crate) texts: Vec<ValueId>,
    /// Other values of the document.
    pub(crate) values: Vec<ValueId>,
    /// `null`, `false` and `true`.
    pub(crate) words: [bool; 3],
    /// How many there are in all; `None` where there is no end to them.
    pub(crate) total: Option<u32>,
}
