//! What a reader needs of a format: the rules of a turn with any JSON in the place of schemas, and which rule has which role.

mod bindings;
mod names;
mod role;
mod types;
mod values;

use rustc_hash::FxHashMap;

use super::offered::{Offered, offered_browser};
use super::options::ChatOptions;
use super::shape::Shape;
use super::tools::{Family, Tool};
use super::{ChatError, Format};
use crate::base::RuleId;
use crate::grammar::{Grammar, GrammarBuilder};

use bindings::Reading;
pub(crate) use role::{Detail, Extent, Role, ValueSpelling};
pub(crate) use types::ParameterTypes;

/// The rules of a turn, and their roles.
#[derive(Debug)]
pub(crate) struct Skeleton {
    pub(crate) grammar: Grammar,
    pub(crate) roles: FxHashMap<RuleId, Role>,
    /// By name as turns write it, the tools that may be called.
    pub(crate) tools: FxHashMap<String, ReadTool>,
    /// The names of the tools that take text.
    pub(crate) code_tools: Vec<String>,
    /// What strings of parameters stand between, where they do.
    pub(crate) mark: String,
}

/// What reading a call takes of a tool.
#[derive(Clone, Debug)]
pub(crate) struct ReadTool {
    /// The name as the request has it.
    pub(crate) name: String,
    /// What types its parameters have.
    pub(crate) types: ParameterTypes,
}

impl Skeleton {
    /// The skeleton of the rule `start` of `format` for the request that `options` describes.
    ///
    /// # Errors
    /// As [`compile`](super::compile), schemas apart.
    pub(crate) fn new(
        format: &Format,
        start: &str,
        options: &ChatOptions,
        detail: Detail,
    ) -> Result<Self, ChatError> {
        let plain = options.with_plain_text();
        let options = plain.as_ref().unwrap_or(options);
        options.check()?;
        format.check_options(options)?;
        let browser = offered_browser(options, &options.limits)?;
        let offered = Offered::new(options, &browser)?;
        let mut builder = GrammarBuilder::new(options.limits.clone());
        let shape = Shape::of(start, options, &offered, &options.limits).reading();
        let mut reading = Reading::new(format, options, (&offered, &shape), detail);
        let root = format.abnf.lower_into(&mut builder, start, &mut reading);
        let (reads_parameters, mark) = (reading.reads_parameters, reading.mark.take());
        let (roles, code_tools) = reading.finish()?;
        let grammar = format.finished(builder, root, start)?;
        let mut tools = FxHashMap::default();
        for tool in &offered.tools {
            let types = match reads_parameters {
                true => ParameterTypes::of(tool, options)?,
                false => ParameterTypes::any(),
            };
            for name in names(tool) {
                let read = ReadTool {
                    name: tool.short_name().to_owned(),
                    types: types.clone(),
                };
                tools.insert(name.to_owned(), read);
            }
        }
        Ok(Self {
            grammar,
            roles,
            tools,
            code_tools,
            mark: mark.unwrap_or_default(),
        })
    }
}

impl Skeleton {
    /// Whether the spelling of a control token is in `text`.
    pub(crate) fn has_control(&self, text: &str) -> bool {
        let mut controls = self.grammar.controls();
        controls.any(|(_, control)| text.contains(&control.to_string()))
    }
}

/// The names that a tool may be called by.
fn names(tool: &Tool) -> Vec<&str> {
    match tool.family() {
        Family::Function => vec![tool.short_name(), tool.name()],
        Family::BuiltIn => vec![tool.name()],
    }
}
