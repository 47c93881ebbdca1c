//! Schemas of other languages as JSON Schema: Gemini's, Cohere's definitions, Python's names of types.

mod python_type;
mod quote;

use std::fmt::Write as _;

pub(crate) use quote::quoted;

use super::keyword::Keyword;
use super::reader::{Document, Kind, ValueId};

/// What a schema is written in, where it is not JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Foreign {
    /// A schema with other names of types, `nullable`, or a boolean `required`.
    Schema,
    /// Cohere's: the parameters by their names, each with a type of Python.
    Definitions,
    /// smolagents': the same with JSON's types, and required unless they may be null.
    Inputs,
    /// Semantic Kernel's: a list of parameters, each with its name.
    List,
}

/// Keys that the schema of a parameter in a list stands under, where it is not the parameter itself.
const LISTED_SCHEMA: [&str; 3] = ["schema", "schema_data", "schemaData"];
/// Keys by which a parameter in a list is required.
const LISTED_REQUIRED: [&str; 3] = ["required", "is_required", "isRequired"];

/// The names of types that JSON Schema has.
const TYPES: [&str; 7] = [
    "string", "number", "integer", "boolean", "array", "object", "null",
];
/// The same as Gemini names them.
const CAPITALS: [&str; 7] = [
    "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL",
];
/// Keywords whose value is a schema, or a list of them.
const OF_SCHEMAS: [&str; 15] = [
    "items",
    "additionalProperties",
    "not",
    "anyOf",
    "any_of",
    "oneOf",
    "allOf",
    "prefixItems",
    "prefix_items",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "additionalItems",
];
/// Keywords whose value is an object of schemas.
const OF_NAMED_SCHEMAS: [&str; 6] = [
    "properties",
    "patternProperties",
    "dependentSchemas",
    "$defs",
    "definitions",
    "defs",
];
/// Keywords as the clients of Gemini in Python spell them.
const SNAKE: [(&str, &str); 13] = [
    ("any_of", "anyOf"),
    ("max_items", "maxItems"),
    ("max_length", "maxLength"),
    ("max_properties", "maxProperties"),
    ("min_items", "minItems"),
    ("min_length", "minLength"),
    ("min_properties", "minProperties"),
    ("prefix_items", "prefixItems"),
    ("additional_properties", "additionalProperties"),
    ("property_ordering", "propertyOrdering"),
    ("unique_items", "uniqueItems"),
    ("multiple_of", "multipleOf"),
    ("ref", "$ref"),
];

/// What is wrong, and where.
type Fault = (ValueId, String);

/// Whether a schema says something that is no JSON Schema and that this module can read.
pub(crate) fn is_foreign(document: &Document, schema: ValueId) -> bool {
    any_schema(document, schema, |key, value| match key {
        "type" => is_other_type(document, value),
        "required" => matches!(document.kind(value), Kind::True | Kind::False),
        _ => false,
    })
}

/// The same of what no draft can mean: types in capital letters, and keywords that are `null`.
pub(super) fn is_other(document: &Document, schema: ValueId) -> bool {
    let may_be = |value| document.kind(value) == Kind::Null || is_capital(document, value);
    document.within(schema).any(may_be)
        && any_schema(document, schema, |key, value| {
            is_other_member(document, key, value)
        })
}

/// The values of such members, with their keys.
pub(crate) fn others(document: &Document) -> Vec<(String, ValueId)> {
    let mut found = Vec::new();
    any_schema(document, document.root(), |key, value| {
        if is_other_member(document, key, value) {
            found.push((key.to_owned(), value));
        }
        false
    });
    found
}

fn is_other_member(document: &Document, key: &str, value: ValueId) -> bool {
    match key {
        "type" => is_capital(document, value),
        key => document.kind(value) == Kind::Null && is_unsaid(key),
    }
}

/// Whether a type is Gemini's name of one.
fn is_capital(document: &Document, value: ValueId) -> bool {
    // Most strings are told by their first character, which stands behind the quotation mark.
    let first = document.raw(value).as_bytes().get(1);
    let may_be = first.is_some_and(|first| first.is_ascii_uppercase() || *first == b'\\');
    may_be
        && document
            .string(value)
            .is_some_and(|name| CAPITALS.contains(&&*name))
}

