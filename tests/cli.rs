//! The command line as a user meets it: exit codes, what goes to stdout, what to stderr.
#![cfg(feature = "cli")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

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

/// A file of this test's own.
fn file(name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("the file can be written");
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
    let names = commands.lines().take_while(|line| line.starts_with("  "));
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
        &["maskbench", "-", "--engine", "llguidance", "--json"],
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
    for group in [
        "/compile_us",
        "/ttfm_us",
        "/cold/mask_ns",
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
            "--engine",
            "llguidance",
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
        &["maskbench", "-"],
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
    assert!(error.contains("bad.tiktoken:3:1: not base64"), "{error}");
    refusal(&["maskbench", "-", "--vocab", "/no/such/vocabulary"], CASE);
}
