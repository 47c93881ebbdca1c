//! What requests put around a schema: `response_format` and its kin.

use std::borrow::Cow;

use super::keyword::Keyword;
use super::reader::{Document, Kind, ValueId};
use super::{SchemaError, pointer};
use crate::base::{Limits, nearest};

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
const OF_REQUESTS: [&str; 13] = [
    "response_format",
    "responseFormat",
    "text",
    "format",
    "output_format",
    "outputFormat",
    "output_config",
    "outputConfig",
    "generationConfig",
    "generation_config",
    "structured_outputs",
    "guided_decoding",
    "extra_body",
];
/// Keys under which schemas stand in requests of Gemini, vLLM and others.
const OF_SCHEMAS: [&str; 7] = [
    "responseSchema",
    "response_schema",
    "responseJsonSchema",
    "response_json_schema",
    "guided_json",
    "json",
    "jsonSchema",
];
/// What `type` says of a schema.
const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
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
    let kind = get("type").and_then(|kind| document.string(kind));
    match kind.as_deref() {
        Some("json_schema") => wrapped(document, root).map(Within::Value),
        Some("json_object" | "json") => {
            let mut keys = ["schema", "value", "json_schema"]
                .into_iter()
                .chain(OF_SCHEMAS);
            Ok(keys.find_map(get).map_or(Within::AnyObject, Within::Value))
        }
        Some("text") if document.members(root).count() == 1 => Ok(Within::Text),
        Some(_) => Ok(Within::Itself),
        None => match inner(document, root) {
            Some(schema) => Ok(Within::Value(schema)),
            None if is_schema(document, root) => Ok(Within::Itself),
            None => of_request(document, root),
        },
    }
}

/// The schema in a request, or in a part of one, which says nothing that a schema says.
fn of_request(document: &Document, root: ValueId) -> Result<Within, SchemaError> {
    let mut unread = None;
    for (name, value) in document.members(root) {
        let key = document.string(name).unwrap_or_default();
        if document.kind(value) != Kind::Object {
            continue;
        }
        if OF_SCHEMAS.contains(&&*key) {
            return Ok(Within::Value(value));
        }
        if OF_REQUESTS.contains(&&*key) {
            match search(document, value)? {
                Within::Itself if is_schema(document, value) => return Ok(Within::Value(value)),
                // The next may have one.
                Within::Itself => continue,
                found => return Ok(found),
            }
        }
        let is_unread = is_like_wrapper(document, root, &key) && looks_like_schema(document, value);
        unread = unread.or_else(|| is_unread.then(|| (key.into_owned(), value)));
    }
    match unread {
        None => Ok(Within::Itself),
        Some((key, value)) => Err(SchemaError::malformed(
            key,
            pointer::of(document, value),
            "is no keyword of JSON Schema, and nothing beside it is: what stands under it is not read",
        )),
    }
}

/// Whether `key` is likely meant for one that a schema stands under: for its spelling, or for what stands beside it. Alone
/// it is a keyword that no draft has, which a linter warns of.
fn is_like_wrapper(document: &Document, root: ValueId, key: &str) -> bool {
    let known = || {
        let wrappers = ["json_schema"].into_iter().chain(BESIDE);
        wrappers.chain(OF_SCHEMAS).chain(OF_REQUESTS)
    };
    let is_known = |key: ValueId| {
        let key = document.string(key).unwrap_or_default();
        known().any(|known| known == key)
    };
    let mut keys = document.members(root).map(|(key, _)| key);
    keys.any(is_known) || nearest(key, known()).is_some()
}

/// Whether some word of an object is a keyword of JSON Schema.
fn is_schema(document: &Document, value: ValueId) -> bool {
    document.members(value).any(|(key, value)| {
        let key = document.string(key).unwrap_or_default();
        // `format` is Ollama's key of a schema, too.
        let says = Keyword::find(&key).is_some() || ["definitions", "defs"].contains(&&*key);
        key.starts_with('$') || (says && (key != "format" || document.kind(value) != Kind::Object))
    })
}

/// Whether a value is an object that is a schema by the words that most schemas have.
pub(crate) fn looks_like_schema(document: &Document, value: ValueId) -> bool {
    let get = |name: &str| document.get(value, name);
    let kind = get("type").and_then(|kind| document.string(kind));
    get("$ref").is_some()
        || get("properties").is_some_and(|it| document.kind(it) == Kind::Object)
        || kind.is_some_and(|kind| TYPES.contains(&&*kind))
}

/// The schema in a wrapper of the type `json_schema`.
fn wrapped(document: &Document, root: ValueId) -> Result<ValueId, SchemaError> {
    let get = |value: ValueId, name: &str| document.get(value, name);
    let mut wrappers = ["json_schema", "jsonSchema"].into_iter();
    let within = wrappers.find_map(|key| get(root, key));
    let place = within.unwrap_or(root);
    let found = ["schema", "value"]
        .into_iter()
        .find_map(|key| get(place, key));
    // Some put the schema itself where its wrapper stands.
    let itself = || within.filter(|&it| looks_like_schema(document, it));
    found.or_else(itself).ok_or_else(|| {
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
