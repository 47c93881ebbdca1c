//! Mutants of a turn: one byte or one token changed, added or taken away, or a field of a header written where a header
//! may be; parser and automaton must agree on each.

use maskwright::base::{Part, TokenId};
use maskwright::session::Constraint;
use maskwright::vocab::Vocabulary;
use maskwright_transcript::{Part as MessagePart, PartKind, Span, Transcript};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::readings::{Readings, SHOWN};
use crate::failure::Failure;
use crate::judge::TranscriptJudge;
use crate::reading::TurnReader;

/// Bytes that mean something in some format.
const STRUCTURAL: &[u8] = b"<|>=\"{}[]:,\\`\n\t ._-0e";

/// What headers may have somewhere in some format, and what comes near it.
const FIELDS: [&str; 20] = [
    " name=Bot",
    " name=Zo\u{eb}",
    " name=",
    " name=a.b-c_d",
    "\tname=Bot",
    "name=Bot",
    " to=assistant",
    " to=functions.get_time",
    " call_id=a1",
    " call_id=",
    " intent=preamble",
    " intent=status",
    " content_type=json",
    " json",
    "json",
    "assistant",
    " ",
    "  ",
    "\t",
    "\n",
];

/// On what parser and automaton agreed.
#[derive(Default)]
pub(super) struct Agreement {
    pub(super) compared: usize,
    pub(super) accepted: usize,
    pub(super) disagreements: usize,
    /// Mutants whose JSON validates, but is spelt as no mask allows: a key in escapes, an exponent.
    pub(super) spellings: usize,
    /// The first disagreements.
    pub(super) shown: Vec<String>,
}

/// Makes mutants, the same ones for the same seed.
pub(super) struct Mutator<'v> {
    rng: ChaCha8Rng,
    vocabulary: &'v Vocabulary,
    specials: Vec<TokenId>,
}

/// Where the automaton refused a text: the bytes it had read.
enum Reading {
    Accepted,
    Unfinished,
    Refused(usize),
}

impl<'v> Mutator<'v> {
    pub(super) fn new(seed: u64, vocabulary: &'v Vocabulary) -> Self {
        Self {
            rng: ChaCha8Rng::seed_from_u64(seed),
            vocabulary,
            specials: vocabulary.specials().map(|(_, id)| id).collect(),
        }
    }

    /// Makes a mutant of `ids` and compares what is thought of it.
    pub(super) fn compare(
        &mut self,
        ids: &[TokenId],
        constraint: &Constraint,
        (judge, reader): (&TranscriptJudge, &TurnReader),
        (agreement, readings): (&mut Agreement, &mut Readings),
    ) -> Result<(), Failure> {
        let mutant = self.mutant(ids);
        let parts = || {
            mutant.iter().map(|part| match part {
                OwnedPart::Token(id) => self.vocabulary.part(*id).unwrap_or(Part::Text(&[])),
                OwnedPart::Bytes(bytes) => Part::Text(bytes),
            })
        };
        let parsed = judge.parse_parts(self.vocabulary, parts());
        let reading = read(constraint, parts())?;
        readings.compare(reader, parts(), &parsed);
        agreement.compared += 1;
        match (&parsed, &reading) {
            (Ok(_), Reading::Accepted) => agreement.accepted += 1,
            (Err(_), Reading::Unfinished | Reading::Refused(_)) => {}
            (Ok(transcript), Reading::Refused(at)) if is_in_json(transcript, *at, judge) => {
                agreement.spellings += 1;
            }
            _ => {
                agreement.disagreements += 1;
                if agreement.shown.len() < SHOWN {
                    let text: Vec<u8> = parts().flat_map(bytes).copied().collect();
                    agreement.shown.push(format!(
                        "parser: {}; automaton: {}\n  {:?}",
                        parsed.map_or_else(|error| error.to_string(), |_| "good".to_owned()),
                        match reading {
                            Reading::Accepted => "good".to_owned(),
                            Reading::Unfinished => "unfinished".to_owned(),
                            Reading::Refused(at) => format!("refused at byte {at}"),
                        },
                        String::from_utf8_lossy(&text),
                    ));
                }
            }
        }
        Ok(())
    }

