//! Chat messages as OpenAI's API has them, with `tool_calls`, both ways.

use super::calls::{self, PYTHON, full_name, members, short_name};
use super::convert::channels::{call, on_channels, reply, without_structure};
use super::convert::ids::with_ids;
use super::convert::loss::{Converted, Losses, Lost};
use super::interchange::{InterchangeError, ObjectReader, ROLES, named};
use super::json::Json;
use super::message::{Channel, Intent, Message, Role};
use super::visibility::is_shown;
use crate::span::Span;

/// Writes messages of any format as a JSON array of chat messages.
///
/// What the assistant says in a row is one message: its content what users may see, its
/// `tool_calls` its calls. Private reasoning is left out.
pub fn to_openai(messages: &[Message]) -> Converted<String> {
    let mut out: Vec<OpenAiMessage> = Vec::new();
    let mut losses = Losses::default();
    let channelled = on_channels(messages);
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
            name: message.name.clone().filter(|_| !is_tool),
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
    match recipient {
        PYTHON => Json::object([
            ("id", id),
            ("type", "custom".into()),
            ("custom", Json::object([("name", name), ("input", body)])),
        ]),
        _ => Json::object([
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
/// `reasoning_content`, which some servers add, is analysis. The place of a message is that of its
/// object.
///
/// # Errors
///
/// What is no chat message, and what is no text: images, audio.
pub fn from_openai(json: &str) -> Result<Vec<Message>, InterchangeError> {
    let root =
        Json::parse(json).map_err(|e| InterchangeError::new("#", format!("not JSON: {e}")))?;
    let (list, at) = match root.get("messages") {
        Some(list) => (list, "#/messages"),
        None => (&root, "#"),
    };
    let items = list
        .items()
        .ok_or_else(|| InterchangeError::new(at, "expected an array of messages"))?;
    let mut messages: Vec<Message> = Vec::new();
    let places = places(json);
    for (index, item) in items.iter().enumerate() {
        let known = messages.len();
        read(item, &format!("{at}/{index}"), &mut messages)?;
        for message in &mut messages[known..] {
            message.span = places.get(index).copied().unwrap_or_default();
        }
    }
    Ok(messages)
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

fn read(item: &Json, at: &str, messages: &mut Vec<Message>) -> Result<(), InterchangeError> {
    let wrong = |key: &str, reason: &str| InterchangeError::new(format!("{at}/{key}"), reason);
    let reader = ObjectReader { item, at };
    let role = named(reader.text("role")?, &ROLES, Role::as_str)
        .ok_or_else(|| wrong("role", "expected a role"))?;
    let content = content(item.get("content"), &format!("{at}/content"))?;
    let name = reader.owned("name")?;
    match role {
        Role::Tool => {
            let id = reader.owned("tool_call_id")?;
            let id = id.ok_or_else(|| wrong("tool_call_id", "expected a text"))?;
            let call = messages
                .iter()
                .rfind(|m| m.is_call() && m.call_id.as_ref() == Some(&id));
            let tool = call.map(|call| call.recipient.clone());
            let tool = tool.ok_or_else(|| wrong("tool_call_id", "no call before has this id"))?;
            messages.push(Message {
                call_id: Some(id),
                ..reply(tool, &content.unwrap_or_default())
            });
        }
        Role::Assistant => {
            if let Some(reasoning) = reader.owned("reasoning_content")?.filter(|r| !r.is_empty()) {
                messages.push(Message {
                    channel: Some(Channel::Analysis),
                    ..Message::new(Role::Assistant, reasoning)
                });
            }
            let calls = item
                .get("tool_calls")
                .and_then(Json::items)
                .unwrap_or_default();
            if let Some(content) = content.filter(|text| calls.is_empty() || !text.is_empty()) {
                let (channel, intent) = match calls.is_empty() {
                    true => (Channel::Final, None),
                    false => (Channel::Commentary, Some(Intent::Preamble)),
                };
                messages.push(Message {
                    name,
                    channel: Some(channel),
                    intent,
                    ..Message::new(Role::Assistant, content)
                });
            }
            for (index, call) in calls.iter().enumerate() {
                messages.push(read_call(call, &format!("{at}/tool_calls/{index}"))?);
            }
        }
        _ => messages.push(Message {
            name,
            ..Message::new(
                role,
                content.ok_or_else(|| wrong("content", "expected a text"))?,
            )
        }),
    }
    Ok(())
}

/// A text, or an array of parts that are texts.
fn content(value: Option<&Json>, at: &str) -> Result<Option<String>, InterchangeError> {
    let wrong = || InterchangeError::new(at, "only text can be read");
    match value {
        None => Ok(None),
        Some(Json::String(text)) => Ok(Some(text.clone())),
        Some(Json::Array(parts)) => {
            let text = |part: &Json| part.get("text").and_then(Json::str).map(str::to_owned);
            let texts: Option<Vec<String>> = parts.iter().map(text).collect();
            texts.map(|texts| Some(texts.concat())).ok_or_else(wrong)
        }
        Some(_) => Err(wrong()),
    }
}

fn read_call(item: &Json, at: &str) -> Result<Message, InterchangeError> {
    let expected = || InterchangeError::new(at, "expected a call of a function, or of python");
    let id = ObjectReader { item, at }.owned("id")?;
    let text = |object: &Json, key: &str| object.get(key).and_then(Json::str).map(str::to_owned);
    let (name, arguments) = match (item.get("function"), item.get("custom")) {
        (Some(function), None) => (text(function, "name"), text(function, "arguments")),
        (None, Some(custom)) => (text(custom, "name"), text(custom, "input")),
        _ => return Err(expected()),
    };
    let (Some(name), Some(arguments)) = (name, arguments) else {
        return Err(expected());
    };
    // Only a tool that takes code can be the built-in one.
    let recipient = match item.get("custom").is_some() && name == PYTHON {
        true => name,
        false => full_name(&name),
    };
    Ok(Message {
        call_id: id,
        ..call(&recipient, &arguments)
    })
}
