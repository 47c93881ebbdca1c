//! How structural tags are compiled.

use crate::front::json_schema::SchemaConfig;

/// How structural tags are compiled.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct StructuralTagConfig {
    /// Special tokens of the vocabulary, whatever their shape. A string of the tag that holds one means that
    /// token there. Names such as `<|name|>` need not be listed.
    pub specials: Vec<String>,
    /// How the schemas in the tag are read and JSON is spelt, and what compiling may cost. Where a node bounds white
    /// space by `max_whitespace_cnt` or says `any_order`, that is what holds.
    pub schemas: SchemaConfig,
}
