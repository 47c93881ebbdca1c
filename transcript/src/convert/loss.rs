//! What a conversion leaves out, and why one fails.

use crate::message::{Message, PartKind, Role};
use crate::span::Span;

/// A conversation in its new form, and what of it has no place there.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Converted<T> {
    /// The conversation.
    pub output: T,
    /// What is left out, message by message; empty where nothing is.
    pub losses: Vec<Loss>,
}

/// Something of a message that the target has no place for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loss {
    /// Which message, from 0, of those on channels.
    pub index: usize,
    /// Where the message that it comes from stands in its text; empty for one by hand.
    pub span: Span,
    /// What is lost.
    pub what: Lost,
}

/// What a conversion may leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Lost {
    /// The assistant's private reasoning.
    Reasoning,
    /// Commentary that is not for users.
    HiddenCommentary,
    /// The flags of a system message that ask for thoughts.
    ThoughtFlags,
    /// Of which kind thoughts are that are no reasoning.
    ThoughtKinds,
    /// That `developer` speaks; it becomes `system`.
    Developer,
    /// `name=`
    Name,
    /// `to=` in a message that is neither call nor reply.
    Recipient,
    /// `call_id=`
    CallId,
    /// `intent=`
    Intent,
    /// The type of a body, from `content_type=` or `<|constrain|>`.
    ContentType,
    /// Characters of a name that a header cannot hold; each becomes `_`.
    NameSpelling,
    /// Characters of a `call_id=` that an id cannot have; each becomes `_`.
    IdSpelling,
    /// A line break that is all that is said before a call; it would be read as layout.
    LineBreak,
}

impl std::fmt::Display for Lost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Reasoning => "private reasoning",
            Self::HiddenCommentary => "commentary that is not for users",
            Self::ThoughtFlags => "flags that ask for thoughts",
            Self::ThoughtKinds => "the kinds of thoughts",
            Self::Developer => "the role developer, which becomes system",
            Self::Name => "name=",
            Self::Recipient => "to= without a call",
            Self::CallId => "call_id=",
            Self::Intent => "intent=",
            Self::ContentType => "the type of a body",
            Self::NameSpelling => "all characters of a name",
            Self::IdSpelling => "all characters of a call_id=",
            Self::LineBreak => "a line break alone before a call",
        })
    }
}

impl Lost {
    /// What a message says beside its role and its body.
    pub(super) fn all_of(message: &Message) -> impl Iterator<Item = Self> {
        let is_flag = |kind: &PartKind| matches!(kind, PartKind::ThoughtFlag(_));
        let has_flags = message.parts.iter().any(|part| is_flag(&part.kind));
        let (is_call, is_tool) = (message.is_call(), message.role == Role::Tool);
        // A call's type is its tool's, and a reply's name is what it answers.
        let has_type = message.content_type.is_some() || message.constrain.is_some();
        let found = [
            (Self::ThoughtFlags, has_flags),
            (Self::Developer, message.role == Role::Developer),
            (Self::Name, message.name.is_some() && !is_tool),
            (
                Self::Recipient,
                message.recipient.is_some() && !is_call && !is_tool,
            ),
            (Self::CallId, message.call_id.is_some()),
            (Self::Intent, message.intent.is_some()),
            (Self::ContentType, has_type && !is_call),
        ];
        found
            .into_iter()
            .filter_map(|(lost, has)| has.then_some(lost))
    }
}

/// The losses of a conversion as they are met.
#[derive(Debug, Default)]
pub(crate) struct Losses {
    found: Vec<Loss>,
}

impl Losses {
    pub(crate) fn add(&mut self, index: usize, message: &Message, what: Lost) {
        self.found.push(Loss {
            index,
            span: message.span,
            what,
        });
    }

    /// Adds what a message says and `keeps` does not hold for.
    pub(crate) fn add_all_but(
        &mut self,
        index: usize,
        message: &Message,
        keeps: impl Fn(Lost) -> bool,
    ) {
        for what in Lost::all_of(message).filter(|what| !keeps(*what)) {
            self.add(index, message, what);
        }
    }

    pub(crate) fn of<T>(mut self, output: T) -> Converted<T> {
        self.found.sort_by_key(|loss| loss.index);
        Converted {
            output,
            losses: self.found,
        }
    }
}

/// Why a conversation cannot be converted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("message {index}: {reason}")]
pub struct ConvertError {
    /// Which message, from 0, of those on channels.
    pub index: usize,
    /// Where the message that it comes from stands in its text; empty for one by hand.
    pub span: Span,
    /// Why.
    pub reason: String,
}
