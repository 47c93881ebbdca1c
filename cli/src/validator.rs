//! JSON Schemas as the crate `jsonschema` understands them: the judge of JSON.

use std::collections::BTreeMap;

use jsonschema::Validator;
use jsonschema::error::ValidationErrorKind;
use maskwright::front::chat::{Arguments, ToolSet};
use maskwright::front::json_schema::Draft;
use maskwright_transcript::{ArgumentValidator, ResponseValidator};
use serde_json::Value;

use super::failure::Failure;
use super::formats::Formats;
use super::input::Named;
use super::json::Json;
use super::plain_schema::plain;

/// The namespace of tools whose names have no dot.
const FUNCTIONS: &str = "functions.";

/// The judge of one schema.
pub(crate) struct SchemaJudge(Validator);

impl SchemaJudge {
    pub(crate) fn new(schema: &Named, formats: Formats, draft: Draft) -> Result<Self, Failure> {
        let value =
            Json::parse(&schema.text).map_err(|e| Failure::json(e, &schema.name, &schema.text))?;
        Self::of(&value.value(), formats, draft)
            .map_err(|message| Failure::new(format!("{}: {message}", schema.name)))
    }

    fn of(schema: &Value, formats: Formats, draft: Draft) -> Result<Self, String> {
        let validator = jsonschema::options()
            .should_validate_formats(formats == Formats::Assert)
            .build(&plain(schema, draft));
        validator
            .map(Self)
            .map_err(|error| format!("the judge cannot use this schema: {error}"))
    }

    /// The keyword that a JSON text fails, with the format where it is that; `None` where it is no
    /// JSON, or valid.
    pub(crate) fn failed(&self, text: &str) -> Option<String> {
        let value = Json::parse(text).ok()?.value();
        let error = self.0.validate(&value).err()?;
        Some(match error.kind() {
            ValidationErrorKind::Format { format } => format!("format {format}"),
            kind => kind.keyword().to_owned(),
        })
    }

    /// Judges a JSON text.
    pub(crate) fn judge(&self, text: &str) -> Result<(), String> {
        let value = Json::parse(text)
            .map_err(|error| format!("not JSON: {}", error.message))?
            .value();
        self.0
            .validate(&value)
            .map_err(|error| match error.instance_path().as_str() {
                "" => error.to_string(),
                path => format!("{path}: {error}"),
            })
    }
}

impl ResponseValidator for SchemaJudge {
    fn validate(&self, response: &str) -> Result<(), String> {
        self.judge(response)
    }
}

/// The judge of the arguments of tools, by their full names.
pub(crate) struct ToolJudge(BTreeMap<String, SchemaJudge>);

impl ToolJudge {
    /// Reads a tools file that the engine takes, by itself.
    pub(crate) fn new(file: &Named) -> Result<Self, Failure> {
        let root = Json::parse(&file.text)
            .map_err(|e| Failure::json(e, &file.name, &file.text))?
            .value();
        let list = root
            .get("tools")
            .unwrap_or(&root)
            .as_array()
            .into_iter()
            .flatten();
        let mut judges = BTreeMap::new();
        for entry in list {
            let tool = entry.get("function").unwrap_or(entry);
            let Some(name) = tool.get("name").and_then(Value::as_str) else {
                continue;
            };
            let judge =
                SchemaJudge::of(&parameters(entry, tool), Formats::Assert, Draft::default());
            let judge = judge.map_err(|message| {
                Failure::new(format!("{}: tool `{name}`: {message}", file.name))
            })?;
            judges.insert(full_name(name), judge);
        }
        Ok(Self(judges))
    }

    /// The judge of no tools.
    pub(crate) fn of_none() -> Self {
        Self(BTreeMap::new())
    }

    /// Adds tools that a format has built in.
    pub(crate) fn add(&mut self, tools: &ToolSet) -> Result<(), Failure> {
        for tool in tools.iter() {
            let Arguments::Schema(schema) = tool.arguments() else {
                continue;
            };
            let schema = Json::parse(schema).map_err(|error| Failure::new(error.message))?;
            let judge = SchemaJudge::of(&schema.value(), Formats::Assert, Draft::default())
                .map_err(Failure::new)?;
            self.0.entry(tool.name().to_owned()).or_insert(judge);
        }
        Ok(())
    }

