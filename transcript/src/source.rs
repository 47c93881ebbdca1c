//! An input that grows: one text, and where its control tokens stand.

use super::config::{ParserConfig, SpeltControls};
use super::control::{ControlSet, ControlToken};
use super::error::{ErrorCode, TranscriptError};
use crate::span::Span;

/// What one token id stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// The bytes of ordinary tokens; a character may be spread over several.
    Text(&'a [u8]),
    /// A control token.
    Control(ControlToken),
    /// Any other special token of the vocabulary, by its name: a control token where the configuration spells one so, and
    /// else a token that no format has a place for.
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

/// An input as one text, as far as it has come, and how to tell its control tokens.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) text: String,
    /// The beginning of a character whose rest has not come yet.
    pending: Vec<u8>,
    /// What made the input stop being text.
    broken: Option<TranscriptError>,
    /// The control tokens of the format, and how this input spells them.
    lexicon: Vec<(ControlToken, String)>,
    /// Those that are tokens of the vocabulary: their spelling alone does not make one.
    atomic: ControlSet,
    /// What their spelling is.
    spelt: SpeltControls,
    /// The special tokens of the input, by their spans, in order.
    specials: Vec<(Span, Mark)>,
}

impl Source {
    /// An empty input; `atomic` are the control tokens that the vocabulary has as tokens.
    pub(super) fn new(config: &ParserConfig<'_>, atomic: ControlSet) -> Self {
        let lexicon = config.format.controls().iter().map(|token| {
            let spelling = match token {
                ControlToken::SequenceStart => config.sequence_start.clone(),
                ControlToken::SequenceEnd => config.sequence_end.clone(),
                _ => token.spelling().to_owned(),
            };
            (token, spelling)
        });
        Self {
            text: String::new(),
            pending: Vec::new(),
            broken: None,
            lexicon: lexicon.collect(),
            atomic,
            spelt: config.spelt,
            specials: Vec::new(),
        }
    }

    /// Takes what comes next. After bytes that are no characters nothing more is taken.
    pub(super) fn push(&mut self, piece: Piece<'_>) {
        if self.broken.is_some() {
            return;
        }
        match piece {
            Piece::Text(bytes) => self.push_bytes(bytes),
            Piece::Control(token) => {
                let known = self.lexicon.iter().find(|(known, _)| *known == token);
                match known.map(|(_, spelling)| spelling.clone()) {
                    Some(spelling) => self.push_special(&spelling, Mark::Control(token)),
                    None => self.push_special(token.spelling(), Mark::Foreign),
                }
            }
            Piece::Foreign(name) => {
                let known = self.lexicon.iter().find(|(_, spelling)| spelling == name);
                let mark = known.map_or(Mark::Foreign, |(token, _)| Mark::Control(*token));
                self.push_special(name, mark);
            }
        }
    }

    fn push_special(&mut self, spelling: &str, mark: Mark) {
        if !self.pending.is_empty() {
            self.broken = Some(self.not_utf8(self.pending.len()));
            return;
        }
        let start = self.text.len();
        self.text.push_str(spelling);
        self.specials
            .push((Span::new(start, self.text.len()), mark));
    }

    fn push_bytes(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
        let pending = std::mem::take(&mut self.pending);
        match std::str::from_utf8(&pending) {
            Ok(text) => self.text.push_str(text),
            Err(error) => {
                let (text, rest) = pending.split_at(error.valid_up_to());
                self.text.push_str(&String::from_utf8_lossy(text));
                match error.error_len() {
                    Some(length) => self.broken = Some(self.not_utf8(length)),
                    None => self.pending = rest.to_vec(),
                }
            }
        }
    }

    fn not_utf8(&self, length: usize) -> TranscriptError {
        let at = self.text.len();
        TranscriptError::new(
            ErrorCode::TextEncoding,
            Span::new(at, at + length),
            "these bytes are not UTF-8",
        )
    }

    /// What is wrong with the bytes at the end of the text, if anything is.
    pub(super) fn encoding_error(&self) -> Option<TranscriptError> {
        let cut = || TranscriptError::truncated(self.text.len(), "within a character");
        self.broken
            .clone()
            .or_else(|| (!self.pending.is_empty()).then(cut))
    }

    fn special_at(&self, at: usize) -> Option<(Span, Mark)> {
        let index = self
            .specials
            .binary_search_by_key(&at, |(span, _)| span.start);
        index.ok().map(|index| self.specials[index])
    }

    /// What stands at byte `at`, other than ordinary text.
    pub(super) fn mark_at(&self, at: usize) -> Option<(Mark, Span)> {
        if let Some((span, mark)) = self.special_at(at) {
            return Some((mark, span));
        }
        let (token, spelling) = self.spelled_at(at)?;
        let mark = match (self.atomic.contains(token), self.spelt) {
            (false, _) => Mark::Control(token),
            (true, SpeltControls::Refused) => Mark::Smuggled(token),
            (true, SpeltControls::Text) => return None,
        };
        Some((mark, Span::new(at, at + spelling.len())))
    }

