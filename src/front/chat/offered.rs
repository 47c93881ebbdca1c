//! The tools that a turn may call: those of the request, and those that formats have built in.

use super::options::{ChatOptions, ToolChoice};
use super::profile::BuiltIn;
use super::tools::{Family, Tool, ToolSet};
use super::{ChatError, ToolsError};
use crate::base::Limits;

const PYTHON: &str = "python";

/// What Harmony's system message declares.
const BROWSER_TOOLS: &str = r#"[
  {"name": "browser.search", "parameters": {
    "type": "object",
    "properties": {
      "query": {"type": "string"}, "topn": {"type": "number"}, "source": {"type": "string"}},
    "required": ["query"], "additionalProperties": false}},
  {"name": "browser.open", "parameters": {
    "type": "object",
    "properties": {
      "id": {"type": ["number", "string"]}, "cursor": {"type": "number"},
      "loc": {"type": "number"}, "num_lines": {"type": "number"},
      "view_source": {"type": "boolean"}, "source": {"type": "string"}},
    "additionalProperties": false}},
  {"name": "browser.find", "parameters": {
    "type": "object",
    "properties": {"pattern": {"type": "string"}, "cursor": {"type": "number"}},
    "required": ["pattern"], "additionalProperties": false}}
]"#;

/// The browser's tools, `browser.search`, `browser.open` and `browser.find`, with the parameters
/// that Harmony's system message gives them.
///
/// # Errors
/// Limits that are too small for them.
pub fn browser_tools(limits: &Limits) -> Result<ToolSet, ToolsError> {
    ToolSet::of_family(BROWSER_TOOLS, Family::BuiltIn, limits)
}

/// The browser's tools, where a request offers them.
pub(super) fn offered_browser(
    options: &ChatOptions,
    limits: &Limits,
) -> Result<ToolSet, ToolsError> {
    match options.built_ins.browser {
        BuiltIn::Offered => browser_tools(limits),
        BuiltIn::Absent => Ok(ToolSet::default()),
    }
}

/// The tools that a turn may call.
#[derive(Debug)]
pub(super) struct Offered<'a> {
    /// Those that take JSON.
    pub(super) tools: Vec<&'a Tool>,
    /// Those of the request that the tool choice leaves out. They are looked at all the same.
    pub(super) others: Vec<&'a Tool>,
    /// Whether `python` is one of them.
    pub(super) python: bool,
}

impl<'a> Offered<'a> {
    /// The tools that `options` offer; `browser` has the built-in ones, where they are offered.
    pub(super) fn new(options: &'a ChatOptions, browser: &'a ToolSet) -> Result<Self, ChatError> {
        let has_python = options.built_ins.python == BuiltIn::Offered;
        let all: Vec<&Tool> = options.tools.iter().chain(browser.iter()).collect();
        // A function of the request that is called as a built-in tool comes before that.
        let named = match &options.tool_choice {
            ToolChoice::Named(name) => match options.tools.find(name) {
                Some(place) => all[place].name(),
                None => name,
            },
            _ => "",
        };
        let chosen = |name: &str| match &options.tool_choice {
            ToolChoice::Auto | ToolChoice::Required => true,
            ToolChoice::None => false,
            ToolChoice::Named(_) => *name == *named,
        };
        let python = has_python && chosen(PYTHON);
        let (tools, others): (Vec<&Tool>, _) = all.iter().partition(|tool| chosen(tool.name()));
        match &options.tool_choice {
            ToolChoice::Required if tools.is_empty() && !python => Err(ChatError::NoTools),
            ToolChoice::Named(name) if tools.is_empty() && !python => Err(ChatError::UnknownTool {
                name: name.clone(),
                known: all
                    .iter()
                    .map(|tool| tool.name())
                    .chain(has_python.then_some(PYTHON))
                    .map(str::to_owned)
                    .collect(),
            }),
            _ => Ok(Self {
                tools,
                others,
                python,
            }),
        }
    }
}
