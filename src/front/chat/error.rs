//! What can be wrong with a tools file, a format or a request.

use super::feature::Feature;
use crate::base::{LimitError, LineColumn};
use crate::front::abnf::AbnfErrors;
use crate::front::json_schema::SchemaError;
use crate::grammar::GrammarError;

/// What is wrong with a tools file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolsError {
    /// It is not JSON (RFC 8259), or an object in it has two members of one name.
    #[error("tools file, {place}: not JSON: {reason}")]
    Json {
        /// What is wrong.
        reason: &'static str,
        /// Where.
        place: LineColumn,
    },
    /// It is JSON, but no tools file in any spelling that is known.
    #[error("tools file, {pointer}: expected {expected}")]
    Shape {
        /// Where, as a JSON pointer.
        pointer: String,
        /// What belongs there.
        expected: String,
    },
    /// A name that cannot stand in a header.
    #[error(
        "tools file, {pointer}: {name:?} cannot be a tool's name; it consists of ASCII letters, \
         digits, `_` and `-`, in parts that dots join"
    )]
    Name {
        /// Where, as a JSON pointer.
        pointer: String,
        /// The name.
        name: String,
    },
    /// A tool has no arguments schema under a key that is known, but what is probably one elsewhere.
    #[error(
        "tools file, {pointer}: what stands under `{key}` is not read as the arguments of tool \
         {name:?}; {hint}"
    )]
    Unread {
        /// Where it stands, as a JSON pointer.
        pointer: String,
        /// The key.
        key: String,
        /// The tool.
        name: String,
        /// What was probably meant.
        hint: String,
    },
    /// Two tools have one name.
    #[error("tools file, {pointer}: a tool before is called {name:?} already; names must differ")]
    Duplicate {
        /// Where the second one stands, as a JSON pointer.
        pointer: String,
        /// The full name.
        name: String,
    },
    /// A limit was met.
    #[error("tools file: {0}")]
    Limit(#[from] LimitError),
}

impl ToolsError {
    /// The JSON pointer of the place, where there is one.
    pub fn pointer(&self) -> Option<&str> {
        match self {
            Self::Json { .. } | Self::Limit(_) => None,
            Self::Shape { pointer, .. }
            | Self::Name { pointer, .. }
            | Self::Unread { pointer, .. }
            | Self::Duplicate { pointer, .. } => Some(pointer),
        }
    }
}

/// Why a format could not be compiled for a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChatError {
    /// The format's grammar is at fault, or has no such start rule.
    #[error("format `{format}`: {errors}")]
    Abnf {
        /// The format's name.
        format: String,
        /// What is wrong, with places.
        errors: AbnfErrors,
    },
    /// The rule `control-token` is something else.
    #[error("format `{format}`: rule `control-token` must be a quoted string, or one of a few")]
    ControlToken {
        /// The format's name.
        format: String,
    },
    /// A prose-val of the format says what cannot be.
    #[error("format `{format}`, {place}: `<{prose}>`: {reason}")]
    Prose {
        /// The format's name.
        format: String,
        /// The prose-val.
        prose: String,
        /// Where it stands.
        place: LineColumn,
        /// What is wrong, and what would be right.
        reason: String,
    },
    /// A tool's parameters are refused.
    #[error("tool `{name}`, parameters at {pointer}: {source}")]
    Tool {
        /// The tool's full name.
        name: String,
        /// Where its parameters stand in the tools file.
        pointer: String,
        /// What is wrong; its pointers start at the parameters.
        source: Box<SchemaError>,
    },
    /// The response schema is refused.
    #[error("response schema: {source}")]
    Response {
        /// What is wrong.
        source: Box<SchemaError>,
    },
    /// No JSON can be written in this format.
    #[error("format `{format}`: JSON: {source}")]
    Json {
        /// The format's name.
        format: String,
        /// What is wrong.
        source: Box<SchemaError>,
    },
    /// The tool choice names a tool that was not given.
    #[error(
        "the tool choice names `{name}`, which is not among the tools{}",
        given(known)
    )]
    UnknownTool {
        /// The name.
        name: String,
        /// The full names of those that were given.
        known: Vec<String>,
    },
    /// The tool choice demands a call, and there are no tools.
    #[error(
        "the tool choice demands a call, but no tools are given; give some, or choose `auto` or `none`"
    )]
    NoTools,
    /// The tool choice demands a call, and the format has none.
    #[error("the tool choice demands a call, but format `{format}` has no tool calls")]
    NoCalls {
        /// The format's name.
        format: String,
    },
    /// The request asks for what the format has not.
    #[error("format `{format}` does not have {feature}; {}", listed(has))]
    Lacks {
        /// The format's name.
        format: String,
        /// What is asked for.
        feature: Feature,
        /// What the format has of the like.
        has: Vec<Feature>,
    },
    /// The request sets a flag that the format does not ask for.
    #[error("format `{format}` asks for no flag `{flag}`; {}", asked(known))]
    Flag {
        /// The format's name.
        format: String,
        /// The flag.
        flag: String,
        /// The flags that it asks for and no other option says.
        known: Vec<String>,
    },
    /// The request sets a flag of which other options of it say whether it holds.
    #[error("`{flag}` is no flag to set: other options of the request say whether it holds")]
    SaidFlag {
        /// The flag.
        flag: String,
    },
    /// An id that no call can have.
    #[error("{id:?} cannot be a call id; it is 1 to 64 of ASCII letters, digits, `_` and `-`")]
    CallId {
        /// The id.
        id: String,
    },
    /// A name that no open call can have.
    #[error(
        "{name:?} cannot be the name of an open call; it is visible ASCII without `<`, quotes and \
         backslashes"
    )]
    OpenCall {
        /// The name.
        name: String,
    },
    /// The built-in tools are over a limit.
    #[error("built-in tools: {0}")]
    BuiltIns(#[from] ToolsError),
    /// Nothing can be generated under the options of the request.
    #[error("format `{format}`: rule `{start}` admits no text under these options: {source}")]
    Empty {
        /// The format's name.
        format: String,
        /// The start rule.
        start: String,
        /// What cannot end.
        source: Box<GrammarError>,
    },
    /// A limit, or another fault of the grammar as a whole.
    #[error("format `{format}`: {source}")]
    Grammar {
        /// The format's name.
        format: String,
        /// What is wrong.
        source: Box<GrammarError>,
    },
}

fn listed(has: &[Feature]) -> String {
    match has {
        [] => "it has nothing of the like".to_owned(),
        has => {
            let names: Vec<_> = has.iter().map(Feature::to_string).collect();
            format!("it has {}", names.join(", "))
        }
    }
}

fn asked(known: &[String]) -> String {
    match known {
        [] => "it has no flags".to_owned(),
        known => format!("its flags are {}", known.join(", ")),
    }
}

fn given(known: &[String]) -> String {
    match known {
        [] => "; none are given".to_owned(),
        known => format!(": {}", known.join(", ")),
    }
}