    /// The control token spelt at byte `at`, whether by a token or by text.
    pub(super) fn spelled_at(&self, at: usize) -> Option<(ControlToken, &str)> {
        let rest = &self.text.as_bytes()[at..];
        let found = self
            .lexicon
            .iter()
            .find(|(_, spelling)| rest.starts_with(spelling.as_bytes()));
        found.map(|(token, spelling)| (*token, spelling.as_str()))
    }

    /// Whether the text at `at` is a token of the input, not ordinary text.
    pub(super) fn is_token(&self, at: usize) -> bool {
        self.special_at(at).is_some()
    }

    /// The next place from `at` on where something other than ordinary text may stand, or begin.
    pub(super) fn next_candidate(&self, at: usize) -> Option<usize> {
        let index = self.specials.partition_point(|(span, _)| span.start < at);
        let special = self.specials.get(index).map(|(span, _)| span.start);
        let begins = |c: char| self.lexicon.iter().any(|(_, s)| s.starts_with(c));
        let spelt = self.text[at..].find(begins).map(|offset| at + offset);
        special.into_iter().chain(spelt).min()
    }

    /// Whether the text ends, at `at`, within the spelling of a control token.
    pub(super) fn is_cut_at(&self, at: usize) -> bool {
        let rest = &self.text[at..];
        !rest.is_empty()
            && self.lexicon.iter().any(|(token, spelling)| {
                !self.atomic.contains(*token)
                    && spelling.len() > rest.len()
                    && spelling.starts_with(rest)
            })
    }

    /// Whether what comes next may make a spelling of a control token, of the vocabulary or not,
    /// out of the text from `at` on.
    pub(super) fn may_become_control(&self, at: usize) -> bool {
        let rest = &self.text[at..];
        self.lexicon
            .iter()
            .any(|(_, spelling)| spelling.len() > rest.len() && spelling.starts_with(rest))
    }
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

/// A word, and whether more of it may follow after the end of the input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'s> {
    pub(super) text: &'s str,
    pub(super) span: Span,
    pub(super) open: bool,
}

/// A place in a source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'s> {
    pub(super) source: &'s Source,
    pub(super) at: usize,
}

impl<'s> Cursor<'s> {
    pub(super) fn new(source: &'s Source, at: usize) -> Self {
        Self { source, at }
    }

    /// What comes next; an error where it may come nowhere.
    pub(super) fn next(&self) -> Result<Next, TranscriptError> {
        if self.is_at_end() || self.source.is_cut_at(self.at) {
            return Ok(Next::End);
        }
        match self.source.mark_at(self.at) {
            None => Ok(Next::Text),
            Some((mark, span)) => control(mark, span).map(|token| Next::Control(token, span)),
        }
    }

    /// Takes `token`, if it comes next.
    pub(super) fn take_control(&mut self, token: ControlToken) -> Option<Span> {
        match self.next() {
            Ok(Next::Control(found, span)) if found == token => {
                self.at = span.end;
                Some(span)
            }
            _ => None,
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

    /// Takes SP and HTAB.
    pub(super) fn take_blanks(&mut self) -> Span {
        self.take_while(|c| c == ' ' || c == '\t')
    }

    /// Takes one LF, if it comes next.
    pub(super) fn take_line_feed(&mut self) -> bool {
        let found = self.source.text[self.at..].starts_with('\n') && !self.source.is_token(self.at);
        self.at += usize::from(found);
        found
    }

    /// Takes a word: visible ASCII without `<`. What is due there is told by `what`.
    pub(super) fn word(&mut self, what: &str) -> Result<Word<'s>, TranscriptError> {
        self.word_of(what, |c| c.is_ascii_graphic() && c != '<')
    }

    /// The same of characters for which `fits` holds.
    pub(super) fn word_of(
        &mut self,
        what: &str,
        fits: impl Fn(char) -> bool,
    ) -> Result<Word<'s>, TranscriptError> {
        let span = self.take_while(fits);
        let open = self.is_at_end();
        if span.start < span.end || open {
            let text = self.text(span);
            return Ok(Word { text, span, open });
        }
        match self.next()? {
            Next::End => Err(self.cut_header()),
            Next::Control(token, span) => Err(TranscriptError::header(
                span,
                format!("{token} where {what} is due"),
            )),
            Next::Text => Err(self.unexpected()),
        }
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

    /// The error for an input that ends within a header.
    pub(super) fn cut_header(&self) -> TranscriptError {
        TranscriptError::truncated(self.source.text.len(), "within a header")
    }

    /// The error for a character that no header has here.
    pub(super) fn unexpected(&self) -> TranscriptError {
        let span = self.next_char();
        let message = format!("unexpected {:?} in a header", self.text(span));
        TranscriptError::header(span, message)
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