    /// One byte or one token replaced, inserted, deleted, or changing places with the next; or a field of a header
    /// inserted at the beginning or beside a control token.
    fn mutant(&mut self, ids: &[TokenId]) -> Vec<OwnedPart> {
        let mut parts: Vec<OwnedPart> = ids.iter().map(|&id| OwnedPart::Token(id)).collect();
        if parts.is_empty() {
            return parts;
        }
        if self.rng.random_range(0..3) == 0 {
            let is_special = |at: usize| ids.get(at).is_some_and(|id| self.specials.contains(id));
            let places: Vec<usize> = (0..=ids.len())
                .filter(|&at| at == 0 || is_special(at - 1) || is_special(at))
                .collect();
            let at = places[self.rng.random_range(0..places.len())];
            let field = FIELDS[self.rng.random_range(0..FIELDS.len())];
            parts.insert(at, OwnedPart::Bytes(field.as_bytes().to_vec()));
            return parts;
        }
        let place = self.rng.random_range(0..parts.len());
        let change = CHANGES[self.rng.random_range(0..CHANGES.len())];
        let bytes = |place: usize| self.vocabulary.bytes(*ids.get(place)?);
        match (bytes(place), bytes(place + 1)) {
            (Some(first), next) if self.rng.random() => {
                let mut bytes = first.to_vec();
                // Bytes may change places over the border of a token.
                if let (Change::Swap, Some(next)) = (change, next) {
                    bytes.extend_from_slice(next);
                    parts.remove(place + 1);
                }
                let at = self.rng.random_range(0..bytes.len());
                let new = self.byte();
                change.apply(&mut bytes, at, new);
                parts[place] = OwnedPart::Bytes(bytes);
            }
            _ => {
                let new = OwnedPart::Token(self.token(ids));
                change.apply(&mut parts, place, new);
            }
        }
        parts
    }

    fn byte(&mut self) -> u8 {
        match self.rng.random() {
            true => STRUCTURAL[self.rng.random_range(0..STRUCTURAL.len())],
            false => self.rng.random(),
        }
    }

    /// Any token, a special one, or one that stands in the turn elsewhere.
    fn token(&mut self, ids: &[TokenId]) -> TokenId {
        match self.rng.random_range(0..3) {
            0 => ids[self.rng.random_range(0..ids.len())],
            1 if !self.specials.is_empty() => {
                self.specials[self.rng.random_range(0..self.specials.len())]
            }
            _ => TokenId::from_usize(self.rng.random_range(0..self.vocabulary.len())),
        }
    }
}

/// What is done to a byte, or to a token.
#[derive(Clone, Copy)]
enum Change {
    Replace,
    Insert,
    Delete,
    Swap,
}

const CHANGES: [Change; 4] = [
    Change::Replace,
    Change::Insert,
    Change::Delete,
    Change::Swap,
];

impl Change {
    /// Changes what stands at `at`, which is in `items`.
    fn apply<T>(self, items: &mut Vec<T>, at: usize, new: T) {
        match self {
            Self::Replace => items[at] = new,
            Self::Insert => items.insert(at, new),
            Self::Delete => drop(items.remove(at)),
            Self::Swap => {
                let next = (at + 1) % items.len();
                items.swap(at, next);
            }
        }
    }
}

/// A part of a mutant.
enum OwnedPart {
    Token(TokenId),
    Bytes(Vec<u8>),
}

fn bytes(part: Part<'_>) -> &[u8] {
    match part {
        Part::Text(bytes) => bytes,
        Part::Special(name) => name.as_bytes(),
    }
}

/// What the automaton thinks of a text.
fn read<'p>(
    constraint: &Constraint,
    parts: impl Iterator<Item = Part<'p>>,
) -> Result<Reading, Failure> {
    let fail = |error: maskwright::base::LimitError| Failure::new(error.to_string());
    let mut recogniser = constraint.recogniser();
    let mut at = 0;
    for part in parts {
        match part {
            Part::Special(name) => {
                if !recogniser.control(name).map_err(fail)? {
                    return Ok(Reading::Refused(at));
                }
                at += name.len();
            }
            Part::Text(bytes) => {
                for &byte in bytes {
                    if !recogniser.byte(byte).map_err(fail)? {
                        return Ok(Reading::Refused(at));
                    }
                    at += 1;
                }
            }
        }
    }
    Ok(match recogniser.may_end() {
        true => Reading::Accepted,
        false => Reading::Unfinished,
    })
}

/// The object that a call is, with the white space around it: what stands between two control tokens.
fn call_span(transcript: &Transcript, call: &MessagePart) -> Span {
    let (before, rest) = transcript.text().split_at(call.span.end);
    let start = before[..call.span.start].rfind("|>").map_or(0, |at| at + 2);
    Span::new(start, call.span.end + rest.find("<|").unwrap_or(rest.len()))
}

/// Whether byte `at` stands in JSON that was validated: arguments of a call, or a body of JSON.
fn is_in_json(transcript: &Transcript, at: usize, judge: &TranscriptJudge) -> bool {
    let holds = |span: Span| (span.start..=span.end).contains(&at);
    transcript.messages().iter().any(|message| {
        let is_json = message.constrain.as_deref() == Some("json")
            || message.content_type.as_deref() == Some("json")
            || message
                .recipient
                .as_deref()
                .is_some_and(|to| to != "python")
            || judge.judges_answers();
        let is_call = |part: &MessagePart| matches!(part.kind, PartKind::Call { .. });
        let mut calls = message.parts.iter().filter(|part| is_call(part));
        is_json && holds(message.body_span) || calls.any(|part| holds(call_span(transcript, part)))
    })
}
