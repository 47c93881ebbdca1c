//! What is asked of a text: its format, its start point, the rules of the request.

use std::collections::BTreeSet;

use super::format::Format;
use super::message::{Terminator, Thought};

/// Where in the format the text begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StartPoint {
    /// At the start of a transcript: a document header where the format has one, or `<|start|>`.
    #[default]
    Transcript,
    /// Inside a header, right after `<|start|>assistant`, or `<|im_start|>assistant`: where
    /// generation begins.
    AssistantHeader,
    /// Of OpenChatML 0.1: what is filled in between a prefix and a suffix, up to
    /// `<|fim_suffix|>` or the end.
    FimMiddle,
}

/// How a text is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Strictness {
    /// Any messages, with the liberties that the format grants to input.
    #[default]
    History,
    /// One generated assistant turn, in canonical spelling, by the rules of the request.
    Generation,
}

/// What ordinary text is that spells a control token which the vocabulary has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SpeltControls {
    /// An error: as a part of one text it would be a control token.
    #[default]
    Refused,
    /// Text, as in ChatML's message list, where only objects are control tokens.
    Text,
}

/// The interoperation profile of OpenChatML 2.2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// None: calls and replies carry a `call_id`.
    #[default]
    Plain,
    /// HIP-1 (§12): `call_id` is optional, the assistant's messages need a channel.
    Hip1,
}

/// Whether an assistant message of OpenChatML 2.2's history needs a channel. Harmony, HIP-1 and
/// generated turns need one always.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ChannelRule {
    /// A message without a channel is read as final.
    #[default]
    Optional,
    /// `require_channels` of the document header.
    Required,
}

/// Which calls a generated turn may and must make.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// Calls or none.
    #[default]
    Auto,
    /// At least one call.
    Required,
    /// At least one call, and only of the tool of this full name.
    Named(String),
    /// No calls.
    None,
}

/// Whether a generated call, and in Harmony a structured answer, must say `<|constrain|>json`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TypeRule {
    /// Any of the deployed ways, or none.
    #[default]
    AsDeployed,
    /// `<|constrain|>json` (HIP-1 §12.4).
    Constrained,
}

/// Where a generated turn may call function tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FunctionChannels {
    /// On `commentary` only.
    #[default]
    Commentary,
    /// On `analysis` too, as some models do.
    CommentaryOrAnalysis,
}

/// How many calls a generated turn may make.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CallLimit {
    /// A call ends the turn.
    #[default]
    One,
    /// After a call the turn ends or goes on (parallel calls).
    Many,
}

/// Whether a generated turn may hold analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Analysis {
    /// It may.
    #[default]
    Allowed,
    /// It may not.
    Forbidden,
}

/// Whether the body of a call may say its deadline (OpenChatML 2.2 §8.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BodyDeadlines {
    /// A member `deadline_ms` is an argument like others.
    #[default]
    Ignored,
    /// A member `deadline_ms` is the deadline, and no argument.
    Read,
}

/// The full names of the tools that may be called, such as `functions.get_weather`.
///
/// `python` and `browser.*` are the formats' built-in tools, called on `analysis` or
/// `commentary`; every other name is a function tool, called on `commentary` with a JSON object.
/// `python` takes code, and stands for InternLM2's `<|interpreter|>` too. OpenChatML 0.1 and
/// InternLM2 write a name without its `functions.`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolSet(BTreeSet<String>);

impl ToolSet {
    /// Whether a tool has this full name.
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// Whether some tool's full name begins with `prefix`.
    pub(super) fn has_prefix(&self, prefix: &str) -> bool {
        self.0.iter().any(|name| name.starts_with(prefix))
    }
}

impl<S: Into<String>> FromIterator<S> for ToolSet {
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Self {
        Self(names.into_iter().map(Into::into).collect())
    }
}

/// Judges the arguments of a tool call; the caller brings the JSON Schemas. Parsers may go from one thread to another.
pub trait ArgumentValidator: Sync {
    /// Whether `arguments`, the text of a JSON object, suits the tool of full name `recipient`.
    ///
    /// # Errors
    ///
    /// What is wrong with them, in words.
    fn validate(&self, recipient: &str, arguments: &str) -> Result<(), String>;

