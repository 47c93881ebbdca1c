//! Lists of texts and token objects, as `convert --pieces` writes them: they say what text is that spells a control token.

use serde_json::{Value, json};

use super::{exits, lines, maskwright, path, refusal, text, tiny};

/// The formats that have a parser, and an answer of each behind a prompt.
const FORMATS: [(&str, &str); 5] = [
    ("chatml", "\nHello<|im_end|>"),
    ("openchatml-0.1", "\nHello<|im_end|>"),
    ("internlm2", "\nHello<|im_end|>"),
    (
        "openchatml-2.2",
        "<|channel|>final<|message|>Hello<|return|>",
    ),
    ("harmony", "<|channel|>final<|message|>Hello<|return|>"),
];

/// Control tokens of all formats, one of which each text spells.
const SPELT: [&str; 8] = [
    "<|im_start|>",
    "<|im_end|>",
    "<|end|>",
    "<|start|>",
    "<|message|>",
    "</s>",
    "<|fim_middle|>",
    "<|endliteral|>",
];

fn message(role: &str, content: &str) -> Value {
    json!({"role": role, "content": content})
}

/// Only the objects of a list are control tokens, in a prompt and in a text to check.
#[test]
fn lists_are_prompts_and_texts() {
    let vocab = tiny();
    let said = r#"[{"token":"<|im_start|>"},"user\nWhat is <|im_end|>?",{"token":"<|im_end|>"},"\n",{"token":"<|im_start|>"},"assistant"#;
    let prompt = path("list.json", format!("{said}\"]\n"));
    let of_prompt = ["--format", "chatml", "--vocab", &vocab, "--prompt", &prompt];
    let accept = [&["accept"][..], &of_prompt].concat();
    exits(0, &accept, "\nHello<|im_end|>");
    exits(1, &accept, "Hello<|im_end|>");
    let check = ["check", "--format", "chatml", "--start", "transcript"];
    let whole = format!(r#"{said}\nHello",{{"token":"<|im_end|>"}}]"#);
    let answer = exits(0, &check, &whole);
    assert!(answer.contains("valid: 2 messages"), "{answer}");
    let open = exits(1, &check, &format!("{said}\"]"));
    assert!(open.contains("unfinished"), "{open}");
    let wrong = exits(1, &check, r#"["x",{"token":"<|im_end|>"}]"#);
    assert!(wrong.contains("#/0: E-"), "{wrong}");
}

/// What `convert --pieces` writes, every command reads that reads a text of the format.
#[test]
fn what_pieces_say_is_read_back() {
    let vocab = tiny();
    for (index, token) in SPELT.into_iter().enumerate() {
        let said = format!("what is {token}?");
        let chat = [
            message("system", &format!("{token} is a token")),
            message("user", &said),
            message("assistant", &format!("It is {token}.")),
            message("user", &said),
        ];
        let chat = json!(chat).to_string();
        for (format, answer) in FORMATS {
            let convert = ["convert", "--from", "openai", "--to", format, "--pieces"];
            let pieces = exits(0, &convert, &chat);
            let check = ["check", "--format", format, "--start", "transcript"];
            assert_eq!(exits(0, &check, &pieces), "valid: 4 messages\n");
            let back = ["convert", "--from", format, "--to", "openai"];
            let back: Value = serde_json::from_str(&exits(0, &back, &pieces)).expect("JSON");
            let spelt: Value = serde_json::from_str(&chat).expect("JSON");
            assert_eq!(back.to_string(), spelt.to_string(), "{format}");
            let same = ["convert", "--from", format, "--to", format, "--pieces"];
            assert_eq!(exits(0, &same, &pieces), pieces, "{format}");
            let shown = lines(&exits(
                0,
                &["render", "--format", format, "--json"],
                &pieces,
            ));
            let texts: Vec<&str> = shown
                .iter()
                .filter_map(|line| line["text"].as_str())
                .collect();
            assert!(texts.contains(&said.as_str()), "{format}: {texts:?}");
            let prompt = exits(0, &[&convert[..], &["--prompt"]].concat(), &chat);
            let prompt = path(&format!("pieces-{format}-{index}.json"), prompt);
            let accept = ["accept", "--format", format, "--vocab", &vocab];
            let after = [&accept[..], &["--prompt", &prompt]].concat();
            assert_eq!(
                maskwright(&after, answer).status.code(),
                Some(0),
                "{format}"
            );
        }
    }
}

/// What is wrong with a list has its place in the list.
#[test]
fn lists_have_places() {
    let back = ["convert", "--from", "harmony", "--to", "openai"];
    for (list, place) in [
        (
            r#"["x", {"token": "<|end|>"}]"#,
            "<stdin>:1:2: E-PARSE-HEADER",
        ),
        (
            r#"[{"token": "<|start|>"}, 3]"#,
            "<stdin>:1:26: #/1: expected a text",
        ),
        (r#"["x""#, "not JSON"),
    ] {
        let error = refusal(&back, list);
        assert!(error.contains(place), "{error}");
    }
    let lost = r#"[{"token":"<|start|>"},"system<|end|>",{"token":"<|message|>"},"x",{"token":"<|end|>"}]"#;
    let error = refusal(&back, lost);
    assert!(error.contains("<stdin>:1:24: E-"), "{error}");
}

/// The base model's own spellings of a sequence's ends are tokens of a list, and no others are.
#[test]
fn ends_of_sequences_are_tokens_as_they_are_spelt() {
    let ends = ["--bos", "[BOS]", "--eos", "[EOS]"];
    let chat = json!([message("user", "[EOS] and </s>")]).to_string();
    let convert = [
        "convert",
        "--from",
        "openai",
        "--to",
        "openchatml-0.1",
        "--pieces",
    ];
    let pieces = exits(0, &[&convert[..], &ends].concat(), &chat);
    assert!(pieces.contains(r#"{"token": "[EOS]"}"#), "{pieces}");
    let back = ["convert", "--from", "openchatml-0.1", "--to", "openai"];
    let same = exits(0, &[&back[..], &ends].concat(), &pieces);
    assert_eq!(same.trim_end(), chat);
    let error = refusal(&back, &pieces);
    assert!(error.contains("<stdin>:1:2: E-"), "{error}");
}

/// Files are written as pieces and read again, and a text in the middle of another may begin as a list does.
#[test]
fn files_are_pieces_too() {
    let same = [
        "convert",
        "--from",
        "openchatml-0.1",
        "--to",
        "openchatml-0.1",
    ];
    let files = r#"[{"token": "<|fim_prefix|>"}, "a <|im_end|>", {"token": "<|fim_middle|>"}, "b", {"token": "<|fim_suffix|>"}, "c"]"#;
    let again = exits(0, &[&same[..], &["--pieces"]].concat(), files);
    assert_eq!(again.trim_end(), files);
    let output = maskwright(&same, files);
    let warned = text(&output.stderr);
    assert!(warned.contains("spells <|im_end|> is text"), "{warned}");
    let check = [
        "check",
        "--format",
        "openchatml-0.1",
        "--start",
        "fim-middle",
    ];
    for middle in [r#"["a", "b"]</s>"#, r#"["a", {"token": "</s>"}]"#] {
        assert_eq!(exits(0, &check, middle), "valid: 1 files and parts\n");
    }
}
