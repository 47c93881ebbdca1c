//! What requests put around a schema: `response_format` and its kin.

use std::borrow::Cow;

use super::foreign::{self, Foreign};
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

/// Where a schema stands that is the whole text.
const WHOLE: Cow<'static, str> = Cow::Borrowed("#");
/// What `json_object` asks for.
const ANY_OBJECT: &str = r#"{"type":"object"}"#;
/// Keys beside a schema in OpenAI's wrappers.
const BESIDE: [&str; 6] = ["type", "name", "title", "description", "strict", "schema"];
/// Keys of wrappers that the schema stands under.
const SCHEMA: [&str; 4] = ["schema", "value", "schema_definition", "schemaDefinition"];
/// Keys of requests under which a wrapper stands, or a part of a request that has one.
const OF_REQUESTS: [&str; 23] = [
    "response_format",
    "responseFormat",
    "text",
    "format",
    "textFormat",
    "output_format",
    "outputFormat",
    "output_config",
    "outputConfig",
    "generationConfig",
    "generation_config",
    "structure",
    "structured_outputs",
    "structuredOutputs",
    "guided_decoding",
    "guided_decoding_params",
    "grammar",
    "config",
    "parameters",
    "params",
    "sampling_params",
    "samplingParams",
    "extra_body",
];
/// Keys under which schemas stand in requests of Gemini, vLLM, llama.cpp, MCP and others; a wrapper may be around them.
const OF_SCHEMAS: [&str; 11] = [
    "responseSchema",
    "response_schema",
    "responseJsonSchema",
    "response_json_schema",
    "guided_json",
    "json_schema",
    "jsonSchema",
    "requestedSchema",
    "requested_schema",
    "json",
    "guide",
];
/// Keys of requests that ask for something else than JSON.
const OF_OTHERS: [&str; 9] = [
    "guided_regex",
    "guided_choice",
    "guided_grammar",
    "structural_tag",
    "regex",
    "choice",
    "grammar",
    "ebnf",
    "lark",
];
/// Keys of what is no schema, whatever stands beside them.
const OF_NO_SCHEMA: [&str; 10] = [
    "openapi",
    "swagger",
    "messages",
    "contents",
    "model",
    "prompt",
    "input",
    "inputs",
    "tools",
    "functions",
];
/// How many objects of a request are looked through.
const OBJECTS: usize = 256;
/// How often a schema may be a text within a text.
const TEXTS: usize = 4;
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
    let (schema, pointer) = match asked(text, limits)? {
        Asked::Text => return Ok(None),
        Asked::Itself(_) => (Cow::Borrowed(text), WHOLE),
        Asked::AnyObject => (Cow::Borrowed(ANY_OBJECT), WHOLE),
        Asked::Schema(schema, pointer) => (Cow::Owned(schema), pointer),
    };
    Ok(Some(ResponseFormat {
        schema,
        pointer: pointer.into_owned(),
    }))
}

/// The document of the schema in a text, and where it stands there, as a pointer.
pub(crate) fn read(
    text: &str,
    limits: &Limits,
) -> Result<(Box<Document>, Cow<'static, str>), SchemaError> {
    match asked(text, limits)? {
        Asked::Text => Err(SchemaError::malformed(
            "type",
            "#/type".to_owned(),
            "`text` asks for text, not for JSON: leave the response format out",
        )),
        Asked::Itself(document) => Ok((document, WHOLE)),
        Asked::AnyObject => Ok((Document::read(ANY_OBJECT, limits)?, WHOLE)),
        Asked::Schema(schema, base) => Ok((Document::read(&schema, limits)?, base)),
    }
}

