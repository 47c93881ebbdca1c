//! What is wrong with a grammar in Lark, or odd about it, and where.

use crate::base::{self, LimitError, LineColumn, Report, Reports};
use crate::front::json_schema::SchemaError;
use crate::grammar::GrammarError;
use crate::regular::PatternErrorKind;

/// What is wrong with a grammar in Lark.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LarkErrorKind {
    /// The text does not follow the syntax.
    #[error("expected {expected}, found {found}")]
    Syntax {
        /// What may stand here.
        expected: &'static str,
        /// What stands here.
        found: String,
    },
    /// A string or a pattern is not closed on its line.
    #[error("expected {expected} before the end of the line")]
    Unterminated {
        /// The closing mark.
        expected: &'static str,
    },
    /// An escape that does not exist, or is malformed.
    #[error("`{escape}` is no escape in a string")]
    Escape {
        /// The escape as written.
        escape: String,
    },
    /// A range whose ends are no two characters in order.
    #[error("a range goes from one character to one that does not come before it")]
    Range,
    /// A repetition that asks for more than it allows.
    #[error("the repetition is empty: at least {min} and at most {max}")]
    ReversedRepetition {
        /// The least number of times.
        min: u32,
        /// The greatest number of times.
        max: u32,
    },
    /// A name is defined twice.
    #[error("`{name}` is already defined at {first}")]
    Duplicate {
        /// The name.
        name: String,
        /// Where it is defined first.
        first: LineColumn,
    },
    /// A template has the name of another template or of a rule.
    #[error("`{name}` is defined more than once")]
    TemplateAgain {
        /// The name.
        name: String,
    },
    /// A template is used with other arguments than it takes, or what is none is used like one.
    #[error("`{name}` takes {takes} arguments in braces, found {given}")]
    Arguments {
        /// The name.
        name: String,
        /// How many arguments it takes.
        takes: usize,
        /// How many there are.
        given: usize,
    },
    /// A name that is not defined.
    #[error("`{name}` is not defined")]
    Undefined {
        /// The name.
        name: String,
    },
    /// The grammar has no rule of the start rule's name.
    #[error("there is no rule `{name}` to start from")]
    UnknownStart {
        /// The name asked for.
        name: String,
    },
    /// A terminal that leads to itself.
    #[error("terminal `{name}` leads to itself: terminals do not recur")]
    RecursiveTerminal {
        /// The terminal.
        name: String,
    },
    /// A terminal has what only rules may have.
    #[error("{what} cannot stand in a terminal")]
    InTerminal {
        /// What it has.
        what: &'static str,
    },
    /// What the notation has and is not supported.
    #[error("{what} is not supported: {why}")]
    Unsupported {
        /// What it is, as it is written.
        what: String,
        /// Why not.
        why: &'static str,
    },
    /// What follows a directive is not the JSON that it takes.
    #[error("{0}")]
    Json(String),
    /// A schema is refused.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// A pattern is refused.
    #[error(transparent)]
    Pattern(#[from] PatternErrorKind),
    /// The grammar as a whole cannot be used.
    #[error(transparent)]
    Grammar(#[from] GrammarError),
    /// A limit was met.
    #[error(transparent)]
    Limit(#[from] LimitError),
}

/// What is odd about a grammar that can be used nevertheless.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LarkWarningKind {
    /// The start rule does not lead to this rule or terminal.
    #[error("`{name}` is never used")]
    Unused {
        /// The name.
        name: String,
    },
    /// A rule that no text belongs to: alternatives that need it are left out.
    #[error("`{name}` can never end: no text belongs to it")]
    Endless {
        /// The name.
        name: String,
    },
    /// A priority: it tells a lexer which terminal to take, and changes no text's membership.
    #[error("the priority changes no text: all terminals that match are taken")]
    Priority,
    /// An option that changes no text's membership.
    #[error("`{option}` changes no text: it is left out")]
    IdleOption {
        /// The option's name.
        option: String,
    },
    /// A lazy quantifier: which match is the first changes no text's membership.
    #[error(
        "a lazy quantifier takes as much as a greedy one: a terminal is any text that matches as a whole"
    )]
    LazyQuantifier,
    /// llguidance's way of saying in a schema how its values are spelt.
    #[error(
        "`x-guidance` is not read: values are spelt as the options of the request say (white space, order of keys)"
    )]
    Guidance,
}

/// An error in a grammar, with its place.
pub type LarkError = Report<LarkErrorKind>;

/// Everything wrong with a grammar, in the order of the text; never empty.
pub type LarkErrors = Reports<LarkErrorKind>;

/// A warning about a grammar, with its place.
pub type LarkWarning = Report<LarkWarningKind>;

/// A report before its place in the text is looked up.
pub(super) type Fault<K = LarkErrorKind> = base::Fault<K>;

/// The faults found so far.
pub(super) type Faults = base::Faults<LarkErrorKind>;
