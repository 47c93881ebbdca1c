//! What a text was read as: its messages or files, and what was noticed.

use super::document::DocumentHeader;
use super::message::Message;
use crate::span::Span;

/// Something worth a report that is no error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// The type after `<|constrain|>` is unknown, so the body was not checked against it.
    UncheckedType {
        /// Where the type stands.
        span: Span,
        /// The type.
        name: String,
    },
    /// The document header says its version, and is otherwise no YAML mapping that can be read.
    UnreadHeader {
        /// Where the header stands.
        span: Span,
        /// Why.
        reason: String,
    },
    /// A transcript of version 1 has a channel; the channel counts.
    ChannelInVersion1 {
        /// The message.
        span: Span,
    },
    /// A marker of a thought outside analysis, where it is ordinary text (OpenChatML 2.2 §7).
    ThoughtOutsideAnalysis {
        /// The body.
        span: Span,
    },
}

impl Note {
    /// Where it was noticed.
    pub fn span(&self) -> Span {
        match self {
            Self::UncheckedType { span, .. }
            | Self::UnreadHeader { span, .. }
            | Self::ChannelInVersion1 { span }
            | Self::ThoughtOutsideAnalysis { span } => *span,
        }
    }
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::UncheckedType { name, .. } => {
                write!(f, "the type {name:?} is unknown, the body was not checked")
            }
            Self::UnreadHeader { reason, .. } => {
                write!(f, "the document header was not read: {reason}")
            }
            Self::ChannelInVersion1 { .. } => f.write_str("a channel in a transcript of version 1"),
            Self::ThoughtOutsideAnalysis { .. } => {
                f.write_str("a marker of a thought outside analysis is ordinary text")
            }
        }
    }
}

/// A file, or a part of a text with a gap, in OpenChatML 0.1 (§§6-7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// A file.
    File,
    /// What stands before the cursor.
    Prefix,
    /// What is filled in.
    Middle,
    /// What stands after the cursor.
    Suffix,
}

impl FileKind {
    /// What it is called.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Prefix => "prefix",
            Self::Middle => "middle",
            Self::Suffix => "suffix",
        }
    }
}

/// A stretch of files and texts with a gap.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FilePart {
    /// What it is.
    pub kind: FileKind,
    /// What it says.
    pub text: String,
    /// Where it stands in the text, without its marks.
    pub span: Span,
}

impl FilePart {
    /// A stretch by hand; its place is empty.
    pub fn new(kind: FileKind, text: impl Into<String>) -> Self {
        Self {
            kind,
            text: text.into(),
            span: Span::default(),
        }
    }
}

/// A complete transcript, or a complete turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    pub(super) text: String,
    pub(super) preface: Option<Span>,
    pub(super) header: Option<DocumentHeader>,
    pub(super) messages: Vec<Message>,
    pub(super) files: Vec<FilePart>,
    pub(super) notes: Vec<Note>,
}

impl Transcript {
    /// The text that was parsed, byte for byte; all spans are places in it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where the YAML document header stands, if there is one (OpenChatML 2.2 §2).
    pub fn preface(&self) -> Option<Span> {
        self.preface
    }

    /// What the document header says.
    pub fn document_header(&self) -> Option<&DocumentHeader> {
        self.header.as_ref()
    }

    /// Whether this is read as OpenChatML 1.x, all final (OpenChatML 2.2 §13): the document
    /// header says so, or there is neither a document header nor any channel.
    pub fn is_version_1(&self) -> bool {
        match &self.header {
            Some(header) => header.major == 1,
            None => self
                .messages
                .iter()
                .all(|message| message.channel.is_none()),
        }
    }

    /// The messages, in order.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The files and texts with a gap, in order: OpenChatML 0.1 only.
    pub fn files(&self) -> &[FilePart] {
        &self.files
    }

    /// What was noticed and is no error.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// A message as it was written.
    pub fn written(&self, message: &Message) -> &str {
        self.text
            .get(message.span.start..message.span.end)
            .unwrap_or_default()
    }
}
