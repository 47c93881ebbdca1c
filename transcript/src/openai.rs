//! Chat messages as OpenAI's API has them, with `tool_calls`, both ways.

use super::calls::{self, check_json, full_name, is_built_in, members, short_name};
use super::convert::channels::{Markers, call, on_channels, reply, without_structure};
use super::convert::ids::with_ids;
use super::convert::loss::{Converted, Losses, Lost};
use super::interchange::{InterchangeError, ObjectReader, ROLES, named};
use super::json::Json;
use super::message::{Channel, Intent, Message, Role};
use super::reading::{ReadMessages, ReadWarning};
use super::visibility::is_shown;
use crate::span::Span;

/// Writes messages of any format as a JSON array of chat messages.
///
/// What the assistant says in a row is one message: its content what users may see, its
/// `tool_calls` its calls. Private reasoning is left out.
pub fn to_openai(messages: &[Message]) -> Converted<String> {
    let mut out: Vec<OpenAiMessage> = Vec::new();
    let mut losses = Losses::default();
    let channelled = on_channels(messages, Markers::Kept);
    for (index, message) in channelled.iter().enumerate() {
        losses.add_all_but(index, message, |what| keeps(message, what));
    }
    let channelled = channelled.into_iter().map(without_structure);
    for (index, message) in with_ids(channelled.collect()).into_iter().enumerate() {
        let own = OpenAiMessage::of(&message);
        if own.content.is_none() && own.calls.is_empty() {
            losses.add(index, &message, hidden(&message));
            continue;
        }
        // What it says comes before its calls, so only calls join a message.
        let is_assistant = |last: &&mut OpenAiMessage| last.role == Role::Assistant;
        match out.last_mut().filter(is_assistant) {
            Some(last) if own.content.is_none() => last.calls.extend(own.calls),
            _ => out.push(own),
        }
    }
    let json = Json::Array(out.into_iter().map(OpenAiMessage::into_json).collect());
    losses.of(json.to_string())
}

/// Whether a chat message has a place for something that a message on channels says.
fn keeps(message: &Message, what: Lost) -> bool {
    match what {
        Lost::Developer | Lost::CallId => true,
        Lost::Name => {
            !message.is_call()
                && message
                    .name
                    .as_ref()
                    .is_none_or(|name| !name.starts_with("<|"))
        }
        _ => false,
    }
}

/// What a message is of which nothing is shown.
fn hidden(message: &Message) -> Lost {
    match message.effective_channel() {
        Channel::Analysis => Lost::Reasoning,
        _ => Lost::HiddenCommentary,
    }
}

struct OpenAiMessage {
    role: Role,
    name: Option<String>,
    content: Option<String>,
    calls: Vec<Json>,
    call_id: Option<String>,
}

impl OpenAiMessage {
    fn of(message: &Message) -> Self {
        let is_call = message.is_call();
        let hidden = message.role == Role::Assistant && !is_shown(message);
        let is_tool = message.role == Role::Tool;
        Self {
            role: message.role,
            // The id of its call says whose a reply is, where there is one.
            name: match (is_tool, &message.call_id) {
                (true, Some(_)) => None,
                (true, None) => message.name.as_deref().map(short_name).map(str::to_owned),
                (false, _) => message.name.clone(),
            },
            content: (!is_call && !hidden).then(|| message.body.clone()),
            calls: match is_call {
                true => vec![tool_call(message)],
                false => Vec::new(),
            },
            call_id: message.call_id.clone().filter(|_| is_tool),
        }
    }

    fn into_json(self) -> Json {
        let calls = match self.calls.is_empty() {
            true => Json::Null,
            false => Json::Array(self.calls),
        };
        let mut object = Json::object([
            ("role", self.role.as_str().into()),
            ("name", Json::optional(self.name.as_deref())),
            ("tool_call_id", Json::optional(self.call_id.as_deref())),
            ("content", Json::optional(self.content.as_deref())),
            ("tool_calls", calls),
        ]);
        // The API wants the member even where there is no content.
        if let (Json::Object(members), None) = (&mut object, &self.content) {
            members.push(("content".to_owned(), Json::Null));
        }
        object
    }
}

fn tool_call(message: &Message) -> Json {
    let recipient = message.recipient.as_deref().unwrap_or_default();
    let id = Json::optional(message.call_id.as_deref());
    let name = Json::from(short_name(recipient));
    let body = Json::from(message.body.as_str());
    match is_built_in(recipient) {
        true => Json::object([
            ("id", id),
            ("type", "custom".into()),
            ("custom", Json::object([("name", name), ("input", body)])),
        ]),
        false => Json::object([
            ("id", id),
            ("type", "function".into()),
            (
                "function",
                Json::object([("name", name), ("arguments", body)]),
            ),
        ]),
    }
}

