//! What is wrong with a grammar, where, and what would be right.

use crate::base::{self, LimitError, LineColumn, Report, Reports};
use crate::grammar::GrammarError;

/// What is wrong with a grammar.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AbnfErrorKind {
    /// The text does not follow RFC 5234, section 4.
    #[error("expected {expected}, found {found}")]
    Syntax {
        /// What may stand here.
        expected: &'static str,
        /// What stands here.
        found: String,
    },
    /// A quoted string or a prose-val is not closed on its line.
    #[error("expected {expected} before the end of the line")]
    Unterminated {
        /// The closing mark.
        expected: &'static str,
    },
    /// A quoted string holds a control character, or a prose-val something other than printable ASCII.
    #[error("expected printable characters, in a prose-val of ASCII, found {found:?}")]
    NotPrintable {
        /// The character.
        found: char,
    },
    /// A rule starts left of the first one.
    #[error("expected a rule in column {expected}, as the first one, found one in column {found}")]
    Indentation {
        /// The column of the first rule, from 1.
        expected: usize,
        /// The column of this one, from 1.
        found: usize,
    },
    /// A code point beyond U+10FFFF.
    #[error("{spelling} is beyond the last code point, U+10FFFF")]
    BeyondUnicode {
        /// The number as written.
        spelling: String,
    },
    /// A surrogate, which UTF-8 cannot spell.
    #[error("U+{value:04X} is a surrogate, which is no character")]
    Surrogate {
        /// The code point.
        value: u32,
    },
    /// A byte beyond 255.
    #[error("{spelling} is beyond the last byte, %xFF")]
    BeyondByte {
        /// The number as written.
        spelling: String,
    },
    /// A range whose end comes before its start.
    #[error("the range is empty: its first value {first:#X} is greater than its last, {last:#X}")]
    ReversedRange {
        /// The first value.
        first: u32,
        /// The last value.
        last: u32,
    },
    /// A repetition that asks for more than it allows.
    #[error("the repetition is empty: at least {min} and at most {max}")]
    ReversedRepetition {
        /// The least number of times.
        min: u32,
        /// The greatest number of times.
        max: u32,
    },
    /// A rule is defined twice with `=`.
    #[error("rule `{name}` is already defined at {first}")]
    DuplicateRule {
        /// The rule.
        name: String,
        /// Where it is defined first.
        first: LineColumn,
    },
    /// `=/` adds to a rule that is not defined above it.
    #[error("`=/` adds to rule `{name}`, which is not defined above")]
    ExtendsUndefined {
        /// The rule.
        name: String,
    },
    /// A name that no rule has.
    #[error("rule `{name}` is not defined")]
    UndefinedRule {
        /// The name.
        name: String,
    },
    /// A rule derives itself without consuming anything.
    #[error(
        "rule `{name}` leads to itself without consuming anything{}",
        via(path)
    )]
    EmptyCycle {
        /// The rule.
        name: String,
        /// The other rules on the way, in order.
        path: Vec<String>,
    },
    /// A rule that no finite text satisfies.
    #[error(
        "rule `{name}` can never end: it always leads back to itself{}",
        via(path)
    )]
    Unproductive {
        /// The rule.
        name: String,
        /// The other rules on the way, in order.
        path: Vec<String>,
    },
    /// A prose-val that neither names a rule nor is bound by the caller.
    #[error(
        "`<{name}>` names no rule and nothing known; known: {}",
        known_prose(known)
    )]
    UnboundProse {
        /// The text between the angle brackets.
        name: String,
        /// What the caller binds.
        known: Vec<String>,
    },
    /// The grammar has no rule of the start rule's name.
    #[error("there is no rule `{name}` to start from")]
    UnknownStart {
        /// The name asked for.
        name: String,
    },
    /// The text holds no rule.
    #[error("expected a rule, found none")]
    NoRules,
    /// The grammar as a whole cannot be used, as bound by the caller.
    #[error(transparent)]
    Grammar(#[from] GrammarError),
    /// A limit was met.
    #[error(transparent)]
    Limit(#[from] LimitError),
}

fn via(path: &[String]) -> String {
    if path.is_empty() {
        return String::new();
    }
    format!(" (by `{}`)", path.join("`, `"))
}

fn known_prose(known: &[String]) -> String {
    if known.is_empty() {
        return "none".to_owned();
    }
    format!("<{}>", known.join(">, <"))
}

/// What is odd about a grammar that can be used nevertheless.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AbnfWarningKind {
    /// No start rule leads to this rule.
    #[error("rule `{name}` is never used")]
    UnusedRule {
        /// The rule.
        name: String,
    },
    /// Ranges that spell UTF-8 or 8-bit text byte by byte, where numbers are code points.
    #[error(
        "this looks like a range of bytes, as in a grammar over octets, but numbers are code points here"
    )]
    Octets,
    /// A comment that looks like a pragma but is none.
    #[error("`{text}` has no effect")]
    IdlePragma {
        /// The pragma as written.
        text: String,
    },
}

/// An error in a grammar, with its place.
///
/// `Display` writes `line:column: message`, the source line and a caret line;
/// [`Report::display`] adds the file's name.
pub type AbnfError = Report<AbnfErrorKind>;

/// A warning about a grammar, with its place.
pub type AbnfWarning = Report<AbnfWarningKind>;

/// Everything wrong with a grammar, in the order of the text; never empty.
pub type AbnfErrors = Reports<AbnfErrorKind>;

/// A report before its place in the text is looked up.
pub(super) type Fault<K = AbnfErrorKind> = base::Fault<K>;

/// The faults found so far.
pub(super) type Faults = base::Faults<AbnfErrorKind>;
