//! How Harmony and OpenChatML 2.2 differ, and what a text may do beside its format.

use crate::config::{ChannelRule, FunctionChannels, ParserConfig, Profile};
use crate::control::ControlToken;
use crate::document::DocumentHeader;
use crate::error::TranscriptError;
use crate::message::{Channel, Role, Terminator};
use crate::span::Span;

/// The attributes, in the order of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Attribute {
    To,
    CallId,
    Name,
    Intent,
    ContentType,
}

impl Attribute {
    pub(super) const ALL: [Self; 5] = [
        Self::To,
        Self::CallId,
        Self::Name,
        Self::Intent,
        Self::ContentType,
    ];

    pub(super) fn key(self) -> &'static str {
        match self {
            Self::To => "to",
            Self::CallId => "call_id",
            Self::Name => "name",
            Self::Intent => "intent",
            Self::ContentType => "content_type",
        }
    }
}

/// Whether calls and replies carry a `call_id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallIds {
    /// Always, but for HIP-1.
    Needed,
    /// The format has none.
    None,
}

/// What sets a format apart from its sister.
#[derive(Debug)]
pub(super) struct Dialect {
    /// The attributes of headers.
    pub(super) attributes: &'static [Attribute],
    /// Whether a type may stand after the channel, and white space before `<|constrain|>`.
    pub(super) has_bare_types: bool,
    /// Whether a YAML header may come first, and white space stand between messages.
    pub(super) is_document: bool,
    /// Whether commentary that is addressed to nobody is a preamble for the user.
    pub(super) implies_preambles: bool,
    /// Whether bodies know escapes and literal blocks.
    pub(super) has_markup: bool,
    pub(super) call_ids: CallIds,
    /// Whether every message of the assistant needs a channel.
    pub(super) needs_channels: bool,
    /// Whether `<|return|>` may close any message of the assistant, in history.
    pub(super) returns_anywhere: bool,
    pub(super) tool_name_hint: &'static str,
}

/// What a text may do: its format, what the caller says, what its own document header says.
pub(super) struct Rules<'c> {
    pub(super) dialect: &'static Dialect,
    pub(super) config: &'c ParserConfig<'c>,
    pub(super) header: Option<DocumentHeader>,
}

impl Rules<'_> {
    fn is_hip1(&self) -> bool {
        self.config.profile == Profile::Hip1 || self.header.as_ref().is_some_and(|h| h.harmony)
    }

    pub(super) fn needs_call_ids(&self) -> bool {
        self.dialect.call_ids == CallIds::Needed && !self.is_hip1()
    }

    pub(super) fn needs_channels(&self) -> bool {
        self.dialect.needs_channels
            || self.config.is_generation()
            || self.is_hip1()
            || self.config.channels == ChannelRule::Required
            || self.header.as_ref().is_some_and(|h| h.require_channels)
    }

    pub(super) fn allows_role(&self, role: &str) -> bool {
        self.header.as_ref().is_none_or(|h| h.allows_role(role))
    }

    pub(super) fn allows_channel(&self, channel: Channel) -> bool {
        let listed = self.header.as_ref().and_then(|h| h.channels.as_ref());
        listed.is_none_or(|channels| channels.contains(&channel))
    }

    /// Whether a control token was negotiated; without `<|start|>`, `<|message|>` and `<|end|>`
    /// there is no message.
    pub(super) fn check_token(
        &self,
        token: ControlToken,
        span: Span,
    ) -> Result<(), TranscriptError> {
        use ControlToken::{End, Message, Start};
        let listed = self.header.as_ref().and_then(|header| header.tokens);
        if matches!(token, Start | Message | End) || listed.is_none_or(|list| list.contains(token))
        {
            return Ok(());
        }
        let error = TranscriptError::header(span, format!("the document header has no {token}"));
        Err(error.with_hint("see its capabilities"))
    }

    pub(super) fn allows_builtin(&self, name: &str) -> bool {
        self.header.as_ref().is_none_or(|h| h.allows_builtin(name))
    }

    /// The channels on which a tool may be called; none where nothing is said.
    pub(super) fn call_channels(&self, is_built_in: bool) -> Option<&[Channel]> {
        const ANY: &[Channel] = &[Channel::Analysis, Channel::Commentary];
        const COMMENTARY: &[Channel] = &[Channel::Commentary];
        let negotiated = self.header.as_ref().and_then(|header| match is_built_in {
            true => header.builtins_in.as_deref(),
            false => header.tool_calls_in.as_deref(),
        });
        let wide = self.config.function_channels == FunctionChannels::CommentaryOrAnalysis;
        negotiated.or_else(|| {
            // History may call where it likes, but for HIP-1 (§12.3, §12.5).
            let hip1 = self.dialect.is_document && self.is_hip1();
            (hip1 || self.config.is_generation()).then_some(if is_built_in || wide {
                ANY
            } else {
                COMMENTARY
            })
        })
    }

    /// Whether this token may close a message of history: `<|call|>` a call, `<|return|>` the
    /// assistant's final, `<|end|>` everything.
    pub(super) fn may_close(
        &self,
        terminator: Terminator,
        role: Role,
        channel: Option<Channel>,
        has_recipient: bool,
    ) -> bool {
        let assistant = role == Role::Assistant;
        let is_final = !has_recipient && channel.is_none_or(|channel| channel == Channel::Final);
        match terminator {
            Terminator::End => true,
            Terminator::Call => assistant && has_recipient,
            Terminator::Return => assistant && (is_final || self.dialect.returns_anywhere),
        }
    }
}
