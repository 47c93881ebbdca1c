//! The transcript parser on `data/transcripts.toml`, and its streaming properties.

#![allow(clippy::unwrap_used)]

use maskwright_transcript::{
    Analysis, ArgumentValidator, CallLimit, Channel, ChannelRule, ControlSet, ControlToken,
    ErrorCode, Format, FunctionChannels, Parser, ParserConfig, PartKind, Piece, Profile,
    ResponseValidator, StartPoint, Thought, ToolChoice, Transcript, TranscriptError, TypeRule,
    parse, parse_pieces,
};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use serde::Deserialize;

#[derive(Deserialize)]
struct Suite {
    case: Vec<Case>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    format: String,
    start: Option<String>,
    text: String,
    expect: String,
    #[serde(default)]
    tokens: bool,
    #[serde(default)]
    lacks: Vec<String>,
    tools: Option<Vec<String>>,
    choice: Option<String>,
    #[serde(default)]
    parallel: bool,
    analysis: Option<bool>,
    profile: Option<String>,
    #[serde(default)]
    channels_required: bool,
    #[serde(default)]
    open_ids: Vec<String>,
    #[serde(default)]
    closed_ids: Vec<String>,
    #[serde(default)]
    thoughts: Vec<String>,
    sequence: Option<[String; 2]>,
    #[serde(default)]
    types_constrained: bool,
    #[serde(default)]
    functions_on_analysis: bool,
    arguments_need: Option<String>,
    response_needs: Option<String>,
    /// Of a transcript of Harmony: judge it as a generated turn as well.
    #[serde(default)]
    also_turn: bool,
    bodies: Option<Vec<String>>,
    channels: Option<Vec<String>>,
    notes: Option<usize>,
    /// What each body is made of, a word each: see `words`.
    parts: Option<Vec<String>>,
}

fn thought(name: &str) -> Thought {
    let named = |thought: &Thought| thought.as_str() == name;
    Thought::ALL.into_iter().find(named).unwrap()
}

/// The parts of all messages and files, a line each.
fn words(transcript: &Transcript) -> Vec<String> {
    let parts = transcript.messages().iter().flat_map(|m| &m.parts);
    let parts = parts.map(|part| match &part.kind {
        PartKind::Text => format!("text: {}", part.text),
        PartKind::Thought(thought) => format!("{}: {}", thought.as_str(), part.text),
        PartKind::ThoughtFlag(thought) => format!("flag: {}", thought.as_str()),
        PartKind::FunctionList => format!("list: {}", part.text),
        PartKind::Call { recipient } => format!("call {recipient}: {}", part.text),
        PartKind::Output { tool } => format!("output {tool}: {}", part.text),
        other => panic!("{other:?}"),
    });
    let files = transcript.files().iter().map(|file| {
        let text = &transcript.text()[file.span.start..file.span.end];
        format!("{:?}: {text}", file.kind)
    });
    parts.chain(files).collect()
}

/// A validator that wants one key.
struct Needs(String);

impl Needs {
    fn check(&self, text: &str) -> Result<(), String> {
        let value: serde_json::Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
        value
            .get(&self.0)
            .map(drop)
            .ok_or_else(|| format!("{} is missing", self.0))
    }
}

impl ArgumentValidator for Needs {
    fn validate(&self, _: &str, arguments: &str) -> Result<(), String> {
        self.check(arguments)
    }
}

impl ResponseValidator for Needs {
    fn validate(&self, response: &str) -> Result<(), String> {
        self.check(response)
    }
}

const PLACE: char = '▶';
const SPELT: char = '¬';

impl Case {
    fn load() -> Vec<Self> {
        let channelled: Suite =
            toml::from_str(include_str!("../../tests/data/transcripts.toml")).unwrap();
        let im: Suite =
            toml::from_str(include_str!("../../tests/data/transcripts-im.toml")).unwrap();
        [channelled.case, im.case].concat()
    }

    fn arguments(&self) -> Option<Needs> {
        self.arguments_need.clone().map(Needs)
    }

    fn response(&self) -> Option<Needs> {
        self.response_needs.clone().map(Needs)
    }

