//! The formats with channels: Harmony and OpenChatML 2.2.
//!
//! Both have the same frame, `<|start|>` header `<|message|>` body terminator. [`rules::Dialect`]
//! says where they differ, and each has a file of its own.

mod body;
mod calls;
mod harmony;
mod header;
mod openchatml_2_2;
mod preface;
mod rules;
mod turn;

use body::{Body, BodyScan};
use calls::{Calls, markup};
use header::{Header, HeaderStart, Spanned, read_header};
use preface::take_preface;
use rules::Rules;
use turn::Turn;

use super::calls::check_json;
use super::config::{ParserConfig, StartPoint};
use super::control::ControlToken;
use super::error::{ErrorCode, TranscriptError};
use super::format::Format;
use super::message::{Channel, Intent, Message, Role, Terminator};
use super::open::OpenMessage;
use super::outcome::{Note, Transcript};
use super::source::{Cursor, Next, Source};
use super::thoughts::{has_thoughts, thoughts_of};
use crate::span::Span;

/// Where a reader is.
enum Phase {
    /// Before everything.
    Opening,
    /// After a message, or before the first.
    Between,
    /// In a header; its message began at `start`, its header is read again from `at`.
    Header { start: usize, from: HeaderStart },
    /// In a body.
    Body {
        start: usize,
        header: Box<Header>,
        scan: BodyScan,
    },
}

/// Reads messages one after the other, as far as the input has come.
pub(super) struct Reader<'c> {
    rules: Rules<'c>,
    calls: Calls,
    /// The rules of a turn, if it is one generated turn that is judged.
    turn: Option<Turn<'c>>,
    phase: Phase,
    /// Where the phase began.
    at: usize,
    out: Transcript,
}

impl<'c> Reader<'c> {
    pub(super) fn new(config: &'c ParserConfig<'c>) -> Self {
        let dialect = match config.format {
            Format::Harmony => &harmony::DIALECT,
            _ => &openchatml_2_2::DIALECT,
        };
        Self {
            rules: Rules {
                dialect,
                config,
                header: None,
            },
            calls: Calls::new(config),
            turn: config.is_generation().then(|| Turn::new(config)),
            phase: match config.start {
                StartPoint::AssistantHeader => Phase::Header {
                    start: 0,
                    from: HeaderStart::AssistantRole,
                },
                _ => Phase::Opening,
            },
            at: 0,
            out: Transcript::default(),
        }
    }

    /// The messages that have been read.
    pub(super) fn messages(&self) -> &[Message] {
        &self.out.messages
    }

    /// What has been read; the text is the parser's.
    pub(super) fn into_transcript(self) -> Transcript {
        self.out
    }

