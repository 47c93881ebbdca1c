//! `schema` and `fuzz-schema`: what schemas compile to.

use super::{CASE, exits, maskwright, path, refusal, text, tiny};

/// The judge reads references as URIs only, so it gets a copy of the schema that it can read.
#[test]
fn schemas_are_judged_however_references_are_spelt() {
    let schema = r##"{"$ref": "#/$defs/a<b>", "$defs": {"a<b>": {"type": "null"}}}"##;
    let report = exits(0, &["schema", "-", "--json", "--count", "1"], schema);
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["verdict"], "exact");
    assert_eq!(report["samples"][0]["text"], "null");
    assert_eq!(report["samples"][0]["valid"], true);
    assert!(report["not_judged"].is_null(), "{report}");
}

#[test]
fn schema_says_exact_or_refused() {
    let exact = exits(
        0,
        &["schema", "-", "--json"],
        r#"{"type": "object", "properties": {"a": {"type": "integer"}}}"#,
    );
    let exact: serde_json::Value = serde_json::from_str(&exact).expect("JSON");
    assert_eq!(exact["verdict"], "exact");
    assert!(exact["rules"].as_u64().is_some_and(|rules| rules > 0));
    let samples = exact["samples"].as_array().expect("samples");
    assert!(
        samples.len() == 3 && samples.iter().all(|sample| sample["valid"] == true),
        "{exact}"
    );
    let refused = exits(
        1,
        &["schema", "-", "--json"],
        r#"{"items": {"pattern": "(a)\\1"}}"#,
    );
    let refused: serde_json::Value = serde_json::from_str(&refused).expect("JSON");
    assert_eq!(
        (&refused["keyword"], &refused["pointer"]),
        (&"pattern".into(), &"#/items/pattern".into())
    );
    let shown = exits(1, &["schema", "-"], "false");
    assert!(
        shown.starts_with("refused: #: no value satisfies"),
        "{shown}"
    );
}

#[test]
fn schema_tells_all_faults() {
    let schema = r#"{"items": {"pattern": "(a)\\1"}, "properties": {"x": {"minimum": "one"}, "y": {"pattern": "(?<=a(?=b))b"}}}"#;
    let report = exits(1, &["schema", "-", "--json"], schema);
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let faults = report["faults"].as_array().expect("faults");
    let found = |fault: &serde_json::Value| (fault["keyword"].clone(), fault["pointer"].clone());
    assert_eq!(
        faults.iter().map(found).collect::<Vec<_>>(),
        [
            ("pattern".into(), "#/items/pattern".into()),
            ("minimum".into(), "#/properties/x/minimum".into()),
            ("pattern".into(), "#/properties/y/pattern".into()),
        ]
    );
    // The first is that of the whole.
    for field in ["keyword", "pointer", "reason"] {
        assert!(faults[0][field].is_string(), "{report}");
        assert_eq!(report[field], faults[0][field]);
    }
    let shown = exits(1, &["schema", "-"], schema);
    assert_eq!(shown.matches("refused: #/").count(), 3, "{shown}");
    let alone = exits(1, &["schema", "-", "--json"], "false");
    let alone: serde_json::Value = serde_json::from_str(&alone).expect("JSON");
    assert_eq!(alone["faults"].as_array().map(Vec::len), Some(1));

    // So are all of bad input, each with its place.
    let output = maskwright(&["schema", "-"], "{\"minimum\": \"one\",\n \"pattern\": 7}");
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    for place in [
        "error: <stdin>:1:13: #/minimum: ",
        "error: <stdin>:2:13: #/pattern: ",
    ] {
        assert!(error.contains(place), "{error}");
    }
}

#[test]
fn formats_are_asserted_or_ignored_and_unknown_ones_are_listed() {
    let schema = r#"{"type": "object", "properties": {"a": {"type": "string", "maxLength": 9, "format": "colour"}, "b": {"type": "string", "format": "uuid"}}, "required": ["b"], "additionalProperties": false}"#;
    for (meaning, unknown) in [("assert", vec!["colour"]), ("ignore", vec![])] {
        let report = exits(0, &["schema", "-", "--json", "--formats", meaning], schema);
        let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
        assert_eq!(
            report["unknown_formats"],
            serde_json::json!(unknown),
            "{report}"
        );
        let samples = report["samples"].as_array().expect("samples");
        assert!(
            samples.iter().all(|sample| sample["valid"] == true),
            "{report}"
        );
    }
}

