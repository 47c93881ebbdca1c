//! What reads a turn while it comes: `Parser` and `EventStream`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use maskwright::base::TokenId;
use maskwright_transcript::{self as toolkit, Channel, Intent, ParserConfig, StreamEvent};
use pyo3::prelude::*;
use self_cell::self_cell;

use super::config::Judged;
use super::message::{self, OwnPiece, class, fault, to_python, transcript};
use crate::error::Failure;
use crate::vocabulary::Vocabulary;

self_cell!(
    /// A configuration, and whose judges it has.
    struct Config {
        owner: Judged,
        #[covariant]
        dependent: ParserConfig,
    }
);

type ParserSlot<'c> = Option<toolkit::Parser<'c>>;
type StreamSlot<'c> = Option<toolkit::EventStream<'c>>;

self_cell!(
    struct ParserCell {
        owner: Config,
        #[not_covariant]
        dependent: ParserSlot,
    }
);

self_cell!(
    struct StreamCell {
        owner: Config,
        #[not_covariant]
        dependent: StreamSlot,
    }
);

fn config(given: &Bound<'_, PyAny>) -> PyResult<Config> {
    Ok(Config::new(Judged::read(given)?, |judged| judged.config()))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn finished() -> PyErr {
    Failure::invalid("it is finished already").into()
}

/// The pieces that tokens are.
fn pieces_of(vocabulary: &Vocabulary, tokens: &[u32]) -> Vec<OwnPiece> {
    use maskwright::base::Part;
    let parts = tokens
        .iter()
        .filter_map(|&token| vocabulary.vocabulary().part(TokenId::new(token)));
    let owned = parts.map(|part| match part {
        Part::Text(bytes) => OwnPiece::Text(bytes.to_vec()),
        Part::Special(name) => OwnPiece::Special(name.to_owned()),
    });
    owned.collect()
}

/// A parser that takes its input bit by bit: the same verdicts as of the whole, each as early as it is certain.
#[pyclass(frozen, module = "maskwright.transcript")]
pub(crate) struct Parser(Mutex<ParserCell>);

#[pymethods]
impl Parser {
    /// A parser that has read nothing. `controls` are the control tokens that the vocabulary has as tokens;
    /// without them, spellings in the text are control tokens.
    #[new]
    #[pyo3(signature = (config, controls=Vec::new()))]
    fn new(config: &Bound<'_, PyAny>, controls: Vec<String>) -> PyResult<Self> {
        let controls = message::controls(&controls)?;
        let cell = ParserCell::new(self::config(config)?, |config| {
            Some(toolkit::Parser::new(controls, config.borrow_dependent()))
        });
        Ok(Self(Mutex::new(cell)))
    }

    /// Reads on: a text, bytes, or a control token.
    fn push(&self, piece: &Bound<'_, PyAny>) -> PyResult<()> {
        let piece = OwnPiece::read(piece)?;
        let pushed =
            lock(&self.0).with_dependent_mut(|_, parser| Some(parser.as_mut()?.push(piece.lent())));
        let pushed = pushed.ok_or_else(finished)?;
        pushed.map_err(|error| Python::attach(|py| fault::transcript(py, &error)))
    }

    /// Reads on: tokens of a vocabulary.
    fn push_tokens(&self, vocabulary: &Vocabulary, tokens: Vec<u32>) -> PyResult<()> {
        let pieces = pieces_of(vocabulary, &tokens);
        let pushed = lock(&self.0).with_dependent_mut(|_, parser| {
            let parser = parser.as_mut()?;
            Some(
                pieces
                    .iter()
                    .try_for_each(|piece| parser.push(piece.lent())),
            )
        });
        let pushed = pushed.ok_or_else(finished)?;
        pushed.map_err(|error| Python::attach(|py| fault::transcript(py, &error)))
    }

    /// The messages that are complete.
    fn messages<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        lock(&self.0).with_dependent(|_, parser| {
            let messages = parser.as_ref().map_or(&[][..], |parser| parser.messages());
            messages.iter().map(|one| to_python(py, one)).collect()
        })
    }

    /// The message whose header has been read, and as much of its body as is certain.
    fn open<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        lock(&self.0).with_dependent(|_, parser| {
            let Some(open) = parser.as_ref().and_then(|parser| parser.open()) else {
                return Ok(None);
            };
            let fields = (
                open.index,
                open.role.as_str(),
                open.channel.map(Channel::as_str),
                open.intent.map(Intent::as_str),
                open.recipient,
                open.said,
            );
            class(py, "OpenMessage")?.call1(fields).map(Some)
        })
    }

    /// Ends the input.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let parser = lock(&self.0)
            .with_dependent_mut(|_, parser| parser.take().map(|parser| parser.finish()));
        let read = parser.ok_or_else(finished)?;
        transcript(py, &read.map_err(|error| fault::transcript(py, &error))?)
    }
}

