//! Structural tags: the JSON by which vLLM and SGLang say where tool calls stand in a text.
//!
//! The language is XGrammar's (`structural_tag.py` of its version 0.2.8), and the older form with `structures` and `triggers`.
//! A tag is compiled in two steps:
//!
//! 1. `read`: JSON to a tree of nodes, each with its JSON pointer. Unknown keys and kinds are refused.
//! 2. `lower`: the tree to one rule, an automaton that calls the rules of schemas, patterns and grammars. Free text that
//!    runs until a string comes is in `text`.
//!
//! INVARIANT: free text holds no control token, neither as a token nor spelt out, that the tag does not name there.

mod config;
mod error;
mod lower;
mod node;
mod read;
mod style;
mod text;

pub use config::StructuralTagConfig;
pub use error::StructuralTagError;

use crate::grammar::Grammar;

/// The grammar of the texts that a structural tag describes.
///
/// ```
/// use maskwright::front::structural_tag::{StructuralTagConfig, compile};
/// let tag = r#"{"type": "structural_tag", "format": {
///     "type": "triggered_tags",
///     "triggers": ["<call>"],
///     "tags": [{"begin": "<call>", "content": {"type": "json_schema", "json_schema": {"type": "integer"}}, "end": "</call>"}]
/// }}"#;
/// assert!(compile(tag, &StructuralTagConfig::default()).is_ok());
/// ```
///
/// # Errors
/// JSON that is malformed or no structural tag, with its place or pointer; what is not supported, by name; what
/// a schema, a pattern or a grammar in it is refused for; a limit; a tag that describes no text.
pub fn compile(tag: &str, config: &StructuralTagConfig) -> Result<Grammar, StructuralTagError> {
    let mut config = config.clone();
    config.schemas = config.schemas.begin().into_owned();
    let root = read::read(tag, &config.schemas.limits)?;
    lower::lower(&root, &config)
}
