//! Tools in TypeScript as the models of Harmony were trained on them: byte for byte what the package
//! `openai-harmony` 0.0.8 writes, with its liberties.
//!
//! It knows `type`, `properties`, `required`, `items`, `oneOf`, `enum` of strings, `nullable` and the
//! comments; whatever else a schema says is `any`. The depth of nesting is that of the JSON reader.

use std::fmt::Write as _;

use super::json::Json;

/// The section `# Tools` with the namespace of functions.
pub(super) fn section(declarations: impl Iterator<Item = String>) -> String {
    let mut out = "# Tools\n\n## functions\n\nnamespace functions {\n\n".to_owned();
    for declaration in declarations {
        out.push_str(&declaration);
        out.push('\n');
    }
    out.push_str("} // namespace functions");
    out
}

/// One tool, with the empty line behind it.
pub(super) fn declaration(name: &str, description: &str, parameters: Option<&Json>) -> String {
    let mut out = String::new();
    for line in description.lines() {
        let _ = writeln!(out, "// {line}");
    }
    let _ = match parameters {
        Some(schema) => writeln!(out, "type {name} = (_: {}) => any;", type_of(schema, "")),
        None => writeln!(out, "type {name} = () => any;"),
    };
    out
}

/// The type of a schema; lines after the first begin with `indent`.
fn type_of(schema: &Json, indent: &str) -> String {
    if let Some(variants) = schema.member("oneOf").and_then(Json::items) {
        return one_of(variants, indent);
    }
    match schema.member("type") {
        Some(Json::Array(names)) if names.iter().any(|name| name.str().is_some()) => {
            let names = names.iter().filter_map(Json::str);
            let written = names.map(|name| if name == "integer" { "number" } else { name });
            written.collect::<Vec<_>>().join(" | ")
        }
        Some(Json::String(name)) => named(name, schema, indent),
        _ => "any".to_owned(),
    }
}

fn named(name: &str, schema: &Json, indent: &str) -> String {
    match name {
        "object" => object(schema, indent),
        "string" => strings(schema).unwrap_or_else(|| "string".to_owned()),
        "number" | "integer" => "number".to_owned(),
        "boolean" => "boolean".to_owned(),
        "array" => match schema.member("items") {
            Some(items) => format!("{}[]", type_of(items, indent)),
            None => "Array<any>".to_owned(),
        },
        _ => "any".to_owned(),
    }
}

/// The strings of an enumeration, without escapes.
fn strings(schema: &Json) -> Option<String> {
    let values = schema.member("enum").and_then(Json::items)?;
    let strings = values.iter().filter_map(Json::str);
    let quoted: Vec<_> = strings.map(|value| format!("\"{value}\"")).collect();
    (!quoted.is_empty()).then(|| quoted.join(" | "))
}

/// The alternatives of a schema that is no property: a line each.
fn one_of(variants: &[Json], indent: &str) -> String {
    let mut out = String::new();
    for variant in variants {
        let _ = write!(
            out,
            "\n{indent} | {}",
            nullable(variant, &format!("{indent}   "))
        );
        let description = text(variant, "description").map(str::to_owned);
        let default = variant.member("default").map(|default| match default {
            Json::String(value) if !is_enum(variant) => format!("default: \"{value}\""),
            value => format!("default: {}", written(value)),
        });
        trailing(&mut out, description.into_iter().chain(default));
    }
    out
}

/// Comments behind a type.
fn trailing(out: &mut String, comments: impl Iterator<Item = String>) {
    let comments: Vec<String> = comments.collect();
    if !comments.is_empty() {
        let _ = write!(out, " // {}", comments.join(" "));
    }
}

fn object(schema: &Json, indent: &str) -> String {
    let mut out = String::new();
    comment(&mut out, indent, text(schema, "description"));
    out.push_str("{\n");
    let required = schema.member("required").and_then(Json::items);
    let required = required.unwrap_or_default();
    for (key, property) in schema.member("properties").map_or(&[][..], Json::members) {
        let is_required = required.iter().any(|name| name.str() == Some(key));
        let mark = if is_required { "" } else { "?" };
        self::property(&mut out, indent, &format!("{key}{mark}"), property);
    }
    out.push_str(indent);
    out.push('}');
    out
}

