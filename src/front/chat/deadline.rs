//! The member `deadline_ms` beside the arguments of a call (OpenChatML 2.2 §8.2).

use std::borrow::Cow;

use crate::base::Limits;
use crate::front::json_schema::{Document, Kind, SchemaError, pointer_of};

const DEADLINE: &str = r#""deadline_ms":{"type":"number"}"#;
/// Keywords that may speak of all members, so that one more cannot simply be declared.
const OF_ALL_MEMBERS: [&str; 11] = [
    "$ref",
    "$dynamicRef",
    "$recursiveRef",
    "allOf",
    "anyOf",
    "oneOf",
    "if",
    "not",
    "propertyNames",
    "maxProperties",
    "minProperties",
];

/// The schema of arguments that may have a member `deadline_ms`, any number, whatever else the schema
/// says of members that it does not declare.
///
/// # Errors
/// Text that is no JSON, and a schema of which a keyword may speak of all members.
pub(super) fn with_deadline<'s>(
    schema: &'s str,
    limits: &Limits,
) -> Result<Cow<'s, str>, SchemaError> {
    let document = Document::read(schema, limits)?;
    let root = document.root();
    let properties = document.get(root, "properties");
    let has_own = properties.is_some_and(|p| document.get(p, "deadline_ms").is_some());
    if document.kind(root) != Kind::Object || has_own {
        return Ok(Cow::Borrowed(schema));
    }
    for keyword in OF_ALL_MEMBERS {
        if let Some(value) = document.get(root, keyword) {
            let reason = "deadlines are allowed, and it may refuse `deadline_ms`: declare that among \
                          the `properties`";
            let pointer = pointer_of(&document, value);
            return Err(SchemaError::unsupported(keyword, pointer, reason));
        }
    }
    let mut members: Vec<String> = Vec::new();
    for (key, value) in document.members(root) {
        let raw = document.raw(value);
        let text = match (Some(value) == properties, raw.strip_suffix('}')) {
            (true, Some(open)) => {
                let is_empty = document.members(value).next().is_none();
                let comma = if is_empty { "" } else { "," };
                format!("{open}{comma}{DEADLINE}}}")
            }
            _ => raw.to_owned(),
        };
        members.push(format!("{}:{text}", document.raw(key)));
    }
    if properties.is_none() {
        members.push(format!("\"properties\":{{{DEADLINE}}}"));
    }
    Ok(Cow::Owned(format!("{{{}}}", members.join(","))))
}
