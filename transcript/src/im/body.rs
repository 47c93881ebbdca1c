//! Bodies as segments of text that control tokens set apart.

use std::collections::BTreeSet;

use crate::config::ParserConfig;
use crate::control::ControlToken;
use crate::error::TranscriptError;
use crate::message::{Part, PartKind, Role, Thought};
use crate::source::{Source, control};
use crate::span::Span;

/// A stretch of text and the control token before it; the first segment has none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub(super) token: Option<ControlToken>,
    /// The text; of the last segment, as far as it is certain.
    pub(super) text: Span,
}

impl Segment {
    /// The segment that `token` opens.
    pub(super) fn after(token: ControlToken, span: Span) -> Self {
        Self {
            token: Some(token),
            text: Span::new(span.end, span.end),
        }
    }
}

/// A body as far as it has been read.
#[derive(Debug)]
pub(super) struct BodyScan {
    pub(super) start: usize,
    pub(super) segments: Vec<Segment>,
}

impl BodyScan {
    pub(super) fn new(start: usize) -> Self {
        Self {
            start,
            segments: vec![Segment {
                token: None,
                text: Span::new(start, start),
            }],
        }
    }

    /// Reads the text through the next control token. Where the input ends before it, this can
    /// be called again with more.
    pub(super) fn next_token(
        &mut self,
        source: &Source,
    ) -> Result<(ControlToken, Span), TranscriptError> {
        let last = self.segments.len() - 1;
        let text = &mut self.segments[last].text;
        scan_text(source, text)
    }

    /// Where what is said stands: text after thoughts and before calls.
    pub(super) fn said(&self) -> Span {
        let said = self.segments.iter().rfind(|segment| match segment.token {
            None => true,
            Some(token) => ends_thought(token).is_some(),
        });
        said.map_or(Span::new(self.start, self.start), |segment| segment.text)
    }
}

/// Moves the end of `text` to the next control token, and takes that.
pub(super) fn scan_text(
    source: &Source,
    text: &mut Span,
) -> Result<(ControlToken, Span), TranscriptError> {
    loop {
        let end = source.text.len();
        text.end = source.next_candidate(text.end).unwrap_or(end);
        let waits = !source.is_token(text.end) && source.may_become_control(text.end);
        if text.end == end || waits {
            return Err(TranscriptError::truncated(end, "within a body"));
        }
        if let Some((mark, span)) = source.mark_at(text.end) {
            return control(mark, span).map(|token| (token, span));
        }
        let first = source.text[text.end..].chars().next();
        text.end += first.map_or(0, char::len_utf8);
    }
}

/// The thought that a token begins.
pub(super) fn starts_thought(token: ControlToken) -> Option<Thought> {
    match token {
        ControlToken::StartReflect => Some(Thought::Reflect),
        ControlToken::StartIntrospect => Some(Thought::Introspect),
        ControlToken::StartReason => Some(Thought::Reason),
        _ => None,
    }
}

/// The thought that a token ends.
pub(super) fn ends_thought(token: ControlToken) -> Option<Thought> {
    match token {
        ControlToken::EndReflect => Some(Thought::Reflect),
        ControlToken::EndIntrospect => Some(Thought::Introspect),
        ControlToken::EndReason => Some(Thought::Reason),
        _ => None,
    }
}

/// A body up to a control token, and what it is judged by.
pub(super) struct Body<'b> {
    pub(super) source: &'b Source,
    pub(super) segments: &'b [Segment],
    /// The token that comes next.
    pub(super) end: Span,
    pub(super) role: Role,
    pub(super) config: &'b ParserConfig<'b>,
    /// The thoughts that are asked for.
    pub(super) thoughts: &'b BTreeSet<Thought>,
}

impl<'b> Body<'b> {
    pub(super) fn text(&self, span: Span) -> &'b str {
        &self.source.text[span.start..span.end]
    }

    pub(super) fn last(&self) -> Segment {
        self.segments[self.segments.len() - 1]
    }

    pub(super) fn part(&self, kind: PartKind, span: Span) -> Part {
        Part {
            kind,
            text: self.text(span).to_owned(),
            span,
        }
    }

    /// A span without the JSON white space around it.
    pub(super) fn trimmed(&self, span: Span) -> Span {
        let is_space = |c: char| matches!(c, ' ' | '\t' | '\r' | '\n');
        let text = self.text(span);
        let start = span.end - text.trim_start_matches(is_space).len();
        let length = self
            .text(Span::new(start, span.end))
            .trim_end_matches(is_space)
            .len();
        Span::new(start, start + length)
    }
}

/// The error for a control token that may not stand in a body here.
pub(super) fn misplaced(token: ControlToken, span: Span) -> TranscriptError {
    let error = TranscriptError::header(span, format!("{token} within a body"));
    match token {
        ControlToken::ImStart => error.with_hint("close the message before with <|im_end|>"),
        _ => error,
    }
}
