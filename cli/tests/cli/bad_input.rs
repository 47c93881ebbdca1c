//! Input that is refused: one error, with its place.

use std::path::Path;
use std::process::Command;

use super::{CASE, file, maskwright, path, refusal, text, tiny};

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

/// What is odd about a grammar is shown as errors are: its line, and a mark below the place.
#[test]
fn odd_input_is_placed() {
    for (command, grammar, expect) in [
        (
            "abnf",
            "a = %x41 / b\nb = %x80-FF\n",
            "warning: <stdin>:2:5: this looks like a range of bytes, as in a grammar over octets, but numbers are code \
             points here\n 2 │b = %x80-FF\n   │       ╰──── here\nhint: `; @bytes` above",
        ),
        (
            "grammar",
            "root ::= \"a\"\nidle ::= \"b\"\n",
            "warning: <stdin>:2:1: rule `idle` is never used\n 2 │idle ::=",
        ),
    ] {
        let output = maskwright(&[command, "-"], grammar);
        assert!(output.status.success(), "{command}");
        let shown = text(&output.stderr);
        assert!(shown.starts_with(expect), "{shown}");
    }
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
            &["accept", "--vocab", &vocab, "/no/such.txt"][..],
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

/// An error has one place: what is shown below says the same as the line above, and leaves nothing out.
#[test]
fn errors_show_where_they_say() {
    let many = format!("YQ== 0{}", "\n".repeat(258));
    let ranks = path("late.tiktoken", format!("{many}x\n"));
    let no_utf8 = path(
        "late-bytes.tiktoken",
        [many.as_bytes(), b"\xff 1\n"].concat(),
    );
    let cut = path("bytes.tokenizer.json", b"{\"model\":\n \xff");
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
    let chat = marked("mark.json", "[]");
    let ranks = marked("mark.tiktoken", "YQ== 0\n");
    let tokenizer = std::fs::read_to_string(&vocab).expect("there");
    let tokenizer = marked("mark.tokenizer.json", &tokenizer);
    for arguments in [
        &["schema", &schema][..],
        &["accept", "--vocab", &vocab, "--tools", &schema],
        &["convert", "--from", "openai", "--to", "harmony", &chat],
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

/// A folder has the file of a vocabulary that models come with, or is told what it lacks.
#[test]
fn folders_without_a_vocabulary_say_what_they_lack() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("folder-of-nothing");
    // An earlier run may have left it.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder of these tests");
    let ask = ["generate", "--vocab", folder.to_str().expect("UTF-8")];
    let error = refusal(&ask, "");
    for name in [
        "tokenizer.json",
        "*.tiktoken",
        "tekken.json",
        "tokenizer.model",
    ] {
        assert!(error.contains(name), "{error}");
    }
    std::fs::write(folder.join("tokenizer.model"), "no model").expect("a file of these tests");
    let error = refusal(&ask, "");
    assert!(error.contains("tokenizer.model:"), "{error}");
}
