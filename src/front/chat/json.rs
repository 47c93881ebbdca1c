//! JSON in bodies: arguments, responses, and any value.

use std::borrow::Cow;
use std::sync::Arc;

use super::deadline::with_deadline;
use super::kept::Kept;
use super::options::{ChatOptions, Deadlines};
use super::schemas::KeptSchemas;
use super::tools::Arguments;
use crate::base::{Limits, RuleId};
use crate::front::json_schema::{
    CompiledSchema, JsonRules, Numbers, Outermost, ParameterForm, SchemaConfig, SchemaError,
    Whitespace,
};
use crate::grammar::GrammarBuilder;

/// Makes rules of JSON whose strings spell no control token. Rules that schemas have in common are
/// made once.
pub(super) struct Json {
    config: SchemaConfig,
    /// The same for arguments.
    of_arguments: SchemaConfig,
    /// What the format keeps.
    kept: Arc<Kept>,
    /// Those of its schemas that are compiled as arguments, once they are asked for.
    schemas_of_arguments: Option<Arc<KeptSchemas>>,
    /// Made when first needed.
    rules: Option<JsonRules>,
}

impl Json {
    /// JSON as a request wants it generated.
    pub(super) fn generated(
        kept: &Arc<Kept>,
        controls: &[String],
        (options, limits): (&ChatOptions, &Limits),
    ) -> Self {
        let spelt = (options.whitespace.clone(), options.numbers);
        Self::new(kept, controls, spelt, (options, limits))
    }

    /// JSON in any spelling.
    pub(super) fn any_spelling(
        kept: &Arc<Kept>,
        controls: &[String],
        (options, limits): (&ChatOptions, &Limits),
    ) -> Self {
        let spelt = (Whitespace::Json, Numbers::Any);
        Self::new(kept, controls, spelt, (options, limits))
    }

    fn new(
        kept: &Arc<Kept>,
        controls: &[String],
        (whitespace, numbers): (Whitespace, Numbers),
        (options, limits): (&ChatOptions, &Limits),
    ) -> Self {
        let config = SchemaConfig {
            whitespace,
            escapes: options.escapes,
            numbers,
            order: options.order,
            regex: options.regex,
            content: options.content,
            draft: options.draft,
            documents: options.documents.clone(),
            forbidden: controls.to_vec(),
            limits: limits.clone(),
            ..SchemaConfig::default()
        };
        let of_arguments = SchemaConfig {
            outermost: Outermost::Object,
            ..config.clone()
        };
        Self {
            config,
            of_arguments,
            kept: kept.clone(),
            schemas_of_arguments: None,
            rules: None,
        }
    }

    fn rules(&mut self) -> Result<&mut JsonRules, SchemaError> {
        if self.rules.is_none() {
            self.rules = Some(JsonRules::new(&self.config)?);
        }
        Ok(self.rules.as_mut().expect("made above"))
    }

    /// Any value.
    pub(super) fn value(&mut self, builder: &mut GrammarBuilder) -> Result<RuleId, SchemaError> {
        Ok(self.rules()?.value(builder))
    }

    /// What a schema admits.
    pub(super) fn schema(
        &mut self,
        schema: &str,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, SchemaError> {
        let schemas = self.kept.schemas(&self.config);
        let schema = schemas.compile(schema, &self.config)?;
        Ok(schema.lower_into(self.rules()?, builder))
    }

    /// What the arguments of a tool may be: objects, whatever its schema says.
    pub(super) fn arguments(
        &mut self,
        arguments: &Arguments,
        deadlines: Deadlines,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, SchemaError> {
        match arguments {
            Arguments::AnyObject => Ok(self.rules()?.object(builder)),
            Arguments::Schema(schema) => {
                let schema = self.schema_of_arguments(schema, deadlines)?;
                let schema = self.compiled(&schema)?;
                Ok(schema.lower_into(self.rules()?, builder))
            }
        }
    }

    /// The same as JSON within a string.
    pub(super) fn arguments_string(
        &mut self,
        arguments: &Arguments,
        deadlines: Deadlines,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, SchemaError> {
        let schema = self.schema_or_any(arguments, deadlines)?;
        let schema = self.compiled(&schema)?;
        Ok(schema.lower_in_string(self.rules()?, builder))
    }

    /// The same, parameter by parameter.
    pub(super) fn parameters(
        &mut self,
        arguments: &Arguments,
        deadlines: Deadlines,
        form: &Arc<ParameterForm>,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, SchemaError> {
        let schema = self.schema_or_any(arguments, deadlines)?;
        let schema = self.compiled(&schema)?;
        let limits = self.config.limits.clone();
        if form.is_python() && self.rules.is_none() {
            self.rules = Some(JsonRules::new(&self.config)?.of_python());
        }
        schema.lower_parameters(form, self.rules()?, &limits, builder)
    }

    /// A schema of arguments, compiled.
    fn compiled(&mut self, schema: &str) -> Result<CompiledSchema, SchemaError> {
        let (kept, config) = (&self.kept, &self.of_arguments);
        let schemas = self
            .schemas_of_arguments
            .get_or_insert_with(|| kept.schemas(config));
        schemas.compile(schema, config)
    }

    fn schema_or_any<'s>(
        &self,
        arguments: &'s Arguments,
        deadlines: Deadlines,
    ) -> Result<Cow<'s, str>, SchemaError> {
        match arguments {
            Arguments::AnyObject => Ok(Cow::Borrowed("{}")),
            Arguments::Schema(schema) => self.schema_of_arguments(schema, deadlines),
        }
    }

    fn schema_of_arguments<'s>(
        &self,
        schema: &'s str,
        deadlines: Deadlines,
    ) -> Result<Cow<'s, str>, SchemaError> {
        match deadlines {
            Deadlines::Forbidden => Ok(Cow::Borrowed(schema)),
            Deadlines::Allowed => with_deadline(schema, &self.of_arguments.limits),
        }
    }
}
