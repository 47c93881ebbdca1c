//! The error taxonomy, with places.

use crate::span::Span;
use std::fmt;

/// What is wrong with a transcript.
///
/// The first eight are those of OpenChatML 2.2 §14; the others name what that taxonomy has no
/// word for: the encoding, tools, and the rules over a generated turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// `E-PARSE-HEADER`: a malformed header, or a control token where none may stand.
    ParseHeader,
    /// `E-PARSE-CHANNEL-MISSING`: an assistant message without the channel that it needs.
    ParseChannelMissing,
    /// `E-BODY-CONSTRAINT-VIOLATION`: a body that is not of its constrained type.
    BodyConstraintViolation,
    /// `E-CALL-SCHEMA`: the arguments of a tool call are missing or invalid.
    CallSchema,
    /// `E-TOOL-TIMEOUT`: a tool exceeded its deadline.
    ToolTimeout,
    /// `E-TOOL-CANCELLED`: a call was cancelled.
    ToolCancelled,
    /// `E-STREAM-TRUNCATED`: the text ends too early; so far it is well-formed.
    StreamTruncated,
    /// `E-PERM-VISIBILITY`: an attempt to show what is hidden.
    PermVisibility,
    /// `E-TEXT-ENCODING`: bytes that are not UTF-8.
    TextEncoding,
    /// `E-TEXT-CONTROL`: ordinary text that spells a control token.
    TextControl,
    /// `E-RESPONSE-SCHEMA`: the final message is not of the response schema.
    ResponseSchema,
    /// `E-TOOL-UNKNOWN`: a recipient that is none of the given tools.
    ToolUnknown,
    /// `E-TOOL-FAILED`: a tool says that it failed.
    ToolFailed,
    /// `E-REPLY-UNMATCHED`: a tool's reply that no open call waits for.
    ReplyUnmatched,
    /// `E-TURN-ROLE`: a generated message that is not the assistant's.
    TurnRole,
    /// `E-TURN-CHANNEL`: a tool call on a channel that its tool does not listen on.
    TurnChannel,
    /// `E-TURN-TERMINATOR`: a message closed by the wrong one of `<|end|>`, `<|call|>`,
    /// `<|return|>`.
    TurnTerminator,
    /// `E-TURN-TOOL-CHOICE`: a call, or none, against the tool choice of the request.
    TurnToolChoice,
    /// `E-TURN-PARALLEL`: more after a call where one call ends the turn.
    TurnParallel,
    /// `E-TURN-ANALYSIS`: analysis where the request allows none.
    TurnAnalysis,
    /// `E-TURN-END`: anything after the end of the turn.
    TurnEnd,
}

impl ErrorCode {
    /// Every code, in order of declaration.
    pub const ALL: [Self; 21] = [
        Self::ParseHeader,
        Self::ParseChannelMissing,
        Self::BodyConstraintViolation,
        Self::CallSchema,
        Self::ToolTimeout,
        Self::ToolCancelled,
        Self::StreamTruncated,
        Self::PermVisibility,
        Self::TextEncoding,
        Self::TextControl,
        Self::ResponseSchema,
        Self::ToolUnknown,
        Self::ToolFailed,
        Self::ReplyUnmatched,
        Self::TurnRole,
        Self::TurnChannel,
        Self::TurnTerminator,
        Self::TurnToolChoice,
        Self::TurnParallel,
        Self::TurnAnalysis,
        Self::TurnEnd,
    ];

    /// The code as logs show it, such as `E-PARSE-HEADER`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ParseHeader => "E-PARSE-HEADER",
            Self::ParseChannelMissing => "E-PARSE-CHANNEL-MISSING",
            Self::BodyConstraintViolation => "E-BODY-CONSTRAINT-VIOLATION",
            Self::CallSchema => "E-CALL-SCHEMA",
            Self::ToolTimeout => "E-TOOL-TIMEOUT",
            Self::ToolCancelled => "E-TOOL-CANCELLED",
            Self::StreamTruncated => "E-STREAM-TRUNCATED",
            Self::PermVisibility => "E-PERM-VISIBILITY",
            Self::TextEncoding => "E-TEXT-ENCODING",
            Self::TextControl => "E-TEXT-CONTROL",
            Self::ResponseSchema => "E-RESPONSE-SCHEMA",
            Self::ToolUnknown => "E-TOOL-UNKNOWN",
            Self::ToolFailed => "E-TOOL-FAILED",
            Self::ReplyUnmatched => "E-REPLY-UNMATCHED",
            Self::TurnRole => "E-TURN-ROLE",
            Self::TurnChannel => "E-TURN-CHANNEL",
            Self::TurnTerminator => "E-TURN-TERMINATOR",
            Self::TurnToolChoice => "E-TURN-TOOL-CHOICE",
            Self::TurnParallel => "E-TURN-PARALLEL",
            Self::TurnAnalysis => "E-TURN-ANALYSIS",
            Self::TurnEnd => "E-TURN-END",
        }
    }

    /// The code of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.as_str() == name)
    }

    /// A sentence that is safe to show to an end user: it quotes nothing of the conversation.
    pub const fn safe_text(self) -> &'static str {
        match self {
            Self::StreamTruncated => "The answer was cut off.",
            Self::ToolTimeout => "A tool took too long to answer.",
            Self::ToolCancelled => "A tool was stopped before it answered.",
            Self::ToolUnknown => "A tool that does not exist was asked for.",
            Self::ToolFailed => "A tool could not do what it was asked for.",
            Self::ReplyUnmatched => "A tool answered without being asked.",
            Self::CallSchema => "A tool was asked for something that it does not understand.",
            Self::PermVisibility => "This part of the conversation is not shown.",
            Self::BodyConstraintViolation | Self::ResponseSchema => {
                "The answer does not have the form that it should have."
            }
            Self::TextEncoding
            | Self::TextControl
            | Self::ParseHeader
            | Self::ParseChannelMissing
            | Self::TurnRole
            | Self::TurnChannel
            | Self::TurnTerminator
            | Self::TurnToolChoice
            | Self::TurnParallel
            | Self::TurnAnalysis
            | Self::TurnEnd => "The answer could not be read.",
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a text is not a complete transcript, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code} at byte {}: {message}", span.start)]
pub struct TranscriptError {
    code: ErrorCode,
    span: Span,
    message: String,
    hint: Option<&'static str>,
}

impl TranscriptError {
    pub(super) fn new(code: ErrorCode, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            span,
            message: message.into(),
            hint: None,
        }
    }

    /// A malformed header.
    pub(super) fn header(span: Span, message: impl Into<String>) -> Self {
        Self::new(ErrorCode::ParseHeader, span, message)
    }

    /// The text ends at byte `at`, inside `what`.
    pub(super) fn truncated(at: usize, what: &str) -> Self {
        let message = format!("the text ends {what}");
        Self::new(ErrorCode::StreamTruncated, Span::new(at, at), message)
    }

    pub(super) fn with_hint(mut self, hint: &'static str) -> Self {
        self.hint = Some(hint);
        self
    }

    /// What is wrong.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// Where: bytes of the text, or of all the pieces one after the other.
    pub fn span(&self) -> Span {
        self.span
    }

    /// What is wrong, in words.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to write instead, where there is a short answer.
    pub fn hint(&self) -> Option<&str> {
        self.hint
    }

    /// Whether the text only ends too early: it is well-formed so far. What an unfinished body
    /// holds is not judged.
    pub fn is_truncated(&self) -> bool {
        self.code == ErrorCode::StreamTruncated
    }
}
