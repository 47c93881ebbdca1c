//! What a chat message or an item says: a text, or parts of it.

use super::read::Reader;
use crate::interchange::InterchangeError;
use crate::json::Json;

/// The content of a message.
#[derive(Default)]
pub(super) struct Content {
    pub(super) text: Option<String>,
    /// What is thought beside it.
    pub(super) reasoning: Vec<String>,
    /// Calls and replies among the parts, each as a chat message has it, and where.
    pub(super) calls: Vec<(Json, String)>,
    pub(super) replies: Vec<(Json, String)>,
}

/// Keys of parts of reasoning that have a text.
const REASONED: [&str; 5] = ["text", "thinking", "content", "summary", "reasoning"];

impl Reader {
    /// What is said, and what is thought beside it: the member `key`.
    pub(super) fn content(&mut self, item: &Json, key: &str) -> Result<Content, InterchangeError> {
        let mut content = Content::default();
        match item.get(key) {
            None => {}
            Some(Json::String(text)) => content.text = Some(text.clone()),
            Some(Json::Array(parts)) => {
                let mut said = String::new();
                for (index, part) in parts.iter().enumerate() {
                    self.part(part, &format!("{key}/{index}"), &mut said, &mut content)?;
                }
                content.text = Some(said);
            }
            Some(part @ Json::Object(_)) => {
                self.warn(key, "it is one part, and read as a list of it");
                let mut said = String::new();
                self.part(part, key, &mut said, &mut content)?;
                content.text = Some(said);
            }
            Some(_) => return Err(self.wrong(key, "only text can be read")),
        }
        Ok(content)
    }

    /// One part of what is said.
    fn part(
        &mut self,
        part: &Json,
        key: &str,
        said: &mut String,
        content: &mut Content,
    ) -> Result<(), InterchangeError> {
        let text = |key: &str| part.get(key).and_then(Json::str);
        let kind = text("type");
        let wrong = |reader: &Self| match kind {
            Some(kind) => reader.wrong(
                key,
                format!("a part `{kind}` cannot be read; only text can"),
            ),
            None => reader.wrong(key, "only text can be read"),
        };
        match kind {
            Some("thinking" | "reasoning") => {
                let thought = REASONED.iter().find_map(|key| part.get(key));
                let thought = thought.and_then(texts).ok_or_else(|| wrong(self))?;
                content.reasoning.push(thought);
            }
            Some("redacted_thinking") => self.warn(key, "it has no text, and is left out"),
            Some("refusal") => {
                self.warn(key, "a refusal is read as what is said");
                said.push_str(text("refusal").ok_or_else(|| wrong(self))?);
            }
            Some("tool_use") => content.calls.push((used(part), key.to_owned())),
            Some("tool_result") => {
                if part.get("is_error").and_then(Json::bool) == Some(true) {
                    let key = format!("{key}/is_error");
                    self.warn(&key, "no format has a place for it, and it is left out");
                }
                content.replies.push((result(part), key.to_owned()));
            }
            _ => said.push_str(text("text").or(part.str()).ok_or_else(|| wrong(self))?),
        }
        Ok(())
    }

    /// What a tool answered: a text or parts, or any JSON, which is read as its text.
    pub(super) fn output(&mut self, item: &Json, key: &str) -> Result<String, InterchangeError> {
        let is_part = |part: &Json| {
            part.str().is_some()
                || part.get("type").and_then(Json::str).is_some()
                || part.get("text").is_some()
        };
        match item.get(key) {
            None => Ok(String::new()),
            Some(Json::String(text)) => Ok(text.clone()),
            Some(Json::Array(parts)) if parts.iter().all(is_part) => {
                Ok(self.content(item, key)?.text.unwrap_or_default())
            }
            Some(part @ Json::Object(_)) if part.get("text").and_then(Json::str).is_some() => {
                Ok(self.content(item, key)?.text.unwrap_or_default())
            }
            Some(other) => {
                self.warn(key, "it is no text, and read as the text of its JSON");
                Ok(other.to_string())
            }
        }
    }

    /// Reasoning: a text, or an object or a list that has texts.
    pub(super) fn reasoning(
        &mut self,
        key: &str,
        item: &Json,
    ) -> Result<Option<String>, InterchangeError> {
        let Some(value) = item.get(key) else {
            return Ok(None);
        };
        match value {
            Json::String(text) => Ok(Some(text.clone())),
            Json::Array(_) | Json::Object(_) => {
                let parts = value.items().unwrap_or(std::slice::from_ref(value));
                let own = |part: &Json| {
                    REASONED
                        .iter()
                        .find_map(|key| part.get(key))
                        .and_then(texts)
                };
                let found: Vec<String> = parts.iter().filter_map(own).collect();
                match found.len() {
                    0 if parts.is_empty() => return Ok(None),
                    0 => self.warn(key, "it has no text, and is left out"),
                    some if some < parts.len() => {
                        self.warn(key, "what of it has no text is left out");
                    }
                    _ => {}
                }
                Ok((!found.is_empty()).then(|| found.concat()))
            }
            _ => Err(self.wrong(key, "expected a text")),
        }
    }
}

/// A text, or the texts of a list of parts.
fn texts(value: &Json) -> Option<String> {
    let text = |part: &Json| {
        let own = part.str().or_else(|| part.get("text").and_then(Json::str));
        own.map(str::to_owned)
    };
    match value.items() {
        Some(parts) => parts.iter().map(text).collect(),
        None => text(value),
    }
}

/// A part that is a call, as chat messages have calls.
fn used(part: &Json) -> Json {
    let input = part.get("input").map_or("{}".to_owned(), Json::to_string);
    let name = part.get("name").cloned().unwrap_or(Json::Null);
    Json::object([
        ("id", part.get("id").cloned().unwrap_or(Json::Null)),
        (
            "function",
            Json::object([("name", name), ("arguments", Json::String(input))]),
        ),
    ])
}

/// A part that is a reply, as chat messages have replies.
fn result(part: &Json) -> Json {
    let own = |key: &str| part.get(key).cloned().unwrap_or(Json::Null);
    Json::object([
        ("tool_call_id", own("tool_use_id")),
        ("content", own("content")),
    ])
}
