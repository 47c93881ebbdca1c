//! What is wrong with a grammar in EBNF, or odd about it, and where.

use crate::base::{self, LimitError, LineColumn, Report, Reports};
use crate::grammar::GrammarError;
use crate::regular::PatternErrorKind;

/// What is wrong with a grammar in EBNF.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EbnfErrorKind {
    /// The text does not follow the syntax.
    #[error("expected {expected}, found {found}")]
    Syntax {
        /// What may stand here.
        expected: &'static str,
        /// What stands here.
        found: String,
    },
    /// A string, a class, a token or a comment is not closed.
    #[error("expected {expected} before the end of the {within}")]
    Unterminated {
        /// The closing mark.
        expected: &'static str,
        /// What ends first.
        within: &'static str,
    },
    /// An escape that does not exist, or is malformed.
    #[error("`{escape}` is no escape here")]
    Escape {
        /// The escape as written.
        escape: String,
    },
    /// A number that is no character.
    #[error("{spelling} is no character")]
    NoCharacter {
        /// The number as written.
        spelling: String,
    },
    /// `[]`, which no character is in.
    #[error("this class has no character in it")]
    EmptyClass,
    /// A range whose end comes before its start.
    #[error("the range is empty: {first:?} comes after {last:?}")]
    ReversedRange {
        /// The first character.
        first: char,
        /// The last character.
        last: char,
    },
    /// A repetition that asks for more than it allows.
    #[error("the repetition is empty: at least {min} and at most {max}")]
    ReversedRepetition {
        /// The least number of times.
        min: u32,
        /// The greatest number of times.
        max: u32,
    },
    /// A rule is defined twice.
    #[error("rule `{name}` is already defined at {first}")]
    DuplicateRule {
        /// The rule.
        name: String,
        /// Where it is defined first.
        first: LineColumn,
    },
    /// A name that no rule has.
    #[error("rule `{name}` is not defined")]
    UndefinedRule {
        /// The name.
        name: String,
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
    /// What a dialect has and is not supported.
    #[error("{what} is not supported: {why}")]
    Unsupported {
        /// What it is, as it is written.
        what: String,
        /// Why not.
        why: &'static str,
    },
    /// A pattern within the grammar is refused.
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
pub enum EbnfWarningKind {
    /// The start rule does not lead to this rule.
    #[error("rule `{name}` is never used")]
    UnusedRule {
        /// The rule.
        name: String,
    },
    /// A rule that no text belongs to: alternatives that need it are left out.
    #[error("rule `{name}` can never end: no text belongs to it")]
    EndlessRule {
        /// The rule.
        name: String,
    },
    /// An escape that dialects read differently.
    #[error("`{escape}` is two digits here, as in GBNF: the rest is text")]
    LongEscape {
        /// The escape with the digits that follow.
        escape: String,
    },
    /// `#x41` where a comment may have been meant.
    #[error("`{text}` is a character here, as in W3C's EBNF, and no comment")]
    CharacterOrComment {
        /// What is written.
        text: String,
    },
    /// An assertion about what follows a rule: XGrammar reads it for its masks only.
    #[error("the assertion `(=…)` changes no text: it is left out")]
    IdleAssertion,
    /// An option of a rule that changes no text's membership.
    #[error("`{option}` changes no text: it is left out")]
    IdleOption {
        /// The option's name.
        option: String,
    },
}

/// An error in a grammar, with its place.
pub type EbnfError = Report<EbnfErrorKind>;

/// Everything wrong with a grammar, in the order of the text; never empty.
pub type EbnfErrors = Reports<EbnfErrorKind>;

/// A warning about a grammar, with its place.
pub type EbnfWarning = Report<EbnfWarningKind>;

/// A report before its place in the text is looked up.
pub(super) type Fault<K = EbnfErrorKind> = base::Fault<K>;

/// The faults found so far.
pub(super) type Faults = base::Faults<EbnfErrorKind>;