    fn config<'a>(
        &self,
        arguments: &'a Option<Needs>,
        response: &'a Option<Needs>,
    ) -> ParserConfig<'a> {
        let format = Format::from_name(&self.format).unwrap();
        let mut config = match self.start.as_deref() {
            None => ParserConfig::transcript(format),
            Some("assistant-turn") => ParserConfig::assistant_turn(format),
            Some("middle") => ParserConfig {
                start: StartPoint::FimMiddle,
                ..ParserConfig::assistant_turn(format)
            },
            Some(other) => panic!("unknown start {other}"),
        };
        config.tools = self.tools.clone().map(|tools| tools.into_iter().collect());
        config.tool_choice = match self.choice.as_deref() {
            None => ToolChoice::Auto,
            Some("required") => ToolChoice::Required,
            Some("none") => ToolChoice::None,
            Some(name) => ToolChoice::Named(name.to_owned()),
        };
        config.calls = if self.parallel {
            CallLimit::Many
        } else {
            CallLimit::One
        };
        if self.analysis == Some(false) {
            config.analysis = Analysis::Forbidden;
        }
        if self.profile.is_some() {
            config.profile = Profile::Hip1;
        }
        if self.channels_required {
            config.channels = ChannelRule::Required;
        }
        config.thoughts = self.thoughts.iter().map(|name| thought(name)).collect();
        if let Some([start, end]) = &self.sequence {
            (config.sequence_start, config.sequence_end) = (start.clone(), end.clone());
        }
        if self.types_constrained {
            config.types = TypeRule::Constrained;
        }
        if self.functions_on_analysis {
            config.function_channels = FunctionChannels::CommentaryOrAnalysis;
        }
        config.open_call_ids = self.open_ids.clone();
        config.closed_call_ids = self.closed_ids.clone();
        config.arguments = arguments.as_ref().map(|needs| needs as _);
        config.response = response.as_ref().map(|needs| needs as _);
        config
    }

    /// The text without its marks, and the place of the error.
    fn input(&self) -> (String, Option<usize>) {
        let clean = |text: &str| text.replace([PLACE, SPELT], "");
        let place = self
            .text
            .find(PLACE)
            .map(|at| clean(&self.text[..at]).len());
        (clean(&self.text), place)
    }

    fn vocabulary(&self) -> ControlSet {
        let lacks = |token: &ControlToken| self.lacks.iter().any(|l| l == token.spelling());
        ControlToken::ALL
            .into_iter()
            .filter(|token| !lacks(token))
            .collect()
    }

    fn parse(&self) -> Result<Transcript, TranscriptError> {
        let (arguments, response) = (self.arguments(), self.response());
        let config = self.config(&arguments, &response);
        if !self.tokens {
            return parse(&self.input().0, &config);
        }
        let text = self.text.replace(PLACE, "");
        parse_pieces(pieces(&text, self.vocabulary()), self.vocabulary(), &config)
    }
}

/// The text as tokens: control tokens of the vocabulary as such, but for spelt ones, and other
/// text in pieces of three bytes.
fn pieces(text: &str, vocabulary: ControlSet) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if let Some(spelt) = rest.strip_prefix(SPELT) {
            let end = spelt.find('>').map_or(spelt.len(), |end| end + 1);
            pieces.extend(spelt.as_bytes()[..end].chunks(3).map(Piece::Text));
            at += SPELT.len_utf8() + end;
            continue;
        }
        let token = ControlToken::ALL
            .into_iter()
            .find(|t| rest.starts_with(t.spelling()));
        match token.filter(|&token| vocabulary.contains(token)) {
            Some(token) => {
                pieces.push(Piece::Control(token));
                at += token.spelling().len();
            }
            None => {
                let first = rest.chars().next().map_or(0, char::len_utf8);
                let end = rest[first..]
                    .find(['<', SPELT])
                    .map_or(rest.len(), |end| first + end);
                pieces.extend(rest.as_bytes()[..end].chunks(3).map(Piece::Text));
                at += end;
            }
        }
    }
    pieces
}

fn verdict(result: &Result<Transcript, TranscriptError>) -> String {
    match result {
        Ok(_) => "complete".to_owned(),
        Err(error) if error.is_truncated() => "prefix".to_owned(),
        Err(error) => error.code().to_string(),
    }
}

