//! The JSON envelope of OpenChatML 2.2 §10, both ways.
//!
//! A faithful projection of messages in channels: an object a message, but for analysis right
//! before what it led to, which is that message's `thinking`. What §10 has no member for keeps
//! the name of its attribute: `name`, `call_id`, `to`, `content_type`, `constrain`, and
//! `"stop": "return"`.

use super::json::Json;
use super::message::{Channel, Intent, Message, Role, Terminator};

/// Why JSON is no conversation, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{pointer}: {reason}")]
pub struct InterchangeError {
    /// The JSON pointer of the value that is wrong.
    pub pointer: String,
    /// Why.
    pub reason: String,
}

impl InterchangeError {
    pub(super) fn new(pointer: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            pointer: pointer.into(),
            reason: reason.into(),
        }
    }
}

/// Writes messages as a JSON array of §10's objects.
///
/// # Errors
///
/// A message whose format gives its body structure: see [`convert`](super::convert).
pub fn to_interchange(messages: &[Message]) -> Result<String, InterchangeError> {
    let mut objects = Vec::new();
    let mut thinking: Option<&str> = None;
    for (index, message) in messages.iter().enumerate() {
        if has_structure(message) {
            let reason = "the parts of a body have no JSON: convert to openchatml-2.2 first";
            return Err(InterchangeError::new(format!("#/{index}"), reason));
        }
        let next = messages.get(index + 1);
        if is_plain_analysis(message) && next.is_some_and(takes_thinking) {
            thinking = Some(&message.body);
            continue;
        }
        objects.push(object(message, thinking.take()));
    }
    Ok(Json::Array(objects).to_string())
}

/// Whether the body is more than one text: thoughts marked within an analysis are its text.
fn has_structure(message: &Message) -> bool {
    !message.parts.is_empty() && message.channel != Some(Channel::Analysis)
}

/// An analysis that says nothing but its body.
fn is_plain_analysis(message: &Message) -> bool {
    let plain = Message {
        channel: Some(Channel::Analysis),
        parts: message.parts.clone(),
        form: message.form,
        span: message.span,
        body_span: message.body_span,
        ..Message::new(Role::Assistant, message.body.as_str())
    };
    *message == plain
}

fn takes_thinking(message: &Message) -> bool {
    message.role == Role::Assistant && message.channel.is_some_and(|c| c != Channel::Analysis)
}

fn object(message: &Message, thinking: Option<&str>) -> Json {
    let is_call = message.is_call();
    let is_analysis = message.channel == Some(Channel::Analysis) && !is_call;
    let body = || Json::from(message.body.as_str());
    let unless_call = |value: &Option<String>| match is_call {
        true => Json::Null,
        false => Json::optional(value.as_deref()),
    };
    let tool_call = || {
        Json::object([
            ("id", Json::optional(message.call_id.as_deref())),
            ("recipient", Json::optional(message.recipient.as_deref())),
            ("content_type", Json::optional(message.constrain.as_deref())),
            ("arguments", body()),
        ])
    };
    Json::object([
        ("role", message.role.as_str().into()),
        ("name", Json::optional(message.name.as_deref())),
        ("call_id", unless_call(&message.call_id)),
        ("to", unless_call(&message.recipient)),
        (
            "channel",
            Json::optional(message.channel.map(Channel::as_str)),
        ),
        (
            "content",
            if is_call || is_analysis {
                Json::Null
            } else {
                body()
            },
        ),
        ("tool_call", if is_call { tool_call() } else { Json::Null }),
        (
            "thinking",
            if is_analysis {
                body()
            } else {
                Json::optional(thinking)
            },
        ),
        ("intent", Json::optional(message.intent.map(Intent::as_str))),
        (
            "content_type",
            Json::optional(message.content_type.as_deref()),
        ),
        ("constrain", unless_call(&message.constrain)),
        (
            "stop",
            Json::optional((message.terminator == Terminator::Return).then_some("return")),
        ),
    ])
}

/// Reads a JSON array of §10's objects, or one. Content beside a call is what is said before it, to the
/// user; comments at the ends of lines, as §10 itself has them, are skipped.
///
/// # Errors
///
/// What the text form cannot represent: unknown members, roles and channels, a `tool_calls` field.
pub fn from_interchange(json: &str) -> Result<Vec<Message>, InterchangeError> {
    let root = Json::parse(json)
        .or_else(|error| Json::parse(&without_comments(json)).map_err(|_| error))
        .map_err(|e| InterchangeError::new("#", format!("not JSON: {e}")))?;
    let mut messages = Vec::new();
    match &root {
        Json::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                read(item, &format!("#/{index}"), &mut messages)?;
            }
        }
        item => read(item, "#", &mut messages)?,
    }
    Ok(messages)
}

/// The members of an object of §10.
const MEMBERS: [&str; 12] = [
    "role",
    "name",
    "call_id",
    "to",
    "channel",
    "content",
    "tool_call",
    "thinking",
    "intent",
    "content_type",
    "constrain",
    "stop",
];

