//! The formats of `<|im_start|>`: ChatML, OpenChatML 0.1 and InternLM2.
//!
//! Their frame is one: `<|im_start|>` role, name, line feed, body, `<|im_end|>`. [`dialect`]
//! says where the frames differ; what a body may hold is in the file of each format.

mod body;
mod chatml;
mod dialect;
mod files;
mod header;
mod internlm2;
mod openchatml_0_1;

use std::collections::{BTreeSet, VecDeque};

use body::{Body, BodyScan, Segment};
use dialect::Dialect;
use files::FileScan;
use header::{Header, HeaderStart, read_header};

use super::calls::{check_call_made, check_response};
use super::config::{ParserConfig, StartPoint};
use super::control::ControlToken;
use super::error::{ErrorCode, TranscriptError};
use super::format::Format;
use super::message::{Message, PartKind, Terminator, Thought};
use super::open::OpenMessage;
use super::outcome::Transcript;
use super::source::{Cursor, Next, Source};
use crate::span::Span;

/// Where a reader is.
enum Phase {
    /// Before everything.
    Opening,
    /// After a message, or before the first.
    Between,
    /// In a header; its message began at `start`.
    Header { start: usize, from: HeaderStart },
    /// In a body.
    Body {
        start: usize,
        header: Header,
        scan: BodyScan,
    },
    /// In files or a text with a gap.
    Files(FileScan),
    /// After the end of the sequence.
    Ended,
}

/// Reads messages one after the other, as far as the input has come.
pub(super) struct Reader<'c> {
    dialect: &'static Dialect,
    config: &'c ParserConfig<'c>,
    /// The thoughts that system messages have asked for.
    thoughts: BTreeSet<Thought>,
    /// The tools called and not answered, in order.
    open_calls: VecDeque<String>,
    /// Whether the text has calls.
    has_called: bool,
    phase: Phase,
    /// Where the phase began.
    at: usize,
    out: Transcript,
}

impl<'c> Reader<'c> {
    pub(super) fn new(config: &'c ParserConfig<'c>) -> Self {
        Self {
            dialect: match config.format {
                Format::OpenChatMl01 => &openchatml_0_1::DIALECT,
                Format::InternLm2 => &internlm2::DIALECT,
                _ => &chatml::DIALECT,
            },
            config,
            thoughts: config.thoughts.clone(),
            open_calls: VecDeque::new(),
            has_called: false,
            phase: match config.start {
                StartPoint::Transcript => Phase::Opening,
                StartPoint::AssistantHeader => Phase::Header {
                    start: 0,
                    from: HeaderStart::AssistantRole,
                },
                StartPoint::FimMiddle => Phase::Files(FileScan::middle(config)),
            },
            at: 0,
            out: Transcript::default(),
        }
    }

    /// The messages that have been read.
    pub(super) fn messages(&self) -> &[Message] {
        &self.out.messages
    }

    /// What has been read of an input that ends here; the text is the parser's.
    pub(super) fn into_transcript(mut self, source: &Source) -> Transcript {
        if let Phase::Files(scan) = self.phase {
            self.out.files = scan.parts_to_end(source);
        }
        self.out
    }

    /// The message whose body is being read.
    pub(super) fn open<'p>(&'p self, source: &'p Source) -> Option<OpenMessage<'p>> {
        let Phase::Body { header, scan, .. } = &self.phase else {
            return None;
        };
        let span = scan.said();
        let said = &source.text[span.start..span.end];
        // A line feed after thoughts is framing.
        let said = match span.start == scan.start {
            true => said,
            false => said.strip_prefix('\n').unwrap_or(said),
        };
        Some(OpenMessage {
            index: self.out.messages.len(),
            role: header.role,
            channel: None,
            intent: None,
            recipient: None,
            said: match self.dialect.frames_end {
                true => said.strip_suffix('\n').unwrap_or(said),
                false => said,
            },
        })
    }

    /// Reads on to the end of the input as it is. Says whether the text may end there: as it may
    /// go on, this is called again when there is more.
    pub(super) fn read(&mut self, source: &Source) -> Result<(), TranscriptError> {
        loop {
            let mut cursor = Cursor::new(source, self.at);
            match &mut self.phase {
                Phase::Opening => match self.opening(&mut cursor)? {
                    Some(phase) => self.phase = phase,
                    None => return Ok(()),
                },
                Phase::Between => match self.between(&mut cursor)? {
                    Some(phase) => self.phase = phase,
                    None => return Ok(()),
                },
                Phase::Header { start, from } => {
                    let (start, from) = (*start, *from);
                    let header = read_header(&mut cursor, self.config, self.dialect, from)?;
                    let scan = BodyScan::new(cursor.at);
                    self.phase = Phase::Body {
                        start,
                        header,
                        scan,
                    };
                }
                Phase::Body { scan, .. } => {
                    let (token, span) = scan.next_token(source)?;
                    self.on_token(token, span, source)?;
                    cursor.at = span.end;
                }
                Phase::Files(scan) => match scan.read(source)? {
                    None => return Ok(()),
                    Some(end) => {
                        cursor.at = end;
                        self.out.files = scan.parts();
                        self.phase = Phase::Ended;
                    }
                },
                Phase::Ended => {
                    if !self.config.is_generation() {
                        cursor.take_line_feed();
                    }
                    return match cursor.is_at_end() {
                        true => Ok(()),
                        false => Err(after_end(&cursor)),
                    };
                }
            }
            self.at = cursor.at;
        }
    }