fn property(out: &mut String, indent: &str, key: &str, schema: &Json) {
    if let Some(title) = text(schema, "title") {
        let _ = write!(out, "{indent}// {title}\n{indent}//\n");
    }
    let one_of = schema.member("oneOf");
    if one_of.is_none() {
        comment(out, indent, text(schema, "description"));
    }
    let examples = schema.member("examples").and_then(Json::items);
    if let Some(examples) = examples.filter(|examples| !examples.is_empty()) {
        let _ = writeln!(out, "{indent}// Examples:");
        for example in examples.iter().filter_map(Json::str) {
            let _ = writeln!(out, "{indent}// - \"{example}\"");
        }
    }
    if let Some(variants) = one_of.and_then(Json::items) {
        return alternatives(out, indent, key, schema, variants);
    }
    let written = nullable(schema, &format!("{indent}    "));
    let _ = write!(out, "{indent}{key}: {written},");
    if let (None, Some(default)) = (one_of, default_of(schema)) {
        let _ = write!(out, " // default: {default}");
    }
    out.push('\n');
}

/// A property that is one of several: a line each, its comments above it and behind them.
fn alternatives(out: &mut String, indent: &str, key: &str, schema: &Json, variants: &[Json]) {
    let description = text(schema, "description");
    let first = variants
        .first()
        .and_then(|variant| text(variant, "description"));
    let above = description.filter(|_| description != first);
    comment(out, indent, above);
    if let Some(default) = default_of(schema) {
        let _ = writeln!(out, "{indent}// default: {default}");
    }
    let _ = writeln!(out, "{indent}{key}:");
    for (index, variant) in variants.iter().enumerate() {
        let _ = write!(
            out,
            "{indent} | {}",
            nullable(variant, &format!("{indent}   "))
        );
        let own = text(variant, "description")
            .filter(|own| !(index == 0 && above.is_some()) && Some(*own) != description);
        let default = default_of(variant).map(|default| format!("default: {default}"));
        trailing(out, own.map(str::to_owned).into_iter().chain(default));
        out.push('\n');
    }
    let _ = writeln!(out, "{indent},");
}

/// The type with ` | null` where the schema says so, unless it speaks of null already.
fn nullable(schema: &Json, indent: &str) -> String {
    let mut written = type_of(schema, indent);
    let says_so = schema.member("nullable").and_then(Json::bool) == Some(true);
    if says_so && !written.contains("null") {
        written.push_str(" | null");
    }
    written
}

fn comment(out: &mut String, indent: &str, text: Option<&str>) {
    if let Some(text) = text {
        let _ = writeln!(out, "{indent}// {text}");
    }
}

fn text<'j>(schema: &'j Json, key: &str) -> Option<&'j str> {
    schema.member(key).and_then(Json::str)
}

fn is_enum(schema: &Json) -> bool {
    let values = schema.member("enum").and_then(Json::items);
    values.is_some_and(|values| !values.is_empty())
}

/// The default of a property: the name of an enumeration's value stands without quotes.
fn default_of(schema: &Json) -> Option<String> {
    Some(match schema.member("default")? {
        Json::String(value) if is_enum(schema) => value.clone(),
        Json::String(value) => format!("\"{value}\""),
        value => written(value),
    })
}

/// A value without white space. Exponents have no plus sign, as in the version of `serde_json` by which
/// the package writes numbers.
fn written(value: &Json) -> String {
    match value {
        Json::Number(number) => number.to_string().replace("e+", "e"),
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(written).collect();
            format!("[{}]", items.join(","))
        }
        Json::Object(members) => {
            let member = |(key, value): &(String, Json)| {
                format!("{}:{}", Json::from(key.as_str()), written(value))
            };
            format!(
                "{{{}}}",
                members.iter().map(member).collect::<Vec<_>>().join(",")
            )
        }
        scalar => scalar.to_string(),
    }
}
