//! `grammar`, and the languages that one text says: `--regex`, `--choice`, `--ebnf`, `--lark`.

use super::{exits, lines, maskwright, path, refusal, text, tiny};

const LIST: &str = "root ::= (\"- \" item)+\nitem ::= [a-z]+ \"\\n\"\nspare ::= \"x\"\n";

#[test]
fn grammar_tells_what_is_in_a_file() {
    let file = path("list.gbnf", LIST);
    let output = maskwright(&["grammar", &file], "");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        text(&output.stdout),
        "dialect: EBNF\nstart: root\nrules (3): root, item, spare\n"
    );
    let warned = text(&output.stderr);
    assert!(
        warned.contains(":3:1: rule `spare` is never used"),
        "{warned}"
    );
    let output = maskwright(&["grammar", "--start", "item", &file], "");
    assert!(text(&output.stdout).contains("start: item\n"));
    assert!(text(&output.stderr).contains(":1:1: rule `root` is never used"));
    let refused = refusal(&["grammar", "--start", "itme", &file], "");
    assert!(refused.contains("did you mean `item`?"), "{refused}");
    let output = maskwright(&["grammar", "-"], "start: A | b\nA.2: /x/\nb: \"y\"\n");
    assert_eq!(
        text(&output.stdout),
        "dialect: Lark\nstart: start\nrules (3): start, A, b\n"
    );
    assert!(text(&output.stderr).contains("<stdin>:2:2: the priority changes no text"));
    let refused = refusal(&["grammar", "-"], "root ::= [a-z\n");
    assert!(
        refused.contains("expected `]` before the end of the text"),
        "{refused}"
    );
}

#[test]
fn languages_of_one_text_generate_and_accept() {
    let (vocab, list) = (tiny(), path("list.gbnf", LIST));
    let sums = path(
        "sums.lark",
        "start: INT (\"+\" INT)*\n%import common.INT\n%ignore \" \"\n",
    );
    let choice = path("choice.json", r#"["yes", "no"]"#);
    for (option, value, good, bad) in [
        ("--regex", "[0-9]{3}-[a-z]+", "123-ab", "123-"),
        ("--choice", &choice, "no", "maybe"),
        ("--ebnf", &list, "- ab\n", "- ab"),
        ("--lark", &sums, " 1 +23", "1 2"),
    ] {
        let accept = ["accept", "--vocab", &vocab, option, value];
        assert!(exits(0, &accept, good).starts_with("accepted"));
        exits(1, &accept, bad);
        let generate = [
            "generate", "--vocab", &vocab, option, value, "--json", "--count", "4",
        ];
        for row in lines(&exits(0, &generate, "")) {
            let text = row["text"].as_str().unwrap_or_default();
            if row["valid"] == true {
                assert!(exits(0, &accept, text).starts_with("accepted"), "{text}");
            }
        }
        let refused = refusal(&["generate", option, value, "--tool-choice", "none"], "");
        assert!(refused.contains("cannot be used with"), "{refused}");
    }
    let both = refusal(&["generate", "--regex", "a", "--ebnf", &list], "");
    assert!(both.contains("cannot be used with"), "{both}");
    let broken = refusal(&["generate", "--vocab", &vocab, "--regex", "a(b"], "");
    assert!(broken.contains("this group is not closed"), "{broken}");
}

#[test]
fn rows_name_a_language() {
    let vocab = tiny();
    let rows = [
        r#"{"text": "12", "regex": "[0-9]+"}"#,
        r#"{"text": "b", "choice": ["a", "b"]}"#,
        r#"{"text": "1+1", "ebnf": "root ::= root \"+\" root | \"1\""}"#,
        r#"{"text": "y", "ebnf": "root ::= \"x\"\nother ::= \"y\"", "start": "other"}"#,
        r#"{"text": "x y", "lark": "start: \"x\" \"y\"\n%ignore \" \""}"#,
        r#"{"text": "c", "choice": ["a", "b"]}"#,
        r#"{"text": "c", "ebnf": "root ::= "}"#,
        r#"{"text": "c", "ebnf": "root ::= x"}"#,
    ];
    let answers = lines(&exits(
        2,
        &["accept", "--vocab", &vocab, "--jsonl"],
        &rows.join("\n"),
    ));
    let complete: Vec<_> = answers.iter().map(|a| a["complete"].as_bool()).collect();
    let (yes, no) = (Some(true), Some(false));
    assert_eq!(complete, [yes, yes, yes, yes, yes, no, no, None]);
    let error = answers[7]["error"].as_str().unwrap_or_default();
    assert!(error.contains("rule `x` is not defined"), "{error}");
}
