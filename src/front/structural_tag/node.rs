//! A structural tag, read: a tree of nodes.

use super::style::Style;
use crate::grammar::TokenName;

/// What stands in the place of a text.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// Exactly this text.
    Const(String),
    /// A JSON value.
    Json(Json),
    /// Any text.
    AnyText(AnyText),
    /// A text that a regular expression matches as a whole.
    Regex {
        pattern: String,
        pointer: String,
    },
    /// A text of an EBNF grammar.
    Ebnf {
        grammar: String,
        pointer: String,
    },
    Sequence(Vec<Node>),
    Or(Vec<Node>),
    /// So many of the same, at least and at most.
    Repeat {
        content: Box<Node>,
        least: u32,
        most: Option<u32>,
    },
    Tag(Tag),
    Triggered(Triggered),
    Separated {
        tags: Vec<Tag>,
        separator: String,
        count: Count,
    },
    /// One token.
    Token(TokenName),
    /// So many tokens, at least and at most, that are none of these.
    TokensBut {
        excluded: Vec<TokenName>,
        least: u32,
        most: Option<u32>,
    },
}

#[derive(Clone, Debug)]
pub(super) struct Json {
    /// The schema as JSON text.
    pub(super) schema: String,
    /// How arguments are written, where not as JSON.
    pub(super) style: Option<Style>,
    pub(super) any_order: bool,
    /// At most so many characters of white space between two tokens of JSON.
    pub(super) most_space: Option<u32>,
    /// What no string spells in plain characters.
    pub(super) excludes: Vec<String>,
    pub(super) pointer: String,
}

#[derive(Clone, Debug)]
pub(super) struct AnyText {
    pub(super) excludes: Vec<String>,
    pub(super) most_characters: Option<u32>,
}

/// A content between two marks.
#[derive(Clone, Debug)]
pub(super) struct Tag {
    pub(super) begin: Mark,
    pub(super) content: Box<Node>,
    /// Any one of them ends it; an empty text means that it may also stop without one.
    pub(super) ends: Vec<Mark>,
    pub(super) pointer: String,
}

/// A text, or one token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Text(String),
    Token(TokenName),
}

/// Free text, in which a trigger begins something else.
#[derive(Clone, Debug)]
pub(super) struct Triggered {
    pub(super) triggers: Vec<Trigger>,
    pub(super) free: Free,
    pub(super) count: Count,
}

/// A trigger, and what may follow it.
#[derive(Clone, Debug)]
pub(super) struct Trigger {
    pub(super) mark: Mark,
    pub(super) then: Then,
}

#[derive(Clone, Debug)]
pub(super) enum Then {
    /// The tags whose beginning starts with the trigger.
    Tags(Vec<Tag>),
    /// A node of its own.
    Node(Box<Node>),
}

/// What stands between the things that triggers begin.
#[derive(Clone, Debug)]
pub(super) enum Free {
    /// Text without these strings.
    TextBut(Vec<String>),
    /// Tokens other than these.
    TokensBut(Vec<TokenName>),
}

/// How often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    /// As often as the model likes, perhaps never.
    Any,
    /// Once at once, and again if the model likes.
    AtLeastOne,
    /// Never or once.
    AtMostOne,
    /// Exactly once, at once.
    One,
}

impl Count {
    pub(super) fn new(at_least_one: bool, stop_after_first: bool) -> Self {
        match (at_least_one, stop_after_first) {
            (false, false) => Self::Any,
            (true, false) => Self::AtLeastOne,
            (false, true) => Self::AtMostOne,
            (true, true) => Self::One,
        }
    }

    pub(super) fn must(self) -> bool {
        matches!(self, Self::AtLeastOne | Self::One)
    }

    pub(super) fn again(self) -> bool {
        matches!(self, Self::Any | Self::AtLeastOne)
    }
}
