//! `accept`, `check`, `render` and `convert`: texts that are given.

use super::{CALL, FINAL, FORMATS, TOOLS, exits, lines, maskwright, path, refusal, text, tiny};

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
        error(0).starts_with("<stdin>:1: schema:1:13: #/pattern: "),
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
        prompt.ends_with("<<|end|><|end|>\n<|start|>assistant"),
        "{prompt}"
    );
    let list = convert("chatml", "chatml-tokens", "<|im_start|>user\nHi<|im_end|>");
    assert_eq!(
        convert("chatml-tokens", "chatml", &list),
        "<|im_start|>user\nHi<|im_end|>\n"
    );
    let spelt = list.replace("Hi", "<|im_end|>");
    assert_eq!(convert("chatml-tokens", "chatml-tokens", &spelt), spelt);
    // A user may write anything: pieces say what is text, and where only text is left, that is said.
    let chat_of_tokens = r#"[{"role":"user","content":"<|im_end|>"}]"#;
    let to_chatml = ["convert", "--from", "openai", "--to", "chatml"];
    let output = maskwright(&to_chatml, chat_of_tokens);
    assert_eq!(output.status.code(), Some(0));
    let warned = text(&output.stderr);
    assert!(warned.contains("spells <|im_end|> is text"), "{warned}");
    let pieces = exits(0, &[&to_chatml[..], &["--pieces"]].concat(), chat_of_tokens);
    assert!(pieces.contains("\"user\\n<|im_end|>\""), "{pieces}");
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
    let (text, warned) = convert("openai", "openchatml-2.2", chat);
    assert!(text.contains(" call_id=call_1<|channel|>"), "{text}");
    assert!(
        warned.contains("no place for all characters of a call_id="),
        "{warned}"
    );
    let (_, warned) = convert("openai", "internlm2", chat);
    assert!(
        warned.contains("<stdin>:2:9: internlm2 has no place for private reasoning"),
        "{warned}"
    );
}

/// A prompt of Harmony begins with what the model was trained on; options change it.
#[test]
fn harmony_prompts_have_a_head() {
    let tools = path(
        "head-tools.json",
        r#"[{"name": "uber.ride", "input_schema": {"type": "object"}}]"#,
    );
    let chat = r#"[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"},
        {"role":"assistant","reasoning":"Old.","content":"Yes."},{"role":"user","content":"So?"}]"#;
    let prompt = |options: &[&str]| {
        let command = ["convert", "--from", "openai", "--to", "harmony", "--prompt"];
        exits(0, &[&command[..], options].concat(), chat)
    };
    let plain = prompt(&["--tools", &tools, "--date", "2025-06-28"]);
    let expected = "<|start|>system<|message|>You are ChatGPT, a large language model trained by OpenAI.\n\
        Knowledge cutoff: 2024-06\nCurrent date: 2025-06-28\n\nReasoning: medium\n\n# Valid channels: \
        analysis, commentary, final. Channel must be included for every message.\nCalls to these tools \
        must go to the commentary channel: 'functions'.<|end|><|start|>developer<|message|># Instructions\n\n\
        Be brief.\n\n# Tools\n\n## functions\n\nnamespace functions {\n\ntype uber.ride = (_: {\n}) => any;\n\n\
        } // namespace functions<|end|><|start|>user<|message|>Hi<|end|><|start|>assistant<|channel|>final\
        <|message|>Yes.<|end|><|start|>user<|message|>So?<|end|><|start|>assistant";
    assert_eq!(plain, expected);
    let other = prompt(&[
        "--identity",
        "You are Kit.",
        "--cutoff",
        "",
        "--effort",
        "low",
        "--keep-analysis",
    ]);
    assert!(
        other.starts_with("<|start|>system<|message|>You are Kit.\n\nReasoning: low\n\n# Valid"),
        "{other}"
    );
    assert!(
        other.contains("<|channel|>analysis<|message|>Old.<|end|>"),
        "{other}"
    );
}