    /// What stands before the first message; none where the input ends there.
    fn opening(&mut self, cursor: &mut Cursor<'_>) -> Result<Option<Phase>, TranscriptError> {
        if !self.dialect.is_sequence {
            return Ok(Some(Phase::Between));
        }
        if cursor.take_control(ControlToken::SequenceStart).is_some() {
            cursor.take_line_feed();
        }
        match cursor.next()? {
            Next::End if cursor.is_at_end() => Ok(None),
            Next::End => Err(TranscriptError::truncated(
                cursor.source.text.len(),
                "before the first message",
            )),
            Next::Control(ControlToken::ImStart | ControlToken::SequenceEnd, _) => {
                Ok(Some(Phase::Between))
            }
            _ => Ok(Some(Phase::Files(FileScan::files(cursor.at, self.config)))),
        }
    }

    /// What stands after a message, or before the first; none where the text may end.
    fn between(&mut self, cursor: &mut Cursor<'_>) -> Result<Option<Phase>, TranscriptError> {
        let is_first = self.out.messages.is_empty();
        if self.config.is_generation() && !is_first {
            return match cursor.is_at_end() {
                true => Ok(None),
                false => Err(after_end(cursor)),
            };
        }
        if self.dialect.is_sequence {
            cursor.take_blanks();
        }
        let is_apart = is_first || cursor.take_line_feed();
        let end = cursor.source.text.len();
        match cursor.next()? {
            Next::Control(ControlToken::ImStart, span) if is_apart => {
                cursor.at = span.end;
                Ok(Some(Phase::Header {
                    start: span.start,
                    from: HeaderStart::Role,
                }))
            }
            Next::Control(ControlToken::SequenceEnd, span) => {
                cursor.at = span.end;
                Ok(Some(Phase::Ended))
            }
            Next::End if cursor.is_at_end() => Ok(None),
            Next::End => Err(TranscriptError::truncated(end, "before the next message")),
            Next::Control(token, span) => {
                let error = TranscriptError::header(span, format!("{token} between messages"));
                Err(match is_apart {
                    true => error.with_hint("<|im_start|> is due"),
                    false => error.with_hint("one line feed stands between messages"),
                })
            }
            Next::Text => {
                let error = TranscriptError::header(cursor.next_char(), "text between messages");
                Err(error.with_hint("one line feed, then <|im_start|>"))
            }
        }
    }

    /// Takes a control token of a body.
    fn on_token(
        &mut self,
        token: ControlToken,
        span: Span,
        source: &Source,
    ) -> Result<(), TranscriptError> {
        let Phase::Body {
            start,
            header,
            scan,
        } = &mut self.phase
        else {
            return Ok(());
        };
        let body = Body {
            source,
            segments: &scan.segments,
            end: span,
            role: header.role,
            config: self.config,
            thoughts: &self.thoughts,
        };
        if token != ControlToken::ImEnd {
            (self.dialect.admit)(&body, token, span)?;
            scan.segments.push(Segment::after(token, span));
            return Ok(());
        }
        let parts = (self.dialect.close)(&body)?;
        let mut written = Span::new(scan.start, span.start);
        if self.dialect.frames_end && source.text[written.start..written.end].ends_with('\n') {
            written.end -= 1;
        }
        let message = Message {
            name: header.name.clone(),
            parts,
            span: Span::new(*start, span.end),
            body_span: written,
            terminator: Terminator::End,
            ..Message::new(header.role, &source.text[written.start..written.end])
        };
        self.check_turn(&message, span)?;
        self.keep(message)?;
        self.phase = Phase::Between;
        Ok(())
    }

    /// The rules of a generated turn that hold for its one message.
    fn check_turn(&self, message: &Message, end: Span) -> Result<(), TranscriptError> {
        if !self.config.is_generation() {
            return Ok(());
        }
        let has_called = message.calls().next().is_some();
        check_call_made(self.config, has_called, end)?;
        match has_called {
            true => Ok(()),
            false => check_response(self.config, &message.said(), message.body_span),
        }
    }

    /// Keeps a message: what it asks for, calls and answers.
    fn keep(&mut self, message: Message) -> Result<(), TranscriptError> {
        for part in &message.parts {
            match &part.kind {
                PartKind::ThoughtFlag(thought) => {
                    self.thoughts.insert(*thought);
                }
                PartKind::Call { recipient } if self.dialect.is_sequence => {
                    self.has_called = true;
                    self.open_calls.push_back(recipient.clone());
                }
                PartKind::Output { tool } => match self.open_calls.pop_front() {
                    Some(due) if due != *tool => {
                        let message = format!("the call of {due:?} is to be answered first");
                        let error =
                            TranscriptError::new(ErrorCode::ReplyUnmatched, part.span, message);
                        return Err(error.with_hint("outputs come in the order of the calls"));
                    }
                    // Where the text has calls, it is no excerpt that begins behind them.
                    None if self.has_called => {
                        let message = format!("no open call is of {tool:?}");
                        let code = ErrorCode::ReplyUnmatched;
                        return Err(TranscriptError::new(code, part.span, message));
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        self.out.messages.push(message);
        Ok(())
    }
}

fn after_end(cursor: &Cursor<'_>) -> TranscriptError {
    let rest = Span::new(cursor.at, cursor.source.text.len());
    TranscriptError::new(ErrorCode::TurnEnd, rest, "more after the end")
}
