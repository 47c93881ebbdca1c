//! What masks are made of, for people who ask.

use std::fmt;

/// How the tokens that begin at one place of a rule come into a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mechanism {
    /// The vocabulary is walked from there.
    Walk,
    /// What the rule contributes is known, whoever called it; only the tokens that end it are tried anew.
    Contribution,
    /// The contribution of a simpler rule is cut by a bound, or by texts that may not come.
    Cut,
    /// Control tokens are single tokens of the vocabulary.
    Controls,
}

impl fmt::Display for Mechanism {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Walk => "walk",
            Self::Contribution => "contribution",
            Self::Cut => "cut",
            Self::Controls => "controls",
        })
    }
}
