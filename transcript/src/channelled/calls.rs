//! Calls and replies over a transcript: ids used and open, channels, arguments.

use std::collections::{BTreeMap, BTreeSet};

use super::body::{Body, Markup};
use super::header::{Header, Spanned};
use super::rules::{CallIds, Rules};
use crate::calls::{PYTHON, check_arguments, check_tool, full_name, is_built_in};
use crate::config::{ParserConfig, StartPoint};
use crate::control::ControlToken;
use crate::error::{ErrorCode, TranscriptError};
use crate::message::{Channel, Role, Terminator};
use crate::span::Span;

/// Whether a body is to be JSON: by its type; a generated one also as what a tool takes, or as a
/// response. In history only its terminator makes a call, so a recipient says nothing of a body.
pub(super) fn takes_json(header: &Header, config: &ParserConfig<'_>) -> bool {
    if !config.is_generation() {
        return header.has_json_body();
    }
    let is_call_of_json = header.role == Role::Assistant
        && header
            .recipient
            .as_ref()
            .is_some_and(|to| to.value != PYTHON);
    let is_final = header
        .channel
        .as_ref()
        .is_some_and(|channel| channel.value == Channel::Final);
    header.has_json_body() || is_call_of_json || (is_final && config.response.is_some())
}

/// Literal blocks belong in text; a body that is to be JSON has none. Generated JSON has no doubled
/// `<` either: its own escapes are the way out.
pub(super) fn markup(header: &Header, rules: &Rules<'_>) -> Markup {
    let takes_json = takes_json(header, rules.config);
    if !rules.dialect.has_markup || (takes_json && rules.config.is_generation()) {
        Markup::None
    } else if takes_json || !has_literals(rules) {
        Markup::Escapes
    } else {
        Markup::EscapesAndLiterals
    }
}

fn has_literals(rules: &Rules<'_>) -> bool {
    rules
        .check_token(ControlToken::Literal, Span::default())
        .is_ok()
}

/// The calls of a transcript so far.
pub(super) struct Calls {
    /// Every id that a call has used.
    used: BTreeSet<String>,
    /// Those that no reply has answered, with the tools that are called; none is known of a call
    /// made before the text.
    open: BTreeMap<String, Option<String>>,
    /// The tools of calls without an id that no reply has answered, in order.
    nameless: Vec<String>,
    /// Whether calls without an id may have been made before the text.
    may_go_back: bool,
}

impl Calls {
    pub(super) fn new(config: &ParserConfig<'_>) -> Self {
        let (open, closed) = (&config.open_call_ids, &config.closed_call_ids);
        Self {
            used: open.iter().chain(closed).cloned().collect(),
            open: open.iter().map(|id| (id.clone(), None)).collect(),
            nameless: Vec::new(),
            may_go_back: config.start != StartPoint::Transcript,
        }
    }

    /// Judges a header: a generated call, or a reply.
    pub(super) fn on_header(
        &mut self,
        header: &Header,
        rules: &Rules<'_>,
    ) -> Result<(), TranscriptError> {
        match (header.role, &header.recipient) {
            (Role::Assistant, Some(to)) if rules.config.is_generation() => {
                self.check_id(header, rules)?;
                check_negotiated(to, rules)
            }
            (Role::Tool, _) => self.reply(header, rules),
            _ => Ok(()),
        }
    }

    /// Judges a message as a call, if it is one: `to=` without `<|call|>` is none (§10).
    pub(super) fn on_body(
        &mut self,
        header: &Header,
        body: &Body,
        rules: &Rules<'_>,
    ) -> Result<(), TranscriptError> {
        let Some(recipient) = &header.recipient else {
            return Ok(());
        };
        if header.role != Role::Assistant || body.terminator != Terminator::Call {
            return Ok(());
        }
        if !rules.config.is_generation() {
            check_tool(rules.config, &recipient.value, recipient.span)?;
            self.check_id(header, rules)?;
            check_negotiated(recipient, rules)?;
            check_channel(header, recipient, rules)?;
        }
        let tool = recipient.value.clone();
        match &header.call_id {
            Some(id) => {
                self.used.insert(id.value.clone());
                self.open.insert(id.value.clone(), Some(tool));
            }
            None => self.nameless.push(tool),
        }
        check_arguments(rules.config, &recipient.value, &body.text, body.span)
    }

