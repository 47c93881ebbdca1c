//! What is asked of a rendered text, and why it cannot be had.

use crate::config::SpeltControls;
use crate::control::ControlToken;
use crate::document::DocumentHeader;
use crate::error::ErrorCode;
use crate::format::Format;

/// How a rendered text ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ending {
    /// After its last message.
    #[default]
    Conversation,
    /// In the header where the assistant goes on: `<|start|>assistant`, `<|im_start|>assistant`.
    Prompt,
}

/// What is asked of a rendered text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderOptions {
    /// The format.
    pub format: Format,
    /// How the text ends.
    pub ending: Ending,
    /// What text is that spells a control token: text, as its piece says, which is what users may
    /// write; or refused, where only the text as a whole goes on.
    pub spelt: SpeltControls,
    /// The document header of OpenChatML 2.2; without one, `version: 2.2` is written.
    pub header: DocumentHeader,
    /// Of OpenChatML 0.1: how the base model spells the beginning of a sequence.
    pub sequence_start: String,
    /// Of OpenChatML 0.1: how the base model spells its end.
    pub sequence_end: String,
}

impl RenderOptions {
    /// A whole conversation in this format.
    pub fn new(format: Format) -> Self {
        Self {
            format,
            ending: Ending::default(),
            spelt: SpeltControls::Text,
            header: DocumentHeader::version(2, 2),
            sequence_start: ControlToken::SequenceStart.spelling().to_owned(),
            sequence_end: ControlToken::SequenceEnd.spelling().to_owned(),
        }
    }
}

/// Why messages cannot be written in a format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: message {index}: {reason}")]
pub struct RenderError {
    /// Which message, from 0.
    pub index: usize,
    /// What kind of error.
    pub code: ErrorCode,
    /// Why, in words.
    pub reason: String,
}
