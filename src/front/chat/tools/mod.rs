//! The tools of a request, read from whatever a provider or a library writes.
//!
//! `list` finds the tools in a file, `entry` reads one of them, `keys` says which keys mean what,
//! `foreign` and `python_type` bring schemas that are no JSON Schema to JSON Schema.

mod entry;
mod foreign;
mod keys;
mod list;
mod python_type;

use std::fmt;
use std::fmt::Write as _;

use rustc_hash::FxHashSet;

use super::ToolsError;
use crate::base::{LimitError, Limits};
use crate::front::json_schema::{Document, SchemaError};

/// The namespace of the functions of a request.
const FUNCTIONS: &str = "functions.";
/// What a function without parameters takes.
const EMPTY_OBJECT: &str = r#"{"type":"object","properties":{},"additionalProperties":false}"#;

/// A tool that the model may call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    name: String,
    family: Family,
    pointer: String,
    description: Option<String>,
    /// The schema of its arguments, as prompts show it.
    parameters: Option<String>,
    arguments: Arguments,
}

/// Whose tool it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// A function of the request, in the namespace `functions`.
    Function,
    /// A tool of the formats' own, which has a namespace of its own.
    BuiltIn,
}

/// What the arguments of a tool may be.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Arguments {
    /// Any JSON object (`"strict": false`).
    AnyObject,
    /// What this JSON Schema, as text, admits.
    Schema(String),
}

impl Tool {
    /// The full name, by which a model addresses the tool: `functions.get_weather`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What its arguments may be.
    pub fn arguments(&self) -> &Arguments {
        &self.arguments
    }

    /// The name as the request has it, without a namespace: `get_weather`. A built-in tool keeps its
    /// own namespace: `browser.search`.
    pub fn short_name(&self) -> &str {
        match self.family {
            Family::Function => &self.name[FUNCTIONS.len()..],
            Family::BuiltIn => &self.name,
        }
    }

    /// What it does, in the words of the request.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Where its parameters, or else the tool itself, stand in the tools file: a JSON pointer
    /// (RFC 6901) as a URI fragment.
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    pub(super) fn family(&self) -> Family {
        self.family
    }
}

/// Something of a tools file that is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolsWarning {
    /// Where it stands: a JSON pointer as a URI fragment.
    pub pointer: String,
    /// What it is, and what was perhaps meant.
    pub message: String,
}

impl fmt::Display for ToolsWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tools file, {}: {}", self.pointer, self.message)
    }
}

/// The tools of a request, in the order of their file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolSet {
    tools: Vec<Tool>,
    warnings: Vec<ToolsWarning>,
}

impl ToolSet {
    /// Reads a tools file: tools as OpenAI's two APIs, MCP, Anthropic, Gemini, Bedrock, Cohere,
    /// LangChain or Vercel's SDK write them, one of them, a list, or an object that has the list as
    /// `tools`. `docs/guide/tools.md` shows each spelling.
    ///
    /// A name gets the namespace `functions.`, also one with dots; a tool without parameters takes
    /// an empty object, one with `"strict": false` any object.
    ///
    /// ```
    /// use maskwright::{base::Limits, front::chat::ToolSet};
    /// let file = r#"[{"type": "function", "function": {"name": "get_time"}}]"#;
    /// let tools = ToolSet::parse(file, &Limits::default())?;
    /// assert_eq!(tools.names().collect::<Vec<_>>(), ["functions.get_time"]);
    /// # Ok::<(), maskwright::front::chat::ToolsError>(())
    /// ```
    ///
    /// # Errors
    /// Text that is not JSON, a shape that is none of these, a missing, malformed or doubled name, a
    /// schema under a key that is not known, or under two, a limit (`source_bytes`, `depth`,
    /// `rules`). What else is not read is in [`warnings`](Self::warnings). The schemas are judged
    /// when a format is compiled with them.
    pub fn parse(text: &str, limits: &Limits) -> Result<Self, ToolsError> {
        Self::of_family(text, Family::Function, limits)
    }

    pub(super) fn of_family(
        text: &str,
        family: Family,
        limits: &Limits,
    ) -> Result<Self, ToolsError> {
        let document = Document::read(text, limits).map_err(|error| match error {
            SchemaError::Json { reason, span } => ToolsError::Json {
                reason,
                place: span.line_column(text),
            },
            SchemaError::Limit { source, .. } => ToolsError::Limit(source),
            other => shape("#", other.to_string()),
        })?;
        let mut warnings = Vec::new();
        let places = list::entries(&document, &mut warnings)?;
        let mut tools: Vec<Tool> = Vec::new();
        let mut seen = FxHashSet::default();
        for (index, place) in places.iter().enumerate() {
            LimitError::check("tools", index + 1, limits.rules)?;
            let tool = entry::read(&document, place, family, &mut warnings)?;
            if !seen.insert(tool.name.clone()) {
                return Err(ToolsError::Duplicate {
                    pointer: place.pointer.clone(),
                    name: tool.name,
                });
            }
            tools.push(tool);
        }
        Ok(Self { tools, warnings })
    }

    /// The tools.
    pub fn iter(&self) -> std::slice::Iter<'_, Tool> {
        self.tools.iter()
    }

    /// The full names of the tools.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.tools.iter().map(Tool::name)
    }

    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// What of the file is not read, in its order: keys that are not known.
    pub fn warnings(&self) -> &[ToolsWarning] {
        &self.warnings
    }

    /// The tools as OpenAI's chat API writes them, whatever wrote them here: a JSON array, with the
    /// schemas of the arguments as prompts show them.
    ///
    /// ```
    /// use maskwright::{base::Limits, front::chat::ToolSet};
    /// let file = r#"[{"name": "f", "input_schema": {"type": "object"}}]"#;
    /// let tools = ToolSet::parse(file, &Limits::default())?;
    /// assert_eq!(
    ///     tools.to_openai(),
    ///     r#"[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]"#
    /// );
    /// # Ok::<(), maskwright::front::chat::ToolsError>(())
    /// ```
    pub fn to_openai(&self) -> String {
        let mut out = "[".to_owned();
        for (index, tool) in self.tools.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            let name = tool.short_name();
            let _ = write!(
                out,
                r#"{comma}{{"type":"function","function":{{"name":"{name}""#
            );
            if let Some(description) = &tool.description {
                let _ = write!(out, r#","description":{}"#, quoted(description));
            }
            if let Some(parameters) = &tool.parameters {
                let _ = write!(out, r#","parameters":{parameters}"#);
            }
            out.push_str("}}");
        }
        out.push(']');
        out
    }

    /// The tool that is called so in the request, or else whose full name this is.
    pub fn named(&self, name: &str) -> Option<&Tool> {
        self.find(name).map(|place| &self.tools[place])
    }

    /// Where the tool stands that is called so in the request, or whose full name this is.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        let own = self.tools.iter().position(|tool| tool.short_name() == name);
        own.or_else(|| self.tools.iter().position(|tool| tool.name == name))
    }
}

/// A JSON string (RFC 8259, section 7).
fn quoted(text: &str) -> String {
    let mut out = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if u32::from(c) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn shape(pointer: impl Into<String>, expected: impl Into<String>) -> ToolsError {
    ToolsError::Shape {
        pointer: pointer.into(),
        expected: expected.into(),
    }
}
