//! The conditions that a format asks about: `<if NAME>`, `<unless NAME>`.

use super::offered::Offered;
use super::options::{Analysis, ChatOptions, ParallelCalls, ToolChoice};
use super::profile::{
    CallIds, Channel, Channels, Constrain, LiteralBlocks, Thought, Thoughts, Version,
};

/// A condition over a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition<'a> {
    /// A flag of the request that only the format knows.
    Flag(&'a str),
    /// A channel may be written.
    Channel(Channel),
    CallRequired,
    ParallelCalls,
    ResponseSchema,
    /// `<|constrain|>` may be written.
    Constrain,
    ConstrainRequired,
    LiteralBlocks,
    OptionalCallIds,
    FunctionsOn(Channel),
    BuiltInsOn(Channel),
    /// `python` may be called.
    Python,
    /// A thought block may be written.
    MayThink(Block),
    /// A thought block must be written.
    MustThink(Block),
    Version1,
}

/// A kind of thought block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Block {
    Reflect,
    Introspect,
    Reason,
}

impl Block {
    fn of(self, thoughts: &Thoughts) -> Thought {
        match self {
            Self::Reflect => thoughts.reflect,
            Self::Introspect => thoughts.introspect,
            Self::Reason => thoughts.reason,
        }
    }
}

impl Condition<'static> {
    const ALL: [(&'static str, Self); 22] = [
        ("analysis", Self::Channel(Channel::Analysis)),
        ("commentary", Self::Channel(Channel::Commentary)),
        ("final", Self::Channel(Channel::Final)),
        ("call-required", Self::CallRequired),
        ("parallel-calls", Self::ParallelCalls),
        ("response-schema", Self::ResponseSchema),
        ("constrain", Self::Constrain),
        ("constrain-required", Self::ConstrainRequired),
        ("literal-blocks", Self::LiteralBlocks),
        ("optional-call-ids", Self::OptionalCallIds),
        (
            "functions-on-analysis",
            Self::FunctionsOn(Channel::Analysis),
        ),
        (
            "functions-on-commentary",
            Self::FunctionsOn(Channel::Commentary),
        ),
        ("built-ins-on-analysis", Self::BuiltInsOn(Channel::Analysis)),
        (
            "built-ins-on-commentary",
            Self::BuiltInsOn(Channel::Commentary),
        ),
        ("python", Self::Python),
        ("reflect", Self::MayThink(Block::Reflect)),
        ("reflect-required", Self::MustThink(Block::Reflect)),
        ("introspect", Self::MayThink(Block::Introspect)),
        ("introspect-required", Self::MustThink(Block::Introspect)),
        ("reason", Self::MayThink(Block::Reason)),
        ("reason-required", Self::MustThink(Block::Reason)),
        ("version-1", Self::Version1),
    ];

    /// The names of the conditions that every request has an answer to.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().map(|(name, _)| name)
    }
}

impl<'a> Condition<'a> {
    /// The condition of this name; any name is one of a flag of the request, but for a misspelling of
    /// a condition.
    pub(super) fn named(name: &'a str) -> Option<Self> {
        let known = Condition::ALL.into_iter().find(|(known, _)| *known == name);
        match known {
            Some((_, condition)) => Some(condition),
            None => (is_flag(name) && Self::meant_by(name).is_none()).then_some(Self::Flag(name)),
        }
    }

    /// The condition of which `name` is probably a misspelling.
    pub(super) fn meant_by(name: &str) -> Option<&'static str> {
        let near = |known: &&str| {
            let slips = if known.len() > 8 { 2 } else { 1 };
            known.len() > 5 && *known != name && strsim::osa_distance(known, name) <= slips
        };
        Condition::names().find(near)
    }

    pub(super) fn holds(self, options: &ChatOptions, offered: &Offered<'_>) -> bool {
        let profile = &options.profile;
        match self {
            Self::Flag(name) => options.flags.contains(name),
            Self::Channel(channel) => writable(options, channel),
            Self::CallRequired => matches!(
                options.tool_choice,
                ToolChoice::Required | ToolChoice::Named(_)
            ),
            Self::ParallelCalls => options.parallel_calls == ParallelCalls::Allowed,
            Self::ResponseSchema => options.response_schema.is_some(),
            Self::Constrain => profile.constrain != Constrain::Unknown,
            Self::ConstrainRequired => profile.constrain == Constrain::Required,
            Self::LiteralBlocks => profile.literal_blocks == LiteralBlocks::Allowed,
            Self::OptionalCallIds => profile.call_ids == CallIds::Optional,
            Self::FunctionsOn(channel) => callable(options, profile.functions_on, channel),
            Self::BuiltInsOn(channel) => callable(options, profile.built_ins_on, channel),
            Self::Python => offered.python,
            Self::MayThink(block) => thought(options, block) != Thought::Forbidden,
            Self::MustThink(block) => thought(options, block) == Thought::Demanded,
            Self::Version1 => profile.version == Version::V1,
        }
    }
}

/// Whether `name` can be the name of a flag: letters, digits and `-`, as rules of ABNF have.
fn is_flag(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    name.bytes()
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic())
        && name.bytes().all(fits)
}

fn writable(options: &ChatOptions, channel: Channel) -> bool {
    options.profile.channels.contains(channel)
        && (channel != Channel::Analysis || options.analysis == Analysis::Allowed)
}

/// Where no thoughts are allowed, none is demanded.
fn thought(options: &ChatOptions, block: Block) -> Thought {
    match options.analysis {
        Analysis::Allowed => block.of(&options.thoughts),
        Analysis::Forbidden => Thought::Forbidden,
    }
}

/// Where `analysis` is forbidden, so are calls on it.
fn callable(options: &ChatOptions, channels: Channels, channel: Channel) -> bool {
    channels.contains(channel) && writable(options, channel)
}
