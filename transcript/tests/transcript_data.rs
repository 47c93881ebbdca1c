//! The transcript parser on published transcripts.
//!
//! They are found under `MASKWRIGHT_DATA` (default `../shared`); where the default is
//! absent, these tests say so and pass, and `transcript.rs` is left with its own data.

#![allow(clippy::unwrap_used)]

use maskwright_transcript::{
    ControlSet, ControlToken, Format, ParserConfig, Piece, StartPoint, Transcript, TranscriptError,
    parse, parse_pieces,
};
use std::path::PathBuf;

fn data(path: &str) -> Option<PathBuf> {
    let root = std::env::var_os("MASKWRIGHT_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
        PathBuf::from,
    );
    let path = root.join("data").join(path);
    if !path.exists() {
        let asked = std::env::var_os("MASKWRIGHT_DATA").is_some();
        assert!(!asked, "MASKWRIGHT_DATA has no {}", path.display());
        eprintln!("skipped: {} is absent", path.display());
        return None;
    }
    Some(path)
}

fn verdict(result: &Result<Transcript, TranscriptError>) -> String {
    match result {
        Ok(_) => "complete".to_owned(),
        Err(error) if error.is_truncated() => "prefix".to_owned(),
        Err(error) => error.code().to_string(),
    }
}

/// How a file is read.
#[derive(Clone, Copy, Debug)]
enum Start {
    /// A transcript, as history.
    Transcript,
    /// History from right after `<|start|>assistant`.
    Header,
    /// One generated turn.
    Turn,
}

impl Start {
    fn config(self) -> ParserConfig<'static> {
        match self {
            Self::Transcript => ParserConfig::transcript(Format::Harmony),
            Self::Turn => ParserConfig::assistant_turn(Format::Harmony),
            Self::Header => ParserConfig {
                start: StartPoint::AssistantHeader,
                ..ParserConfig::transcript(Format::Harmony)
            },
        }
    }
}

/// Every file of Harmony's test data, without the line feed that ends some of the files: its
/// start point and its verdict.
const HARMONY: [(&str, Start, &str); 26] = [
    // Prompts: they end in `<|start|>assistant`.
    (
        "test_browser_and_function_tool.txt",
        Start::Transcript,
        "prefix",
    ),
    (
        "test_browser_and_python_tool.txt",
        Start::Transcript,
        "prefix",
    ),
    ("test_browser_tool_only.txt", Start::Transcript, "prefix"),
    (
        "test_does_not_drop_if_ongoing_analysis.txt",
        Start::Transcript,
        "prefix",
    ),
    (
        "test_dropping_cot_by_default.txt",
        Start::Transcript,
        "prefix",
    ),
    ("test_no_tools.txt", Start::Transcript, "prefix"),
    ("test_preserve_cot.txt", Start::Transcript, "prefix"),
    (
        "test_reasoning_system_message.txt",
        Start::Transcript,
        "prefix",
    ),
    (
        "test_reasoning_system_message_no_instruction.txt",
        Start::Transcript,
        "prefix",
    ),
    (
        "test_reasoning_system_message_with_dates.txt",
        Start::Transcript,
        "prefix",
    ),
    (
        "test_render_functions_with_parameters.txt",
        Start::Transcript,
        "prefix",
    ),
    ("test_simple_convo.txt", Start::Transcript, "prefix"),
    (
        "test_simple_convo_high_effort.txt",
        Start::Transcript,
        "prefix",
    ),
    (
        "test_simple_convo_high_effort_no_instruction.txt",
        Start::Transcript,
        "prefix",
    ),
    (
        "test_simple_convo_low_effort.txt",
        Start::Transcript,
        "prefix",
    ),
    (
        "test_simple_convo_low_effort_no_instruction.txt",
        Start::Transcript,
        "prefix",
    ),
    (
        "test_simple_convo_medium_effort.txt",
        Start::Transcript,
        "prefix",
    ),
    (
        "test_simple_convo_medium_effort_no_instruction.txt",
        Start::Transcript,
        "prefix",
    ),
    // A whole conversation.
    (
        "test_keep_analysis_between_finals.txt",
        Start::Transcript,
        "complete",
    ),
    // A reply without its `<|end|>`.
    (
        "test_tool_response_parsing.txt",
        Start::Transcript,
        "prefix",
    ),
    // A turn and the reply to it, from mid-header: as a turn it is over at the call.
    ("test_streamable_parser.txt", Start::Header, "complete"),
    ("test_streamable_parser.txt", Start::Turn, "E-TURN-PARALLEL"),
    // Completions as token ids: `<|return|>` closes the analysis, the last message is not closed.
    (
        "test_simple_reasoning_response.txt",
        Start::Header,
        "prefix",
    ),
    (
        "test_simple_reasoning_response.txt",
        Start::Turn,
        "E-TURN-TERMINATOR",
    ),
    ("test_simple_tool_call.txt", Start::Header, "prefix"),
    (
        "test_simple_tool_call.txt",
        Start::Turn,
        "E-TURN-TERMINATOR",
    ),
];

