//! `--whitespace`: white space in JSON.

use clap::ValueEnum;
use maskwright::front::json_schema::{self, SchemaConfig};

/// `--whitespace`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Whitespace {
    /// Any that JSON allows
    Json,
    /// None
    Compact,
}

impl Whitespace {
    /// As the engine calls it.
    pub(crate) fn rule(self) -> json_schema::Whitespace {
        match self {
            Self::Json => json_schema::Whitespace::Json,
            Self::Compact => json_schema::Whitespace::Compact,
        }
    }

    pub(crate) fn config(self) -> SchemaConfig {
        SchemaConfig {
            whitespace: self.rule(),
            ..SchemaConfig::default()
        }
    }
}
