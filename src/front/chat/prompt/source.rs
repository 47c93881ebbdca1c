//! A prompt as one text in which the control tokens are told from their spellings.

use super::error::PromptError;
use crate::base::{Part, Span};
use crate::front::chat::Format;

const LITERAL: &str = "<|literal|>";
const END_LITERAL: &str = "<|endliteral|>";
const START: &str = "<|start|>";

/// A part of a prompt.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    Text(String),
    Control(String),
}

/// A prompt, and where its control tokens stand.
pub(super) struct Source {
    pub(super) text: String,
    /// The control tokens, in order.
    controls: Vec<Span>,
}

impl Source {
    pub(super) fn new<'a>(
        format: &Format,
        parts: impl IntoIterator<Item = Part<'a>>,
        specials: &[&str],
    ) -> Result<Self, PromptError> {
        let mut bytes = Vec::new();
        let mut tokens = Vec::new();
        for part in parts {
            match part {
                Part::Text(text) => bytes.extend_from_slice(text),
                Part::Special(name) => {
                    tokens.push(Span::new(bytes.len(), bytes.len() + name.len()));
                    bytes.extend_from_slice(name.as_bytes());
                }
            }
        }
        let text = String::from_utf8(bytes)
            .map_err(|error| PromptError::Encoding(error.utf8_error().valid_up_to()))?;
        let spelt: Vec<&str> = (format.controls().iter().map(String::as_str))
            .filter(|control| !specials.contains(control))
            .collect();
        let scan = Scan {
            text: &text,
            named: format.controls(),
            spelt: &spelt,
            escapes: format.has_prose("escaped-text"),
        };
        let controls = scan.controls(&tokens);
        Ok(Self { text, controls })
    }

    /// The end of the last of `strings` from byte `from` on, in which control tokens are none that were only spelt.
    pub(super) fn last_of(
        &self,
        format: &Format,
        strings: &[String],
        from: usize,
    ) -> Option<usize> {
        let is_control = |at: usize| {
            self.controls
                .binary_search_by_key(&at, |span| span.start)
                .is_ok()
        };
        let ends = strings.iter().filter_map(|string| {
            let control = first_control(format, string).map(|(at, _)| at);
            let places = self.text.get(from..)?.rmatch_indices(string.as_str());
            let mut starts = places.map(|(at, _)| from + at);
            let start = starts.find(|start| control.is_none_or(|at| is_control(start + at)))?;
            Some(start + string.len())
        });
        ends.max()
    }

    /// The parts from byte `from` on, which is the end of a control token or stands in text.
    pub(super) fn pieces(&self, from: usize) -> impl Iterator<Item = Piece> {
        let mut pieces = Vec::new();
        let mut at = from;
        for span in self.controls.iter().filter(|span| span.start >= from) {
            if at < span.start {
                pieces.push(Piece::Text(self.text[at..span.start].to_owned()));
            }
            pieces.push(Piece::Control(self.text[span.start..span.end].to_owned()));
            at = span.end;
        }
        if at < self.text.len() {
            pieces.push(Piece::Text(self.text[at..].to_owned()));
        }
        pieces.into_iter()
    }

    /// Each control token from byte `from` on, with the text up to the next one.
    pub(super) fn segments(&self, from: usize) -> impl Iterator<Item = (&str, &str)> {
        let spans = self.controls.iter().filter(move |span| span.start >= from);
        let ends = spans.clone().skip(1).map(|span| span.start);
        let ends = ends.chain([self.text.len()]);
        spans
            .zip(ends)
            .map(|(span, end)| (&self.text[span.start..span.end], &self.text[span.end..end]))
    }

    /// Where the control token `name` stands at the beginning of a line, first.
    pub(super) fn first_in_column_0(&self, name: &str) -> Option<usize> {
        let starts = self
            .controls
            .iter()
            .filter(|span| &self.text[span.start..span.end] == name)
            .map(|span| span.start);
        starts
            .into_iter()
            .find(|&at| at == 0 || self.text.as_bytes()[at - 1] == b'\n')
    }
}

/// The first control token that is spelt in `string`, and where.
pub(super) fn first_control<'f>(format: &'f Format, string: &str) -> Option<(usize, &'f str)> {
    let names = format.controls().iter();
    names
        .filter_map(|name| Some((string.find(name.as_str())?, name.as_str())))
        .min()
}

/// The search for control tokens.
struct Scan<'s> {
    text: &'s str,
    /// The control tokens of the format.
    named: &'s [String],
    /// Those that are spelt out.
    spelt: &'s [&'s str],
    /// Whether a doubled first byte makes text of a spelling.
    escapes: bool,
}

impl Scan<'_> {
    fn controls(&self, tokens: &[Span]) -> Vec<Span> {
        let mut controls = Vec::new();
        let mut is_literal = false;
        // A document header quotes tokens: before the first message there are no literal blocks.
        let mut has_begun = false;
        let mut tokens = tokens.iter().peekable();
        let mut at = 0;
        while at < self.text.len() {
            let token = tokens.next_if(|token| token.start <= at).copied();
            let Some(span) = token.or_else(|| self.spelt_at(at)) else {
                at += 1;
                continue;
            };
            at = span.end.max(at + 1);
            let name = &self.text[span.start..span.end];
            let is_named = self.named.iter().any(|control| control == name);
            if is_named && (!is_literal || name == END_LITERAL) {
                controls.push(span);
                let before = &self.text[..span.start];
                let begins = before.ends_with('\n') || before.trim().is_empty();
                has_begun |= name == START && begins;
                is_literal = name == LITERAL && has_begun;
            }
        }
        controls
    }

    /// The longest control token that is spelt out at `at`.
    fn spelt_at(&self, at: usize) -> Option<Span> {
        let rest = self.text.get(at..)?;
        let found = self.spelt.iter().filter(|name| rest.starts_with(**name));
        let length = found.map(|name| name.len()).max()?;
        let before = self.text[..at].bytes().next_back();
        let is_escaped = self.escapes && before == rest.bytes().next();
        (!is_escaped).then(|| Span::new(at, at + length))
    }
}
