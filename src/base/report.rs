//! Messages about places in a source text: an error or a warning with a line, a column and carets.

use std::fmt;

use super::{LineColumn, Span};

/// How many errors of one text are reported at most.
const MOST_ERRORS: usize = 64;
/// How many characters of a source line are shown.
const EXCERPT_WIDTH: usize = 120;

/// A message about a place in a source text.
///
/// `Display` writes `line:column: message`, the source line and a caret line; [`Report::display`] adds
/// the file's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report<K>(Box<Parts<K>>);

/// The parts of a report, on the heap: a result that is mostly good need not be as large as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Parts<K> {
    kind: K,
    span: Span,
    place: LineColumn,
    hint: Option<String>,
    excerpt: Excerpt,
}

impl<K> Report<K> {
    /// What it is about.
    pub fn kind(&self) -> &K {
        &self.0.kind
    }

    /// The bytes of the source text it is about.
    pub fn span(&self) -> Span {
        self.0.span
    }

    /// Where it begins.
    pub fn place(&self) -> LineColumn {
        self.0.place
    }

    /// Two lines for people: a part of the line, and carets below the place.
    pub fn excerpt(&self) -> String {
        self.0.excerpt.to_string()
    }

    /// What would be right, where that can be told.
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    pub(crate) fn new(fault: Fault<K>, source: &str) -> Self {
        Self(Box::new(Parts {
            kind: fault.kind,
            span: fault.span,
            place: fault.span.line_column(source),
            hint: fault.hint,
            excerpt: Excerpt::of(source, fault.span),
        }))
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
        let report = &self.0;
        writeln!(f, "{}: {}", report.place, report.kind)?;
        write!(f, "{}", report.excerpt)?;
        if let Some(hint) = &report.hint {
            write!(f, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}

impl<K: fmt::Debug + fmt::Display> std::error::Error for Report<K> {}

/// What stands in a text, in back quotes and cut short, for a message.
pub(crate) fn quoted(text: &str) -> String {
    const WIDTH: usize = 32;
    let mut quoted = String::from("`");
    for c in text.chars().take(WIDTH) {
        match c.is_control() {
            true => quoted.extend(c.escape_default()),
            false => quoted.push(c),
        }
    }
    if text.chars().nth(WIDTH).is_some() {
        quoted.push('…');
    }
    quoted.push('`');
    quoted
}

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

/// Everything wrong with a source text, in its order; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reports<K>(Vec<Report<K>>);

impl<K> Reports<K> {
    /// One report alone.
    pub(crate) fn one(fault: Fault<K>, source: &str) -> Self {
        Self(vec![Report::new(fault, source)])
    }

    /// The reports, in the order of the text.
    pub fn iter(&self) -> std::slice::Iter<'_, Report<K>> {
        self.0.iter()
    }
}

impl<K: fmt::Display> fmt::Display for Reports<K> {
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

impl<K: fmt::Debug + fmt::Display> std::error::Error for Reports<K> {}

/// A report before its place in the text is looked up.
#[derive(Clone, Debug)]
pub(crate) struct Fault<K> {
    pub(crate) kind: K,
    pub(crate) span: Span,
    pub(crate) hint: Option<String>,
}

impl<K> Fault<K> {
    pub(crate) fn new(kind: impl Into<K>, span: Span) -> Self {
        Self {
            kind: kind.into(),
            span,
            hint: None,
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// The faults found so far; beyond a number only the first are kept.
#[derive(Debug)]
pub(crate) struct Faults<K>(Vec<Fault<K>>);

impl<K> Default for Faults<K> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K> Faults<K> {
    /// Whether a further one would be kept: else it need not be made.
    pub(crate) fn has_room(&self) -> bool {
        self.0.len() < MOST_ERRORS
    }

    pub(crate) fn push(&mut self, fault: Fault<K>) {
        if self.has_room() {
            self.0.push(fault);
        }
    }

    /// Nothing if all is well, else every fault with its place in `source`.
    pub(crate) fn finish(mut self, source: &str) -> Result<(), Reports<K>> {
        if self.0.is_empty() {
            return Ok(());
        }
        self.0.sort_by_key(|fault| fault.span.start);
        let reports = self.0.into_iter().map(|fault| Report::new(fault, source));
        Err(Reports(reports.collect()))
    }
}
