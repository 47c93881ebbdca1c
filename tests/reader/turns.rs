//! What readers tell of turns: of those in `data/reader.toml` exactly, of those in the suite of formats that they are read.

use std::sync::Arc;

use maskwright::base::{Limits, TokenId};
use maskwright::front::chat::{
    Analysis, BuiltIn, ChatOptions, Format, ParallelCalls, ToolChoice, ToolSet,
};
use maskwright::reader::{
    Event, Message, MessagePart, ReadError, Reader, ReaderConfig, ReaderPlan,
};
use maskwright::vocab::VocabularyBuilder;
use serde::Deserialize;

const TOOLS: &str = include_str!("../data/chat-tools.json");

#[derive(Deserialize)]
struct Suite {
    case: Vec<Case>,
}

/// A turn and what it says, a line each: `reasoning: …`, `content: …`, `call NAME ID: ARGUMENTS`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    format: String,
    #[serde(default)]
    tools: Option<String>,
    #[serde(default)]
    python: bool,
    #[serde(default)]
    flags: Vec<String>,
    response: Option<String>,
    #[serde(default)]
    lead: String,
    text: String,
    /// What a strict reader says of a text that is no turn.
    error: Option<String>,
    /// What a lenient reader makes of the text.
    says: Vec<String>,
}

impl Case {
    fn plan(&self) -> ReaderPlan {
        let mut options = ChatOptions::default();
        if let Some(tools) = &self.tools {
            options.tools = ToolSet::parse(tools, &Limits::default()).unwrap();
        }
        if self.python {
            options.built_ins.python = BuiltIn::Offered;
        }
        options.parallel_calls = ParallelCalls::Allowed;
        options.flags = self.flags.iter().cloned().collect();
        options.response_schema.clone_from(&self.response);
        plan(&self.format, &options)
    }
}

/// A format that comes along, or one for tests.
fn format(name: &str) -> Format {
    let limits = Limits::default();
    let source = match name {
        "string-arguments" => include_str!("../data/chat/string-arguments.abnf"),
        _ => return Format::built_in(name, &limits).unwrap().unwrap(),
    };
    Format::parse(name, source, &[], &limits).unwrap()
}

fn plan(name: &str, options: &ChatOptions) -> ReaderPlan {
    let format = format(name);
    ReaderPlan::new(&format, "assistant-turn", options).unwrap()
}

/// A text in pieces of so many bytes.
fn read(mut reader: Reader, text: &str, size: usize) -> Result<(Vec<Event>, Message), ReadError> {
    let mut events = Vec::new();
    for piece in text.as_bytes().chunks(size.max(1)) {
        events.extend(reader.feed_bytes(piece)?);
    }
    let (last, message) = reader.finish()?;
    events.extend(last);
    Ok((events, message))
}

/// The parts of a message, a line each.
fn said(message: &Message) -> Vec<String> {
    let line = |part: &MessagePart| match part {
        MessagePart::Reasoning(text) => format!("reasoning: {text}"),
        MessagePart::Content(text) => format!("content: {text}"),
        MessagePart::Call(call) => {
            let id = call.id.as_deref().map(|id| format!(" {id}"));
            let cut = if call.is_complete { "" } else { " (cut)" };
            format!(
                "call {}{}: {}{cut}",
                call.name,
                id.unwrap_or_default(),
                call.arguments
            )
        }
        _ => unreachable!(),
    };
    message.parts.iter().map(line).collect()
}

/// All reasoning, all content, and of each call its name, id and arguments.
type Told = (String, String, Vec<(String, Option<String>, String)>);

/// What the events say together: all reasoning, all content, and each call.
fn told(events: &[Event]) -> Told {
    let (mut reasoning, mut content, mut calls) = (String::new(), String::new(), Vec::new());
    for event in events {
        match event {
            Event::Reasoning { text, .. } => reasoning.push_str(text),
            Event::Content { text, .. } => content.push_str(text),
            Event::Call { name, id, .. } => calls.push((name.clone(), id.clone(), String::new())),
            Event::CallId { index, id, .. } => calls[*index].1 = Some(id.clone()),
            Event::Arguments { index, text, .. } => calls[*index].2.push_str(text),
            _ => {}
        }
    }
    (reasoning, content, calls)
}