fn check(case: &Case) {
    let result = case.parse();
    let expect = case.expect.replace("E-STREAM-TRUNCATED", "prefix");
    assert_eq!(verdict(&result), expect, "{}: {result:?}", case.name);
    if let (Some(place), Err(error)) = (case.input().1, &result) {
        assert_eq!(error.span().start, place, "{}: {error}", case.name);
        assert!(error.span().end <= case.input().0.len(), "{}", case.name);
    }
    let messages = result
        .as_ref()
        .map(Transcript::messages)
        .unwrap_or_default();
    if let Some(bodies) = &case.bodies {
        let found: Vec<_> = messages.iter().map(|message| &message.body).collect();
        assert_eq!(found, bodies.iter().collect::<Vec<_>>(), "{}", case.name);
    }
    if let Some(channels) = &case.channels {
        let found: Vec<_> = messages
            .iter()
            .map(|m| m.effective_channel().as_str())
            .collect();
        assert_eq!(&found, channels, "{}", case.name);
    }
    if let (Some(parts), Ok(transcript)) = (&case.parts, &result) {
        assert_eq!(&words(transcript), parts, "{}", case.name);
    }
    if let Some(notes) = case.notes {
        assert_eq!(result.unwrap().notes().len(), notes, "{}", case.name);
    }
}

#[test]
fn every_case_gets_its_verdict() {
    for case in Case::load() {
        check(&case);
        if let Some(turn) = case
            .text
            .strip_prefix("<|start|>assistant")
            .filter(|_| case.also_turn)
        {
            let start = Some("assistant-turn".to_owned());
            check(&Case {
                text: turn.to_owned(),
                start,
                ..case.clone()
            });
        }
    }
}

#[test]
fn names_are_unique() {
    let mut names: Vec<_> = Case::load().into_iter().map(|case| case.name).collect();
    names.sort();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn prefixes_of_complete_transcripts_are_prefixes() {
    for case in Case::load()
        .into_iter()
        .filter(|case| case.expect == "complete" && !case.tokens)
    {
        let (text, _) = case.input();
        for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
            let cut = Case {
                text: text[..end].to_owned(),
                ..case.clone()
            }
            .parse();
            let verdict = verdict(&cut);
            assert!(
                verdict == "prefix" || verdict == "complete",
                "{}, cut at {end}: {cut:?}",
                case.name
            );
        }
    }
}

#[test]
fn prefixes_of_complete_token_sequences_are_prefixes() {
    for case in Case::load()
        .into_iter()
        .filter(|case| case.expect == "complete" && case.tokens)
    {
        let (arguments, response) = (case.arguments(), case.response());
        let config = case.config(&arguments, &response);
        let pieces = pieces(&case.text, case.vocabulary());
        for end in 0..pieces.len() {
            let cut = parse_pieces(pieces[..end].iter().copied(), case.vocabulary(), &config);
            let verdict = verdict(&cut);
            assert!(
                verdict == "prefix" || verdict == "complete",
                "{}: {cut:?}",
                case.name
            );
        }
    }
}

#[test]
fn messages_tile_the_text() {
    for case in Case::load()
        .into_iter()
        .filter(|case| case.expect == "complete")
    {
        let transcript = case.parse().unwrap();
        assert_eq!(transcript.text(), case.input().0, "{}", case.name);
        if !transcript.files().is_empty() {
            continue;
        }
        let marks = case.sequence.clone().unwrap_or_default();
        let marks = ["<s>", "</s>", &marks[0], &marks[1]];
        let is_frame = |text: &str| {
            let text = text.trim();
            text.is_empty() || marks.contains(&text)
        };
        let mut rest = transcript.preface().map_or(0, |preface| preface.end);
        for message in transcript.messages() {
            let between = &transcript.text()[rest..message.span.start];
            assert!(is_frame(between), "{}: {between:?}", case.name);
            assert!(message.span.start <= message.body_span.start);
            assert!(message.body_span.end < message.span.end);
            rest = message.span.end;
        }
        assert!(is_frame(&transcript.text()[rest..]), "{}", case.name);
    }
}

#[test]
fn bytes_that_are_no_characters() {
    let config = ParserConfig::assistant_turn(Format::Harmony);
    let all: ControlSet = ControlToken::ALL.into_iter().collect();
    let body = |bytes: &'static [u8], closed: bool| {
        let mut pieces = vec![
            Piece::Control(ControlToken::Channel),
            Piece::Text(b"final"),
            Piece::Control(ControlToken::Message),
            Piece::Text(bytes),
        ];
        pieces.extend(closed.then_some(Piece::Control(ControlToken::Return)));
        verdict(&parse_pieces(pieces, all, &config))
    };
    assert_eq!(body(b"\xc3\xa9", true), "complete");
    assert_eq!(body(b"\xc3", true), "E-TEXT-ENCODING");
    assert_eq!(body(b"\xff", false), "E-TEXT-ENCODING");
    assert_eq!(body(b"\xc3", false), "prefix");
}

