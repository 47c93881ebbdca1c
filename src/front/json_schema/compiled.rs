//! A compiled schema: what it amounts to, and its way into a grammar.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::config::SchemaConfig;
use super::error::{Faults, SchemaError};
use super::lower::{JsonRules, ParameterForm, lower, lower_in_string, lower_parameters};
use super::model::Model;
use super::normal;
use super::report::Report;
use super::values::Types;
use crate::base::{Limits, RuleId};
use crate::grammar::GrammarBuilder;

/// A schema, compiled: cheap to clone, and lowered into as many grammars as one likes.
#[derive(Clone, Debug)]
pub struct CompiledSchema {
    model: Arc<Model>,
    work: usize,
}

/// Compiles the JSON Schema `text`.
///
/// Drafts 4, 6, 7, 2019-09 and 2020-12 are told apart by `$schema`; without it, the draft of `config`
/// counts. References lead within the schema, to the documents of `config`, and to the drafts'
/// meta-schemas.
///
/// ```
/// use maskwright::front::json_schema::{SchemaConfig, compile};
/// let error = compile(r#"{"items": {"pattern": "(a)\\1"}}"#, &SchemaConfig::default()).unwrap_err();
/// assert_eq!(error.pointer(), Some("#/items/pattern"));
/// ```
///
/// # Errors
/// Text that is no JSON, malformed or unsupported keywords, a schema that nothing satisfies, a
/// limit: each with its place.
pub fn compile(text: &str, config: &SchemaConfig) -> Result<CompiledSchema, SchemaError> {
    read(text, config).map_err(SchemaError::from)
}

/// As [`compile`], with all that speaks against it as an error, as [`faults`] has it.
///
/// # Errors
/// The faults of the schema: at least one.
pub fn compile_or_faults(
    text: &str,
    config: &SchemaConfig,
) -> Result<CompiledSchema, Vec<SchemaError>> {
    read(text, config).map_err(Faults::into_all)
}

fn read(text: &str, config: &SchemaConfig) -> Result<CompiledSchema, Faults> {
    let config = config.begin();
    let before = config.limits.spent();
    let model = normal::read(text, &config)?;
    let work = config.limits.spent().saturating_sub(before);
    Ok(CompiledSchema { model, work })
}

/// All that speaks against compiling the JSON Schema `text`; nothing where it compiles.
///
/// These are the faults of all keywords, in the order of reading, which a limit ends; the first of
/// them is the error of [`compile`]. What takes the whole schema to see, such as that no value
/// satisfies it, is looked for where there are none, and found alone.
///
/// ```
/// use maskwright::front::json_schema::{SchemaConfig, faults};
/// let text = r#"{"items": {"pattern": "(a)\\1", "minimum": "one"}}"#;
/// let faults = faults(text, &SchemaConfig::default());
/// let pointers: Vec<_> = faults.iter().filter_map(|fault| fault.pointer()).collect();
/// assert_eq!(pointers, ["#/items/pattern", "#/items/minimum"]);
/// ```
pub fn faults(text: &str, config: &SchemaConfig) -> Vec<SchemaError> {
    compile_or_faults(text, config).err().unwrap_or_default()
}

impl CompiledSchema {
    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    /// What the schema amounts to.
    pub fn report(&self) -> Report {
        let model = &self.model;
        Report {
            sets: model.inhabited.iter().filter(|&&is| is).count(),
            unknown_formats: model.sets.unknown_formats.iter().cloned().collect(),
            unknown_content: model.sets.unknown_content.iter().cloned().collect(),
        }
    }

    /// How much of [`Limits::work`] compiling it took.
    pub fn work(&self) -> usize {
        self.work
    }

    /// Adds the rules of the schema to `builder`, those that schemas have in common by way of
    /// `rules`, and gives the rule of its values, without white space around them.
    ///
    /// `rules` must have been used with this builder only.
    pub fn lower_into(&self, rules: &mut JsonRules, builder: &mut GrammarBuilder) -> RuleId {
        lower(&self.model, rules, builder)
    }

    /// As [`Self::lower_into`], of the strings that are JSON texts of the values.
    pub(crate) fn lower_in_string(
        &self,
        rules: &mut JsonRules,
        builder: &mut GrammarBuilder,
    ) -> RuleId {
        lower_in_string(&self.model, rules, builder)
    }

    /// By name, the types of the members of the objects among the values; and the types of members of other names.
    pub(crate) fn member_types(&self) -> (FxHashMap<String, Types>, Types) {
        let model = &self.model;
        let objects = model.alternatives(model.root);
        let objects = objects
            .map(|all| all.objects.as_slice())
            .unwrap_or_default();
        let (mut named, mut others) = (FxHashMap::default(), Types::NONE);
        for &object in objects {
            let shape = model.object_shape(object);
            for slot in &shape.slots {
                let types: &mut Types = named
                    .entry(model.sets.name_text(slot.name).to_owned())
                    .or_insert(Types::NONE);
                for choice in &slot.choices {
                    *types = types.union(model.types(choice.set));
                }
            }
            for choice in shape.others.iter().flat_map(|others| &others.choices) {
                others = others.union(model.types(choice.set));
            }
        }
        (named, others)
    }

    /// As [`Self::lower_into`], of the objects among the values, which are written as parameters.
    ///
    /// # Errors
    /// What cannot be written in this form, with its place, and limits.
    pub(crate) fn lower_parameters(
        &self,
        form: &Arc<ParameterForm>,
        rules: &mut JsonRules,
        limits: &Limits,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, SchemaError> {
        lower_parameters(&self.model, form, rules, limits, builder)
    }
}
