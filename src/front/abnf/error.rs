//! What is wrong with a grammar, where, and what would be right.

use std::fmt;

use crate::base::{LimitError, LineColumn, Span};
use crate::grammar::GrammarError;

/// How many errors of one grammar are reported at most.
const MOST_ERRORS: usize = 64;
/// How many characters of a source line are shown.
const EXCERPT_WIDTH: usize = 120;

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
    /// A quoted string or a prose-val holds something other than printable ASCII.
    #[error("expected printable ASCII characters, found {found:?}")]
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

/// A message about a place in a grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report<K> {
    kind: K,
    span: Span,
    place: LineColumn,
    hint: Option<String>,
    excerpt: Excerpt,
}

impl<K> Report<K> {
    /// What it is about.
    pub fn kind(&self) -> &K {
        &self.kind
    }

    /// The bytes of the source text it is about.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Where it begins.
    pub fn place(&self) -> LineColumn {
        self.place
    }

    /// What would be right, where that can be told.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    pub(super) fn new(fault: Fault<K>, source: &str) -> Self {
        Self {
            kind: fault.kind,
            span: fault.span,
            place: fault.span.line_column(source),
            hint: fault.hint,
            excerpt: Excerpt::of(source, fault.span),
        }
    }
}

impl<K: fmt::Display> Report<K> {
    /// The message for people: `file:line:column: message`, the source line, a line with carets
    /// under the place, and the hint.
    pub fn display<'a>(&'a self, file: &'a str) -> impl fmt::Display + 'a {
        InFile { file, report: self }
    }
}

/// A report that names its file.
struct InFile<'a, K> {
    file: &'a str,
    report: &'a Report<K>,
}

impl<K: fmt::Display> fmt::Display for InFile<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.report)
    }
}

impl<K: fmt::Display> fmt::Display for Report<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.place, self.kind)?;
        write!(f, "{}", self.excerpt)?;
        if let Some(hint) = &self.hint {
            write!(f, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}

impl<K: fmt::Debug + fmt::Display> std::error::Error for Report<K> {}

/// A part of a source line and which of its characters are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Excerpt {
    text: String,
    before: usize,
    marked: usize,
}

impl Excerpt {
    /// The line on which `span` begins, cut to a bounded width around it.
    fn of(source: &str, span: Span) -> Self {
        let start = char_boundary(source, span.start);
        let line_start = source[..start].rfind('\n').map_or(0, |i| i + 1);
        let line_end = source[start..]
            .find(['\r', '\n'])
            .map_or(source.len(), |i| start + i);
        let end = char_boundary(source, span.end).clamp(start, line_end);
        let skipped = source[line_start..start]
            .chars()
            .count()
            .saturating_sub(EXCERPT_WIDTH / 2);
        let printable = |c: char| if c.is_control() { ' ' } else { c };
        let line = source[line_start..line_end].chars().map(printable);
        let text: String = line.skip(skipped).take(EXCERPT_WIDTH).collect();
        let before = source[line_start..start].chars().count() - skipped;
        let marked = source[start..end].chars().count();
        Self {
            marked: marked.clamp(1, EXCERPT_WIDTH - before),
            text,
            before,
        }
    }
}

/// The last boundary between characters up to `offset`.
fn char_boundary(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len()))
        .rfind(|&at| text.is_char_boundary(at))
        .unwrap_or(0)
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  {}", self.text)?;
        write!(
            f,
            "  {:before$}{:^<marked$}",
            "",
            "",
            before = self.before,
            marked = self.marked
        )
    }
}

/// Everything wrong with a grammar, in the order of the text; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbnfErrors(Vec<AbnfError>);

impl AbnfErrors {
    pub(super) fn one(fault: Fault, source: &str) -> Self {
        Self(vec![Report::new(fault, source)])
    }

    /// The errors, in the order of the text.
    pub fn iter(&self) -> std::slice::Iter<'_, AbnfError> {
        self.0.iter()
    }
}

impl fmt::Display for AbnfErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            error.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for AbnfErrors {}

/// A report before its place in the text is looked up.
#[derive(Clone, Debug)]
pub(super) struct Fault<K = AbnfErrorKind> {
    pub(super) kind: K,
    pub(super) span: Span,
    pub(super) hint: Option<String>,
}

impl<K> Fault<K> {
    pub(super) fn new(kind: impl Into<K>, span: Span) -> Self {
        Self {
            kind: kind.into(),
            span,
            hint: None,
        }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// The faults found so far; beyond a number only the first are kept.
#[derive(Debug, Default)]
pub(super) struct Faults(Vec<Fault>);

impl Faults {
    pub(super) fn push(&mut self, fault: Fault) {
        if self.0.len() < MOST_ERRORS {
            self.0.push(fault);
        }
    }

    /// Nothing if all is well, else every fault with its place in `source`.
    pub(super) fn finish(mut self, source: &str) -> Result<(), AbnfErrors> {
        if self.0.is_empty() {
            return Ok(());
        }
        self.0.sort_by_key(|fault| fault.span.start);
        Err(AbnfErrors(
            self.0
                .into_iter()
                .map(|fault| Report::new(fault, source))
                .collect(),
        ))
    }
}
