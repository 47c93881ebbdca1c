//! What an end user may see (OpenChatML 2.2 §§4, 5, 11).

use std::borrow::Cow;

use super::error::ErrorCode;
use super::message::{Channel, Intent, Message, Role};
use super::thoughts::{Growth, Spoken, has_thoughts};
use crate::span::Span;

/// For whom a conversation is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Audience {
    /// The end user.
    #[default]
    User,
    /// Who debugs, and has asked to see what users must not see.
    Debug,
}

/// Something that an audience may see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown<'m> {
    /// Who speaks.
    pub role: Role,
    /// The channel, where it is not the answer itself.
    pub channel: Channel,
    /// What is shown.
    pub text: Cow<'m, str>,
}

/// An attempt to show what is hidden: `E-PERM-VISIBILITY`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} at byte {}: {} on {} is hidden from users", self.code(), span.start, role.as_str(), channel.as_str())]
pub struct HiddenError {
    /// Where the message stands in its text; empty for one by hand.
    pub span: Span,
    /// Who spoke.
    pub role: Role,
    /// On which channel.
    pub channel: Channel,
}

impl HiddenError {
    /// Always [`ErrorCode::PermVisibility`].
    pub fn code(&self) -> ErrorCode {
        ErrorCode::PermVisibility
    }
}

/// Whether end users may see what is said by this role, on this channel, to this recipient.
pub(super) fn is_visible(
    role: Role,
    channel: Channel,
    intent: Option<Intent>,
    recipient: Option<&str>,
) -> bool {
    match (role, channel) {
        (Role::System | Role::Developer | Role::Tool, _) | (_, Channel::Analysis) => false,
        (Role::User, _) => true,
        (Role::Assistant, _) if recipient.is_some() => false,
        (Role::Assistant, Channel::Final) => intent.is_none_or(|intent| intent == Intent::Preamble),
        (Role::Assistant, Channel::Commentary) => intent == Some(Intent::Preamble),
    }
}

/// Whether end users may see what a message says.
pub(super) fn is_shown(message: &Message) -> bool {
    let recipient = message.recipient.as_deref();
    is_visible(
        message.role,
        message.effective_channel(),
        message.intent,
        recipient,
    )
}

/// What an audience sees of a message. Users see what is said, without thoughts and calls.
///
/// # Errors
///
/// The message is hidden from users.
pub fn show(message: &Message, audience: Audience) -> Result<Shown<'_>, HiddenError> {
    let (role, channel) = (message.role, message.effective_channel());
    let text = match audience {
        Audience::Debug => Cow::Borrowed(message.body.as_str()),
        // A thought that is marked within an answer stays a thought.
        Audience::User if is_shown(message) && thinks_aloud(message) => {
            let mut said = Spoken::default();
            Cow::Owned(said.read(&message.body, Growth::Over).to_owned())
        }
        Audience::User if is_shown(message) => message.said(),
        Audience::User => {
            return Err(HiddenError {
                span: message.span,
                role,
                channel,
            });
        }
    };
    Ok(Shown {
        role,
        channel,
        text,
    })
}

/// Whether an answer has thoughts in it, which belong in analysis.
fn thinks_aloud(message: &Message) -> bool {
    message.role == Role::Assistant && message.parts.is_empty() && has_thoughts(&message.body)
}

/// All that an audience sees of a conversation; messages of which nothing is seen are left out.
pub fn view(messages: &[Message], audience: Audience) -> Vec<Shown<'_>> {
    let shown = messages.iter().filter_map(|m| show(m, audience).ok());
    shown
        .filter(|shown| audience == Audience::Debug || !shown.text.is_empty())
        .collect()
}
