//! What of a request decides how the rules of a format's file read.

use super::condition::Holding;
use super::offered::Offered;
use super::options::ChatOptions;
use super::profile::SequenceTokens;
use super::prose::Names;
use super::tools::Family;
use crate::base::Limits;
use crate::front::json_schema::Whitespace;

/// What of a request decides how the rules of a file read: requests of one shape have them in common. What a request says
/// besides, such as its tools, has rules of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The rule that it begins with.
    pub(super) start: String,
    pub(super) sequence: SequenceTokens,
    pub(super) whitespace: Whitespace,
    pub(super) holding: Holding,
    /// Whether functions of the request may be called, and tools of the formats' own.
    functions: bool,
    built_ins: bool,
    pub(super) limits: Limits,
}

impl Shape {
    /// The shape of a request that begins with the rule `start` and works within `limits`.
    pub(super) fn of(
        start: &str,
        options: &ChatOptions,
        offered: &Offered<'_>,
        limits: &Limits,
    ) -> Self {
        let has = |family: Family| offered.tools.iter().any(|tool| tool.family() == family);
        Self {
            start: start.to_owned(),
            sequence: options.sequence_tokens.clone(),
            whitespace: options.whitespace.clone(),
            holding: Holding::of(options, offered),
            functions: has(Family::Function),
            built_ins: has(Family::BuiltIn),
            limits: limits.clone(),
        }
    }

    /// The same where a turn is read.
    pub(super) fn reading(self) -> Self {
        Self {
            holding: self.holding.reading(),
            ..self
        }
    }

    /// Whether some tool that may be called has such a name.
    pub(super) fn has_names(&self, names: Names) -> bool {
        match names {
            Names::All | Names::Short => self.functions || self.built_ins,
            Names::Functions => self.functions,
            Names::BuiltIns => self.built_ins,
        }
    }
}