    /// The full names of the tools.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// The schema of a tool's arguments.
fn parameters(entry: &Value, tool: &Value) -> Value {
    let strict = tool.get("strict").or_else(|| entry.get("strict"));
    if strict == Some(&Value::Bool(false)) {
        return serde_json::json!({"type": "object"});
    }
    let schema = tool.get("parameters").or_else(|| tool.get("inputSchema"));
    match schema {
        None | Some(Value::Null) => serde_json::json!({"type": "object", "maxProperties": 0}),
        Some(schema) => schema.clone(),
    }
}

/// The name by which a model addresses a tool.
pub(crate) fn full_name(name: &str) -> String {
    match name.contains('.') {
        true => name.to_owned(),
        false => format!("{FUNCTIONS}{name}"),
    }
}

impl ArgumentValidator for ToolJudge {
    fn validate(&self, recipient: &str, arguments: &str) -> Result<(), String> {
        match self.0.get(recipient) {
            Some(judge) => judge.judge(arguments),
            None => Err(format!("there is no tool {recipient:?}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools(text: &str) -> ToolJudge {
        let file = Named {
            name: "tools".to_owned(),
            text: text.to_owned(),
        };
        ToolJudge::new(&file).unwrap_or_else(|_| panic!("well-formed: {text}"))
    }

    #[test]
    fn reads_both_shapes() {
        let schema = r#"{"type": "object", "required": ["a"]}"#;
        for text in [
            format!(
                r#"[{{"type": "function", "function": {{"name": "t", "parameters": {schema}}}}}]"#
            ),
            format!(r#"{{"tools": [{{"name": "t", "inputSchema": {schema}}}]}}"#),
        ] {
            let judge = tools(&text);
            assert_eq!(judge.names().collect::<Vec<_>>(), ["functions.t"]);
            assert!(judge.validate("functions.t", r#"{"a": 1e999}"#).is_ok());
            assert!(judge.validate("functions.t", "{}").is_err());
            assert!(judge.validate("functions.u", "{}").is_err());
        }
    }

    #[test]
    fn a_line_ends_where_it_does_in_ecma() {
        let schema = serde_json::json!({"pattern": r"^.[.\].]\.$"});
        let judge = SchemaJudge::of(&schema, Formats::Assert, Draft::default())
            .unwrap_or_else(|e| panic!("{e}"));
        for (text, valid) in [
            (r#""a..""#, true),
            (r#""a].""#, true),
            (r#""ax.""#, false),
            (r#""a.x""#, false),
            (r#""\r..""#, false),
            (r#""\u2028..""#, false),
        ] {
            assert_eq!(judge.judge(text).is_ok(), valid, "{text}");
        }
    }

    #[test]
    fn escaped_angles_are_plain() {
        let schema = serde_json::json!({
            "properties": {"pattern": {"pattern": r"^\<\\[\>]$"}},
            "patternProperties": {r"\>": {"enum": [{"pattern": r"\<"}]}},
        });
        let judge = SchemaJudge::of(&schema, Formats::Assert, Draft::default())
            .unwrap_or_else(|e| panic!("{e}"));
        for (text, valid) in [
            (r#"{"pattern": "<\\>"}"#, true),
            (r#"{"pattern": "a"}"#, false),
            (r#"{">": {"pattern": "\\<"}}"#, true),
            (r#"{">": {"pattern": "<"}}"#, false),
        ] {
            assert_eq!(judge.judge(text).is_ok(), valid, "{text}");
        }
    }

    #[test]
    fn knows_tools_without_a_schema() {
        let judge =
            tools(r#"[{"name": "a"}, {"name": "b.c", "strict": false, "parameters": false}]"#);
        assert!(judge.validate("functions.a", "{}").is_ok());
        assert!(judge.validate("functions.a", r#"{"x": 1}"#).is_err());
        assert!(judge.validate("b.c", r#"{"x": 1}"#).is_ok());
        assert!(judge.validate("b.c", "[]").is_err());
    }
}
