//! Events and a message, made of bytes with roles.

use std::sync::Arc;

use super::event::{Event, Message, MessageCall, MessagePart};
use super::members::Members;
use super::places::{Mark, Owner};
use super::readings::Piece;
use super::unescape::Unescape;
use super::untold::Untold;
use super::values;
use crate::base::Span;
use crate::front::chat::{Extent, Role, Skeleton, ValueSpelling};
use crate::front::json_schema::Types;

/// Makes events and the message of the pieces of a turn, in their order.
#[derive(Clone, Debug)]
pub(super) struct Assembler {
    skeleton: Arc<Skeleton>,
    /// What is before this place was there before the turn; nothing is told of it.
    pub(super) origin: usize,
    pub(super) events: Vec<Event>,
    pub(super) message: Message,
    /// Whose text came last and where it ended, as long as more of it would be of the same part.
    last: Option<(Owner, usize)>,
    in_passage: bool,
    /// Bytes of a character that is not complete.
    cut: Vec<u8>,
    call: Option<Call>,
    calls: usize,
    untold: Untold,
}

/// A call that is being read.
#[derive(Clone, Debug, Default)]
struct Call {
    name: String,
    name_span: Span,
    has_name: bool,
    id: String,
    id_span: Span,
    /// Its number and its part of the message, once it was told.
    told: Option<(usize, usize)>,
    /// Whether its id was told, or there was none when it was told and none came since.
    id_is_told: bool,
    /// Arguments that came before the name.
    early: String,
    early_span: Span,
    is_complete: bool,
    /// Which of its arguments are complete; not followed where it takes text.
    members: Members,
    /// What of arguments in a string was read.
    string: Unescape,
    is_code: bool,
    parameters: usize,
    parameter: String,
    value: Option<Value>,
}

/// The value of a parameter that is being read.
#[derive(Clone, Debug)]
struct Value {
    spelling: ValueSpelling,
    types: Types,
    text: String,
    /// Whether it is a string for certain, and so told as it comes.
    is_told: bool,
}

impl Assembler {
    pub(super) fn new(skeleton: Arc<Skeleton>) -> Self {
        Self {
            skeleton,
            origin: 0,
            events: Vec::new(),
            message: Message::default(),
            last: None,
            in_passage: false,
            cut: Vec::new(),
            call: None,
            calls: 0,
            untold: Untold::default(),
        }
    }

    /// Takes pieces of a text of which `text` is what stands from `base` on.
    pub(super) fn take(&mut self, pieces: &[Piece], text: &[u8], base: usize) {
        for piece in pieces {
            match *piece {
                Piece::Mark(mark, at) => self.mark(mark, at),
                Piece::Text { owner, span } => {
                    let start = span.start.max(self.origin);
                    if start < span.end {
                        let bytes = &text[start - base..span.end - base];
                        self.untold.take(owner, bytes, start);
                        self.text(owner, bytes, Span::new(start, span.end));
                    }
                }
            }
        }
    }

    /// What is before the turn is not told, but for where it led.
    fn span(&self, span: Span) -> Span {
        let shift = |at: usize| at.saturating_sub(self.origin);
        Span::new(shift(span.start), shift(span.end))
    }

    fn text(&mut self, owner: Owner, bytes: &[u8], span: Span) {
        if !matches!(owner, Owner::Name) {
            self.name_has_ended();
        }
        let Some((text, span)) = self.characters(bytes, span) else {
            return;
        };
        match owner {
            Owner::Framing => {
                if self.in_passage {
                    self.last = self.last.map(|(owner, _)| (owner, span.end));
                }
            }
            Owner::Reasoning | Owner::Content => self.said(owner, text, span),
            Owner::Name => {
                if self.call.as_ref().is_some_and(|call| call.has_name) {
                    self.end_call(span.start);
                }
                let call = self.call.get_or_insert_default();
                if call.name.is_empty() {
                    call.name_span = span;
                }
                call.name.push_str(&text);
                call.name_span.end = span.end;
            }
            Owner::Id => {
                let call = self.call.get_or_insert_default();
                if call.id.is_empty() {
                    call.id_span = span;
                }
                call.id.push_str(&text);
                call.id_span.end = span.end;
            }
            Owner::Arguments | Owner::Code => self.arguments(&text, span),
            Owner::ArgumentsString => {
                let string = &mut self.call.get_or_insert_default().string;
                let start = span.start - string.kept().min(span.start);
                let text = string.take(&text);
                let span = Span::new(start, span.end - string.kept());
                if !text.is_empty() {
                    self.arguments(&text, span);
                }
            }
            Owner::ParameterName => {
                self.call.get_or_insert_default().parameter.push_str(&text);
            }
            Owner::ParameterValue => self.value(&text, span),
        }
        if !matches!(owner, Owner::Id) {
            self.id_has_ended();
        }
    }

