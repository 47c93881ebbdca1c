//! The toolkit around the transcript parser: rendering, visibility, JSON, events, tools.

#![allow(clippy::unwrap_used)]

#[path = "toolkit/automaton.rs"]
mod automaton;
#[path = "toolkit/conversations.rs"]
mod conversations;
#[path = "toolkit/convert.rs"]
mod convert;
#[path = "toolkit/files.rs"]
mod files;
#[path = "toolkit/json.rs"]
mod json;
#[path = "toolkit/prompts.rs"]
mod prompts;
#[path = "support/random.rs"]
mod random;
#[path = "toolkit/render.rs"]
mod render;
#[path = "toolkit/router.rs"]
mod router;
#[path = "toolkit/specs.rs"]
mod specs;
#[path = "toolkit/stream.rs"]
mod stream;
#[path = "toolkit/tools.rs"]
mod tools;

use maskwright_transcript::{
    Format, Message, ParserConfig, Span, Transcript, TranscriptError, parse,
};
use serde::Deserialize;
use std::path::PathBuf;

#[derive(Deserialize)]
struct Suite {
    case: Vec<Case>,
}

/// A case of the parser's suites, as far as it concerns whole transcripts.
#[derive(Deserialize)]
struct Case {
    name: String,
    format: String,
    start: Option<String>,
    text: String,
    #[serde(default)]
    tokens: bool,
    /// The base model's own tokens.
    sequence: Option<[String; 2]>,
}

/// Every case of the parser's suites.
fn cases() -> Vec<Case> {
    let files = [
        include_str!("data/transcripts.toml"),
        include_str!("data/transcripts-im.toml"),
    ];
    let cases = |file| toml::from_str::<Suite>(file).unwrap().case;
    files.into_iter().flat_map(cases).collect()
}

/// Every transcript of the parser's suites that can be read without further options.
fn transcripts() -> Vec<(String, Format, Transcript)> {
    let mut found = Vec::new();
    let whole = |case: &Case| case.start.is_none() && !case.tokens;
    for case in cases().into_iter().filter(whole) {
        let format = Format::from_name(&case.format).unwrap();
        // The mark of an error is no part of the text.
        if let Ok(transcript) = read(&case.text.replace('▶', ""), format) {
            found.push((case.name, format, transcript));
        }
    }
    assert!(found.len() > 50, "{} transcripts only", found.len());
    found
}

fn read(text: &str, format: Format) -> Result<Transcript, TranscriptError> {
    parse(text, &ParserConfig::transcript(format))
}

/// Reads the text of a case with the tokens of its base model.
fn parse_case(case: &Case) -> Result<Transcript, TranscriptError> {
    let mut config = ParserConfig::transcript(Format::from_name(&case.format).unwrap());
    if let Some([start, end]) = case.sequence.clone() {
        (config.sequence_start, config.sequence_end) = (start, end);
    }
    parse(&case.text.replace('▶', ""), &config)
}

/// The messages without their places, and without what only their places tell apart.
fn placeless(messages: &[Message]) -> Vec<Message> {
    let placeless = |message: &Message| {
        let mut message = message.clone();
        message.span = Span::default();
        message.body_span = Span::default();
        for part in &mut message.parts {
            part.span = Span::default();
        }
        message
    };
    messages.iter().map(placeless).collect()
}

/// A file of the published data, or none where it is absent and nobody asked for it.
fn data(path: &str) -> Option<String> {
    let root = std::env::var_os("MASKWRIGHT_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let path = root.join(path);
    if !path.exists() {
        let asked = std::env::var_os("MASKWRIGHT_DATA").is_some();
        assert!(!asked, "MASKWRIGHT_DATA has no {}", path.display());
        eprintln!("skipped: {} is absent", path.display());
        return None;
    }
    Some(std::fs::read_to_string(path).unwrap())
}
