//! Regular expressions: the texts that a pattern matches as a whole.
//!
//! Syntax and meaning are those of a [`Dialect`]; hosts mostly mean [`DIALECT`]. A match takes the whole text, as Python's
//! `re.fullmatch` has it, so `^` at the beginning and `$` at the end change nothing.

use crate::base::{Fault, LimitError, Limits, Report, RuleId, Span};
use crate::grammar::{Grammar, GrammarBuilder, GrammarError};
use crate::regular::{Dialect, Pattern, PatternError, PatternErrorKind};

/// Whose syntax a regular expression of a host is in, where nothing else is said: Python's, as vLLM judges it.
pub const DIALECT: Dialect = Dialect::Python;

/// A regular expression was refused; `Display` writes the place, the line and carets.
pub type RegexError = Report<RegexErrorKind>;

/// Why a regular expression was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegexErrorKind {
    /// It is malformed, or uses what is not supported.
    #[error(transparent)]
    Pattern(#[from] PatternErrorKind),
    /// It matches no text at all, as `a$b`.
    #[error("no text matches this regular expression as a whole")]
    NoText,
    /// A limit was met.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// The grammar cannot be used.
    #[error(transparent)]
    Grammar(#[from] GrammarError),
}

/// The grammar of the texts that `pattern`, in the syntax of `dialect`, matches as a whole.
///
/// # Errors
/// Where the pattern is malformed, uses what is not supported, matches no text, or meets a limit.
///
/// ```
/// use maskwright::{base::Limits, front::regex};
/// assert!(regex::compile("[0-9]{3}-[0-9]{4}", regex::DIALECT, &Limits::default()).is_ok());
/// let error = regex::compile("a$b", regex::DIALECT, &Limits::default()).unwrap_err();
/// assert!(error.to_string().starts_with("1:1: no text matches"));
/// ```
pub fn compile(pattern: &str, dialect: Dialect, limits: &Limits) -> Result<Grammar, RegexError> {
    let mut builder = GrammarBuilder::new(limits.clone());
    let root = lower_into(&mut builder, pattern, dialect)?;
    builder
        .finish(root)
        .map_err(|error| whole(RegexErrorKind::Grammar(error), pattern))
}

/// Adds a rule for the texts that `pattern`, in the syntax of `dialect`, matches as a whole.
///
/// # Errors
/// As [`compile`].
pub fn lower_into(
    builder: &mut GrammarBuilder,
    pattern: &str,
    dialect: Dialect,
) -> Result<RuleId, RegexError> {
    lower_flagged(builder, pattern, (dialect, ""))
}

/// The same, with flags that hold for the whole pattern.
///
/// # Errors
/// As [`compile`].
pub(crate) fn lower_flagged(
    builder: &mut GrammarBuilder,
    pattern: &str,
    (dialect, flags): (Dialect, &str),
) -> Result<RuleId, RegexError> {
    let limits = builder.limits();
    let dfa = Pattern::parse_flagged(pattern, dialect, flags, limits)
        .and_then(|pattern| pattern.whole(limits))
        .map_err(|error| refused(error, pattern))?;
    if dfa.is_empty() {
        return Err(whole(RegexErrorKind::NoText, pattern));
    }
    let rule = builder.declare("regex");
    builder.define_regular(rule, &dfa);
    Ok(rule)
}

/// What is wrong in `pattern`, with what may be written instead.
fn refused(error: PatternError, pattern: &str) -> RegexError {
    let is_reference = error.kind == PatternErrorKind::BackReference;
    let mut fault = Fault::new(error.kind, error.span);
    if is_reference {
        fault = fault.hint("write out, as alternatives, each text that the group may match");
    }
    Report::new(fault, pattern)
}

/// An error about all of `pattern`.
fn whole(kind: RegexErrorKind, pattern: &str) -> RegexError {
    Report::new(Fault::new(kind, Span::new(0, pattern.len())), pattern)
}
