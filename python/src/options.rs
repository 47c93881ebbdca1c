//! Keyword arguments: names and values to the options of the library.

use maskwright::base::Limits;
use maskwright::front::chat::{
    Analysis, BuiltIn, Channel, Channels, ChatOptions, OpenCall, ParallelCalls, Profile, Thought,
    ToolChoice, ToolSet,
};
use maskwright::front::json_schema::{
    Draft, Escapes, Formats, Outermost, PropertyOrder, SchemaConfig, SchemaDocument, SpacePattern,
    Whitespace,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::error::Failure;
use crate::json;

/// The member of `known` that is called `given`.
pub(crate) fn choice<T: Clone>(
    argument: &str,
    given: &str,
    known: &[(&str, T)],
) -> Result<T, Failure> {
    let found = known.iter().find(|(name, _)| *name == given);
    found.map(|(_, value)| value.clone()).ok_or_else(|| {
        let names: Vec<_> = known.iter().map(|(name, _)| format!("{name:?}")).collect();
        Failure::invalid(format!("`{argument}`: {given:?} is no value of it"))
            .hint(format!("it is one of {}", names.join(", ")))
    })
}

/// `limits`: a dictionary with some of the limits by name.
pub(crate) fn limits(given: Option<&Bound<'_, PyDict>>) -> PyResult<Limits> {
    let mut limits = Limits::default();
    for (name, value) in given.into_iter().flatten() {
        let name: String = name.extract()?;
        let value: usize = value.extract()?;
        let field = match name.as_str() {
            "source_bytes" => &mut limits.source_bytes,
            "depth" => &mut limits.depth,
            "rules" => &mut limits.rules,
            "automaton_states" => &mut limits.automaton_states,
            "schema_states" => &mut limits.schema_states,
            "state_items" => &mut limits.state_items,
            "machine_bytes" => &mut limits.machine_bytes,
            "mask_bytes" => &mut limits.mask_bytes,
            _ => {
                let hint = "they are source_bytes, depth, rules, automaton_states, schema_states, \
                            state_items, machine_bytes and mask_bytes";
                let message = format!("`limits`: there is no limit {name:?}");
                return Err(Failure::invalid(message).hint(hint).into());
            }
        };
        *field = value;
    }
    Ok(limits)
}

/// `whitespace`: `json`, `compact`, or a pattern between slashes.
pub(crate) fn whitespace(given: &str, limits: &Limits) -> Result<Whitespace, Failure> {
    let inner = given
        .strip_prefix('/')
        .and_then(|rest| rest.strip_suffix('/'));
    if let Some(pattern) = inner {
        let pattern = SpacePattern::new(pattern, limits);
        let pattern = pattern.map_err(|error| Failure::schema(&error, None, "whitespace", "#"))?;
        return Ok(Whitespace::Pattern(pattern));
    }
    let known = [("json", Whitespace::Json), ("compact", Whitespace::Compact)];
    choice("whitespace", given, &known).map_err(|failure| {
        failure.hint("it is \"json\", \"compact\", or a pattern between slashes such as \"/ ?/\"")
    })
}

pub(crate) fn escapes(given: &str) -> Result<Escapes, Failure> {
    let known = [
        ("minimal", Escapes::Minimal),
        ("free", Escapes::Free),
        ("all", Escapes::All),
    ];
    choice("escapes", given, &known)
}

pub(crate) fn order(given: &str) -> Result<PropertyOrder, Failure> {
    let known = [
        ("declared", PropertyOrder::Declared),
        ("any", PropertyOrder::Any),
    ];
    choice("order", given, &known)
}

/// The options of a schema.
#[derive(Clone, Copy)]
pub(crate) struct SchemaWords<'a, 'py> {
    pub(crate) whitespace: &'a str,
    pub(crate) escapes: &'a str,
    pub(crate) order: &'a str,
    pub(crate) outermost: &'a str,
    pub(crate) formats: &'a str,
    pub(crate) draft: &'a str,
    pub(crate) documents: Option<&'a Bound<'py, PyDict>>,
    pub(crate) limits: Option<&'a Bound<'py, PyDict>>,
}

impl SchemaWords<'_, '_> {
    pub(crate) fn read(self) -> PyResult<SchemaConfig> {
        let limits = limits(self.limits)?;
        let outermost = [("any", Outermost::Any), ("object", Outermost::Object)];
        let formats = [("assert", Formats::Assert), ("ignore", Formats::Ignore)];
        let drafts = [
            ("4", Draft::Draft4),
            ("6", Draft::Draft6),
            ("7", Draft::Draft7),
            ("2019-09", Draft::Draft201909),
            ("2020-12", Draft::Draft202012),
        ];
        let documents = self.documents.into_iter().flatten().map(|(uri, text)| {
            Ok(SchemaDocument {
                uri: uri.extract()?,
                text: json::text(&text)?,
            })
        });
        Ok(SchemaConfig {
            whitespace: whitespace(self.whitespace, &limits)?,
            escapes: escapes(self.escapes)?,
            order: order(self.order)?,
            outermost: choice("outermost", self.outermost, &outermost)?,
            formats: choice("formats", self.formats, &formats)?,
            draft: choice("draft", self.draft, &drafts)?,
            documents: documents.collect::<PyResult<_>>()?,
            limits,
            ..SchemaConfig::default()
        })
    }
}

/// The options of a chat format.
pub(crate) struct ChatWords<'a, 'py> {
    pub(crate) tools: Option<&'a Bound<'py, PyAny>>,
    pub(crate) tool_choice: Option<&'a Bound<'py, PyAny>>,
    pub(crate) parallel_calls: bool,
    pub(crate) analysis: bool,
    pub(crate) response_schema: Option<&'a Bound<'py, PyAny>>,
    pub(crate) built_in_tools: Vec<String>,
    pub(crate) functions_on_analysis: bool,
    pub(crate) profile: &'a str,
    pub(crate) thoughts: Option<&'a Bound<'py, PyDict>>,
    pub(crate) whitespace: &'a str,
    pub(crate) escapes: &'a str,
    pub(crate) order: &'a str,
    pub(crate) used_call_ids: Vec<String>,
    pub(crate) open_calls: Vec<(Option<String>, String)>,
    pub(crate) sequence_begin: Option<String>,
    pub(crate) sequence_end: Option<String>,
    pub(crate) limits: Option<&'a Bound<'py, PyDict>>,
}

impl ChatWords<'_, '_> {
    pub(crate) fn read(self) -> PyResult<ChatOptions> {
        let mut options = ChatOptions::default();
        options.limits = limits(self.limits)?;
        if let Some(tools) = self.tools {
            let text = json::text(tools)?;
            let tools = ToolSet::parse(&text, &options.limits).map_err(Failure::from)?;
            options.tools = tools;
        }
        options.tool_choice = tool_choice(self.tool_choice)?;
        options.parallel_calls = match self.parallel_calls {
            true => ParallelCalls::Allowed,
            false => ParallelCalls::Forbidden,
        };
        options.analysis = match self.analysis {
            true => Analysis::Allowed,
            false => Analysis::Forbidden,
        };
        options.response_schema = self.response_schema.map(json::text).transpose()?;
        for name in &self.built_in_tools {
            match name.as_str() {
                "python" => options.built_ins.python = BuiltIn::Offered,
                "browser" => options.built_ins.browser = BuiltIn::Offered,
                _ => choice("built_in_tools", name, &[("python", ()), ("browser", ())])?,
            }
        }
        let profiles = [("default", Profile::default()), ("hip-1", Profile::hip_1())];
        options.profile = choice("profile", self.profile, &profiles)?;
        if self.functions_on_analysis {
            options.profile.functions_on =
                Channels::from_iter([Channel::Analysis, Channel::Commentary]);
        }
        for (kind, rule) in self.thoughts.into_iter().flatten() {
            let (kind, rule): (String, String) = (kind.extract()?, rule.extract()?);
            let rules = [
                ("forbidden", Thought::Forbidden),
                ("offered", Thought::Offered),
                ("demanded", Thought::Demanded),
            ];
            let rule = choice("thoughts", &rule, &rules)?;
            match kind.as_str() {
                "reflect" => options.thoughts.reflect = rule,
                "introspect" => options.thoughts.introspect = rule,
                "reason" => options.thoughts.reason = rule,
                _ => choice(
                    "thoughts",
                    &kind,
                    &[("reflect", ()), ("introspect", ()), ("reason", ())],
                )?,
            }
        }
        options.whitespace = whitespace(self.whitespace, &options.limits)?;
        options.escapes = escapes(self.escapes)?;
        options.order = order(self.order)?;
        options.used_call_ids = self.used_call_ids;
        options.open_calls = (self.open_calls.into_iter())
            .map(|(id, name)| OpenCall { id, name })
            .collect();
        if let Some(begin) = self.sequence_begin {
            options.sequence_tokens.begin = begin;
        }
        if let Some(end) = self.sequence_end {
            options.sequence_tokens.end = end;
        }
        Ok(options)
    }
}

/// `tool_choice`: `auto`, `required`, `none`, a tool's name, or OpenAI's object that names one.
fn tool_choice(given: Option<&Bound<'_, PyAny>>) -> PyResult<ToolChoice> {
    let Some(given) = given else {
        return Ok(ToolChoice::Auto);
    };
    if let Ok(word) = given.cast::<PyString>() {
        return Ok(match word.to_str()? {
            "auto" => ToolChoice::Auto,
            "required" => ToolChoice::Required,
            "none" => ToolChoice::None,
            name => ToolChoice::Named(name.to_owned()),
        });
    }
    let named = given.cast::<PyDict>().ok().and_then(|object| {
        let function = object.get_item("function").ok().flatten();
        let holder = function.unwrap_or_else(|| object.clone().into_any());
        holder.get_item("name").ok()?.extract::<String>().ok()
    });
    named.map(ToolChoice::Named).ok_or_else(|| {
        Failure::invalid("`tool_choice` is neither a word nor an object that names a function")
            .hint("\"auto\", \"required\", \"none\", or {\"type\": \"function\", \"function\": {\"name\": …}}")
            .into()
    })
}
