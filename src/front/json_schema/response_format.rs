//! What requests put around a schema: `response_format` and its kin.

use std::borrow::Cow;

use super::reader::{Document, Kind, ValueId};
use super::{SchemaError, pointer};
use crate::base::Limits;

/// The schema that a request's `response_format` asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResponseFormat<'t> {
    /// The schema, as text.
    pub schema: Cow<'t, str>,
    /// Where it stands in the text that was given: a JSON pointer (RFC 6901) as a URI fragment, `#`
    /// where that is the schema itself.
    pub pointer: String,
}

/// What `json_object` asks for.
const ANY_OBJECT: &str = r#"{"type":"object"}"#;
/// Keys beside a schema in OpenAI's wrappers.
const BESIDE: [&str; 5] = ["type", "name", "description", "strict", "schema"];
/// Keys of requests under which a wrapper stands.
const OF_REQUESTS: [&str; 5] = [
    "response_format",
    "text",
    "format",
    "output_format",
    "output_config",
];
/// Keys under which schemas stand in Gemini's and others' requests.
const OF_SCHEMAS: [&str; 6] = [
    "responseSchema",
    "response_schema",
    "responseJsonSchema",
    "response_json_schema",
    "json",
    "jsonSchema",
];

/// Takes the schema out of what a request has around it: `{"type": "json_schema", "json_schema":
/// {"name", "strict", "schema"}}`, the flat one of OpenAI's Responses, the inner object alone, and
/// `json_object`, which asks for any object. Any other text is the schema itself.
///
/// `None` where it asks for text, `{"type": "text"}`. A schema that is wrapped is enforced whether `strict` is said or not. [`compile`](super::compile)
/// does this by itself.
///
/// ```
/// use maskwright::{base::Limits, front::json_schema::response_format};
/// let request = r#"{"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "null"}}}"#;
/// let format = response_format(request, &Limits::default())?.expect("it asks for JSON");
/// assert_eq!((&*format.schema, &*format.pointer), (r#"{"type": "null"}"#, "#/json_schema/schema"));
/// # Ok::<(), maskwright::front::json_schema::SchemaError>(())
/// ```
///
/// # Errors
/// Text that is no JSON, and a wrapper without a schema.
pub fn response_format<'t>(
    text: &'t str,
    limits: &Limits,
) -> Result<Option<ResponseFormat<'t>>, SchemaError> {
    let document = Document::read(text, limits)?;
    Ok(Some(match search(&document, document.root())? {
        Within::Text => return Ok(None),
        Within::Itself => ResponseFormat {
            schema: Cow::Borrowed(text),
            pointer: "#".to_owned(),
        },
        Within::AnyObject => ResponseFormat {
            schema: Cow::Borrowed(ANY_OBJECT),
            pointer: "#".to_owned(),
        },
        Within::Value(value) => ResponseFormat {
            schema: Cow::Owned(document.raw(value).to_owned()),
            pointer: pointer::of(&document, value),
        },
    }))
}

/// The document of the schema in a text, and where it stands there; `#` where it is the whole.
pub(crate) fn read(text: &str, limits: &Limits) -> Result<(Document, String), SchemaError> {
    let document = Document::read(text, limits)?;
    let base = || "#".to_owned();
    match search(&document, document.root())? {
        Within::Text => Err(SchemaError::malformed(
            "type",
            "#/type".to_owned(),
            "`text` asks for text, not for JSON: leave the response format out",
        )),
        Within::Itself => Ok((document, base())),
        Within::AnyObject => Ok((Document::read(ANY_OBJECT, limits)?, base())),
        Within::Value(value) => {
            let base = pointer::of(&document, value);
            Ok((Document::read(document.raw(value), limits)?, base))
        }
    }
}

/// Where the schema is in a text.
enum Within {
    Itself,
    AnyObject,
    Value(ValueId),
    /// There is none: text is asked for.
    Text,
}

fn search(document: &Document, root: ValueId) -> Result<Within, SchemaError> {
    let get = |name: &str| document.get(root, name);
    let mut members = document.members(root);
    let Some((key, value)) = members.next() else {
        return Ok(Within::Itself);
    };
    // A request, or a part of it, with nothing else in it.
    let is_alone = members.next().is_none();
    let key = document.string(key).unwrap_or_default();
    if is_alone && document.kind(value) == Kind::Object {
        if OF_SCHEMAS.contains(&&*key) {
            return Ok(Within::Value(value));
        }
        if OF_REQUESTS.contains(&&*key) {
            return search(document, value);
        }
    }
    let kind = get("type").and_then(|kind| document.string(kind));
    match kind.as_deref() {
        Some("json_schema") => wrapped(document, root).map(Within::Value),
        Some("json_object" | "json") => {
            let schema = ["schema", "value", "json_schema"].into_iter().find_map(get);
            Ok(schema.map_or(Within::AnyObject, Within::Value))
        }
        Some("text") if document.members(root).count() == 1 => Ok(Within::Text),
        Some(_) => Ok(Within::Itself),
        None => Ok(inner(document, root).map_or(Within::Itself, Within::Value)),
    }
}

/// The schema in a wrapper of the type `json_schema`.
fn wrapped(document: &Document, root: ValueId) -> Result<ValueId, SchemaError> {
    let get = |value: ValueId, name: &str| document.get(value, name);
    let place = get(root, "json_schema").unwrap_or(root);
    let found = ["schema", "value"]
        .into_iter()
        .find_map(|key| get(place, key));
    found.ok_or_else(|| {
        SchemaError::malformed(
            "json_schema",
            pointer::of(document, place),
            "must have the schema under `schema`",
        )
    })
}

/// The schema in `{"name", "strict", "schema"}`, which says nothing that a schema says.
fn inner(document: &Document, root: ValueId) -> Option<ValueId> {
    let schema = document.get(root, "schema")?;
    let is_schema = matches!(
        document.kind(schema),
        Kind::Object | Kind::True | Kind::False
    );
    let all_known = document.members(root).all(|(key, _)| {
        let key = document.string(key);
        key.is_some_and(|key| BESIDE.contains(&&*key))
    });
    (is_schema && all_known).then_some(schema)
}

impl SchemaError {
    /// The error of a schema that stands at `base` of the text that was given.
    pub(super) fn under(mut self, base: &str) -> Self {
        if base == "#" {
            return self;
        }
        if let Self::Malformed { pointer, .. }
        | Self::Unsupported { pointer, .. }
        | Self::Unsatisfiable { pointer }
        | Self::Limit { pointer, .. } = &mut self
            && let Some(rest) = pointer.strip_prefix('#')
        {
            *pointer = format!("{base}{rest}");
        }
        self
    }
}
