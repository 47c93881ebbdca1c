//! Which types the parameters of a tool have, by which a text without quotes is told from a number or a list.

use rustc_hash::FxHashMap;
use std::sync::Arc;

use crate::front::chat::ChatError;
use crate::front::chat::options::ChatOptions;
use crate::front::chat::tools::{Arguments, Tool};
use crate::front::json_schema::{Outermost, SchemaConfig, Types, compile};

/// The types of the parameters of a tool.
#[derive(Clone, Debug)]
pub(crate) struct ParameterTypes {
    named: Arc<FxHashMap<String, Types>>,
    others: Types,
}

impl ParameterTypes {
    /// Those of a tool of which nothing is known.
    pub(crate) fn any() -> Self {
        Self {
            named: Arc::default(),
            others: Types::ALL,
        }
    }

    /// Those of `tool`.
    pub(crate) fn of(tool: &Tool, options: &ChatOptions) -> Result<Self, ChatError> {
        let Arguments::Schema(schema) = tool.arguments() else {
            return Ok(Self::any());
        };
        let config = SchemaConfig {
            outermost: Outermost::Object,
            regex: options.regex,
            content: options.content,
            draft: options.draft,
            documents: options.documents.clone(),
            limits: options.limits.clone(),
            ..SchemaConfig::default()
        };
        let compiled = compile(schema, &config).map_err(|source| ChatError::Tool {
            name: tool.name().to_owned(),
            pointer: tool.pointer().to_owned(),
            source: Box::new(source),
        })?;
        let (named, others) = compiled.member_types();
        Ok(Self {
            named: Arc::new(named),
            others,
        })
    }

    /// Those of the parameter `name`.
    pub(crate) fn types(&self, name: &str) -> Types {
        self.named.get(name).copied().unwrap_or(self.others)
    }
}
