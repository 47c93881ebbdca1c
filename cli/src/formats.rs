//! `--formats`: what `format` does.

use clap::ValueEnum;
use maskwright::front::json_schema;

/// `--formats`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Formats {
    /// Those that are known are asserted
    Assert,
    /// All are annotations
    Ignore,
}

impl Formats {
    /// As the engine calls it.
    pub(crate) fn rule(self) -> json_schema::Formats {
        match self {
            Self::Assert => json_schema::Formats::Assert,
            Self::Ignore => json_schema::Formats::Ignore,
        }
    }
}
