//! Chat messages, read one after the other.

use crate::calls::{check_json, full_name, is_built_in};
use crate::convert::channels::{call, reply};
use crate::error::ErrorCode;
use crate::interchange::{InterchangeError, ObjectReader, ROLES, named};
use crate::json::Json;
use crate::message::{Channel, Intent, Message, Role};
use crate::reading::{ReadMessages, ReadWarning};
use crate::span::Span;

/// Members of a message that are read, or say nothing that a conversation has.
const MEMBERS: [&str; 25] = [
    "role",
    "content",
    "name",
    "tool_calls",
    "tool_call_id",
    "tool_name",
    "function_call",
    "refusal",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "thinking",
    "annotations",
    "id",
    "object",
    "created",
    "model",
    "index",
    "phase",
    "status",
    "type",
    "logprobs",
    "finish_reason",
    "cache_control",
    "metadata",
];

/// A call that was read: its id, that which it got, and whether a reply has answered it.
struct ReadCall {
    id: String,
    own: String,
    recipient: String,
    is_open: bool,
    /// How many turns of the assistant with calls there were before its own.
    turn: usize,
    /// How many messages there were before it.
    at: usize,
}

/// What a call gives its tool.
pub(super) enum Body {
    /// Arguments.
    Json(String),
    /// What a custom tool takes.
    Text(String),
}

/// A conversation as far as it is read.
#[derive(Default)]
pub(super) struct Reader {
    pub(super) read: ReadMessages,
    calls: Vec<ReadCall>,
    /// Where the message stands that is being read.
    pub(super) at: String,
    pub(super) span: Span,
}

impl Reader {
    /// A reader at the top of a text.
    pub(super) fn new() -> Self {
        Self {
            at: "#".to_owned(),
            ..Self::default()
        }
    }

    pub(super) fn warn(&mut self, key: &str, message: impl Into<String>) {
        self.read.warnings.push(ReadWarning {
            pointer: format!("{}/{key}", self.at),
            span: self.span,
            message: message.into(),
        });
    }

    pub(super) fn wrong(&self, key: &str, reason: impl Into<String>) -> InterchangeError {
        InterchangeError::new(format!("{}/{key}", self.at), reason)
    }

    pub(super) fn message(
        &mut self,
        item: &Json,
        is_before_call: bool,
    ) -> Result<(), InterchangeError> {
        let at = self.at.clone();
        let reader = ObjectReader { item, at: &at };
        let role = match reader.text("role")? {
            Some("function") => Role::Tool,
            None => return Err(self.wrong("role", "expected a role")),
            Some(name) => named(Some(name), &ROLES, Role::as_str).ok_or_else(|| {
                let roles = ROLES.map(Role::as_str).join(", ");
                self.wrong(
                    "role",
                    format!("there is no role {name:?}; expected one of {roles}"),
                )
            })?,
        };
        for (key, value) in item.members() {
            if !MEMBERS.contains(&key.as_str()) && *value != Json::Null {
                self.warn(key, "this member is not known, and left out");
            }
        }
        match role {
            Role::Tool => self.reply(item, "content"),
            Role::Assistant => self.assistant(item, &reader, is_before_call),
            _ => self.said(role, item, &reader),
        }
    }

    /// What somebody else than the assistant says, and the replies beside it.
    fn said(
        &mut self,
        role: Role,
        item: &Json,
        reader: &ObjectReader<'_>,
    ) -> Result<(), InterchangeError> {
        let content = self.content(item, "content")?;
        let name = reader.owned("name")?;
        let has_replies = !content.replies.is_empty();
        for (answer, key) in &content.replies {
            let at = std::mem::take(&mut self.at);
            self.at = format!("{at}/{key}");
            let read = self.reply(answer, "content");
            self.at = at;
            read?;
        }
        if let Some((_, key)) = content.calls.first() {
            return Err(self.wrong(key, "only the assistant makes calls"));
        }
        if !content.reasoning.is_empty() {
            self.warn(
                "content",
                "only the assistant thinks; the thoughts are left out",
            );
        }
        let text = content.text;
        let text = text.ok_or_else(|| self.wrong("content", "expected a text"))?;
        if !(has_replies && text.is_empty()) {
            self.read.messages.push(Message {
                name,
                ..Message::new(role, text)
            });
        }
        Ok(())
    }

