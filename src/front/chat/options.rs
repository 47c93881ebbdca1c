//! What a request asks of a format.

use super::{ChatError, ToolSet};
use crate::base::Limits;
use crate::front::json_schema::Whitespace;

/// Which calls the model may and must make.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// A call or an answer, as the model likes.
    #[default]
    Auto,
    /// At least one call before the turn can end.
    Required,
    /// At least one call, and only of the tool with this name (full, or without `functions.`).
    Named(String),
    /// No calls.
    None,
}

/// Whether a turn may make more than one call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ParallelCalls {
    /// After a call another may follow.
    Allowed,
    /// A call ends the turn.
    #[default]
    Forbidden,
}

/// Whether a turn may hold thoughts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Analysis {
    /// It may.
    #[default]
    Allowed,
    /// It may not.
    Forbidden,
}

/// What a request asks of a format.
///
/// ```
/// use maskwright::front::chat::{ChatOptions, ToolChoice};
/// let mut options = ChatOptions::default();
/// options.tool_choice = ToolChoice::None;
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ChatOptions {
    /// The tools.
    pub tools: ToolSet,
    /// Which of them the model may and must call.
    pub tool_choice: ToolChoice,
    /// Whether it may make several calls.
    pub parallel_calls: ParallelCalls,
    /// A JSON Schema, as text, that the final message must satisfy.
    pub response_schema: Option<String>,
    /// Whether it may think first.
    pub analysis: Analysis,
    /// White space in arguments and responses.
    pub whitespace: Whitespace,
    /// The call ids that the conversation has used so far.
    pub used_call_ids: Vec<String>,
    /// What compiling may cost.
    pub limits: Limits,
}

/// A condition that a format asks about: `<if NAME>`, `<unless NAME>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    Analysis,
    CallRequired,
    ParallelCalls,
    ResponseSchema,
}

impl Condition {
    pub(super) const ALL: [(&'static str, Self); 4] = [
        ("analysis", Self::Analysis),
        ("call-required", Self::CallRequired),
        ("parallel-calls", Self::ParallelCalls),
        ("response-schema", Self::ResponseSchema),
    ];

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|(known, _)| *known == name)
            .map(|(_, condition)| condition)
    }
}

impl ChatOptions {
    pub(super) fn holds(&self, condition: Condition) -> bool {
        match condition {
            Condition::Analysis => self.analysis == Analysis::Allowed,
            Condition::CallRequired => matches!(
                self.tool_choice,
                ToolChoice::Required | ToolChoice::Named(_)
            ),
            Condition::ParallelCalls => self.parallel_calls == ParallelCalls::Allowed,
            Condition::ResponseSchema => self.response_schema.is_some(),
        }
    }

    /// The tools, by their place in the file, that the choice allows.
    pub(super) fn allowed_tools(&self) -> Result<Vec<usize>, ChatError> {
        let all = || (0..self.tools.len()).collect();
        match &self.tool_choice {
            ToolChoice::None => Ok(Vec::new()),
            ToolChoice::Auto => Ok(all()),
            ToolChoice::Required if self.tools.is_empty() => Err(ChatError::NoTools),
            ToolChoice::Required => Ok(all()),
            ToolChoice::Named(name) => match self.tools.find(name) {
                Some(index) => Ok(vec![index]),
                None => Err(ChatError::UnknownTool {
                    name: name.clone(),
                    known: self.tools.names().map(str::to_owned).collect(),
                }),
            },
        }
    }
}
