//! What the reader of a format's file makes of turns and mutants: it must say what the independent parser says.

use maskwright::base::Part;
use maskwright::reader::{Message, MessagePart};
use maskwright_transcript::{Channel, Message as Written, PartKind, Transcript, TranscriptError};
use serde_json::Value;

use crate::reading::{Fault, TurnReader};

/// How many disagreements of a kind are shown.
pub(super) const SHOWN: usize = 10;
/// The functions' namespace, which names in a request do not have.
const FUNCTIONS: &str = "functions.";

/// On what reader and parser agreed.
#[derive(Default)]
pub(super) struct Readings {
    pub(super) compared: usize,
    /// Those that both read.
    pub(super) read: usize,
    /// Those that the reader refuses or reads otherwise.
    pub(super) differences: usize,
    /// Those that the parser refuses for what a reader does not ask, such as a schema.
    pub(super) unasked: usize,
    pub(super) calls: usize,
    /// The first differences.
    pub(super) shown: Vec<String>,
    /// Whether the parser takes a line feed at the end of what is said for framing; the reader tells all that is written.
    pub(super) frames_end: bool,
}

/// Codes of the parser for what a schema or the tool choice forbids: a reader asks only what a turn says.
const UNASKED: [&str; 3] = ["E-CALL-SCHEMA", "E-RESPONSE-SCHEMA", "E-TURN-TOOL-CHOICE"];

/// A passage or a call, as both tell it.
#[derive(Debug, PartialEq, Eq)]
enum Told {
    Reasoning(String),
    Content(String),
    Call(String, Option<String>, String),
}

impl Readings {
    /// Has a turn read that no parser judges.
    pub(super) fn take<'p>(
        &mut self,
        reader: &TurnReader,
        parts: impl Iterator<Item = Part<'p>> + Clone,
    ) {
        self.compared += 1;
        match reader.read_parts(parts.clone()) {
            Ok(message) => {
                self.read += 1;
                self.calls += message.calls().count();
            }
            Err(fault) => self.differs(parts, &spoken(&fault), "a turn under the mask"),
        }
    }

    /// Compares what the reader and the parser say of a text.
    pub(super) fn compare<'p>(
        &mut self,
        reader: &TurnReader,
        parts: impl Iterator<Item = Part<'p>> + Clone,
        parsed: &Result<Transcript, TranscriptError>,
    ) {
        self.compared += 1;
        let read = reader.read_parts(parts.clone());
        match (&read, parsed) {
            (Ok(message), Ok(transcript)) => {
                let (own, other) = (of_message(message), of_transcript(transcript));
                self.read += 1;
                self.calls += message.calls().count();
                if !self.says_the_same(&own, &other) {
                    self.differs(parts, &format!("{own:?}"), &format!("{other:?}"));
                }
            }
            (Err(_), Err(_)) => {}
            (Ok(_), Err(error)) if UNASKED.contains(&error.code().as_str()) => self.unasked += 1,
            (Ok(message), Err(error)) => {
                self.differs(
                    parts,
                    &format!("{:?}", of_message(message)),
                    &error.to_string(),
                );
            }
            (Err(fault), Ok(_)) => self.differs(parts, &spoken(fault), "good"),
        }
    }

    /// White space around JSON is nobody's to the reader, and a body's to the parser.
    fn says_the_same<'t>(&self, own: &'t [Told], other: &'t [Told]) -> bool {
        let trimmed = |text: &str| text.trim_matches([' ', '\t', '\r', '\n']).to_owned();
        let is_json = |text: &str| serde_json::from_str::<Value>(text).is_ok();
        let is_same = |(own, other): (&Told, &Told)| match (own, other) {
            (Told::Call(name, id, arguments), Told::Call(called, known, written)) => {
                (name, id) == (called, known) && trimmed(arguments) == trimmed(written)
            }
            (Told::Content(own), Told::Content(other)) => {
                own == other
                    || is_json(own) && *own == trimmed(other)
                    || self.frames_end && own.strip_suffix('\n') == Some(other)
            }
            _ => own == other,
        };
        // A passage of one line feed is nothing to a parser that takes it for framing; what is one to it has two.
        let without = |told: &'t [Told], nothing: &[&str]| -> Vec<&'t Told> {
            let is_nothing = |told: &&Told| match told {
                Told::Content(text) => self.frames_end && nothing.contains(&text.as_str()),
                _ => false,
            };
            told.iter().filter(|told| !is_nothing(told)).collect()
        };
        let own = without(own, &["", "\n"]);
        [&["", "\n"][..], &[""]].into_iter().any(|nothing| {
            let other = without(other, nothing);
            own.len() == other.len() && own.iter().copied().zip(other).all(is_same)
        })
    }

    fn differs<'p>(&mut self, parts: impl Iterator<Item = Part<'p>>, own: &str, other: &str) {
        self.differences += 1;
        if self.shown.len() < SHOWN {
            let bytes = parts.flat_map(|part| match part {
                Part::Text(bytes) => bytes.to_vec(),
                Part::Special(name) => name.as_bytes().to_vec(),
            });
            let bytes: Vec<u8> = bytes.collect();
            let text = String::from_utf8_lossy(&bytes);
            self.shown
                .push(format!("reader: {own}; parser: {other}\n  {text:?}"));
        }
    }
}

fn spoken(fault: &Fault) -> String {
    format!("byte {}: {}", fault.at, fault.message)
}

fn of_message(message: &Message) -> Vec<Told> {
    let told = |part: &MessagePart| match part {
        MessagePart::Reasoning(text) => Some(Told::Reasoning(text.clone())),
        MessagePart::Content(text) => Some(Told::Content(text.clone())),
        MessagePart::Call(call) => Some(Told::Call(
            call.name.clone(),
            call.id.clone(),
            call.arguments.clone(),
        )),
        _ => None,
    };
    message.parts.iter().filter_map(told).collect()
}

fn of_transcript(transcript: &Transcript) -> Vec<Told> {
    let told = transcript.messages().iter().flat_map(of_written);
    let is_empty = |told: &Told| matches!(told, Told::Reasoning(text) | Told::Content(text) if text.is_empty());
    told.filter(|told| !is_empty(told)).collect()
}

fn of_written(message: &Written) -> Vec<Told> {
    let call = |name: &str, id: Option<&str>, arguments: &str| {
        let name = name.strip_prefix(FUNCTIONS).unwrap_or(name);
        Told::Call(name.to_owned(), id.map(str::to_owned), arguments.to_owned())
    };
    if message.is_call() {
        let calls = message.calls();
        return calls
            .map(|one| call(one.recipient, one.id, one.arguments))
            .collect();
    }
    if message.parts.is_empty() {
        return vec![match message.effective_channel() {
            Channel::Analysis => Told::Reasoning(message.body.clone()),
            _ => Told::Content(message.body.clone()),
        }];
    }
    let parts = message.parts.iter().filter_map(|part| match &part.kind {
        PartKind::Text => Some(Told::Content(part.text.clone())),
        PartKind::Thought(_) => Some(Told::Reasoning(part.text.clone())),
        PartKind::Call { recipient } => Some(call(recipient, None, &part.text)),
        _ => None,
    });
    parts.collect()
}