/// Whether a keyword that is `null` says nothing, as where a program writes all that it has.
fn is_unsaid(key: &str) -> bool {
    let may_be_null = [
        "type",
        "const",
        "default",
        "title",
        "description",
        "examples",
    ];
    !may_be_null.contains(&key) && !key.starts_with('$') && Keyword::find(key).is_some()
}

/// Whether a key is a keyword in another spelling, or says what one does.
pub(crate) fn is_spelling(key: &str) -> bool {
    LISTED_REQUIRED.contains(&key) || SNAKE.iter().any(|&(snake, _)| snake == key)
}

/// Whether a member of a schema, or of one within it, is such a one.
pub(crate) fn any_schema(
    document: &Document,
    schema: ValueId,
    mut is: impl FnMut(&str, ValueId) -> bool,
) -> bool {
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        for (key, value) in document.members(schema) {
            let key = document.string(key).unwrap_or_default();
            if is(&key, value) {
                return true;
            }
            if OF_NAMED_SCHEMAS.contains(&&*key) {
                open.extend(document.members(value).map(|(_, schema)| schema));
            } else if OF_SCHEMAS.contains(&&*key) {
                match document.kind(value) {
                    Kind::Array => open.extend(document.elements(value)),
                    _ => open.push(value),
                }
            }
        }
    }
    false
}

/// Whether a name of a type, or one of a list, is none of JSON Schema's, but known.
fn is_other_type(document: &Document, value: ValueId) -> bool {
    let is_other = |value| {
        document.string(value).is_some_and(|name| {
            !TYPES.contains(&&*name) && python_type::schema_members(&name).is_some()
        })
    };
    match document.kind(value) {
        Kind::Array => document.elements(value).any(is_other),
        _ => is_other(value),
    }
}

/// The schema as JSON Schema, as text.
///
/// # Errors
/// A type that is not known.
pub(crate) fn to_json_schema(
    document: &Document,
    schema: ValueId,
    foreign: Foreign,
) -> Result<String, Fault> {
    let mut writer = Writer {
        document,
        out: String::new(),
    };
    match foreign {
        Foreign::Schema => writer.schema(schema)?,
        Foreign::Definitions => {
            writer.out.push_str("{\"type\":\"object\"");
            writer.properties(schema, &[], &[])?;
            writer.out.push_str(",\"additionalProperties\":false}");
        }
        Foreign::Inputs => {
            let required: Vec<ValueId> = document
                .members(schema)
                .filter(|(_, input)| !is_optional(document, *input))
                .map(|(key, _)| key)
                .collect();
            writer.out.push_str("{\"type\":\"object\"");
            writer.properties(schema, &[], &required)?;
            writer.out.push_str(",\"additionalProperties\":false}");
        }
        Foreign::List => writer.listed(schema)?,
    }
    Ok(writer.out)
}

/// Whether an object is inputs by their names, each with a type.
pub(crate) fn is_inputs(document: &Document, value: ValueId) -> bool {
    let has_type = |(_, input): (ValueId, ValueId)| {
        document.kind(input) == Kind::Object && document.get(input, "type").is_some()
    };
    document.kind(value) == Kind::Object && document.members(value).all(has_type)
}

/// Whether an input may be left out: it may be null.
fn is_optional(document: &Document, input: ValueId) -> bool {
    let nullable = document.get(input, "nullable");
    nullable.is_some_and(|value| document.kind(value) == Kind::True)
}

struct Writer<'d> {
    document: &'d Document,
    out: String,
}

