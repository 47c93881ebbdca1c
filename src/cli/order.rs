//! `--order`: in which order the properties of JSON objects come.

use clap::ValueEnum;
use maskwright::front::json_schema::PropertyOrder;

/// `--order`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Order {
    /// As the schema declares them, others anywhere between
    Declared,
    /// Any
    Any,
}

impl Order {
    /// As the engine calls it.
    pub(crate) fn rule(self) -> PropertyOrder {
        match self {
            Self::Declared => PropertyOrder::Declared,
            Self::Any => PropertyOrder::Any,
        }
    }
}
