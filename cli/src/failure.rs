//! What went wrong with the input, and how it is shown: one clear error, with a caret where there is a place.

use std::ops::Range;
use std::path::Path;

use anstyle::AnsiColor;
use ariadne::{Config, IndexType, Label, Report, ReportKind, Source};
use maskwright::base::LineColumn;

use super::json::JsonError;
use super::output::{self, Shown, WARNING, brief};

/// Lines longer than this are shown as an excerpt around the place.
const LONG_LINE: usize = 160;
/// Begins files that some editors write, and is no part of JSON or of a rank file.
const BYTE_ORDER_MARK: char = '\u{feff}';
/// How much of a long line is shown on each side of the place, in bytes.
const EXCERPT: usize = 60;

/// Why a command could not do its work.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input is bad.
    Input(Box<BadInput>),
    /// Writing the output failed.
    Output(std::io::Error),
}

/// One error in the input.
#[derive(Debug)]
pub(crate) struct BadInput {
    message: String,
    place: Option<Place>,
    hint: Option<String>,
    /// Other errors of the same input.
    also: Vec<BadInput>,
}

/// What a message says of the input.
#[derive(Clone, Copy, Debug)]
enum Severity {
    Error,
    Warning,
}

impl Severity {
    fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }

    fn colour(self) -> ariadne::Color {
        match self {
            Self::Error => ariadne::Color::Red,
            Self::Warning => ariadne::Color::Yellow,
        }
    }

    fn style(self) -> anstyle::Style {
        match self {
            Self::Error => AnsiColor::Red.on_default().bold(),
            Self::Warning => WARNING,
        }
    }

    fn heading(self, message: &str) -> String {
        let (style, word) = (self.style(), self.word());
        format!("{style}{word}{style:#}: {}", Shown(message))
    }
}

/// A place in a text that was read.
#[derive(Debug)]
struct Place {
    name: String,
    text: String,
    span: Range<usize>,
    /// Lines that stand before `text` in the file.
    lines_before: usize,
}

impl Failure {
    /// An error without a place in a text.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self::Input(Box::new(BadInput {
            message: message.into(),
            place: None,
            hint: None,
            also: Vec::new(),
        }))
    }

    /// An error at `span` (in bytes) of `text`, which is called `name`.
    pub(crate) fn at(
        message: impl Into<String>,
        name: impl Into<String>,
        text: impl Into<String>,
        span: Range<usize>,
    ) -> Self {
        let place = Place {
            name: name.into(),
            text: text.into(),
            span,
            lines_before: 0,
        };
        Self::Input(Box::new(BadInput {
            message: message.into(),
            place: Some(place),
            hint: None,
            also: Vec::new(),
        }))
    }

    /// An error in a JSON text called `name`.
    pub(crate) fn json(error: JsonError, name: impl Into<String>, text: impl Into<String>) -> Self {
        Self::at(
            format!("malformed JSON: {}", error.message),
            name,
            text,
            error.span,
        )
    }

    /// A file that could not be read.
    pub(crate) fn io(path: &Path, error: &std::io::Error) -> Self {
        Self::new(format!("{}: {error}", path.display()))
    }

    /// Says what to do about it, behind what was said of that before.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        if let Self::Input(bad) = &mut self {
            let hint = hint.into();
            bad.hint = Some(match bad.hint.take() {
                Some(before) => format!("{before}; {hint}"),
                None => hint,
            });
        }
        self
    }

    /// Shows it on stderr, as what is odd about the input and stops nothing.
    pub(crate) fn warn(&self) {
        match self {
            Self::Input(bad) => anstream::eprint!("{}", bad.render(Severity::Warning)),
            Self::Output(error) => output::warn(error),
        }
    }

    /// The error in one line, without colours.
    pub(crate) fn line(&self) -> String {
        match self {
            Self::Input(bad) => bad.line(),
            Self::Output(error) => error.to_string(),
        }
    }

    /// The same error, with another of the same input after it.
    pub(crate) fn also(mut self, other: Self) -> Self {
        if let (Self::Input(bad), Self::Input(other)) = (&mut self, other) {
            bad.also.push(*other);
        }
        self
    }

    /// The text given is not the start of its file: `lines` lines stand before it.
    pub(crate) fn after_lines(mut self, lines: usize) -> Self {
        if let Self::Input(bad) = &mut self
            && let Some(place) = &mut bad.place
        {
            place.lines_before = lines;
        }
        self
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Output(error)
    }
}

impl BadInput {
    /// The error as shown to a person, coloured.
    pub(crate) fn error(&self) -> String {
        self.render(Severity::Error)
    }

    fn render(&self, severity: Severity) -> String {
        let mut out = match &self.place {
            Some(place) => place.render(&brief(&self.message), severity),
            None => format!("{}\n", severity.heading(&brief(&self.message))),
        };
        if let Some(hint) = self.hint.as_deref().or(self.hint_of_mark()) {
            out.push_str(&format!("hint: {}\n", Shown(&brief(hint))));
        }
        for bad in &self.also {
            out.push_str(&bad.render(severity));
        }
        out
    }

    /// What helps where the file begins with what nobody sees.
    fn hint_of_mark(&self) -> Option<&'static str> {
        let place = self.place.as_ref()?;
        let at_mark = place.lines_before == 0
            && place.span.start < BYTE_ORDER_MARK.len_utf8()
            && place.text.starts_with(BYTE_ORDER_MARK);
        at_mark.then_some("the file begins with a byte order mark, U+FEFF: save it without")
    }

    /// The error in one line, without colours.
    pub(crate) fn line(&self) -> String {
        let place = self.place.as_ref().map(Place::prefix).unwrap_or_default();
        format!("{place}{}", brief(&self.message))
    }
}

