//! `generate` and `fuzz-format`: turns under all that a request may ask.

use std::process::Command;

use super::{CALL, FINAL, FORMATS, TOOLS, exits, lines, maskwright, path, refusal, text, tiny};

#[test]
fn generates_without_options() {
    let output = maskwright(&["--count", "2", "--max-tokens", "120"], "");
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{stdout}{stderr}");
    let mut lines = stdout.lines().rev();
    let next = lines.next().expect("what to try next");
    assert!(next.starts_with("Try next: maskwright explain "), "{next}");
    let figures = lines.next().expect("a line of figures");
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
        assert!(summary.contains(": 0 differences"), "{summary}");
    }
}

/// The commands of the page on adding a format.
#[test]
fn adding_a_format_works_as_its_page_says() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let page = std::fs::read_to_string(format!("{root}/docs/guide/adding-a-format.md"));
    let page = page.expect("the page is there");
    let commands = page
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

/// A turn ends within its tokens; too few are refused, and the error says how many suffice.
#[test]
fn turns_end_in_their_budget() {
    let vocab = tiny();
    let arguments = ["generate", "--vocab", &vocab, "--count", "5", "--json"];
    let within = |tokens| [&arguments[..], &["--max-tokens", tokens]].concat();
    let output = maskwright(&within("2"), "");
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    let needed = error.split("--max-tokens ").nth(1).expect("a hint");
    let needed = needed.split(' ').next().expect("a number");
    for turn in lines(&exits(0, &within(needed), "")) {
        assert_eq!(turn["valid"], true, "{turn}");
        let most: u64 = needed.parse().expect("a number");
        assert!(turn["tokens"].as_u64().expect("a number") <= most, "{turn}");
    }
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

/// Turns that call `f`.
const CHECKED_HARMONY: &str =
    " to=functions.f<|channel|>commentary<|constrain|>json<|message|>{}<|call|>";
const CHECKED_QWEN: &str =
    "\n<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call><|im_end|>";

#[test]
fn patterns_of_another_dialect_are_not_judged() {
    let vocab = tiny();
    let schema = path(
        "letters.json",
        r#"{"type":"string","pattern":"^[[:alpha:]]{3}$"}"#,
    );
    let tools = r#"[{"name":"f","parameters":{"type":"object","properties":{"a":{"pattern":"^[[:alpha:]]{3}$","type":"string"}},"required":["a"]}}]"#;
    let tools = path("letters-tools.json", tools);
    let all = [
        "generate",
        "--vocab",
        &vocab,
        "--patterns",
        "pcre",
        "--json",
    ];
    for asked in [
        &["--schema", &schema][..],
        &["--tools", &tools, "--tool-choice", "required"],
    ] {
        let output = maskwright(&[&all[..], asked].concat(), "");
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{stdout}{stderr}");
        assert!(stderr.contains("not judged"), "{stderr}");
        assert!(!stdout.contains(r#""valid":false"#), "{stdout}");
    }
    let stdout = exits(0, &["schema", &schema, "--patterns", "pcre"], "");
    assert!(stdout.contains("not judged"), "{stdout}");
    // What else the text says is.
    let response = ["check", "--format", "harmony", "--response-schema", &schema];
    let pcre = [&response[..], &["--patterns", "pcre"]].concat();
    for (answer, code) in [(r#""abc""#, 0), ("abc", 1)] {
        let turn = format!("<|channel|>final<|message|>{answer}<|return|>");
        let output = maskwright(&pcre, &turn);
        let warned = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{answer}: {warned}");
        assert!(warned.contains("letters.json: the judge reads"), "{warned}");
    }
    for (format, calls) in [
        (["--format", "harmony"], CHECKED_HARMONY),
        (["--grammar", "qwen3"], CHECKED_QWEN),
    ] {
        let check = [&["check"], &format[..], &["--tools", &tools]].concat();
        let pcre = [&check[..], &["--patterns", "pcre"]].concat();
        for (arguments, code, code_of_ecma) in
            [(r#"{"a":"abc"}"#, 0, 1), ("[]", 1, 1), (r#"{"a":"#, 1, 1)]
        {
            let turn = calls.replace("{}", arguments);
            let output = maskwright(&pcre, &turn);
            let warned = text(&output.stderr);
            assert_eq!(output.status.code(), Some(code), "{turn}: {warned}");
            assert!(
                warned.contains("not judged: tool `functions.f`"),
                "{warned}"
            );
            let of_ecma = maskwright(&check, &turn);
            assert_eq!(of_ecma.status.code(), Some(code_of_ecma), "{turn}");
        }
    }
}
