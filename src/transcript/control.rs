//! Control tokens, and where they stand in an input.

use super::config::Format;
use super::error::{ErrorCode, TranscriptError};
use crate::base::Span;
use std::fmt;

/// A control token of the formats (OpenChatML 2.2 §3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ControlToken {
    /// `<|start|>` opens a header.
    Start,
    /// `<|channel|>` declares the channel.
    Channel,
    /// `<|message|>` opens the body.
    Message,
    /// `<|call|>` closes a tool call.
    Call,
    /// `<|constrain|>` declares the type of the body.
    Constrain,
    /// `<|return|>` closes the final message of a turn.
    Return,
    /// `<|end|>` closes a message.
    End,
    /// `<|literal|>` opens a literal block; not in Harmony.
    Literal,
    /// `<|endliteral|>` closes a literal block; not in Harmony.
    EndLiteral,
}

impl ControlToken {
    /// Every control token, in the order of the specification.
    pub const ALL: [Self; 9] = [
        Self::Start,
        Self::Channel,
        Self::Message,
        Self::Call,
        Self::Constrain,
        Self::Return,
        Self::End,
        Self::Literal,
        Self::EndLiteral,
    ];

    /// The token as text.
    pub const fn spelling(self) -> &'static str {
        match self {
            Self::Start => "<|start|>",
            Self::Channel => "<|channel|>",
            Self::Message => "<|message|>",
            Self::Call => "<|call|>",
            Self::Constrain => "<|constrain|>",
            Self::Return => "<|return|>",
            Self::End => "<|end|>",
            Self::Literal => "<|literal|>",
            Self::EndLiteral => "<|endliteral|>",
        }
    }

    /// The token of this spelling.
    pub fn from_spelling(spelling: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|token| token.spelling() == spelling)
    }
}

impl fmt::Display for ControlToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.spelling())
    }
}

/// A set of control tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ControlSet(u16);

impl ControlSet {
    /// Whether `token` is in the set.
    pub const fn contains(self, token: ControlToken) -> bool {
        self.0 & (1 << token as u16) != 0
    }

    /// The tokens of the set.
    pub(super) fn iter(self) -> impl Iterator<Item = ControlToken> {
        ControlToken::ALL
            .into_iter()
            .filter(move |&token| self.contains(token))
    }
}

impl FromIterator<ControlToken> for ControlSet {
    fn from_iter<I: IntoIterator<Item = ControlToken>>(tokens: I) -> Self {
        Self(
            tokens
                .into_iter()
                .fold(0, |set, token| set | 1 << token as u16),
        )
    }
}

impl Format {
    /// The control tokens of the format. Harmony has no literal blocks.
    pub fn controls(self) -> ControlSet {
        let literal = [ControlToken::Literal, ControlToken::EndLiteral];
        ControlToken::ALL
            .into_iter()
            .filter(|token| self == Self::OpenChatMl22 || !literal.contains(token))
            .collect()
    }
}

/// What one token id stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// The bytes of ordinary tokens; a character may be spread over several.
    Text(&'a [u8]),
    /// A control token.
    Control(ControlToken),
    /// Any other special token of the vocabulary, by its name: no format has a place for it.
    Foreign(&'a str),
}

impl<'a> Piece<'a> {
    /// The piece for a special token of the vocabulary, by its name.
    pub fn special(name: &'a str) -> Self {
        ControlToken::from_spelling(name).map_or(Self::Foreign(name), Self::Control)
    }
}

/// What stands at a place of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// A control token.
    Control(ControlToken),
    /// Ordinary text that spells a control token which the vocabulary has.
    Smuggled(ControlToken),
    /// A special token that the format does not know.
    Foreign,
}

/// An input as one text, and how to tell its control tokens.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) text: String,
    /// The control tokens of the format.
    controls: ControlSet,
    /// Those that are tokens of the vocabulary: their spelling alone does not make one.
    atomic: ControlSet,
    /// The special tokens of the input, by their spans, in order.
    specials: Vec<(Span, Mark)>,
}

impl Source {
    /// A text in which spellings are control tokens.
    pub(super) fn spelled(text: &str, format: Format) -> Self {
        Self {
            text: text.to_owned(),
            controls: format.controls(),
            atomic: ControlSet::default(),
            specials: Vec::new(),
        }
    }

