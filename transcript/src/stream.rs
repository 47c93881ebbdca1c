//! What a user sees of a turn while it is generated: the events of OpenChatML 2.2 §9.

use super::config::ParserConfig;
use super::control::ControlSet;
use super::error::TranscriptError;
use super::json::Json;
use super::message::{Channel, Message, Role};
use super::open::OpenMessage;
use super::outcome::Transcript;
use super::parser::Parser;
use super::source::Piece;
use super::thoughts::{Growth, Spoken};
use super::visibility::{self, is_visible};

/// An event of a stream. Each names its message, so that streams may interleave.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StreamEvent {
    /// `response.delta`: more that the user may see.
    Delta {
        /// The message.
        message_id: String,
        /// What to add.
        text: String,
    },
    /// `response.delta.flush`: a paragraph, or the message, ends here.
    Flush {
        /// The message.
        message_id: String,
    },
    /// `response.cancel`: stop showing the message.
    Cancel {
        /// The message.
        message_id: String,
        /// Why.
        reason: String,
    },
    /// `tool.cancel`: for the tool, not for the user.
    ToolCancel {
        /// The call.
        call_id: String,
        /// Why.
        reason: String,
    },
}

impl StreamEvent {
    /// The name of the event.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Delta { .. } => "response.delta",
            Self::Flush { .. } => "response.delta.flush",
            Self::Cancel { .. } => "response.cancel",
            Self::ToolCancel { .. } => "tool.cancel",
        }
    }

    /// The event as a JSON object: `type`, then its members.
    pub fn to_json(&self) -> String {
        let text = |text: &String| Json::from(text.as_str());
        let (message_id, delta, call_id, reason) = match self {
            Self::Delta {
                message_id,
                text: t,
            } => (text(message_id), text(t), Json::Null, Json::Null),
            Self::Flush { message_id } => (text(message_id), Json::Null, Json::Null, Json::Null),
            Self::Cancel { message_id, reason } => {
                (text(message_id), Json::Null, Json::Null, text(reason))
            }
            Self::ToolCancel { call_id, reason } => {
                (Json::Null, Json::Null, text(call_id), text(reason))
            }
        };
        Json::object([
            ("type", self.name().into()),
            ("message_id", message_id),
            ("text", delta),
            ("call_id", call_id),
            ("reason", reason),
        ])
        .to_string()
    }
}

/// Turns what a model generates into events. A thought that is marked within an answer is not shown, nor its marker.
///
/// ```
/// use maskwright_transcript::{EventStream, Format, ParserConfig, Piece, StreamEvent};
///
/// let config = ParserConfig::assistant_turn(Format::Harmony);
/// let mut stream = EventStream::new("a", Default::default(), &config);
/// let hidden = stream.push(Piece::Text(b"<|channel|>analysis<|message|>hm<|end|>"))?;
/// assert!(hidden.is_empty());
/// let events = stream.push(Piece::Text(b"<|start|>assistant<|channel|>final<|message|>Hi"))?;
/// let delta = StreamEvent::Delta { message_id: "a.1".to_owned(), text: "Hi".to_owned() };
/// assert_eq!(events, [delta]);
/// # Ok::<(), maskwright_transcript::TranscriptError>(())
/// ```
pub struct EventStream<'c> {
    parser: Parser<'c>,
    stream_id: String,
    /// The message that is shown, and how many of its bytes have been.
    index: usize,
    sent: usize,
    /// What of it may be shown.
    spoken: Spoken,
}

impl<'c> EventStream<'c> {
    /// A stream of this id; `vocabulary` as for [`parse_pieces`](super::parse_pieces). The n-th
    /// message, from 0, has the id `{stream_id}.{n}`.
    pub fn new(
        stream_id: impl Into<String>,
        vocabulary: ControlSet,
        config: &'c ParserConfig<'c>,
    ) -> Self {
        Self {
            parser: Parser::new(vocabulary, config),
            stream_id: stream_id.into(),
            index: 0,
            sent: 0,
            spoken: Spoken::default(),
        }
    }

