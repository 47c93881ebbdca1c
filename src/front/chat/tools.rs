//! Tools files: OpenAI's array of functions, or MCP's list of tools.

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use super::ToolsError;
use crate::base::{LimitError, Limits};
use crate::front::json_schema::{Document, Kind, SchemaError, ValueId};

/// The namespace of functions that a request defines; names without a dot get it.
const FUNCTIONS: &str = "functions.";
/// The longest name of a tool, in bytes.
const LONGEST_NAME: usize = 128;
/// What a function without parameters takes.
const EMPTY_OBJECT: &str = r#"{"type":"object","properties":{},"additionalProperties":false}"#;

/// A tool that the model may call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    name: String,
    pointer: String,
    arguments: Arguments,
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

    /// The name without the namespace that functions of a request have: `get_weather`.
    pub fn short_name(&self) -> &str {
        self.name.strip_prefix(FUNCTIONS).unwrap_or(&self.name)
    }

    /// Where its parameters, or else the tool itself, stand in the tools file: a JSON pointer
    /// (RFC 6901) as a URI fragment.
    pub fn pointer(&self) -> &str {
        &self.pointer
    }
}

/// The tools of a request, in the order of their file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolSet {
    tools: Vec<Tool>,
}

impl ToolSet {
    /// Reads a tools file: OpenAI's array of functions (with or without the `function` wrapper), or
    /// MCP's list (`{"tools": […]}` or the array alone, schemas under `inputSchema`).
    ///
    /// A name without a dot gets the namespace `functions.`; a tool without parameters takes an
    /// empty object, one with `"strict": false` any object.
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
    /// Text that is not JSON, a shape that is neither of the two, a missing, malformed or doubled
    /// name, a limit (`source_bytes`, `depth`, `rules`). The schemas are judged when a format is
    /// compiled with them.
    pub fn parse(text: &str, limits: &Limits) -> Result<Self, ToolsError> {
        let document = Document::read(text, limits).map_err(|error| match error {
            SchemaError::Json { reason, span } => ToolsError::Json {
                reason,
                place: span.line_column(text),
            },
            SchemaError::Limit { source, .. } => ToolsError::Limit(source),
            other => ToolsError::Shape {
                pointer: "#".to_owned(),
                expected: other.to_string(),
            },
        })?;
        let (list, at) = list(&document)?;
        let mut tools: Vec<Tool> = Vec::new();
        let mut seen = FxHashSet::default();
        for (index, value) in document.elements(list).enumerate() {
            LimitError::check("tools", index + 1, limits.rules)?;
            let tool = Entry {
                document: &document,
                pointer: format!("{at}/{index}"),
            }
            .read(value)?;
            if !seen.insert(tool.name.clone()) {
                return Err(ToolsError::Duplicate {
                    pointer: format!("{at}/{index}"),
                    name: tool.name,
                });
            }
            tools.push(tool);
        }
        Ok(Self { tools })
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

    /// Where the tool stands whose full name this is, or becomes this by the namespace `functions.`.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        let full = full_name(name);
        self.tools.iter().position(|tool| *tool.name == *full)
    }
}

/// The name by which a model addresses the tool that a request calls `name`.
pub(super) fn full_name(name: &str) -> Cow<'_, str> {
    match name.contains('.') {
        true => Cow::Borrowed(name),
        false => Cow::Owned(format!("{FUNCTIONS}{name}")),
    }
}

/// The array of tools and where it stands.
fn list(document: &Document) -> Result<(ValueId, &'static str), ToolsError> {
    let root = document.root();
    let (list, pointer) = match document.get(root, "tools") {
        Some(tools) => (tools, "#/tools"),
        None => (root, "#"),
    };
    if document.kind(list) == Kind::Array {
        return Ok((list, pointer));
    }
    Err(shape(
        pointer,
        "an array of tools, or an object with such an array as `tools`",
    ))
}

fn shape(pointer: impl Into<String>, expected: impl Into<String>) -> ToolsError {
    ToolsError::Shape {
        pointer: pointer.into(),
        expected: expected.into(),
    }
}

/// One entry of the list, being read.
struct Entry<'d> {
    document: &'d Document,
    pointer: String,
}

impl Entry<'_> {
    fn read(mut self, mut value: ValueId) -> Result<Tool, ToolsError> {
        self.object(value, "a tool, which is an object")?;
        let kind = self.document.get(value, "type");
        if kind.is_some_and(|kind| self.document.string(kind).as_deref() != Some("function")) {
            return Err(shape(format!("{}/type", self.pointer), "\"function\""));
        }
        let strict_outside = self.strict(value)?;
        if let Some(function) = self.document.get(value, "function") {
            self.pointer.push_str("/function");
            self.object(function, "a function, which is an object")?;
            value = function;
        }
        let name = self.name(value)?;
        let strict = self.strict(value)?.or(strict_outside).unwrap_or(true);
        let key = ["parameters", "inputSchema"]
            .into_iter()
            .find_map(|key| Some((key, self.document.get(value, key)?)));
        let arguments = match key {
            _ if !strict => Arguments::AnyObject,
            Some((key, schema)) if self.document.kind(schema) != Kind::Null => {
                self.pointer = format!("{}/{key}", self.pointer);
                Arguments::Schema(self.document.raw(schema).to_owned())
            }
            _ => Arguments::Schema(EMPTY_OBJECT.to_owned()),
        };
        Ok(Tool {
            name,
            pointer: self.pointer,
            arguments,
        })
    }

    fn object(&self, value: ValueId, expected: &str) -> Result<(), ToolsError> {
        match self.document.kind(value) {
            Kind::Object => Ok(()),
            _ => Err(shape(self.pointer.clone(), expected)),
        }
    }

    fn name(&self, value: ValueId) -> Result<String, ToolsError> {
        let pointer = format!("{}/name", self.pointer);
        let name = self
            .document
            .get(value, "name")
            .and_then(|name| self.document.string(name));
        let Some(name) = name else {
            return Err(shape(pointer, "the tool's name, which is a string"));
        };
        let good = name.split('.').all(|part| {
            !part.is_empty()
                && part
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))
        });
        if !good {
            return Err(ToolsError::Name {
                pointer,
                name: name.into_owned(),
            });
        }
        LimitError::check("bytes of a tool's name", name.len(), LONGEST_NAME)?;
        Ok(full_name(&name).into_owned())
    }

    fn strict(&self, value: ValueId) -> Result<Option<bool>, ToolsError> {
        match self
            .document
            .get(value, "strict")
            .map(|strict| self.document.kind(strict))
        {
            None | Some(Kind::Null) => Ok(None),
            Some(Kind::True) => Ok(Some(true)),
            Some(Kind::False) => Ok(Some(false)),
            Some(_) => Err(shape(format!("{}/strict", self.pointer), "true or false")),
        }
    }
}
