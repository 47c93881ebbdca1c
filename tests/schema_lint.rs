//! The linter on `tests/data/schema_lint.toml`.

#![allow(clippy::unwrap_used)]

use serde::Deserialize;

use maskwright::front::json_schema::SchemaConfig;
use maskwright::front::schema_lint::lint;

#[derive(Deserialize)]
struct Suite {
    case: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    schema: String,
    #[serde(default)]
    warnings: Vec<[String; 2]>,
}

#[test]
fn suite() {
    let suite = include_str!("data/schema_lint.toml");
    let suite: Suite = toml::from_str(suite).unwrap();
    for case in suite.case {
        let warnings = lint(&case.schema, &SchemaConfig::default()).unwrap();
        for warning in &warnings {
            let texts = [&warning.message, &warning.hint];
            let one_line = |text: &&String| !text.is_empty() && !text.contains('\n');
            assert!(texts.iter().all(one_line), "{}: {warning:?}", case.name);
        }
        let found: Vec<[String; 2]> = warnings
            .into_iter()
            .map(|warning| [warning.lint.to_string(), warning.pointer])
            .collect();
        assert_eq!(found, case.warnings, "{}", case.name);
    }
}

/// Whatever a schema is like, there is an answer.
#[test]
fn what_is_no_schema_is_no_trouble() {
    let config = SchemaConfig::default();
    for text in [
        "5",
        "[]",
        "{\"properties\":3,\"required\":\"a\",\"enum\":{},\"allOf\":1,\"type\":7,\"pattern\":[]}",
        "{\"$ref\":\"#\"}",
        "{\"allOf\":[{\"$ref\":\"#\"}],\"required\":[\"a\"],\"additionalProperties\":false}",
        "{\"$ref\":\"#/allOf/0\",\"allOf\":[{\"$ref\":\"#/not\"}],\"not\":{\"$ref\":\"#\"}}",
        "{\"$schema\":\"nowhere\",\"$ref\":5,\"format\":null}",
    ] {
        assert!(lint(text, &config).is_ok(), "{text}");
    }
    assert!(lint("{", &config).is_err());
    assert!(lint(&"[".repeat(100_000), &config).is_err());
}
