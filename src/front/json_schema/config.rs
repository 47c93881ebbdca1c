//! How JSON is to be spelt, and what compiling a schema may cost.

use crate::base::Limits;

/// White space between the tokens of JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Whitespace {
    /// None at all.
    Compact,
    /// Any, wherever JSON allows it (RFC 8259, section 2), but neither before nor after the
    /// outermost value.
    #[default]
    Json,
}

/// In which order the properties of an object come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PropertyOrder {
    /// Those that the schema declares in that order, others anywhere between them.
    #[default]
    Declared,
    /// Any.
    Any,
}

/// What `format` does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Formats {
    /// A format that is known is asserted; any other is an annotation, which the report lists.
    #[default]
    Assert,
    /// All formats are annotations.
    Ignore,
}

/// How schemas are compiled.
///
/// ```
/// use maskwright::front::json_schema::{SchemaConfig, Whitespace};
/// let config = SchemaConfig { whitespace: Whitespace::Compact, ..SchemaConfig::default() };
/// assert!(config.forbidden.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaConfig {
    /// White space between the tokens of JSON.
    pub whitespace: Whitespace,
    /// In which order the properties of an object come.
    pub order: PropertyOrder,
    /// What `format` does.
    pub formats: Formats,
    /// Texts that no string spells in plain characters: the control tokens of a chat format. What
    /// means them is spelt with an escape, such as `\u003c` for `<`.
    pub forbidden: Vec<String>,
    /// What compiling may cost.
    pub limits: Limits,
}
