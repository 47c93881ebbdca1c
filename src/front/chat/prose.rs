//! The prose-vals of chat formats: what stands between angle brackets.

use super::condition::Condition;
use super::tools::{Family, Tool};
use crate::front::json_schema::{JsonType, ValueForm};

/// What a prose-val of a chat format says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prose<'a> {
    /// `<text>`: text that spells no control token; `<content>` and `<reasoning>` are the same, with a role.
    Text,
    /// `<line>`: the same, without line breaks.
    Line,
    /// `<escaped-text>`: text in which a control token is spelt with its first byte doubled only.
    EscapedText,
    /// `<text-without rule>`: text that holds none of the strings of that rule.
    TextWithout(&'a str),
    /// `<text-but rule>`, `<lines-but rule>`, `<escaped-text-but rule>`: the same, and no control
    /// token either; lines begin after a line feed, which counts.
    TextBut(&'a str),
    LinesBut(&'a str),
    EscapedTextBut(&'a str),
    /// `<text-ending-but rule>`, `<text-ending-but rule others>`: the same as `<text>`, ends in none of the characters of that rule,
    /// and has none of the strings of the other.
    TextEndingBut(&'a str, Option<&'a str>),
    /// `<name-but rule>`: letters, digits, `_`, `-` and dots that are none of the strings of that rule.
    NameBut(&'a str),
    /// `<content rule>`, `<reasoning rule>`, `<text rule>`: what that rule reads, with a role.
    Within(&'a str),
    /// `<longest rule>`: as much of what that rule reads as there is.
    Longest(&'a str),
    /// `<tool.code name>`, `<tool.code name rule>`: what the built-in tool `name` takes: text, or what that rule reads.
    ToolCode(&'a str, Option<&'a str>),
    /// `<tool.name>`, `<tool.short-name>`, `<function.name>`, `<built-in.name>`.
    Name(Names),
    /// `<tool.name-but rule>`, `<tool.short-name-but rule>`: the same, and none of the strings of that rule.
    NameOtherThan(Names, &'a str),
    /// `<tool.arguments>`.
    ToolArguments,
    /// `<tool.arguments-string>`: the same as JSON within a string of JSON.
    ToolArgumentsString,
    /// `<parameters rule>`, `<parameters rule separator>`: the arguments one by one, each as the rule says.
    Parameters(&'a str, Option<&'a str>),
    /// `<parameter.name>`, `<parameter.name identifier>`.
    ParameterName(NameForm),
    /// `<parameter.value>`, `<parameter.value form>`.
    ParameterValue(ValueProse),
    /// `<parameter.value-but rule>`: the first of them without the strings of that rule.
    ParameterValueBut(&'a str),
    /// `<parameter.value-ending-but rule>`: the first form to readers, whose strings end in none of the characters of that rule.
    ParameterValueEndingBut(&'a str),
    /// `<parameter.value-quoted rule>`: any value, its strings as they are between two of the control token that is that rule.
    ParameterValueQuoted(&'a str),
    /// `<call-id>`, `<id pattern>`, `<counter>`, `<counter first>`.
    Id(IdForm<'a>),
    /// `<open-call-id>`, `<open-call-name>`.
    OpenCallId,
    OpenCallName,
    /// `<first-open-call-name>`.
    FirstOpenCallName,
    /// `<bos>`, `<eos>`: the base model's tokens around a sequence.
    Begin,
    End,
    /// `<space>`: white space between the tokens of JSON.
    Space,
    /// `<json>`: any JSON value.
    Json,
    /// `<response>`: what the response schema admits.
    Response,
    /// `<if condition>` and `<unless condition>`: nothing to read, if it holds; else no way on.
    Guard(Condition<'a>, Sense),
    /// `<once mark>`, `<after mark>`, `<before mark>`.
    Mark(MarkUse, &'a str),
}

/// What ids are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IdForm<'a> {
    /// Letters, digits, `_` and `-`.
    Free,
    /// Of this pattern.
    Pattern(&'a str),
    /// The number of the call in the turn, counted from this one.
    Counter(u32),
}

/// Which names parameters may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameForm {
    /// Any that is told from what follows it.
    Any,
    /// Identifiers of Python.
    Identifier,
}

/// How a parameter's value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ValueProse {
    pub(super) form: ValueForm,
}

impl ValueProse {
    /// A string as it is, anything else as JSON.
    pub(super) const RAW: Self = Self {
        form: ValueForm::Raw,
    };

    fn named(name: &str) -> Option<Self> {
        let form = match name {
            "raw" => ValueForm::Raw,
            "string" => ValueForm::String,
            "json" => ValueForm::Json,
            "python" => ValueForm::Python,
            "other" => ValueForm::Other,
            "null" => ValueForm::Typed(JsonType::Null),
            "boolean" => ValueForm::Typed(JsonType::Boolean),
            "number" => ValueForm::Typed(JsonType::Number),
            "array" => ValueForm::Typed(JsonType::Array),
            "object" => ValueForm::Typed(JsonType::Object),
            _ => return None,
        };
        Some(Self { form })
    }
}

/// Which names of tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    /// Of all tools, in full.
    All,
    /// Of all tools, without the namespace `functions.`.
    Short,
    /// Of functions of the request, in full.
    Functions,
    /// Of built-in tools, in full.
    BuiltIns,
}

impl Names {
    /// The name of `tool` among these, if it has one.
    pub(super) fn of(self, tool: &Tool) -> Option<&str> {
        match (self, tool.family()) {
            (Self::Short, _) => Some(tool.short_name()),
            (Self::All, _)
            | (Self::Functions, Family::Function)
            | (Self::BuiltIns, Family::BuiltIn) => Some(tool.name()),
            _ => None,
        }
    }
}

/// Whether a condition must hold or must not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    If,
    Unless,
}

/// What is done with a mark, which lasts from a rule's beginning to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MarkUse {
    /// Passes where the mark is not set, and sets it.
    Once,
    /// Passes where it is set.
    After,
    /// Passes where it is not set.
    Before,
}

/// The words that a prose-val may begin with, for error messages.
pub(super) const KNOWN: [&str; 54] = [
    "text",
    "content",
    "reasoning",
    "line",
    "escaped-text",
    "text-without RULE",
    "text-but RULE",
    "content-but RULE",
    "content-lines-but RULE",
    "reasoning-but RULE",
    "lines-but RULE",
    "escaped-text-but RULE",
    "text-ending-but RULE",
    "content-ending-but RULE",
    "reasoning-ending-but RULE",
    "name-but RULE",
    "text RULE",
    "content RULE",
    "reasoning RULE",
    "longest RULE",
    "tool.code TOOL",
    "tool.code TOOL RULE",
    "tool.name",
    "tool.short-name",
    "tool.name-but RULE",
    "tool.short-name-but RULE",
    "function.name",
    "built-in.name",
    "tool.arguments",
    "tool.arguments-string",
    "parameters RULE",
    "parameter.name",
    "parameter.value",
    "parameter.value FORM",
    "parameter.value-but RULE",
    "parameter.value-ending-but RULE",
    "parameter.value-quoted RULE",
    "call-id",
    "id PATTERN",
    "counter",
    "counter FIRST",
    "open-call-id",
    "open-call-name",
    "first-open-call-name",
    "json",
    "response",
    "space",
    "bos",
    "eos",
    "if FLAG",
    "unless FLAG",
    "once MARK",
    "after MARK",
    "before MARK",
];

impl<'a> Prose<'a> {
    /// Reads the text between the brackets; `None` where it says nothing known.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let Some((verb, object)) = text.split_once(' ') else {
            return Some(match text {
                "text" | "content" | "reasoning" => Self::Text,
                "line" => Self::Line,
                "escaped-text" => Self::EscapedText,
                "tool.name" => Self::Name(Names::All),
                "tool.short-name" => Self::Name(Names::Short),
                "function.name" => Self::Name(Names::Functions),
                "built-in.name" => Self::Name(Names::BuiltIns),
                "tool.arguments" => Self::ToolArguments,
                "tool.arguments-string" => Self::ToolArgumentsString,
                "parameter.name" => Self::ParameterName(NameForm::Any),
                "parameter.value" => Self::ParameterValue(ValueProse::RAW),
                "call-id" => Self::Id(IdForm::Free),
                "counter" => Self::Id(IdForm::Counter(0)),
                "open-call-id" => Self::OpenCallId,
                "open-call-name" => Self::OpenCallName,
                "first-open-call-name" => Self::FirstOpenCallName,
                "json" => Self::Json,
                "response" => Self::Response,
                "space" => Self::Space,
                "bos" => Self::Begin,
                "eos" => Self::End,
                _ => return None,
            });
        };
        Some(match verb {
            "text" | "content" | "reasoning" => Self::Within(object),
            "longest" => Self::Longest(object),
            "tool.code" => {
                let (tool, rule) = two(object);
                Self::ToolCode(tool, rule)
            }
            "text-without" => Self::TextWithout(object),
            "lines-but" | "content-lines-but" => Self::LinesBut(object),
            "text-but" | "content-but" | "reasoning-but" => Self::TextBut(object),
            "text-ending-but" | "content-ending-but" | "reasoning-ending-but" => {
                let (rule, others) = two(object);
                Self::TextEndingBut(rule, others)
            }
            "parameters" => {
                let (rule, separator) = two(object);
                Self::Parameters(rule, separator)
            }
            "parameter.name" if object == "identifier" => Self::ParameterName(NameForm::Identifier),
            "parameter.value" => Self::ParameterValue(ValueProse::named(object)?),
            "id" => Self::Id(IdForm::Pattern(object)),
            "counter" => Self::Id(IdForm::Counter(object.parse().ok()?)),
            "tool.name-but" => Self::NameOtherThan(Names::All, object),
            "tool.short-name-but" => Self::NameOtherThan(Names::Short, object),
            "parameter.value-but" => Self::ParameterValueBut(object),
            "parameter.value-ending-but" => Self::ParameterValueEndingBut(object),
            "parameter.value-quoted" => Self::ParameterValueQuoted(object),
            "escaped-text-but" => Self::EscapedTextBut(object),
            "name-but" => Self::NameBut(object),
            "if" => Self::Guard(Condition::named(object)?, Sense::If),
            "unless" => Self::Guard(Condition::named(object)?, Sense::Unless),
            "once" => Self::Mark(MarkUse::Once, object),
            "after" => Self::Mark(MarkUse::After, object),
            "before" => Self::Mark(MarkUse::Before, object),
            _ => return None,
        })
    }
}

/// A word, and what stands behind it.
fn two(object: &str) -> (&str, Option<&str>) {
    match object.split_once(' ') {
        None => (object, None),
        Some((first, second)) => (first, Some(second)),
    }
}

/// What is wrong with a prose-val that says nothing known.
pub(super) fn fault(text: &str) -> Option<String> {
    if Prose::parse(text).is_some() {
        return None;
    }
    let flags = || {
        let names: Vec<_> = Condition::names().collect();
        format!("flags that every request has: {}", names.join(", "))
    };
    Some(match text.split_once(' ') {
        Some(("if" | "unless", name)) => match Condition::meant_by(name) {
            Some(meant) => format!("did you mean `{meant}`? {}", flags()),
            None => format!("`{name}` is no name of a flag; {}", flags()),
        },
        _ => format!("it is none of <{}>", KNOWN.join(">, <")),
    })
}