fn read(item: &Json, at: &str, messages: &mut Vec<Message>) -> Result<(), InterchangeError> {
    let wrong = |key: &str, reason: &str| {
        Err(InterchangeError::new(
            format!("{at}/{key}"),
            reason.to_owned(),
        ))
    };
    if !matches!(item, Json::Object(_)) {
        return Err(InterchangeError::new(at, "a message is an object"));
    }
    if let Some((key, _)) = item
        .members()
        .iter()
        .find(|(k, _)| !MEMBERS.contains(&k.as_str()))
    {
        return wrong(key, "a message has no such member");
    }
    let reader = ObjectReader { item, at };
    let role = named(reader.text("role")?, &ROLES, Role::as_str);
    let Some(role) = role else {
        return wrong("role", "expected a role");
    };
    let channel = reader.one_of("channel", &Channel::ALL, Channel::as_str)?;
    let mut message = Message::new(role, reader.text("content")?.unwrap_or_default());
    message.channel = channel;
    message.name = reader.owned("name")?;
    message.call_id = reader.owned("call_id")?;
    message.recipient = reader.owned("to")?;
    message.intent = reader.one_of("intent", &Intent::ALL, Intent::as_str)?;
    message.content_type = reader.owned("content_type")?;
    message.constrain = reader.owned("constrain")?;
    match reader.text("stop")? {
        None => {}
        Some("return") => message.terminator = Terminator::Return,
        Some(_) => return wrong("stop", "expected \"return\""),
    }
    if let Some(call) = item.get("tool_call") {
        read_call(call, &format!("{at}/tool_call"), &mut message)?;
        if role != Role::Assistant {
            return wrong("tool_call", "only the assistant calls");
        }
    }
    let thinking = reader.text("thinking")?;
    match thinking {
        Some(_) if role != Role::Assistant => {
            return wrong("thinking", "only the assistant thinks");
        }
        Some(text) if channel == Some(Channel::Analysis) && !message.is_call() => {
            if item.get("content").is_some() {
                return wrong("content", "an analysis is its thinking");
            }
            message.body = text.to_owned();
        }
        Some(text) => messages.push(Message {
            channel: Some(Channel::Analysis),
            ..Message::new(Role::Assistant, text)
        }),
        None => {}
    }
    let said = reader.text("content")?.filter(|said| !said.is_empty());
    if let (true, Some(said)) = (message.is_call(), said) {
        messages.push(Message {
            channel: Some(Channel::Commentary),
            intent: Some(Intent::Preamble),
            name: message.name.clone(),
            ..Message::new(role, said)
        });
        // What was said of the whole is said of what is shown; calls stand on commentary.
        message.intent = None;
        message.channel = message.channel.filter(|channel| *channel != Channel::Final);
        message.channel.get_or_insert(Channel::Commentary);
    }
    messages.push(message);
    Ok(())
}

/// The text without comments, which begin with `//` outside of strings.
fn without_comments(json: &str) -> String {
    let line = |line: &str| {
        let (mut in_string, mut escaped) = (false, false);
        let comment = line.char_indices().find(|&(at, c)| {
            let begins = !in_string && line[at..].starts_with("//");
            match c {
                '"' if !escaped => in_string = !in_string,
                _ => {}
            }
            escaped = c == '\\' && in_string && !escaped;
            begins
        });
        line[..comment.map_or(line.len(), |(at, _)| at)].to_owned()
    };
    json.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn read_call(call: &Json, at: &str, message: &mut Message) -> Result<(), InterchangeError> {
    let reader = ObjectReader { item: call, at };
    let missing = |key: &str| InterchangeError::new(format!("{at}/{key}"), "expected a text");
    message.call_id = reader.owned("id")?;
    message.recipient = Some(
        reader
            .owned("recipient")?
            .ok_or_else(|| missing("recipient"))?,
    );
    message.constrain = reader.owned("content_type")?;
    message.body = reader
        .owned("arguments")?
        .ok_or_else(|| missing("arguments"))?;
    message.terminator = Terminator::Call;
    Ok(())
}

pub(super) const ROLES: [Role; 5] = [
    Role::System,
    Role::Developer,
    Role::User,
    Role::Assistant,
    Role::Tool,
];

pub(super) fn named<T: Copy>(
    text: Option<&str>,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> Option<T> {
    let text = text?;
    all.iter().copied().find(|value| name(*value) == text)
}

/// The members of one object, by their kinds.
pub(super) struct ObjectReader<'j> {
    pub(super) item: &'j Json,
    pub(super) at: &'j str,
}

impl<'j> ObjectReader<'j> {
    pub(super) fn text(&self, key: &str) -> Result<Option<&'j str>, InterchangeError> {
        match self.item.get(key) {
            None => Ok(None),
            Some(Json::String(text)) => Ok(Some(text)),
            Some(_) => {
                let pointer = format!("{}/{key}", self.at);
                Err(InterchangeError::new(pointer, "expected a text"))
            }
        }
    }

    pub(super) fn owned(&self, key: &str) -> Result<Option<String>, InterchangeError> {
        self.text(key).map(|text| text.map(str::to_owned))
    }

    fn one_of<T: Copy>(
        &self,
        key: &str,
        all: &[T],
        name: impl Fn(T) -> &'static str,
    ) -> Result<Option<T>, InterchangeError> {
        let text = self.text(key)?;
        match (text, named(text, all, name)) {
            (Some(text), None) => {
                let reason = format!("there is no {key} {text:?}");
                Err(InterchangeError::new(format!("{}/{key}", self.at), reason))
            }
            (_, value) => Ok(value),
        }
    }
}
