//! Files and texts with a gap (OpenChatML 0.1 §§6-7).

use super::body::{misplaced, scan_text};
use crate::config::ParserConfig;
use crate::control::ControlToken;
use crate::error::TranscriptError;
use crate::outcome::{FileKind, FilePart};
use crate::source::Source;
use crate::span::Span;

/// Files as far as they have been read.
pub(super) struct FileScan {
    kind: FileKind,
    text: Span,
    /// Whether anything tells these files from any text.
    is_marked: bool,
    /// Whether what is read is only what fills the gap.
    fills_gap: bool,
    is_generated: bool,
    parts: Vec<FilePart>,
}

impl FileScan {
    /// Files, then perhaps a text with a gap.
    pub(super) fn files(at: usize, config: &ParserConfig<'_>) -> Self {
        Self {
            kind: FileKind::File,
            text: Span::new(at, at),
            is_marked: false,
            fills_gap: false,
            is_generated: config.is_generation(),
            parts: Vec::new(),
        }
    }

    /// What fills a gap.
    pub(super) fn middle(config: &ParserConfig<'_>) -> Self {
        Self {
            kind: FileKind::Middle,
            is_marked: true,
            fills_gap: true,
            ..Self::files(0, config)
        }
    }

    /// Reads on; gives the place after the end of the sequence, if that is marked, and nothing
    /// where the input ends and may.
    pub(super) fn read(&mut self, source: &Source) -> Result<Option<usize>, TranscriptError> {
        loop {
            let (token, span) = match scan_text(source, &mut self.text) {
                Ok(found) => found,
                Err(error) if error.is_truncated() && self.may_end() => return Ok(None),
                Err(error) => return Err(error),
            };
            let text = &source.text[self.text.start..self.text.end];
            let next = match (self.kind, token) {
                (_, ControlToken::SequenceEnd) if self.may_end_here() => {
                    self.keep(source);
                    return Ok(Some(span.end));
                }
                (FileKind::File, ControlToken::FileSeparator) => FileKind::File,
                (FileKind::File, ControlToken::FimPrefix) if text.trim().is_empty() => {
                    FileKind::Prefix
                }
                (FileKind::Prefix, ControlToken::FimMiddle) => FileKind::Middle,
                (FileKind::Middle, ControlToken::FimSuffix) => FileKind::Suffix,
                _ => return Err(misplaced(token, span)),
            };
            // A separator may stand before the first file, and nothing stands before a text with a gap.
            let is_blank = self.kind == FileKind::File && text.trim().is_empty();
            if !is_blank || (self.is_marked && next == FileKind::File) {
                self.keep(source);
            }
            self.is_marked = true;
            self.kind = next;
            self.text = Span::new(span.end, span.end);
            if next == FileKind::Suffix && self.fills_gap && self.is_generated {
                return Ok(Some(span.end));
            }
        }
    }

    /// The parts of files that have ended.
    pub(super) fn parts(&self) -> Vec<FilePart> {
        self.parts.clone()
    }

    /// All parts, the last one up to the end of the input.
    pub(super) fn parts_to_end(mut self, source: &Source) -> Vec<FilePart> {
        self.text.end = source.text.len();
        self.keep(source);
        self.parts
    }

    fn keep(&mut self, source: &Source) {
        self.parts.push(FilePart {
            span: self.text,
            ..FilePart::new(self.kind, &source.text[self.text.start..self.text.end])
        });
    }

    fn may_end_here(&self) -> bool {
        match self.kind {
            FileKind::File => self.is_marked,
            FileKind::Prefix => false,
            FileKind::Middle | FileKind::Suffix => true,
        }
    }

    /// Whether the input may end within this text: what fills a gap may, as the model's own end
    /// token is no text; a gap in a document has its suffix after it.
    fn may_end(&self) -> bool {
        match self.kind {
            FileKind::Middle => self.fills_gap,
            _ => self.may_end_here(),
        }
    }
}
