//! One tool, in any provider's spelling.

use super::keys::{self, KeyKind};
use super::list::{Dialect, Place, member};
use super::misspelt::misspelt;
use super::text::shape;
use super::tool::{Arguments, EMPTY_OBJECT, FUNCTIONS, Family, Tool};
use super::warning::ToolsWarning;
use crate::base::{LimitError, Limits};
use crate::front::chat::ToolsError;
use crate::front::json_schema::foreign::{self, Foreign};
use crate::front::json_schema::{Document, Kind, ValueId, pointer_of};

/// The longest name of a tool, in bytes.
const LONGEST_NAME: usize = 128;

/// Reads the tool at `place`.
pub(super) fn read(
    document: &Document,
    place: &Place,
    family: Family,
    warnings: &mut Vec<ToolsWarning>,
) -> Result<Tool, ToolsError> {
    let mut entry = Entry {
        document,
        place,
        levels: Vec::new(),
        warnings,
    };
    entry.open()?;
    entry.tool(family)
}

/// One entry, being read.
struct Entry<'d> {
    document: &'d Document,
    place: &'d Place,
    /// The tool, and what is wrapped around it, innermost first.
    levels: Vec<ValueId>,
    warnings: &'d mut Vec<ToolsWarning>,
}

/// A schema of arguments, and where it stands.
struct Parameters {
    key: &'static str,
    value: ValueId,
    pointer: String,
}