#[test]
fn special_tokens_of_no_format() {
    let config = ParserConfig::assistant_turn(Format::Harmony);
    let all: ControlSet = ControlToken::ALL.into_iter().collect();
    assert_eq!(Piece::special("<|end|>"), Piece::Control(ControlToken::End));
    let pieces = [
        Piece::special("<|channel|>"),
        Piece::Text(b"final"),
        Piece::special("<|message|>"),
        Piece::special("<|endoftext|>"),
        Piece::special("<|return|>"),
    ];
    assert_eq!(
        verdict(&parse_pieces(pieces, all, &config)),
        "E-PARSE-HEADER"
    );
    let text = "<|channel|>final<|message|><|endoftext|><|return|>";
    assert_eq!(verdict(&parse(text, &config)), "complete");
}

#[test]
fn a_call_is_read_in_full() {
    let config = ParserConfig::transcript(Format::OpenChatMl22);
    let text = "<|start|>assistant to=functions.f call_id=a name=n intent=debug content_type=text\
                <|channel|>commentary<|constrain|>json<|message|>{}<|call|>";
    let transcript = parse(text, &config).unwrap();
    let [call] = transcript.messages() else {
        panic!("one message")
    };
    assert!(call.is_call());
    assert_eq!(call.recipient.as_deref(), Some("functions.f"));
    assert_eq!(call.call_id.as_deref(), Some("a"));
    assert_eq!(call.name.as_deref(), Some("n"));
    assert_eq!(call.content_type.as_deref(), Some("text"));
    assert_eq!(call.constrain.as_deref(), Some("json"));
    assert_eq!(call.channel, Some(Channel::Commentary));
    assert_eq!(&text[call.body_span.start..call.body_span.end], "{}");
}

/// Fragments out of which wrong and right transcripts are made.
const FRAGMENTS: [&str; 34] = [
    "<|start|>",
    "<|start|>assistant",
    "<|start|>user<|message|>hi<|end|>",
    "<|channel|>",
    "<|channel|>final",
    "<|channel|>analysis",
    "<|channel|>commentary",
    "<|channel|>final<|message|>",
    "<|message|>",
    "<|constrain|>json",
    "<|constrain|>",
    "<|end|>",
    "<|call|>",
    "<|return|>",
    "<|literal|>",
    "<|endliteral|>",
    "<|sta",
    " to=functions.f",
    " to=functions.g",
    " call_id=a",
    " call_id=b",
    " intent=preamble",
    " json",
    " name=",
    "{}",
    "{\"location\":1}",
    "<",
    "<|",
    " ",
    "\n",
    "é",
    "tool",
    "version: 2.2\n",
    "functions.f",
];

