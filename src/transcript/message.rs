//! What a parsed transcript is made of.

use crate::base::Span;

/// Who speaks (OpenChatML 2.2 §4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// `system`
    System,
    /// `developer`
    Developer,
    /// `user`
    User,
    /// `assistant`
    Assistant,
    /// `tool`, or a tool's name in place of a role; the name is [`Message::name`].
    Tool,
}

/// The logical channel of a message (OpenChatML 2.2 §5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// Private reasoning.
    Analysis,
    /// Tool calls, and preambles for the user.
    Commentary,
    /// The answer.
    Final,
}

impl Channel {
    pub(super) const ALL: [Self; 3] = [Self::Analysis, Self::Commentary, Self::Final];

    /// The channel as written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Analysis => "analysis",
            Self::Commentary => "commentary",
            Self::Final => "final",
        }
    }
}

/// What a message is for (OpenChatML 2.2 §6, `intent=`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Intent {
    /// Commentary that the user may see.
    Preamble,
    /// Not displayed.
    Status,
    /// Not displayed.
    Debug,
}

impl Intent {
    pub(super) const ALL: [Self; 3] = [Self::Preamble, Self::Status, Self::Debug];

    /// The intent as written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Preamble => "preamble",
            Self::Status => "status",
            Self::Debug => "debug",
        }
    }
}

/// The control token that closed a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Terminator {
    /// `<|end|>`
    End,
    /// `<|call|>`
    Call,
    /// `<|return|>`
    Return,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// `name=`, or the tool's name that stood in place of a role.
    pub name: Option<String>,
    /// `to=`, from either place of the header.
    pub recipient: Option<String>,
    /// The channel as written; see [`Message::effective_channel`].
    pub channel: Option<Channel>,
    /// `intent=`
    pub intent: Option<Intent>,
    /// `content_type=`, or Harmony's bare type after the channel: a hint.
    pub content_type: Option<String>,
    /// The type after `<|constrain|>`.
    pub constrain: Option<String>,
    /// `call_id=`
    pub call_id: Option<String>,
    /// The body, escapes undone and the marks of literal blocks taken away.
    pub body: String,
    /// What closed the message.
    pub terminator: Terminator,
    /// The whole message in the text, from `<|start|>` (or the start point) through its
    /// terminator.
    pub span: Span,
    /// The body in the text, as written.
    pub body_span: Span,
}

impl Message {
    /// The channel; a message without one is read as final (OpenChatML 2.2 §5).
    pub fn effective_channel(&self) -> Channel {
        self.channel.unwrap_or(Channel::Final)
    }

    /// Whether this is a tool call: the assistant's, to a recipient, closed by `<|call|>`.
    pub fn is_call(&self) -> bool {
        self.role == Role::Assistant
            && self.recipient.is_some()
            && self.terminator == Terminator::Call
    }
}

/// Something worth a report that is no error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// The type after `<|constrain|>` is unknown, so the body was not checked against it.
    UncheckedType {
        /// Where the type stands.
        span: Span,
        /// The type.
        name: String,
    },
}

/// A complete transcript, or a complete turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    pub(super) text: String,
    pub(super) preface: Option<Span>,
    pub(super) messages: Vec<Message>,
    pub(super) notes: Vec<Note>,
}

impl Transcript {
    /// The text that was parsed; all spans are places in it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where the YAML document header stands, if there is one (OpenChatML 2.2 §2).
    pub fn preface(&self) -> Option<Span> {
        self.preface
    }

    /// The messages, in order.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// What was noticed and is no error.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}
