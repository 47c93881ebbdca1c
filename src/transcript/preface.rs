//! OpenChatML's YAML document header: found and passed over, its version read.

use super::control::{ControlToken, Cursor, Mark};
use super::error::TranscriptError;
use crate::base::Span;

/// Takes the document header, if there is one, up to the first `<|start|>` in column 0.
///
/// The header quotes control tokens, so nothing else ends it.
pub(super) fn take_preface(cursor: &mut Cursor<'_>) -> Result<Option<Span>, TranscriptError> {
    let text = &cursor.source.text;
    let mut version = None;
    let mut has_content = false;
    let mut at = 0;
    while !starts_message(cursor, at) {
        let rest = &text[at..];
        let Some(length) = rest.find('\n') else {
            return Err(cut_line(cursor, at, has_content));
        };
        let line = Span::new(at, at + length);
        if let Some(value) = check_line(&text[line.start..line.end], line)? {
            version = Some(value);
        }
        has_content |= !text[line.start..line.end].trim().is_empty();
        at = line.end + 1;
    }
    cursor.at = at;
    let span = Span::new(0, at);
    if !has_content {
        return Ok(None);
    }
    if version.is_none() {
        return Err(
            TranscriptError::header(span, "a document header without a version")
                .with_hint("version: 2.2"),
        );
    }
    Ok(Some(span))
}

/// Whether a message starts at `at`, white space before it included.
fn starts_message(cursor: &Cursor<'_>, at: usize) -> bool {
    matches!(
        cursor.source.mark_at(at),
        Some((Mark::Control(ControlToken::Start), _))
    )
}

/// The error for an input that ends in the line at `at`.
fn cut_line(cursor: &Cursor<'_>, at: usize, has_content: bool) -> TranscriptError {
    let text = &cursor.source.text;
    let line = &text[at..];
    let key = line.split(':').next().unwrap_or_default();
    if cursor.source.is_cut_at(at) || is_layout(line) || is_key(key) {
        let place = if has_content {
            "within the document header"
        } else {
            "before any message"
        };
        return TranscriptError::truncated(text.len(), place);
    }
    not_yaml(line, Span::new(at, text.len()))
}

/// Checks a line of the header; gives the value of `version:`.
fn check_line(line: &str, span: Span) -> Result<Option<()>, TranscriptError> {
    if is_layout(line) {
        return Ok(None);
    }
    let Some((key, value)) = line.split_once(':').filter(|(key, _)| is_key(key)) else {
        return Err(not_yaml(line, span));
    };
    if key.trim() != "version" {
        return Ok(None);
    }
    let value = value.split('#').next().unwrap_or_default();
    let value = value.trim().trim_matches(['"', '\'']);
    match value.split('.').next().unwrap_or_default().parse::<u32>() {
        Ok(1 | 2) => Ok(Some(())),
        Ok(_) => Err(TranscriptError::header(
            span,
            format!("version {value} is not OpenChatML 2.x"),
        )
        .with_hint("versions 1 and 2 can be read")),
        Err(_) => Err(
            TranscriptError::header(span, format!("{value:?} is no version"))
                .with_hint("version: 2.2"),
        ),
    }
}

/// Blank lines, comments, `---`, list items and what is indented.
fn is_layout(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with([' ', '\t', '#', '-']) || line.trim_end() == "..."
}

fn is_key(key: &str) -> bool {
    !key.is_empty()
        && key
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-. \"'\r".contains(c))
}

fn not_yaml(line: &str, span: Span) -> TranscriptError {
    let error = TranscriptError::header(span, "neither <|start|> nor a line of a document header");
    if line.trim_start().starts_with("<|im_start|>") {
        return error.with_hint("<|im_start|> is ChatML's, or OpenChatML 0.1's");
    }
    error.with_hint("<|start|> stands at the beginning of a line")
}
