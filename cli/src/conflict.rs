//! What is at odds in a schema that no value satisfies.

use maskwright::front::json_schema::{SchemaConfig, SchemaError, compile};

use super::json::Json;

/// More keywords than these are not tried.
const MOST: usize = 24;

/// Says without which keywords the schema would have values; `None` where none of them alone is to blame, and for a part of a
/// schema that cannot be looked at alone.
pub(crate) fn conflict(schema: &str, config: &SchemaConfig) -> Option<String> {
    let is_empty = |text: &str| {
        matches!(
            compile(text, config),
            Err(SchemaError::Unsatisfiable { .. })
        )
    };
    let Ok(Json::Object(members)) = Json::parse(schema) else {
        return None;
    };
    if !is_empty(schema) {
        return None;
    }
    let has_values_without = |key: &&str| {
        let others = members.iter().filter(|(other, _)| other != key);
        let rest = Json::Object(others.cloned().collect()).compact();
        compile(&rest, config).is_ok()
    };
    let keys = members.iter().map(|(key, _)| key.as_str()).take(MOST);
    let blamed: Vec<String> = keys
        .filter(has_values_without)
        .map(|key| format!("`{key}`"))
        .collect();
    match &blamed[..] {
        [] => None,
        [one] => Some(format!("without {one} it would have values")),
        several => Some(format!(
            "these are at odds: {}; without any one of them it would have values",
            several.join(", ")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_what_is_at_odds() {
        let together = |keys| {
            let told =
                format!("these are at odds: {keys}; without any one of them it would have values");
            Some(told)
        };
        for (schema, expect) in [
            (
                r#"{"type": "string", "enum": [1], "maxLength": 3}"#,
                together("`type`, `enum`"),
            ),
            (
                r#"{"type": "integer", "minimum": 3, "maximum": 2, "title": "t"}"#,
                together("`type`, `minimum`, `maximum`"),
            ),
            (
                r#"{"not": {}, "title": "t"}"#,
                Some("without `not` it would have values".to_owned()),
            ),
            (r#"{"not": {}, "enum": []}"#, None),
            ("false", None),
            ("{", None),
        ] {
            assert_eq!(
                conflict(schema, &SchemaConfig::default()),
                expect,
                "{schema}"
            );
        }
    }
}