    /// A sequence of pieces; `atomic` are the control tokens that the vocabulary has. Where the
    /// bytes stop being UTF-8 the source stops too, and the error says why.
    pub(super) fn tokens<'a>(
        pieces: impl IntoIterator<Item = Piece<'a>>,
        atomic: ControlSet,
        format: Format,
    ) -> (Self, Option<TranscriptError>) {
        let controls = format.controls();
        let mut bytes = Vec::new();
        let mut specials = Vec::new();
        for piece in pieces {
            let (spelling, mark) = match piece {
                Piece::Text(text) => {
                    bytes.extend_from_slice(text);
                    continue;
                }
                Piece::Control(token) if controls.contains(token) => {
                    (token.spelling(), Mark::Control(token))
                }
                Piece::Control(token) => (token.spelling(), Mark::Foreign),
                Piece::Foreign(name) => (name, Mark::Foreign),
            };
            let start = bytes.len();
            bytes.extend_from_slice(spelling.as_bytes());
            specials.push((Span::new(start, bytes.len()), mark));
        }
        let (text, error) = decode(bytes);
        specials.retain(|(span, _)| span.end <= text.len());
        (
            Self {
                text,
                controls,
                atomic,
                specials,
            },
            error,
        )
    }

    /// What stands at byte `at`, other than ordinary text.
    pub(super) fn mark_at(&self, at: usize) -> Option<(Mark, Span)> {
        if let Ok(index) = self
            .specials
            .binary_search_by_key(&at, |(span, _)| span.start)
        {
            let (span, mark) = self.specials[index];
            return Some((mark, span));
        }
        let token = self.spelled_at(at)?;
        let mark = if self.atomic.contains(token) {
            Mark::Smuggled(token)
        } else {
            Mark::Control(token)
        };
        Some((mark, Span::new(at, at + token.spelling().len())))
    }

    /// The control token spelt at byte `at`, whether by a token or by text.
    pub(super) fn spelled_at(&self, at: usize) -> Option<ControlToken> {
        let rest = &self.text.as_bytes()[at..];
        self.controls
            .iter()
            .find(|token| rest.starts_with(token.spelling().as_bytes()))
    }

    /// Whether the text at `at` is a token of the input, not ordinary text.
    pub(super) fn is_token(&self, at: usize) -> bool {
        self.specials
            .binary_search_by_key(&at, |(span, _)| span.start)
            .is_ok()
    }

    /// The next place from `at` on where something other than ordinary text, or a `<`, stands.
    pub(super) fn next_candidate(&self, at: usize) -> Option<usize> {
        let index = self.specials.partition_point(|(span, _)| span.start < at);
        let special = self.specials.get(index).map(|(span, _)| span.start);
        let angle = self.text[at..].find('<').map(|offset| at + offset);
        special.into_iter().chain(angle).min()
    }

    /// Whether the text ends, at `at`, within the spelling of a control token.
    pub(super) fn is_cut_at(&self, at: usize) -> bool {
        let rest = &self.text[at..];
        !rest.is_empty()
            && self.controls.iter().any(|token| {
                !self.atomic.contains(token)
                    && token.spelling().len() > rest.len()
                    && token.spelling().starts_with(rest)
            })
    }
}

/// The bytes as text; where they stop being UTF-8, the text before and what is wrong.
fn decode(bytes: Vec<u8>) -> (String, Option<TranscriptError>) {
    let error = match String::from_utf8(bytes) {
        Ok(text) => return (text, None),
        Err(error) => error,
    };
    let valid = error.utf8_error().valid_up_to();
    let report = match error.utf8_error().error_len() {
        None => TranscriptError::truncated(valid, "within a character"),
        Some(length) => TranscriptError::new(
            ErrorCode::TextEncoding,
            Span::new(valid, valid + length),
            "these bytes are not UTF-8",
        ),
    };
    let mut bytes = error.into_bytes();
    bytes.truncate(valid);
    let text = String::from_utf8(bytes).expect("cut where the bytes stop being UTF-8");
    (text, Some(report))
}

/// What a [`Cursor`] stands before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// A control token.
    Control(ControlToken, Span),
    /// Ordinary text.
    Text,
    /// The end of the input, or the first characters of a control token that is cut off there.
    End,
}

/// A place in a source.
#[derive(Debug)]
pub(super) struct Cursor<'s> {
    pub(super) source: &'s Source,
    pub(super) at: usize,
}

impl<'s> Cursor<'s> {
    pub(super) fn new(source: &'s Source) -> Self {
        Self { source, at: 0 }
    }

    /// What comes next; an error where it may come nowhere.
    pub(super) fn next(&self) -> Result<Next, TranscriptError> {
        if self.at == self.source.text.len() || self.source.is_cut_at(self.at) {
            return Ok(Next::End);
        }
        match self.source.mark_at(self.at) {
            None => Ok(Next::Text),
            Some((mark, span)) => control(mark, span).map(|token| Next::Control(token, span)),
        }
    }

    /// Takes characters while `accept` holds and no special token begins.
    pub(super) fn take_while(&mut self, accept: impl Fn(char) -> bool) -> Span {
        let start = self.at;
        for c in self.source.text[start..].chars() {
            if !accept(c) || self.source.is_token(self.at) {
                break;
            }
            self.at += c.len_utf8();
        }
        Span::new(start, self.at)
    }

    /// Whether nothing follows.
    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.source.text.len()
    }

    pub(super) fn text(&self, span: Span) -> &'s str {
        &self.source.text[span.start..span.end]
    }

    /// The next character, as a span.
    pub(super) fn next_char(&self) -> Span {
        let length = self.source.text[self.at..]
            .chars()
            .next()
            .map_or(0, char::len_utf8);
        Span::new(self.at, self.at + length)
    }
}

/// The control token of a mark; the other marks are errors wherever they stand.
pub(super) fn control(mark: Mark, span: Span) -> Result<ControlToken, TranscriptError> {
    match mark {
        Mark::Control(token) => Ok(token),
        Mark::Smuggled(token) => Err(TranscriptError::new(
            ErrorCode::TextControl,
            span,
            format!("ordinary text spells the control token {token}"),
        )),
        Mark::Foreign => Err(TranscriptError::header(
            span,
            "a special token that the format does not have",
        )),
    }
}