/// Turns what a model generates into events for a user.
#[pyclass(frozen, module = "maskwright.transcript")]
pub(crate) struct EventStream(Mutex<StreamCell>);

#[pymethods]
impl EventStream {
    /// A stream of this id; its messages are `ID.0`, `ID.1` and so on. `controls` as for `Parser`.
    #[new]
    #[pyo3(signature = (stream_id, config, controls=Vec::new()))]
    fn new(stream_id: String, config: &Bound<'_, PyAny>, controls: Vec<String>) -> PyResult<Self> {
        let controls = message::controls(&controls)?;
        let cell = StreamCell::new(self::config(config)?, |config| {
            Some(toolkit::EventStream::new(
                stream_id,
                controls,
                config.borrow_dependent(),
            ))
        });
        Ok(Self(Mutex::new(cell)))
    }

    /// Takes what was generated, and says what to show.
    fn push<'py>(&self, piece: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.push_all(piece.py(), &[OwnPiece::read(piece)?])
    }

    /// Takes tokens of a vocabulary, and says what to show.
    fn push_tokens<'py>(
        &self,
        py: Python<'py>,
        vocabulary: &Vocabulary,
        tokens: Vec<u32>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.push_all(py, &pieces_of(vocabulary, &tokens))
    }

    /// Withdraws the message that is being shown; none where nothing of one was.
    fn cancel<'py>(&self, py: Python<'py>, reason: String) -> PyResult<Option<Bound<'py, PyAny>>> {
        let cancelled = lock(&self.0)
            .with_dependent(|_, stream| stream.as_ref().map(|stream| stream.cancel(reason)));
        let event = cancelled.ok_or_else(finished)?;
        event.map(|event| self::event(py, &event)).transpose()
    }

    /// Ends the stream.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let stream = lock(&self.0)
            .with_dependent_mut(|_, stream| stream.take().map(|stream| stream.finish()));
        let read = stream.ok_or_else(finished)?;
        transcript(py, &read.map_err(|error| fault::transcript(py, &error))?)
    }
}

impl EventStream {
    fn push_all<'py>(
        &self,
        py: Python<'py>,
        pieces: &[OwnPiece],
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let pushed = lock(&self.0).with_dependent_mut(|_, stream| {
            let stream = stream.as_mut()?;
            let mut events = Vec::new();
            for piece in pieces {
                match stream.push(piece.lent()) {
                    Ok(new) => events.extend(new),
                    Err(error) => return Some(Err(error)),
                }
            }
            Some(Ok(events))
        });
        let events = pushed
            .ok_or_else(finished)?
            .map_err(|error| fault::transcript(py, &error))?;
        events.iter().map(|one| event(py, one)).collect()
    }
}

/// The dataclass of an event.
pub(super) fn event<'py>(py: Python<'py>, event: &StreamEvent) -> PyResult<Bound<'py, PyAny>> {
    let (message_id, text, call_id, reason) = match event {
        StreamEvent::Delta { message_id, text } => (Some(message_id), Some(text), None, None),
        StreamEvent::Flush { message_id } => (Some(message_id), None, None, None),
        StreamEvent::Cancel { message_id, reason } => (Some(message_id), None, None, Some(reason)),
        StreamEvent::ToolCancel { call_id, reason } => (None, None, Some(call_id), Some(reason)),
        _ => (None, None, None, None),
    };
    let fields = (event.name(), message_id, text, call_id, reason);
    class(py, "StreamEvent")?.call1(fields)
}
