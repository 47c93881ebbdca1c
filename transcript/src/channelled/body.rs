//! Bodies: where they end, escapes, literal blocks.

use crate::control::ControlToken;
use crate::error::{ErrorCode, TranscriptError};
use crate::message::Terminator;
use crate::source::{Mark, Source, control};
use crate::span::Span;

/// A body and what closed it.
#[derive(Debug)]
pub(super) struct Body {
    /// Escapes undone, the marks of literal blocks taken away.
    pub(super) text: String,
    /// As written.
    pub(super) span: Span,
    /// What literal blocks hold of it.
    pub(super) literals: Vec<Span>,
    pub(super) terminator: Terminator,
    pub(super) terminator_span: Span,
}

/// What a body may hold beside plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Markup {
    /// Nothing.
    None,
    /// Control tokens escaped by a doubled `<`: JSON.
    Escapes,
    /// Those, and literal blocks: text.
    EscapesAndLiterals,
}

/// A body as far as it has been read.
#[derive(Debug)]
pub(super) struct BodyScan {
    start: usize,
    at: usize,
    text: String,
    markup: Markup,
    literals: Vec<Span>,
    in_literal: bool,
}

impl BodyScan {
    pub(super) fn new(start: usize, markup: Markup) -> Self {
        Self {
            start,
            at: start,
            text: String::new(),
            markup,
            literals: Vec::new(),
            in_literal: false,
        }
    }

    /// What has been read of it: escapes undone, the marks of literal blocks taken away.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Reads on through the terminator: the first unescaped, non-literal `<|end|>`, `<|call|>`
    /// or `<|return|>`. Where the input ends before it, this can be called again with more.
    pub(super) fn read(&mut self, source: &Source) -> Result<Body, TranscriptError> {
        loop {
            self.take_plain(source);
            if self.at == source.text.len() || self.waits(source) {
                let place = match self.in_literal {
                    true => "within a literal block",
                    false => "within a body",
                };
                return Err(TranscriptError::truncated(source.text.len(), place));
            }
            if self.in_literal {
                self.literal(source)?;
            } else if (self.markup == Markup::None || !self.escape(source)?)
                && let Some(body) = self.mark(source)?
            {
                return Ok(body);
            }
        }
    }

    /// Copies ordinary text up to the next place where something else may stand.
    fn take_plain(&mut self, source: &Source) {
        let end = source.next_candidate(self.at).unwrap_or(source.text.len());
        self.text.push_str(&source.text[self.at..end]);
        self.at = end;
    }

    /// Whether only what comes next tells what stands here.
    fn waits(&self, source: &Source) -> bool {
        if source.is_token(self.at) {
            return false;
        }
        let doubled = self.markup != Markup::None && source.text[self.at..].starts_with("<<");
        source.may_become_control(self.at) || (doubled && source.may_become_control(self.at + 1))
    }

    /// Takes what stands here: a terminator, the opening of a literal block, or a plain `<`.
    fn mark(&mut self, source: &Source) -> Result<Option<Body>, TranscriptError> {
        let Some((mark, span)) = source.mark_at(self.at) else {
            self.text.push('<');
            self.at += 1;
            return Ok(None);
        };
        let token = control(mark, span)?;
        self.at = span.end;
        if let Some(terminator) = terminator(token) {
            return Ok(Some(Body {
                text: std::mem::take(&mut self.text),
                span: Span::new(self.start, span.start),
                literals: std::mem::take(&mut self.literals),
                terminator,
                terminator_span: span,
            }));
        }
        if token != ControlToken::Literal || self.markup != Markup::EscapesAndLiterals {
            return Err(misplaced(token, span));
        }
        self.in_literal = true;
        self.literals.push(Span::new(self.at, self.at));
        Ok(None)
    }

    /// Takes a control token escaped by a doubled `<`, if one stands here (§3).
    fn escape(&mut self, source: &Source) -> Result<bool, TranscriptError> {
        let at = self.at;
        if !source.text[at..].starts_with("<<") || source.is_token(at) {
            return Ok(false);
        }
        let Some((token, spelling)) = source.spelled_at(at + 1) else {
            return Ok(false);
        };
        let end = at + 1 + spelling.len();
        if source.is_token(at + 1) {
            let message = format!("`<` right before {token}: as text, this is an escape");
            let span = Span::new(at, end);
            return Err(TranscriptError::new(ErrorCode::TextControl, span, message));
        }
        self.text.push_str(spelling);
        self.at = end;
        Ok(true)
    }

    /// Takes what stands here within a literal block: its end, or something verbatim.
    fn literal(&mut self, source: &Source) -> Result<(), TranscriptError> {
        let end = match source.mark_at(self.at) {
            None => self.at + 1,
            Some((Mark::Control(ControlToken::EndLiteral), span)) => {
                self.at = span.end;
                self.in_literal = false;
                if let Some(block) = self.literals.last_mut() {
                    block.end = span.start;
                }
                return Ok(());
            }
            Some((mark @ (Mark::Smuggled(ControlToken::EndLiteral) | Mark::Foreign), span)) => {
                control(mark, span)?;
                span.end
            }
            Some((_, span)) => span.end,
        };
        self.text.push_str(&source.text[self.at..end]);
        self.at = end;
        Ok(())
    }
}

fn terminator(token: ControlToken) -> Option<Terminator> {
    match token {
        ControlToken::End => Some(Terminator::End),
        ControlToken::Call => Some(Terminator::Call),
        ControlToken::Return => Some(Terminator::Return),
        _ => None,
    }
}

fn misplaced(token: ControlToken, span: Span) -> TranscriptError {
    let error = TranscriptError::header(span, format!("{token} within a body"));
    match token {
        ControlToken::Literal => error.with_hint("literal blocks belong in text, not in JSON"),
        ControlToken::EndLiteral => error.with_hint("no literal block is open here"),
        _ => error.with_hint("close the message before, with <|end|>, <|call|> or <|return|>"),
    }
}
