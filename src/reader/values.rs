//! Values of parameters as JSON, however a format spells them.

use serde_json::Value;

use crate::front::chat::ValueSpelling;
use crate::front::json_schema::Types;

/// The JSON of a value that stands in a turn as `text`, for a parameter of these types; `mark` is what strings stand between
/// in nested ones.
pub(super) fn json(text: &str, spelling: ValueSpelling, types: Types, mark: &str) -> String {
    match spelling {
        ValueSpelling::String => quoted(text),
        ValueSpelling::Json => text.trim_matches([' ', '\t', '\r', '\n']).to_owned(),
        ValueSpelling::Python => python(text),
        ValueSpelling::Raw => raw(text, types),
        ValueSpelling::Nested => nested(text, mark),
    }
}

/// A text is JSON where the schema allows a value of its type that is no string, and else the string itself.
fn raw(text: &str, types: Types) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(value) if type_of(&value).is_some_and(|own| types.meets(own)) => {
            text.trim_matches([' ', '\t', '\r', '\n']).to_owned()
        }
        _ => word_of_python(text, types).unwrap_or_else(|| quoted(text)),
    }
}

/// What a word of Python means where no string is allowed, and a value of its type is.
fn word_of_python(text: &str, types: Types) -> Option<String> {
    let (json, own) = match text {
        "None" => ("null", Types::NULL),
        "True" => ("true", Types::BOOLEAN),
        "False" => ("false", Types::BOOLEAN),
        _ => return None,
    };
    (types.meets(own) && !types.meets(Types::STRING)).then(|| json.to_owned())
}

/// The type of a value that is no string.
fn type_of(value: &Value) -> Option<Types> {
    Some(match value {
        Value::Null => Types::NULL,
        Value::Bool(_) => Types::BOOLEAN,
        Value::Number(_) => Types::NUMBER,
        Value::Array(_) => Types::ARRAY,
        Value::Object(_) => Types::OBJECT,
        Value::String(_) => return None,
    })
}

/// A string as JSON.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Python's words in the place of which JSON has others. Strings are spelt alike in both, but that Python's may stand between apostrophes,
/// and that it has escapes of its own and none of a slash: the backslash is a character there.
fn python(text: &str) -> String {
    let mut json = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = [("None", "null"), ("True", "true"), ("False", "false")]
            .into_iter()
            .find(|(python, _)| rest.starts_with(python));
        if let Some((python, word)) = word {
            json.push_str(word);
            rest = &rest[python.len()..];
            continue;
        }
        if !matches!(first, '"' | '\'') {
            json.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (string, behind) = rest.split_at(string_length(rest));
        json.push('"');
        python_string(
            string[1..].strip_suffix(first).unwrap_or(&string[1..]),
            &mut json,
        );
        json.push('"');
        rest = behind;
    }
    json
}

/// What stands between the quotes of a string of Python, as in one of JSON.
fn python_string(text: &str, json: &mut String) {
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => json.push_str("\\\""),
            '\\' => match characters.next() {
                Some('\'') => json.push('\''),
                Some('/') => json.push_str("\\\\/"),
                Some('x') => json.push_str("\\u00"),
                escaped => {
                    json.push('\\');
                    json.extend(escaped);
                }
            },
            character => json.push(character),
        }
    }
}

/// JSON of a value whose strings stand between marks and whose names are bare.
fn nested(text: &str, mark: &str) -> String {
    let mut json = String::with_capacity(text.len());
    // The closing brackets of what is open.
    let mut open = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some(behind) = rest.strip_prefix(mark).filter(|_| !mark.is_empty()) {
            let (string, behind) = behind.split_once(mark).unwrap_or((behind, ""));
            json.push_str(&quoted(string));
            rest = behind;
            continue;
        }
        rest = &rest[first.len_utf8()..];
        json.push(first);
        match first {
            '{' | '[' => open.push(first),
            '}' | ']' => drop(open.pop()),
            _ => {}
        }
        if matches!(first, '{' | ',') && open.last() == Some(&'{') {
            let name = rest.trim_start_matches([' ', '\t', '\r', '\n']);
            let space = rest.len() - name.len();
            let is_bare = !name.starts_with('}') && (mark.is_empty() || !name.starts_with(mark));
            if let Some((name, behind)) = name.split_once(':').filter(|_| is_bare) {
                json.push_str(&rest[..space]);
                json.push_str(&quoted(name));
                json.push(':');
                rest = behind;
            }
        }
    }
    json
}

/// The length of the string that `text` begins with, quotes included.
fn string_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() && bytes[at] != bytes[0] {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}