    /// Takes what was generated, and says what to show.
    ///
    /// # Errors
    ///
    /// As [`Parser::push`]; the answer is then to be withdrawn with [`EventStream::cancel`].
    pub fn push(&mut self, piece: Piece<'_>) -> Result<Vec<StreamEvent>, TranscriptError> {
        let pushed = self.parser.push(piece);
        let events = self.events();
        pushed.map(|()| events)
    }

    /// Ends the stream.
    ///
    /// # Errors
    ///
    /// `E-STREAM-TRUNCATED` where the stream ended without `<|return|>` or `<|call|>`, so that
    /// its last message is incomplete.
    pub fn finish(self) -> Result<Transcript, TranscriptError> {
        self.parser.finish()
    }

    /// Withdraws the message that is being shown; none where nothing of one was.
    pub fn cancel(&self, reason: impl Into<String>) -> Option<StreamEvent> {
        (self.sent > 0).then(|| StreamEvent::Cancel {
            message_id: self.message_id(),
            reason: reason.into(),
        })
    }

    fn message_id(&self) -> String {
        format!("{}.{}", self.stream_id, self.index)
    }

    fn events(&mut self) -> Vec<StreamEvent> {
        let mut events = Vec::new();
        while let Some(message) = self.parser.messages().get(self.index) {
            let new = match is_shown(message) {
                true => {
                    let spoken = self.spoken.read(&message.said(), Growth::Over);
                    paragraphs(spoken, self.sent)
                }
                false => Vec::new(),
            };
            self.send(new, &mut events);
            if self.sent > 0 {
                events.push(StreamEvent::Flush {
                    message_id: self.message_id(),
                });
            }
            self.index += 1;
            self.sent = 0;
            self.spoken = Spoken::default();
        }
        if let Some(open) = self.parser.open().filter(is_open_shown) {
            let spoken = self.spoken.read(open.said, Growth::Going);
            let new = paragraphs(spoken, self.sent);
            self.send(new, &mut events);
        }
        events
    }

    fn send(&mut self, texts: Vec<Paragraph>, events: &mut Vec<StreamEvent>) {
        let message_id = self.message_id();
        for Paragraph { text, follows_one } in texts {
            if follows_one {
                events.push(StreamEvent::Flush {
                    message_id: message_id.clone(),
                });
            }
            self.sent += text.len();
            events.push(StreamEvent::Delta {
                message_id: message_id.clone(),
                text,
            });
        }
    }
}

/// A paragraph, or what has newly come of one.
struct Paragraph {
    text: String,
    /// Whether the paragraph before ends right before this text.
    follows_one: bool,
}

/// What of `said` comes after `sent`, cut after the empty lines that end paragraphs.
fn paragraphs(said: &str, sent: usize) -> Vec<Paragraph> {
    let mut texts = Vec::new();
    let mut start = sent;
    while start < said.len() {
        let follows_one = said[..start].ends_with("\n\n");
        // The first line feed of two may have been sent already.
        let from = match said[..start].ends_with('\n') && !follows_one {
            true => start - 1,
            false => start,
        };
        let end = said[from..]
            .find("\n\n")
            .map_or(said.len(), |at| from + at + 2);
        texts.push(Paragraph {
            text: said[start..end].to_owned(),
            follows_one,
        });
        start = end;
    }
    texts
}

/// Whether users see the message that is coming.
fn is_open_shown(open: &OpenMessage<'_>) -> bool {
    let channel = open.channel.unwrap_or(Channel::Final);
    open.role == Role::Assistant && is_visible(open.role, channel, open.intent, open.recipient)
}

/// Whether users see a message of the assistant's.
fn is_shown(message: &Message) -> bool {
    message.role == Role::Assistant && visibility::is_shown(message)
}
