//! Which keys of a tools file mean what.

use strsim::osa_distance;

/// The keys under which the schema of a tool's arguments may stand.
pub(super) const ARGUMENTS: [&str; 15] = [
    "parameters",
    "inputSchema",
    "input_schema",
    "parametersJsonSchema",
    "parameters_json_schema",
    "params_json_schema",
    "paramsJsonSchema",
    "args_schema",
    "argsSchema",
    "schema",
    "parameter_definitions",
    "parameterDefinitions",
    "parametersSchema",
    "fn_schema",
    "fnSchema",
];

/// Those of them that hold Cohere's definitions, a Python type each.
pub(super) const DEFINITIONS: [&str; 2] = ["parameter_definitions", "parameterDefinitions"];

/// The key that smolagents' definitions stand under.
pub(super) const INPUTS: &str = "inputs";

/// Keys around a schema: Bedrock's, Vercel's.
pub(super) const SCHEMA_WRAPPERS: [&str; 3] = ["json", "jsonSchema", "json_schema"];

/// Keys under which a tool stands within its entry.
pub(super) const TOOL_WRAPPERS: [&str; 4] = ["function", "toolSpec", "tool_spec", "custom"];

/// Keys that Gemini's lists of functions stand under.
pub(super) const DECLARATIONS: [&str; 2] = ["functionDeclarations", "function_declarations"];

/// Keys that the reader itself looks at.
const READ: [&str; 4] = ["name", "description", "type", "strict"];

/// Keys that say nothing about arguments, and are ignored.
const IGNORED: [&str; 42] = [
    "$schema",
    "_meta",
    "allowed_callers",
    "annotations",
    "async",
    "behavior",
    "cache_control",
    "cachePoint",
    "callbacks",
    "coroutine",
    "defer_loading",
    "display_name",
    "displayName",
    "eager_input_streaming",
    "examples",
    "execution",
    "func",
    "handle_tool_error",
    "handle_validation_error",
    "icons",
    "id",
    "input_examples",
    "inputExamples",
    "is_async",
    "lc",
    "metadata",
    "output_schema",
    "output_type",
    "outputSchema",
    "providerOptions",
    "response",
    "response_format",
    "response_json_schema",
    "responseJsonSchema",
    "return_direct",
    "returnDirect",
    "returns",
    "tags",
    "title",
    "toModelOutput",
    "verbose",
    "version",
];

/// Words for arguments that no provider uses as a key, with what was probably meant.
const WORDS: [(&str, &str); 9] = [
    ("arguments", "parameters"),
    ("args", "parameters"),
    ("argumentsschema", "parameters"),
    ("input", "input_schema"),
    ("inputs", "input_schema"),
    ("params", "parameters"),
    ("parametersschema", "parameters"),
    ("properties", "parameters"),
    ("toolschema", "input_schema"),
];

/// Keywords of JSON Schema, of all drafts, that can make something of a schema.
const KEYWORDS: [&str; 63] = [
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$recursiveAnchor",
    "$recursiveRef",
    "$ref",
    "$schema",
    "$vocabulary",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "definitions",
    "defs",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "deprecated",
    "description",
    "else",
    "enum",
    "example",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "id",
    "if",
    "items",
    "maxContains",
    "maximum",
    "maxItems",
    "maxLength",
    "maxProperties",
    "minContains",
    "minimum",
    "minItems",
    "minLength",
    "minProperties",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "ref",
    "required",
    "then",
    "title",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// What a key of a tool's entry is to the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyKind {
    /// It is read, or says nothing about arguments.
    Known,
    /// It is probably a misspelling of this known key.
    Misspelt(&'static str),
    /// Nothing is known of it.
    Unknown,
}

/// The keys that are known.
const KNOWN: [&[&str]; 5] = [&READ, &ARGUMENTS, &TOOL_WRAPPERS, &DECLARATIONS, &IGNORED];

/// What `key` is.
pub(super) fn kind(key: &str) -> KeyKind {
    let is_extension = key.starts_with("x-") || key.starts_with("x_") || key.starts_with('_');
    if is_extension || KNOWN.iter().any(|keys| keys.contains(&key)) {
        return KeyKind::Known;
    }
    if let Some(meant) = word(key) {
        return KeyKind::Misspelt(meant);
    }
    let plain = plain(key);
    let nearest = KNOWN
        .into_iter()
        .flatten()
        .map(|&known| (osa_distance(&plain, &self::plain(known)), known))
        .min_by_key(|(distance, _)| *distance);
    match nearest {
        Some((distance, known)) if distance <= allowed(known) => KeyKind::Misspelt(known),
        _ => KeyKind::Unknown,
    }
}

/// What was probably meant by a word for arguments.
fn word(key: &str) -> Option<&'static str> {
    let plain = plain(key);
    let mut words = WORDS.iter().filter(|(word, _)| *word == plain);
    words.next().map(|&(_, meant)| meant)
}

/// Whether `key` is a word for arguments that is read nowhere, and no slip.
pub(super) fn is_word(key: &str) -> bool {
    word(key).is_some()
}

/// How many slips make a misspelling of a key and no other word.
fn allowed(known: &str) -> usize {
    match known.len() {
        0..=3 => 0,
        4..=6 => 1,
        7..=9 => 2,
        _ => 3,
    }
}

/// The key in small letters, without what joins its words.
fn plain(key: &str) -> String {
    let letters = key.chars().filter(|c| !matches!(c, '_' | '-' | ' '));
    letters.flat_map(char::to_lowercase).collect()
}

/// Whether `key` is one under which arguments stand.
pub(super) fn is_arguments(key: &str) -> bool {
    ARGUMENTS.contains(&key)
}

/// Whether `key` is a keyword of JSON Schema.
pub(super) fn is_keyword(key: &str) -> bool {
    KEYWORDS.contains(&key) || key.starts_with("x-")
}

/// The keyword of JSON Schema that `key` may be a misspelling of.
pub(super) fn keyword_like(key: &str) -> Option<&'static str> {
    let plain = plain(key);
    let length = plain.chars().count();
    let near = |known: &&&str| {
        // PERF: as many slips at least, and most keys are no misspellings (tools of 10,000 parameters: SECURITY.md).
        length.abs_diff(known.len()) <= allowed(known)
            && osa_distance(&plain, &self::plain(known)) <= allowed(known)
    };
    KEYWORDS.iter().find(near).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_from_their_misspellings() {
        for (key, expected) in [
            ("parameters", KeyKind::Known),
            ("x-internal", KeyKind::Known),
            ("paramaters", KeyKind::Misspelt("parameters")),
            ("Parameters", KeyKind::Misspelt("parameters")),
            ("input-schema", KeyKind::Misspelt("inputSchema")),
            ("inputSchem", KeyKind::Misspelt("inputSchema")),
            ("outputSchemas", KeyKind::Misspelt("output_schema")),
            ("args", KeyKind::Misspelt("parameters")),
            ("stirct", KeyKind::Misspelt("strict")),
            ("favourite_colour", KeyKind::Unknown),
        ] {
            assert_eq!(kind(key), expected, "{key}");
        }
        assert_eq!(keyword_like("propertys"), Some("properties"));
    }
}