impl Writer<'_> {
    fn schema(&mut self, schema: ValueId) -> Result<(), Fault> {
        let document = self.document;
        if document.kind(schema) != Kind::Object {
            self.out.push_str(document.raw(schema));
            return Ok(());
        }
        let start = self.out.len();
        self.out.push('{');
        self.members(schema)?;
        self.out.push('}');
        if self.out[start..].starts_with("{,") {
            self.out.remove(start + 1);
        }
        Ok(())
    }

    /// The members of a schema, each with a comma before it.
    fn members(&mut self, schema: ValueId) -> Result<(), Fault> {
        let document = self.document;
        let get = |name: &str| document.get(schema, name);
        let is_nullable = get("nullable").is_some_and(|v| document.kind(v) == Kind::True);
        let ordering: Vec<_> = ["propertyOrdering", "property_ordering"]
            .iter()
            .find_map(|key| get(key))
            .into_iter()
            .flat_map(|list| document.elements(list).collect::<Vec<_>>())
            .filter_map(|name| document.string(name))
            .map(|name| name.into_owned())
            .collect();
        let required: Vec<ValueId> = get("required")
            .into_iter()
            .flat_map(|list| document.elements(list).collect::<Vec<_>>())
            .collect();
        for (key, value) in document.members(schema) {
            let name = document.string(key).unwrap_or_default();
            let known = SNAKE.iter().find(|(snake, _)| *snake == &*name);
            let name = known.map_or(&*name, |(_, camel)| camel);
            if document.kind(value) == Kind::Null && is_unsaid(name) {
                continue;
            }
            match name {
                "nullable" | "propertyOrdering" => {}
                "type" => self.kind(value, is_nullable)?,
                "required" if matches!(document.kind(value), Kind::True | Kind::False) => {}
                "required" if document.kind(value) != Kind::Array => self.raw(name, value),
                "required" if get("properties").is_some() => {}
                "required" => self.raw(name, value),
                "properties" => self.properties(value, &ordering, &required)?,
                "enum" if is_nullable => self.nullable_enum(value),
                name if OF_NAMED_SCHEMAS.contains(&name) => {
                    let _ = write!(self.out, ",\"{name}\":{{");
                    self.named(value, &[])?;
                    self.out.push('}');
                }
                "anyOf" if is_nullable => {
                    self.list(name, value)?;
                    if self.out.pop().is_some() {
                        self.out.push_str(",{\"type\":\"null\"}]");
                    }
                }
                name if OF_SCHEMAS.contains(&name) => match document.kind(value) {
                    Kind::Array => self.list(name, value)?,
                    _ => {
                        let _ = write!(self.out, ",\"{name}\":");
                        self.schema(value)?;
                    }
                },
                name => self.raw(name, value),
            }
        }
        Ok(())
    }

    fn list(&mut self, name: &str, value: ValueId) -> Result<(), Fault> {
        let _ = write!(self.out, ",\"{name}\":[");
        for (index, schema) in self.document.elements(value).enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            self.schema(schema)?;
        }
        self.out.push(']');
        Ok(())
    }

    /// A member as it is; a number that stands in quotes, as Gemini's bounds do, without them.
    fn raw(&mut self, name: &str, value: ValueId) {
        let text = self.document.raw(value);
        let is_bound = name.starts_with("min") || name.starts_with("max");
        let digits = text.trim_matches('"');
        let begins = digits
            .trim_start_matches('-')
            .starts_with(|c: char| c.is_ascii_digit());
        let is_number = begins && digits.parse::<f64>().is_ok();
        let text = if is_bound && is_number { digits } else { text };
        let _ = write!(self.out, ",{}:{text}", quoted(name));
    }

    /// The type, as a name or as names.
    fn kind(&mut self, value: ValueId, is_nullable: bool) -> Result<(), Fault> {
        let document = self.document;
        let names: Vec<ValueId> = match document.kind(value) {
            Kind::Array => document.elements(value).collect(),
            _ => vec![value],
        };
        let mut meant = Vec::new();
        for &name in &names {
            let text = document.string(name).unwrap_or_default();
            let members = python_type::schema_members(&text)
                .ok_or_else(|| (name, format!("a type; {text:?} is none that is known")))?;
            meant.push(members);
        }
        if is_nullable {
            meant.push("\"type\":\"null\"".to_owned());
        }
        let any = meant.iter().any(String::is_empty);
        match meant.as_slice() {
            _ if any => {}
            [one] => {
                let _ = write!(self.out, ",{one}");
            }
            several => {
                let plain: Option<Vec<&str>> = several.iter().map(|m| plain_name(m)).collect();
                match plain {
                    Some(names) => {
                        let _ = write!(self.out, ",\"type\":[{}]", names.join(","));
                    }
                    None => {
                        let all: Vec<_> = several.iter().map(|m| format!("{{{m}}}")).collect();
                        let _ = write!(self.out, ",\"anyOf\":[{}]", all.join(","));
                    }
                }
            }
        }
        Ok(())
    }

    fn nullable_enum(&mut self, value: ValueId) {
        let values: Vec<&str> = self
            .document
            .elements(value)
            .map(|value| self.document.raw(value))
            .filter(|value| *value != "null")
            .chain(["null"])
            .collect();
        let _ = write!(self.out, ",\"enum\":[{}]", values.join(","));
    }

    /// The properties in their order, and which of them are required.
    fn properties(
        &mut self,
        value: ValueId,
        ordering: &[String],
        required: &[ValueId],
    ) -> Result<(), Fault> {
        let document = self.document;
        self.out.push_str(",\"properties\":{");
        self.named(value, ordering)?;
        self.out.push('}');
        let mut names: Vec<String> = required
            .iter()
            .map(|&name| document.raw(name).to_owned())
            .collect();
        for (key, schema) in document.members(value) {
            let says_so = document
                .get(schema, "required")
                .is_some_and(|required| document.kind(required) == Kind::True);
            let name = document.raw(key).to_owned();
            if says_so && !names.contains(&name) {
                names.push(name);
            }
        }
        if !names.is_empty() {
            let _ = write!(self.out, ",\"required\":[{}]", names.join(","));
        }
        Ok(())
    }

    /// A list of parameters as the object that has them and no others.
    fn listed(&mut self, list: ValueId) -> Result<(), Fault> {
        let document = self.document;
        let mut required = Vec::new();
        let mut names = Vec::new();
        self.out.push_str("{\"type\":\"object\",\"properties\":{");
        for parameter in document.elements(list) {
            let get = |key: &str| document.get(parameter, key);
            let Some(name) = get("name").filter(|&name| document.string(name).is_some()) else {
                let expected = "a parameter, which is an object with a `name`; or a JSON Schema \
                                in place of the list";
                return Err((parameter, expected.to_owned()));
            };
            if names.contains(&document.raw(name)) {
                return Err((name, "a name that no parameter before has".to_owned()));
            }
            let comma = if names.is_empty() { "" } else { "," };
            names.push(document.raw(name));
            let _ = write!(self.out, "{comma}{}:", document.raw(name));
            let inner = LISTED_SCHEMA.iter().find_map(|key| get(key));
            let inner = inner.filter(|&inner| document.kind(inner) == Kind::Object);
            self.schema(inner.unwrap_or(parameter))?;
            let says_so =
                |key: &&str| get(key).is_some_and(|value| document.kind(value) == Kind::True);
            if LISTED_REQUIRED.iter().any(says_so) {
                required.push(document.raw(name));
            }
        }
        let required = required.join(",");
        let _ = write!(
            self.out,
            "}},\"required\":[{required}],\"additionalProperties\":false}}"
        );
        Ok(())
    }

    /// Schemas by their names, those of `ordering` first.
    fn named(&mut self, value: ValueId, ordering: &[String]) -> Result<(), Fault> {
        let document = self.document;
        let mut members: Vec<(ValueId, ValueId)> = document.members(value).collect();
        members.sort_by_key(|(key, _)| {
            let name = document.string(*key).unwrap_or_default();
            ordering
                .iter()
                .position(|first| *first == *name)
                .unwrap_or(ordering.len())
        });
        for (index, (key, schema)) in members.into_iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            let _ = write!(self.out, "{comma}{}:", document.raw(key));
            self.schema(schema)?;
        }
        Ok(())
    }
}

/// The name in `"type":"…"`, with its quotes, where there is nothing else.
fn plain_name(members: &str) -> Option<&str> {
    let name = members.strip_prefix("\"type\":")?;
    (!name.contains([':', ','])).then_some(name)
}
