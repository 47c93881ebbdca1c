//! Every example block of every specification has a verdict, and gets it.

use super::automaton::{self, Automaton};
use super::data;
use maskwright_transcript::{
    Channel, ControlSet, ControlToken, Format, Intent, ParserConfig, Piece, Transcript,
    TranscriptError, from_interchange, parse, parse_pieces, read_token_list,
};

/// The tokens around a sequence where no base model names its own.
const NO_BASE: [&str; 2] = ["<s>", "</s>"];

fn verdict(result: &Result<Transcript, TranscriptError>) -> &'static str {
    match result {
        Ok(_) => "complete",
        Err(error) => error.code().as_str(),
    }
}

/// The blocks between fences.
pub(crate) fn fenced(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<Vec<&str>> = None;
    for line in text.lines() {
        match (line.starts_with("```"), open.as_mut()) {
            (true, None) => open = Some(Vec::new()),
            (true, Some(lines)) => {
                blocks.push(lines.join("\n"));
                open = None;
            }
            (false, Some(lines)) => lines.push(line),
            (false, None) => {}
        }
    }
    blocks
}

#[test]
fn chatml() {
    let Some(file) = data("formats/chatml.md") else {
        return;
    };
    // The page shows numbered lines.
    let line = |line: &str| {
        let numbered = line.strip_prefix("| ").and_then(|l| l.split_once(" | "));
        let text = numbered.map(|(_, text)| text).unwrap_or_default();
        let text = text.strip_suffix('|').unwrap_or(text);
        text.strip_suffix(' ').unwrap_or(text).to_owned()
    };
    let text: Vec<String> = file.lines().map(line).collect();
    let blocks = fenced(&text.join("\n"));
    let expected = [
        "complete",
        "complete",
        // A prompt: it ends in a header.
        "E-STREAM-TRUNCATED",
        // A partial message is not completed.
        "E-STREAM-TRUNCATED",
        "complete",
    ];
    assert_eq!(blocks.len(), expected.len());
    let config = ParserConfig::transcript(Format::ChatMl);
    for (block, expected) in blocks.iter().zip(expected) {
        let result = match block.starts_with('[') {
            true => {
                let items = read_token_list(block).unwrap();
                let all: ControlSet = ControlToken::ALL.into_iter().collect();
                let pieces: Vec<Piece<'_>> = items.iter().map(|item| item.piece()).collect();
                parse_pieces(pieces, all, &config)
            }
            false => parse(block, &config),
        };
        assert_eq!(verdict(&result), expected, "{block}: {result:?}");
        let grammar = match (block.starts_with('['), expected) {
            (true, "complete") => Automaton::new("chatml", "token-list", NO_BASE).in_bytes(),
            (true, _) => continue,
            (false, _) => Automaton::new("chatml", "transcript", NO_BASE),
        };
        assert_eq!(grammar.disagreement(block, &result), None);
    }
}

