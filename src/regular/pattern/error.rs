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
    /// `(?L)`, `(?-u)`, `(?b:…)`: flags that no pattern over texts has, or none at all.
    #[error("no such flag: `i`, `s`, `m` and `x` are supported")]
    InlineFlags,
    /// `(?R)`, `(?1)`, `(?&name)`, `(?P>name)`: such a language need not be regular.
    #[error("recursion is not supported: the language would not be regular")]
    Recursion,
    /// `(?(1)…)`: it depends on what a group has matched.
    #[error("conditional groups are not supported; write the alternatives out")]
    Conditional,
    /// `(*SKIP)`, `(*UTF8)` and the like.
    #[error("control verbs are not supported")]
    Verb,
    /// `(?>a|ab)c`, `a++a`: what is left of the language without backtracking is something else.
    #[error(
        "an atomic group or possessive quantifier changes the language here, or cannot be seen not to, which is not supported; write `(?:…)` without it"
    )]
    Atomic,
    /// `(?~…)` and the like.
    #[error("no such group: `(?:…)`, `(?<name>…)`, `(?=…)`, `(?!…)`, `(?<=…)` and `(?<!…)` are")]
    UnknownGroup,
    /// `(?<1>…)`: the name is no identifier.
    #[error("a group's name must be an identifier followed by `>`")]
    GroupName,
    /// `(?<n>a)(?<n>b)`: two groups of one name that may both match.
    #[error("another group has this name; only different alternatives may have groups of one name")]
    RepeatedGroupName,
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
    /// `\y`, `\G` and the like.
    #[error("no such escape, or none that is supported")]
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

impl PatternError {
    /// The limit, where a compile took more than [`Limits::work`](crate::base::Limits::work): that says nothing of the pattern.
    pub(crate) fn out_of_work(&self) -> Option<&LimitError> {
        match &self.kind {
            PatternErrorKind::Limit(limit) if limit.is_of_work() => Some(limit),
            _ => None,
        }
    }

    /// The error for people: what is wrong, and below it the pattern with carets at the place.
    ///
    /// ```
    /// use maskwright::{base::Limits, regular::Dfa};
    /// let pattern = r"^(a)\1$";
    /// let error = Dfa::pattern(pattern, &Limits::default()).unwrap_err();
    /// assert!(error.shown(pattern).ends_with("\n  ^(a)\\1$\n      ^^"));
    /// ```
    pub fn shown(&self, pattern: &str) -> String {
        format!("{self}\n{}", self.excerpt(pattern))
    }

    /// The pattern, or what of a long one stands around the place, and a line with carets below it.
    pub fn excerpt(&self, pattern: &str) -> String {
        /// So much of a long pattern is shown on either side.
        const AROUND: usize = 40;
        let chars: Vec<(usize, char)> = pattern.char_indices().collect();
        let at = |byte: usize| chars.partition_point(|&(place, _)| place < byte);
        let (start, end) = (at(self.span.start), at(self.span.end));
        let from = start.saturating_sub(AROUND);
        let to = (start + AROUND).min(chars.len());
        let printable = |&(_, c): &(usize, char)| if c.is_control() { ' ' } else { c };
        let text: String = chars[from..to].iter().map(printable).collect();
        let dots = |cut: bool| if cut { "…" } else { "" };
        let (before, after) = (dots(from > 0), dots(to < chars.len()));
        let indent = " ".repeat(start - from + before.chars().count());
        let carets = "^".repeat(end.min(to).saturating_sub(start).max(1));
        format!("  {before}{text}{after}\n  {indent}{carets}")
    }
}

impl PatternErrorKind {
    /// Whether the pattern means something that is not supported; otherwise it is malformed or meets a limit.
    #[must_use]
    pub fn is_unsupported(&self) -> bool {
        matches!(
            self,
            Self::BackReference
                | Self::LookBehindInLookAhead
                | Self::LookAheadInLookBehind
                | Self::Recursion
                | Self::Conditional
                | Self::Verb
                | Self::Atomic
                | Self::OctalEscape
        )
    }

    /// The construct that is at fault, in the words of its users: `back-reference`, `group`. None of a limit.
    ///
    /// ```
    /// use maskwright::{base::Limits, regular::Dfa};
    /// let error = Dfa::pattern(r"^(a)\1$", &Limits::default()).unwrap_err();
    /// assert_eq!(error.kind.construct(), Some("back-reference"));
    /// ```
    #[must_use]
    pub fn construct(&self) -> Option<&'static str> {
        Some(match self {
            Self::BackReference => "back-reference",
            Self::LookBehindInLookAhead => "look-behind",
            Self::LookAheadInLookBehind => "look-ahead",
            Self::InlineFlags => "flag",
            Self::Recursion => "recursion",
            Self::Conditional => "conditional group",
            Self::Verb => "control verb",
            Self::Atomic => "atomic group",
            Self::UnknownGroup
            | Self::GroupName
            | Self::RepeatedGroupName
            | Self::UnclosedGroup
            | Self::UnopenedGroup => "group",
            Self::UnclosedClass | Self::RangeOrder => "class",
            Self::NothingToRepeat | Self::QuantifierOrder => "quantifier",
            Self::UnknownEscape
            | Self::MalformedEscape
            | Self::OctalEscape
            | Self::TrailingBackslash => "escape",
            Self::UnknownProperty => "property",
            Self::Limit(_) => return None,
        })
    }

    pub(super) fn at(self, start: usize, end: usize) -> PatternError {
        PatternError {
            kind: self,
            span: Span::new(start, end),
        }
    }
}
