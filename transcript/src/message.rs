//! What a parsed transcript is made of.

use std::borrow::Cow;

use super::control::ControlToken;
use crate::span::Span;

/// Who speaks.
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
    /// `tool`, InternLM2's `environment`, or a tool's name in place of a role; the name is
    /// [`Message::name`].
    Tool,
}

impl Role {
    /// The role as written; `tool` for every way to write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
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
    /// Commentary that is not displayed.
    Status,
    /// Not displayed on any channel.
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

/// A kind of thought (OpenChatML 0.1 §4, OpenChatML 2.2 §7), in the order in which they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Thought {
    /// On the user's position and intent; self-critique.
    Reflect,
    /// On the model's own position and intent.
    Introspect,
    /// Step-by-step logic.
    Reason,
}

impl Thought {
    /// Every kind, in order.
    pub const ALL: [Self; 3] = [Self::Reflect, Self::Introspect, Self::Reason];

    /// The kind as written in its markers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reflect => "reflect",
            Self::Introspect => "introspect",
            Self::Reason => "reason",
        }
    }
}

/// The control token that closed a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Terminator {
    /// `<|end|>`, or `<|im_end|>`
    End,
    /// `<|call|>`
    Call,
    /// `<|return|>`
    Return,
}

impl Terminator {
    /// The token, in the formats with channels.
    pub(super) const fn token(self) -> ControlToken {
        match self {
            Self::End => ControlToken::End,
            Self::Call => ControlToken::Call,
            Self::Return => ControlToken::Return,
        }
    }
}

/// What a part of a body is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartKind {
    /// What is said.
    Text,
    /// A thought.
    Thought(Thought),
    /// A mark in a system message that asks for a kind of thought; its text is empty.
    ThoughtFlag(Thought),
    /// A list of tools, in a system message.
    FunctionList,
    /// A tool call; its text are the arguments, or the code.
    Call {
        /// The full name of the tool.
        recipient: String,
    },
    /// What a tool gave back; its text is the content.
    Output {
        /// The full name of the tool.
        tool: String,
    },
}

/// A part of a body whose format gives it structure.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Part {
    /// What it is.
    pub kind: PartKind,
    /// What it says, without marks and framing.
    pub text: String,
    /// Where that stands in the text.
    pub span: Span,
}

impl Part {
    /// A part of a body that was read elsewhere.
    pub fn new(kind: PartKind, text: impl Into<String>, span: Span) -> Self {
        Self {
            kind,
            text: text.into(),
            span,
        }
    }
}

/// A tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Call<'m> {
    /// `call_id=`
    pub id: Option<&'m str>,
    /// The full name of the tool.
    pub recipient: &'m str,
    /// The arguments, or the code.
    pub arguments: &'m str,
    /// The type of the arguments, as said.
    pub content_type: Option<&'m str>,
    /// Where the arguments stand in the text; empty for a message by hand.
    pub span: Span,
}

/// Where `to=` stands in a header of Harmony.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RecipientPlace {
    /// After the role.
    #[default]
    Start,
    /// After the channel.
    Channel,
}

/// What stands before `<|constrain|>` in a header of Harmony.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TypeGap {
    /// A space.
    #[default]
    Space,
    /// Nothing.
    Nothing,
}

/// Which of Harmony's ways a header is written in. They mean the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HeaderForm {
    /// Where the recipient stands.
    pub recipient: RecipientPlace,
    /// What stands before the type.
    pub gap: TypeGap,
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
    /// The body, escapes undone and the marks of literal blocks taken away, without the line
    /// feeds that only frame it.
    pub body: String,
    /// What the body is made of, where its format gives it structure; else empty.
    pub parts: Vec<Part>,
    /// What closed the message.
    pub terminator: Terminator,
    /// How its header is written, where that is Harmony's.
    pub form: HeaderForm,
    /// The whole message in the text, from `<|start|>` or `<|im_start|>` (or the start point)
    /// through its terminator.
    pub span: Span,
    /// The body in the text, as written.
    pub body_span: Span,
}

impl Message {
    /// A message by hand, closed by `<|end|>`; its places are empty.
    pub fn new(role: Role, body: impl Into<String>) -> Self {
        Self {
            role,
            name: None,
            recipient: None,
            channel: None,
            intent: None,
            content_type: None,
            constrain: None,
            call_id: None,
            body: body.into(),
            parts: Vec::new(),
            terminator: Terminator::End,
            form: HeaderForm::default(),
            span: Span::default(),
            body_span: Span::default(),
        }
    }

    /// The channel; a message without one is read as final (OpenChatML 2.2 §5).
    pub fn effective_channel(&self) -> Channel {
        self.channel.unwrap_or(Channel::Final)
    }

    /// Whether this whole message is a tool call: the assistant's, to a recipient, closed by
    /// `<|call|>`.
    pub fn is_call(&self) -> bool {
        self.role == Role::Assistant
            && self.recipient.is_some()
            && self.terminator == Terminator::Call
    }

    /// The tool calls that the message is, or holds, in order.
    pub fn calls(&self) -> impl Iterator<Item = Call<'_>> {
        let whole = self.recipient.as_deref().filter(|_| self.is_call());
        let whole = whole.map(|recipient| Call {
            id: self.call_id.as_deref(),
            recipient,
            arguments: &self.body,
            content_type: self.constrain.as_deref().or(self.content_type.as_deref()),
            span: self.body_span,
        });
        let parts = self.parts.iter().filter_map(|part| match &part.kind {
            PartKind::Call { recipient } => Some(Call {
                id: None,
                recipient,
                arguments: &part.text,
                content_type: None,
                span: part.span,
            }),
            _ => None,
        });
        whole.into_iter().chain(parts)
    }

    /// What is said: the body, or its parts that are text, without thoughts and calls. On `analysis` thoughts are all that is
    /// said, with or without a mark.
    pub fn said(&self) -> Cow<'_, str> {
        if self.parts.is_empty() {
            return Cow::Borrowed(&self.body);
        }
        let thinks = self.channel == Some(Channel::Analysis);
        let text = |part: &Part| match part.kind {
            PartKind::Text => Some(part.text.clone()),
            PartKind::Thought(_) if thinks => Some(part.text.clone()),
            _ => None,
        };
        Cow::Owned(self.parts.iter().filter_map(text).collect())
    }
}