/// Reads pieces one by one; an error comes as early as it is certain.
fn stream(
    pieces: &[Piece<'_>],
    vocabulary: ControlSet,
    config: &ParserConfig<'_>,
) -> Result<Transcript, TranscriptError> {
    let mut parser = Parser::new(vocabulary, config);
    for piece in pieces {
        parser.push(*piece)?;
    }
    parser.finish()
}

/// Whether two verdicts are one: equal transcripts, or errors of one code in one place. In tokens
/// a smuggled control token is an error from its first byte on, before it tells which.
fn assert_same(
    whole: &Result<Transcript, TranscriptError>,
    streamed: &Result<Transcript, TranscriptError>,
    name: &str,
) {
    match (whole, streamed) {
        (Err(whole), Err(streamed)) => {
            let smuggled = whole.code() == ErrorCode::TextControl;
            assert!(
                whole.code() == streamed.code() || smuggled,
                "{name}: {whole}, streamed {streamed}"
            );
            assert_eq!(whole.span().start, streamed.span().start, "{name}");
        }
        _ => assert_eq!(whole, streamed, "{name}"),
    }
}

#[test]
fn streaming_gives_the_same_verdicts() {
    for case in Case::load() {
        let (arguments, response) = (case.arguments(), case.response());
        let config = case.config(&arguments, &response);
        let (text, _) = case.input();
        let whole = case.parse();
        if case.tokens {
            let text = case.text.replace(PLACE, "");
            let pieces = pieces(&text, case.vocabulary());
            let streamed = stream(&pieces, case.vocabulary(), &config);
            assert_same(&whole, &streamed, &case.name);
            continue;
        }
        for size in [1, 2, 7] {
            let pieces: Vec<_> = text.as_bytes().chunks(size).map(Piece::Text).collect();
            let streamed = stream(&pieces, ControlSet::default(), &config);
            assert_same(&whole, &streamed, &case.name);
        }
    }
}

/// Fragments of the formats of `<|im_start|>`.
const IM_FRAGMENTS: [&str; 36] = [
    "<|im_start|>",
    "<|im_start|>user\nhi<|im_end|>\n",
    "<|im_start|>assistant\n",
    "<|im_start|>system\n",
    "<|im_start|>tool\n",
    "<|im_start|>environment",
    " name=<|plugin|>\n",
    " name=x\n",
    "assistant",
    "<|im_end|>",
    "<|im_end|>\n",
    "\n",
    "<s>",
    "</s>",
    "<|reason|>",
    "<|reflect|>",
    "<|start_reason|>a<|end_reason|>\n",
    "<|start_reflect|>a<|end_reflect|>\n",
    "<|start_reason|>",
    "<|end_reason|>",
    "<|function_list|>",
    "<|function_call|>\n",
    "{\"name\":\"f\",\"arguments\":{}}",
    "<|function_output|>",
    "{\"name\":\"f\",\"content\":1}",
    "<|action_start|><|plugin|>\n",
    "{\"name\":\"f\",\"parameters\":{}}",
    "<|action_start|><|interpreter|>\n",
    "```python\n1\n```",
    "<|action_end|>",
    "<|file_separator|>",
    "<|fim_prefix|>a<|fim_middle|>",
    "<|fim_suffix|>",
    "<|im_",
    "é",
    " ",
];

/// What is read of each prefix of a text: a malformed prefix stays malformed, and streaming says
/// of it what reading it at once says.
fn check_prefixes(text: &str, config: &ParserConfig<'_>) -> Result<(), TestCaseError> {
    let mut parser = Parser::new(ControlSet::default(), config);
    let mut first: Option<TranscriptError> = None;
    let bounds = (0..text.len()).filter(|&at| text.is_char_boundary(at));
    for end in bounds.skip(1).chain([text.len()]) {
        let start = (0..end).rfind(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let pushed = parser.push_text(&text[start..end]);
        let error = parse(&text[..end], config).err();
        let malformed = error.clone().filter(|error| !error.is_truncated());
        prop_assert_eq!(
            pushed.is_err(),
            malformed.is_some(),
            "{}: {:?}",
            &text[..end],
            error
        );
        if let (Some(first), Some(now)) = (&first, &malformed) {
            prop_assert_eq!(first.code(), now.code(), "{}", &text[..end]);
            prop_assert_eq!(first.span().start, now.span().start, "{}", &text[..end]);
        }
        prop_assert!(
            first.is_none() || malformed.is_some(),
            "{} healed",
            &text[..end]
        );
        first = first.or(malformed);
    }
    if !text.is_empty() {
        prop_assert_eq!(parser.finish().ok(), parse(text, config).ok());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Once malformed, always malformed: streaming may stop at the first error.
    #[test]
    fn what_follows_heals_nothing(
        picks in prop::collection::vec(0..FRAGMENTS.len(), 0..12),
        openchatml: bool,
        turn: bool,
        parallel: bool,
    ) {
        let format = if openchatml { Format::OpenChatMl22 } else { Format::Harmony };
        let mut config = if turn {
            ParserConfig::assistant_turn(format)
        } else {
            ParserConfig::transcript(format)
        };
        config.tools = Some(["functions.f"].into_iter().collect());
        config.calls = if parallel { CallLimit::Many } else { CallLimit::One };
        let text: String = picks.iter().map(|&pick| FRAGMENTS[pick]).collect();
        check_prefixes(&text, &config)?;
    }

    #[test]
    fn what_follows_heals_nothing_in_im_formats(
        picks in prop::collection::vec(0..IM_FRAGMENTS.len(), 0..12),
        format in prop::sample::select(vec![Format::ChatMl, Format::OpenChatMl01, Format::InternLm2]),
        turn: bool,
    ) {
        let config = if turn {
            ParserConfig::assistant_turn(format)
        } else {
            ParserConfig::transcript(format)
        };
        let text: String = picks.iter().map(|&pick| IM_FRAGMENTS[pick]).collect();
        check_prefixes(&text, &config)?;
    }
}
