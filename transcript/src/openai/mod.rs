//! Chat messages as OpenAI's API has them, with `tool_calls`, both ways, and items of its Responses API.

mod content;
mod read;
mod responses;

use super::calls::{self, is_built_in, members, short_name};
use super::convert::channels::{Markers, on_channels, without_structure};
use super::convert::ids::with_ids;
use super::convert::loss::{Converted, Losses, Lost};
use super::interchange::InterchangeError;
use super::json::Json;
use super::message::{Channel, Message, Role};
use super::reading::ReadMessages;
use super::visibility::is_shown;
use crate::span::Span;

use read::Reader;

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

/// Keys that a list of messages or items stands under, in requests and in answers.
const LISTS: [&str; 3] = ["messages", "input", "output"];
/// Keys beside the list under which instructions stand.
const INSTRUCTIONS: [&str; 2] = ["instructions", "system"];
/// Keys beside the list that say what no conversation has a place for, and that who reads it alone may miss.
const BESIDE: [&str; 3] = ["tools", "functions", "previous_response_id"];

/// Reads a JSON array of chat messages or of items of the Responses API, or an object with `messages` or `input`, as messages
/// on channels: content beside `tool_calls`, or right before a `function_call`, is a preamble, other content of the assistant
/// is final, and its reasoning is analysis (`reasoning`, `reasoning_content`, `thinking`, which some servers add). The place of
/// a message is that of its object. `instructions` beside the list, or `system`, are a system message before it.
///
/// What common programs write otherwise than the API has it is read all the same, and warned of:
/// arguments that are an object, empty or no JSON, calls without an object `function`, the older `function_call`, ids that come
/// twice, replies that are no text, items of a provider's own tools, members that are not known.
///
/// # Errors
///
/// What is no chat message, and what is no text: images, audio.
pub fn from_openai(json: &str) -> Result<ReadMessages, InterchangeError> {
    let root =
        Json::parse(json).map_err(|e| InterchangeError::new("#", format!("not JSON: {e}")))?;
    let mut reader = Reader::new();
    let key = LISTS.into_iter().find(|key| root.get(key).is_some());
    let Some(key) = key else {
        let wrong = || InterchangeError::new("#", "expected an array of messages");
        let items = root.items().ok_or_else(wrong)?;
        reader.list(items, "#", &calls::items(json))?;
        return Ok(reader.read);
    };
    for key in INSTRUCTIONS {
        if let Some(text) = reader.content(&root, key)?.text {
            reader.read.messages.push(Message::new(Role::System, text));
        }
    }
    for key in BESIDE {
        let says = root.get(key).filter(|value| value.items() != Some(&[]));
        if says.is_some() {
            reader.warn(
                key,
                "it stands beside the messages, and is not read with them",
            );
        }
    }
    match root.get(key) {
        Some(Json::Array(items)) => reader.list(items, &format!("#/{key}"), &places(json, key))?,
        Some(Json::String(text)) if key == "input" => {
            reader
                .read
                .messages
                .push(Message::new(Role::User, text.as_str()));
        }
        _ => {
            let reason = "expected an array of messages";
            return Err(InterchangeError::new(format!("#/{key}"), reason));
        }
    }
    Ok(reader.read)
}

/// Where the chat messages stand that are listed under `key`.
fn places(json: &str, key: &str) -> Vec<Span> {
    let list = members(json).ok().and_then(|members| {
        let mut members = members.into_iter();
        members.find(|(name, _)| name == key)
    });
    let Some((_, list)) = list else {
        return Vec::new();
    };
    let within = |item: Span| Span::new(list.start + item.start, list.start + item.end);
    let items = calls::items(&json[list.start..list.end]);
    items.into_iter().map(within).collect()
}