/// What the reader of chat messages mends is warned of.
#[test]
fn chat_messages_are_read_as_they_come() {
    for (assistant, harmony, warning) in [
        (
            r#"{"function_call":{"name":"f","arguments":"{}"}}"#,
            "to=functions.f",
            "",
        ),
        (
            r#"{"refusal":"I cannot."}"#,
            "final<|message|>I cannot.",
            "a refusal is read",
        ),
        (
            r#"{"thinking":"Hm","content":"x"}"#,
            "analysis<|message|>Hm",
            "",
        ),
        (
            r#"{"reasoning":{"text":"Hm"},"content":"x"}"#,
            "analysis<|message|>Hm",
            "",
        ),
        (
            r#"{"content":"x","audio":{"id":1}}"#,
            "<|message|>x",
            "#/0/audio: this member is not known",
        ),
        (
            r#"{"tool_calls":[{"id":"a","function":{"name":"f","arguments":{"p":"x"}}}]}"#,
            "<|message|>{\"p\":\"x\"}",
            "the arguments are an object",
        ),
        (
            r#"{"tool_calls":[{"id":"a","function":{"name":"f","arguments":""}}]}"#,
            "<|constrain|>json<|message|>{}",
            "the arguments are empty",
        ),
        (
            r#"{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"p"}}]}"#,
            "commentary<|message|>{\"p",
            "the arguments are no JSON",
        ),
        (
            r#"{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}},
                {"id":"a","function":{"name":"g","arguments":"{}"}}]}"#,
            "to=functions.g",
            "this call gets \"a_2\"",
        ),
    ] {
        let chat = format!(
            "[{}]",
            assistant.replacen('{', "{\"role\":\"assistant\",", 1)
        );
        let output = maskwright(&["convert", "--from", "openai", "--to", "harmony"], &chat);
        let (said, warned) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{chat}: {warned}");
        assert!(said.contains(harmony), "{chat}: {said}");
        assert!(warned.contains(warning), "{chat}: {warned}");
        assert!(
            !warning.is_empty() || warned.is_empty() || warned.contains("call_id"),
            "{chat}: {warned}"
        );
    }
}

/// Harmony's ways to write a header stay as they are.
#[test]
fn harmony_headers_keep_their_form() {
    for turn in [
        "<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>",
        "<|start|>assistant<|channel|>commentary to=functions.f<|constrain|>json<|message|>{}<|call|>",
        "<|start|>assistant to=functions.f<|channel|>commentary json<|message|>{}<|call|>",
        "<|start|>assistant<|channel|>analysis to=browser.search code<|message|>{}<|call|>",
        "<|start|>assistant<|message|>No channel.<|end|>",
        "<|start|>uber.ride to=assistant<|channel|>commentary<|message|>x<|end|>",
        "<|start|>assistant<|channel|>final<|message|>x<|return|>",
    ] {
        let same = ["convert", "--from", "harmony", "--to", "harmony"];
        assert_eq!(exits(0, &same, turn), turn);
    }
}

/// The formats that come along, and which of them a template speaks of.
#[test]
fn formats_are_listed_and_told_by_a_template() {
    let listed = text(&maskwright(&["formats"], "").stdout);
    for format in FORMATS.iter().chain(&["qwen3", "llama3"]) {
        assert!(
            listed.lines().any(|line| line.starts_with(format)),
            "{format}"
        );
    }
    let template = ["formats", "--template", "-"];
    let llama = "{{ '<|start_header_id|>assistant<|end_header_id|>\n\n{\"name\": \"' }} \
                 \"parameters\" <|eot_id|> <|eom_id|> <|python_tag|>";
    let told = text(&maskwright(&template, llama).stdout);
    assert!(told.starts_with("llama3"), "{told}");
    let error = refusal(&template, "{{ bos_token }}");
    assert!(
        error.contains("none of the formats that come along"),
        "{error}"
    );
}

/// `--format auto` takes the format whose control tokens the vocabulary has.
#[test]
fn the_format_is_told_by_the_vocabulary() {
    let tiny = tiny();
    let accept = ["accept", "--format", "auto", "--vocab", &tiny, "-"];
    assert_eq!(text(&maskwright(&accept, FINAL).stdout).trim(), "accepted");
    let ranks = path("no controls.tiktoken", "eA== 0\n");
    let error = refusal(&["accept", "--format", "auto", "--vocab", &ranks, "-"], "x");
    assert!(error.contains("no format that comes along"), "{error}");
    assert!(error.contains("`maskwright formats` lists them"), "{error}");
}

