//! `--whitespace`, `--escapes`, `--order`: how JSON is spelt.

use clap::{Args, ValueEnum};
use maskwright::base::Limits;
use maskwright::front::json_schema::{
    self, PropertyOrder, SchemaConfig, SchemaError, SpacePattern, Whitespace,
};

/// The options of a spelling.
#[derive(Args, Clone, Debug)]
pub(crate) struct Spelling {
    /// White space in JSON: json (any), compact (none), or /PATTERN/, which what stands between two
    /// tokens matches
    #[arg(long, default_value = "json", value_name = "json|compact|/PATTERN/", value_parser = whitespace)]
    whitespace: Whitespace,
    /// Escapes in strings, keys apart
    #[arg(long, value_enum, default_value = "free")]
    escapes: Escapes,
    /// The order of properties in JSON
    #[arg(long, value_enum, default_value = "declared")]
    order: Order,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Escapes {
    /// Those that are needed, in their shortest spelling
    Minimal,
    /// All that JSON has in strings that only their lengths are asked of, minimal ones elsewhere
    Free,
    /// All that JSON has
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Order {
    /// As the schema declares them, others anywhere between
    Declared,
    /// Any
    Any,
}

fn whitespace(text: &str) -> Result<Whitespace, String> {
    let pattern = text
        .strip_prefix('/')
        .and_then(|rest| rest.strip_suffix('/'));
    match (text, pattern) {
        ("json", _) => Ok(Whitespace::Json),
        ("compact", _) => Ok(Whitespace::Compact),
        (_, Some(pattern)) => match SpacePattern::new(pattern, &Limits::default()) {
            Ok(pattern) => Ok(Whitespace::Pattern(pattern)),
            Err(SchemaError::Malformed { reason, .. }) => Err(reason),
            Err(error) => Err(error.to_string()),
        },
        _ => Err("expected json, compact, or a pattern between slashes".to_owned()),
    }
}

impl Default for Spelling {
    fn default() -> Self {
        Self {
            whitespace: Whitespace::Json,
            escapes: Escapes::Free,
            order: Order::Declared,
        }
    }
}

impl Spelling {
    /// A configuration of schemas with this spelling.
    pub(crate) fn config(&self) -> SchemaConfig {
        SchemaConfig {
            whitespace: self.whitespace.clone(),
            escapes: match self.escapes {
                Escapes::Minimal => json_schema::Escapes::Minimal,
                Escapes::Free => json_schema::Escapes::Free,
                Escapes::All => json_schema::Escapes::All,
            },
            order: match self.order {
                Order::Declared => PropertyOrder::Declared,
                Order::Any => PropertyOrder::Any,
            },
            ..SchemaConfig::default()
        }
    }
}
