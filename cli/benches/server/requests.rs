//! Schemas as a server gets them, no two alike, each with an instance.

/// A schema and an instance of it.
pub(crate) struct Request {
    pub(crate) schema: String,
    pub(crate) instance: String,
}

/// The request with this number: of eight shapes, with names of its own.
pub(crate) fn request(number: usize) -> Request {
    let (schema, instance) = match number % 8 {
        0 => (
            r#"{"type":"object","properties":{"name_N":{"type":"string"},"age_N":{"type":"integer","minimum":0}},"required":["name_N"]}"#,
            r#"{"name_N": "Ada Lovelace", "age_N": 36}"#,
        ),
        1 => (
            r#"{"type":"object","properties":{"unit_N":{"enum":["celsius","fahrenheit"]},"value_N":{"type":"number"}},"required":["unit_N","value_N"],"additionalProperties":false}"#,
            r#"{"unit_N": "celsius", "value_N": -3.25}"#,
        ),
        2 => (
            r#"{"type":"array","items":{"type":"object","properties":{"id_N":{"type":"integer"},"tag_N":{"type":"string","maxLength":12}},"required":["id_N"]},"maxItems":4}"#,
            r#"[{"id_N": 17, "tag_N": "blue"}, {"id_N": 4}]"#,
        ),
        3 => (
            r#"{"type":"object","properties":{"date_N":{"type":"string","format":"date"},"mail_N":{"type":"string","format":"email"}}}"#,
            r#"{"date_N": "2024-02-29", "mail_N": "a.b@example.org"}"#,
        ),
        4 => (
            r#"{"anyOf":[{"type":"object","properties":{"kind_N":{"const":"a"},"x_N":{"type":"boolean"}},"required":["kind_N"]},{"type":"null"}]}"#,
            r#"{"kind_N": "a", "x_N": true}"#,
        ),
        5 => (
            r#"{"type":"object","properties":{"code_N":{"type":"string","pattern":"^[A-Z]{2}-[0-9]{1,4}$"}},"required":["code_N"]}"#,
            r#"{"code_N": "AB-123"}"#,
        ),
        6 => (
            r#"{"type":"object","additionalProperties":{"type":"integer"}}"#,
            r#"{"width_N": 1, "height_N": 2}"#,
        ),
        _ => (
            r#"{"type":"object","properties":{"list_N":{"type":"array","items":{"type":"string"},"minItems":1}},"required":["list_N"]}"#,
            r#"{"list_N": ["one", "two", "three"]}"#,
        ),
    };
    let named = |text: &str| text.replace("_N", &format!("_{number}"));
    Request {
        schema: named(schema),
        instance: named(instance),
    }
}

/// Schemas whose first masks see patterns and formats that nobody has seen before.
pub(crate) const PATTERNS: [&str; 8] = [
    r#"{"type":"string","pattern":"^[0-9a-fA-F]+$","minLength":12,"maxLength":12}"#,
    r#"{"oneOf":[{"type":"string","pattern":"a+b"},{"type":"string","pattern":"c.*d"},{"type":"string","pattern":"e[0-9]f"},{"type":"string","pattern":"gh?i"},{"type":"string","pattern":"j|kl"}]}"#,
    r#"{"type":"string","format":"email"}"#,
    r#"{"type":"string","format":"hostname"}"#,
    r#"{"type":"string","format":"regex"}"#,
    r#"{"type":"string","format":"date-time"}"#,
    r#"{"type":"string","pattern":"^(?:[a-z0-9]+[-_.])*[a-z0-9]+@[a-z]+[.](?:com|org|net)$"}"#,
    r#"{"type":"string","pattern":"^[A-Z][a-z]+(?: [A-Z][a-z]+){0,3}$"}"#,
];

/// Texts of which each of [`PATTERNS`] takes a beginning.
pub(crate) const BEGINNINGS: [&str; 8] = [
    "\"00ff00ff00ff\"",
    "\"aab\"",
    "\"john.doe@example.org\"",
    "\"www.example.org\"",
    "\"[a-z]+(x|y)\"",
    "\"2024-02-29T12:00:00Z\"",
    "\"a-b_c.d@mail.org\"",
    "\"Ada King Lovelace\"",
];
