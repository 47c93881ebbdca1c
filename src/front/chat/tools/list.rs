//! Where the tools stand in a tools file.

use super::keys;
use super::text::shape;
use super::warning::ToolsWarning;
use crate::front::chat::ToolsError;
use crate::front::json_schema::{Document, Kind, ValueId, pointer_of};

/// An entry of the list of tools.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) value: ValueId,
    /// Where it stands.
    pub(super) pointer: String,
    /// The key that it stands under, where tools stand by their names.
    pub(super) name: Option<String>,
    pub(super) dialect: Dialect,
}

/// Whose schemas they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// JSON Schema, unless one says otherwise.
    JsonSchema,
    /// Gemini's: a part of OpenAPI 3.0.
    Gemini,
}

/// Objects around a list, outermost first, as requests and answers have them.
const AROUND: [&str; 4] = ["result", "toolConfig", "tool_config", "params"];
/// Keys beside a list that have nothing to do with what may be called.
const BESIDE: [&str; 5] = ["nextCursor", "_meta", "jsonrpc", "id", "$schema"];
/// Entries that are no functions but tools of the provider's own, by their only key.
const OF_PROVIDERS: [&str; 17] = [
    "codeExecution",
    "code_execution",
    "computerUse",
    "computer_use",
    "enterpriseWebSearch",
    "fileSearch",
    "file_search",
    "googleMaps",
    "google_maps",
    "googleSearch",
    "googleSearchRetrieval",
    "google_search",
    "google_search_retrieval",
    "retrieval",
    "systemTool",
    "urlContext",
    "url_context",
];
/// A mark in Bedrock's list, which is no tool.
const CACHE_POINTS: [&str; 2] = ["cachePoint", "cache_point"];

/// The entries of all tools, in order.
pub(super) fn entries(
    document: &Document,
    warnings: &mut Vec<ToolsWarning>,
) -> Result<Vec<Place>, ToolsError> {
    let mut finder = Finder {
        document,
        warnings,
        found: Vec::new(),
    };
    finder.container(document.root())?;
    Ok(finder.found)
}

struct Finder<'d> {
    document: &'d Document,
    warnings: &'d mut Vec<ToolsWarning>,
    found: Vec<Place>,
}

