//! JSON Schema: what a schema means, as a set of values, lowered to rules.
//!
//! A text becomes rules in four steps, each in files of its own:
//!
//! 1. `reader`: JSON text to a document that keeps order and spelling.
//! 2. `keywords`, `refs`, `unsupported`: the document to typed schemas (`schema`, `values`).
//! 3. `normal`, `evaluate`, `emptiness`: typed schemas to sets of values in normal form.
//! 4. `lower`: normal forms to rule bodies, which are made when visited.
//!
//! INVARIANT: what is compiled is exact. A keyword that asserts something and cannot be compiled is
//! refused with its name and place; it is never ignored or approximated.

mod config;
mod draft;
mod emptiness;
mod error;
mod evaluate;
mod keywords;
mod lower;
mod normal;
mod number;
mod pointer;
mod reader;
mod refs;
mod report;
mod sample;
mod schema;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
mod unsupported;
mod values;

use std::sync::Arc;

pub use config::{SchemaConfig, Whitespace};
pub use error::SchemaError;
pub use lower::JsonRules;
pub(crate) use reader::{Document, Kind, ValueId};
pub use report::Report;

use crate::base::RuleId;
use crate::grammar::GrammarBuilder;

/// A schema, compiled: cheap to clone, and lowered into as many grammars as one likes.
#[derive(Clone, Debug)]
pub struct CompiledSchema {
    model: Arc<normal::Model>,
}

/// Compiles the JSON Schema `text`.
///
/// Drafts 4, 6, 7, 2019-09 and 2020-12 are told apart by `$schema`; the newest is the default.
///
/// ```
/// use maskwright::front::json_schema::{SchemaConfig, compile};
/// let error = compile(r#"{"items": {"format": "date"}}"#, &SchemaConfig::default()).unwrap_err();
/// assert_eq!(error.pointer(), Some("#/items/format"));
/// ```
///
/// # Errors
/// Text that is no JSON, malformed or unsupported keywords, a schema that nothing satisfies, a
/// limit: each with its place.
pub fn compile(text: &str, config: &SchemaConfig) -> Result<CompiledSchema, SchemaError> {
    let model = normal::Model::new(text, &config.limits)?;
    Ok(CompiledSchema {
        model: Arc::new(model),
    })
}

impl CompiledSchema {
    /// The schema of all values.
    fn any(config: &SchemaConfig) -> Result<Self, SchemaError> {
        compile("true", config)
    }

    /// What the schema amounts to.
    pub fn report(&self) -> Report {
        let model = &self.model;
        Report {
            sets: model.ranks.iter().filter(|&&rank| rank > 0).count(),
            samples: sample::samples(model),
        }
    }

    /// Adds the rules of the schema to `builder`, those that schemas have in common by way of
    /// `rules`, and gives the rule of its values, without white space around them.
    ///
    /// `rules` must have been used with this builder only.
    pub fn lower_into(&self, rules: &mut JsonRules, builder: &mut GrammarBuilder) -> RuleId {
        lower::lower(&self.model, rules, builder)
    }
}