    fn reply(&mut self, item: &Json, key: &str) -> Result<(), InterchangeError> {
        let at = self.at.clone();
        let reader = ObjectReader { item, at: &at };
        let content = self.output(item, key)?;
        let name = reader.owned("name")?.or(reader.owned("tool_name")?);
        let id = reader.owned("tool_call_id")?;
        self.answer(content, id, name, "tool_call_id")
    }

    /// A tool's reply to the call of this id, which stands under `key`, or else of this name.
    pub(super) fn answer(
        &mut self,
        content: String,
        id: Option<String>,
        name: Option<String>,
        key: &str,
    ) -> Result<(), InterchangeError> {
        let id = id.filter(|id| !id.is_empty());
        let (call_id, tool) = match (self.answered(id.as_deref(), name.as_deref()), &name) {
            (Some(at), _) => {
                if id.is_none() && name.is_none() {
                    let message = "the reply says no id; it is read as that of the first open call";
                    self.warn(key, message);
                }
                let call = &mut self.calls[at];
                call.is_open = false;
                (Some(call.own.clone()), call.recipient.clone())
            }
            (None, Some(name)) => {
                let message = "it answers no call before it, and is read as a reply all the same";
                self.warn(key, message);
                (id, full_name(name))
            }
            (None, None) if id.is_none() => return Err(self.wrong(key, "expected a text")),
            (None, None) => {
                let code = ErrorCode::ReplyUnmatched.as_str();
                return Err(self.wrong(key, format!("{code}: no call before has this id")));
            }
        };
        self.read.messages.push(Message {
            call_id: call_id.filter(|id| !id.is_empty()),
            ..reply(Some(tool), &content)
        });
        Ok(())
    }

    /// The call that a reply of this id answers, or else of this name. An id may come twice in a conversation: then
    /// it is an open call of the last turn that has one, of this name, or else the first; where none is open, it is the
    /// last one. Without ids calls are answered in their order.
    fn answered(&self, id: Option<&str>, name: Option<&str>) -> Option<usize> {
        let name = name.map(full_name);
        let Some(id) = id else {
            let is_due = |call: &ReadCall| {
                let is_of = name.as_ref().is_none_or(|name| *name == call.recipient);
                call.is_open && is_of
            };
            return self.calls.iter().position(is_due);
        };
        let is_open = |call: &ReadCall| call.is_open && call.id == id;
        let Some(last) = self.calls.iter().rfind(|call| is_open(call)) else {
            return self.calls.iter().rposition(|call| call.id == id);
        };
        let is_due = |call: &ReadCall| is_open(call) && call.turn == last.turn;
        let is_named = |call: &ReadCall| is_due(call) && name.as_ref() == Some(&call.recipient);
        let named = self.calls.iter().position(is_named);
        named.or_else(|| self.calls.iter().position(is_due))
    }

