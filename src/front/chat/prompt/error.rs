//! Why a prompt says nothing about a turn.

/// Why a prompt says nothing about a turn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PromptError {
    /// The format does not say how a turn opens.
    #[error(
        "format `{format}` has no rule `{rule}` of a few quoted strings that says what stands right before a turn"
    )]
    NoOpening {
        /// The format's name.
        format: String,
        /// The rule that is to say it.
        rule: String,
    },
    /// The model is not the one to write.
    #[error(
        "the prompt does not end where the assistant is to speak; end it with the format's `{0}`"
    )]
    NotAtTurn(String),
    /// The format does not let a model complete a message that has begun.
    #[error("the prompt ends within a message, and the format completes no partial messages")]
    Partial,
    /// The prompt is not UTF-8.
    #[error("the prompt is not UTF-8 from byte {0} on")]
    Encoding(usize),
    /// The document header cannot be read.
    #[error("the document header: {0}")]
    Header(String),
}