#[test]
fn schema_warns_of_what_is_not_meant() {
    let schema = "{\"properties\": {\"a\": {\"format\": \"datetime\"}},\n \"required\": [\"b\"]}";
    let report = exits(0, &["schema", "-", "--json"], schema);
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert!(report["sets"].as_u64().is_some_and(|sets| sets > 0));
    let warnings = report["warnings"].as_array().expect("warnings");
    let found = |warning: &serde_json::Value| (warning["lint"].clone(), warning["pointer"].clone());
    assert_eq!(
        warnings.iter().map(found).collect::<Vec<_>>(),
        [
            ("unknown-format".into(), "#/properties/a/format".into()),
            ("undeclared-required".into(), "#/required/0".into())
        ]
    );
    let shown = exits(0, &["schema", "-"], schema);
    assert!(
        shown.contains("warning: <stdin>:2:15: #/required/0: `b` is required"),
        "{shown}"
    );
    assert!(shown.contains("hint: is `date-time` meant?"), "{shown}");
    // What is refused is warned of too, and a warning helps with what is spelt as in another draft.
    let refused = exits(
        1,
        &["schema", "-", "--json"],
        "{\"not\": {}, \"requried\": []}",
    );
    assert!(refused.contains("misspelt-keyword"), "{refused}");
    let older = exits(0, &["schema", "-"], "{\"items\": [{}]}");
    assert!(older.contains("hint: call it `prefixItems`"), "{older}");
}

#[test]
fn schema_shows_a_few_warnings_of_a_kind() {
    let names: Vec<String> = (0..500).map(|name| format!("\"n{name}\"")).collect();
    let schema = format!(r#"{{"type":"object","required":[{}]}}"#, names.join(","));
    let shown = exits(0, &["schema", "-", "--count", "0"], &schema);
    assert_eq!(shown.matches(" is required and not declared").count(), 10);
    assert!(
        shown.contains("490 more of the kind [undeclared-required]"),
        "{shown}"
    );
    let report = exits(0, &["schema", "-", "--count", "0", "--json"], &schema);
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["warnings"].as_array().map(Vec::len), Some(500));
}

#[test]
fn fuzz_schema_judges_instances() {
    let arguments = ["fuzz-schema", "-", "--count", "5", "--json"];
    let report = exits(0, &arguments, CASE);
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    for (pointer, expect) in [
        ("/schemas", 1),
        ("/sampled", 1),
        ("/instances", 5),
        ("/invalid", 0),
    ] {
        assert_eq!(report.pointer(pointer), Some(&expect.into()), "{pointer}");
    }
}

#[test]
fn fuzz_schema_leads_instances_to_their_ends() {
    // Chance would neither name the members nor end the strings.
    let name = |n| format!("\"a member with a long name, {n}\"");
    let names: Vec<String> = (0..20).map(name).collect();
    let case = format!(
        r#"{{"schema": {{"type": "object", "required": [{}], "additionalProperties": {{"type": "string", "minLength": 50}}}}}}"#,
        names.join(", ")
    );
    let arguments = [
        "fuzz-schema",
        "-",
        "--count",
        "5",
        "--max-tokens",
        "40",
        "--json",
    ];
    let report: serde_json::Value =
        serde_json::from_str(&exits(0, &arguments, &case)).expect("JSON");
    let number = |key| report[key].as_u64().expect("a number");
    assert_eq!((number("instances"), number("invalid")), (5, 0));
    assert!(
        number("distinct") > 1 && number("tokens") > 5 * 20 * 50,
        "{report}"
    );
}

#[test]
fn spellings_are_asked_for() {
    let schema = path(
        "spelling.json",
        r#"{"items": {"type": "string", "pattern": "^[a-c]$"}, "type": "array"}"#,
    );
    let accepts = |options: &[&str], text: &str| {
        let vocab = tiny();
        let fixed = ["accept", "--vocab", &vocab, "--schema", &schema, "-"];
        maskwright(&[&fixed, options].concat(), text).status.code()
    };
    for (options, text, code) in [
        (&["--whitespace", "/ ?/"][..], "[ \"a\" ]", 0),
        (&["--whitespace", "/ ?/"], "[  \"a\"]", 1),
        (&["--whitespace", "compact"], "[ \"a\"]", 1),
        (&["--escapes", "all"], "[\"\\u0061\"]", 0),
        (&["--escapes", "minimal"], "[\"\\u0061\"]", 1),
        (&[], "[\"\\u0061\"]", 1),
    ] {
        assert_eq!(accepts(options, text), Some(code), "{options:?} {text}");
    }
    let error = refusal(
        &["accept", "--schema", &schema, "--whitespace", "/x/", "-"],
        "",
    );
    assert!(error.contains("only space"), "{error}");
}

#[test]
fn work_is_bounded() {
    let schema = r#"{"type": "string", "pattern": "^[a-z]{3,9}$"}"#;
    exits(0, &["schema", "-"], schema);
    let shown = exits(1, &["schema", "-", "--work", "100"], schema);
    assert!(
        shown.contains("steps of a compile") && shown.contains("100 allowed"),
        "{shown}"
    );
}
