//! Which texts a schema's constraint reads, held against what others say of them.

use maskwright::front::json_schema::{
    Escapes, JsonRules, PropertyOrder, SchemaConfig, SchemaError, compile,
};
use maskwright::grammar::GrammarBuilder;
use maskwright::session::{Constraint, ConstraintConfig};
use serde_json::Value;

use crate::judge::{Verdict, verdict};
use crate::{FUZZER, limits};

/// What reads the values of a schema in any order and spelling.
pub enum Reader {
    Of(Constraint),
    /// Nothing is a value of the schema.
    Nothing,
}

impl Reader {
    /// `None` where the schema is not supported, or over a limit.
    pub fn new(schema: &str) -> Option<Self> {
        let config = SchemaConfig {
            order: PropertyOrder::Any,
            escapes: Escapes::All,
            limits: limits().clone(),
            ..SchemaConfig::default()
        };
        let schema = match compile(schema, &config) {
            Ok(schema) => schema,
            Err(SchemaError::Unsatisfiable { .. }) => return Some(Self::Nothing),
            Err(_) => return None,
        };
        let mut rules = JsonRules::new(&config).ok()?;
        let mut builder = GrammarBuilder::new(limits().clone());
        let root = schema.lower_into(&mut rules, &mut builder);
        let grammar = builder.finish(root).ok()?;
        let constraint = FUZZER
            .engine()
            .constraint(grammar, &ConstraintConfig::default());
        Some(Self::Of(constraint.ok()?))
    }

    /// Whether the whole text is read; `None` where to say so is over a limit.
    pub fn reads(&self, text: &str) -> Option<bool> {
        let Self::Of(constraint) = self else {
            return Some(false);
        };
        let mut reader = constraint.recogniser();
        for byte in text.bytes() {
            if !reader.byte(byte).ok()? {
                return Some(false);
            }
        }
        Some(reader.may_end())
    }
}

/// Holds the constraint of a schema against the judge.
///
/// # Errors
/// An instance of which they do not say the same.
pub fn agreement(schema: &Value, instances: &[Value]) -> Result<(), String> {
    let text = schema.to_string();
    let Some(reader) = Reader::new(&text) else {
        return Ok(());
    };
    for instance in instances {
        let valid = match verdict(schema, instance) {
            Verdict::Valid => true,
            Verdict::Invalid(_) => false,
            Verdict::Silent => return Ok(()),
        };
        let spelt = instance.to_string();
        if reader.reads(&spelt).is_some_and(|reads| reads != valid) {
            let verdict = if valid { "valid" } else { "invalid" };
            return Err(format!("{text}: {spelt} is {verdict}"));
        }
    }
    Ok(())
}