    /// The message whose body is being read.
    pub(super) fn open(&self) -> Option<OpenMessage<'_>> {
        match &self.phase {
            Phase::Body { header, scan, .. } => Some(OpenMessage {
                index: self.out.messages.len(),
                role: header.role,
                channel: header.channel.as_ref().map(|channel| channel.value),
                intent: self.intent(header),
                recipient: header.recipient.as_ref().map(|to| to.value.as_str()),
                said: scan.text(),
            }),
            _ => None,
        }
    }

    /// The intent, said or implied: commentary that is addressed to nobody is for the user.
    fn intent(&self, header: &Header) -> Option<Intent> {
        let commentary = header
            .channel
            .as_ref()
            .is_some_and(|channel| channel.value == Channel::Commentary);
        let implied = self.rules.dialect.implies_preambles
            && header.role == Role::Assistant
            && header.recipient.is_none()
            && commentary;
        match &header.intent {
            Some(intent) => Some(intent.value),
            None => implied.then_some(Intent::Preamble),
        }
    }

    /// Reads on to the end of the input as it is. Says whether the text may end there: as it may
    /// go on, this is called again when there is more.
    pub(super) fn read(&mut self, source: &Source) -> Result<(), TranscriptError> {
        loop {
            let mut cursor = Cursor::new(source, self.at);
            match &mut self.phase {
                Phase::Opening => {
                    self.opening(&mut cursor)?;
                    if self.rules.dialect.is_document && cursor.is_at_end() {
                        // More of the document header may come.
                        return Ok(());
                    }
                    self.phase = Phase::Between;
                }
                Phase::Between => match self.next_message(&mut cursor)? {
                    None => return Ok(()),
                    Some(start) => {
                        let from = HeaderStart::Role;
                        self.phase = Phase::Header { start, from };
                    }
                },
                Phase::Header { start, from } => {
                    let start = *start;
                    let header = read_header(&mut cursor, &self.rules, *from)?;
                    self.calls.on_header(&header, &self.rules)?;
                    if let Some(turn) = &self.turn {
                        turn.on_header(&header, &self.rules)?;
                    }
                    let scan = BodyScan::new(cursor.at, markup(&header, &self.rules));
                    let header = Box::new(header);
                    self.phase = Phase::Body {
                        start,
                        header,
                        scan,
                    };
                }
                Phase::Body { scan, .. } => {
                    let body = scan.read(source)?;
                    cursor.at = body.terminator_span.end;
                    self.close(body, source)?;
                }
            }
            self.at = cursor.at;
        }
    }

    /// What stands before the first `<|start|>`.
    fn opening(&mut self, cursor: &mut Cursor<'_>) -> Result<(), TranscriptError> {
        if !self.rules.dialect.is_document || self.turn.is_some() {
            return Ok(());
        }
        let start = cursor.at;
        take_space(cursor);
        let starts = matches!(cursor.next(), Ok(Next::Control(ControlToken::Start, _)));
        if starts || cursor.is_at_end() {
            return Ok(());
        }
        cursor.at = start;
        if let Some(preface) = take_preface(cursor)? {
            self.out.preface = Some(preface.span);
            self.out.header = Some(preface.header.clone());
            self.out.notes = preface.note.into_iter().collect();
            self.rules.header = Some(preface.header);
        }
        Ok(())
    }

    /// Moves past the next `<|start|>`, and says where it began; none where the text may end.
    fn next_message(&mut self, cursor: &mut Cursor<'_>) -> Result<Option<usize>, TranscriptError> {
        let end = cursor.source.text.len();
        if let Some(turn) = self.turn.as_ref().filter(|turn| !turn.may_go_on()) {
            return match cursor.is_at_end() {
                true => Ok(None),
                false => Err(turn.after_end(Span::new(cursor.at, end))),
            };
        }
        let gap = self.gap(cursor);
        match cursor.next()? {
            Next::Control(ControlToken::Start, span) => {
                cursor.at = span.end;
                Ok(Some(span.start))
            }
            Next::Control(token, span) => Err(TranscriptError::header(
                span,
                format!("{token} between messages"),
            )
            .with_hint("<|start|> is due")),
            Next::Text => Err(
                TranscriptError::header(cursor.next_char(), "text between messages")
                    .with_hint("<|start|> is due"),
            ),
            Next::End if cursor.is_at_end() && self.may_end(gap) => Ok(None),
            Next::End => Err(TranscriptError::truncated(end, "before the next message")),
        }
    }

    /// A transcript may end after any message, and before the first.
    fn may_end(&self, gap: Span) -> bool {
        match &self.turn {
            None => true,
            Some(turn) => turn.may_end() && gap.start == gap.end,
        }
    }

    /// Takes what may stand between messages: in OpenChatML 2.2 any white space, one line feed
    /// where it is generated; in Harmony nothing.
    fn gap(&self, cursor: &mut Cursor<'_>) -> Span {
        let start = cursor.at;
        if self.rules.dialect.is_document {
            match &self.turn {
                None => take_space(cursor),
                Some(_) if self.out.messages.is_empty() => {}
                Some(_) => {
                    cursor.take_line_feed();
                }
            }
        }
        Span::new(start, cursor.at)
    }

    /// Judges a message whose body has ended, and keeps it.
    fn close(&mut self, body: Body, source: &Source) -> Result<(), TranscriptError> {
        let phase = std::mem::replace(&mut self.phase, Phase::Between);
        let Phase::Body { start, header, .. } = phase else {
            return Ok(());
        };
        let closed_by = body.terminator.token();
        self.rules.check_token(closed_by, body.terminator_span)?;
        match &mut self.turn {
            Some(turn) => turn.on_body(&header, &body, &self.rules, source)?,
            None => self.check_terminator(&header, &body)?,
        }
        self.check_type(&header, &body)?;
        self.calls.on_body(&header, &body, &self.rules)?;
        let intent = self.intent(&header);
        let mut message = message(*header, body, start);
        message.intent = intent;
        if self.rules.dialect.is_document {
            message.parts = thoughts_of(&message);
            self.note(&message);
        }
        self.out.messages.push(message);
        Ok(())
    }

    fn check_terminator(&self, header: &Header, body: &Body) -> Result<(), TranscriptError> {
        let channel = header.channel.as_ref().map(|channel| channel.value);
        let has_recipient = header.recipient.is_some();
        if self
            .rules
            .may_close(body.terminator, header.role, channel, has_recipient)
        {
            return Ok(());
        }
        let message = "the wrong token closes this message";
        let error = TranscriptError::new(ErrorCode::TurnTerminator, body.terminator_span, message);
        Err(match body.terminator {
            Terminator::Call => error.with_hint("<|call|> closes a tool call, with to="),
            _ => error.with_hint("<|return|> closes the assistant's final message"),
        })
    }

    /// Checks a body against its type. A type outside `<|constrain|>` is a hint; a generated one
    /// has to be true.
    fn check_type(&mut self, header: &Header, body: &Body) -> Result<(), TranscriptError> {
        let bare_counts = self.turn.is_some() && self.rules.dialect.has_bare_types;
        let binding = match bare_counts {
            true => header.body_type(),
            false => header.constrain.as_ref(),
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
                self.out.notes.push(Note::UncheckedType {
                    span: *span,
                    name: value.clone(),
                });
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn note(&mut self, message: &Message) {
        let version_1 = self.rules.header.as_ref().is_some_and(|h| h.major == 1);
        if version_1 && message.channel.is_some() {
            let span = message.span;
            self.out.notes.push(Note::ChannelInVersion1 { span });
        }
        let shown = message.role == Role::Assistant && message.parts.is_empty();
        if shown && has_thoughts(&message.body) {
            let span = message.body_span;
            self.out.notes.push(Note::ThoughtOutsideAnalysis { span });
        }
    }
}

fn take_space(cursor: &mut Cursor<'_>) {
    cursor.take_while(|c| matches!(c, ' ' | '\t' | '\r' | '\n'));
}

fn message(header: Header, body: Body, start: usize) -> Message {
    let value = |spanned: Option<Spanned<String>>| spanned.map(|spanned| spanned.value);
    Message {
        role: header.role,
        name: value(header.name),
        recipient: value(header.recipient),
        channel: header.channel.map(|channel| channel.value),
        intent: None,
        content_type: value(header.content_type),
        constrain: value(header.constrain),
        call_id: value(header.call_id),
        body: body.text,
        parts: Vec::new(),
        terminator: body.terminator,
        form: header.form,
        span: Span::new(start, body.terminator_span.end),
        body_span: body.span,
    }
}
