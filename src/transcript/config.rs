//! What is asked of a text: its format, its start point, the rules of the request.

use std::collections::BTreeSet;

/// A chat format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Harmony, as gpt-oss models emit it.
    #[default]
    Harmony,
    /// OpenChatML 2.2.
    OpenChatMl22,
}

/// Where in the format the text begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StartPoint {
    /// At the start of a transcript: a document header where the format has one, or `<|start|>`.
    #[default]
    Transcript,
    /// Inside a header, right after `<|start|>assistant`: where generation begins.
    AssistantHeader,
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

/// The full names of the tools that may be called, such as `functions.get_weather`.
///
/// `python` and `browser.*` are the formats' built-in tools, called on `analysis` or
/// `commentary`; every other name is a function tool, called on `commentary` with a JSON object.
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

/// Judges the arguments of a tool call; the caller brings the JSON Schemas.
pub trait ArgumentValidator {
    /// Whether `arguments`, the text of a JSON object, suits the tool of full name `recipient`.
    ///
    /// # Errors
    ///
    /// What is wrong with them, in words.
    fn validate(&self, recipient: &str, arguments: &str) -> Result<(), String>;
}

/// Judges a final message against the response schema, which the caller brings.
pub trait ResponseValidator {
    /// Whether `response`, the text of a JSON value, suits the response schema.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in words.
    fn validate(&self, response: &str) -> Result<(), String>;
}

/// What is asked of a text. The default is a Harmony transcript, read as history.
#[derive(Clone, Default)]
pub struct ParserConfig<'a> {
    /// The format.
    pub format: Format,
    /// Where in the format the text begins.
    pub start: StartPoint,
    /// How it is read.
    pub strictness: Strictness,
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
    /// The judge of call arguments; without one, function tools take any JSON object.
    pub arguments: Option<&'a dyn ArgumentValidator>,
    /// Of a generated turn: the tool choice.
    pub tool_choice: ToolChoice,
    /// Of a generated turn: how many calls.
    pub calls: CallLimit,
    /// Of a generated turn: whether analysis is allowed.
    pub analysis: Analysis,
    /// Of a generated turn: the judge of the final message.
    pub response: Option<&'a dyn ResponseValidator>,
}

impl ParserConfig<'_> {
    /// A whole transcript, read as history.
    pub fn transcript(format: Format) -> Self {
        Self {
            format,
            ..Self::default()
        }
    }

    /// A generated turn, from right after `<|start|>assistant`.
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

    pub(super) fn needs_call_ids(&self) -> bool {
        self.format == Format::OpenChatMl22 && self.profile == Profile::Plain
    }

    pub(super) fn needs_channels(&self) -> bool {
        self.format == Format::Harmony
            || self.is_generation()
            || self.profile == Profile::Hip1
            || self.channels == ChannelRule::Required
    }
}