    fn check_id(&self, header: &Header, rules: &Rules<'_>) -> Result<(), TranscriptError> {
        match &header.call_id {
            Some(id) if self.used.contains(&id.value) => {
                let message = format!("a call before had the id {:?} already", id.value);
                Err(TranscriptError::header(id.span, message))
            }
            None if rules.needs_call_ids() => {
                let error = TranscriptError::header(header.span, "a call without call_id=");
                Err(error.with_hint("every call carries an id of its own"))
            }
            _ => Ok(()),
        }
    }

    fn reply(&mut self, header: &Header, rules: &Rules<'_>) -> Result<(), TranscriptError> {
        match &header.call_id {
            Some(id) => match self.open.remove(&id.value) {
                Some(called) => check_answers(header, called.as_deref()),
                None => {
                    let message = format!("no open call has the id {:?}", id.value);
                    Err(unmatched(id.span, message))
                }
            },
            None if rules.needs_call_ids() => {
                let error = TranscriptError::header(header.span, "a tool's reply without call_id=");
                Err(error.with_hint("a reply echoes the id of its call"))
            }
            // Harmony has no ids, and its published history has replies to calls that it leaves out.
            None if rules.dialect.call_ids == CallIds::None => Ok(()),
            None => self.reply_by_name(header),
        }
    }

    /// A reply without an id answers the first open call of its tool (§12), one without an id first.
    fn reply_by_name(&mut self, header: &Header) -> Result<(), TranscriptError> {
        let Some(name) = &header.name else {
            return Ok(());
        };
        let is_called = |called: &String| is_name_of(&name.value, called);
        if let Some(at) = self.nameless.iter().position(is_called) {
            self.nameless.remove(at);
            return Ok(());
        }
        let with_id = self.open.iter().find(|(_, called)| {
            // What was called before the text is not known.
            called.as_ref().is_none_or(is_called)
        });
        match with_id.map(|(id, _)| id.clone()) {
            Some(id) => {
                self.open.remove(&id);
                Ok(())
            }
            None if self.may_go_back => Ok(()),
            None => {
                let message = format!("no open call is of {:?}", name.value);
                Err(unmatched(name.span, message))
            }
        }
    }
}

fn unmatched(span: Span, message: String) -> TranscriptError {
    TranscriptError::new(ErrorCode::ReplyUnmatched, span, message)
}

/// Whether a reply of this name, in full or without its namespace, is one to a call of this tool.
fn is_name_of(name: &str, called: &str) -> bool {
    name == called || full_name(name) == called
}

/// Whether a reply says the name of the tool that was called (§6).
fn check_answers(header: &Header, called: Option<&str>) -> Result<(), TranscriptError> {
    let (Some(name), Some(called)) = (&header.name, called) else {
        return Ok(());
    };
    if is_name_of(&name.value, called) {
        return Ok(());
    }
    let message = format!("the reply of {:?} to a call_id= of {called:?}", name.value);
    Err(unmatched(name.span, message))
}

/// Whether the document header has a built-in tool that is called.
fn check_negotiated(recipient: &Spanned<String>, rules: &Rules<'_>) -> Result<(), TranscriptError> {
    if !is_built_in(&recipient.value) || rules.allows_builtin(&recipient.value) {
        return Ok(());
    }
    let message = format!("the document header has no tool {:?}", recipient.value);
    let error = TranscriptError::new(ErrorCode::ToolUnknown, recipient.span, message);
    Err(error.with_hint("see its builtin_tools"))
}

/// Whether a tool listens on the channel of a call, where anything is said about it.
pub(super) fn check_channel(
    header: &Header,
    recipient: &Spanned<String>,
    rules: &Rules<'_>,
) -> Result<(), TranscriptError> {
    let (channel, span) = match &header.channel {
        Some(channel) => (channel.value, channel.span),
        None => (Channel::Final, recipient.span),
    };
    let is_built_in = is_built_in(&recipient.value);
    match rules.call_channels(is_built_in) {
        Some(channels) if !channels.contains(&channel) => {
            let names: Vec<_> = channels.iter().map(|c| c.as_str()).collect();
            let message = format!("a call of {:?} on {}", recipient.value, channel.as_str());
            let error = TranscriptError::new(ErrorCode::TurnChannel, span, message);
            Err(match names.contains(&"analysis") {
                true => error.with_hint("it is called on analysis or commentary"),
                false => error.with_hint("it is called on commentary"),
            })
        }
        _ => Ok(()),
    }
}
