//! What a reader tells: events while a turn is written, and the message at its end.

use crate::base::Span;

/// A piece of a turn. Spans are bytes of the text as it was fed, with control tokens as they are spelt.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// More of what the model thinks.
    Reasoning {
        /// The text.
        text: String,
        /// Where it stands.
        span: Span,
    },
    /// More of what the model says.
    Content {
        /// The text.
        text: String,
        /// Where it stands.
        span: Span,
    },
    /// A call begins: its tool is known.
    Call {
        /// The number of the call in the turn, from 0.
        index: usize,
        /// The tool, by its name in the request.
        name: String,
        /// The call's id, where the format has one and it came before the arguments.
        id: Option<String>,
        /// Where the name stands.
        span: Span,
    },
    /// The id of a call, where it comes behind the tool's name and some of the arguments.
    CallId {
        /// The number of the call.
        index: usize,
        /// The id.
        id: String,
        /// Where it stands.
        span: Span,
    },
    /// More of the arguments of a call, as JSON; the code, for a tool that takes text.
    Arguments {
        /// The number of the call.
        index: usize,
        /// The next piece; all pieces of a call together are its arguments.
        text: String,
        /// Where that stands.
        span: Span,
    },
    /// One argument is complete, while others may be missing: a member of the object that the arguments are. So a host can show
    /// what is certain of a call without mending JSON that is cut off.
    Argument {
        /// The number of the call.
        index: usize,
        /// The name of the argument.
        name: String,
        /// Its value, as JSON.
        value: String,
        /// Where it was complete, which is empty.
        span: Span,
    },
    /// The arguments of a call are complete.
    CallEnd {
        /// The number of the call.
        index: usize,
        /// The place, which is empty.
        span: Span,
    },
    /// A lenient reader does not understand what comes next: from here on all is content.
    Broken {
        /// The place, which is empty.
        span: Span,
    },
    /// The turn has ended.
    End {
        /// Whether it was complete.
        is_complete: bool,
        /// The place, which is empty.
        span: Span,
    },
}

/// What a turn says, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// The parts in their order.
    pub parts: Vec<MessagePart>,
    /// Where a lenient reader stopped understanding; what follows is content.
    pub broken_at: Option<usize>,
    /// Whether the turn was complete.
    pub is_complete: bool,
}

/// A part of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessagePart {
    /// What the model thinks.
    Reasoning(String),
    /// What it says.
    Content(String),
    /// A call.
    Call(MessageCall),
}

/// A call of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MessageCall {
    /// The tool, by its name in the request.
    pub name: String,
    /// Its id, in formats that have ids.
    pub id: Option<String>,
    /// The arguments as JSON; the code, for a tool that takes text.
    pub arguments: String,
    /// Whether the arguments are all there.
    pub is_complete: bool,
}

impl Message {
    /// All that the model thinks; passages are joined by line breaks.
    pub fn reasoning(&self) -> String {
        let text = |part: &MessagePart| match part {
            MessagePart::Reasoning(text) => Some(text.clone()),
            _ => None,
        };
        let texts: Vec<String> = self.parts.iter().filter_map(text).collect();
        texts.join("\n")
    }

    /// All that it says; passages are joined by line breaks.
    pub fn content(&self) -> String {
        let text = |part: &MessagePart| match part {
            MessagePart::Content(text) => Some(text.clone()),
            _ => None,
        };
        let texts: Vec<String> = self.parts.iter().filter_map(text).collect();
        texts.join("\n")
    }

    /// The calls.
    pub fn calls(&self) -> impl Iterator<Item = &MessageCall> {
        self.parts.iter().filter_map(|part| match part {
            MessagePart::Call(call) => Some(call),
            _ => None,
        })
    }
}
