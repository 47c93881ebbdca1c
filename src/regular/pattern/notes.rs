//! What in a pattern is of another dialect, and what to write instead.

use crate::base::Span;

/// Something in a pattern that its dialect has not, or has with another meaning than it seems.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternNote {
    /// What it is.
    pub kind: PatternNoteKind,
    /// Where, in bytes of the pattern.
    pub span: Span,
}

/// What is of another dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum PatternNoteKind {
    /// `(?i)`, or `(?i:…)` where the dialect has no such flag.
    InlineFlags,
    /// `\A`, `\z`, `\Z`.
    TextAnchor,
    /// `(?P<n>…)`, `(?'n'…)`.
    GroupName,
    /// `(?#…)`, and comments under the flag `x`.
    Comment,
    /// `(?>…)`, `a++`.
    Atomic,
    /// `(?|…)`.
    BranchReset,
    /// `\pL`.
    ShortProperty,
    /// `\x{41}`, `\h`, `\Q…\E` and the like.
    Escape,
    /// `[[:alpha:]]` where classes do not nest.
    PosixClass,
    /// `&&`, or `--` and a class, in a class where these are characters.
    ClassOperator,
    /// `{,3}` where that is text.
    OpenQuantifier,
    /// `/…/i` where slashes are text.
    Slashes,
}

impl PatternNoteKind {
    /// Whether it is read as it is meant in the other dialect; otherwise it has the meaning that its own
    /// dialect gives it, which is likely not meant.
    pub fn is_read(self) -> bool {
        self < Self::PosixClass
    }

    /// What is so, in a few words.
    pub fn message(self) -> &'static str {
        match self {
            Self::InlineFlags => "inline flags are of another dialect and are read as there",
            Self::TextAnchor => {
                "`\\A`, `\\z` and `\\Z` are of another dialect and are read as there"
            }
            Self::GroupName => "a group named in this way is of another dialect",
            Self::Comment => "a comment is of another dialect and is skipped",
            Self::Atomic => {
                "an atomic group or possessive quantifier is of another dialect; it is read where the language is the same without it"
            }
            Self::BranchReset => "`(?|…)` is of another dialect and is read as `(?:…)`",
            Self::ShortProperty => "`\\pL` is of another dialect and is read as `\\p{L}`",
            Self::Escape => "this escape is of another dialect and is read as there",
            Self::PosixClass => "`[:…:]` is a class of these characters here, not a POSIX class",
            Self::ClassOperator => {
                "`&&` and `--[` in a class are characters here, not an intersection or a difference"
            }
            Self::OpenQuantifier => "`{,n}` is text here, not a quantifier",
            Self::Slashes => {
                "the slashes and what stands behind them are text, not delimiters and flags"
            }
        }
    }

    /// What to write instead.
    pub fn hint(self) -> &'static str {
        match self {
            Self::InlineFlags => "write `(?i:…)` around what is meant, or spell both cases out",
            Self::TextAnchor => "write `^` for `\\A` and `$` for `\\z` and `\\Z`",
            Self::GroupName => "write `(?<name>…)`",
            Self::Comment => "leave it out",
            Self::Atomic => "write `(?:…)`, and the quantifier without the second `+`",
            Self::BranchReset => "write `(?:…)`",
            Self::ShortProperty => "write `\\p{L}`",
            Self::Escape => "write the characters, or `\\u{…}`",
            Self::PosixClass => "write `[A-Za-z]` for `[[:alpha:]]`, or read the pattern as PCRE",
            Self::ClassOperator => "write the class out, or use a look-ahead: `(?=[…])[…]`",
            Self::OpenQuantifier => "write `{0,n}`, or read the pattern as Python or PCRE",
            Self::Slashes => "leave the slashes out, and write flags as `(?i:…)`",
        }
    }
}
