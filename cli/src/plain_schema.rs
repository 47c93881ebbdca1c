//! A schema as the crate `jsonschema` reads it: what other tools write, in the words of its draft, and without
//! annotations, which it would check and which judge nothing.

use maskwright::front::json_schema::Draft;
use serde_json::{Map, Value, json};

/// What says nothing about values.
const ANNOTATIONS: [&str; 10] = [
    "title",
    "description",
    "$comment",
    "default",
    "examples",
    "example",
    "deprecated",
    "readOnly",
    "writeOnly",
    "contentMediaType",
];

/// Keywords whose members are schemas by arbitrary names.
const MAPS: [&str; 6] = [
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
    "dependencies",
];

/// The schema, which is of `draft` unless it says otherwise, for the judge.
pub(crate) fn plain(schema: &Value, draft: Draft) -> Value {
    let named = schema.get("$schema").and_then(Value::as_str);
    let draft = match named {
        Some(name) => Draft::named(name),
        None => Some(draft),
    };
    let Some(draft) = draft else {
        return Plain(Draft::default()).schema(schema);
    };
    let mut plain = Plain(draft).schema(schema);
    if let Value::Object(members) = &mut plain
        && let Some(name) = known_name(draft)
    {
        members.insert("$schema".to_owned(), name.into());
    }
    plain
}

/// The meta-schema by which the judge knows a draft.
fn known_name(draft: Draft) -> Option<&'static str> {
    Some(match draft {
        Draft::Draft4 | Draft::OpenApi30 => "http://json-schema.org/draft-04/schema#",
        Draft::Draft6 => "http://json-schema.org/draft-06/schema#",
        Draft::Draft7 => "http://json-schema.org/draft-07/schema#",
        Draft::Draft201909 => "https://json-schema.org/draft/2019-09/schema",
        Draft::Draft202012 => "https://json-schema.org/draft/2020-12/schema",
        _ => return None,
    })
}

/// What makes schemas of a draft plain.
struct Plain(Draft);

impl Plain {
    fn schema(&self, schema: &Value) -> Value {
        match schema {
            Value::Object(members) => Value::Object(self.members(members)),
            Value::Array(items) => items.iter().map(|item| self.schema(item)).collect(),
            scalar => scalar.clone(),
        }
    }

    fn members(&self, members: &Map<String, Value>) -> Map<String, Value> {
        let mut plain = Map::new();
        for (key, value) in members {
            if ANNOTATIONS.contains(&key.as_str()) {
                continue;
            }
            let value = match (key.as_str(), value) {
                ("enum" | "const", values) => values.clone(),
                ("pattern", Value::String(text)) => pattern(text).into(),
                ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(text)) => {
                    reference(text).into()
                }
                ("patternProperties", Value::Object(schemas)) => schemas
                    .iter()
                    .map(|(key, schema)| (pattern(key), self.schema(schema)))
                    .collect(),
                (key, Value::Object(schemas)) if MAPS.contains(&key) => schemas
                    .iter()
                    .map(|(key, schema)| (key.clone(), self.schema(schema)))
                    .collect(),
                (_, value) => self.schema(value),
            };
            plain.insert(key.clone(), value);
        }
        self.require(&mut plain, members);
        self.bound(&mut plain, "minimum", "exclusiveMinimum");
        self.bound(&mut plain, "maximum", "exclusiveMaximum");
        self.tuple(&mut plain);
        self.nullable(&mut plain, members);
        plain
    }

    /// `required: true` of properties, in the words of the object around them.
    fn require(&self, plain: &mut Map<String, Value>, members: &Map<String, Value>) {
        if plain.get("required").is_some_and(Value::is_boolean) {
            plain.remove("required");
        }
        let properties = members.get("properties").and_then(Value::as_object);
        let is_flagged = |schema: &Value| schema.get("required") == Some(&Value::Bool(true));
        let flagged = properties.into_iter().flatten();
        let flagged = flagged.filter(|(_, schema)| is_flagged(schema));
        let mut names: Vec<Value> = flagged.map(|(name, _)| name.as_str().into()).collect();
        if names.is_empty() {
            return;
        }
        let known = plain.get("required").and_then(Value::as_array);
        names.retain(|name| known.is_none_or(|known| !known.contains(name)));
        names.extend(known.into_iter().flatten().cloned());
        plain.insert("required".to_owned(), names.into());
    }

    /// A flag that says that a bound is none itself.
    fn bound(&self, plain: &mut Map<String, Value>, bound: &str, exclusive: &str) {
        let flag = plain.get(exclusive).and_then(Value::as_bool);
        if matches!(self.0, Draft::Draft4 | Draft::OpenApi30) {
            return;
        }
        if flag.is_some() {
            plain.remove(exclusive);
        }
        if flag == Some(true)
            && let Some(value) = plain.remove(bound)
        {
            plain.insert(exclusive.to_owned(), value);
        }
    }

    /// `items` that is an array, in the words of draft 2020-12.
    fn tuple(&self, plain: &mut Map<String, Value>) {
        if self.0 != Draft::Draft202012 || !plain.get("items").is_some_and(Value::is_array) {
            return;
        }
        let first = plain.remove("items").unwrap_or_default();
        if first.as_array().is_some_and(|first| !first.is_empty()) {
            plain.insert("prefixItems".to_owned(), first);
        }
        if let Some(others) = plain.remove("additionalItems") {
            plain.insert("items".to_owned(), others);
        }
    }

    /// `nullable` of OpenAPI 3.0.
    fn nullable(&self, plain: &mut Map<String, Value>, members: &Map<String, Value>) {
        let is_nullable = members.get("nullable") == Some(&Value::Bool(true));
        if self.0 == Draft::OpenApi30
            && is_nullable
            && let Some(types) = plain.get_mut("type")
        {
            let mut all = match types.take() {
                Value::Array(types) => types,
                only => vec![only],
            };
            let null = json!("null");
            if !all.contains(&null) {
                all.push(null);
            }
            *types = all.into();
        }
    }
}

/// A reference with all that no URI may have in it spelt in percent.
fn reference(text: &str) -> String {
    let mut plain = String::new();
    for c in text.chars() {
        match c.is_ascii_graphic() && !"<>\"{}|\\^`[]".contains(c) {
            true => plain.push(c),
            false => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    plain.push_str(&format!("%{byte:02X}"));
                }
            }
        }
    }
    plain
}

/// The pattern with `<` for `\<` and `>` for `\>`, which are the same, but bounds of words to the crate;
/// with all that ends a line left out of `.`, where the crate only leaves out `\n`; and with `\-` for a
/// `-` of a class that stands beside an escape and is no range.
fn pattern(pattern: &str) -> String {
    let mut plain = String::new();
    let mut in_class = false;
    // Whether a class such as `\w` stands right before, within a class.
    let mut after_set = false;
    let mut rest = pattern.chars().peekable();
    while let Some(c) = rest.next() {
        let was_set = std::mem::take(&mut after_set);
        match c {
            '\\' => match rest.next() {
                Some(angle @ ('<' | '>')) => plain.push(angle),
                escaped => {
                    after_set = in_class && escaped.is_some_and(|c| "dDsSwW".contains(c));
                    plain.extend([c].into_iter().chain(escaped));
                }
            },
            '.' if !in_class => plain.push_str(r"[^\n\r\u2028\u2029]"),
            '-' if in_class && was_set && rest.peek() != Some(&']') => plain.push_str(r"\-"),
            _ => {
                in_class = c == '[' || (in_class && c != ']');
                plain.push(c);
            }
        }
    }
    plain
}