/// Those arguments that the events tell of one by one, as an object for each call.
fn one_by_one(events: &[Event]) -> Vec<serde_json::Value> {
    let mut calls = Vec::new();
    for event in events {
        match event {
            Event::Call { .. } => calls.push(serde_json::json!({})),
            Event::Argument {
                index, name, value, ..
            } => calls[*index][name] = serde_json::from_str(value).unwrap(),
            _ => {}
        }
    }
    calls
}

/// The same of a message.
fn all_of(message: &Message) -> Told {
    let mut all = (String::new(), String::new(), Vec::new());
    for part in &message.parts {
        match part {
            MessagePart::Reasoning(text) => all.0.push_str(text),
            MessagePart::Content(text) => all.1.push_str(text),
            MessagePart::Call(call) => {
                all.2
                    .push((call.name.clone(), call.id.clone(), call.arguments.clone()));
            }
            _ => unreachable!(),
        }
    }
    all
}

#[test]
fn turns_say_what_they_say() {
    let suite: Suite = toml::from_str(include_str!("../data/reader.toml")).unwrap();
    let mut wrong = Vec::new();
    for case in &suite.case {
        let plan = case.plan();
        for size in [1, 7, usize::MAX] {
            for config in [ReaderConfig::default(), ReaderConfig::lenient()] {
                let is_lenient = config == ReaderConfig::lenient();
                let mut reader = Reader::new(&plan, config);
                reader.skip(&case.lead).unwrap();
                let name = &case.name;
                match read(reader, &case.text, size) {
                    Ok((events, message)) if case.error.is_none() || is_lenient => {
                        if said(&message) != case.says {
                            wrong.push(format!("{name}, {size}: {:?}", said(&message)));
                        }
                        if told(&events) != all_of(&message) {
                            wrong.push(format!("{name}, {size}: told {events:?}"));
                        }
                        if message.is_complete != case.error.is_none() {
                            wrong.push(format!("{name}: complete {}", message.is_complete));
                        }
                    }
                    Err(error)
                        if case.error.as_ref() == Some(&error.to_string()) && !is_lenient => {}
                    other => wrong.push(format!("{name}, {size}, {config:?}: {other:?}")),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[derive(Deserialize)]
struct Groups {
    group: Vec<Group>,
}

/// A group of the suite of formats, as far as it matters here.
#[derive(Deserialize)]
struct Group {
    name: String,
    format: String,
    start: Option<String>,
    #[serde(default)]
    tools: bool,
    tools_file: Option<String>,
    choice: Option<String>,
    analysis: Option<String>,
    response: Option<String>,
    #[serde(default)]
    flags: Vec<String>,
    #[serde(default)]
    built_ins: Vec<String>,
    #[serde(default)]
    profile: Vec<String>,
    #[serde(default)]
    thoughts: Vec<String>,
    #[serde(default)]
    complete: Vec<String>,
}

impl Group {
    /// Whether it asks for nothing but what is set below.
    fn is_plain(&self) -> bool {
        self.start.is_none() && self.profile.is_empty() && self.thoughts.is_empty()
    }

    fn options(&self) -> ChatOptions {
        let mut options = ChatOptions::default();
        let tools = self.tools_file.as_deref().or(self.tools.then_some(TOOLS));
        if let Some(tools) = tools {
            options.tools = ToolSet::parse(tools, &Limits::default()).unwrap();
        }
        options.tool_choice = match self.choice.as_deref() {
            None => ToolChoice::Auto,
            Some("required") => ToolChoice::Required,
            Some("none") => ToolChoice::None,
            Some(name) => ToolChoice::Named(name.to_owned()),
        };
        options.parallel_calls = ParallelCalls::Allowed;
        if self.analysis.as_deref() == Some("forbidden") {
            options.analysis = Analysis::Forbidden;
        }
        for built_in in &self.built_ins {
            match built_in.as_str() {
                "python" => options.built_ins.python = BuiltIn::Offered,
                _ => options.built_ins.browser = BuiltIn::Offered,
            }
        }
        options.response_schema.clone_from(&self.response);
        options.flags = self.flags.iter().cloned().collect();
        options
    }
}

/// Whether what an event tells stands where it says.
fn stands(event: &Event, text: &str) -> bool {
    match event {
        Event::Reasoning { text: told, span } | Event::Content { text: told, span } => {
            text[span.start..span.end] == **told
        }
        _ => true,
    }
}

/// What a text says that is read as tokens: the format's control tokens, and bytes.
fn read_as_tokens(plan: &ReaderPlan, controls: &[String], text: &str) -> Message {
    let mut vocabulary = VocabularyBuilder::new();
    for byte in 0..=255u8 {
        vocabulary
            .ordinary(TokenId::new(byte.into()), &[byte])
            .unwrap();
    }
    let end = TokenId::new(256 + controls.len() as u32);
    for (id, name) in (256..).zip(controls) {
        vocabulary.special(TokenId::new(id), name).unwrap();
    }
    vocabulary.special(end, "<end of text>").unwrap();
    vocabulary.end_token(end);
    let vocabulary = Arc::new(vocabulary.build().unwrap());
    let plan = plan.clone().with_vocabulary(vocabulary);
    let mut reader = Reader::new(&plan, ReaderConfig::default());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let here = (256..).zip(controls);
        let here = here.filter(|(_, name)| rest.starts_with(name.as_str()));
        match here.max_by_key(|(_, name)| name.len()) {
            Some((id, name)) => {
                reader.feed_token(TokenId::new(id)).unwrap();
                rest = &rest[name.len()..];
            }
            None => {
                for &byte in &rest.as_bytes()[..character.len_utf8()] {
                    reader.feed_token(TokenId::new(byte.into())).unwrap();
                }
                rest = &rest[character.len_utf8()..];
            }
        }
    }
    reader.feed_token(end).unwrap();
    reader.finish().unwrap().1
}

/// Behind an end token that the format does not name comes nothing but others.
#[test]
fn an_end_token_ends_a_turn() {
    let mut vocabulary = VocabularyBuilder::new();
    for byte in 0..=255u8 {
        vocabulary
            .ordinary(TokenId::new(byte.into()), &[byte])
            .unwrap();
    }
    let (end, other) = (TokenId::new(256), TokenId::new(257));
    vocabulary.special(end, "<end of text>").unwrap();
    vocabulary.special(other, "<pad>").unwrap();
    vocabulary.end_token(end);
    vocabulary.end_token(other);
    let plan = plan("chatml", &ChatOptions::default());
    let plan = plan.with_vocabulary(Arc::new(vocabulary.build().unwrap()));
    for (tokens, broken_at) in [
        (vec![10, 65, 256, 257, 256], None),
        (vec![10, 65, 256, 66], Some(2)),
    ] {
        let mut reader = Reader::new(&plan, ReaderConfig::lenient());
        for &token in &tokens {
            reader.feed_token(TokenId::new(token)).unwrap();
        }
        let (_, message) = reader.finish().unwrap();
        assert_eq!(message.broken_at, broken_at, "{tokens:?}");
        assert_eq!(message.is_complete, broken_at.is_none());
    }
}

/// Tokens that come together: one that the vocabulary lacks leaves the turn as it was, and a fault comes after the events before it.
#[test]
fn tokens_that_come_together_lose_no_event() {
    let mut vocabulary = VocabularyBuilder::new();
    for byte in 0..=255u8 {
        vocabulary
            .ordinary(TokenId::new(byte.into()), &[byte])
            .unwrap();
    }
    vocabulary.special(TokenId::new(256), "<pad>").unwrap();
    let plan = plan("chatml", &ChatOptions::default());
    let plan = plan.with_vocabulary(Arc::new(vocabulary.build().unwrap()));
    let mut reader = Reader::new(&plan, ReaderConfig::default());
    let tokens = |ids: &[u32]| ids.iter().copied().map(TokenId::new).collect::<Vec<_>>();
    assert_eq!(
        reader.feed_tokens(&tokens(&[10, 65, 66, 9_999])),
        Err(ReadError::UnknownToken(9_999))
    );
    let one_by_one = {
        let mut reader = Reader::new(&plan, ReaderConfig::default());
        let read = tokens(&[10, 65, 66]).into_iter();
        let events = read.flat_map(|token| reader.feed_token(token).unwrap());
        events.collect::<Vec<_>>()
    };
    assert!(!one_by_one.is_empty());
    assert_eq!(
        reader.feed_tokens(&tokens(&[10, 65, 66, 256, 67])),
        Ok(one_by_one)
    );
    let broken = reader.feed_tokens(&tokens(&[67]));
    assert!(
        matches!(broken, Err(ReadError::Unexpected { .. })),
        "{broken:?}"
    );
}

/// A strict reader tells what was certain before a fault in the same piece, then the fault.
#[test]
fn what_is_certain_before_a_fault_is_told() {
    let plan = plan("qwen3", &ChatOptions::default());
    let mut reader = Reader::new(&plan, ReaderConfig::default());
    let text =
        "\n<think>\nHm.\n</think>\n\n<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1, x";
    let events = reader.feed(text).unwrap();
    let arguments = "{\"a\": 1, ".to_owned();
    let calls = vec![("f".to_owned(), None, arguments)];
    assert_eq!(told(&events), ("Hm.\n".to_owned(), String::new(), calls));
    let fault = ReadError::Unexpected { at: text.len() - 1 };
    assert_eq!(reader.feed("").unwrap_err(), fault);
    assert_eq!(reader.finish().unwrap_err(), fault);
    // Where nothing came before it, the fault comes at once.
    let mut reader = Reader::new(&plan, ReaderConfig::default());
    let fault = reader.feed("</tool_call>").unwrap_err();
    assert_eq!(fault, ReadError::Unexpected { at: 0 });
}

/// A text that has two readings is an error with both, each to its end.
#[test]
fn two_readings_are_told_as_two() {
    let source = r#"
        assistant-turn = ( <reasoning word> / <content word> ) "!" <content> "<|end|>"
        word           = "a"
    "#;
    let format = Format::parse("two", source, &[], &Limits::default()).unwrap();
    let plan = ReaderPlan::new(&format, "assistant-turn", &ChatOptions::default()).unwrap();
    let mut reader = Reader::new(&plan, ReaderConfig::default());
    assert_eq!(reader.feed("a!b<|end|>").unwrap(), [], "nothing is certain");
    let Err(ReadError::Ambiguous { first, second }) = reader.finish() else {
        panic!("it has two readings");
    };
    let mut both = [said(&first), said(&second)];
    both.sort_unstable();
    assert_eq!(both[0], ["content: a", "content: b"]);
    assert_eq!(both[1], ["reasoning: a", "content: b"]);
}

/// Every turn of the suite of formats is read, and says the same byte by byte, token by token and at once.
#[test]
fn the_turns_of_the_suite_are_read() {
    let suites = [
        include_str!("../data/chat/harmony.toml"),
        include_str!("../data/chat/openchatml-2.2.toml"),
        include_str!("../data/chat/im.toml"),
        include_str!("../data/chat/families.toml"),
        include_str!("../data/chat/string-arguments.toml"),
    ];
    let groups = suites
        .iter()
        .flat_map(|text| toml::from_str::<Groups>(text).unwrap().group);
    let (mut wrong, mut count) = (Vec::new(), 0);
    for group in groups.filter(Group::is_plain) {
        // That one is an example for readers of the documentation.
        if group.format == "hermes" {
            continue;
        }
        let plan = plan(&group.format, &group.options());
        let controls = format(&group.format).controls().to_vec();
        // What is in ‹ › is spelt in ordinary tokens, which a text cannot say.
        for text in group.complete.iter().filter(|text| !text.contains('‹')) {
            count += 1;
            let whole = read(
                Reader::new(&plan, ReaderConfig::default()),
                text,
                usize::MAX,
            );
            let bytes = read(Reader::new(&plan, ReaderConfig::default()), text, 1);
            match (whole, bytes) {
                (Ok((events, whole)), Ok((pieces, bytes))) => {
                    let tokens = read_as_tokens(&plan, &controls, text);
                    for (call, told) in whole.calls().zip(one_by_one(&pieces)) {
                        let all = serde_json::from_str::<serde_json::Value>(&call.arguments);
                        if call.name != "python" && all.unwrap() != told {
                            wrong.push(format!("{}: {text:?}: {told}", group.name));
                        }
                    }
                    if whole != bytes || whole != tokens || told(&events) != all_of(&whole) {
                        wrong.push(format!(
                            "{}: {text:?}: {whole:?} {bytes:?} {tokens:?}",
                            group.name
                        ));
                    }
                    // Doubled bytes of 2.2 are in no text.
                    let is_here = group.format == "openchatml-2.2"
                        || events
                            .iter()
                            .chain(&pieces)
                            .all(|event| stands(event, text));
                    if !is_here {
                        wrong.push(format!("{}: {text:?}: {events:?} {pieces:?}", group.name));
                    }
                    let is_json = |arguments: &str| {
                        serde_json::from_str::<serde_json::Value>(arguments).is_ok()
                    };
                    let mut calls = whole.calls();
                    if !calls.all(|call| call.name == "python" || is_json(&call.arguments)) {
                        wrong.push(format!("{}: {text:?}: {whole:?}", group.name));
                    }
                }
                (whole, _) => wrong.push(format!("{}: {text:?}: {whole:?}", group.name)),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 100, "{count} turns only");
}
