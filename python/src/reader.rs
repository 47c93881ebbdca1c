//! `Reader`: takes apart what a model wrote, by the file of its format. Events and messages are dataclasses of
//! `maskwright.reader`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use maskwright::base::{Span, TokenId};
use maskwright::reader::{
    self, Closing, Event, Message, MessagePart, ReadError, ReaderConfig, ReaderPlan, Strictness,
};
use maskwright::session::Engine;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::error::Failure;
use crate::grammar::{Lead, Turn};
use crate::vocabulary::Vocabulary;

/// A reader of one turn. Threads may share it; calls wait for one another.
#[pyclass(frozen, module = "maskwright.reader")]
pub(crate) struct Reader {
    shared: Shared,
    state: Mutex<State>,
}

/// What readers of one request share.
#[derive(Clone)]
struct Shared {
    plan: ReaderPlan,
    lead: Vec<Lead>,
    config: ReaderConfig,
}

enum State {
    Reads(Box<reader::Reader>),
    Failed(ReadError),
    Ended(Message),
}

impl Shared {
    fn begin(&self) -> Result<reader::Reader, ReadError> {
        let mut reader = reader::Reader::new(&self.plan, self.config);
        reader.skip_parts(self.lead.iter().map(Lead::part))?;
        Ok(reader)
    }
}

#[pymethods]
impl Reader {
    /// A reader of turns of a chat format that comes along. With a vocabulary it reads tokens.
    #[staticmethod]
    #[pyo3(signature = (name, *, vocabulary=None, lenient=false, closed=false, **options))]
    fn from_format(
        name: &Bound<'_, PyAny>,
        vocabulary: Option<&Bound<'_, Vocabulary>>,
        lenient: bool,
        closed: bool,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let py = name.py();
        let given = options.map_or_else(|| Ok(PyDict::new(py)), |options| options.copy())?;
        given.set_item("vocabulary", vocabulary)?;
        let turn = Turn::of_built_in(py, &name.extract::<String>()?, Some(&given))?;
        let engine = vocabulary.map(|vocabulary| &vocabulary.get().engine);
        Self::new(py, &turn, engine, (lenient, closed))
    }

    /// A reader of turns of a chat format that an ABNF text describes.
    #[staticmethod]
    #[pyo3(signature = (text, *, vocabulary=None, lenient=false, closed=false, **options))]
    fn from_abnf(
        py: Python<'_>,
        text: &str,
        vocabulary: Option<&Vocabulary>,
        lenient: bool,
        closed: bool,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let turn = Turn::of_abnf(py, text, vocabulary, options)?;
        let engine = vocabulary.map(|vocabulary| &vocabulary.engine);
        Self::new(py, &turn, engine, (lenient, closed))
    }

    /// Why it cannot be shown that each turn of a format that an ABNF text describes has one reading; `None` where it can.
    #[staticmethod]
    #[pyo3(signature = (text, **options))]
    fn unsettled(
        py: Python<'_>,
        text: &str,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Option<String>> {
        let turn = Turn::of_abnf(py, text, None, options)?;
        let settled = py.detach(|| ReaderPlan::settle(&turn.format, &turn.start, &turn.options));
        let settled = settled.map_err(Failure::from)?;
        Ok(settled.err().map(|unsettled| unsettled.to_string()))
    }

    /// A reader of another turn of the same request.
    fn again(&self) -> PyResult<Self> {
        Self::of(self.shared.clone())
    }

    /// Reads more text, and gives what is certain now and was not before.
    fn feed<'py>(&self, text: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let py = text.py();
        let events = match text.cast::<PyBytes>() {
            Ok(bytes) => self.read(py, |reader| reader.feed_bytes(bytes.as_bytes())),
            Err(_) => {
                let text: String = text.extract()?;
                self.read(py, |reader| reader.feed(&text))
            }
        };
        to_python(py, events?)
    }

    /// Reads more tokens.
    fn feed_tokens<'py>(
        &self,
        py: Python<'py>,
        tokens: Vec<u32>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let tokens: Vec<TokenId> = tokens.into_iter().map(TokenId::new).collect();
        let events = self.read(py, |reader| reader.feed_tokens(&tokens));
        to_python(py, events?)
    }

    /// Ends the turn, and gives the last events.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let mut state = self.lock();
        let ended = std::mem::replace(&mut *state, State::Ended(Message::default()));
        let finished = match ended {
            State::Reads(reader) => reader.finish(),
            State::Failed(error) => Err(error),
            State::Ended(message) => {
                *state = State::Ended(message);
                return Err(Failure::invalid("the turn is finished already").into());
            }
        };
        match finished {
            Ok((events, message)) => {
                *state = State::Ended(message);
                drop(state);
                to_python(py, events)
            }
            Err(error) => {
                *state = State::Failed(error.clone());
                Err(raised(py, &error))
            }
        }
    }

    /// What the turn says, once it is finished.
    #[getter]
    fn message<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match &*self.lock() {
            State::Ended(message) => message_to_python(py, message).map(Some),
            _ => Ok(None),
        }
    }

    fn __repr__(&self) -> &'static str {
        match &*self.lock() {
            State::Reads(_) => "<Reader of a turn>",
            State::Failed(_) => "<Reader of what is no turn>",
            State::Ended(_) => "<Reader of a turn that is finished>",
        }
    }
}