    fn assistant(
        &mut self,
        item: &Json,
        reader: &ObjectReader<'_>,
        is_before_call: bool,
    ) -> Result<(), InterchangeError> {
        let mut content = self.content(item, "content")?;
        if let Some((_, key)) = content.replies.first() {
            return Err(self.wrong(key, "the assistant answers no call"));
        }
        let name = reader.owned("name")?;
        let reasoning = std::mem::take(&mut content.reasoning);
        let thinks = self.thinks(item, reasoning)?;
        let calls = self.tool_calls(item)?;
        let older = item.get("function_call");
        let has_calls = !calls.is_empty() || !content.calls.is_empty() || older.is_some();
        let said = self.speech(reader, content.text)?;
        // A turn in which nothing is said is one.
        let said = said.or_else(|| (!has_calls && !thinks).then(String::new));
        let is_preamble = match reader.text("phase")? {
            Some("final_answer") if !has_calls => false,
            Some("commentary") => true,
            _ => has_calls || is_before_call,
        };
        let said = said.filter(|text| !has_calls || !text.is_empty());
        let message = said.map(|said| spoken(said, name, is_preamble));
        self.read.messages.extend(message);
        for (call, key) in &content.calls {
            self.call(call, key)?;
        }
        for (index, call) in calls.iter().enumerate() {
            self.call(call, &format!("tool_calls/{index}"))?;
        }
        if let Some(older) = older {
            let wrapped = Json::object([("function", older.clone())]);
            self.call(&wrapped, "function_call")?;
        }
        Ok(())
    }

    /// Reads what the assistant thinks, among its content and beside it; whether it does.
    fn thinks(
        &mut self,
        item: &Json,
        mut reasoning: Vec<String>,
    ) -> Result<bool, InterchangeError> {
        for key in [
            "reasoning",
            "reasoning_content",
            "thinking",
            "reasoning_details",
        ] {
            let text = self.reasoning(key, item)?;
            if let Some(text) = text.filter(|text| !text.is_empty() && !reasoning.contains(text)) {
                reasoning.push(text);
            }
        }
        if reasoning.is_empty() {
            return Ok(false);
        }
        self.read.messages.push(Message {
            channel: Some(Channel::Analysis),
            ..Message::new(Role::Assistant, reasoning.join("\n\n"))
        });
        Ok(true)
    }

    /// What is said, a refusal with it.
    fn speech(
        &mut self,
        reader: &ObjectReader<'_>,
        text: Option<String>,
    ) -> Result<Option<String>, InterchangeError> {
        let refusal = reader.text("refusal")?.filter(|text| !text.is_empty());
        Ok(match (text, refusal) {
            (Some(text), Some(refusal)) if !text.is_empty() && text != refusal => {
                self.warn("refusal", "it is read as a part of what is said");
                Some(format!("{text}\n\n{refusal}"))
            }
            (_, Some(refusal)) => {
                self.warn("refusal", "a refusal is read as what is said");
                Some(refusal.to_owned())
            }
            (text, None) => text,
        })
    }

