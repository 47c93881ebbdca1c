//! Tool definitions as prompts show them: TypeScript namespaces, or lists of JSON.

use std::fmt::Write;

use super::control::ControlToken;
use super::format::Format;
use super::interchange::InterchangeError;
use super::json::Json;
use super::message::{Message, Part, PartKind, Role};
use super::typescript as harmony;
use crate::span::Span;

/// A tool as a prompt shows it.
#[derive(Clone, Debug, PartialEq)]
struct Tool {
    /// The name that the request gives it.
    name: String,
    description: Option<String>,
    parameters: Option<Json>,
}

/// Keys of a tool that are objects and say nothing about its arguments.
const READ: [&str; 5] = [
    "annotations",
    "outputSchema",
    "_meta",
    "metadata",
    "response",
];

/// What InternLM2's models are told of the interpreter, word for word from the section "Code Interpreter" of its text.
const INTERNLM2_INTERPRETER: &str = "\
You now have access to a Jupyter notebook environment supporting Python code execution. Just send code to python to run in this stateful environment. This feature is suitable for:
- Data analysis or processing (such as data manipulation and graphic creation)
- Complex calculations (such as math and physics problems)
- Programming examples (for understanding programming concepts or language features)
- Text processing and analysis (including text analysis and natural language processing)
- Machine learning and data science (model training and data visualization)
- File operations and data import (handling CSV, JSON, etc. formats)";

/// The tools of a request, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolDefinitions {
    tools: Vec<Tool>,
}

impl ToolDefinitions {
    /// Reads OpenAI's array of functions, or MCP's list of tools, or an object with `tools`. What other
    /// providers write becomes the first by `ToolSet::to_openai` of the crate `maskwright`.
    ///
    /// # Errors
    ///
    /// What is no tool, and where; a tool that has an object under a key which is not read.
    pub fn parse(json: &str) -> Result<Self, InterchangeError> {
        let root = Json::parse(json)
            .map_err(|error| InterchangeError::new("#", format!("not JSON: {error}")))?;
        let (list, at) = match root.get("tools") {
            Some(list) => (list, "#/tools"),
            None => (&root, "#"),
        };
        let items = list
            .items()
            .ok_or_else(|| InterchangeError::new(at, "expected an array of tools"))?;
        let tool = |(index, item): (usize, &Json)| {
            let item = item.get("function").unwrap_or(item);
            let name = item.get("name").and_then(Json::str);
            let pointer = format!("{at}/{index}/name");
            let missing = || InterchangeError::new(pointer, "expected a text");
            let name = name.ok_or_else(missing)?.to_owned();
            let parameters = item.get("parameters").or(item.get("inputSchema"));
            let unread = |(key, value): &&(String, Json)| {
                matches!(value, Json::Object(_)) && !READ.contains(&key.as_str())
            };
            if let (None, Some((key, _))) = (parameters, item.members().iter().find(unread)) {
                let pointer = format!("{at}/{index}/{key}");
                let reason = "it is not read as the tool's arguments: see ToolSet::to_openai";
                return Err(InterchangeError::new(pointer, reason));
            }
            Ok(Tool {
                name,
                description: item
                    .get("description")
                    .and_then(Json::str)
                    .map(str::to_owned),
                parameters: parameters.cloned(),
            })
        };
        let tools: Result<_, _> = items.iter().enumerate().map(tool).collect();
        tools.map(|tools| Self { tools })
    }

    /// The message that offers the tools in a prompt of this format; none in ChatML, which has no
    /// way to.
    ///
    /// Harmony and OpenChatML 2.2: the developer's, with a TypeScript namespace for each. 0.1:
    /// the system's, `<|function_list|>` and a JSON object for each. InternLM2: the system's of
    /// the name `<|plugin|>`, a JSON array.
    pub fn message(&self, format: Format) -> Option<Message> {
        match format {
            Format::ChatMl => None,
            Format::Harmony | Format::OpenChatMl22 => {
                Some(Message::new(Role::Developer, self.typescript(format)))
            }
            Format::OpenChatMl01 => {
                let list: Vec<String> = self.tools.iter().map(openai).collect();
                let text = list.join("\n");
                let body = format!("{}\n{text}", ControlToken::FunctionList);
                let kind = PartKind::FunctionList;
                let span = Span::default();
                Some(Message {
                    parts: vec![Part { kind, text, span }],
                    ..Message::new(Role::System, body)
                })
            }
            Format::InternLm2 => {
                let list = Json::Array(self.tools.iter().map(function).collect());
                Some(Message {
                    name: Some(ControlToken::Plugin.spelling().to_owned()),
                    ..Message::new(Role::System, list.spaced())
                })
            }
        }
    }

