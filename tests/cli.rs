//! The command line as a user meets it: exit codes, what goes to stdout, what to stderr.
#![cfg(feature = "cli")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

fn maskwright(arguments: &[&str], stdin: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_maskwright"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut input = child.stdin.take().expect("stdin is piped");
    // A command that refuses its options need not read its input.
    let _refused_before_reading = input.write_all(stdin.as_bytes());
    drop(input);
    child.wait_with_output().expect("the command ends")
}

/// A file of these tests' own. Several may have the same one: it is whole whenever it is read.
fn file(name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    static WRITTEN: AtomicUsize = AtomicUsize::new(0);
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let draft = path.with_extension(format!("{number}.draft"));
    std::fs::write(&draft, text).expect("the file can be written");
    std::fs::rename(&draft, &path).expect("the file can be renamed");
    path
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// Runs a command that must refuse its input: exit code 2, nothing on stdout, one error on stderr.
fn refusal(arguments: &[&str], stdin: &str) -> String {
    let output = maskwright(arguments, stdin);
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    assert_eq!(text(&output.stdout), "", "{arguments:?}");
    assert_eq!(error.matches("error:").count(), 1, "{arguments:?}: {error}");
    error
}

const CASE: &str = r#"{"file": "one", "schema": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": false}, "tests": [{"valid": true, "data": {"a": 12}}, {"valid": false, "data": {"a": "x"}}]}
"#;

#[test]
fn every_help_shows_an_example() {
    let help = text(&maskwright(&["--help"], "").stdout);
    assert!(help.contains("2 bad input"), "{help}");
    let commands = help
        .split("Commands:\n")
        .nth(1)
        .expect("a list of commands");
    let listed = commands.lines().take_while(|line| line.starts_with("  "));
    let names = listed.filter(|line| !line.starts_with("   "));
    for name in names.filter_map(|line| line.split_whitespace().next()) {
        if name != "help" {
            let output = maskwright(&[name, "--help"], "");
            assert_eq!(output.status.code(), Some(0));
            assert!(
                text(&output.stdout).contains("Example:\n  maskwright "),
                "{name}"
            );
        }
    }
}

#[test]
fn options_that_do_not_exist_are_bad_input() {
    refusal(&["maskbench", "--no-such-option"], "");
    refusal(&["no-such-command"], "");
}

#[test]
fn maskbench_counts_verdicts() {
    let output = maskwright(
        &[
            "maskbench",
            "-",
            "--vocab",
            &tiny(),
            "--engine",
            "llguidance",
            "--json",
        ],
        CASE,
    );
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for (pointer, expect) in [
        ("/schemas", 1),
        ("/compiled", 1),
        ("/instances", 2),
        ("/valid_rejected", 0),
        ("/invalid_accepted", 0),
    ] {
        assert_eq!(report.pointer(pointer), Some(&expect.into()), "{pointer}");
    }
    for pointer in ["/tokens", "/vocab_ms", "/rss_mb"] {
        let value = report.pointer(pointer).and_then(|value| value.as_f64());
        assert!(
            value.is_some_and(|value| value >= 0.0),
            "{pointer}: {report}"
        );
    }
    for group in [
        "/compile_us",
        "/ttfm_us",
        "/cold/mask_ns",
        "/cold/accept_ns",
        "/warm/mask_ns",
        "/warm/accept_ns",
    ] {
        for figure in ["p50", "p90", "p99", "p999", "max", "mean"] {
            let value = report
                .pointer(&format!("{group}/{figure}"))
                .and_then(|v| v.as_f64());
            assert!(value.is_some_and(|v| v > 0.0), "{group}/{figure}");
        }
    }
}

/// Refusals are counted by their reasons, wrong verdicts told one by one; the options of the run have
/// their effect.
#[test]
fn maskbench_tells_what_is_refused_and_what_is_wrong() {
    let case = |schema: &str, valid: bool, data: &str| {
        format!(
            "{{\"file\": \"f\", \"schema\": {schema}, \"tests\": [{{\"valid\": {valid}, \"data\": {data}}}]}}\n"
        )
    };
    let rows = [
        case(r#"{"pattern": "(a)\\1"}"#, true, "1"),
        case(
            r#"{"properties": {"a": {}, "b": {}}}"#,
            true,
            r#"{"b": 1, "a": 2}"#,
        ),
        case(r#"{"type": "string", "format": "date"}"#, true, r#""x""#),
        case(r#"{"type": "integer"}"#, false, "1"),
    ]
    .concat();
    let vocab = tiny();
    let run = |options: &[&str]| {
        let fixed = ["maskbench", "-", "--vocab", &vocab, "--json"];
        let output = maskwright(&[&fixed[..], options].concat(), &rows);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        serde_json::from_slice::<serde_json::Value>(&output.stdout).expect("JSON")
    };
    for (options, rejected) in [
        (&[][..], 2),
        (&["--order", "any"], 1),
        (&["--formats", "ignore"], 1),
        (&["--order", "any", "--formats", "ignore"], 0),
        (
            &[
                "--order",
                "any",
                "--formats",
                "ignore",
                "--whitespace",
                "compact",
            ],
            1,
        ),
    ] {
        let report = run(options);
        assert_eq!(
            (&report["schemas"], &report["compiled"]),
            (&4.into(), &3.into())
        );
        let refused = report["refused"].as_object().expect("reasons");
        assert_eq!(
            refused
                .values()
                .filter_map(|count| count.as_u64())
                .sum::<u64>(),
            1
        );
        assert!(
            refused.keys().all(|reason| reason.contains("pattern")),
            "{report}"
        );
        assert_eq!(report["valid_rejected"], rejected, "{options:?}: {report}");
        assert_eq!(report["invalid_accepted"], 1, "{report}");
        assert_eq!(
            report["wrong"].as_array().map(Vec::len),
            Some(rejected + 1),
            "{report}"
        );
    }
    assert_eq!(
        run(&["--passes", "1"])["warm"]["mask_ns"],
        serde_json::Value::Null
    );
    assert_eq!(run(&["--limit", "2"])["schemas"], 2);
}

#[test]
fn maskbench_reads_directories() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cases");
    std::fs::create_dir_all(&directory).expect("the directory can be made");
    std::fs::write(directory.join("a.json"), CASE).expect("the file can be written");
    std::fs::write(directory.join("b.json"), CASE).expect("the file can be written");
    std::fs::write(directory.join("notes.txt"), "not JSON").expect("the file can be written");
    let output = maskwright(
        &[
            "maskbench",
            directory.to_str().expect("UTF-8"),
            "--vocab",
            &tiny(),
        ],
        "",
    );
    assert!(
        text(&output.stdout).contains("2 schemas, 2 compiled"),
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn malformed_input_is_placed() {
    let error = refusal(
        &["maskbench", "-", "--vocab", &tiny()],
        &format!("{CASE}\n{{\"schema\": tru}}\n"),
    );
    assert!(
        error.contains("<stdin>:3:12: malformed JSON: expected a JSON value"),
        "{error}"
    );
    let error = refusal(&["maskbench", "/no/such/file.jsonl"], "");
    assert!(error.contains("/no/such/file.jsonl"), "{error}");
    let zstd = file("damaged.jsonl.zst", b"\x28\xb5\x2f\xfdnonsense");
    refusal(&["maskbench", zstd.to_str().expect("UTF-8")], "");
}

#[test]
fn malformed_vocabularies_are_placed() {
    let path = file("bad.tiktoken", "IQ== 0\nIg== 1\n!!! 2\n");
    let error = refusal(
        &["maskbench", "-", "--vocab", path.to_str().expect("UTF-8")],
        CASE,
    );
    assert!(
        error.contains("bad.tiktoken:3:1: expected a token in Base64"),
        "{error}"
    );
    refusal(&["maskbench", "-", "--vocab", "/no/such/vocabulary"], CASE);
}

/// A small vocabulary with Harmony's control tokens: quick to load.
fn tiny() -> String {
    data("tiny/tokenizer.json")
}

fn data(name: &str) -> String {
    format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn path(name: &str, text: impl AsRef<[u8]>) -> String {
    file(name, text).to_str().expect("UTF-8").to_owned()
}

/// Runs a command that is to exit with `code`, and gives its stdout.
fn exits(code: i32, arguments: &[&str], stdin: &str) -> String {
    let output = maskwright(arguments, stdin);
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
    assert_eq!(error, "", "{arguments:?}");
    text(&output.stdout)
}

fn lines(stdout: &str) -> Vec<serde_json::Value> {
    let parse = |line| serde_json::from_str(line).expect("a JSON object a line");
    stdout.lines().map(parse).collect()
}

const TOOLS: &str = r#"[{"name": "add", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": false}}]"#;
const CALL: &str = "<|channel|>commentary to=functions.add<|message|>{\"a\": 1}<|call|>";
const FINAL: &str = "<|channel|>final<|message|>Hello.<|return|>";

#[test]
fn generates_without_options() {
    let output = maskwright(&["--count", "2", "--max-tokens", "120"], "");
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{stdout}{stderr}");
    let figures = stdout.lines().last().expect("a line of figures");
    assert!(figures.starts_with("2 turns, "), "{figures}");
    assert!(figures.contains(" 0 invalid"), "{figures}");
    assert!(figures.contains("mask p50"), "{figures}");
}

#[test]
fn generated_turns_are_valid_and_repeat() {
    let (vocab, tools) = (tiny(), path("tools.json", TOOLS));
    let arguments = [
        "generate",
        "--vocab",
        &vocab,
        "--tools",
        &tools,
        "--tool-choice",
        "required",
    ];
    let arguments = [
        &arguments[..],
        &[
            "--count",
            "5",
            "--max-tokens",
            "2000",
            "--seed",
            "3",
            "--json",
        ],
    ]
    .concat();
    let stdout = exits(0, &arguments, "");
    let turns = lines(&stdout);
    assert_eq!(turns.len(), 5);
    for turn in &turns {
        assert_eq!(turn["valid"], true, "{turn}");
        assert!(
            turn["text"]
                .as_str()
                .is_some_and(|text| text.ends_with("<|call|>")),
            "{turn}"
        );
        assert!(
            turn["tokens"].as_u64().is_some_and(|tokens| tokens > 5),
            "{turn}"
        );
        assert_eq!(turn["error"], serde_json::Value::Null);
        // The automaton and the parser say the same of the text.
        let text = turn["text"].as_str().expect("text");
        exits(0, &["accept", "--vocab", &vocab, "--tools", &tools], text);
        exits(
            0,
            &["check", "--format", "harmony", "--tools", &tools],
            text,
        );
    }
    assert_eq!(stdout, exits(0, &arguments, ""));
}

/// Whatever else an object may have, the names that it must have are found within the length budget.
#[test]
fn turns_end_though_members_must_be_there() {
    let vocab = tiny();
    let object = r#"{"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query", "limit"]}"#;
    let (schema, tools) = (
        path("needed.json", object),
        path(
            "needed-tools.json",
            format!(r#"[{{"name": "look", "parameters": {object}}}]"#),
        ),
    );
    for options in [
        &["--schema", &schema][..],
        &["--tools", &tools, "--tool-choice", "look"],
        &[
            "--response-schema",
            &schema,
            "--tool-choice",
            "none",
            "--no-analysis",
        ],
    ] {
        let fixed = [
            "generate",
            "--vocab",
            &vocab,
            "--max-tokens",
            "600",
            "--json",
        ];
        for turn in lines(&exits(0, &[&fixed, options].concat(), "")) {
            assert_eq!(turn["valid"], true, "{options:?}: {turn}");
        }
    }
}

#[test]
fn generates_from_schemas_and_grammars() {
    let vocab = tiny();
    let schema = path(
        "s.json",
        r#"{"type": "array", "items": {"enum": ["x", 2]}, "maxItems": 3}"#,
    );
    let stdout = exits(
        0,
        &["generate", "--vocab", &vocab, "--schema", &schema, "--json"],
        "",
    );
    for turn in lines(&stdout) {
        let value: Result<Vec<serde_json::Value>, _> =
            serde_json::from_str(turn["text"].as_str().expect("text"));
        assert!(value.is_ok() && turn["valid"] == true, "{turn}");
    }
    let grammar = path(
        "g.abnf",
        "greeting = %s\"hello\" 1*3SP (%s\"world\" / greeting)\n",
    );
    let stdout = exits(
        0,
        &[
            "generate",
            "--vocab",
            &vocab,
            "--grammar",
            &grammar,
            "--start",
            "greeting",
        ],
        "",
    );
    assert!(
        stdout.contains("hello ") && stdout.contains("judged by nobody"),
        "{stdout}"
    );
}

const FORMATS: [&str; 5] = [
    "chatml",
    "harmony",
    "internlm2",
    "openchatml-0.1",
    "openchatml-2.2",
];

#[test]
fn every_format_generates_valid_turns() {
    let (vocab, tools) = (tiny(), path("tools.json", TOOLS));
    for format in FORMATS {
        let arguments = [
            "generate", "--vocab", &vocab, "--format", format, "--tools", &tools,
        ];
        let arguments = [&arguments[..], &["--max-tokens", "2000", "--json"]].concat();
        let output = maskwright(&arguments, "");
        assert_eq!(output.status.code(), Some(0), "{format}");
        for turn in lines(&text(&output.stdout)) {
            assert_eq!(turn["valid"], true, "{format}: {turn}");
        }
        // The vocabulary has Harmony's control tokens alone.
        let lacking = match format {
            "harmony" => "",
            "openchatml-2.2" => "<|literal|>",
            _ => "<|im_end|>",
        };
        let warning = text(&output.stderr);
        assert_eq!(
            warning.is_empty(),
            lacking.is_empty(),
            "{format}: {warning}"
        );
        assert!(warning.contains(lacking), "{format}: {warning}");
    }
}

/// A turn goes on where the prompt ends.
#[test]
fn generates_after_a_prompt() {
    let (vocab, tools) = (tiny(), path("tools.json", TOOLS));
    let prompt = path(
        "prompt.txt",
        "<|start|>user<|message|>Hi<|end|><|start|>assistant<|channel|>analysis<|message|>Hm",
    );
    let arguments = [
        "generate", "--vocab", &vocab, "--tools", &tools, "--prompt", &prompt, "--json",
    ];
    for turn in lines(&exits(0, &arguments, "")) {
        assert_ne!(turn["valid"], false, "{turn}");
    }
    // What the prompt has of the turn is read first, and what follows must go on there.
    for (code, rest) in [
        (
            0,
            " x<|end|><|start|>assistant<|channel|>final<|message|>y<|return|>",
        ),
        (1, "<|channel|>final<|message|>y<|return|>"),
    ] {
        exits(
            code,
            &["accept", "--vocab", &vocab, "--prompt", &prompt],
            rest,
        );
    }
    let user = path("user.txt", "<|start|>user<|message|>Hi<|end|><|start|>user");
    let error = refusal(&["generate", "--vocab", &vocab, "--prompt", &user], "");
    assert!(error.contains("where the assistant is to speak"), "{error}");
}

/// A line break at the end of a prompt's file belongs to the turn where one can go on behind it.
#[test]
fn a_prompt_may_end_in_the_line_break_of_the_turn() {
    let vocab = tiny();
    let im = "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant";
    let harmony = "<|start|>user<|message|>Hi<|end|><|start|>assistant";
    for (format, prompt, rest) in [
        ("chatml", format!("{im}\n"), "Hello<|im_end|>"),
        ("chatml", format!("{im}\n\n"), "Hello<|im_end|>"),
        ("chatml", im.to_owned(), "\nHello<|im_end|>"),
        ("internlm2", format!("{im}\n"), "Hello<|im_end|>"),
        ("openchatml-0.1", format!("{im}\n"), "Hello\n<|im_end|>"),
        (
            "harmony",
            format!("{harmony}\n"),
            "<|channel|>final<|message|>4<|return|>",
        ),
        (
            "harmony",
            harmony.to_owned(),
            "<|channel|>final<|message|>4<|return|>",
        ),
    ] {
        let file = path("line_break.txt", &prompt);
        let arguments = [
            "accept", "--format", format, "--vocab", &vocab, "--prompt", &file,
        ];
        exits(0, &arguments, rest);
    }
}

/// A small run of what the figures are made of: nothing refused, no disagreement.
#[test]
fn turns_and_mutants_of_every_format_are_judged() {
    let vocab = tiny();
    for format in FORMATS {
        let arguments = ["fuzz-format", "--format", format, "--vocab", &vocab];
        let size = ["--count", "48", "--mutants", "1000", "--max-tokens", "1000"];
        let summary = exits(0, &[&arguments[..], &size].concat(), "");
        assert!(summary.contains(": 0 refused, 0 with"), "{summary}");
        assert!(summary.contains(": 0 disagreements"), "{summary}");
    }
}

/// The commands of the README's chapter on adding a format.
#[test]
fn adding_a_format_works_as_the_readme_says() {
    let root = env!("CARGO_MANIFEST_DIR");
    let readme = std::fs::read_to_string(format!("{root}/README.md")).expect("the README is there");
    let chapter = readme
        .split("### Adding a format")
        .nth(1)
        .expect("the chapter is there");
    let chapter = chapter.split("\n## ").next().expect("it ends");
    let commands = chapter
        .lines()
        .filter_map(|line| line.strip_prefix("$ maskwright "));
    let mut count = 0;
    for command in commands {
        count += 1;
        let output = Command::new(env!("CARGO_BIN_EXE_maskwright"))
            .args(command.split(' '))
            .current_dir(root)
            .output()
            .expect("the command starts");
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{command}: {error}");
        // The tiny vocabulary has not the control tokens of these formats.
        let lacking = "warning: the vocabulary has no special token ";
        let expected = if command.contains("--vocab") {
            lacking
        } else {
            ""
        };
        assert!(error.starts_with(expected), "{command}: {error}");
        assert_eq!(
            error.lines().count(),
            usize::from(!expected.is_empty()),
            "{error}"
        );
    }
    assert_eq!(count, 3);
}

#[test]
fn turns_that_are_cut_off_are_unfinished() {
    let vocab = tiny();
    let arguments = [
        "generate",
        "--vocab",
        &vocab,
        "--max-tokens",
        "2",
        "--count",
        "1",
        "--json",
    ];
    let turns = lines(&exits(0, &arguments, ""));
    assert_eq!(turns[0]["valid"], serde_json::Value::Null);
    assert_eq!(turns[0]["tokens"], 2);
}

#[test]
fn accept_tells_complete_from_unfinished_and_refused() {
    let (vocab, tools) = (tiny(), path("tools.json", TOOLS));
    let accept = ["accept", "--vocab", &vocab, "--tools", &tools];
    for (code, text, answer) in [
        (0, FINAL, "accepted"),
        (0, CALL, "accepted"),
        (
            1,
            "<|channel|>fin",
            "unfinished: <stdin>:1:15 (byte 14): expected \"a\"",
        ),
        (
            1,
            "<|channel|>fun",
            "refused: <stdin>:1:13 (byte 12): expected \"i\"",
        ),
        (
            1,
            "<|channel|>final<|message|>a\n<|call|>",
            "refused: <stdin>:2:1 (byte 29)",
        ),
        (
            1,
            &format!("{FINAL}\n"),
            "refused: <stdin>:1:44 (byte 43): expected <end>",
        ),
        (0, &format!("{FINAL}<|endoftext|>"), "accepted"),
    ] {
        let stdout = exits(code, &accept, text);
        assert!(stdout.starts_with(answer), "{text}: {stdout}");
    }
    let file = path("turn.txt", FINAL);
    exits(0, &["accept", "--vocab", &vocab, &file], "");
}

#[test]
fn accept_answers_rows() {
    let vocab = tiny();
    let rows = [
        format!(
            r#"{{"text": {}, "tools": {TOOLS}}}"#,
            serde_json::json!(CALL)
        ),
        format!(r#"{{"text": {}}}"#, serde_json::json!(CALL)),
        r#"{"text": "[1, ", "schema": {"type": "array", "items": {"type": "integer"}}}"#.to_owned(),
        r#"{"text": "", "start": "transcript"}"#.to_owned(),
    ];
    let answers = lines(&exits(
        1,
        &["accept", "--vocab", &vocab, "--jsonl"],
        &rows.join("\n"),
    ));
    let verdicts = answers.iter().map(|a| {
        (
            a["accepted"].as_bool(),
            a["complete"].as_bool(),
            a["at"].as_u64(),
        )
    });
    let (yes, no) = (Some(true), Some(false));
    assert_eq!(
        verdicts.collect::<Vec<_>>(),
        [
            (yes, yes, Some(CALL.len() as u64)),
            (no, no, Some(21)),
            (yes, no, Some(4)),
            (yes, yes, Some(0))
        ]
    );
    assert!(
        answers[3]["expected"]
            .as_array()
            .is_some_and(|e| e.contains(&"<|start|>".into())),
        "{}",
        answers[3]
    );
}

#[test]
fn a_row_that_cannot_be_compiled_is_answered_with_its_error() {
    let vocab = tiny();
    let rows = r#"{"text": "1", "schema": {"pattern": "(a)\\1"}}
{"text": "1", "schema": {"type": "integer"}}
{"text": "", "start": "nowhere"}
{"text": "", "tools": [{"name": "a b"}]}"#;
    let answers = lines(&exits(
        2,
        &["accept", "--vocab", &vocab, "--jsonl", "-"],
        rows,
    ));
    let error = |at: usize| answers[at]["error"].as_str().unwrap_or_default().to_owned();
    assert!(
        error(0).starts_with("<stdin>:1: schema:1:12: #/pattern: "),
        "{}",
        error(0)
    );
    assert_eq!(answers[1]["complete"], true);
    assert!(error(2).contains("no rule `nowhere`"), "{}", error(2));
    assert!(error(3).contains("cannot be a tool's name"), "{}", error(3));
}

#[test]
fn check_gives_code_and_place() {
    let tools = path("tools.json", TOOLS);
    let check = ["check", "--format", "harmony", "--tools", &tools];
    for (code, text, answer) in [
        (0, CALL, "valid: 1 messages"),
        (
            1,
            "<|channel|>final<|message|>a",
            "unfinished: <stdin>:1:29 (byte 28): E-STREAM-TRUNCATED",
        ),
        (
            1,
            &CALL.replace("add", "sub"),
            "invalid: <stdin>:1:26 (byte 25): E-TOOL-UNKNOWN",
        ),
        (
            1,
            &CALL.replace('1', "\"1\""),
            "invalid: <stdin>:1:50 (byte 49): E-CALL-SCHEMA",
        ),
    ] {
        let stdout = exits(code, &check, text);
        assert!(stdout.starts_with(answer), "{text}: {stdout}");
    }
    let rows = format!(
        "{}\n{}\n",
        serde_json::json!({"text": FINAL}),
        serde_json::json!({"text": "<|message|>"})
    );
    let answers = lines(&exits(
        1,
        &["check", "--format", "harmony", "--jsonl"],
        &rows,
    ));
    assert_eq!(
        (&answers[0]["complete"], &answers[1]["code"]),
        (&true.into(), &"E-PARSE-CHANNEL-MISSING".into())
    );
}

/// What no tool can meet is bad input to both who judge a text.
#[test]
fn a_choice_of_no_tool_is_bad_input() {
    let tools = path("choice.json", TOOLS);
    for (choice, offered, told) in [
        (
            "zzz",
            &["--tools", &tools][..],
            "names `zzz`, which is not among",
        ),
        (
            "zzz",
            &["--tools", &tools, "--start", "transcript"],
            "names `zzz`",
        ),
        ("python", &["--tools", &tools], "names `python`"),
        ("add", &["--built-in", "python"], "names `add`"),
        ("add", &[], "names `add`"),
        ("required", &[], "no tools are given"),
    ] {
        for command in ["accept", "check"] {
            let asked = [command, "--format", "harmony", "--tool-choice", choice];
            let error = refusal(&[&asked[..], offered].concat(), FINAL);
            assert!(error.contains(told), "{command} {choice}: {error}");
        }
    }
    // A row may bring its tools.
    let tools: serde_json::Value = serde_json::from_str(TOOLS).expect("JSON");
    let rows = [
        serde_json::json!({"text": CALL, "tools": tools}),
        serde_json::json!({"text": CALL}),
    ];
    let rows = rows.map(|row| row.to_string()).join("\n");
    let check = [
        "check",
        "--format",
        "harmony",
        "--tool-choice",
        "add",
        "--jsonl",
    ];
    let output = maskwright(&check, &rows);
    assert_eq!(output.status.code(), Some(2));
    let answers = lines(&text(&output.stdout));
    assert_eq!(answers[0]["complete"], true);
    assert!(
        answers[1]["error"]
            .as_str()
            .is_some_and(|error| error.contains("`add`"))
    );
}

/// A function of the request may be called as a built-in tool is.
#[test]
fn a_function_named_python_is_chosen_by_its_name() {
    let python = TOOLS.replace("add", "python");
    let tools = path("python.json", &python);
    let harmony = ["check", "--format", "harmony", "--tool-choice", "python"];
    let own = CALL.replace("add", "python");
    let built_in = " to=python<|channel|>analysis code<|message|>1<|call|>";
    for (code, offered, text) in [
        (0, &["--tools", &tools][..], own.as_str()),
        (0, &["--built-in", "python"], built_in),
        (0, &["--tools", &tools, "--built-in", "python"], &own),
        (1, &["--tools", &tools, "--built-in", "python"], built_in),
    ] {
        exits(code, &[&harmony[..], offered].concat(), text);
    }
}

#[test]
fn check_reads_every_format() {
    let verdict = |format: &str, text: &str| {
        let output = maskwright(
            &["check", "--format", format, "--start", "transcript"],
            text,
        );
        let code = output.status.code().expect("the command exits");
        (code, String::from_utf8(output.stdout).expect("UTF-8"))
    };
    for (format, good) in [
        ("chatml", "<|im_start|>user\nHi<|im_end|>"),
        (
            "openchatml-0.1",
            "<s>\n<|im_start|>user\nHi\n<|im_end|>\n</s>",
        ),
        ("internlm2", "<|im_start|>user name=file\nHi<|im_end|>"),
        (
            "openchatml-2.2",
            "version: 2.2\n<|start|>user<|message|>Hi<|end|>",
        ),
        ("harmony", "<|start|>user<|message|>Hi<|end|>"),
    ] {
        let (code, told) = verdict(format, good);
        assert_eq!(
            (code, told.as_str()),
            (0, "valid: 1 messages\n"),
            "{format}"
        );
        let (code, told) = verdict(format, &good.replace("user", "narrator"));
        assert_eq!(code, 1, "{format}");
        assert!(told.contains("E-PARSE-HEADER"), "{format}: {told}");
    }
    let (code, told) = verdict(
        "openchatml-2.2",
        "<|start|>user<|message|>a<|end|>\n<|start|>assistant<|channel|>inner<|message|>x<|end|>",
    );
    assert_eq!(code, 1);
    assert!(told.starts_with("invalid: <stdin>:2:30 "), "{told}");
}

#[test]
fn render_hides_what_users_must_not_see() {
    let text = "<|start|>system<|message|>s<|end|><|start|>user<|message|>Hi<|end|>\
        <|start|>assistant<|channel|>analysis<|message|>hm<|end|>\
        <|start|>assistant<|channel|>final<|message|>Hello.<|return|>\n";
    let shown = exits(0, &["render", "--format", "harmony"], text);
    assert_eq!(shown, "user: Hi\nassistant: Hello.\n");
    let all = exits(
        0,
        &["render", "--format", "harmony", "--view", "debug", "--json"],
        text,
    );
    let all = lines(&all);
    assert_eq!(all.len(), 4);
    assert_eq!(all[2]["channel"], "analysis");
    let error = refusal(
        &["render", "--format", "harmony"],
        "<|start|>user<|message|>Hi",
    );
    assert!(error.contains("E-STREAM-TRUNCATED"), "{error}");
    refusal(&["render", "--format", "morse"], "");
}

#[test]
fn convert_goes_from_notation_to_notation() {
    let chat = r#"[{"role":"user","content":"Hi"},
        {"role":"assistant","tool_calls":[{"id":"a","type":"function",
            "function":{"name":"f","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"a","content":"1"}]"#;
    let convert = |from: &str, to: &str, chat: &str| {
        let output = maskwright(&["convert", "--from", from, "--to", to], chat);
        assert_eq!(output.status.code(), Some(0), "{from} to {to}");
        text(&output.stdout)
    };
    let harmony = convert("openai", "harmony", chat);
    assert_eq!(
        harmony,
        "<|start|>user<|message|>Hi<|end|><|start|>assistant to=functions.f<|channel|>commentary \
         <|constrain|>json<|message|>{}<|call|><|start|>functions.f to=assistant<|channel|>commentary\
         <|message|>1<|end|>"
    );
    let json = convert("harmony", "json", &harmony);
    assert!(json.contains("\"tool_call\":{\"id\":\"call_1\""), "{json}");
    assert_eq!(convert("json", "harmony", &json), harmony);
    for to in [
        "chatml",
        "openchatml-0.1",
        "internlm2",
        "openchatml-2.2",
        "harmony",
    ] {
        let said = convert("openai", to, r#"[{"role":"user","content":"Hi"}]"#);
        let check = ["check", "--format", to, "--start", "transcript"];
        assert_eq!(exits(0, &check, &said), "valid: 1 messages\n", "{to}");
    }
    let internlm2 = convert("json", "internlm2", &json);
    assert!(
        internlm2.contains("<|action_start|><|plugin|>\n{\"name\": \"f\""),
        "{internlm2}"
    );
    let tools = path("convert-tools.json", r#"[{"name": "f"}]"#);
    let prompt = exits(
        0,
        &[
            "convert",
            "--from",
            "openai",
            "--to",
            "openchatml-2.2",
            "--prompt",
            "--tools",
            &tools,
        ],
        r#"[{"role":"user","content":"<|end|>"}]"#,
    );
    assert!(prompt.contains("type f = () => any;"), "{prompt}");
    assert!(
        prompt.ends_with("<<|end|><|end|>\n<|start|>assistant\n"),
        "{prompt}"
    );
    let list = convert("chatml", "chatml-tokens", "<|im_start|>user\nHi<|im_end|>");
    assert_eq!(
        convert("chatml-tokens", "chatml", &list),
        "<|im_start|>user\nHi<|im_end|>\n"
    );
    let spelt = list.replace("Hi", "<|im_end|>");
    assert_eq!(convert("chatml-tokens", "chatml-tokens", &spelt), spelt);
    let error = refusal(
        &["convert", "--from", "chatml-tokens", "--to", "chatml"],
        &spelt,
    );
    assert!(error.contains("E-TEXT-CONTROL"), "{error}");
    let error = refusal(&["convert", "--from", "openai", "--to", "chatml"], chat);
    assert!(error.contains("chatml has no tool calls"), "{error}");
}

/// What goes along with a conversion, and what the command line warns of.
#[test]
fn convert_loses_nothing_in_silence() {
    let convert = |from: &str, to: &str, text: &str| {
        let output = maskwright(&["convert", "--from", from, "--to", to], text);
        assert_eq!(output.status.code(), Some(0), "{from} to {to}: {text}");
        (self::text(&output.stdout), self::text(&output.stderr))
    };
    let document = "version: 2.2\ngeneration_settings:\n  temperature: 0.7\n\
        <|start|>assistant<|channel|>analysis<|message|>Hm<|end|>\n\
        <|start|>assistant<|channel|>final<|message|>Hi<|return|>\n";
    let same = convert("openchatml-2.2", "openchatml-2.2", document);
    assert_eq!(same, (document.to_owned(), String::new()));
    let (text, warned) = convert("openchatml-2.2", "internlm2", document);
    assert_eq!(text, "<|im_start|>assistant\nHi<|im_end|>\n");
    assert_eq!(
        warned,
        "warning: <stdin>: internlm2 has no place for what the document header says\n\
         warning: <stdin>:4:1: internlm2 has no place for private reasoning of message 0\n"
    );
    let (text, _) = convert("openchatml-2.2", "openchatml-0.1", document);
    assert!(
        text.contains("<|start_reason|>Hm<|end_reason|>\nHi"),
        "{text}"
    );
    let files = "a\n<|file_separator|>\n<|fim_prefix|>b<|fim_middle|><|fim_suffix|>c";
    let (text, warned) = convert("openchatml-0.1", "openchatml-0.1", files);
    assert_eq!(
        (text.trim_end(), warned.as_str()),
        (files.replace("|>\n<|fim", "|><|fim").as_str(), "")
    );
    let from_files = ["convert", "--from", "openchatml-0.1", "--to", "harmony"];
    let error = refusal(&from_files, files);
    assert!(
        error.contains("<stdin>:1:1: harmony has no files"),
        "{error}"
    );
    for (from, text, place) in [
        (
            "openai",
            "[{\"role\": \"user\"}]",
            "<stdin>:1:2: #/0/content",
        ),
        (
            "openai",
            "[{\"role\": \"user\", \"content\": \"<|end|>\"}]",
            "<stdin>:1:2: E-TEXT-CONTROL",
        ),
        ("json", "[{\"role\"", "<stdin>:1:9: malformed JSON"),
        (
            "harmony",
            "<|start|>user<|message|>",
            "<stdin>:1:25: E-STREAM-TRUNCATED",
        ),
    ] {
        let error = refusal(&["convert", "--from", from, "--to", "harmony"], text);
        assert!(error.contains(place), "{error}");
    }
    let chat = r#"[
        {"role": "assistant", "reasoning_content": "Hm", "tool_calls": [{"id": "call 1",
            "function": {"name": "f", "arguments": "{}"}}]}]"#;
    let to_openchatml = ["convert", "--from", "openai", "--to", "openchatml-2.2"];
    let error = refusal(&to_openchatml, chat);
    assert!(error.contains("<stdin>:2:9: E-PARSE-HEADER"), "{error}");
    let (_, warned) = convert("openai", "internlm2", chat);
    assert!(
        warned.contains("<stdin>:2:9: internlm2 has no place for private reasoning"),
        "{warned}"
    );
}

/// The judge reads references as URIs only.
#[test]
fn schema_tells_where_there_is_no_judge() {
    let schema = r##"{"$ref": "#/$defs/a<b>", "$defs": {"a<b>": {"type": "null"}}}"##;
    let report = exits(0, &["schema", "-", "--json", "--count", "1"], schema);
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["verdict"], "exact");
    assert_eq!(report["samples"][0]["text"], "null");
    assert!(report["samples"][0]["valid"].is_null(), "{report}");
    let reason = report["not_judged"].as_str().expect("a reason");
    assert!(
        reason.contains("the judge cannot use this schema"),
        "{reason}"
    );
    let text = exits(0, &["schema", "-", "--count", "1"], schema);
    assert!(text.contains("not judged: null"), "{text}");
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
    // What is refused is warned of too, and a warning helps with what is malformed.
    let refused = exits(
        1,
        &["schema", "-", "--json"],
        "{\"not\": {}, \"requried\": []}",
    );
    assert!(refused.contains("misspelt-keyword"), "{refused}");
    let malformed = refusal(&["schema", "-"], "{\"items\": [{}]}");
    assert!(
        malformed.contains("hint: call it `prefixItems`"),
        "{malformed}"
    );
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
fn abnf_lists_rules_and_warns() {
    let output = maskwright(&["abnf", "-"], "a = b <hole>\nb = \"x\"\nc = b\n");
    assert_eq!(output.status.code(), Some(0));
    let stdout = text(&output.stdout);
    assert_eq!(
        stdout,
        "rules (3): a, b, c\nstart rules: a\nprose-vals: <hole>\n"
    );
    assert!(
        text(&output.stderr).contains("<stdin>:3:1: rule `c` is never used"),
        "{}",
        text(&output.stderr)
    );
    let output = maskwright(&["abnf", "-"], "a = b\n\nc = %x110000\n");
    assert_eq!(
        (output.status.code(), text(&output.stdout).as_str()),
        (Some(2), "")
    );
    let errors = text(&output.stderr);
    assert!(
        errors.contains("<stdin>:1:5: rule `b` is not defined"),
        "{errors}"
    );
    assert!(errors.contains("<stdin>:3:7: "), "{errors}");
}

/// Each malformed input gives one error that says where; nothing is printed before it.
#[test]
fn bad_input_is_placed() {
    let vocab = tiny();
    let good = path("good.abnf", "assistant-turn = \"a\"\n");
    let anything = path("anything.json", "{}");
    let bad = |name: &str, text: &str| path(name, text);
    let cases: &[(&[&str], &str)] = &[
        (&["--format", "no-such"], "there is no format `no-such`"),
        (&["--tool-choice", "fly"], "names `fly`"),
        (&["--start", "nowhere"], "no rule `nowhere`"),
        (
            &["--thought", "reason"],
            "--thought reason: format `harmony` does not have the thought block `reason`",
        ),
        (
            &["--format", "chatml", "--profile", "hip-1"],
            "--profile hip-1: format `chatml` does not have `<|constrain|>` before arguments",
        ),
        (
            &["--format", "chatml", "--built-in", "browser"],
            "of such options `chatml` takes --response-schema",
        ),
        (
            &["--format", "openchatml-0.1", "--built-in", "python"],
            "--built-in python: format `openchatml-0.1` does not have",
        ),
        (
            &["--format", "internlm2", "--functions-on-analysis"],
            "--functions-on-analysis: format `internlm2` does not have",
        ),
        (
            &["--grammar", &good, "--thought", "reflect"],
            "--thought reflect: format",
        ),
        (
            &["--schema", &anything, "--built-in", "python"],
            "--built-in",
        ),
        (&["--schema", &anything, "--thought", "reason"], "--thought"),
        (&["--schema", &anything, "--profile", "hip-1"], "--profile"),
        (&["--temperature", "-1"], "--temperature"),
        (&["--count", "0"], "--count"),
        (&["--grammar", &good, "--schema", &good], "--schema"),
        (&["--grammar", &good, "--start", "b"], "no rule `b`"),
        (&["--grammar", "/no/such.abnf"], "/no/such.abnf"),
        (
            &["--grammar", &bad("bad.abnf", "a = \"x\"\nb = (\"y\"\n")],
            "bad.abnf:2:",
        ),
        (
            &[
                "--grammar",
                &bad("hole.abnf", "assistant-turn = \"a\"\n  <hole>\n"),
            ],
            "hole.abnf:2:3: ",
        ),
        (
            &["--schema", &bad("bad.json", "{\"type\":\n \"thing\"}")],
            "bad.json:2:2: #/type: ",
        ),
        (
            &["--schema", &bad("cut.json", "{\"type\":\n")],
            "cut.json:2:1: ",
        ),
        (
            &[
                "--schema",
                &bad("back.json", "{\"items\": {\"pattern\": \"(a)\\\\1\"}}"),
            ],
            "back.json:1:23: #/items/pattern",
        ),
        (
            &["--tools", &bad("cut-tools.json", "[{\"name\": \"a\"},\n")],
            "cut-tools.json:2:1: ",
        ),
        (
            &["--tools", &bad("name.json", "[{\"name\":\n \"a b\"}]")],
            "name.json:2:2: ",
        ),
        (
            &["--tools", &bad("shape.json", "{\"a\": 1}")],
            "shape.json:1:1: ",
        ),
        (
            &[
                "--tools",
                &bad(
                    "keyword.json",
                    "[{\"name\": \"a\", \"parameters\": {\"pattern\": \"(a)\\\\1\"}}]",
                ),
            ],
            "keyword.json:1:42: #/pattern",
        ),
        (
            &[
                "--response-schema",
                &bad("response.json", "{\"minLength\": -1}"),
            ],
            "response.json:1:15: #/minLength",
        ),
    ];
    for (arguments, place) in cases {
        let error = refusal(
            &[&["generate", "--vocab", &vocab][..], *arguments].concat(),
            "",
        );
        assert!(error.contains(place), "{arguments:?}: {error}");
        if !arguments
            .iter()
            .any(|argument| ["--temperature", "--count"].contains(argument))
        {
            let error = refusal(
                &[&["accept", "--vocab", &vocab][..], *arguments].concat(),
                "",
            );
            assert!(error.contains(place), "{arguments:?}: {error}");
        }
    }
}

#[test]
fn bad_questions_are_placed() {
    let vocab = tiny();
    for (arguments, stdin, place) in [
        (
            &["accept", "--vocab", &vocab, "--jsonl"][..],
            "{\"text\": \"\"}\n{]",
            "<stdin>:2:2: ",
        ),
        (
            &["accept", "--vocab", &vocab, "--jsonl"],
            "{\"start\": \"a\"}",
            "<stdin>:1:1: expected an object with `text`",
        ),
        (
            &["accept", "--vocab", &vocab, "/no/such.txt"],
            "",
            "/no/such.txt",
        ),
        (
            &["check", "--format", "no-such"],
            "",
            "there is no format `no-such`",
        ),
        (&["check"], "", "--format"),
        (
            &["check", "--format", "harmony", "--thought", "reason"],
            "",
            "--thought reason: format `harmony` does not have",
        ),
        (
            &["check", "--format", "harmony", "--start", "prompt"],
            "",
            "no start rule `prompt`",
        ),
        (
            &["check", "--format", "harmony", "--jsonl"],
            "nonsense",
            "<stdin>:1:1: ",
        ),
        (&["schema", "-"], "{\"a\": }", "<stdin>:1:7: "),
        (&["schema", "-"], "{\"type\": 5}", "<stdin>:1:10: #/type"),
        (&["abnf", "-"], "a = = b", "<stdin>:1:5: "),
        (&["abnf", "-", "--start", "x"], "a = \"b\"", "no rule `x`"),
    ] {
        let error = refusal(arguments, stdin);
        assert!(error.contains(place), "{arguments:?}: {error}");
    }
}

#[test]
fn malformed_tokenizers_are_placed() {
    for (name, text, place) in [
        (
            "cut.tokenizer.json",
            "{\"model\":\n {\"vocab\"",
            "cut.tokenizer.json:2:",
        ),
        (
            "empty.tokenizer.json",
            "{}",
            "empty.tokenizer.json: /model: ",
        ),
        (
            "ends.tokenizer.json",
            &std::fs::read_to_string(tiny()).expect("there"),
            "names no end token",
        ),
    ] {
        let error = refusal(&["generate", "--vocab", &path(name, text)], "");
        assert!(error.contains(place), "{error}");
    }
}

#[test]
fn maskbench_compares_two_engines() {
    let arguments = [
        "maskbench",
        "-",
        "--vocab",
        &tiny(),
        "--engine",
        "both",
        "--json",
    ];
    let output = maskwright(&arguments, CASE);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for (pointer, expect) in [
        ("/engine", "maskwright".into()),
        ("/peer/engine", "llguidance".into()),
        ("/common/schemas", serde_json::json!(1)),
    ] {
        assert_eq!(report.pointer(pointer), Some(&expect), "{pointer}");
    }
    for engine in ["", "/peer"] {
        for (figure, expect) in [
            ("compiled", 1),
            ("valid_rejected", 0),
            ("invalid_accepted", 0),
        ] {
            assert_eq!(
                report.pointer(&format!("{engine}/{figure}")),
                Some(&expect.into()),
                "{engine}/{figure}"
            );
        }
    }
    assert!(
        report
            .pointer("/common/ratio/cold/mask_ns/p50")
            .is_some_and(|ratio| ratio.is_number()),
        "{report}"
    );
}

/// Escape sequences, DEL and what looks like a colour are data: what is piped has them as they are.
#[test]
fn piped_data_arrives_byte_by_byte() {
    let odd = "a\u{1b}]0;b\u{7f}c\u{1b}[31md";
    let chat = serde_json::json!([
        {"role": "user", "content": odd},
        {"role": "assistant", "content": "ok"},
    ]);
    let convert = |from, to, chat: &str| exits(0, &["convert", "--from", from, "--to", to], chat);
    let harmony = convert("openai", "harmony", &chat.to_string());
    let user = format!("<|start|>user<|message|>{odd}<|end|>");
    assert!(harmony.starts_with(&user), "{harmony:?}");
    assert!(harmony.contains("ok<|end|>"), "{harmony:?}");
    let back = convert("harmony", "openai", harmony.trim_end());
    let back: serde_json::Value = serde_json::from_str(&back).expect("JSON");
    assert_eq!(back[0]["content"], odd);

    let render = ["render", "--format", "harmony"];
    let shown = exits(0, &render, harmony.trim_end());
    assert_eq!(shown, format!("user: {odd}\nassistant: ok\n"));
    let shown = exits(0, &[&render[..], &["--json"]].concat(), harmony.trim_end());
    let line = shown.lines().next().unwrap_or_default();
    let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
    assert_eq!(line["text"], odd);

    let grammar = path("del.abnf", "a = %s\"x\" %x7F %s\"y\"\n");
    let generate = ["generate", "--vocab", &tiny(), "--count", "1", "--json"];
    let own = ["--grammar", &grammar, "--start", "a"];
    let turn = exits(0, &[&generate[..], &own].concat(), "");
    assert!(turn.contains("\"x\u{7f}y\""), "{turn:?}");
    let schema = path("del.schema.json", "{\"const\": \"x\u{7f}y\"}");
    let turn = exits(0, &[&generate[..], &["--schema", &schema]].concat(), "");
    assert!(turn.contains("x\u{7f}y"), "{turn:?}");
    for more in [&[][..], &["--json"]] {
        let told = exits(0, &[&["schema", &schema], more].concat(), "");
        assert!(told.contains("x\u{7f}y"), "{told:?}");
    }
}

/// Colours that are asked for come, and the data beside them stays whole.
#[test]
fn colours_leave_data_alone() {
    let schema = path("colour.schema.json", "{\"const\": \"x\u{7f}y\"}");
    let output = Command::new(env!("CARGO_BIN_EXE_maskwright"))
        .args(["schema", &schema])
        .env("CLICOLOR_FORCE", "1")
        .output()
        .expect("the command runs");
    let told = text(&output.stdout);
    assert!(
        told.starts_with("\u{1b}[1m\u{1b}[32mexact\u{1b}[0m: "),
        "{told:?}"
    );
    assert!(told.contains("\"x\u{7f}y\""), "{told:?}");
    assert!(!exits(0, &["schema", &schema], "").contains('\u{1b}'));
}

/// However a file is read, it is read up to a limit.
#[test]
#[cfg(unix)]
fn endless_files_are_refused() {
    let (vocab, endless) = (tiny(), "/dev/zero");
    let accept = ["accept", "--vocab", &vocab];
    for arguments in [
        &["abnf", endless][..],
        &["schema", endless],
        &["maskbench", "--vocab", &vocab, endless],
        &["generate", "--vocab", endless],
        &[&accept[..], &[endless]].concat(),
        &[&accept[..], &["--jsonl", endless]].concat(),
        &[&accept[..], &["--tools", endless]].concat(),
        &[&accept[..], &["--prompt", endless]].concat(),
    ] {
        let error = refusal(arguments, "");
        assert!(error.contains("/dev/zero: bytes of a "), "{error}");
        assert!(error.contains(" needed, 268435456 allowed"), "{error}");
    }
}

/// What little bytes unpack to counts, and no more of it is kept than that.
#[test]
#[cfg(unix)]
fn what_unpacks_without_end_is_refused() {
    // A frame of a mebibyte of zeros, again and again.
    let level = ruzstd::encoding::CompressionLevel::Fastest;
    let frame = ruzstd::encoding::compress_to_vec(&vec![0; 1 << 20][..], level);
    let bomb = path("bomb.abnf.zst", frame.repeat(600));
    let limited = "ulimit -v 1500000; exec \"$0\" abnf \"$1\"";
    let output = Command::new("sh")
        .args(["-c", limited, env!("CARGO_BIN_EXE_maskwright"), &bomb])
        .output()
        .expect("the command runs");
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("268435456 allowed"), "{error}");
}

/// A rank file is a known vocabulary if it has its tokens, not if it only has as many.
#[test]
fn rank_files_are_known_by_their_tokens() {
    use base64::Engine as _;
    let rank = |bytes: &[u8], id: u32| {
        let token = base64::engine::general_purpose::STANDARD.encode(bytes);
        format!("{token} {id}\n")
    };
    let o200k = tiktoken_rs::o200k_base().expect("built in");
    let known = (0..199_998).map(|id| rank(&o200k.decode_bytes(&[id]).expect("a token"), id));
    let bytes = (0..=u8::MAX).map(|byte| rank(&[byte], byte.into()));
    let as_many = bytes.chain([rank(b"of its own", 199_997)]);
    for (name, ranks, is_known) in [
        ("known.tiktoken", known.collect::<String>(), true),
        ("as-many.tiktoken", as_many.collect(), false),
    ] {
        let vocab = path(name, ranks);
        let generate = ["generate", "--vocab", &vocab, "--count", "1", "--json"];
        let output = maskwright(&generate, "");
        let warned = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{name}: {warned}");
        let lacks_controls = warned.contains("the vocabulary has no special token");
        assert_eq!(lacks_controls, !is_known, "{name}: {warned}");
    }
}

#[test]
fn bytes_that_no_token_spells_are_named() {
    use base64::Engine as _;
    let bytes = (0..=u8::MAX).filter(|byte| !matches!(byte, b'a'..=b'c' | b'{'));
    let ranks = bytes.enumerate().map(|(id, byte)| {
        let token = base64::engine::general_purpose::STANDARD.encode([byte]);
        format!("{token} {id}\n")
    });
    let vocab = path("no-brace.tiktoken", ranks.collect::<String>());
    for (grammar, expected) in [
        (
            "a = %x61-63 / %s\"{\" / %s\"x\"\n",
            "no single-byte token for 0x61 to 0x63, 0x7B: ",
        ),
        ("a = %s\"x\"\n", ""),
    ] {
        let grammar = path("no-brace.abnf", grammar);
        let generate = [
            "generate",
            "--grammar",
            &grammar,
            "--start",
            "a",
            "--vocab",
            &vocab,
            "--count",
            "1",
            "--json",
        ];
        let output = maskwright(&generate, "");
        let warned = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{warned}");
        assert!(warned.contains(expected), "{warned}");
        assert_eq!(warned.is_empty(), expected.is_empty(), "{warned}");
        assert_eq!(lines(&text(&output.stdout))[0]["text"], "x");
    }
}

/// An error has one place: what is shown below says the same as the line above, and leaves nothing out.
#[test]
fn errors_show_where_they_say() {
    let vocab = tiny();
    let many = format!("YQ== 0{}", "\n".repeat(258));
    let ranks = path("late.tiktoken", format!("{many}x\n"));
    let no_utf8 = path(
        "late-bytes.tiktoken",
        [many.as_bytes(), b"\xff 1\n"].concat(),
    );
    let cut = path("bytes.tokenizer.json", b"{\"model\":\n \xff");
    let accept = ["accept", "--vocab", &vocab, "--jsonl"];
    let long = format!("a = {}= \"y\"\n", "%x20 ".repeat(300));
    for (arguments, stdin, place, margin) in [
        (
            &["generate", "--vocab", &ranks][..],
            "",
            "late.tiktoken:259:1: ",
            " 259 │x",
        ),
        (
            &["generate", "--vocab", &no_utf8],
            "",
            "late-bytes.tiktoken:259:1: ",
            " 259 │\u{fffd} 1",
        ),
        (
            &["generate", "--vocab", &cut],
            "",
            "bytes.tokenizer.json:2:2: ",
            " 2 │ \u{fffd}",
        ),
        (&accept, "{\"text\": \"\"}\n{]", "<stdin>:2:2: ", " 2 │{]"),
        (&["abnf", "-"], &long, "<stdin>:1:1505: ", " 1 │%x20"),
        (
            &["abnf", "-"],
            "a = \"x\"\nb = \u{1b}]0;\n",
            "<stdin>:2:5: ",
            " 2 │b = ␛]0;",
        ),
    ] {
        let error = refusal(arguments, stdin);
        assert!(error.contains(place), "{error}");
        assert_eq!(
            error.matches(&place[..place.len() - 2]).count(),
            1,
            "{error}"
        );
        assert!(error.contains(margin), "{error}");
        assert!(error.contains("here"), "{error}");
    }
}

#[test]
fn a_byte_order_mark_is_named() {
    let vocab = tiny();
    let marked = |name: &str, text: &str| path(name, format!("\u{feff}{text}"));
    let schema = marked("mark.schema.json", "{}");
    let rows = marked("mark.jsonl", "{\"text\": \"\"}");
    let ranks = marked("mark.tiktoken", "YQ== 0\n");
    let tokenizer = std::fs::read_to_string(&vocab).expect("there");
    let tokenizer = marked("mark.tokenizer.json", &tokenizer);
    for arguments in [
        &["schema", &schema][..],
        &["accept", "--vocab", &vocab, "--tools", &schema],
        &["accept", "--vocab", &vocab, "--jsonl", &rows],
        &["convert", "--from", "openai", "--to", "harmony", &rows],
        &["generate", "--vocab", &ranks],
        &["generate", "--vocab", &tokenizer],
    ] {
        let error = refusal(arguments, "");
        assert!(error.contains(":1:1: "), "{error}");
        assert!(
            error.contains("hint: the file begins with a byte order mark"),
            "{error}"
        );
    }
}

/// The start rules that are told are those whose lack of use is no fault.
#[test]
fn abnf_starts_where_it_says() {
    let grammar = "a = \"x\"\nb = \"y\"\n";
    for (options, starts, unused) in [
        (&[][..], "a", Some("b")),
        (&["--start", "B"], "b", Some("a")),
        (&["--start", "a", "--start", "b"], "a, b", None),
    ] {
        let output = maskwright(&[&["abnf", "-"], options].concat(), grammar);
        let told = text(&output.stdout);
        assert!(told.contains(&format!("start rules: {starts}\n")), "{told}");
        let warned = text(&output.stderr);
        for rule in ["a", "b"] {
            let warns = warned.contains(&format!("rule `{rule}` is never used"));
            assert_eq!(warns, unused == Some(rule), "{options:?}: {warned}");
        }
    }
}
