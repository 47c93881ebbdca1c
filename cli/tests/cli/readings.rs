//! `check --grammar`, `convert --from` and `fuzz-format` of formats that have a file only.

use maskwright::base::Limits;
use maskwright::front::chat::Format;
use serde_json::{Value, json};

use super::{FORMATS, exits, lines, maskwright, path, refusal, text, tiny};

const TOOLS: &str = r#"[{"name": "find", "parameters": {"type": "object",
    "properties": {"text": {"type": "string"}, "count": {"type": "integer"}}, "required": ["text"]}}]"#;

fn call(text: &str, count: &str) -> String {
    let parameter =
        |name: &str, value: &str| format!("<parameter={name}>\n{value}\n</parameter>\n");
    format!(
        "\n<think>\nHm.\n</think>\n\n<tool_call>\n<function=find>\n{}{}</function>\n</tool_call><|im_end|>",
        parameter("text", text),
        parameter("count", count)
    )
}

#[test]
fn check_shows_what_a_turn_says() {
    let tools = path("find.json", TOOLS);
    let check = ["check", "--grammar", "qwen3-coder", "--tools", &tools];
    let said = exits(0, &check, &call("12", "12"));
    let expected =
        "valid: 1 calls\nreasoning: \"Hm.\\n\"\ncall find: {\"text\": \"12\", \"count\": 12}\n";
    assert_eq!(said, expected);
    for (text, answer) in [
        (call("a", "\"b\""), "invalid: <stdin>:"),
        (
            call("a", "1").replace("find", "found"),
            "invalid: <stdin>:7:",
        ),
        (
            "\n<tool_call>\n<function=find>".to_owned(),
            "unfinished: <stdin>:3:16 (byte 28)",
        ),
    ] {
        let said = exits(1, &check, &text);
        assert!(said.starts_with(answer), "{text}: {said}");
    }
    let behind = exits(0, &[&check[..], &["--lead", "\n"]].concat(), "Yes.");
    assert_eq!(behind, "valid: 0 calls\ncontent: \"Yes.\"\n");
    let refused = refusal(&[&check[..], &["--lead", "x"]].concat(), "Yes.");
    assert!(refused.contains("--lead: no turn"), "{refused}");
    let none = refusal(&["check", "--grammar", "no-such.abnf"], "");
    assert!(none.contains("no-such.abnf"), "{none}");
}

#[test]
fn check_names_a_lead_that_makes_a_text_a_turn() {
    let hint = |text: &str| {
        let said = exits(1, &["check", "--grammar", "qwen3"], text);
        said.split_once("hint: ").map(|(_, hint)| hint.to_owned())
    };
    for (text, lead, end) in [
        ("Yes.<|im_end|>", "\\n", ""),
        ("Hm.\n</think>\n\nYes.<|im_end|>", "\\n<think>\\n", ""),
        (
            "Yes.<|im_end|>\n",
            "\\n",
            ", and without the line break at its end,",
        ),
    ] {
        let hint = hint(text).expect(text);
        let expected = format!(" behind $'{lead}'{end} it is valid\n");
        assert!(
            hint.contains("--lead") && hint.ends_with(&expected),
            "{text}: {hint}"
        );
    }
    for text in [
        "Hm.</think></think>",
        "\nYes.<|im_end|>more",
        "\n<tool_call>\n{",
    ] {
        assert_eq!(hint(text), None, "{text}");
    }
    // A lead that is given is the one that is meant.
    let lead = ["check", "--grammar", "qwen3", "--lead", "\n<think>\n"];
    let said = exits(1, &lead, "Yes.<|im_end|>");
    assert!(!said.contains("--lead"), "{said}");
}

#[test]
fn check_answers_rows_by_a_file() {
    let own = path(
        "own.abnf",
        "assistant-turn = \"<|call|>\" <tool.short-name> \" \" <tool.arguments> / <content>",
    );
    let rows = [
        json!({"text": "<|call|>find {\"text\": \"a\"}", "tools": serde_json::from_str::<Value>(TOOLS).expect("JSON")}),
        json!({"text": "<|call|>find {\"text\": 1}", "tools": serde_json::from_str::<Value>(TOOLS).expect("JSON")}),
        json!({"text": "", "start": "nowhere"}),
    ];
    let rows = rows.map(|row| row.to_string()).join("\n");
    let answers = lines(&exits(2, &["check", "--grammar", &own, "--jsonl"], &rows));
    let function = &answers[0]["message"]["tool_calls"][0]["function"];
    assert_eq!(
        function,
        &json!({"name": "find", "arguments": "{\"text\": \"a\"}"})
    );
    assert_eq!(answers[1]["complete"], false, "{}", answers[1]);
    assert!(
        answers[2]["error"]
            .as_str()
            .is_some_and(|e| e.contains("nowhere")),
        "{}",
        answers[2]
    );
}

#[test]
fn a_turn_is_converted() {
    let tools = path("find.json", TOOLS);
    // Reasoning is private, and left out with a warning.
    let turn = call("12", "12").replace("<think>\nHm.\n</think>\n\n", "");
    let from = [
        "convert",
        "--from",
        "qwen3-coder",
        "--tools",
        &tools,
        "--to",
    ];
    let chat: Value =
        serde_json::from_str(&exits(0, &[&from[..], &["openai"]].concat(), &turn)).expect("JSON");
    let function = &chat[0]["tool_calls"][0]["function"];
    assert_eq!(
        function,
        &json!({"name": "find", "arguments": "{\"text\": \"12\", \"count\": 12}"})
    );
    let refused = refusal(&["convert", "--from", "openai", "--to", "qwen3"], "[]");
    assert!(refused.contains("read only"), "{refused}");
}

/// Turns of every format that comes along are read back, and their arguments are valid.
fn families_are_read_back(count: &str) {
    let vocab = tiny();
    for format in Format::BUILT_IN
        .into_iter()
        .filter(|name| !FORMATS.contains(name))
    {
        let built_in = Format::built_in(format, &Limits::default());
        assert!(built_in.is_ok_and(|format| format.is_some()), "{format}");
        let fuzz = ["fuzz-format", "--format", format, "--vocab", &vocab];
        let summary = exits(
            0,
            &[&fuzz[..], &["--count", count, "--max-tokens", "1000"]].concat(),
            "",
        );
        assert!(summary.contains(": 0 differences"), "{summary}");
    }
}

#[test]
fn turns_of_families_are_read_back() {
    families_are_read_back("24");
}

#[test]
#[ignore = "2,000 turns of each family take long; docs/testing.md has the command, and the result"]
fn many_turns_of_families_are_read_back() {
    families_are_read_back("2000");
}

/// A file of one's own whose turns may be read in two ways is warned of, with the rules of both; others are not.
#[test]
fn a_format_of_two_readings_is_warned_of() {
    let check = |name: &str, source: &str| {
        let file = path(name, source);
        let arguments = ["check", "--grammar", &file];
        let output = maskwright(&arguments, "Hi.<|end|>");
        (output.status.code(), text(&output.stderr))
    };
    let two = "assistant-turn = ( thought / <content> ) \"<|end|>\"\nthought = <reasoning>\n";
    let (code, warned) = check("two-readings.abnf", two);
    assert_eq!(code, Some(1), "{warned}");
    assert!(warned.contains("warning"), "{warned}");
    assert!(warned.contains("thought"), "{warned}");
    let (code, warned) = check("reading.abnf", "assistant-turn = <content> \"<|end|>\"\n");
    assert_eq!((code, warned.as_str()), (Some(0), ""));
}
