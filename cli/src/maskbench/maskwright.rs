//! Our own engine under the benchmark.

use maskwright::base::TokenId;
use maskwright::front::json_schema::{JsonRules, SchemaConfig, SchemaError, compile};
use maskwright::grammar::GrammarBuilder;
use maskwright::session::{Constraint, ConstraintConfig, Engine as Masks, Session};

use super::engine::{Compiled, Engine, Refusal, Run};
use crate::vocabulary::Tokens;

/// maskwright with its vocabulary.
pub(crate) struct Maskwright {
    masks: Masks,
    config: SchemaConfig,
    vocab_ms: f64,
}

impl Maskwright {
    pub(crate) fn new(tokens: &Tokens, config: SchemaConfig) -> Self {
        Self {
            masks: tokens.engine().clone(),
            config,
            vocab_ms: tokens.ready().as_secs_f64() * 1e3,
        }
    }

    /// The same over the same vocabulary, but with an engine that has seen nothing yet.
    pub(crate) fn alone(tokens: &Tokens, config: SchemaConfig) -> Self {
        Self {
            masks: Masks::new(tokens.vocabulary().clone()),
            ..Self::new(tokens, config)
        }
    }

    fn constraint(&self, schema: &str) -> Result<Constraint, Refusal> {
        let compiled = compile(schema, &self.config).map_err(|error| Refusal {
            reason: reason(&error),
        })?;
        let mut builder = GrammarBuilder::new(self.config.limits.clone());
        let refused = |error| Refusal {
            reason: reason(&error),
        };
        let mut rules = JsonRules::new(&self.config).map_err(refused)?;
        let root = compiled.lower_into(&mut rules, &mut builder);
        let refusal = |error: &dyn std::fmt::Display| Refusal {
            reason: error.to_string(),
        };
        let grammar = builder.finish(root).map_err(|e| refusal(&e))?;
        self.masks
            .constraint(grammar, &ConstraintConfig::default())
            .map_err(|e| refusal(&e))
    }
}

/// What refusals are counted by: the keyword at fault, or the kind of fault.
fn reason(error: &SchemaError) -> String {
    match error {
        SchemaError::Unsupported { keyword, .. } => format!("not supported: {keyword}"),
        SchemaError::Malformed { keyword, .. } => format!("malformed: {keyword}"),
        SchemaError::Unsatisfiable { .. } => "unsatisfiable".into(),
        SchemaError::Limit { source, .. } => format!("limit: {}", source.what),
        other => other.to_string(),
    }
}

impl Engine for Maskwright {
    fn name(&self) -> &'static str {
        "maskwright"
    }

    fn vocab_ms(&self) -> f64 {
        self.vocab_ms
    }

    fn compile(&self, schema: &str) -> Result<Box<dyn Compiled>, Refusal> {
        Ok(Box::new(Ready(self.constraint(schema)?)))
    }
}

struct Ready(Constraint);

impl Compiled for Ready {
    fn start(&self) -> Result<Box<dyn Run + '_>, String> {
        Ok(Box::new(Running(self.0.session())))
    }
}

struct Running(Session);

impl Run for Running {
    fn mask(&mut self, row: &mut [u32]) -> Result<(), String> {
        self.0.mask(row).map_err(|error| error.to_string())
    }

    fn accept(&mut self, token: TokenId) -> Result<(), String> {
        self.0.accept(token).map_err(|error| error.to_string())
    }
}
