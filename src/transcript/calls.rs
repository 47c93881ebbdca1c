//! Recipients, arguments and call ids.

use super::body::{Body, LiteralBlocks};
use super::config::ParserConfig;
use super::error::{ErrorCode, TranscriptError};
use super::header::{Header, Spanned, unknown_tool};
use super::message::{Role, Terminator};
use serde::de::IgnoredAny;
use std::collections::BTreeSet;

/// Whether a tool is built in: called on `analysis` too (OpenChatML 2.2 §8.3).
pub(super) fn is_built_in(name: &str) -> bool {
    name == "python" || name.starts_with("browser.")
}

/// Literal blocks belong in text; a body that is to be JSON has none.
pub(super) fn literal_blocks(header: &Header) -> LiteralBlocks {
    let to_function = header.role == Role::Assistant
        && header
            .recipient
            .as_ref()
            .is_some_and(|to| to.value != "python");
    if header.is_json() || to_function {
        LiteralBlocks::Refused
    } else {
        LiteralBlocks::Allowed
    }
}

/// Whether `text` is a JSON text (RFC 8259), however deep it nests.
pub(super) fn check_json(text: &str) -> Result<(), serde_json::Error> {
    serde_json::from_str::<IgnoredAny>(text).map(drop)
}

/// The calls of a transcript.
pub(super) struct Calls<'c> {
    config: &'c ParserConfig<'c>,
    /// Every id that a call has used.
    used: BTreeSet<String>,
    /// Those that no reply has answered.
    open: BTreeSet<String>,
}

impl<'c> Calls<'c> {
    pub(super) fn new(config: &'c ParserConfig<'c>) -> Self {
        let open: BTreeSet<String> = config.open_call_ids.iter().cloned().collect();
        let used = open
            .iter()
            .chain(&config.closed_call_ids)
            .cloned()
            .collect();
        Self { config, used, open }
    }

    /// Judges a header: a generated call, or a reply.
    pub(super) fn on_header(&mut self, header: &Header) -> Result<(), TranscriptError> {
        match (header.role, &header.recipient) {
            (Role::Assistant, Some(_)) if self.config.is_generation() => self.check_id(header),
            (Role::Tool, _) => self.reply(header),
            _ => Ok(()),
        }
    }

    /// Judges a message as a call, if it is one: `to=` without `<|call|>` is none (§10).
    pub(super) fn on_body(&mut self, header: &Header, body: &Body) -> Result<(), TranscriptError> {
        let Some(recipient) = &header.recipient else {
            return Ok(());
        };
        if header.role != Role::Assistant || body.terminator != Terminator::Call {
            return Ok(());
        }
        if !self.config.is_generation() {
            self.check_tool(recipient)?;
            self.check_id(header)?;
        }
        if let Some(id) = &header.call_id {
            self.used.insert(id.value.clone());
            self.open.insert(id.value.clone());
        }
        self.check_arguments(&recipient.value, body)
    }

    fn check_tool(&self, recipient: &Spanned<String>) -> Result<(), TranscriptError> {
        match &self.config.tools {
            Some(tools) if !tools.contains(&recipient.value) => {
                Err(unknown_tool(&recipient.value, recipient.span))
            }
            _ => Ok(()),
        }
    }

    fn check_id(&self, header: &Header) -> Result<(), TranscriptError> {
        match &header.call_id {
            Some(id) if self.used.contains(&id.value) => {
                let message = format!("a call before had the id {:?} already", id.value);
                Err(TranscriptError::header(id.span, message))
            }
            None if self.config.needs_call_ids() => Err(TranscriptError::header(
                header.span,
                "a call without call_id=",
            )
            .with_hint("every call carries an id of its own")),
            _ => Ok(()),
        }
    }

    fn reply(&mut self, header: &Header) -> Result<(), TranscriptError> {
        match &header.call_id {
            Some(id) if !self.open.remove(&id.value) => {
                let message = format!("no open call has the id {:?}", id.value);
                Err(TranscriptError::header(id.span, message))
            }
            None if self.config.needs_call_ids() => Err(TranscriptError::header(
                header.span,
                "a tool's reply without call_id=",
            )
            .with_hint("a reply echoes the id of its call")),
            _ => Ok(()),
        }
    }

    /// In history arguments are judged only if the caller brings a judge.
    fn check_arguments(&self, recipient: &str, body: &Body) -> Result<(), TranscriptError> {
        let judged = self.config.is_generation() || self.config.arguments.is_some();
        if recipient == "python" || !judged {
            return Ok(());
        }
        let invalid =
            |message: String| TranscriptError::new(ErrorCode::CallSchema, body.span, message);
        check_json(&body.text)
            .map_err(|error| invalid(format!("arguments are not JSON: {error}")))?;
        if !body.text.trim_start().starts_with('{') {
            return Err(invalid("arguments are not a JSON object".to_owned()));
        }
        match self.config.arguments {
            Some(validator) => validator.validate(recipient, &body.text).map_err(invalid),
            None => Ok(()),
        }
    }
}