    /// The message that offers the built-in tool `python` in a prompt of this format, as its models know it; none
    /// where the format's text has no such message. InternLM2: the system's of the name `<|interpreter|>`.
    pub fn python_message(format: Format) -> Option<Message> {
        (format == Format::InternLm2).then(|| Message {
            name: Some(ControlToken::Interpreter.spelling().to_owned()),
            ..Message::new(Role::System, INTERNLM2_INTERPRETER)
        })
    }

    /// The section of a prompt that declares the tools in TypeScript; `None` where there are none.
    pub(super) fn section(&self, format: Format) -> Option<String> {
        (!self.tools.is_empty()).then(|| self.typescript(format))
    }

    /// The namespace of the functions.
    fn typescript(&self, format: Format) -> String {
        if format == Format::Harmony {
            let tool = |tool: &Tool| {
                let description = tool.description.as_deref().unwrap_or_default();
                harmony::declaration(&tool.name, description, tool.parameters.as_ref())
            };
            return harmony::section(self.tools.iter().map(tool));
        }
        let mut out = "# Tools\n\n## functions\nnamespace functions {\n".to_owned();
        for tool in &self.tools {
            OPENCHATML_2_2.tool(&mut out, tool);
        }
        out.push_str("} // namespace functions");
        out
    }
}

/// OpenAI's object of a function.
fn openai(tool: &Tool) -> String {
    Json::object([("type", "function".into()), ("function", function(tool))]).spaced()
}

fn function(tool: &Tool) -> Json {
    Json::object([
        ("name", tool.name.as_str().into()),
        ("description", Json::optional(tool.description.as_deref())),
        ("parameters", tool.parameters.clone().unwrap_or(Json::Null)),
    ])
}

/// How OpenChatML 2.2 lays TypeScript out.
struct Style {
    /// Before a property, a level.
    indent: &'static str,
}

/// As §16.2 has it.
const OPENCHATML_2_2: Style = Style { indent: "  " };

impl Style {
    fn tool(&self, out: &mut String, tool: &Tool) {
        let name = &tool.name;
        comment(out, "", tool.description.as_deref());
        let parameters = tool.parameters.as_ref();
        let has_some = parameters
            .and_then(|schema| schema.get("properties"))
            .is_some_and(|properties| !properties.members().is_empty());
        let Some(parameters) = parameters.filter(|_| has_some) else {
            let _ = writeln!(out, "type {name} = () => any;");
            return;
        };
        let _ = write!(out, "type {name} = (_: ");
        if let Some(description) = parameters.get("description").and_then(Json::str) {
            let _ = writeln!(out, "// {description}");
        }
        out.push_str(&self.type_of(parameters, 0));
        out.push_str(") => any;\n");
    }

    /// An object's properties, a line each.
    fn object(&self, schema: &Json, depth: usize) -> String {
        let properties = schema.get("properties").map_or(&[][..], Json::members);
        if properties.is_empty() {
            return "object".to_owned();
        }
        let required = schema
            .get("required")
            .and_then(Json::items)
            .unwrap_or_default();
        let indent = self.indent.repeat(depth + 1);
        let mut out = "{\n".to_owned();
        for (key, property) in properties {
            let is_required = required.iter().any(|name| name.str() == Some(key));
            self.property(&mut out, &indent, key, property, is_required, depth);
        }
        out.push_str(&self.indent.repeat(depth));
        out.push('}');
        out
    }

