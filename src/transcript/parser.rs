//! The whole: messages one after the other.

use super::body::{Body, read_body};
use super::calls::{Calls, check_json, literal_blocks};
use super::config::{Format, ParserConfig, StartPoint};
use super::control::{ControlSet, ControlToken, Cursor, Next, Piece, Source};
use super::error::{ErrorCode, TranscriptError};
use super::header::{Header, HeaderStart, Spanned, read_header};
use super::message::{Channel, Message, Note, Role, Terminator, Transcript};
use super::preface::take_preface;
use super::turn::Turn;
use crate::base::Span;

/// Parses a text in which the spellings of control tokens are control tokens.
///
/// # Errors
///
/// [`TranscriptError::is_truncated`] tells a text that only ends too early from a malformed one.
pub fn parse(text: &str, config: &ParserConfig<'_>) -> Result<Transcript, TranscriptError> {
    let source = Source::spelled(text, config.format);
    Parser::new(&source, config).run()
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
    let (source, bad_encoding) = Source::tokens(pieces, vocabulary, config.format);
    let result = Parser::new(&source, config).run();
    match (result, bad_encoding) {
        // What is malformed before the bad bytes comes first.
        (Err(error), Some(_)) if !error.is_truncated() => Err(error),
        (_, Some(error)) => Err(error),
        (result, None) => result,
    }
}

struct Parser<'c, 's> {
    cursor: Cursor<'s>,
    config: &'c ParserConfig<'c>,
    calls: Calls<'c>,
    /// The rules of a turn, if it is one generated turn that is judged.
    turn: Option<Turn<'c>>,
    messages: Vec<Message>,
    notes: Vec<Note>,
}

