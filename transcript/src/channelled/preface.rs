//! OpenChatML's YAML document header: where it ends, and its version (2.2 §2).
//!
//! It quotes control tokens, so it ends at the first `<|start|>` in column 0 and nowhere else.
//! Only its version is demanded. What else it says is read where it is YAML, and noted where it
//! is not: who reads a transcript must ignore what they do not know.

use crate::control::ControlToken;
use crate::document::DocumentHeader;
use crate::error::TranscriptError;
use crate::outcome::Note;
use crate::source::{Cursor, Mark};
use crate::span::Span;

/// A document header.
pub(super) struct Preface {
    pub(super) span: Span,
    pub(super) header: DocumentHeader,
    pub(super) note: Option<Note>,
}

/// Takes the document header, if there is one.
pub(super) fn take_preface(cursor: &mut Cursor<'_>) -> Result<Option<Preface>, TranscriptError> {
    let text = &cursor.source.text;
    let mut version = None;
    let mut at = 0;
    while at < text.len() && !starts_message(cursor, at) {
        if cursor.source.is_cut_at(at) {
            return Err(TranscriptError::truncated(text.len(), "before a message"));
        }
        let end = text[at..]
            .find('\n')
            .map_or(text.len(), |length| at + length);
        let line = Span::new(at, end);
        check_start(cursor, line)?;
        if let Some(value) = cursor.text(line).strip_prefix("version:") {
            version = read_version(value, line, end == text.len())?.or(version);
        }
        at = (end + 1).min(text.len());
    }
    let span = Span::new(0, at);
    if cursor.text(span).trim().is_empty() {
        cursor.at = at;
        return Ok(None);
    }
    let Some((major, minor)) = version else {
        return Err(without_version(span, at == text.len()));
    };
    cursor.at = at;
    let mut header = DocumentHeader::version(major, minor);
    let note = match header.read(cursor.text(span)) {
        Ok(()) => None,
        Err(reason) => Some(Note::UnreadHeader { span, reason }),
    };
    Ok(Some(Preface { span, header, note }))
}

fn starts_message(cursor: &Cursor<'_>, at: usize) -> bool {
    matches!(
        cursor.source.mark_at(at),
        Some((Mark::Control(ControlToken::Start), _))
    )
}

/// A line of another format begins with `<`, a line of YAML does not.
fn check_start(cursor: &Cursor<'_>, line: Span) -> Result<(), TranscriptError> {
    let is_other =
        cursor.text(line).starts_with('<') && cursor.source.mark_at(line.start).is_none();
    if !is_other {
        return Ok(());
    }
    let message = "neither <|start|> nor a line of a document header";
    let error = TranscriptError::header(line, message);
    Err(match cursor.text(line).starts_with("<|im_start|>") {
        true => error.with_hint("<|im_start|> is ChatML's, InternLM2's or OpenChatML 0.1's"),
        false => error.with_hint("<|start|> stands at the beginning of a line"),
    })
}

/// The version of a line `version:`; none while the end of the input may cut it.
fn read_version(
    value: &str,
    line: Span,
    is_last: bool,
) -> Result<Option<(u32, u32)>, TranscriptError> {
    let value = value.trim_start().trim_start_matches(['"', '\'']);
    let major: String = value.chars().take_while(char::is_ascii_digit).collect();
    let rest = &value[major.len()..];
    let minor = rest.strip_prefix('.').map(|rest| {
        let digits = rest.chars().take_while(char::is_ascii_digit);
        digits.collect::<String>()
    });
    match major.as_str() {
        "1" | "2" if !rest.starts_with(|c: char| c.is_alphanumeric()) => {
            let minor = minor.and_then(|minor| minor.parse().ok()).unwrap_or(0);
            Ok(Some((if major == "1" { 1 } else { 2 }, minor)))
        }
        "" if rest.is_empty() && is_last => Ok(None),
        "" => Err(TranscriptError::header(
            line,
            "the document header has no version that is a number",
        )
        .with_hint("version: 2.2")),
        _ => {
            let message = format!("version {} is not OpenChatML 2.x", value.trim());
            Err(TranscriptError::header(line, message).with_hint("versions 1 and 2 can be read"))
        }
    }
}

fn without_version(span: Span, is_cut: bool) -> TranscriptError {
    match is_cut {
        true => TranscriptError::truncated(span.end, "before the version of the document header"),
        false => TranscriptError::header(span, "a document header without a version")
            .with_hint("version: 2.2"),
    }
}
