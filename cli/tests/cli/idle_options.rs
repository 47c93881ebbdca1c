//! Options that mean nothing where they are given are warned of.

use super::{maskwright, path, refusal, text, tiny};

const CHAT: &str = r#"[{"role": "user", "content": "Hi"}]"#;
const TURN: &str = "<|im_start|>user\nHi<|im_end|>\n";

/// Each option, a conversion in which it means nothing, and one in which it does something.
const OF_CONVERT: [(&[&str], [&str; 2], [&str; 2]); 12] = [
    (&["--pieces"], ["openai", "json"], ["openai", "chatml"]),
    (&["--prompt"], ["openai", "openai"], ["openai", "chatml"]),
    (
        &["--tools", "TOOLS"],
        ["openai", "json"],
        ["openai", "harmony"],
    ),
    (
        &["--tools", "TOOLS"],
        ["openai", "openai"],
        ["qwen3", "openai"],
    ),
    (
        &["--built-in", "python"],
        ["openai", "openai"],
        ["openai", "internlm2"],
    ),
    (
        &["--lead", "\n"],
        ["openai", "harmony"],
        ["qwen3", "openai"],
    ),
    (
        &["--identity", "You are X."],
        ["openai", "chatml"],
        ["openai", "harmony"],
    ),
    (
        &["--cutoff", "2024-06"],
        ["harmony", "harmony"],
        ["openai", "harmony"],
    ),
    (
        &["--date", "2025-06-28"],
        ["openai", "internlm2"],
        ["openai", "harmony"],
    ),
    (
        &["--effort", "high"],
        ["openai", "json"],
        ["openai", "harmony"],
    ),
    (
        &["--keep-analysis"],
        ["openai", "openchatml-2.2"],
        ["openai", "harmony"],
    ),
    (
        &["--bos", "[BOS]"],
        ["openai", "chatml"],
        ["openai", "openchatml-0.1"],
    ),
];

fn input(from: &str, option: &str) -> &'static str {
    match from {
        "openai" => CHAT,
        "harmony" => "<|start|>user<|message|>Hi<|end|>",
        // The lead has the line break.
        _ if option == "--lead" => "Hi<|im_end|>",
        _ => "\nHi<|im_end|>",
    }
}

#[test]
fn options_that_mean_nothing_are_warned_of() {
    let tools = path("idle-tools.json", r#"[{"name": "f"}]"#);
    for (option, idle, used) in OF_CONVERT {
        let option: Vec<&str> = option
            .iter()
            .map(|&word| {
                if word == "TOOLS" {
                    tools.as_str()
                } else {
                    word
                }
            })
            .collect();
        let warned = |[from, to]: [&str; 2]| {
            let mut arguments = vec!["convert", "--from", from, "--to", to];
            // The head of Harmony stands in prompts alone.
            if to == "harmony" && option[0] != "--tools" {
                arguments.push("--prompt");
            }
            let output = maskwright(&[&arguments[..], &option].concat(), input(from, option[0]));
            let warned = text(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{option:?}: {warned}");
            warned.contains(&format!("{} means nothing here", option[0]))
        };
        assert!(warned(idle), "{option:?} {idle:?}");
        assert!(!warned(used), "{option:?} {used:?}");
    }
    for (format, is_warned, chat) in [
        ("chatml", true, TURN),
        (
            "openchatml-0.1",
            false,
            "<s><|im_start|>user\nHi<|im_end|>\n",
        ),
    ] {
        let output = maskwright(&["render", "--format", format, "--bos", "<s>"], chat);
        let warned = text(&output.stderr).contains("--bos means nothing here");
        assert_eq!(warned, is_warned, "{format}");
    }
}

/// Languages in which there is no JSON are spelt in one way.
#[test]
fn languages_without_json_have_no_spelling() {
    let vocab = tiny();
    let choice = path("idle-choice.json", r#"["a"]"#);
    let ebnf = path("idle.ebnf", "root ::= \"a\"");
    let lark = path("idle.lark", "start: %json {\"const\": \"a\"}");
    for (language, option, is_warned) in [
        (["--regex", "a"], ["--whitespace", "compact"], true),
        (["--regex", "a"], ["--patterns", "ecma"], false),
        (["--choice", &choice], ["--order", "any"], true),
        (["--choice", &choice], ["--patterns", "ecma"], true),
        (["--ebnf", &ebnf], ["--numbers", "plain"], true),
        (["--ebnf", &ebnf], ["--work", "1000000"], false),
        (["--lark", &lark], ["--whitespace", "compact"], false),
    ] {
        let accept = ["accept", "--vocab", &vocab];
        let said = if language[0] == "--lark" {
            "\"a\""
        } else {
            "a"
        };
        let output = maskwright(&[&accept[..], &language, &option].concat(), said);
        let warned = text(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{language:?} {option:?}: {warned}"
        );
        let is_told = warned.contains(&format!("{} means nothing here", option[0]));
        assert_eq!(is_told, is_warned, "{language:?} {option:?}: {warned}");
        let error = refusal(&[&accept[..], &language, &["--bytes"]].concat(), said);
        assert!(error.contains("--bytes"), "{error}");
    }
}
