//! The rules over a generated turn.

use super::body::Body;
use super::calls::{check_json, is_built_in};
use super::config::{Analysis, CallLimit, Format, ParserConfig, ToolChoice};
use super::error::{ErrorCode, TranscriptError};
use super::header::{Header, Spanned};
use super::message::{Channel, Terminator};
use crate::base::Span;

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
    pub(super) fn on_header(&self, header: &Header) -> Result<(), TranscriptError> {
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
            Some(recipient) => self.check_call(recipient, channel)?,
            None if channel.value == Channel::Final => self.check_final(channel)?,
            None => {}
        }
        match self.config.format {
            Format::Harmony => check_type(header, channel.value),
            Format::OpenChatMl22 => Ok(()),
        }
    }

    fn check_call(
        &self,
        recipient: &Spanned<String>,
        channel: &Spanned<Channel>,
    ) -> Result<(), TranscriptError> {
        let refused = match &self.config.tool_choice {
            ToolChoice::None => Some("the tool choice allows no calls".to_owned()),
            ToolChoice::Named(name) if *name != recipient.value => {
                Some(format!("the tool choice allows {name:?} only"))
            }
            _ => None,
        };
        if let Some(message) = refused {
            return Err(TranscriptError::new(
                ErrorCode::TurnToolChoice,
                recipient.span,
                message,
            ));
        }
        let wrong = |message: String| {
            Err(TranscriptError::new(
                ErrorCode::TurnChannel,
                channel.span,
                message,
            ))
        };
        match channel.value {
            Channel::Final => wrong("a tool call on final".to_owned()),
            Channel::Analysis if !is_built_in(&recipient.value) => wrong(format!(
                "{:?} is no built-in tool, it is called on commentary",
                recipient.value
            )),
            _ => Ok(()),
        }
    }

    /// A final message ends the turn, so a call that is due must have come before.
    fn check_final(&self, channel: &Spanned<Channel>) -> Result<(), TranscriptError> {
        let due = matches!(
            self.config.tool_choice,
            ToolChoice::Required | ToolChoice::Named(_)
        );
        if due && !self.has_called {
            return Err(TranscriptError::new(
                ErrorCode::TurnToolChoice,
                channel.span,
                "the tool choice demands a call before the turn can end",
            ));
        }
        Ok(())
    }

    /// Judges what closes a message, and the response.
    pub(super) fn on_body(&mut self, header: &Header, body: &Body) -> Result<(), TranscriptError> {
        let is_final = header
            .channel
            .as_ref()
            .is_some_and(|c| c.value == Channel::Final);
        let (due, what) = if header.recipient.is_some() {
            (Terminator::Call, "<|call|> closes a tool call")
        } else if is_final {
            (
                Terminator::Return,
                "<|return|> closes the final message of a turn",
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
        self.has_called |= due == Terminator::Call;
        self.last = Some(due);
        if is_final {
            self.check_response(body)
        } else {
            Ok(())
        }
    }

    fn check_response(&self, body: &Body) -> Result<(), TranscriptError> {
        let Some(validator) = self.config.response else {
            return Ok(());
        };
        let invalid =
            |message: String| TranscriptError::new(ErrorCode::ResponseSchema, body.span, message);
        check_json(&body.text)
            .map_err(|error| invalid(format!("the response is not JSON: {error}")))?;
        validator.validate(&body.text).map_err(invalid)
    }
}

/// Harmony's types: JSON for function tools and structured finals, code for built-in tools.
fn check_type(header: &Header, channel: Channel) -> Result<(), TranscriptError> {
    let Some(name) = header.body_type() else {
        return Ok(());
    };
    let allowed: &[&str] = match &header.recipient {
        Some(recipient) if is_built_in(&recipient.value) => &["json", "code"],
        Some(_) => &["json"],
        None if channel == Channel::Final => &["json"],
        None => &[],
    };
    if allowed.contains(&name.value.as_str()) {
        return Ok(());
    }
    let message = format!(
        "the type {:?} on a message that takes {allowed:?}",
        name.value
    );
    Err(TranscriptError::header(name.span, message))
}
