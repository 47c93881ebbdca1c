//! The rules over a generated turn.

use super::body::Body;
use super::calls::check_channel;
use super::harmony;
use super::header::Header;
use super::openchatml_2_2;
use super::rules::Rules;
use crate::calls::{check_call_made, check_choice, check_response};
use crate::config::{Analysis, CallLimit, ParserConfig};
use crate::error::{ErrorCode, TranscriptError};
use crate::message::{Channel, Terminator};
use crate::source::Source;
use crate::span::Span;

/// A generated turn as far as it has been read.
pub(super) struct Turn<'c> {
    config: &'c ParserConfig<'c>,
    has_called: bool,
    last: Option<Terminator>,
}

impl<'c> Turn<'c> {
    pub(super) fn new(config: &'c ParserConfig<'c>) -> Self {
        Self {
            config,
            has_called: false,
            last: None,
        }
    }

    /// Whether the turn may end here.
    pub(super) fn may_end(&self) -> bool {
        matches!(self.last, Some(Terminator::Call | Terminator::Return))
    }

    /// Whether another message may follow.
    pub(super) fn may_go_on(&self) -> bool {
        match self.last {
            None | Some(Terminator::End) => true,
            Some(Terminator::Call) => self.config.calls == CallLimit::Many,
            Some(Terminator::Return) => false,
        }
    }

    /// The error for anything at `span` after the turn's end.
    pub(super) fn after_end(&self, span: Span) -> TranscriptError {
        if self.last == Some(Terminator::Call) {
            return TranscriptError::new(
                ErrorCode::TurnParallel,
                span,
                "a call ends the turn, parallel calls are not allowed",
            );
        }
        TranscriptError::new(ErrorCode::TurnEnd, span, "<|return|>, the turn is over")
    }

    /// Judges a header.
    pub(super) fn on_header(
        &self,
        header: &Header,
        rules: &Rules<'_>,
    ) -> Result<(), TranscriptError> {
        let Some(channel) = &header.channel else {
            return Ok(());
        };
        if channel.value == Channel::Analysis && self.config.analysis == Analysis::Forbidden {
            return Err(TranscriptError::new(
                ErrorCode::TurnAnalysis,
                channel.span,
                "analysis is not allowed in this turn",
            ));
        }
        match &header.recipient {
            Some(recipient) => {
                check_choice(self.config, &recipient.value, recipient.span)?;
                check_channel(header, recipient, rules)?;
            }
            // A final message ends the turn, so a call that is due must have come before.
            None if channel.value == Channel::Final => {
                check_call_made(self.config, self.has_called, channel.span)?;
            }
            None => {}
        }
        match rules.dialect.has_bare_types {
            true => harmony::check_type(header, channel.value, self.config),
            false => openchatml_2_2::check_header(header, channel.value, self.config),
        }
    }

    /// Judges what closes a message, and the response.
    pub(super) fn on_body(
        &mut self,
        header: &Header,
        body: &Body,
        rules: &Rules<'_>,
        source: &Source,
    ) -> Result<(), TranscriptError> {
        let is_final = header
            .channel
            .as_ref()
            .is_some_and(|c| c.value == Channel::Final);
        let (due, what) = if header.recipient.is_some() {
            (Terminator::Call, "<|call|> closes a tool call")
        } else if is_final {
            (
                self.config.answer_end,
                "<|return|> closes the final message of a turn, unless it was not negotiated",
            )
        } else {
            (
                Terminator::End,
                "<|end|> closes a message that is neither a call nor final",
            )
        };
        if body.terminator != due {
            return Err(TranscriptError::new(
                ErrorCode::TurnTerminator,
                body.terminator_span,
                "the wrong token closes this message",
            )
            .with_hint(what));
        }
        if rules.dialect.has_markup {
            openchatml_2_2::check_thoughts(header, body, self.config, source)?;
        }
        self.has_called |= due == Terminator::Call;
        self.last = Some(if is_final { Terminator::Return } else { due });
        match is_final {
            true => check_response(self.config, &body.text, body.span),
            false => Ok(()),
        }
    }
}
