//! Bodies: where they end, escapes, literal blocks.

use super::config::Format;
use super::control::{ControlToken, Cursor, Mark, control};
use super::error::{ErrorCode, TranscriptError};
use super::message::Terminator;
use crate::base::Span;

/// A body and what closed it.
#[derive(Debug)]
pub(super) struct Body {
    /// Escapes undone, the marks of literal blocks taken away.
    pub(super) text: String,
    /// As written.
    pub(super) span: Span,
    pub(super) terminator: Terminator,
    pub(super) terminator_span: Span,
}

/// Whether a body may hold literal blocks: text may, JSON may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LiteralBlocks {
    Allowed,
    Refused,
}

/// Reads a body through its terminator: the first unescaped, non-literal `<|end|>`, `<|call|>` or
/// `<|return|>`.
pub(super) fn read_body(
    cursor: &mut Cursor<'_>,
    format: Format,
    literals: LiteralBlocks,
) -> Result<Body, TranscriptError> {
    let start = cursor.at;
    let mut text = String::new();
    loop {
        take_plain(cursor, &mut text, "within a body")?;
        if format == Format::OpenChatMl22 && take_escape(cursor, &mut text)? {
            continue;
        }
        let Some((mark, span)) = cursor.source.mark_at(cursor.at) else {
            text.push('<');
            cursor.at += 1;
            continue;
        };
        let token = control(mark, span)?;
        cursor.at = span.end;
        if let Some(terminator) = terminator(token) {
            let body = Span::new(start, span.start);
            return Ok(Body {
                text,
                span: body,
                terminator,
                terminator_span: span,
            });
        }
        if token == ControlToken::Literal && literals == LiteralBlocks::Allowed {
            take_literal(cursor, &mut text)?;
        } else {
            return Err(misplaced(token, span));
        }
    }
}

fn terminator(token: ControlToken) -> Option<Terminator> {
    match token {
        ControlToken::End => Some(Terminator::End),
        ControlToken::Call => Some(Terminator::Call),
        ControlToken::Return => Some(Terminator::Return),
        _ => None,
    }
}

fn misplaced(token: ControlToken, span: Span) -> TranscriptError {
    let error = TranscriptError::header(span, format!("{token} within a body"));
    match token {
        ControlToken::Literal => error.with_hint("literal blocks belong in text, not in JSON"),
        ControlToken::EndLiteral => error.with_hint("no literal block is open here"),
        _ => error.with_hint("close the message before, with <|end|>, <|call|> or <|return|>"),
    }
}

/// Copies ordinary text up to the next place where something else may stand.
fn take_plain(
    cursor: &mut Cursor<'_>,
    text: &mut String,
    place: &str,
) -> Result<(), TranscriptError> {
    let end = cursor.source.text.len();
    let next = cursor.source.next_candidate(cursor.at);
    text.push_str(&cursor.source.text[cursor.at..next.unwrap_or(end)]);
    cursor.at = next.ok_or_else(|| TranscriptError::truncated(end, place))?;
    Ok(())
}

/// Takes a control token escaped by a doubled `<`, if one stands here (§3).
fn take_escape(cursor: &mut Cursor<'_>, text: &mut String) -> Result<bool, TranscriptError> {
    let (source, at) = (cursor.source, cursor.at);
    if !source.text[at..].starts_with("<<") || source.is_token(at) {
        return Ok(false);
    }
    let Some(token) = source.spelled_at(at + 1) else {
        return Ok(false);
    };
    let end = at + 1 + token.spelling().len();
    if source.is_token(at + 1) {
        let message = format!("`<` right before {token}: as text, this is an escape");
        return Err(TranscriptError::new(
            ErrorCode::TextControl,
            Span::new(at, end),
            message,
        ));
    }
    text.push_str(token.spelling());
    cursor.at = end;
    Ok(true)
}

/// Takes a literal block, its opening read already: everything up to `<|endliteral|>`, verbatim.
fn take_literal(cursor: &mut Cursor<'_>, text: &mut String) -> Result<(), TranscriptError> {
    loop {
        take_plain(cursor, text, "within a literal block")?;
        let end = match cursor.source.mark_at(cursor.at) {
            None => cursor.at + 1,
            Some((Mark::Control(ControlToken::EndLiteral), span)) => {
                cursor.at = span.end;
                return Ok(());
            }
            Some((mark @ (Mark::Smuggled(ControlToken::EndLiteral) | Mark::Foreign), span)) => {
                control(mark, span)?;
                span.end
            }
            Some((_, span)) => span.end,
        };
        text.push_str(&cursor.source.text[cursor.at..end]);
        cursor.at = end;
    }
}