/// How a block of OpenChatML 0.1 is read, and its verdict.
enum Block {
    Whole(&'static str),
    /// As the body of a message of this role.
    Body(&'static str),
}

#[test]
fn openchatml_0_1() {
    use Block::{Body, Whole};
    let template = || Whole("E-PARSE-HEADER");
    let complete = || Whole("complete");
    let base: Vec<Block> = [template(), template()]
        .into_iter()
        .chain((0..11).map(|_| complete()))
        .collect();
    let functions: Vec<Block> = [
        template(),
        complete(),
        template(),
        complete(),
        complete(),
        Body("system"),
        // A JSON Schema: text that no token marks.
        Whole("E-STREAM-TRUNCATED"),
        Body("assistant"),
        Body("tool"),
    ]
    .into_iter()
    .chain((0..10).map(|_| complete()))
    .collect();
    let files = [
        ("openchatml-0.1.md", base, ["<s>", "</s>"]),
        ("openchatml-0.1-functions.md", functions, ["[BOS]", "[EOS]"]),
    ];
    for (name, expected, [start, end]) in files {
        let Some(file) = data(&format!("formats/{name}")) else {
            return;
        };
        let blocks = fenced(&file);
        assert_eq!(blocks.len(), expected.len(), "{name}");
        let config = ParserConfig {
            sequence_start: start.to_owned(),
            sequence_end: end.to_owned(),
            ..ParserConfig::transcript(Format::OpenChatMl01)
        };
        for (block, expected) in blocks.iter().zip(expected) {
            let (text, expected) = match expected {
                Whole(expected) => (block.clone(), expected),
                Body(role) => (
                    format!("<|im_start|>{role}\n{block}\n<|im_end|>"),
                    "complete",
                ),
            };
            let result = parse(&text, &config);
            assert_eq!(verdict(&result), expected, "{name}: {text}: {result:?}");
            let grammar = Automaton::new("openchatml-0.1", automaton::start(&result), [start, end]);
            assert_eq!(grammar.disagreement(&text, &result), None);
        }
    }
}

#[test]
fn internlm2() {
    let Some(file) = data("formats/internlm2.md") else {
        return;
    };
    let mut blocks = Vec::new();
    let mut rest = file.as_str();
    while let Some(at) = rest.find("\n<|im_start|>system\n") {
        let block = &rest[at + 1..];
        let ends = ["\n\nHere, ", "\n\n  1. ", "\n  1. "];
        let end = ends.iter().filter_map(|end| block.find(end)).min();
        let end = end.unwrap_or(block.len());
        blocks.push(block[..end].trim_end());
        rest = &block[end..];
    }
    assert_eq!(blocks.len(), 4);
    for block in blocks {
        let result = parse(block, &ParserConfig::transcript(Format::InternLm2));
        assert_eq!(verdict(&result), "complete", "{block}: {result:?}");
        let grammar = Automaton::new("internlm2", automaton::start(&result), NO_BASE);
        assert_eq!(grammar.disagreement(block, &result), None);
    }
}

#[test]
fn openchatml_2_2() {
    let Some(file) = data("formats/openchatml-2.2.md") else {
        return;
    };
    let between = |start: &str, end: &str| {
        let from = file.find(start).unwrap();
        let length = file[from..].find(end).unwrap();
        file[from..from + length].trim_end().to_owned()
    };
    let example = |start: &str, end: &str| {
        let text = between(start, end);
        text[text.find("<|start|>").unwrap()..].to_owned()
    };
    let header = between("version: 2.2", "Parsers MUST ignore");
    let small = between("<|start|>{ROLE}", "•");
    let blocks = [
        (header.clone(), "complete"),
        // The grammar of a message, laid out over lines.
        (small, "E-PARSE-HEADER"),
        (example("16.1 Minimal", "16.2 "), "complete"),
        (example("16.2 Canonical", "16.3 "), "complete"),
        (example("16.3 Commentary", "Renderers MAY"), "complete"),
        (example("16.4 Literal", "17 ·"), "complete"),
    ];
    for (block, expected) in &blocks {
        let result = parse(block, &ParserConfig::transcript(Format::OpenChatMl22));
        assert_eq!(verdict(&result), *expected, "{block}: {result:?}");
        let grammar = Automaton::new("openchatml-2.2", automaton::start(&result), NO_BASE);
        assert_eq!(grammar.disagreement(block, &result), None);
    }
    let both = format!("{header}\n{}", blocks[2].0);
    let result = parse(&both, &ParserConfig::transcript(Format::OpenChatMl22)).unwrap();
    let says = result.document_header().unwrap();
    assert_eq!((says.major, says.minor), (2, 2));
    assert!(says.harmony && says.require_channels);
    assert_eq!(says.model.as_deref(), Some("gpt-oss-120b"));
    assert_eq!(says.tokens.map(|tokens| tokens.iter().count()), Some(9));
    assert!(result.notes().is_empty(), "{:?}", result.notes());

    // Section 10 shows every member at once, with comments: what is thought, said and called.
    let messages = from_interchange(&between("{\n  \"role\"", "Rule:")).unwrap();
    let said: Vec<_> = messages
        .iter()
        .map(|m| (m.channel, m.body.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            (Some(Channel::Analysis), "Private reasoning (analysis)"),
            (Some(Channel::Commentary), "Visible reply"),
            (Some(Channel::Commentary), "{\"location\":\"SF\"}"),
        ]
    );
    assert!(messages[2].is_call() && messages[1].intent == Some(Intent::Preamble));
}

/// What the document header says changes what is legal.
#[test]
fn negotiation() {
    let check = |header: &str, text: &str, expected: &str| {
        let text = format!("version: 2.2\n{header}\n{text}");
        let result = parse(&text, &ParserConfig::transcript(Format::OpenChatMl22));
        assert_eq!(verdict(&result), expected, "{text}: {result:?}");
    };
    let call = |to: &str, channel: &str| {
        format!("<|start|>assistant to={to} call_id=a<|channel|>{channel}<|message|>{{}}<|call|>")
    };
    let user = "<|start|>user<|message|>x<|end|>";
    check("capabilities: {roles: [user]}", user, "complete");
    check("capabilities: {roles: [system]}", user, "E-PARSE-HEADER");
    let reply = "<|start|>functions.f<|message|>x<|end|>";
    let hip1 = "profiles: {harmony: {enabled: true}}";
    check(hip1, reply, "E-REPLY-UNMATCHED");
    let asked = format!("{}{reply}", call("functions.f", "commentary"));
    check(hip1, &asked, "complete");
    let roles = |roles: &str| format!("{hip1}\ncapabilities: {{roles: [assistant{roles}]}}");
    check(&roles(", \"functions.*\""), &asked, "complete");
    check(&roles(""), &asked, "E-PARSE-HEADER");
    let analysis = "<|start|>assistant<|channel|>analysis<|message|>x<|end|>";
    check(
        "capabilities: {channels: [final]}",
        analysis,
        "E-PARSE-HEADER",
    );
    check("capabilities: {channels: [analysis]}", analysis, "complete");
    let plain = "<|start|>assistant<|message|>x<|end|>";
    check(hip1, plain, "E-PARSE-CHANNEL-MISSING");
    check("profiles: {harmony: {enabled: false}}", plain, "complete");
    // Booleans in all spellings of YAML 1.1 and 1.2; nothing else is one.
    for (words, expected) in [
        (
            "true True TRUE yes Yes YES on On ON y Y",
            "E-PARSE-CHANNEL-MISSING",
        ),
        ("false False FALSE no No NO off Off OFF n N", "complete"),
        ("maybe 1 ~ null", "complete"),
    ] {
        for word in words.split(' ') {
            let profile = format!("profiles: {{harmony: {{enabled: {word}}}}}");
            check(&profile, plain, expected);
        }
    }
    let channels =
        |rest: &str| format!("profiles: {{harmony: {{require_channels: [final]{rest}}}}}");
    check(&channels(""), plain, "E-PARSE-CHANNEL-MISSING");
    check(
        &channels(", enabled: true"),
        plain,
        "E-PARSE-CHANNEL-MISSING",
    );
    check(&channels(", enabled: false"), plain, "complete");
    let search = call("browser.search", "analysis");
    let tools = |list: &str| format!("generation_settings: {{builtin_tools: {list}}}");
    check(&tools("[browser]"), &search, "complete");
    check(&tools("[python]"), &search, "E-TOOL-UNKNOWN");
    let profile = |key: &str| format!("profiles: {{harmony: {{enabled: true, {key}}}}}");
    let function = call("functions.f", "analysis");
    check(
        &profile("tool_calls_in: commentary"),
        &function,
        "E-TURN-CHANNEL",
    );
    check(hip1, &function, "E-TURN-CHANNEL");
    check(hip1, &call("functions.f", "final"), "E-TURN-CHANNEL");
    check(hip1, &call("functions.f", "commentary"), "complete");
    check(hip1, &call("python", "analysis"), "complete");
    check(hip1, &call("python", "final"), "E-TURN-CHANNEL");
    check(&profile("tool_calls_in: [analysis]"), &function, "complete");
    check("model: x", &function, "complete");
    check(
        &profile("builtins_in: [commentary]"),
        &search,
        "E-TURN-CHANNEL",
    );
    check(&profile("builtins_in: [analysis]"), &search, "complete");
    let literal = "<|start|>user<|message|><|literal|>x<|endliteral|><|end|>";
    let tokens = "capabilities: {tokens: [\"<|start|>\", \"<|message|>\", \"<|end|>\"]}";
    check(tokens, literal, "E-PARSE-HEADER");
    check("unknown: {roles: []}", user, "complete");
    // What is no YAML is noted, not refused.
    let text = format!("version: 2.2\n  : [\n{user}");
    let read = parse(&text, &ParserConfig::transcript(Format::OpenChatMl22)).unwrap();
    assert_eq!(read.notes().len(), 1);
}