/// Reads a JSON array of chat messages, or an object with `messages`, as messages on channels:
/// content beside `tool_calls` is a preamble, other content of the assistant is final, and its
/// reasoning is analysis (`reasoning`, `reasoning_content`, `thinking`, which some servers add). The
/// place of a message is that of its object.
///
/// What common programs write otherwise than the API has it is read all the same, and warned of:
/// arguments that are an object, empty or no JSON, the older `function_call`, ids that come twice,
/// members that are not known.
///
/// # Errors
///
/// What is no chat message, and what is no text: images, audio.
pub fn from_openai(json: &str) -> Result<ReadMessages, InterchangeError> {
    let root =
        Json::parse(json).map_err(|e| InterchangeError::new("#", format!("not JSON: {e}")))?;
    let (list, at) = match root.get("messages") {
        Some(list) => (list, "#/messages"),
        None => (&root, "#"),
    };
    let items = list
        .items()
        .ok_or_else(|| InterchangeError::new(at, "expected an array of messages"))?;
    let places = places(json);
    let mut reader = Reader::default();
    for (index, item) in items.iter().enumerate() {
        reader.at = format!("{at}/{index}");
        reader.span = places.get(index).copied().unwrap_or_default();
        let known = reader.read.messages.len();
        reader.message(item)?;
        for message in &mut reader.read.messages[known..] {
            message.span = reader.span;
        }
    }
    Ok(reader.read)
}

/// Where the chat messages stand.
fn places(json: &str) -> Vec<Span> {
    let list = members(json).ok().and_then(|members| {
        let mut members = members.into_iter();
        members.find(|(name, _)| name == "messages")
    });
    let Some((_, list)) = list else {
        return calls::items(json);
    };
    let within = |item: Span| Span::new(list.start + item.start, list.start + item.end);
    let items = calls::items(&json[list.start..list.end]);
    items.into_iter().map(within).collect()
}

/// Members of a message that are read, or say nothing that a conversation has.
const MEMBERS: [&str; 22] = [
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
    "thinking",
    "annotations",
    "id",
    "object",
    "created",
    "model",
    "index",
    "status",
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
}

/// A conversation as far as it is read.
#[derive(Default)]
struct Reader {
    read: ReadMessages,
    calls: Vec<ReadCall>,
    /// Where the message stands that is being read.
    at: String,
    span: Span,
}

impl Reader {
    fn warn(&mut self, key: &str, message: impl Into<String>) {
        self.read.warnings.push(ReadWarning {
            pointer: format!("{}/{key}", self.at),
            span: self.span,
            message: message.into(),
        });
    }

    fn wrong(&self, key: &str, reason: &str) -> InterchangeError {
        InterchangeError::new(format!("{}/{key}", self.at), reason)
    }

    fn message(&mut self, item: &Json) -> Result<(), InterchangeError> {
        let at = self.at.clone();
        let reader = ObjectReader { item, at: &at };
        let role = match reader.text("role")? {
            Some("function") => Some(Role::Tool),
            name => named(name, &ROLES, Role::as_str),
        };
        let role = role.ok_or_else(|| self.wrong("role", "expected a role"))?;
        for (key, value) in item.members() {
            if !MEMBERS.contains(&key.as_str()) && *value != Json::Null {
                self.warn(key, "this member is not known, and left out");
            }
        }
        match role {
            Role::Tool => self.reply(item, &reader),
            Role::Assistant => self.assistant(item, &reader),
            _ => {
                let content = self.content(item)?.text;
                let name = reader.owned("name")?;
                let content = content.ok_or_else(|| self.wrong("content", "expected a text"))?;
                self.read.messages.push(Message {
                    name,
                    ..Message::new(role, content)
                });
                Ok(())
            }
        }
    }

    fn reply(&mut self, item: &Json, reader: &ObjectReader<'_>) -> Result<(), InterchangeError> {
        let content = self.content(item)?.text.unwrap_or_default();
        let name = reader.owned("name")?.or(reader.owned("tool_name")?);
        let id = reader.owned("tool_call_id")?.filter(|id| !id.is_empty());
        let (call_id, tool) = match (self.answered(id.as_deref(), name.as_deref()), &name) {
            (Some(at), _) => {
                if id.is_none() && name.is_none() {
                    let message = "the reply says no id; it is read as that of the first open call";
                    self.warn("tool_call_id", message);
                }
                let call = &mut self.calls[at];
                call.is_open = false;
                (Some(call.own.clone()), call.recipient.clone())
            }
            (None, Some(name)) => {
                self.warn(
                    "tool_call_id",
                    "it answers no call before it, and is read as a reply all the same",
                );
                (id, full_name(name))
            }
            (None, None) if id.is_none() => {
                return Err(self.wrong("tool_call_id", "expected a text"));
            }
            (None, None) => {
                return Err(self.wrong("tool_call_id", "no call before has this id"));
            }
        };
        self.read.messages.push(Message {
            call_id: call_id.filter(|id| !id.is_empty()),
            ..reply(Some(tool), &content)
        });
        Ok(())
    }