    /// The characters that are complete, with those bytes that were kept.
    fn characters(&mut self, bytes: &[u8], span: Span) -> Option<(String, Span)> {
        if self.cut.is_empty()
            && let Ok(text) = std::str::from_utf8(bytes)
        {
            return Some((text.to_owned(), span)).filter(|_| !text.is_empty());
        }
        let start = span.start - self.cut.len().min(span.start);
        self.cut.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.cut) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.cut.len(),
        };
        let rest = self.cut.split_off(whole);
        let text = String::from_utf8_lossy(&std::mem::replace(&mut self.cut, rest)).into_owned();
        (!text.is_empty()).then(|| (text, Span::new(start, span.end - self.cut.len())))
    }

    fn said(&mut self, owner: Owner, text: String, span: Span) {
        let goes_on = self.last == Some((owner, span.start));
        self.last = Some((owner, span.end));
        let is_content = owner == Owner::Content;
        match self.message.parts.last_mut() {
            Some(MessagePart::Content(part)) if goes_on && is_content => part.push_str(&text),
            Some(MessagePart::Reasoning(part)) if goes_on && !is_content => part.push_str(&text),
            _ if is_content => self.message.parts.push(MessagePart::Content(text.clone())),
            _ => self
                .message
                .parts
                .push(MessagePart::Reasoning(text.clone())),
        }
        let span = self.span(span);
        self.events.push(match is_content {
            true => Event::Content { text, span },
            false => Event::Reasoning { text, span },
        });
    }

    fn mark(&mut self, mark: Mark, at: usize) {
        self.name_has_ended();
        self.id_has_ended();
        match mark {
            Mark::Enter(Role::Call) => {
                self.end_call(at);
                let skeleton = &self.skeleton;
                self.untold
                    .enter_call(at.max(self.origin), |text| skeleton.has_control(text));
            }
            Mark::Leave(Role::Call) => self.end_call(at),
            Mark::Enter(Role::Content(Extent::Passage)) => self.passage(Owner::Content, at),
            Mark::Enter(Role::Reasoning(Extent::Passage)) => self.passage(Owner::Reasoning, at),
            Mark::Leave(Role::Content(_) | Role::Reasoning(_)) => {
                self.in_passage = false;
                self.last = None;
            }
            Mark::Enter(Role::Code(tool)) => {
                if self.call.as_ref().is_some_and(|call| call.has_name) {
                    self.end_call(at);
                }
                let name = self.skeleton.code_tools[usize::from(tool)].clone();
                let call = self.call.get_or_insert_default();
                (call.name, call.has_name, call.is_code) = (name, true, true);
                call.name_span = Span::new(at, at);
                self.tell_call();
            }
            Mark::Enter(Role::Parameters) => self.arguments("{", Span::new(at, at)),
            Mark::Leave(Role::Parameters) => {
                self.arguments("}", Span::new(at, at));
                self.complete();
            }
            Mark::Leave(Role::Code(_)) => self.complete(),
            Mark::Enter(Role::ParameterValue(spelling)) => self.begin_value(spelling, at),
            Mark::Leave(Role::ParameterValue(_)) => self.end_value(at),
            _ => {}
        }
    }

    fn passage(&mut self, owner: Owner, at: usize) {
        self.in_passage = true;
        // So that what comes first is a part of its own.
        self.last = None;
        match owner {
            Owner::Content => self.message.parts.push(MessagePart::Content(String::new())),
            _ => self
                .message
                .parts
                .push(MessagePart::Reasoning(String::new())),
        }
        self.last = Some((owner, at));
    }

    fn complete(&mut self) {
        if let Some(call) = &mut self.call {
            call.is_complete = true;
        }
    }

    fn name_has_ended(&mut self) {
        let Some(call) = &mut self.call else {
            return;
        };
        if !call.name.is_empty() && !call.has_name {
            call.has_name = true;
            if !call.early.is_empty() {
                self.tell_call();
            }
        }
    }

    /// Tells of an id that came after its call was told of.
    fn id_has_ended(&mut self) {
        let Some(call) = &mut self.call else {
            return;
        };
        let Some((index, part)) = call.told else {
            return;
        };
        if call.id_is_told || call.id.is_empty() {
            return;
        }
        call.id_is_told = true;
        let (id, span) = (call.id.clone(), call.id_span);
        if let Some(MessagePart::Call(call)) = self.message.parts.get_mut(part) {
            call.id = Some(id.clone());
        }
        let span = self.span(span);
        self.events.push(Event::CallId { index, id, span });
    }

    /// Tells of the call, once.
    fn tell_call(&mut self) {
        let Some(call) = &mut self.call else {
            return;
        };
        if call.told.is_some() {
            return;
        }
        self.untold.leave_call(call.name_span.end);
        let index = self.calls;
        self.calls += 1;
        call.told = Some((index, self.message.parts.len()));
        call.id_is_told = !call.id.is_empty();
        let known = self.skeleton.tools.get(&call.name);
        let name = known.map_or_else(
            || call.name.strip_prefix("functions.").unwrap_or(&call.name),
            |tool| &tool.name,
        );
        let told = MessageCall {
            name: name.to_owned(),
            id: Some(call.id.clone()).filter(|id| !id.is_empty()),
            ..MessageCall::default()
        };
        let (span, early, early_span) = (
            call.name_span,
            std::mem::take(&mut call.early),
            call.early_span,
        );
        let event = Event::Call {
            index,
            name: told.name.clone(),
            id: told.id.clone(),
            span: self.span(span),
        };
        self.events.push(event);
        self.message.parts.push(MessagePart::Call(told));
        self.last = None;
        if !early.is_empty() {
            self.arguments(&early, early_span);
        }
    }

    fn arguments(&mut self, text: &str, span: Span) {
        let call = self.call.get_or_insert_default();
        if !call.has_name {
            if call.early.is_empty() {
                call.early_span = span;
            }
            call.early.push_str(text);
            call.early_span.end = span.end;
            return;
        }
        self.tell_call();
        let span = self.span(span);
        let Some(call) = &mut self.call else {
            return;
        };
        let (index, part) = call.told.expect("it was told of above");
        let Some(MessagePart::Call(told)) = self.message.parts.get_mut(part) else {
            return;
        };
        told.arguments.push_str(text);
        self.events.push(Event::Arguments {
            index,
            text: text.to_owned(),
            span,
        });
        if call.is_code {
            return;
        }
        for member in call.members.take(text) {
            let name = &told.arguments[member.name];
            self.events.push(Event::Argument {
                index,
                name: serde_json::from_str(name).unwrap_or_else(|_| name.to_owned()),
                value: told.arguments[member.value].to_owned(),
                span: Span::new(span.end, span.end),
            });
        }
    }

    fn begin_value(&mut self, spelling: ValueSpelling, at: usize) {
        let call = self.call.get_or_insert_default();
        let name = std::mem::take(&mut call.parameter);
        let tool = self.skeleton.tools.get(&call.name);
        let types = tool.map_or(Types::ALL, |tool| tool.types.types(&name));
        let is_told = match spelling {
            ValueSpelling::String => true,
            ValueSpelling::Raw => types == Types::STRING,
            ValueSpelling::Json | ValueSpelling::Python | ValueSpelling::Nested => false,
        };
        call.value = Some(Value {
            spelling,
            types,
            text: String::new(),
            is_told,
        });
        let comma = if call.parameters > 0 { ", " } else { "" };
        call.parameters += 1;
        let quote = if is_told { "\"" } else { "" };
        let begin = format!("{comma}{}: {quote}", values::quoted(&name));
        self.arguments(&begin, Span::new(at, at));
    }

    fn value(&mut self, text: &str, span: Span) {
        let value = self.call.as_mut().and_then(|call| call.value.as_mut());
        match value {
            Some(value) if value.is_told => {
                let quoted = values::quoted(text);
                self.arguments(&quoted[1..quoted.len() - 1], span);
            }
            Some(value) => value.text.push_str(text),
            None => {}
        }
    }

    fn end_value(&mut self, at: usize) {
        let Some(value) = self.call.as_mut().and_then(|call| call.value.take()) else {
            return;
        };
        let text = match value.is_told {
            true => "\"".to_owned(),
            false => {
                let mark = &self.skeleton.mark;
                values::json(&value.text, value.spelling, value.types, mark)
            }
        };
        self.arguments(&text, Span::new(at - value.text.len().min(at), at));
    }

    /// Ends the call that is being read.
    fn end_call(&mut self, at: usize) {
        self.name_has_ended();
        if let Some(call) = &mut self.call {
            call.is_complete |= call.has_name;
        }
        self.leave_call(at);
    }

    /// Leaves the call that is being read, complete or not.
    fn leave_call(&mut self, at: usize) {
        if self.call.as_ref().is_some_and(|call| call.has_name) {
            self.tell_call();
            self.id_has_ended();
        }
        let call = self.call.take();
        if call.is_some() {
            self.untold.leave_call(at);
        }
        let Some((call, (index, part))) = call.and_then(|call| Some((call.clone(), call.told?)))
        else {
            return;
        };
        if let Some(MessagePart::Call(told)) = self.message.parts.get_mut(part) {
            told.is_complete = call.is_complete;
        }
        if call.is_complete {
            let span = self.span(Span::new(at, at));
            self.events.push(Event::CallEnd { index, span });
        }
    }

    /// The turn is complete.
    pub(super) fn end(&mut self, at: usize) {
        self.end_call(at);
        self.message.is_complete = true;
        self.close(at);
    }

    /// The turn breaks off.
    pub(super) fn cut(&mut self, at: usize) {
        self.leave_call(at);
        self.close(at);
    }

    fn close(&mut self, at: usize) {
        let is_empty = |part: &MessagePart| match part {
            MessagePart::Reasoning(text) | MessagePart::Content(text) => text.is_empty(),
            MessagePart::Call(_) => false,
        };
        self.message.parts.retain(|part| !is_empty(part));
        let span = self.span(Span::new(at, at));
        let is_complete = self.message.is_complete;
        self.events.push(Event::End { is_complete, span });
    }

    /// From here on, at `at`, the text is no turn of the format.
    pub(super) fn break_off(&mut self, at: usize) {
        let has_name = self.call.as_ref().is_some_and(|call| call.has_name);
        let untold = self.untold.broken(|text| self.skeleton.has_control(text));
        self.leave_call(at);
        if let Some((from, bytes)) = untold.filter(|_| !has_name) {
            // White space before all that is said is the prompt's.
            let blank = match self.message.parts.is_empty() {
                true => bytes.len() - bytes.trim_ascii_start().len(),
                false => 0,
            };
            let span = Span::new(from + blank, from + bytes.len());
            self.plain(&bytes[blank..], span);
        }
        let span = self.span(Span::new(at, at));
        self.message.broken_at = Some(span.start);
        self.events.push(Event::Broken { span });
        self.in_passage = false;
    }

    /// More text that is no turn of the format.
    pub(super) fn plain(&mut self, bytes: &[u8], span: Span) {
        let start = span.start.max(self.origin);
        if start < span.end {
            let bytes = &bytes[start - span.start..];
            self.text(Owner::Content, bytes, Span::new(start, span.end));
        }
    }
}
