//! The parser: an input that grows, and the reader of its format.

use super::channelled;
use super::config::{ParserConfig, StartPoint};
use super::control::ControlSet;
use super::error::TranscriptError;
use super::format::Format;
use super::im;
use super::message::Message;
use super::open::OpenMessage;
use super::outcome::Transcript;
use super::source::{Piece, Source};
use crate::span::Span;

/// Parses a text in which the spellings of control tokens are control tokens.
///
/// # Errors
///
/// [`TranscriptError::is_truncated`] tells a text that only ends too early from a malformed one.
pub fn parse(text: &str, config: &ParserConfig<'_>) -> Result<Transcript, TranscriptError> {
    parse_pieces(
        [Piece::Text(text.as_bytes())],
        ControlSet::default(),
        config,
    )
}

/// Parses a sequence of token pieces.
///
/// `vocabulary` are the control tokens that the vocabulary has as tokens: ordinary text that
/// spells one of them is an error (save OpenChatML 2.2's doubled `<`, and inside literal blocks).
/// The others stand as text. Spans are places in the bytes of all pieces together, a control
/// token counting as its spelling.
///
/// # Errors
///
/// As [`parse`].
pub fn parse_pieces<'a>(
    pieces: impl IntoIterator<Item = Piece<'a>>,
    vocabulary: ControlSet,
    config: &ParserConfig<'_>,
) -> Result<Transcript, TranscriptError> {
    let mut parser = Parser::new(vocabulary, config);
    for piece in pieces {
        parser.source.push(piece);
    }
    parser.finish()
}

/// A parser that takes its input bit by bit: the same verdicts as of the whole, each as early as
/// it is certain.
///
/// ```
/// use maskwright_transcript::{ControlSet, Format, Parser, ParserConfig, Piece};
///
/// let config = ParserConfig::assistant_turn(Format::Harmony);
/// let mut parser = Parser::new(ControlSet::default(), &config);
/// parser.push_text("<|channel|>final<|mess")?;
/// parser.push_text("age|>Four")?;
/// assert_eq!(parser.open().map(|message| message.said), Some("Four"));
/// parser.push(Piece::Text(b".<|return|>"))?;
/// assert_eq!(parser.finish()?.messages()[0].body, "Four.");
/// # Ok::<(), maskwright_transcript::TranscriptError>(())
/// ```
pub struct Parser<'c> {
    source: Source,
    reader: Reader<'c>,
    failed: Option<TranscriptError>,
}

/// The reader of a family of formats.
enum Reader<'c> {
    Channelled(Box<channelled::Reader<'c>>),
    Im(Box<im::Reader<'c>>),
}

impl<'c> Parser<'c> {
    /// A parser that has read nothing; `vocabulary` as for [`parse_pieces`], empty for text.
    pub fn new(vocabulary: ControlSet, config: &'c ParserConfig<'c>) -> Self {
        let reader = match config.format {
            Format::Harmony | Format::OpenChatMl22 => {
                Reader::Channelled(Box::new(channelled::Reader::new(config)))
            }
            Format::ChatMl | Format::OpenChatMl01 | Format::InternLm2 => {
                Reader::Im(Box::new(im::Reader::new(config)))
            }
        };
        let misplaced =
            config.start == StartPoint::FimMiddle && config.format != Format::OpenChatMl01;
        let failed = misplaced.then(|| {
            let message = format!("{} has no texts with a gap", config.format.name());
            TranscriptError::header(Span::default(), message)
        });
        Self {
            source: Source::new(config, vocabulary),
            reader,
            failed,
        }
    }

    /// Reads on.
    ///
    /// # Errors
    ///
    /// What is wrong with the input so far. An input that only has not ended is no error here.
    /// After an error every call gives it again.
    pub fn push(&mut self, piece: Piece<'_>) -> Result<(), TranscriptError> {
        self.source.push(piece);
        match self.verdict() {
            Err(error) if !error.is_truncated() => Err(error),
            _ => Ok(()),
        }
    }

    /// Reads on in a text.
    ///
    /// # Errors
    ///
    /// As [`Parser::push`].
    pub fn push_text(&mut self, text: &str) -> Result<(), TranscriptError> {
        self.push(Piece::Text(text.as_bytes()))
    }

    /// Ends the input.
    ///
    /// # Errors
    ///
    /// As [`parse`]: an input that ends too early is truncated.
    pub fn finish(mut self) -> Result<Transcript, TranscriptError> {
        self.verdict()?;
        let mut transcript = match self.reader {
            Reader::Channelled(reader) => reader.into_transcript(),
            Reader::Im(reader) => reader.into_transcript(&self.source),
        };
        transcript.text = self.source.text;
        Ok(transcript)
    }

    /// The messages that have ended.
    pub fn messages(&self) -> &[Message] {
        match &self.reader {
            Reader::Channelled(reader) => reader.messages(),
            Reader::Im(reader) => reader.messages(),
        }
    }

    /// The message whose body is coming.
    pub fn open(&self) -> Option<OpenMessage<'_>> {
        match &self.reader {
            Reader::Channelled(reader) => reader.open(),
            Reader::Im(reader) => reader.open(&self.source),
        }
    }

    /// What is to be said of the input as it is.
    fn verdict(&mut self) -> Result<(), TranscriptError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let read = match &mut self.reader {
            Reader::Channelled(reader) => reader.read(&self.source),
            Reader::Im(reader) => reader.read(&self.source),
        };
        let verdict = match (read, self.source.encoding_error()) {
            // What is malformed before the bad bytes comes first.
            (Err(error), Some(_)) if !error.is_truncated() => Err(error),
            (_, Some(error)) => Err(error),
            (read, None) => read,
        };
        if let Err(error) = &verdict
            && !error.is_truncated()
        {
            self.failed = Some(error.clone());
        }
        verdict
    }
}