    /// The list of calls, which may be one call.
    fn tool_calls<'j>(&mut self, item: &'j Json) -> Result<&'j [Json], InterchangeError> {
        match item.get("tool_calls") {
            None => Ok(&[]),
            Some(Json::Array(calls)) => Ok(calls),
            Some(call @ Json::Object(_)) => {
                self.warn("tool_calls", "it is one call, and read as a list of it");
                Ok(std::slice::from_ref(call))
            }
            Some(_) => Err(self.wrong("tool_calls", "expected an array of calls")),
        }
    }

    /// A call as chat messages have it.
    fn call(&mut self, item: &Json, key: &str) -> Result<(), InterchangeError> {
        let at = format!("{}/{key}", self.at);
        let expected =
            || InterchangeError::new(&*at, "expected a call of a function, or of python");
        let id = ObjectReader { item, at: &at }.owned("id")?;
        let named = |body: &Json| {
            let name = body.get("name").and_then(Json::str).map(str::to_owned);
            name.ok_or_else(expected)
        };
        let (name, body) = match (item.get("function"), item.get("custom")) {
            (Some(function), None) => {
                let key = format!("{key}/function/arguments");
                let arguments = self.arguments(function.get("arguments"), &key)?;
                (named(function)?, Body::Json(arguments))
            }
            (None, Some(custom)) => {
                let input = custom.get("input").and_then(Json::str);
                let input = input.ok_or_else(expected)?;
                (named(custom)?, Body::Text(input.to_owned()))
            }
            (None, None) => (named(item)?, Body::Json(self.flat(item, key)?)),
            _ => return Err(expected()),
        };
        self.made(id, &name, body, &format!("{key}/id"));
        Ok(())
    }

    /// The arguments of a call without an object around its name and them.
    fn flat(&mut self, item: &Json, key: &str) -> Result<String, InterchangeError> {
        let message = "the call has no object `function`, and is read as if it had";
        self.warn(key, message);
        let known = ["arguments", "args", "input"];
        let own = known.into_iter().find(|key| item.get(key).is_some());
        let own = own.unwrap_or("arguments");
        self.arguments(item.get(own), &format!("{key}/{own}"))
    }

    /// Notes a call; its id stands under `key`.
    pub(super) fn made(&mut self, id: Option<String>, name: &str, body: Body, key: &str) {
        // Only a tool that takes code or stands in another namespace can be a built-in one.
        let recipient = match &body {
            Body::Text(_) if is_built_in(name) => name.to_owned(),
            _ => full_name(name),
        };
        let (Body::Json(text) | Body::Text(text)) = &body;
        let mut message = call(&recipient, text);
        if check_json(text).is_err() {
            // What says that it is JSON must be.
            message.constrain = None;
        }
        let id = id.filter(|id| !id.is_empty());
        message.call_id = id.clone().map(|id| self.id(id, key));
        let turn = self.calls.last().map_or(0, |last| {
            let mut since = self.read.messages[last.at..].iter();
            let has_ended = since.any(|message| message.role != Role::Assistant);
            last.turn + usize::from(has_ended)
        });
        self.calls.push(ReadCall {
            id: id.unwrap_or_default(),
            own: message.call_id.clone().unwrap_or_default(),
            recipient,
            is_open: true,
            turn,
            at: self.read.messages.len(),
        });
        self.read.messages.push(message);
    }

    /// The arguments as a JSON text.
    pub(super) fn arguments(
        &mut self,
        value: Option<&Json>,
        key: &str,
    ) -> Result<String, InterchangeError> {
        match value {
            Some(Json::String(text)) if !text.trim().is_empty() => Ok(self.written(text, key)),
            None | Some(Json::String(_)) => {
                self.warn(key, "the arguments are empty; they are read as {}");
                Ok("{}".to_owned())
            }
            Some(object @ Json::Object(_)) => {
                self.warn(key, "the arguments are an object, and read as its text");
                Ok(object.to_string())
            }
            Some(_) => Err(self.wrong(key, "expected a text that is a JSON object")),
        }
    }

    /// Arguments that are a text, and what is wrong with them.
    fn written(&mut self, text: &str, key: &str) -> String {
        match Json::parse(text) {
            Ok(Json::Object(_)) => {}
            Ok(Json::String(inner)) if matches!(Json::parse(&inner), Ok(Json::Object(_))) => {
                let message = "the arguments are JSON within JSON; they are read as the object";
                self.warn(key, message);
                return inner;
            }
            Ok(_) => self.warn(key, "the arguments are no object; they stay as they are"),
            Err(error) => {
                let message = format!("the arguments are no JSON, and stay as they are: {error}");
                self.warn(key, message);
            }
        }
        text.to_owned()
    }

    /// The id of a call, another one where it is taken.
    fn id(&mut self, id: String, key: &str) -> String {
        let is_free = |id: &str| self.calls.iter().all(|call| call.own != id);
        let mut own = id.clone();
        let mut number = 2;
        while !is_free(&own) {
            own = format!("{id}_{number}");
            number += 1;
        }
        if own != id {
            let message = format!("the id {id:?} stands before already; this call gets {own:?}");
            self.warn(key, message);
        }
        own
    }
}

/// What the assistant says, before calls or as an answer.
fn spoken(text: String, name: Option<String>, is_preamble: bool) -> Message {
    let (channel, intent) = match is_preamble {
        false => (Channel::Final, None),
        true => (Channel::Commentary, Some(Intent::Preamble)),
    };
    Message {
        name,
        channel: Some(channel),
        intent,
        ..Message::new(Role::Assistant, text)
    }
}