impl Place {
    /// `name:line:column: `.
    fn prefix(&self) -> String {
        let at = LineColumn::of(&self.text, self.span.start);
        format!(
            "{}:{}:{}: ",
            self.name,
            self.lines_before + at.line,
            at.column
        )
    }

    fn render(&self, message: &str, severity: Severity) -> String {
        let heading = severity.heading(&format!("{}{message}", self.prefix()));
        let (shown, span) = excerpt(&self.text, &self.span);
        // In its margin stands what number a line has among those that it is given.
        let at = LineColumn::of(&self.text, self.span.start);
        let before = self.lines_before + at.line - 1;
        let source = Source::from("\n".repeat(before) + &shown);
        let span = span.start + before..span.end + before;
        let report = Report::build(
            ReportKind::Custom(severity.word(), severity.colour()),
            span.clone(),
        )
        .with_config(
            Config::default()
                .with_index_type(IndexType::Char)
                .with_compact(true),
        )
        .with_label(
            Label::new(span)
                .with_message("here")
                .with_color(severity.colour()),
        )
        .finish();
        let mut out = Vec::new();
        match report.write(source, &mut out) {
            // The report's first two lines are its kind and its place, of which the heading says more.
            Ok(()) => {
                let body = String::from_utf8_lossy(&out);
                let body = body.splitn(3, '\n').nth(2).unwrap_or_default();
                format!("{heading}\n{body}")
            }
            Err(_) => format!("{heading}\n"),
        }
    }
}

/// The line at `span`, or the middle of one that is too long for a screen, and where `span` is in it, in
/// characters. Each character is one that shows and breaks no line.
fn excerpt(text: &str, span: &Range<usize>) -> (String, Range<usize>) {
    let start = floor_boundary(text, span.start.min(text.len()));
    let line_start = text[..start].rfind('\n').map_or(0, |i| i + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |i| start + i);
    let (from, to) = match line_end - line_start <= LONG_LINE {
        true => (line_start, line_end),
        false => (
            floor_boundary(text, start.saturating_sub(EXCERPT).max(line_start)),
            floor_boundary(text, (start + EXCERPT).min(line_end)),
        ),
    };
    let end = floor_boundary(text, span.end.clamp(start, to));
    let characters = |range: Range<usize>| text[range].chars().count();
    let first = characters(from..start);
    let shown = text[from..to].trim_end_matches('\r').chars().map(visible);
    (shown.collect(), first..first + characters(start..end))
}

/// The character, or one in its stead.
fn visible(c: char) -> char {
    match c {
        '\t' => c,
        '\u{7f}' => '\u{2421}',
        // The control pictures stand in the order of what they picture.
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(c),
        '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | BYTE_ORDER_MARK => {
            char::REPLACEMENT_CHARACTER
        }
        c => c,
    }
}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(failure: &Failure) -> String {
        let Failure::Input(bad) = failure else {
            panic!("{failure:?}")
        };
        anstream::adapter::strip_str(&bad.error()).to_string()
    }

    #[test]
    fn shows_place_and_caret() {
        let shown = plain(&Failure::at(
            "no such rule",
            "g.abnf",
            "a = b\nc = d\n",
            10..11,
        ));
        assert!(
            shown.starts_with("error: g.abnf:2:5: no such rule\n"),
            "{shown}"
        );
        assert!(shown.contains(" 2 │c = d\n"), "{shown}");
        assert!(shown.contains("here"), "{shown}");
    }

    #[test]
    fn shows_what_would_not_stand_still() {
        let text = "a\r\n\u{1b}]0;\u{7f}\u{2028}b\rc\r\n";
        let shown = plain(&Failure::at("bad \u{1b}", "t", text, 7..8));
        let lines: Vec<_> = shown.lines().collect();
        assert_eq!(lines[0], "error: t:2:5: bad \\u{1b}");
        assert_eq!(lines[1], " 2 │␛]0;␡\u{fffd}b␍c");
        assert!(lines[2].starts_with("   │    ╰─ here"), "{shown}");
    }

    #[test]
    fn counts_the_lines_before() {
        let shown = plain(
            &Failure::at("bad", "x.jsonl", "{]", 1..2)
                .after_lines(41)
                .hint("fix it"),
        );
        assert!(shown.starts_with("error: x.jsonl:42:2: bad\n"), "{shown}");
        assert!(shown.contains(" 42 │{]\n"), "{shown}");
        assert!(shown.ends_with("hint: fix it\n"), "{shown}");
    }

    #[test]
    fn cuts_long_lines() {
        let text = format!("{}é{}", "x".repeat(5000), "y".repeat(5000));
        let shown = plain(&Failure::at("bad", "long", &text, 5000..5002));
        assert!(shown.starts_with("error: long:1:5001: bad\n"), "{shown}");
        assert!(shown.len() < 1000, "{shown}");
    }

    #[test]
    fn survives_places_at_the_end() {
        for text in ["", "a", "a\n", "é"] {
            plain(&Failure::at(
                "ends too soon",
                "t",
                text,
                text.len()..text.len() + 5,
            ));
        }
    }
}