    /// Whether the tool of full name `recipient` declares the member `deadline_ms` itself. Then it stays among the
    /// arguments where [`BodyDeadlines::Read`] takes it out of those of others (OpenChatML 2.2 §8.2). By default none does.
    fn declares_deadline(&self, _recipient: &str) -> bool {
        false
    }
}

/// Judges a final message against the response schema, which the caller brings. Parsers may go from one thread to
/// another.
pub trait ResponseValidator: Sync {
    /// Whether `response`, the text of a JSON value, suits the response schema.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in words.
    fn validate(&self, response: &str) -> Result<(), String>;
}

/// What is asked of a text. The default is a Harmony transcript, read as history.
#[derive(Clone)]
pub struct ParserConfig<'a> {
    /// The format.
    pub format: Format,
    /// Where in the format the text begins.
    pub start: StartPoint,
    /// How it is read.
    pub strictness: Strictness,
    /// What text is that spells a control token.
    pub spelt: SpeltControls,
    /// The profile, in OpenChatML 2.2.
    pub profile: Profile,
    /// Whether history needs channels, in OpenChatML 2.2.
    pub channels: ChannelRule,
    /// The ids of calls made before this text and not answered there: no call may use them again,
    /// replies may answer them.
    pub open_call_ids: Vec<String>,
    /// The ids of calls made and answered before this text: no call may use them again.
    pub closed_call_ids: Vec<String>,
    /// The tools that may be called; `None` leaves recipients unjudged.
    pub tools: Option<ToolSet>,
    /// The judge of call arguments; without one, tools take any JSON object.
    pub arguments: Option<&'a dyn ArgumentValidator>,
    /// Whether arguments may say a deadline, which the judge does not see.
    pub body_deadlines: BodyDeadlines,
    /// Of OpenChatML 0.1: the thought blocks that system messages before this text asked for.
    pub thoughts: BTreeSet<Thought>,
    /// Of OpenChatML 0.1: how the base model spells the beginning of a sequence.
    pub sequence_start: String,
    /// Of OpenChatML 0.1: how the base model spells its end.
    pub sequence_end: String,
    /// Of a generated turn: the tool choice.
    pub tool_choice: ToolChoice,
    /// Of a generated turn: how many calls.
    pub calls: CallLimit,
    /// Of a generated turn: whether analysis is allowed.
    pub analysis: Analysis,
    /// Of a generated turn, in formats with channels: how types are written.
    pub types: TypeRule,
    /// Of a generated turn, in formats with channels: where function tools may be called.
    pub function_channels: FunctionChannels,
    /// Of a generated turn, in OpenChatML 2.2: what closes an answer: `<|return|>`, or `<|end|>` where a
    /// document header has no other.
    pub answer_end: Terminator,
    /// Of a generated turn: the judge of the final message.
    pub response: Option<&'a dyn ResponseValidator>,
}

impl Default for ParserConfig<'_> {
    fn default() -> Self {
        Self {
            format: Format::default(),
            start: StartPoint::default(),
            strictness: Strictness::default(),
            spelt: SpeltControls::default(),
            profile: Profile::default(),
            channels: ChannelRule::default(),
            open_call_ids: Vec::new(),
            closed_call_ids: Vec::new(),
            tools: None,
            arguments: None,
            body_deadlines: BodyDeadlines::default(),
            thoughts: BTreeSet::new(),
            sequence_start: "<s>".to_owned(),
            sequence_end: "</s>".to_owned(),
            tool_choice: ToolChoice::default(),
            calls: CallLimit::default(),
            analysis: Analysis::default(),
            types: TypeRule::default(),
            function_channels: FunctionChannels::default(),
            answer_end: Terminator::Return,
            response: None,
        }
    }
}

impl ParserConfig<'_> {
    /// A whole transcript, read as history.
    pub fn transcript(format: Format) -> Self {
        Self {
            format,
            ..Self::default()
        }
    }

    /// A generated turn, from right after `<|start|>assistant` or `<|im_start|>assistant`.
    pub fn assistant_turn(format: Format) -> Self {
        Self {
            format,
            start: StartPoint::AssistantHeader,
            strictness: Strictness::Generation,
            ..Self::default()
        }
    }

    pub(super) fn is_generation(&self) -> bool {
        self.strictness == Strictness::Generation
    }
}
