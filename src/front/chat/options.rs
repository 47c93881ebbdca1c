//! What a request asks of a format, and what it must know of the conversation so far.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::call_id::is_id;
use super::profile::{BuiltIns, Profile, SequenceTokens, Thoughts};
use super::{ChatError, ToolSet};
use crate::base::Limits;
use crate::front::json_schema::{
    Content, Draft, Escapes, Numbers, PropertyOrder, SchemaDocument, Whitespace, response_format,
};
use crate::regular::Dialect;

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
    /// After a call another may follow, or an answer.
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

/// Whether the arguments of a call may say how long the tool has: `deadline_ms` (OpenChatML 2.2
/// §8.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deadlines {
    /// Arguments are what their schema says, and no more.
    #[default]
    Forbidden,
    /// A member `deadline_ms`, any number, may stand beside them. Who reads a call takes it out before
    /// the arguments are judged.
    Allowed,
}

/// A call of the conversation that no tool has answered yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenCall {
    /// Its id, in formats that have ids.
    pub id: Option<String>,
    /// The tool's name, as the conversation has it.
    pub name: String,
}

/// What a request asks of a format.
///
/// ```
/// use maskwright::front::chat::{ChatOptions, ToolChoice};
/// let mut options = ChatOptions::default();
/// options.tool_choice = ToolChoice::None;
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ChatOptions {
    /// The tools.
    pub tools: ToolSet,
    /// The tools that formats have built in.
    pub built_ins: BuiltIns,
    /// Which of them the model may and must call.
    pub tool_choice: ToolChoice,
    /// Whether it may make several calls.
    pub parallel_calls: ParallelCalls,
    /// A JSON Schema, as text, that the final message must satisfy, or a `response_format` around
    /// one; see [`response_format`](crate::front::json_schema::response_format).
    pub response_schema: Option<String>,
    /// Whether it may think first.
    pub analysis: Analysis,
    /// The thought blocks of OpenChatML 0.1.
    pub thoughts: Thoughts,
    /// What narrows or widens the format.
    pub profile: Profile,
    /// The base model's own tokens around a sequence.
    pub sequence_tokens: SequenceTokens,
    /// Whether arguments may say a deadline.
    pub deadlines: Deadlines,
    /// The flags that hold beside those that the other options say: a format asks for them by
    /// `<if NAME>`, and any name will do.
    pub flags: BTreeSet<String>,
    /// White space in arguments and responses: [`Whitespace::Pretty`] by default, so that none runs away.
    pub whitespace: Whitespace,
    /// How numbers are spelt in them: [`Numbers::Plain`] by default, so that programs read them.
    pub numbers: Numbers,
    /// Which escapes strings have in them.
    pub escapes: Escapes,
    /// In which order the properties of objects come in them.
    pub order: PropertyOrder,
    /// Whose syntax patterns in schemas are in.
    pub regex: Dialect,
    /// The draft of schemas that do not name one.
    pub draft: Draft,
    /// What the keywords about the content of strings do in schemas.
    pub content: Content,
    /// The call ids that the conversation has used so far.
    pub used_call_ids: Vec<String>,
    /// The calls that wait for an answer. Their ids count as used.
    pub open_calls: Vec<OpenCall>,
    /// What schemas may refer to, apart from themselves.
    pub documents: Arc<[SchemaDocument]>,
    /// What compiling may cost.
    pub limits: Limits,
}

impl Default for ChatOptions {
    fn default() -> Self {
        Self {
            tools: Default::default(),
            built_ins: Default::default(),
            tool_choice: Default::default(),
            parallel_calls: Default::default(),
            response_schema: Default::default(),
            analysis: Default::default(),
            thoughts: Default::default(),
            profile: Default::default(),
            sequence_tokens: Default::default(),
            deadlines: Default::default(),
            flags: Default::default(),
            whitespace: Whitespace::Pretty,
            numbers: Numbers::Plain,
            escapes: Default::default(),
            order: Default::default(),
            regex: Default::default(),
            content: Default::default(),
            draft: Default::default(),
            used_call_ids: Default::default(),
            open_calls: Default::default(),
            documents: Default::default(),
            limits: Default::default(),
        }
    }
}

impl ChatOptions {
    /// The call ids that no call may use again.
    pub(super) fn spent_call_ids(&self) -> impl Iterator<Item = &String> {
        let open = self.open_calls.iter().filter_map(|call| call.id.as_ref());
        self.used_call_ids.iter().chain(open)
    }

    /// The same without a response schema, where what is said to be one asks for text.
    pub(super) fn with_plain_text(&self) -> Option<Self> {
        let text = self.response_schema.as_deref()?;
        // What is wrong with it is said when it is compiled.
        let asks_for_text = matches!(response_format(text, &self.limits), Ok(None));
        asks_for_text.then(|| Self {
            response_schema: None,
            ..self.clone()
        })
    }

    /// Whether what the conversation is said to hold can stand in one.
    pub(super) fn check(&self) -> Result<(), ChatError> {
        if let Some(id) = self.spent_call_ids().find(|id| !is_id(id)) {
            return Err(ChatError::CallId { id: id.clone() });
        }
        let is_name = |name: &str| {
            let fits = |byte: u8| byte.is_ascii_graphic() && !b"<\"\\".contains(&byte);
            !name.is_empty() && name.bytes().all(fits)
        };
        match self.open_calls.iter().find(|call| !is_name(&call.name)) {
            Some(call) => Err(ChatError::OpenCall {
                name: call.name.clone(),
            }),
            None => Ok(()),
        }
    }
}