    fn property(
        &self,
        out: &mut String,
        indent: &str,
        key: &str,
        schema: &Json,
        is_required: bool,
        depth: usize,
    ) {
        if let Some(title) = schema.get("title").and_then(Json::str) {
            let _ = write!(out, "{indent}// {title}\n{indent}//\n");
        }
        comment(out, indent, schema.get("description").and_then(Json::str));
        let examples = schema
            .get("examples")
            .and_then(Json::items)
            .unwrap_or_default();
        if !examples.is_empty() {
            let _ = writeln!(out, "{indent}// Examples:");
            for example in examples {
                let _ = writeln!(out, "{indent}// - {example}");
            }
        }
        let mark = if is_required { "" } else { "?" };
        if let Some(branches) = schema.get("oneOf").and_then(Json::items) {
            if let Some(default) = default_of(schema) {
                let _ = writeln!(out, "{indent}// default: {default}");
            }
            let _ = writeln!(out, "{indent}{key}{mark}:");
            for branch in branches {
                let _ = write!(out, "{indent} | {}", self.type_of(branch, depth + 1));
                let description = branch.get("description").and_then(Json::str);
                let default = default_of(branch).map(|value| format!("default: {value}"));
                let notes: Vec<&str> = description.into_iter().chain(default.as_deref()).collect();
                if !notes.is_empty() {
                    let _ = write!(out, " // {}", notes.join(" "));
                }
                out.push('\n');
            }
            let _ = writeln!(out, "{indent},");
            return;
        }
        let _ = write!(
            out,
            "{indent}{key}{mark}: {},",
            self.type_of(schema, depth + 1)
        );
        if let Some(default) = default_of(schema) {
            let _ = write!(out, " // default: {default}");
        }
        out.push('\n');
    }

    /// The type of a schema; `any` where TypeScript has no short word for it.
    fn type_of(&self, schema: &Json, depth: usize) -> String {
        let union = |branches: &[Json]| {
            let types: Vec<String> = branches.iter().map(|s| self.type_of(s, depth)).collect();
            types.join(" | ")
        };
        let mut text = if let Some(values) = schema.get("enum").and_then(Json::items) {
            let values: Vec<String> = values.iter().map(Json::to_string).collect();
            values.join(" | ")
        } else if let Some(value) = schema.get("const") {
            value.to_string()
        } else if let Some(branches) = schema.get("oneOf").or(schema.get("anyOf")) {
            union(branches.items().unwrap_or_default())
        } else {
            match schema.get("type") {
                Some(Json::String(name)) => self.named(name, schema, depth),
                Some(Json::Array(names)) => {
                    let named = |n: &Json| self.named(n.str().unwrap_or_default(), schema, depth);
                    names.iter().map(named).collect::<Vec<_>>().join(" | ")
                }
                _ if schema.get("properties").is_some() => self.object(schema, depth),
                _ => "any".to_owned(),
            }
        };
        if text.is_empty() {
            text.push_str("any");
        }
        if schema.get("nullable").and_then(Json::bool) == Some(true) {
            text.push_str(" | null");
        }
        text
    }

    fn named(&self, name: &str, schema: &Json, depth: usize) -> String {
        match name {
            "string" | "number" | "boolean" | "null" => name.to_owned(),
            "integer" => "number".to_owned(),
            "object" => self.object(schema, depth),
            "array" => match schema.get("items") {
                Some(items) => {
                    let item = self.type_of(items, depth);
                    match item.contains(" | ") {
                        true => format!("({item})[]"),
                        false => format!("{item}[]"),
                    }
                }
                None => "any[]".to_owned(),
            },
            _ => "any".to_owned(),
        }
    }
}

/// The default of a schema; the name of an enumeration's value stands without quotes.
fn default_of(schema: &Json) -> Option<String> {
    let default = schema.get("default")?;
    match (default, schema.get("enum")) {
        (Json::String(name), Some(_)) => Some(name.clone()),
        _ => Some(default.to_string()),
    }
}

fn comment(out: &mut String, indent: &str, text: Option<&str>) {
    for line in text.unwrap_or_default().lines() {
        let _ = writeln!(out, "{indent}// {line}");
    }
}
