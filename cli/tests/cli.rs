//! The command line as a user meets it: exit codes, what goes to stdout, what to stderr. What one command does is in the
//! file of that command; here is what all have in common.

#[path = "cli/abnf.rs"]
mod abnf;
#[path = "cli/bad_input.rs"]
mod bad_input;
#[path = "cli/check_options.rs"]
mod check_options;
#[path = "cli/explain.rs"]
mod explain;
#[path = "cli/generate.rs"]
mod generate;
#[path = "cli/grammar.rs"]
mod grammar;
#[path = "cli/idle_options.rs"]
mod idle_options;
#[path = "cli/maskbench.rs"]
mod maskbench;
#[path = "cli/pieces.rs"]
mod pieces;
#[path = "cli/readings.rs"]
mod readings;
#[path = "cli/schema.rs"]
mod schema;
#[path = "cli/streams.rs"]
mod streams;
#[path = "cli/texts.rs"]
mod texts;

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

/// A small vocabulary with Harmony's control tokens: quick to load.
fn tiny() -> String {
    data("tiny/tokenizer.json")
}

fn data(name: &str) -> String {
    format!("{}/../tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
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

const FORMATS: [&str; 5] = [
    "chatml",
    "harmony",
    "internlm2",
    "openchatml-0.1",
    "openchatml-2.2",
];

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

/// Escape sequences, DEL and what looks like a colour are data: what is piped has them as they are, but for what `render`
/// shows to people.
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
    let visible = "a\\u{1b}]0;b\\u{7f}c\\u{1b}[31md";
    assert_eq!(shown, format!("user: {visible}\nassistant: ok\n"));
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
