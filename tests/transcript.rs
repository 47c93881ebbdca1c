//! The transcript parser on `data/transcripts.toml`, and its streaming properties.

#![allow(clippy::unwrap_used)]

use maskwright::transcript::{
    Analysis, ArgumentValidator, CallLimit, Channel, ChannelRule, ControlSet, ControlToken, Format,
    ParserConfig, Piece, Profile, ResponseValidator, ToolChoice, Transcript, TranscriptError,
    parse, parse_pieces,
};
use proptest::prelude::*;
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
    arguments_need: Option<String>,
    response_needs: Option<String>,
    /// Of a transcript of Harmony: judge it as a generated turn as well.
    #[serde(default)]
    also_turn: bool,
    bodies: Option<Vec<String>>,
    channels: Option<Vec<String>>,
    notes: Option<usize>,
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
        let suite: Suite = toml::from_str(include_str!("data/transcripts.toml")).unwrap();
        suite.case
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
        let format = match self.format.as_str() {
            "harmony" => Format::Harmony,
            "openchatml-2.2" => Format::OpenChatMl22,
            other => panic!("unknown format {other}"),
        };
        let mut config = match self.start.as_deref() {
            None => ParserConfig::transcript(format),
            Some("assistant-turn") => ParserConfig::assistant_turn(format),
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
        let mut rest = 0;
        for message in transcript.messages() {
            let between = &transcript.text()[rest..message.span.start];
            assert!(
                between.trim().is_empty() || transcript.preface().is_some(),
                "{}",
                case.name
            );
            assert!(message.span.start <= message.body_span.start);
            assert!(message.body_span.end < message.span.end);
            rest = message.span.end;
        }
        assert!(transcript.text()[rest..].trim().is_empty(), "{}", case.name);
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
        let mut first: Option<TranscriptError> = None;
        for end in (0..=text.len()).filter(|&end| text.is_char_boundary(end)) {
            match (parse(&text[..end], &config), &first) {
                (Err(error), None) if !error.is_truncated() => first = Some(error),
                (Err(error), Some(_)) if !error.is_truncated() => {}
                (result, Some(first)) => {
                    prop_assert!(false, "{:?} was {first}, then {result:?}", &text[..end]);
                }
                (_, None) => {}
            }
        }
    }
}
