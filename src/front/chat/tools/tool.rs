//! A tool, as it was read.

/// The namespace of the functions of a request.
pub(super) const FUNCTIONS: &str = "functions.";
/// What a function without parameters takes.
pub(super) const EMPTY_OBJECT: &str =
    r#"{"type":"object","properties":{},"additionalProperties":false}"#;

/// A tool that the model may call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    pub(super) name: String,
    pub(super) family: Family,
    pub(super) pointer: String,
    pub(super) description: Option<String>,
    /// The schema of its arguments, as prompts show it.
    pub(super) parameters: Option<String>,
    pub(super) arguments: Arguments,
}

/// Whose tool it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// A function of the request, in the namespace `functions`.
    Function,
    /// A tool of the formats' own, which has a namespace of its own.
    BuiltIn,
}

/// What the arguments of a tool may be.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Arguments {
    /// Any JSON object (`"strict": false`).
    AnyObject,
    /// What this JSON Schema, as text, admits.
    Schema(String),
}

impl Tool {
    /// The full name, by which a model addresses the tool: `functions.get_weather`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What its arguments may be.
    pub fn arguments(&self) -> &Arguments {
        &self.arguments
    }

    /// The name as the request has it, without a namespace: `get_weather`. A built-in tool keeps its
    /// own namespace: `browser.search`.
    pub fn short_name(&self) -> &str {
        match self.family {
            Family::Function => &self.name[FUNCTIONS.len()..],
            Family::BuiltIn => &self.name,
        }
    }

    /// What it does, in the words of the request.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Where its parameters, or else the tool itself, stand in the tools file: a JSON pointer
    /// (RFC 6901) as a URI fragment.
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    pub(crate) fn family(&self) -> Family {
        self.family
    }
}
