//! How structural tags are compiled.

use crate::base::Limits;
use crate::front::json_schema::{Escapes, PropertyOrder, Whitespace};

/// How structural tags are compiled.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct StructuralTagConfig {
    /// Special tokens of the vocabulary, whatever their shape. A string of the tag that holds one means that
    /// token there. Names such as `<|name|>` need not be listed.
    pub specials: Vec<String>,
    /// White space in JSON, where a node does not bound it by `max_whitespace_cnt`.
    pub whitespace: Whitespace,
    /// Which escapes the strings of JSON have.
    pub escapes: Escapes,
    /// In which order the properties of JSON come, where a node does not say `any_order`.
    pub order: PropertyOrder,
    /// What compiling may cost.
    pub limits: Limits,
}
