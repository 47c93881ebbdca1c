//! The tools of a request, read from whatever a provider or a library writes.
//!
//! `list` finds the tools in a file, `entry` reads one of them, `keys` says which keys mean what,
//! `misspelt` which keys of schemas are none. Schemas that are no JSON Schema are brought to it by `json_schema::foreign`.

mod entry;
mod keys;
mod list;
mod misspelt;
mod text;
mod tool;
mod warning;

use std::fmt::Write as _;

use rustc_hash::FxHashSet;

use super::ToolsError;
use crate::base::{LimitError, Limits};
use crate::front::json_schema::{Document, SchemaError};

use self::text::shape;
pub(crate) use self::tool::Family;
pub use self::tool::{Arguments, Tool};
pub use self::warning::ToolsWarning;
use crate::front::json_schema::foreign::quoted;

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
    ///     r#"[{"type":"function","function":{"name":"f","parameters":{"type": "object"}}}]"#
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

    /// Those of these names, in their order here.
    pub fn only(&self, names: &[String]) -> Self {
        let places: Vec<_> = names.iter().filter_map(|name| self.find(name)).collect();
        let tools = self.tools.iter().enumerate();
        let tools = tools.filter(|(place, _)| places.contains(place));
        Self {
            tools: tools.map(|(_, tool)| tool.clone()).collect(),
            warnings: self.warnings.clone(),
        }
    }

    /// Where the tool stands that is called so in the request, or whose full name this is.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        let own = self.tools.iter().position(|tool| tool.short_name() == name);
        own.or_else(|| self.tools.iter().position(|tool| tool.name == name))
    }
}
