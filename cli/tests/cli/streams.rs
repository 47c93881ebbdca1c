//! Inputs and outputs that misbehave: rows that are none, pipes, directories, disks that are full, readers that are gone.

use super::{CALL, CASE, TOOLS, data, exits, lines, maskwright, path, refusal, text, tiny};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

/// What is no row is answered in its place, and the others as ever.
#[test]
fn a_malformed_row_stops_no_other() {
    let vocab = tiny();
    let good = r#"{"text": "1", "schema": {"type": "integer"}}"#;
    for (row, error) in [
        ("{]", "<stdin>:2:2: malformed JSON"),
        ("[]", "<stdin>:2:1: expected an object with `text`"),
        (r#"{"start": "a"}"#, "<stdin>:2:1: expected an object"),
        (r#"{"text": 1}"#, "<stdin>:2:1: `text` is not a string"),
        (
            r#"{"text": "a", "text": "b"}"#,
            "<stdin>:2:15: `text` is given twice",
        ),
        ("{\"text\": \"", "<stdin>:2:10: malformed JSON"),
        // What is wrong with what the row asks for.
        (
            r#"{"text": "1", "schema": {"type": "string", "type": "integer"}}"#,
            "<stdin>:2: schema:1:",
        ),
        (
            r#"{"text": "1", "schema": {"type": "string", "enum": [1]}}"#,
            "no value satisfies this schema",
        ),
        (
            r#"{"text": "1", "schema": {"pattern": "(a)\\1"}}"#,
            "<stdin>:2: schema:1:13: #/pattern",
        ),
        (
            r#"{"text": "1", "tools": [{"type": "function"}]}"#,
            "<stdin>:2: tools",
        ),
        (r#"{"text": "1", "regex": "(a"}"#, "not closed"),
    ] {
        let rows = format!("{good}\n{row}\n\n{good}");
        let accept = ["accept", "--vocab", &vocab, "--jsonl"];
        let answers = lines(&exits(2, &accept, &rows));
        assert_eq!(answers.len(), 3, "{row}");
        assert_eq!(answers[0]["complete"], true, "{row}");
        assert_eq!(answers[2]["complete"], true, "{row}");
        assert_eq!(answers[1]["row"], 2, "{row}");
        let told = answers[1]["error"].as_str().unwrap_or_default();
        assert!(told.contains(error), "{row}: {told}");
    }
}

#[test]
fn every_command_goes_on_after_a_malformed_row() {
    let turn = serde_json::json!({"text": CALL, "tools": serde_json::from_str::<serde_json::Value>(TOOLS).expect("JSON")});
    let rows = format!("nonsense\n{turn}\n\u{0}\n{turn}\n");
    for arguments in [
        &["check", "--format", "harmony", "--jsonl"][..],
        &["check", "--grammar", "harmony", "--jsonl"],
    ] {
        let answers = lines(&exits(2, arguments, &rows));
        let rows = answers.iter().map(|answer| answer["row"].as_u64());
        assert_eq!(rows.collect::<Vec<_>>(), [Some(1), None, Some(3), None]);
        assert_eq!(answers[3]["complete"], true, "{}", answers[3]);
    }
}

/// A line that is not UTF-8 is one that is no row.
#[test]
fn a_row_of_other_bytes_is_told() {
    let rows = path(
        "bytes.jsonl",
        b"{\"text\": \"\xff\"}\n{\"text\": \"1\", \"regex\": \"1\"}\r\n",
    );
    let answers = lines(&exits(
        2,
        &["accept", "--vocab", &tiny(), "--jsonl", &rows],
        "",
    ));
    let error = answers[0]["error"].as_str().unwrap_or_default();
    assert!(error.ends_with("bytes.jsonl:1:11: not UTF-8"), "{error}");
    assert_eq!(answers[1]["complete"], true);
}

fn started(arguments: &[&str], stdout: Stdio) -> Child {
    Command::new(env!("CARGO_BIN_EXE_maskwright"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts")
}

/// Rows are answered as they come: who writes them need not be done.
#[test]
fn rows_are_answered_as_they_come() {
    let mut child = started(&["accept", "--vocab", &tiny(), "--jsonl"], Stdio::piped());
    let mut input = child.stdin.take().expect("stdin is piped");
    let mut output = BufReader::new(child.stdout.take().expect("stdout is piped"));
    for digit in ["1", "2", "x"] {
        writeln!(input, r#"{{"text": "{digit}", "regex": "[0-9]"}}"#).expect("it reads");
        let mut line = String::new();
        output.read_line(&mut line).expect("it answers");
        let answer: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(answer["complete"], digit != "x", "{line}");
    }
    drop(input);
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
}

/// What has not been written is an error, even where it has no line break at its end.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    let chat = path("full.json", r#"[{"role": "user", "content": "a"}]"#);
    let schema = path("full.schema.json", r#"{"type": "integer"}"#);
    let vocab = tiny();
    for arguments in [
        &["convert", "--from", "openai", "--to", "harmony", &chat][..],
        &["convert", "--from", "openai", "--to", "json", &chat],
        &["schema", &schema],
        &["formats"],
        &["grammar", &data("gbnf/sums.gbnf")],
        &["generate", "--vocab", &vocab, "--count", "1"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
        let child = started(arguments, Stdio::from(full.expect("there")));
        let output = child.wait_with_output().expect("it ends");
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        let told = "error: cannot write the output: No space left on device";
        assert!(error.contains(told), "{arguments:?}: {error}");
    }
}

/// Who reads the output may go when it has seen enough, or not be there.
#[test]
#[cfg(unix)]
fn readers_may_go() {
    let vocab = tiny();
    let generate = ["generate", "--vocab", &vocab, "--count", "2000", "--json"];
    let mut child = started(&generate, Stdio::piped());
    let mut first = [0; 20];
    let mut output = child.stdout.take().expect("stdout is piped");
    output.read_exact(&mut first).expect("it writes");
    drop(output);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    let closed = "exec \"$0\" formats >&-";
    let output = Command::new("sh")
        .args(["-c", closed, env!("CARGO_BIN_EXE_maskwright")])
        .output()
        .expect("the command runs");
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

/// A signal ends a long run at once, also while a progress bar is shown: nothing catches any. It is not SIGINT, which a run in
/// the background is told to ignore.
#[test]
#[cfg(unix)]
fn a_signal_ends_a_run() {
    use std::os::unix::process::ExitStatusExt;
    let cases = path("long.jsonl", CASE.repeat(20_000));
    let mut child = started(&["fuzz-schema", &cases, "--count", "1000"], Stdio::null());
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(child.try_wait().expect("it runs").is_none());
    let signalled = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status();
    assert!(signalled.expect("kill runs").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.signal(), Some(15));
    assert!(!text(&output.stderr).contains("panicked"));
}

/// Pipes are read like files, and a directory is no file.
#[test]
#[cfg(unix)]
fn pipes_are_files_and_directories_are_none() {
    let script = r#""$0" schema <(printf '{"type": '; sleep 0.1; printf '"integer"}')"#;
    let output = Command::new("bash")
        .args(["-c", script, env!("CARGO_BIN_EXE_maskwright")])
        .output()
        .expect("bash runs");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let folder = data("");
    let vocab = tiny();
    for arguments in [
        &["schema", &folder][..],
        &["abnf", &folder],
        &["convert", "--from", "openai", "--to", "json", &folder],
        &["render", "--format", "harmony", &folder],
        &["accept", "--vocab", &vocab, "--jsonl", &folder],
        &["generate", "--vocab", &vocab, "--tools", &folder],
    ] {
        let error = refusal(arguments, "");
        assert!(error.contains("Is a directory"), "{arguments:?}: {error}");
    }
}

/// Errors quote at most a part of what they are about, in a line.
#[test]
fn long_tokens_are_not_repeated() {
    let long = "x".repeat(5000);
    let vocab = tiny();
    let schema = |text: String| path("long.schema.json", text);
    for arguments in [
        vec![
            "schema".to_owned(),
            schema(format!(r#"{{"type": "{long}"}}"#)),
        ],
        vec![
            "schema".to_owned(),
            schema(format!(r##"{{"$ref": "#/$defs/{long}"}}"##)),
        ],
        vec![
            "schema".to_owned(),
            schema(format!(r#"{{"format": "{long}"}}"#)),
        ],
        vec![
            "schema".to_owned(),
            schema(format!(r#"{{"pattern": "(?<{long}>"}}"#)),
        ],
        vec![
            "abnf".to_owned(),
            path("long.abnf", format!("a = {long}\n")),
        ],
        vec![
            "abnf".to_owned(),
            path("long-prose.abnf", format!("a = <{long}>\n")),
        ],
        [
            "accept",
            "--vocab",
            &vocab,
            "--tools",
            &path("long.tools.json", format!(r#"[{{"name": "{long}"}}]"#)),
        ]
        .map(str::to_owned)
        .to_vec(),
        ["generate", "--vocab", &vocab, "--tool-choice", &long]
            .map(str::to_owned)
            .to_vec(),
        ["check", "--format", &long].map(str::to_owned).to_vec(),
        ["convert", "--from", &long, "--to", "json"]
            .map(str::to_owned)
            .to_vec(),
        ["grammar", &long].map(str::to_owned).to_vec(),
    ] {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = maskwright(&arguments, "");
        let error = text(&output.stderr);
        assert!(
            !error.contains(&"x".repeat(1024)),
            "{arguments:.40?}: {error}"
        );
        let (first, count) = (
            error.lines().next().unwrap_or_default(),
            error.matches("error: ").count(),
        );
        assert!(count <= 1, "{arguments:.40?}: {error}");
        assert!(
            count == 0 || first.starts_with("error: "),
            "{arguments:.40?}: {error}"
        );
    }
}

/// What a transcript says moves no cursor.
#[test]
fn render_shows_control_characters() {
    let turn = "<|start|>user<|message|>a\u{1b}[2J\u{9b}1mb<|end|>";
    let render = ["render", "--format", "harmony"];
    assert_eq!(exits(0, &render, turn), "user: a\\u{1b}[2J\\u{9b}1mb\n");
    let json = exits(0, &["render", "--format", "harmony", "--json"], turn);
    let line: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(line["text"], "a\u{1b}[2J\u{9b}1mb");
}

/// A schema whose references multiply is more than the judge can do: it is given up, and the rest goes on.
#[test]
fn a_judge_that_takes_too_long_is_given_up() {
    let doubled = |level: usize| {
        let below = level - 1;
        format!(
            r##""l{level}": {{"allOf": [{{"$ref": "#/$defs/l{below}"}}, {{"$ref": "#/$defs/l{below}"}}]}}"##
        )
    };
    let levels: Vec<String> = (1..40).map(doubled).collect();
    let schema = format!(
        r##"{{"$ref": "#/$defs/l39", "$defs": {{"l0": {{"const": 1}}, {}}}}}"##,
        levels.join(", ")
    );
    let schema = path("laughs.schema.json", schema);
    let generate = [
        "generate",
        "--vocab",
        &tiny(),
        "--schema",
        &schema,
        "--count",
        "3",
        "--json",
    ];
    let output = maskwright(&generate, "");
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    let warning = "warning: not judged: the schema takes the judge too long";
    assert_eq!(told.matches(warning).count(), 1, "{told}");
    assert_eq!(lines(&text(&output.stdout)).len(), 3);
}

/// The judge knows international host names.
#[test]
fn international_host_names_are_judged() {
    let schema = path(
        "idn.schema.json",
        r#"{"type": "string", "format": "idn-hostname"}"#,
    );
    let generate = [
        "generate",
        "--schema",
        &schema,
        "--vocab",
        &tiny(),
        "--count",
        "20",
        "--json",
    ];
    let turns = lines(&exits(0, &generate, ""));
    assert!(turns.iter().all(|turn| turn["valid"] == true));
}

/// A schema without values is told with what is at odds in it.
#[test]
fn what_is_at_odds_is_named() {
    let vocab = tiny();
    let schema = path(
        "odds.schema.json",
        r#"{"type": "string", "enum": [1], "maxLength": 3}"#,
    );
    let tools = path(
        "odds.tools.json",
        r#"[{"name": "f", "parameters": {"type": "object", "minProperties": 3, "maxProperties": 2}}]"#,
    );
    let shown = exits(1, &["schema", &schema], "");
    assert!(
        shown.contains("\nhint: these are at odds: `type`, `enum`; without"),
        "{shown}"
    );
    let error = refusal(&["generate", "--vocab", &vocab, "--schema", &schema], "");
    assert!(
        error.contains("hint: these are at odds: `type`, `enum`"),
        "{error}"
    );
    let error = refusal(&["generate", "--vocab", &vocab, "--tools", &tools], "");
    let hint = "hint: these are at odds: `type`, `minProperties`, `maxProperties`; without any one of them it would have values; \
        the tool is `functions.f`";
    assert!(error.contains(hint), "{error}");
}