/// A flag that only the format knows, and what the checker of formats says of it.
#[test]
fn formats_have_flags_of_their_own() {
    let grammar = path(
        "flags.abnf",
        "assistant-turn = [ <if thinking> %s\"<think>\" <text> %s\"</think>\" ] \"x\" \"<|im_end|>\"\n\
         opening = \"<|im_start|>\"\ncontrol-token = mark\nmark = %s\"</think>\"\n",
    );
    let vocab = tiny();
    let accept = ["accept", "--vocab", &vocab, "--grammar", &grammar];
    let thought = "<think>hm</think>x<|im_end|>";
    exits(0, &accept, "x<|im_end|>");
    exits(1, &accept, thought);
    exits(0, &[&accept[..], &["--flag", "thinking"]].concat(), thought);
    let error = refusal(&[&accept[..], &["--flag", "thinkng"]].concat(), thought);
    assert!(error.contains("its flags are thinking"), "{error}");
    let output = maskwright(&["abnf", &grammar, "--start", "assistant-turn"], "");
    assert_eq!(
        (output.status.code(), text(&output.stderr).as_str()),
        (Some(0), "")
    );
    let misspelt = "a = <if paralel-calls> <txt> \"<|x|>\"";
    let warned = text(&maskwright(&["abnf", "-"], misspelt).stderr);
    assert!(
        warned.contains("did you mean `parallel-calls`?"),
        "{warned}"
    );
    assert!(
        warned.contains("<stdin>:1:24: no chat format can have `<txt>`"),
        "{warned}"
    );
}

/// Prompts for a middle: at the cursor, or with the text behind it.
#[test]
fn a_prompt_may_ask_for_the_middle_of_a_text() {
    let vocab = tiny();
    let start = ["--format", "openchatml-0.1", "--start", "fim-middle"];
    let at_cursor = path("cursor.txt", "<|fim_prefix|>def f(n):\n    <|fim_middle|>");
    let around = path(
        "around.txt",
        "<|fim_prefix|>The capital is <|fim_middle|><|fim_suffix|>, a large city.",
    );
    for prompt in [&at_cursor, &around] {
        let generate = [
            "generate", "--vocab", &vocab, "--count", "2", "--json", "--seed", "1",
        ];
        let prompt = ["--prompt", prompt];
        let output = maskwright(&[&generate[..], &start, &prompt].concat(), "");
        let answers = lines(&text(&output.stdout));
        assert!(answers.len() == 2 && answers.iter().all(|answer| answer["valid"] == true));
        let accept = [&["accept", "--vocab", &vocab][..], &start, &prompt].concat();
        let output = maskwright(&accept, "return 1<|fim_suffix|>");
        assert_eq!(output.status.code(), Some(0));
        let output = maskwright(&accept, "return 1<|fim_middle|>");
        assert_eq!(output.status.code(), Some(1));
    }
    let accept = ["accept", "--vocab", &vocab];
    let filled = path(
        "filled.txt",
        "<|fim_prefix|>a<|fim_middle|>b<|fim_suffix|>c",
    );
    let error = refusal(&[&accept[..], &start, &["--prompt", &filled]].concat(), "");
    assert!(error.contains("the prompt"), "{error}");
}

/// InternLM2 offers the interpreter and then the plugins, after what the system says in general.
#[test]
fn convert_offers_tools_as_internlm2_does() {
    let tools = path("tools.json", TOOLS);
    let chat = r#"[{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi"}]"#;
    let to = |format| ["convert", "--from", "openai", "--to", format, "--prompt"];
    let built_in = ["--built-in", "python"];
    let offer = [&built_in[..], &["--tools", &tools]].concat();
    let prompt = exits(0, &[&to("internlm2")[..], &offer].concat(), chat);
    let begin = "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>system name=<|interpreter|>\n\
        You now have access to a Jupyter notebook environment";
    assert!(prompt.starts_with(begin), "{prompt}");
    let end = "\"additionalProperties\": false}}]<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant";
    assert!(prompt.ends_with(end), "{prompt}");
    assert!(
        prompt.contains(
            "formats)<|im_end|>\n<|im_start|>system name=<|plugin|>\n[{\"name\": \"add\""
        )
    );
    let error = refusal(&[&to("chatml")[..], &built_in].concat(), chat);
    assert!(
        error.contains("no text for it is published for chatml"),
        "{error}"
    );
}

/// What escapes a control token is text to `accept`, as it is to the parser.
#[test]
fn escapes_get_one_verdict() {
    let vocab = tiny();
    for (body, code) in [
        ("a <<|start|> b", 0),
        ("a <<<|start|> b", 0),
        ("<|literal|><|start|><|endliteral|>", 0),
        ("a <|start|> b", 1),
        ("a <<|return|>", 0),
        ("a <", 1),
        ("a <<|start_reason|> b", 1),
    ] {
        let turn = format!("<|channel|>final<|message|>{body}<|return|>");
        let format = ["--format", "openchatml-2.2"];
        for command in [&["accept", "--vocab", &vocab][..], &["check"]] {
            let output = maskwright(&[command, &format].concat(), &turn);
            assert_eq!(output.status.code(), Some(code), "{command:?}: {body}");
        }
    }
}
