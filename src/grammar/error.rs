//! What can be wrong with a grammar as a whole.

use crate::base::{LimitError, RuleId};

/// Why a [`super::GrammarBuilder`] could not be finished.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GrammarError {
    /// A rule is called but never defined.
    #[error("rule `{name}` is called but not defined")]
    Undefined {
        /// The rule.
        rule: RuleId,
        /// Its name.
        name: String,
    },
    /// No text at all belongs to the start rule.
    #[error("rule `{name}` can never end: no text belongs to it")]
    Unproductive {
        /// The rule.
        rule: RuleId,
        /// Its name.
        name: String,
    },
    /// A rule that ends with an exit of its own may be empty.
    #[error("rule `{name}` may be empty, but ends with an exit")]
    NullableExit {
        /// The rule.
        rule: RuleId,
        /// Its name.
        name: String,
    },
    /// One text ends a rule with two different exits.
    #[error("rule `{name}` ends with two different exits after the same text")]
    AmbiguousExit {
        /// The rule.
        rule: RuleId,
        /// Its name.
        name: String,
    },
    /// A limit was met.
    #[error("rule `{name}`: {source}")]
    Limit {
        /// The rule's name.
        name: String,
        /// The limit.
        source: LimitError,
    },
}