impl<'c, 's> Parser<'c, 's> {
    fn new(source: &'s Source, config: &'c ParserConfig<'c>) -> Self {
        Self {
            cursor: Cursor::new(source),
            config,
            calls: Calls::new(config),
            turn: config.is_generation().then(|| Turn::new(config)),
            messages: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn run(mut self) -> Result<Transcript, TranscriptError> {
        let preface = self.opening()?;
        while let Some(start) = self.next_message()? {
            self.message(start, HeaderStart::Role)?;
        }
        let text = self.cursor.source.text.clone();
        Ok(Transcript {
            text,
            preface,
            messages: self.messages,
            notes: self.notes,
        })
    }

    /// What stands before the first `<|start|>`.
    fn opening(&mut self) -> Result<Option<Span>, TranscriptError> {
        match self.config.start {
            StartPoint::AssistantHeader => {
                self.message(0, HeaderStart::AssistantRole)?;
                Ok(None)
            }
            StartPoint::Transcript
                if self.config.format == Format::OpenChatMl22 && !self.config.is_generation() =>
            {
                self.take_space();
                if self.at_start() {
                    return Ok(None);
                }
                self.cursor.at = 0;
                take_preface(&mut self.cursor)
            }
            StartPoint::Transcript => Ok(None),
        }
    }

    fn at_start(&self) -> bool {
        matches!(
            self.cursor.next(),
            Ok(Next::Control(ControlToken::Start, _))
        )
    }

    /// Moves past the next `<|start|>`, and says where it began; none where the text may end.
    fn next_message(&mut self) -> Result<Option<usize>, TranscriptError> {
        let rest = Span::new(self.cursor.at, self.cursor.source.text.len());
        if let Some(turn) = self.turn.as_ref().filter(|turn| !turn.may_go_on()) {
            return if rest.start == rest.end {
                Ok(None)
            } else {
                Err(turn.after_end(rest))
            };
        }
        let space = self.gap();
        match self.cursor.next()? {
            Next::Control(ControlToken::Start, span) => {
                self.cursor.at = span.end;
                Ok(Some(span.start))
            }
            Next::Control(token, span) => Err(TranscriptError::header(
                span,
                format!("{token} between messages"),
            )
            .with_hint("<|start|> is due")),
            Next::Text => Err(TranscriptError::header(
                self.cursor.next_char(),
                "text between messages",
            )
            .with_hint("<|start|> is due")),
            Next::End if self.cursor.is_at_end() && self.may_end(space) => Ok(None),
            Next::End => Err(TranscriptError::truncated(
                rest.end,
                "before the next message",
            )),
        }
    }

    fn may_end(&self, space: Span) -> bool {
        match &self.turn {
            None => !self.messages.is_empty(),
            Some(turn) => turn.may_end() && space.start == space.end,
        }
    }

    /// Takes what may stand between messages: in OpenChatML 2.2 any white space, one line feed
    /// where it is generated; in Harmony nothing.
    fn gap(&mut self) -> Span {
        let start = self.cursor.at;
        match (self.config.format, &self.turn) {
            (Format::Harmony, _) => {}
            (Format::OpenChatMl22, None) => self.take_space(),
            (Format::OpenChatMl22, Some(_)) if self.messages.is_empty() => {}
            (Format::OpenChatMl22, Some(_)) => {
                if self.cursor.source.text[start..].starts_with('\n') {
                    self.cursor.at += 1;
                }
            }
        }
        Span::new(start, self.cursor.at)
    }

    fn take_space(&mut self) {
        self.cursor
            .take_while(|c| matches!(c, ' ' | '\t' | '\r' | '\n'));
    }

    fn message(&mut self, start: usize, at: HeaderStart) -> Result<(), TranscriptError> {
        let header = read_header(&mut self.cursor, self.config, at)?;
        self.calls.on_header(&header)?;
        if let Some(turn) = &self.turn {
            turn.on_header(&header)?;
        }
        let body = read_body(
            &mut self.cursor,
            self.config.format,
            literal_blocks(&header),
        )?;
        match &mut self.turn {
            Some(turn) => turn.on_body(&header, &body)?,
            None => check_terminator(&header, &body, self.config.format)?,
        }
        self.check_type(&header, &body)?;
        self.calls.on_body(&header, &body)?;
        self.messages.push(message(header, body, start));
        Ok(())
    }

    /// Checks a body against its type. A type outside `<|constrain|>` is a hint; a generated one
    /// has to be true.
    fn check_type(&mut self, header: &Header, body: &Body) -> Result<(), TranscriptError> {
        let harmony_turn = self.turn.is_some() && self.config.format == Format::Harmony;
        let binding = if harmony_turn {
            header.body_type()
        } else {
            header.constrain.as_ref()
        };
        match binding {
            Some(Spanned { value, .. }) if value == "json" => {
                check_json(&body.text).map_err(|error| {
                    TranscriptError::new(
                        ErrorCode::BodyConstraintViolation,
                        body.span,
                        format!("the body is not JSON: {error}"),
                    )
                })
            }
            Some(Spanned { value, span })
                if !["text", "markdown", "code"].contains(&value.as_str()) =>
            {
                self.notes.push(Note::UncheckedType {
                    span: *span,
                    name: value.clone(),
                });
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// What may close a message of history: `<|call|>` a call, `<|return|>` the assistant's final,
/// and in Harmony, as its own data has it, any message of the assistant; `<|end|>` everything.
fn check_terminator(header: &Header, body: &Body, format: Format) -> Result<(), TranscriptError> {
    let assistant = header.role == Role::Assistant;
    let channel = header.channel.as_ref().map(|channel| channel.value);
    let is_final = assistant
        && header.recipient.is_none()
        && channel.is_none_or(|channel| channel == Channel::Final);
    let (fits, hint) = match body.terminator {
        Terminator::End => return Ok(()),
        Terminator::Call => (
            assistant && header.recipient.is_some(),
            "<|call|> closes a tool call, with to=",
        ),
        Terminator::Return => (
            is_final || (assistant && format == Format::Harmony),
            "<|return|> closes the assistant's final message",
        ),
    };
    if fits {
        return Ok(());
    }
    let message = "the wrong token closes this message";
    Err(
        TranscriptError::new(ErrorCode::TurnTerminator, body.terminator_span, message)
            .with_hint(hint),
    )
}

fn message(header: Header, body: Body, start: usize) -> Message {
    let value = |spanned: Option<Spanned<String>>| spanned.map(|spanned| spanned.value);
    Message {
        role: header.role,
        name: value(header.name),
        recipient: value(header.recipient),
        channel: header.channel.map(|channel| channel.value),
        intent: header.intent.map(|intent| intent.value),
        content_type: value(header.content_type),
        constrain: value(header.constrain),
        call_id: value(header.call_id),
        body: body.text,
        terminator: body.terminator,
        span: Span::new(start, body.terminator_span.end),
        body_span: body.span,
    }
}
