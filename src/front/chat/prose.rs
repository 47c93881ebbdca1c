//! The prose-vals of chat formats: what stands between angle brackets.

use super::condition::Condition;

/// What a prose-val of a chat format says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prose<'a> {
    /// `<text>`: text that spells no control token.
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
    /// `<name-but rule>`: letters, digits, `_`, `-` and dots that are none of the strings of that rule.
    NameBut(&'a str),
    /// `<tool.name>`, `<tool.short-name>`, `<function.name>`, `<built-in.name>`.
    Name(Names),
    /// `<tool.arguments>`.
    ToolArguments,
    /// `<call-id>`.
    CallId,
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
pub(super) const KNOWN: [&str; 27] = [
    "text",
    "line",
    "escaped-text",
    "text-without RULE",
    "text-but RULE",
    "lines-but RULE",
    "escaped-text-but RULE",
    "name-but RULE",
    "tool.name",
    "tool.short-name",
    "function.name",
    "built-in.name",
    "tool.arguments",
    "call-id",
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
                "text" => Self::Text,
                "line" => Self::Line,
                "escaped-text" => Self::EscapedText,
                "tool.name" => Self::Name(Names::All),
                "tool.short-name" => Self::Name(Names::Short),
                "function.name" => Self::Name(Names::Functions),
                "built-in.name" => Self::Name(Names::BuiltIns),
                "tool.arguments" => Self::ToolArguments,
                "call-id" => Self::CallId,
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
            "text-without" => Self::TextWithout(object),
            "lines-but" => Self::LinesBut(object),
            "text-but" => Self::TextBut(object),
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