/// What a text asks for.
enum Asked {
    /// Its own values.
    Itself(Box<Document>),
    AnyObject,
    Text,
    /// The values of a schema, which stands at a pointer.
    Schema(String, Cow<'static, str>),
}

fn asked(text: &str, limits: &Limits) -> Result<Asked, SchemaError> {
    let document = Document::read(text, limits)?;
    match is_plain(&document) {
        true => Ok(Asked::Itself(document)),
        false => look_for(document, limits),
    }
}

/// Whether a document is a schema that names the type of its values, written as JSON Schema has it: most are.
fn is_plain(document: &Document) -> bool {
    let kind = document.get(document.root(), "type");
    let kind = kind.and_then(|kind| document.string(kind));
    kind.is_some_and(|kind| TYPES.contains(&&*kind))
        && !foreign::is_other(document, document.root())
}

/// What a document asks for that may have something around its schema, or have it in another spelling.
fn look_for(mut document: Box<Document>, limits: &Limits) -> Result<Asked, SchemaError> {
    let mut base = WHOLE;
    let mut texts = 0;
    loop {
        let value = match search(&document).map_err(|error| error.under(&base))? {
            Within::Text => return Ok(Asked::Text),
            Within::AnyObject => return Ok(Asked::AnyObject),
            Within::Itself => document.root(),
            Within::Value(value) => value,
        };
        if value != document.root() {
            let pointer = pointer::of(&document, value);
            base = Cow::Owned(format!("{base}{}", &pointer[1..]));
        }
        let Some(inner) = json_text(&document, value).filter(|_| texts < TEXTS) else {
            return schema_at(document, value, base);
        };
        document = Document::read(&inner, limits).map_err(|error| {
            let reason = format!("is a text that should be a JSON Schema, and {error}");
            SchemaError::malformed("schema", base.clone().into_owned(), reason)
        })?;
        texts += 1;
    }
}

/// The schema at a value, also where it is written as Gemini or Python write it.
fn schema_at(
    document: Box<Document>,
    value: ValueId,
    pointer: Cow<'static, str>,
) -> Result<Asked, SchemaError> {
    if foreign::is_other(&document, value) {
        let read = foreign::to_json_schema(&document, value, Foreign::Schema);
        let schema = read.map_err(|(at, expected)| {
            let within = pointer::of(&document, at);
            SchemaError::malformed("type", within, format!("must be {expected}"))
        })?;
        return Ok(Asked::Schema(schema, pointer));
    }
    Ok(match pointer == WHOLE {
        true => Asked::Itself(document),
        false => Asked::Schema(document.raw(value).to_owned(), pointer),
    })
}

/// The text of a string that looks like a JSON object.
fn json_text(document: &Document, value: ValueId) -> Option<String> {
    let text = document.string(value)?;
    text.trim_start()
        .starts_with('{')
        .then(|| text.into_owned())
}

/// Where the schema is in a text.
#[derive(Clone, Copy)]
enum Within {
    Itself,
    AnyObject,
    Value(ValueId),
    /// There is none: text is asked for.
    Text,
}

fn search(document: &Document) -> Result<Within, SchemaError> {
    match wrapper(document, document.root())? {
        Some(within) => Ok(within),
        None if is_schema(document, document.root()) => Ok(Within::Itself),
        None => of_request(document),
    }
}

/// What an object asks for that is a wrapper, or that says which type its values have.
fn wrapper(document: &Document, root: ValueId) -> Result<Option<Within>, SchemaError> {
    let get = |name: &str| document.get(root, name);
    let kind = get("type").and_then(|kind| document.string(kind));
    if kind.as_deref().is_some_and(|kind| TYPES.contains(&kind)) {
        return Ok(Some(Within::Itself));
    }
    let kind = kind.map(
        |kind| match kind.bytes().any(|byte| byte.is_ascii_uppercase()) {
            // Gemini's types are no wrappers.
            true if kind != "JSON_SCHEMA" => kind.into_owned(),
            _ => kind.to_ascii_lowercase().replace('-', "_"),
        },
    );
    Ok(match kind.as_deref() {
        Some("json_schema" | "jsonschema") => Some(Within::Value(wrapped(document, root)?)),
        Some("json_object" | "json") => {
            let mut keys = SCHEMA.into_iter().chain(OF_SCHEMAS);
            let schema = keys.find_map(|key| get(key).filter(|&it| is_said(document, it)));
            Some(schema.map_or(Within::AnyObject, |it| {
                Within::Value(unwrapped(document, it))
            }))
        }
        Some("text") if document.members(root).count() == 1 => Some(Within::Text),
        Some("function") => function(document, root).map(Within::Value),
        Some(_) => Some(Within::Itself),
        None => inner(document, root).map(Within::Value),
    })
}

/// Whether a value is more than `null`.
fn is_said(document: &Document, value: ValueId) -> bool {
    document.kind(value) != Kind::Null
}

/// The schema at `value`, or in the wrapper that stands there.
fn unwrapped(document: &Document, value: ValueId) -> ValueId {
    match wrapper(document, value) {
        Ok(Some(Within::Value(inner))) => inner,
        _ => value,
    }
}

/// A part of a request that is looked through.
struct Part {
    value: ValueId,
    /// Whether it stands under keys that are known.
    is_known: bool,
}

/// What a request asks for, or a part of one, which says nothing that a schema says.
fn of_request(document: &Document) -> Result<Within, SchemaError> {
    let mut parts = vec![Part {
        value: document.root(),
        is_known: true,
    }];
    let mut found = None;
    let mut next = 0;
    while next < parts.len().min(OBJECTS) {
        let Part { value, is_known } = parts[next];
        next += 1;
        for (name, value) in document.members(value) {
            let key = document.string(name).unwrap_or_default();
            if !is_said(document, value) {
                continue;
            }
            refuse_others(document, &key, value, is_known && next > 1)?;
            if let Some(within) = of_member(document, &key, value, is_known)? {
                found = better(document, found, within)?;
            } else if document.kind(value) == Kind::Object && !is_schema(document, value) {
                let is_known = is_known && OF_REQUESTS.contains(&&*key);
                parts.push(Part { value, is_known });
            }
        }
    }
    match found {
        Some(within) => Ok(within),
        None => nothing(document),
    }
}

/// What a member of a request asks for.
fn of_member(
    document: &Document,
    key: &str,
    value: ValueId,
    is_known: bool,
) -> Result<Option<Within>, SchemaError> {
    let is_object = document.kind(value) == Kind::Object;
    let may_be_schema = is_object || json_text(document, value).is_some();
    let is_word = ["json", "guide"].contains(&key);
    if OF_SCHEMAS.contains(&key) && may_be_schema && (is_known || !is_word) {
        return Ok(Some(Within::Value(unwrapped(document, value))));
    }
    if !OF_REQUESTS.contains(&key) {
        return Ok(None);
    }
    if !is_object {
        let is_json = key == "format" && document.string(value).as_deref() == Some("json");
        let schema = may_be_schema.then_some(Within::Value(value));
        return Ok(is_json.then_some(Within::AnyObject).or(schema));
    }
    let is_itself = is_known && is_schema(document, value);
    Ok(match wrapper(document, value)? {
        Some(Within::Itself) | None => is_itself.then_some(Within::Value(value)),
        found => found,
    })
}

/// The one of two that asks for more.
fn better(
    document: &Document,
    before: Option<Within>,
    within: Within,
) -> Result<Option<Within>, SchemaError> {
    let worth = |within| match within {
        Within::Value(_) => 2,
        Within::AnyObject => 1,
        Within::Text | Within::Itself => 0,
    };
    match (before, within) {
        (Some(Within::Value(a)), Within::Value(b)) if document.raw(a) != document.raw(b) => {
            Err(SchemaError::malformed(
                "schema",
                pointer::of(document, b),
                format!(
                    "is the second of two; the first is at `{}`",
                    pointer::of(document, a)
                ),
            ))
        }
        (Some(before), _) if worth(before) >= worth(within) => Ok(Some(before)),
        _ => Ok(Some(within)),
    }
}

/// Refuses what asks for something else than JSON.
fn refuse_others(
    document: &Document,
    key: &str,
    value: ValueId,
    is_within: bool,
) -> Result<(), SchemaError> {
    let is_tag = key == "structural_tag";
    let is_other = OF_OTHERS.contains(&key) && (is_tag || document.kind(value) != Kind::Object);
    let is_clear = is_within || key.contains('_');
    if !is_other || !is_clear {
        return Ok(());
    }
    Err(SchemaError::malformed(
        key,
        pointer::of(document, value),
        "asks for something else than values of a JSON Schema: give it as a pattern, a list of choices, a grammar or a structural tag",
    ))
}

/// A text without a schema: it is one itself, unless it is clear that it should be something else.
fn nothing(document: &Document) -> Result<Within, SchemaError> {
    let root = document.root();
    let mut unread = None;
    for (name, value) in document.members(root) {
        let key = document.string(name).unwrap_or_default();
        let kind = document.kind(value);
        let reason = if kind == Kind::Object && OF_REQUESTS.contains(&&*key) {
            "has no schema under a key that is known"
        } else if OF_NO_SCHEMA.contains(&&*key) && kind != Kind::Null {
            "is no keyword of JSON Schema, but part of a request or of a document that has schemas: give the schema alone"
        } else if is_like_wrapper(document, root, &key) && looks_like_schema(document, value) {
            "is no keyword of JSON Schema, and nothing beside it is: what stands under it is not read"
        } else {
            continue;
        };
        unread = unread.or_else(|| Some((key.into_owned(), value, reason)));
    }
    match unread {
        None => Ok(Within::Itself),
        Some((key, value, reason)) => Err(SchemaError::malformed(
            key,
            pointer::of(document, value),
            reason,
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
fn is_schema(document: &Document, object: ValueId) -> bool {
    document.members(object).any(|(key, value)| {
        let key = document.string(key).unwrap_or_default();
        let says = Keyword::find(&key).is_some() || ["definitions", "defs"].contains(&&*key);
        key.starts_with('$') || (says && (key != "format" || !is_ollama(document, object, value)))
    })
}

/// Whether `format` is Ollama's key of a schema.
fn is_ollama(document: &Document, object: ValueId, format: ValueId) -> bool {
    let mut beside = OF_NO_SCHEMA.into_iter();
    document.kind(format) == Kind::Object
        || json_text(document, format).is_some()
        || beside.any(|key| document.get(object, key).is_some())
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
    let get = |value: ValueId, name: &str| {
        let found = document.get(value, name);
        found.filter(|&it| is_said(document, it))
    };
    // Bedrock has one key more around it.
    let outer = get(root, "structure").unwrap_or(root);
    let within = ["json_schema", "jsonSchema"]
        .iter()
        .find_map(|key| get(outer, key));
    let place = within.unwrap_or(root);
    let found = SCHEMA.into_iter().find_map(|key| get(place, key));
    // Some put the schema itself where its wrapper stands, or a text.
    let itself = || {
        within.filter(|&it| looks_like_schema(document, it) || json_text(document, it).is_some())
    };
    let found = found.map(|it| unwrapped(document, it));
    found.or_else(itself).ok_or_else(|| {
        SchemaError::malformed(
            "json_schema",
            pointer::of(document, place),
            "must have the schema under `schema`",
        )
    })
}

/// The schema in `{"name", "strict", "schema"}`, or the parameters of a function, which say nothing that a schema says.
fn inner(document: &Document, root: ValueId) -> Option<ValueId> {
    let named = || {
        document
            .get(root, "name")
            .and_then(|_| function(document, root))
    };
    let schema = document.get(root, "schema").or_else(named)?;
    let is_schema = matches!(
        document.kind(schema),
        Kind::Object | Kind::True | Kind::False
    ) || json_text(document, schema).is_some();
    let all_known = document.members(root).all(|(key, _)| {
        let key = document.string(key);
        key.is_some_and(|key| BESIDE.contains(&&*key) || key == "parameters")
    });
    (is_schema && all_known).then_some(schema)
}

/// The parameters of a function as OpenAI's requests have it.
fn function(document: &Document, root: ValueId) -> Option<ValueId> {
    let function = document.get(root, "function").unwrap_or(root);
    let parameters = document.get(function, "parameters")?;
    (document.kind(parameters) == Kind::Object).then_some(parameters)
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