    /// The call that a reply of this id answers, or else of this name. An id may come twice in a conversation: then
    /// it is the last open call that has it, or else the last one. Without ids calls are answered in their order.
    fn answered(&self, id: Option<&str>, name: Option<&str>) -> Option<usize> {
        let Some(id) = id else {
            let name = name.map(full_name);
            let is_due = |call: &ReadCall| {
                let is_of = name.as_ref().is_none_or(|name| *name == call.recipient);
                call.is_open && is_of
            };
            return self.calls.iter().position(is_due);
        };
        let open = self
            .calls
            .iter()
            .rposition(|call| call.is_open && call.id == id);
        open.or_else(|| self.calls.iter().rposition(|call| call.id == id))
    }

    fn assistant(
        &mut self,
        item: &Json,
        reader: &ObjectReader<'_>,
    ) -> Result<(), InterchangeError> {
        let content = self.content(item)?;
        let name = reader.owned("name")?;
        let mut reasoning = content.reasoning;
        for key in ["reasoning", "reasoning_content", "thinking"] {
            let text = self.reasoning(key, item)?;
            if let Some(text) = text.filter(|text| !text.is_empty() && !reasoning.contains(text)) {
                reasoning.push(text);
            }
        }
        let reasoning_is_empty = reasoning.is_empty();
        if !reasoning_is_empty {
            self.read.messages.push(Message {
                channel: Some(Channel::Analysis),
                ..Message::new(Role::Assistant, reasoning.join("\n\n"))
            });
        }
        let calls = match item.get("tool_calls") {
            Some(calls) => {
                let calls = calls.items();
                calls.ok_or_else(|| self.wrong("tool_calls", "expected an array of calls"))?
            }
            None => &[],
        };
        let older = item.get("function_call");
        let has_calls = !calls.is_empty() || older.is_some();
        let refusal = reader.text("refusal")?.filter(|text| !text.is_empty());
        let said = match (content.text, refusal) {
            (Some(text), Some(refusal)) if !text.is_empty() && text != refusal => {
                self.warn("refusal", "it is read as a part of what is said");
                Some(format!("{text}\n\n{refusal}"))
            }
            (_, Some(refusal)) => {
                self.warn("refusal", "a refusal is read as what is said");
                Some(refusal.to_owned())
            }
            // A turn in which nothing is said is one.
            (None, None) if !has_calls && reasoning_is_empty => Some(String::new()),
            (text, None) => text,
        };
        if let Some(said) = said.filter(|text| !has_calls || !text.is_empty()) {
            let (channel, intent) = match has_calls {
                false => (Channel::Final, None),
                true => (Channel::Commentary, Some(Intent::Preamble)),
            };
            self.read.messages.push(Message {
                name,
                channel: Some(channel),
                intent,
                ..Message::new(Role::Assistant, said)
            });
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

    /// Reasoning: a text, or an object or a list that has texts.
    fn reasoning(&mut self, key: &str, item: &Json) -> Result<Option<String>, InterchangeError> {
        let Some(value) = item.get(key) else {
            return Ok(None);
        };
        let texts = |part: &Json| {
            let text = ["text", "thinking", "content", "summary"]
                .iter()
                .find_map(|key| part.get(key));
            text.and_then(Json::str).map(str::to_owned)
        };
        let found = match value {
            Json::String(text) => Some(text.clone()),
            Json::Array(parts) => parts
                .iter()
                .map(texts)
                .collect::<Option<Vec<_>>>()
                .map(|t| t.concat()),
            Json::Object(_) => texts(value),
            _ => None,
        };
        match (found, value) {
            (None, Json::Object(_) | Json::Array(_)) => {
                self.warn(key, "it has no text, and is left out");
                Ok(None)
            }
            (None, _) => Err(self.wrong(key, "expected a text")),
            (found, _) => Ok(found),
        }
    }

    /// What is said, and what is thought beside it.
    fn content(&mut self, item: &Json) -> Result<Content, InterchangeError> {
        let mut content = Content::default();
        let wrong = InterchangeError::new(format!("{}/content", self.at), "only text can be read");
        match item.get("content") {
            None => {}
            Some(Json::String(text)) => content.text = Some(text.clone()),
            Some(Json::Array(parts)) => {
                let mut said = String::new();
                for part in parts {
                    let text = |key: &str| part.get(key).and_then(Json::str);
                    match text("type") {
                        Some("thinking" | "reasoning") => {
                            let thought = text("thinking").or(text("text")).or(text("reasoning"));
                            content
                                .reasoning
                                .push(thought.ok_or(wrong.clone())?.to_owned());
                        }
                        Some("refusal") => said.push_str(text("refusal").ok_or(wrong.clone())?),
                        _ => said.push_str(text("text").or(part.str()).ok_or(wrong.clone())?),
                    }
                }
                content.text = Some(said);
            }
            Some(_) => return Err(wrong),
        }
        Ok(content)
    }

    fn call(&mut self, item: &Json, key: &str) -> Result<(), InterchangeError> {
        let at = format!("{}/{key}", self.at);
        let expected =
            || InterchangeError::new(&*at, "expected a call of a function, or of python");
        let id = ObjectReader { item, at: &at }.owned("id")?;
        let (body, is_custom) = match (item.get("function"), item.get("custom")) {
            (Some(function), None) => (function, false),
            (None, Some(custom)) => (custom, true),
            _ => return Err(expected()),
        };
        let name = body.get("name").and_then(Json::str).ok_or_else(expected)?;
        // Only a tool that takes code or stands in another namespace can be a built-in one.
        let recipient = match is_custom && is_built_in(name) {
            true => name.to_owned(),
            false => full_name(name),
        };
        let mut message = match is_custom {
            true => {
                let input = body.get("input").and_then(Json::str).ok_or_else(expected)?;
                call(&recipient, input)
            }
            false => {
                let arguments =
                    self.arguments(body.get("arguments"), &format!("{key}/function"))?;
                call(&recipient, &arguments)
            }
        };
        if check_json(&message.body).is_err() {
            // What says that it is JSON must be.
            message.constrain = None;
        }
        message.call_id = id
            .filter(|id| !id.is_empty())
            .map(|id| self.id(id, key, &recipient));
        if message.call_id.is_none() {
            self.calls.push(ReadCall {
                id: String::new(),
                own: String::new(),
                recipient,
                is_open: true,
            });
        }
        self.read.messages.push(message);
        Ok(())
    }

    /// The arguments as a JSON text.
    fn arguments(&mut self, value: Option<&Json>, key: &str) -> Result<String, InterchangeError> {
        let key = format!("{key}/arguments");
        match value {
            Some(Json::String(text)) if !text.trim().is_empty() => {
                match Json::parse(text) {
                    Ok(Json::Object(_)) => {}
                    Ok(Json::String(inner))
                        if matches!(Json::parse(&inner), Ok(Json::Object(_))) =>
                    {
                        self.warn(
                            &key,
                            "the arguments are JSON within JSON; they are read as the object",
                        );
                        return Ok(inner);
                    }
                    Ok(_) => self.warn(&key, "the arguments are no object; they stay as they are"),
                    Err(error) => self.warn(
                        &key,
                        format!("the arguments are no JSON, and stay as they are: {error}"),
                    ),
                }
                Ok(text.clone())
            }
            None | Some(Json::String(_)) => {
                self.warn(&key, "the arguments are empty; they are read as {}");
                Ok("{}".to_owned())
            }
            Some(object @ Json::Object(_)) => {
                self.warn(&key, "the arguments are an object, and read as its text");
                Ok(object.to_string())
            }
            Some(_) => Err(self.wrong(&key, "expected a text that is a JSON object")),
        }
    }

    /// The id of a call, another one where it is taken.
    fn id(&mut self, id: String, key: &str, recipient: &str) -> String {
        let is_free = |id: &str| self.calls.iter().all(|call| call.own != id);
        let mut own = id.clone();
        let mut number = 2;
        while !is_free(&own) {
            own = format!("{id}_{number}");
            number += 1;
        }
        if own != id {
            self.warn(
                &format!("{key}/id"),
                format!("the id {id:?} stands before already; this call gets {own:?}"),
            );
        }
        self.calls.push(ReadCall {
            id,
            own: own.clone(),
            recipient: recipient.to_owned(),
            is_open: true,
        });
        own
    }
}

/// The content of a message.
#[derive(Default)]
struct Content {
    text: Option<String>,
    reasoning: Vec<String>,
}