#[test]
fn harmony_test_data() {
    let Some(directory) = data("harmony-test-data") else {
        return;
    };
    let mut files: Vec<_> = std::fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let mut named: Vec<_> = HARMONY.iter().map(|(file, ..)| *file).collect();
    named.sort();
    named.dedup();
    assert_eq!(files, named, "every file has a verdict");
    for (file, start, expect) in HARMONY {
        let text = std::fs::read_to_string(directory.join(file)).unwrap();
        let text = text.strip_suffix('\n').unwrap_or(&text);
        let result = if text.starts_with(|c: char| c.is_ascii_digit()) {
            parse_ids(text, &start.config())
        } else {
            parse(text, &start.config())
        };
        assert_eq!(
            verdict(&result),
            expect,
            "{file} from {start:?}: {result:?}"
        );
    }
}

/// Parses token ids of o200k_harmony.
fn parse_ids(ids: &str, config: &ParserConfig<'_>) -> Result<Transcript, TranscriptError> {
    let ranks = tiktoken_rs::o200k_harmony().unwrap();
    let tokens: Vec<Vec<u8>> = ids
        .split_whitespace()
        .map(|id| ranks.decode_bytes(&[id.parse().unwrap()]).unwrap())
        .collect();
    let special = |token: &[u8]| {
        let name = std::str::from_utf8(token).ok()?;
        Format::Harmony
            .controls()
            .contains(ControlToken::from_spelling(name)?)
            .then_some(())?;
        ControlToken::from_spelling(name)
    };
    let pieces = tokens
        .iter()
        .map(|token| special(token).map_or(Piece::Text(token), Piece::Control));
    let vocabulary: ControlSet = Format::Harmony.controls();
    parse_pieces(pieces, vocabulary, config)
}

/// Where our verdict is not that of openai-harmony 0.0.8, or an example is wrong, and why.
const EXCEPTIONS: [(&str, &str, &str); 4] = [
    // Its parser wants `to=` after a tool's role; here it is optional in history.
    ("env014", "prefix", "error"),
    // Its parser closes the last message at the end of the input; here it is cut off.
    ("env033", "prefix", "complete"),
    // In the Chinese text the message on the interpreter is not closed.
    ("env097", "E-PARSE-HEADER", "complete"),
    ("env098", "E-PARSE-HEADER", "complete"),
];

#[test]
fn published_envelopes() {
    let Some(file) = data("envelopes-dev.jsonl") else {
        return;
    };
    let mut exceptions = Vec::new();
    for line in std::fs::read_to_string(file).unwrap().lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let field = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let (id, text) = (field("id"), field("text"));
        let (config, theirs) = match field("format").as_str() {
            "harmony" if field("kind") == "completion" => {
                (Start::Header.config(), field("openai_harmony_0_0_8"))
            }
            "harmony" => (Start::Transcript.config(), field("openai_harmony_0_0_8")),
            "openchatml" => (
                ParserConfig::transcript(Format::OpenChatMl22),
                "ok".to_owned(),
            ),
            "internlm2" => (ParserConfig::transcript(Format::InternLm2), "ok".to_owned()),
            other => panic!("no parser of {other}"),
        };
        let theirs = match theirs.as_str() {
            "ok" => "complete",
            "prefix" => "prefix",
            _ => "error",
        };
        let ours = verdict(&parse(&text, &config));
        let agree = ours == theirs || (ours.starts_with("E-") && theirs == "error");
        if !agree {
            exceptions.push((id, ours, theirs.to_owned()));
        }
    }
    let mut expected: Vec<_> = EXCEPTIONS
        .map(|(id, ours, theirs)| (id.into(), ours.into(), theirs.into()))
        .into();
    expected.sort();
    assert_eq!(exceptions, expected);
}
