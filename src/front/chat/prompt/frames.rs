//! The calls of a conversation in frames, `<|start|>` header `<|message|>` body: which ids were used,
//! and which calls are open (Harmony; OpenChatML 2.2 §§6, 8).

use super::source::Source;
use crate::front::chat::Format;
use crate::front::chat::options::OpenCall;

const START: &str = "<|start|>";
const MESSAGE: &str = "<|message|>";
const CALL: &str = "<|call|>";

/// Whether the format's messages are frames.
pub(super) fn uses_frames(format: &Format) -> bool {
    let has = |name: &str| format.controls().iter().any(|control| control == name);
    has(START) && has(MESSAGE)
}

/// The calls of a conversation.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// The ids of calls that were answered.
    pub(super) used: Vec<String>,
    pub(super) open: Vec<OpenCall>,
}

/// A header, as far as calls go.
#[derive(Debug, Default)]
struct Header<'s> {
    role: &'s str,
    to: Option<&'s str>,
    call_id: Option<&'s str>,
    name: Option<&'s str>,
}

impl<'s> Header<'s> {
    /// Takes the words of one part of the header.
    fn take(&mut self, text: &'s str) {
        for word in text.split([' ', '\t', '\n']) {
            match word.split_once('=') {
                Some(("to", value)) => self.to = Some(value),
                Some(("call_id", value)) => self.call_id = Some(value),
                Some(("name", value)) => self.name = Some(value),
                _ => {}
            }
        }
    }
}

/// Reads the messages from byte `from` on.
pub(super) fn calls(source: &Source, from: usize) -> Calls {
    let mut calls = Calls::default();
    let mut header = Header::default();
    let mut in_header = false;
    for (control, text) in source.segments(from) {
        match control {
            START => {
                in_header = true;
                header = Header {
                    role: text.split([' ', '\t', '\n']).next().unwrap_or_default(),
                    ..Header::default()
                };
                header.take(text);
            }
            MESSAGE => {
                in_header = false;
                calls.reply(&header);
            }
            CALL => calls.call(&header),
            _ if in_header => header.take(text),
            _ => {}
        }
    }
    calls
}

impl Calls {
    fn call(&mut self, header: &Header<'_>) {
        let (Some(name), "assistant") = (header.to, header.role) else {
            return;
        };
        self.open.push(OpenCall {
            id: header.call_id.map(str::to_owned),
            name: name.to_owned(),
        });
    }

    /// A reply answers the call whose id it has; without one, the first open call of its tool.
    fn reply(&mut self, header: &Header<'_>) {
        let name = match header.role {
            "system" | "developer" | "user" | "assistant" => return,
            "tool" => header.name,
            role => Some(role),
        };
        let answered = self.open.iter().position(|call| match header.call_id {
            Some(id) => call.id.as_deref() == Some(id),
            None => Some(call.name.as_str()) == name,
        });
        if let Some(index) = answered {
            self.used.extend(self.open.remove(index).id);
        }
    }
}
