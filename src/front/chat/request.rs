//! The rules that a request adds to those of its format's file: its tools' names and arguments, ids, JSON.

use std::sync::Arc;

use super::bound::BoundBody;
use super::call_id::{CallId, IdBytes};
use super::id_forms::{Counter, PatternId, PatternText};
use super::json::Json;
use super::offered::Offered;
use super::options::ChatOptions;
use super::outline::Outline;
use super::prose::Names;
use super::slot::{Id, Slot, SlotKind, Written};
use super::tool_name::ToolName;
use super::tools::Tool;
use super::{ChatError, Format};
use crate::base::{Limits, RuleId};
use crate::front::json_schema::SchemaError;
use crate::grammar::{Grammar, GrammarBuilder};

/// What each tool costs besides its schema.
const STEPS_PER_TOOL: usize = 4096;

/// Fills the slots of an outline.
pub(super) struct Request<'a> {
    format: &'a Format,
    options: &'a ChatOptions,
    offered: &'a Offered<'a>,
    outline: &'a Outline,
    generated: Json,
    any_spelling: Json,
    builder: GrammarBuilder,
}

impl<'a> Request<'a> {
    pub(super) fn new(
        format: &'a Format,
        (options, limits): (&'a ChatOptions, &Limits),
        offered: &'a Offered<'a>,
        outline: &'a Outline,
    ) -> Self {
        let (kept, controls) = (&format.kept, &outline.controls);
        Self {
            format,
            options,
            offered,
            outline,
            generated: Json::generated(kept, controls, (options, limits)),
            any_spelling: Json::any_spelling(kept, controls, (options, limits)),
            builder: GrammarBuilder::beyond(&outline.grammar, limits.clone()),
        }
    }

    /// The grammar of the request.
    pub(super) fn grammar(mut self) -> Result<Grammar, ChatError> {
        let outline = self.outline;
        let mut arguments = Vec::new();
        for slot in &outline.slots {
            match &slot.kind {
                SlotKind::Names { names, taken } => self.names(slot, *names, taken)?,
                SlotKind::Arguments(written) => arguments.push(self.arguments(slot, written)?),
                SlotKind::Id(id) => self.id(slot.rule, id),
                SlotKind::Json => {
                    let value = self.any_spelling.value(&mut self.builder);
                    let value = value.map_err(|source| self.json_error(source))?;
                    self.builder.define_as(slot.rule, value);
                }
                SlotKind::Response => {
                    let response = self.response()?;
                    self.builder.define_as(slot.rule, response);
                }
            }
        }
        let arguments = Arc::new(arguments.into_boxed_slice());
        for (rule, bound) in &outline.remembering.rules {
            let body = BoundBody {
                rule: bound.clone(),
                arguments: arguments.clone(),
            };
            self.builder.define_implicit(*rule, Arc::new(body));
        }
        let root = outline.grammar.root();
        let grammar = self.builder.finish(root);
        grammar.map_err(|source| self.format.refused(source))
    }

    /// The names of tools, each of which ends with the tool's number.
    fn names(&mut self, slot: &Slot, names: Names, taken: &[String]) -> Result<(), ChatError> {
        let tools = (0u32..).zip(&self.offered.tools);
        let named = tools.filter_map(|(number, tool)| Some((names.of(tool)?, number)));
        let mut lost = named.clone().map(|(name, _)| name);
        if let Some(name) = lost.find(|name| taken.iter().any(|taken| taken == name)) {
            let reason = format!("a tool named `{name}` cannot be called in this format");
            return Err(self.format.refuse(&slot.prose, reason));
        }
        let body = ToolName::new(named);
        self.builder.define_implicit(slot.rule, Arc::new(body));
        Ok(())
    }

    /// By tool, the rule of its arguments.
    fn arguments(&mut self, slot: &Slot, written: &Written) -> Result<Box<[RuleId]>, ChatError> {
        let mut json = match written {
            // They have more that is not written in plain characters.
            Written::Parameters(form) => {
                let asked = (self.options, self.builder.limits());
                let kept = &self.format.kept;
                Some(Json::generated(kept, form.forbidden(), asked))
            }
            Written::Json | Written::InString => None,
        };
        let offered = self.offered;
        let mut rules = Vec::with_capacity(offered.tools.len());
        for &tool in &offered.tools {
            rules.push(self.arguments_of(tool, (slot, written), json.as_mut())?);
        }
        for &tool in &offered.others {
            self.arguments_of(tool, (slot, written), json.as_mut())?;
        }
        Ok(rules.into())
    }

    /// The rule of the arguments of `tool`.
    fn arguments_of(
        &mut self,
        tool: &Tool,
        (slot, written): (&Slot, &Written),
        json: Option<&mut Json>,
    ) -> Result<RuleId, ChatError> {
        let builder = &mut self.builder;
        let charged = builder.limits().charge(STEPS_PER_TOOL);
        charged.map_err(|source| self.format.over_limit(&slot.prose, source))?;
        let json = json.unwrap_or(&mut self.generated);
        let (arguments, deadlines) = (tool.arguments(), self.options.deadlines);
        let rule = match written {
            Written::Json => json.arguments(arguments, deadlines, builder),
            Written::InString => json.arguments_string(arguments, deadlines, builder),
            Written::Parameters(form) => json.parameters(arguments, deadlines, form, builder),
        };
        let rule = rule.map_err(|source| ChatError::Tool {
            name: tool.name().to_owned(),
            pointer: tool.pointer().to_owned(),
            source: Box::new(source),
        })?;
        builder.describe(rule, tool.name());
        Ok(rule)
    }

    fn id(&mut self, rule: RuleId, id: &Id) {
        let memory = self.outline.remembering.memory;
        let spent: Vec<&str> = self.options.spent_call_ids().map(String::as_str).collect();
        let plain = self.outline.plain_id;
        let builder = &mut self.builder;
        match id {
            Id::Free => {
                builder.define_implicit(plain, Arc::new(IdBytes));
                builder.define_implicit(rule, Arc::new(CallId::new(memory, &spent, plain)));
            }
            Id::Pattern(texts) => {
                builder.define_implicit(plain, Arc::new(PatternText(texts.clone())));
                let body = PatternId::new(memory, &spent, texts.clone(), plain);
                builder.define_implicit(rule, Arc::new(body));
            }
            &Id::Counter(first) => {
                builder.define_implicit(rule, Arc::new(Counter { memory, first }));
            }
        }
    }

    fn response(&mut self) -> Result<RuleId, ChatError> {
        let builder = &mut self.builder;
        match &self.options.response_schema {
            Some(schema) => {
                let response = self.generated.schema(schema, builder);
                response.map_err(|source| ChatError::Response {
                    source: Box::new(source),
                })
            }
            None => {
                let value = self.generated.value(builder);
                value.map_err(|source| self.json_error(source))
            }
        }
    }

    fn json_error(&self, source: SchemaError) -> ChatError {
        ChatError::Json {
            format: self.format.name().to_owned(),
            source: Box::new(source),
        }
    }
}