impl Finder<'_> {
    /// A list, an object that has one, or one tool.
    fn container(&mut self, value: ValueId) -> Result<(), ToolsError> {
        let document = self.document;
        match document.kind(value) {
            Kind::Array => return self.list(value, Dialect::JsonSchema),
            Kind::Object => {}
            _ => return Err(self.no_list(value)),
        }
        for key in ["tools", "functions"] {
            if let Some(list) = member(document, value, key) {
                self.warn_beside(value, key);
                return self.tools(list);
            }
        }
        for key in AROUND {
            if let Some(inner) = member(document, value, key)
                && document.kind(inner) == Kind::Object
            {
                self.warn_beside(value, key);
                return self.container(inner);
            }
        }
        let is_tool = |key: &&str| member(document, value, key).is_some();
        let mut marks = keys::TOOL_WRAPPERS.iter().chain(&keys::DECLARATIONS);
        if member(document, value, "name").is_some() || marks.any(is_tool) {
            return self.entry(value, Dialect::JsonSchema);
        }
        match self.is_by_name(value) {
            true => {
                self.by_name(value);
                Ok(())
            }
            false => Err(self.no_list(value)),
        }
    }

    /// Whether an object is tools by their names, each with a schema of arguments.
    fn is_by_name(&self, value: ValueId) -> bool {
        let document = self.document;
        let is_tool = |(_, tool): (ValueId, ValueId)| {
            let mut keys = keys::ARGUMENTS.iter();
            keys.any(|key| member(document, tool, key).is_some())
        };
        document.members(value).next().is_some() && document.members(value).all(is_tool)
    }

    /// What stands under `tools`: a list, one tool, or tools by their names.
    fn tools(&mut self, value: ValueId) -> Result<(), ToolsError> {
        let document = self.document;
        if document.kind(value) != Kind::Object {
            return self.container(value);
        }
        let is_other = |key: &str| {
            let others = [&keys::TOOL_WRAPPERS[..], &keys::DECLARATIONS, &AROUND];
            ["name", "tools", "functions"].contains(&key) || others.concat().contains(&key)
        };
        let by_name = document.members(value).next().is_some()
            && document.members(value).all(|(key, tool)| {
                let name = document.string(key).unwrap_or_default();
                document.kind(tool) == Kind::Object && !is_other(&name)
            });
        if !by_name {
            return self.container(value);
        }
        self.by_name(value);
        Ok(())
    }

    fn by_name(&mut self, value: ValueId) {
        let document = self.document;
        for (key, tool) in document.members(value) {
            self.found.push(Place {
                value: tool,
                pointer: pointer_of(document, tool),
                name: document.string(key).map(|name| name.into_owned()),
                dialect: Dialect::JsonSchema,
            });
        }
    }

    fn list(&mut self, value: ValueId, dialect: Dialect) -> Result<(), ToolsError> {
        for entry in self.document.elements(value) {
            self.entry(entry, dialect)?;
        }
        Ok(())
    }

    /// One entry of a list: a tool, Gemini's list of functions, or what is no function.
    fn entry(&mut self, value: ValueId, dialect: Dialect) -> Result<(), ToolsError> {
        let document = self.document;
        let mut declares = false;
        for key in keys::DECLARATIONS {
            if let Some(list) = member(document, value, key) {
                declares = true;
                self.list(list, Dialect::Gemini)?;
            }
        }
        let mut is_tool = document.kind(value) != Kind::Object;
        for (key, _) in document.members(value) {
            let key_name = document.string(key).unwrap_or_default();
            if OF_PROVIDERS.contains(&&*key_name) {
                self.warn(
                    value,
                    format!("`{key_name}` is a tool of the provider's own, and left out"),
                );
            } else if !CACHE_POINTS.contains(&&*key_name)
                && !keys::DECLARATIONS.contains(&&*key_name)
            {
                is_tool = true;
            }
        }
        let is_empty = document.members(value).next().is_none();
        if declares && is_tool {
            let known =
                |key: &str| OF_PROVIDERS.contains(&key) || keys::DECLARATIONS.contains(&key);
            self.warn_of_others(value, known);
        } else if is_tool || is_empty {
            self.found.push(Place {
                value,
                pointer: pointer_of(document, value),
                name: None,
                dialect,
            });
        }
        Ok(())
    }

    /// Says what stands beside the list and is not read.
    fn warn_beside(&mut self, value: ValueId, list: &str) {
        self.warn_of_others(value, |key| key == list || BESIDE.contains(&key));
    }

    fn warn_of_others(&mut self, value: ValueId, known: impl Fn(&str) -> bool) {
        let document = self.document;
        let names = document
            .members(value)
            .filter_map(|(key, _)| document.string(key));
        let others: Vec<String> = names
            .filter(|key| !known(key))
            .map(|key| format!("`{key}`"))
            .collect();
        if !others.is_empty() {
            let others = others.join(", ");
            self.warn(value, format!("only the tools are read, not {others}"));
        }
    }

    fn warn(&mut self, value: ValueId, message: String) {
        let pointer = pointer_of(self.document, value);
        self.warnings.push(ToolsWarning { pointer, message });
    }

    fn no_list(&self, value: ValueId) -> ToolsError {
        let expected = "an array of tools, one tool, or an object with such an array as `tools`";
        shape(pointer_of(self.document, value), expected)
    }
}

/// The member of an object that is there and not null.
pub(super) fn member(document: &Document, object: ValueId, key: &str) -> Option<ValueId> {
    let found = document.get(object, key)?;
    (document.kind(found) != Kind::Null).then_some(found)
}