impl Entry<'_> {
    /// Finds the tool in what is wrapped around it.
    fn open(&mut self) -> Result<(), ToolsError> {
        let document = self.document;
        let outer = self.place.value;
        if document.kind(outer) != Kind::Object {
            return Err(shape(&self.place.pointer, "a tool, which is an object"));
        }
        self.levels.push(outer);
        for key in keys::TOOL_WRAPPERS {
            let Some(inner) = member(document, outer, key) else {
                continue;
            };
            if document.kind(inner) != Kind::Object {
                let expected = format!("a {key}, which is an object");
                return Err(shape(format!("{}/{key}", self.place.pointer), expected));
            }
            self.levels.insert(0, inner);
            break;
        }
        self.check_type()
    }

    /// Only functions can be called; `custom` is Anthropic's word for them.
    fn check_type(&self) -> Result<(), ToolsError> {
        let document = self.document;
        for &level in &self.levels {
            let Some(kind) = member(document, level, "type") else {
                continue;
            };
            let is_function = match document.string(kind).as_deref() {
                Some("function") => true,
                Some("custom" | "dynamic") => self.parameters_of(level)?.is_some(),
                _ => false,
            };
            if !is_function {
                let expected = "\"function\"; tools of a provider's own cannot be called here";
                return Err(shape(pointer_of(document, kind), expected));
            }
        }
        Ok(())
    }

    fn tool(mut self, family: Family) -> Result<Tool, ToolsError> {
        let name = self.name()?;
        let strict = self.strict()?.unwrap_or(true);
        let parameters = self.parameters()?;
        if parameters.is_none() {
            self.refuse_unread(&name)?;
        }
        self.warn_of_unknown();
        let mut schema = None;
        if let Some(parameters) = &parameters {
            schema = Some(self.schema(&name, parameters)?);
            if !strict {
                self.warnings.push(ToolsWarning {
                    pointer: parameters.pointer.clone(),
                    message: "it is not enforced, since `strict` is false: any object is taken"
                        .to_owned(),
                });
            }
        }
        let pointer = match parameters {
            Some(parameters) => parameters.pointer,
            None => pointer_of(self.document, self.levels[0]),
        };
        let description = self
            .levels
            .iter()
            .find_map(|&level| member(self.document, level, "description"))
            .and_then(|value| self.document.string(value))
            .map(|text| text.into_owned());
        let arguments = match &schema {
            _ if !strict => Arguments::AnyObject,
            Some(schema) => Arguments::Schema(schema.clone()),
            None => Arguments::Schema(EMPTY_OBJECT.to_owned()),
        };
        Ok(Tool {
            name: match family {
                Family::Function => format!("{FUNCTIONS}{name}"),
                Family::BuiltIn => name,
            },
            family,
            pointer,
            description,
            parameters: schema,
            arguments,
        })
    }

    fn name(&self) -> Result<String, ToolsError> {
        let document = self.document;
        let found = self
            .levels
            .iter()
            .find_map(|&level| member(document, level, "name"));
        let name = match (found, &self.place.name) {
            (Some(value), _) => document.string(value).map(|name| name.into_owned()),
            (None, key) => key.clone(),
        };
        let pointer = || format!("{}/name", pointer_of(document, self.levels[0]));
        let Some(name) = name else {
            return Err(shape(pointer(), self.name_or_else()));
        };
        let is_good = name.split('.').all(|part| {
            let fits = |b: u8| b.is_ascii_alphanumeric() || b"_-".contains(&b);
            !part.is_empty() && part.bytes().all(fits)
        });
        if !is_good {
            let pointer = pointer();
            return Err(ToolsError::Name { pointer, name });
        }
        LimitError::check("bytes of a tool's name", name.len(), LONGEST_NAME)?;
        Ok(name)
    }

    /// What is expected where there is no name; a misspelt key may be why.
    fn name_or_else(&self) -> String {
        let document = self.document;
        let members = self
            .levels
            .iter()
            .flat_map(|&level| document.members(level));
        let mut keys = members.filter_map(|(key, _)| document.string(key));
        let misspelt = keys.find_map(|key| match keys::kind(&key) {
            KeyKind::Misspelt(known) => {
                Some(format!("`{key}` is not read; did you mean `{known}`?"))
            }
            _ => None,
        });
        let is_operation = |&level: &ValueId| member(document, level, "operationId").is_some();
        match misspelt {
            Some(hint) => format!("the tool's name, which is a string; {hint}"),
            None if self.levels.iter().any(is_operation) => {
                "the tool's name, which is a string; an operation of OpenAPI is no tool".to_owned()
            }
            None if self.is_function_alone() => {
                "the tool's name, which is a string: here, or in an object `function`".to_owned()
            }
            None => "the tool's name, which is a string".to_owned(),
        }
    }

    /// Whether it says that it is a function, as those do that have an object `function`, and has none.
    fn is_function_alone(&self) -> bool {
        let kind = |&level: &ValueId| {
            let kind = member(self.document, level, "type")?;
            self.document.string(kind)
        };
        self.levels.len() == 1
            && self
                .levels
                .iter()
                .filter_map(kind)
                .any(|kind| kind == "function")
    }

    fn strict(&self) -> Result<Option<bool>, ToolsError> {
        for &level in &self.levels {
            let Some(strict) = member(self.document, level, "strict") else {
                continue;
            };
            return match self.document.kind(strict) {
                Kind::True => Ok(Some(true)),
                Kind::False => Ok(Some(false)),
                _ => Err(shape(pointer_of(self.document, strict), "true or false")),
            };
        }
        Ok(None)
    }

    /// The schema of the arguments: of the tool itself, or beside what wraps it.
    fn parameters(&self) -> Result<Option<Parameters>, ToolsError> {
        for &level in &self.levels {
            if let Some(found) = self.parameters_of(level)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn parameters_of(&self, level: ValueId) -> Result<Option<Parameters>, ToolsError> {
        let document = self.document;
        let mut found: Option<Parameters> = None;
        for key in keys::ARGUMENTS {
            let Some(outer) = member(document, level, key) else {
                continue;
            };
            let value = self.unwrapped(outer);
            match &found {
                Some(first) if document.raw(first.value) == document.raw(value) => {}
                Some(first) => {
                    let first = first.key;
                    return Err(shape(
                        pointer_of(document, outer),
                        format!("one schema of arguments; `{first}` is another"),
                    ));
                }
                None => {
                    found = Some(Parameters {
                        key,
                        value,
                        pointer: pointer_of(document, value),
                    });
                }
            }
        }
        let inputs = member(document, level, keys::INPUTS);
        let inputs = inputs.filter(|&inputs| foreign::is_inputs(document, inputs));
        Ok(found.or(inputs.map(|value| Parameters {
            key: keys::INPUTS,
            value,
            pointer: pointer_of(document, value),
        })))
    }

    /// The schema in what Bedrock and Vercel put around it.
    fn unwrapped(&self, value: ValueId) -> ValueId {
        let document = self.document;
        let mut names = document.members(value).map(|(key, _)| document.string(key));
        if names.any(|name| name.is_some_and(|name| keys::is_keyword(&name))) {
            return value;
        }
        let inner = |key: &&str| member(document, value, key);
        keys::SCHEMA_WRAPPERS
            .iter()
            .find_map(inner)
            .unwrap_or(value)
    }

    /// The schema as JSON Schema.
    fn schema(&mut self, name: &str, parameters: &Parameters) -> Result<String, ToolsError> {
        let document = self.document;
        let text;
        let own;
        // Some write the schema as a JSON text within the JSON.
        let (document, value) = match document.string(parameters.value) {
            Some(inner) => {
                text = inner.into_owned();
                match Document::read(&text, &Limits::default()) {
                    Ok(read) => {
                        own = read;
                        (&*own, own.root())
                    }
                    Err(_) => (document, parameters.value),
                }
            }
            None => (document, parameters.value),
        };
        if !matches!(
            document.kind(value),
            Kind::Object | Kind::Array | Kind::True | Kind::False
        ) {
            let expected = "a JSON Schema, which is an object or a boolean";
            return Err(shape(&parameters.pointer, expected));
        }
        let is_list = document.kind(value) == Kind::Array;
        let definitions = keys::DEFINITIONS.contains(&parameters.key);
        let is_gemini = self.place.dialect == Dialect::Gemini && parameters.key == "parameters";
        let is_inputs = parameters.key == keys::INPUTS;
        let foreign = match (definitions, is_gemini) {
            _ if is_list => Some(Foreign::List),
            _ if is_inputs => Some(Foreign::Inputs),
            (true, _) => Some(Foreign::Definitions),
            (_, true) => Some(Foreign::Schema),
            _ => foreign::is_foreign(document, value).then_some(Foreign::Schema),
        };
        if !definitions && !is_list && !is_inputs {
            self.check_keywords(name, document, value, &parameters.pointer)?;
            self.warn_of_keywords(document, value, &parameters.pointer);
        }
        let Some(foreign) = foreign else {
            return Ok(document.raw(value).to_owned());
        };
        foreign::to_json_schema(document, value, foreign).map_err(|(at, expected)| {
            let within = pointer_of(document, at);
            let pointer = match std::ptr::eq(document, self.document) {
                true => within,
                false => parameters.pointer.clone(),
            };
            shape(pointer, expected)
        })
    }

    /// Refuses a schema whose words are no keywords: it would allow anything.
    fn check_keywords(
        &mut self,
        name: &str,
        document: &Document,
        schema: ValueId,
        pointer: &str,
    ) -> Result<(), ToolsError> {
        let mut other = None;
        let mut says = false;
        let mut has_keyword = false;
        for (key, value) in document.members(schema) {
            let key = document.string(key).unwrap_or_default();
            has_keyword |= keys::is_keyword(&key);
            says |= [
                "properties",
                "patternProperties",
                "$ref",
                "ref",
                "allOf",
                "anyOf",
                "oneOf",
                "const",
                "enum",
            ]
            .contains(&&*key);
            let is_object = document.kind(value) == Kind::Object;
            if !keys::is_keyword(&key) && (is_object || keys::keyword_like(&key).is_some()) {
                other.get_or_insert(key.into_owned());
            }
        }
        match other {
            Some(key) if !says => Err(ToolsError::Unread {
                pointer: format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1")),
                name: name.to_owned(),
                hint: match keys::keyword_like(&key) {
                    Some(known) => format!("did you mean `{known}`?"),
                    None => "a schema of arguments is {\"type\": \"object\", \"properties\": {…}}"
                        .to_owned(),
                },
                key,
            }),
            None if !has_keyword && document.members(schema).next().is_some() => {
                Err(shape(pointer, "a JSON Schema; no word of it is a keyword"))
            }
            _ => Ok(()),
        }
    }

    /// Warns of keys in a schema that are probably misspelt keywords: what they say does not hold.
    fn warn_of_keywords(&mut self, document: &Document, schema: ValueId, pointer: &str) {
        for (at, key, known) in misspelt(document, schema) {
            self.warnings.push(ToolsWarning {
                pointer: match std::ptr::eq(document, self.document) {
                    true => pointer_of(document, at),
                    false => pointer.to_owned(),
                },
                message: format!("`{key}` is no keyword, and not read; did you mean `{known}`?"),
            });
        }
    }

    /// Refuses a tool whose arguments stand where they are not looked for.
    fn refuse_unread(&self, name: &str) -> Result<(), ToolsError> {
        let document = self.document;
        for &level in &self.levels {
            for (key, value) in document.members(level) {
                let key = document.string(key).unwrap_or_default();
                let kind = keys::kind(&key);
                let misspelt = match kind {
                    KeyKind::Misspelt(known) if keys::is_arguments(known) => Some(known),
                    _ => None,
                };
                let has_content = match document.kind(value) {
                    // Tools without arguments may say `args: {}`.
                    Kind::Object => {
                        !keys::is_word(&key) || document.members(value).next().is_some()
                    }
                    Kind::Array | Kind::EscapedString => document.raw(value).len() > 2,
                    _ => false,
                };
                let is_schema = kind != KeyKind::Known && looks_like_schema(document, value);
                if !(is_schema || (misspelt.is_some() && has_content)) {
                    continue;
                }
                let hint = match misspelt {
                    Some(known) => format!("did you mean `{known}`?"),
                    None => "a schema of arguments stands under `parameters`, `inputSchema` or \
                             `input_schema`"
                        .to_owned(),
                };
                return Err(ToolsError::Unread {
                    pointer: pointer_of(document, value),
                    name: name.to_owned(),
                    hint,
                    key: key.into_owned(),
                });
            }
        }
        Ok(())
    }

    fn warn_of_unknown(&mut self) {
        let document = self.document;
        for &level in self.levels.iter().rev() {
            for (key, value) in document.members(level) {
                let key = document.string(key).unwrap_or_default();
                let is_read = key == keys::INPUTS && foreign::is_inputs(document, value);
                let message = match keys::kind(&key) {
                    KeyKind::Known => continue,
                    _ if is_read => continue,
                    KeyKind::Misspelt(known) => {
                        format!("`{key}` is not read; did you mean `{known}`?")
                    }
                    KeyKind::Unknown => format!("`{key}` is not known, and not read"),
                };
                self.warnings.push(ToolsWarning {
                    pointer: pointer_of(document, value),
                    message,
                });
            }
        }
    }
}

/// Whether an object says what JSON Schemas say.
fn looks_like_schema(document: &Document, value: ValueId) -> bool {
    let says = [
        "type",
        "properties",
        "$ref",
        "anyOf",
        "oneOf",
        "allOf",
        "$defs",
        "required",
        "json",
        "jsonSchema",
    ];
    says.iter()
        .any(|key| member(document, value, key).is_some())
}