impl Reader {
    pub(crate) fn new(
        py: Python<'_>,
        turn: &Turn,
        engine: Option<&Engine>,
        (lenient, closed): (bool, bool),
    ) -> PyResult<Self> {
        let made = py.detach(|| ReaderPlan::new(&turn.format, &turn.start, &turn.options));
        let plan = made.map_err(Failure::from)?;
        let plan = match engine {
            Some(engine) => plan.with_vocabulary(engine.shared_vocabulary()),
            None => plan,
        };
        let mut config = ReaderConfig::default();
        if lenient {
            config.strictness = Strictness::Lenient;
        }
        if closed {
            config.closing = Closing::Needed;
        }
        Self::of(Shared {
            plan,
            lead: turn.lead.clone(),
            config,
        })
    }

    fn of(shared: Shared) -> PyResult<Self> {
        let reader = shared.begin().map_err(|_| {
            Failure::invalid("no turn of the format begins with what the prompt has of it")
        })?;
        Ok(Self {
            shared,
            state: Mutex::new(State::Reads(Box::new(reader))),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(
        &self,
        py: Python<'_>,
        feed: impl FnOnce(&mut reader::Reader) -> Result<Vec<Event>, ReadError>,
    ) -> PyResult<Vec<Event>> {
        match &mut *self.lock() {
            State::Reads(reader) => feed(reader).map_err(|error| raised(py, &error)),
            State::Failed(error) => Err(raised(py, error)),
            State::Ended(_) => Err(Failure::invalid("the turn is finished already").into()),
        }
    }
}

/// A class of `maskwright.reader`.
fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("maskwright.reader")?.getattr(name)
}

/// The exception for what is wrong with a text; for what is wrong with the call, that of the package.
fn raised(py: Python<'_>, error: &ReadError) -> PyErr {
    let at = match error {
        ReadError::Unexpected { at }
        | ReadError::Incomplete { at }
        | ReadError::Readings { at, .. } => Some(*at),
        ReadError::Ambiguous { .. } => None,
        _ => return Failure::invalid(error.to_string()).into(),
    };
    let made = class(py, "ReadError").and_then(|class| class.call1((error.to_string(), at)));
    made.map_or_else(|error| error, PyErr::from_value)
}

fn to_python(py: Python<'_>, events: Vec<Event>) -> PyResult<Vec<Bound<'_, PyAny>>> {
    let place = |span: Span| (span.start, span.end);
    let event = |event: Event| match event {
        Event::Reasoning { text, span } => class(py, "Reasoning")?.call1((text, place(span))),
        Event::Content { text, span } => class(py, "Content")?.call1((text, place(span))),
        Event::Call {
            index,
            name,
            id,
            span,
        } => class(py, "Call")?.call1((index, name, id, place(span))),
        Event::CallId { index, id, span } => class(py, "CallId")?.call1((index, id, place(span))),
        Event::Arguments { index, text, span } => {
            class(py, "Arguments")?.call1((index, text, place(span)))
        }
        Event::Argument {
            index,
            name,
            value,
            span,
        } => class(py, "Argument")?.call1((index, name, value, place(span))),
        Event::CallEnd { index, span } => class(py, "CallEnd")?.call1((index, place(span))),
        Event::Broken { span } => class(py, "Broken")?.call1((place(span),)),
        Event::End { is_complete, span } => class(py, "End")?.call1((is_complete, place(span))),
        other => Err(Failure::invalid(format!("an event without a class: {other:?}")).into()),
    };
    events.into_iter().map(event).collect()
}

fn message_to_python<'py>(py: Python<'py>, message: &Message) -> PyResult<Bound<'py, PyAny>> {
    let part = |part: &MessagePart| match part {
        MessagePart::Reasoning(text) => class(py, "Text")?.call1(("reasoning", text)),
        MessagePart::Content(text) => class(py, "Text")?.call1(("content", text)),
        MessagePart::Call(call) => class(py, "MessageCall")?.call1((
            &call.name,
            call.id.as_deref(),
            &call.arguments,
            call.is_complete,
        )),
        other => Err(Failure::invalid(format!("a part without a class: {other:?}")).into()),
    };
    let parts: PyResult<Vec<_>> = message.parts.iter().map(part).collect();
    let parts = PyTuple::new(py, parts?)?;
    class(py, "Message")?.call1((parts, message.is_complete, message.broken_at))
}
