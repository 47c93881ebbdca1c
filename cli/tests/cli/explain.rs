//! `explain`: what may come next, and why.

use super::{CALL, TOOLS, exits, maskwright, path, text, tiny};

const SCHEMA: &str = r#"{"type": "object", "properties": {"näme": {"type": "string", "maxLength": 3, "title": "x"},
 "other": {"type": "string", "maxLength": 30, "title": "x"}}, "additionalProperties": false}"#;

/// The reasons after `so_far` in texts of the schema.
fn explained(so_far: &str, more: &[&str]) -> String {
    let schema = path("explain.schema.json", SCHEMA);
    let vocab = tiny();
    let arguments = [
        "explain", "--vocab", &vocab, "--schema", &schema, "--text", so_far,
    ];
    exits(0, &[&arguments[..], more].concat(), "")
}

#[test]
fn reasons_have_rule_pointer_and_keywords() {
    let inside = explained(r#"{"näme": "a"#, &[]);
    assert!(
        inside.starts_with("text so far: {\"näme\": \"a\nmay come: "),
        "{inside}"
    );
    assert!(inside.contains("\nstring in object\n"), "{inside}");
    let place = "\n  #/properties/n%C3%A4me  type: \"string\"  maxLength: 3\n";
    assert!(inside.contains(place), "{inside}");
    assert!(!inside.contains("title"), "{inside}");
    assert!(inside.contains(" tokens by cut: "), "{inside}");
    assert!(!inside.contains("the end"), "{inside}");

    let other = explained(r#"{"näme": "a", "other": ""#, &[]);
    assert!(other.contains("\n  #/properties/other  type"), "{other}");

    let whole = explained(r#"{"näme": "a"}"#, &[]);
    assert!(whole.contains("the end: the text may end here"), "{whole}");
}

#[test]
fn arguments_are_a_tools() {
    let (tools, vocab) = (path("explain.tools.json", TOOLS), tiny());
    let so_far = CALL.strip_suffix("1}<|call|>").expect("a call");
    let arguments = ["explain", "--vocab", &vocab, "--tools", &tools, "-"];
    let told = exits(0, &arguments, so_far);
    assert!(
        told.contains("number of functions.add in object in "),
        "{told}"
    );
    assert!(
        told.contains("\n  #/properties/a  type: \"integer\"\n"),
        "{told}"
    );
    let header = exits(0, &arguments, "<|channel|>");
    assert!(header.contains("assistant-turn"), "{header}");
}

#[test]
fn what_is_refused_is_explained_up_to_there() {
    let schema = path("explain.schema.json", SCHEMA);
    let vocab = tiny();
    let output = maskwright(
        &[
            "explain", "--vocab", &vocab, "--schema", &schema, "--text", "{]",
        ],
        "",
    );
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stdout);
    assert!(told.contains("text so far: {\n"), "{told}");
    assert!(told.contains("refused: \"]\" may not come here"), "{told}");
}

#[test]
fn pages_have_all_steps_and_need_nothing_else() {
    let page = path("explain.html", "");
    let so_far = r#"{"other": "</script>"#;
    let told = explained(so_far, &["--html", &page]);
    let page = std::fs::read_to_string(page).expect("the page was written");
    for elsewhere in ["http:", "https:", "src=", "<link", "@import", "{{"] {
        assert!(!page.contains(elsewhere), "{elsewhere}");
    }
    let data = page.split("id=\"data\">").nth(1).expect("data");
    let data = data.split("</script>").next().expect("the end of it");
    let data: serde_json::Value = serde_json::from_str(data).expect("JSON");
    let steps = data["steps"].as_array().expect("steps");
    assert!(told.contains(&format!(": {} steps", steps.len())), "{told}");
    let tokens = steps.iter().filter_map(|step| step["token"].as_str());
    assert_eq!(tokens.collect::<String>(), so_far);

    let schema: Vec<u16> = SCHEMA.encode_utf16().collect();
    let last = &steps[steps.len() - 1];
    let place = &last["groups"][0]["places"][0];
    assert_eq!(place["pointer"], "#/properties/other");
    let unit = |name: &str| place["span"][name].as_u64().expect("a place") as usize;
    let marked = String::from_utf16(&schema[unit("start")..unit("end")]).expect("text");
    assert_eq!(
        marked,
        r#"{"type": "string", "maxLength": 30, "title": "x"}"#
    );
    for step in &steps[..steps.len() - 1] {
        let groups = step["groups"].as_array().expect("groups");
        assert!(groups.iter().any(|group| group["comes"] == true), "{step}");
    }
}
