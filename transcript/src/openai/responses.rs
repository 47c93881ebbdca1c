//! Items of OpenAI's Responses API.

use super::read::{Body, Reader};
use crate::interchange::{InterchangeError, ObjectReader};
use crate::json::Json;
use crate::message::{Channel, Message, Role};
use crate::span::Span;

/// Items of what a provider's own tools did, which no conversation here has a place for.
const OF_PROVIDERS: [&str; 20] = [
    "apply_patch_call",
    "apply_patch_call_output",
    "code_interpreter_call",
    "compaction",
    "computer_call",
    "computer_call_output",
    "file_search_call",
    "image_generation_call",
    "local_shell_call",
    "local_shell_call_output",
    "mcp_approval_request",
    "mcp_approval_response",
    "mcp_call",
    "mcp_list_tools",
    "shell_call",
    "shell_call_output",
    "tool_search_call",
    "tool_search_output",
    "web_search_call",
    "additional_tools",
];

impl Reader {
    /// Reads the messages of a list that stands at `at`, each at its place in the text.
    pub(super) fn list(
        &mut self,
        items: &[Json],
        at: &str,
        places: &[Span],
    ) -> Result<(), InterchangeError> {
        for (index, item) in items.iter().enumerate() {
            self.at = format!("{at}/{index}");
            self.span = places.get(index).copied().unwrap_or_default();
            let known = self.read.messages.len();
            let mut after = items[index + 1..].iter().filter(|item| !is_reasoning(item));
            self.item(item, after.next().is_some_and(is_call))?;
            for message in &mut self.read.messages[known..] {
                message.span = self.span;
            }
        }
        Ok(())
    }

    /// Reads one item of a list, a chat message or one of the Responses API. What the assistant says right before a call is a preamble.
    fn item(&mut self, item: &Json, is_before_call: bool) -> Result<(), InterchangeError> {
        let kind = item.get("type").and_then(Json::str);
        match kind {
            _ if item.get("role").is_some() => self.message(item, is_before_call),
            Some("function_call" | "custom_tool_call") => self.called(item),
            Some("function_call_output" | "custom_tool_call_output") => {
                let at = self.at.clone();
                let id = ObjectReader { item, at: &at }.owned("call_id")?;
                let content = self.output(item, "output")?;
                self.answer(content, id, None, "call_id")
            }
            Some("reasoning") => self.thought(item),
            Some(kind) if OF_PROVIDERS.contains(&kind) => {
                let message = format!("`{kind}` is of a tool of the provider's own, and left out");
                self.warn("type", message);
                Ok(())
            }
            None | Some("message") => self.message(item, is_before_call),
            Some(kind) => {
                let reason = format!("an item `{kind}` cannot be read");
                Err(self.wrong("type", reason))
            }
        }
    }

    fn called(&mut self, item: &Json) -> Result<(), InterchangeError> {
        let at = self.at.clone();
        let reader = ObjectReader { item, at: &at };
        let name = reader.text("name")?;
        let name = name.ok_or_else(|| self.wrong("name", "expected a text"))?;
        let is_custom = item.get("type").and_then(Json::str) == Some("custom_tool_call");
        let body = match is_custom {
            true => {
                let input = reader.owned("input")?;
                Body::Text(input.ok_or_else(|| self.wrong("input", "expected a text"))?)
            }
            false => Body::Json(self.arguments(item.get("arguments"), "arguments")?),
        };
        let id = reader.owned("call_id")?.or(reader.owned("id")?);
        self.made(id, name, body, "call_id");
        Ok(())
    }

    /// Reasoning, in full or in summary.
    fn thought(&mut self, item: &Json) -> Result<(), InterchangeError> {
        let full = self.reasoning("content", item)?;
        let summary = || {
            let parts = item
                .get("summary")
                .and_then(Json::items)
                .unwrap_or_default();
            let texts = parts
                .iter()
                .filter_map(|part| part.get("text").and_then(Json::str));
            texts.collect::<Vec<_>>().join("\n\n")
        };
        let text = full.filter(|text| !text.is_empty()).unwrap_or_else(summary);
        if text.is_empty() {
            self.warn(
                "type",
                "the reasoning has no text that can be read, and is left out",
            );
            return Ok(());
        }
        self.read.messages.push(Message {
            channel: Some(Channel::Analysis),
            ..Message::new(Role::Assistant, text)
        });
        Ok(())
    }
}

/// Whether an item is a call.
fn is_call(item: &Json) -> bool {
    let kind = item.get("type").and_then(Json::str);
    item.get("role").is_none() && matches!(kind, Some("function_call" | "custom_tool_call"))
}

/// Whether an item is reasoning.
fn is_reasoning(item: &Json) -> bool {
    item.get("role").is_none() && item.get("type").and_then(Json::str) == Some("reasoning")
}
