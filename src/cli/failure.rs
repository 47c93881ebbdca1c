//! What went wrong with the input, and how it is shown: one clear error, with a caret where there is a place.

use std::ops::Range;
use std::path::Path;

use ariadne::{Config, IndexType, Label, Report, ReportKind, Source};
use maskwright::base::LineColumn;

use super::json::JsonError;

/// Lines longer than this are shown as an excerpt around the place.
const LONG_LINE: usize = 160;
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

    /// Says what to do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        if let Self::Input(bad) = &mut self {
            bad.hint = Some(hint.into());
        }
        self
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
    pub(crate) fn render(&self) -> String {
        let mut out = match &self.place {
            Some(place) => place.render(&self.message),
            None => format!("{}\n", heading(&self.message)),
        };
        if let Some(hint) = &self.hint {
            out.push_str(&format!("hint: {hint}\n"));
        }
        self.also.iter().for_each(|bad| out.push_str(&bad.render()));
        out
    }

    /// The error in one line, without colours.
    pub(crate) fn line(&self) -> String {
        let place = self.place.as_ref().map(Place::prefix).unwrap_or_default();
        format!("{place}{}", self.message)
    }
}

fn heading(message: &str) -> String {
    let style = anstyle::AnsiColor::Red.on_default().bold();
    format!("{style}error{style:#}: {message}")
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

    fn render(&self, message: &str) -> String {
        let at = LineColumn::of(&self.text, self.span.start);
        let message = format!("{}{message}", self.prefix());
        let (shown, range) = excerpt(&self.text, &self.span);
        let span = (self.name.as_str(), range);
        let mut out = Vec::new();
        let report = Report::build(
            ReportKind::Custom("error", ariadne::Color::Red),
            span.clone(),
        )
        .with_config(
            Config::default()
                .with_index_type(IndexType::Byte)
                .with_compact(true),
        )
        .with_label(
            Label::new(span)
                .with_message("here")
                .with_color(ariadne::Color::Red),
        )
        .finish();
        let lines_shown = self.lines_before
            + if shown.len() < self.text.len() {
                at.line - 1
            } else {
                0
            };
        let source = Source::from(shown).with_display_line_offset(lines_shown);
        match report.write((self.name.as_str(), source), &mut out) {
            // The report's first line repeats the kind and has no message: the heading says more.
            Ok(()) => {
                let body = String::from_utf8_lossy(&out);
                let body = body.split_once('\n').map_or("", |(_, body)| body);
                format!("{}\n{body}", heading(&message))
            }
            Err(_) => format!("{}\n", heading(&message)),
        }
    }
}

/// What of `text` to show: all of it, or the middle of a line that is too long for a screen.
fn excerpt<'t>(text: &'t str, span: &Range<usize>) -> (&'t str, Range<usize>) {
    let start = floor_boundary(text, span.start.min(text.len()));
    let line_start = text[..start].rfind('\n').map_or(0, |i| i + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |i| start + i);
    let end = floor_boundary(text, span.end.clamp(start, line_end));
    if line_end - line_start <= LONG_LINE {
        return (text, start..end);
    }
    let from = floor_boundary(text, start.saturating_sub(EXCERPT).max(line_start));
    let to = floor_boundary(text, (start + EXCERPT).min(line_end));
    (&text[from..to], start - from..end.clamp(start, to) - from)
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
        anstream::adapter::strip_str(&bad.render()).to_string()
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
        assert!(shown.contains("c = d"), "{shown}");
        assert!(shown.contains("here"), "{shown}");
    }

    #[test]
    fn counts_the_lines_before() {
        let shown = plain(
            &Failure::at("bad", "x.jsonl", "{]", 1..2)
                .after_lines(41)
                .hint("fix it"),
        );
        assert!(shown.starts_with("error: x.jsonl:42:2: bad\n"), "{shown}");
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
