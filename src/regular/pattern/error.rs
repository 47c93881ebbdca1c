//! Why a pattern is refused, and where.

use crate::base::{LimitError, Span};

/// A pattern was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct PatternError {
    /// Why.
    pub kind: PatternErrorKind,
    /// Where, in bytes of the pattern.
    pub span: Span,
}

/// Why a pattern was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternErrorKind {
    /// `\1`, `\k<name>`: such a language need not be regular.
    #[error("back-references are not supported: the language would not be regular")]
    BackReference,
    /// `(?=…(?<=…)…)` and the like.
    #[error("look-behind within look-ahead is not supported")]
    LookBehindInLookAhead,
    /// `(?<=…(?=…)…)` and the like.
    #[error("look-ahead within look-behind is not supported")]
    LookAheadInLookBehind,
    /// `(?i)`, `(?i:…)`: ECMA-262 patterns carry no flags.
    #[error("inline flags are not part of an ECMA-262 pattern; spell the alternatives out")]
    InlineFlags,
    /// `(?>…)`, `(?P<…`, `(?#…)` and the like, from other dialects.
    #[error(
        "this group is not part of ECMA-262; `(?:…)`, `(?<name>…)`, `(?=…)`, `(?!…)`, `(?<=…)` and `(?<!…)` are"
    )]
    UnknownGroup,
    /// `(?<1>…)`: the name is no identifier.
    #[error("a group's name must be an identifier followed by `>`")]
    GroupName,
    /// `(` without `)`.
    #[error("this group is not closed")]
    UnclosedGroup,
    /// `)` without `(`.
    #[error("this `)` closes no group")]
    UnopenedGroup,
    /// `[` without `]`.
    #[error("this class is not closed")]
    UnclosedClass,
    /// `*` and the like at the start, or after a quantifier or an assertion.
    #[error("there is nothing to repeat before this quantifier")]
    NothingToRepeat,
    /// `{2,1}`.
    #[error("the quantifier's bounds are out of order")]
    QuantifierOrder,
    /// `[z-a]`.
    #[error("the range's bounds are out of order")]
    RangeOrder,
    /// `\A`, `\h` and the like, from other dialects.
    #[error("this escape is not part of ECMA-262")]
    UnknownEscape,
    /// `\x4`, `\u12`, `\u{110000}`, `\c1`.
    #[error(
        "this escape is malformed: `\\xHH`, `\\uHHHH`, `\\u{{H…}}` up to 10FFFF, `\\cA`, `\\p{{…}}`"
    )]
    MalformedEscape,
    /// `\01`, `\7` where there are not so many groups.
    #[error("octal escapes are not supported; write `\\xHH`")]
    OctalEscape,
    /// A `\` at the end.
    #[error("the pattern ends within an escape")]
    TrailingBackslash,
    /// `\p{Nope}`.
    #[error("no such Unicode property")]
    UnknownProperty,
    /// Groups nested too deep, or too many states.
    #[error(transparent)]
    Limit(#[from] LimitError),
}

impl PatternErrorKind {
    pub(super) fn at(self, start: usize, end: usize) -> PatternError {
        PatternError {
            kind: self,
            span: Span::new(start, end),
        }
    }
}
