//! The conditions that a format asks about: `<if NAME>`, `<unless NAME>`.

use std::collections::BTreeSet;

use super::offered::Offered;
use super::options::{Analysis, ChatOptions, ParallelCalls, ToolChoice};
use super::profile::{CallIds, Channel, Channels, Constrain, LiteralBlocks, Thought, Version};

/// A condition over a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition<'a> {
    /// A flag of the request that only the format knows.
    Flag(&'a str),
    /// What other options of every request say: a place in [`KNOWN`].
    Known(usize),
}

/// The condition that holds where a turn is read, and not written.
const READING: &str = "reading";
/// The prose-val before what only readers take.
pub(super) const IF_READING: &str = "if reading";

/// What the options of a request, and the tools that it offers, say.
type Says = fn(&ChatOptions, &Offered<'_>) -> bool;

/// The conditions that every request has an answer to, by name.
const KNOWN: [(&str, Says); 23] = [
    ("analysis", |asked, _| writable(asked, Channel::Analysis)),
    ("commentary", |asked, _| {
        writable(asked, Channel::Commentary)
    }),
    ("final", |asked, _| writable(asked, Channel::Final)),
    ("call-required", |asked, _| {
        matches!(
            asked.tool_choice,
            ToolChoice::Required | ToolChoice::Named(_)
        )
    }),
    ("parallel-calls", |asked, _| {
        asked.parallel_calls == ParallelCalls::Allowed
    }),
    ("response-schema", |asked, _| {
        asked.response_schema.is_some()
    }),
    ("constrain", |asked, _| {
        asked.profile.constrain != Constrain::Unknown
    }),
    ("constrain-required", |asked, _| {
        asked.profile.constrain == Constrain::Required
    }),
    ("literal-blocks", |asked, _| {
        asked.profile.literal_blocks == LiteralBlocks::Allowed
    }),
    ("optional-call-ids", |asked, _| {
        asked.profile.call_ids == CallIds::Optional
    }),
    ("functions-on-analysis", |asked, _| {
        callable(asked, asked.profile.functions_on, Channel::Analysis)
    }),
    ("functions-on-commentary", |asked, _| {
        callable(asked, asked.profile.functions_on, Channel::Commentary)
    }),
    ("built-ins-on-analysis", |asked, _| {
        callable(asked, asked.profile.built_ins_on, Channel::Analysis)
    }),
    ("built-ins-on-commentary", |asked, _| {
        callable(asked, asked.profile.built_ins_on, Channel::Commentary)
    }),
    ("python", |_, offered| offered.python),
    ("reflect", |asked, _| may(asked, asked.thoughts.reflect)),
    ("reflect-required", |asked, _| {
        must(asked, asked.thoughts.reflect)
    }),
    ("introspect", |asked, _| {
        may(asked, asked.thoughts.introspect)
    }),
    ("introspect-required", |asked, _| {
        must(asked, asked.thoughts.introspect)
    }),
    ("reason", |asked, _| may(asked, asked.thoughts.reason)),
    ("reason-required", |asked, _| {
        must(asked, asked.thoughts.reason)
    }),
    ("version-1", |asked, _| asked.profile.version == Version::V1),
    // A reader says it of itself.
    (READING, |_, _| false),
];

impl<'a> Condition<'a> {
    /// The names of the conditions that every request has an answer to.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        KNOWN.into_iter().map(|(name, _)| name)
    }

    /// The condition of this name; any name is one of a flag of the request, but for a misspelling of
    /// a condition.
    pub(super) fn named(name: &'a str) -> Option<Self> {
        match Self::names().position(|known| known == name) {
            Some(known) => Some(Self::Known(known)),
            None => (is_flag(name) && Self::meant_by(name).is_none()).then_some(Self::Flag(name)),
        }
    }

    /// The condition of which `name` is probably a misspelling.
    pub(super) fn meant_by(name: &str) -> Option<&'static str> {
        let letters = name.chars().count();
        let near = |known: &&str| {
            let slips = if known.len() > 8 { 2 } else { 1 };
            known.len() > 5
                && *known != name
                && known.len().abs_diff(letters) <= slips
                && strsim::osa_distance(known, name) <= slips
        };
        Self::names().find(near)
    }
}

/// The conditions that hold in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Holding {
    /// By place in [`KNOWN`].
    known: [bool; KNOWN.len()],
    flags: BTreeSet<String>,
}

impl Holding {
    pub(super) fn of(options: &ChatOptions, offered: &Offered<'_>) -> Self {
        Self {
            known: KNOWN.map(|(_, says)| says(options, offered)),
            flags: options.flags.clone(),
        }
    }

    /// The same where a turn is read.
    pub(super) fn reading(mut self) -> Self {
        for (holds, (name, _)) in self.known.iter_mut().zip(KNOWN) {
            *holds |= name == READING;
        }
        self
    }

    /// Whether a turn is read, and not written.
    pub(super) fn is_reading(&self) -> bool {
        Condition::named(READING).is_some_and(|reading| self.has(reading))
    }

    /// Whether `condition` holds.
    pub(super) fn has(&self, condition: Condition<'_>) -> bool {
        match condition {
            Condition::Flag(name) => self.flags.contains(name),
            Condition::Known(known) => self.known[known],
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

/// Whether a thought block may be written; where no thoughts are allowed, none may.
fn may(options: &ChatOptions, thought: Thought) -> bool {
    options.analysis == Analysis::Allowed && thought != Thought::Forbidden
}

/// Whether it must be.
fn must(options: &ChatOptions, thought: Thought) -> bool {
    options.analysis == Analysis::Allowed && thought == Thought::Demanded
}

/// Where `analysis` is forbidden, so are calls on it.
fn callable(options: &ChatOptions, channels: Channels, channel: Channel) -> bool {
    channels.contains(channel) && writable(options, channel)
}
