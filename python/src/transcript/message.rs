//! Messages and what is made of them, as dataclasses of `maskwright.transcript` and back.

use maskwright_transcript::DocumentHeader as Header;
use maskwright_transcript::{
    Channel, ControlSet, ControlToken, FilePart, Intent, Loss, Message, Note, Part, PartKind,
    Piece, Role, Shown, Span, Terminator, Thought, Transcript,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::error::Failure;
use crate::keywords::choice;
use crate::vocabulary::bytes_of;

/// A class of `maskwright.transcript`.
pub(super) fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("maskwright.transcript")?.getattr(name)
}

const ROLES: [Role; 5] = [
    Role::System,
    Role::Developer,
    Role::User,
    Role::Assistant,
    Role::Tool,
];
const CHANNELS: [Channel; 3] = [Channel::Analysis, Channel::Commentary, Channel::Final];
const INTENTS: [Intent; 3] = [Intent::Preamble, Intent::Status, Intent::Debug];
const TERMINATORS: [(&str, Terminator); 3] = [
    ("end", Terminator::End),
    ("call", Terminator::Call),
    ("return", Terminator::Return),
];

fn thought(name: &str) -> PyResult<Thought> {
    Ok(choice(
        "thought",
        name,
        &Thought::ALL.map(|kind| (kind.as_str(), kind)),
    )?)
}

fn pair(span: Span) -> (usize, usize) {
    (span.start, span.end)
}

fn span(given: &Bound<'_, PyAny>) -> PyResult<Span> {
    let (start, end): (usize, usize) = given.extract()?;
    match start <= end {
        true => Ok(Span { start, end }),
        false => Err(Failure::invalid(format!("a span from {start} to {end}")).into()),
    }
}

/// The dataclass of a message.
pub(super) fn to_python<'py>(py: Python<'py>, message: &Message) -> PyResult<Bound<'py, PyAny>> {
    let parts = message
        .parts
        .iter()
        .map(|part| part_to_python(py, part))
        .collect::<PyResult<Vec<_>>>()?;
    let fields = PyDict::new(py);
    fields.set_item("name", &message.name)?;
    fields.set_item("recipient", &message.recipient)?;
    fields.set_item("channel", message.channel.map(Channel::as_str))?;
    fields.set_item("intent", message.intent.map(Intent::as_str))?;
    fields.set_item("content_type", &message.content_type)?;
    fields.set_item("constrain", &message.constrain)?;
    fields.set_item("call_id", &message.call_id)?;
    fields.set_item("parts", parts)?;
    let terminator = TERMINATORS
        .iter()
        .find(|(_, known)| *known == message.terminator);
    fields.set_item("terminator", terminator.map(|(name, _)| *name))?;
    fields.set_item("span", pair(message.span))?;
    fields.set_item("body_span", pair(message.body_span))?;
    class(py, "Message")?.call((message.role.as_str(), &message.body), Some(&fields))
}

fn part_to_python<'py>(py: Python<'py>, part: &Part) -> PyResult<Bound<'py, PyAny>> {
    let (kind, detail) = match &part.kind {
        PartKind::Text => ("text", None),
        PartKind::Thought(thought) => ("thought", Some(thought.as_str())),
        PartKind::ThoughtFlag(thought) => ("thought_flag", Some(thought.as_str())),
        PartKind::FunctionList => ("function_list", None),
        PartKind::Call { recipient } => ("call", Some(recipient.as_str())),
        PartKind::Output { tool } => ("output", Some(tool.as_str())),
        _ => ("text", None),
    };
    class(py, "Part")?.call1((kind, &part.text, detail, pair(part.span)))
}

/// The messages of a list of dataclasses.
pub(super) fn messages(given: &Bound<'_, PyAny>) -> PyResult<Vec<Message>> {
    given.try_iter()?.map(|one| from_python(&one?)).collect()
}

/// A message of its dataclass. Parts cannot be made by hand: bodies with them are those of a reader.
pub(super) fn from_python(given: &Bound<'_, PyAny>) -> PyResult<Message> {
    let word = |name: &str| -> PyResult<Option<String>> { given.getattr(name)?.extract() };
    let role: String = given.getattr("role")?.extract()?;
    let role = choice("role", &role, &ROLES.map(|role| (role.as_str(), role)))?;
    let body: String = given.getattr("body")?.extract()?;
    let mut message = Message::new(role, body);
    message.name = word("name")?;
    message.recipient = word("recipient")?;
    if let Some(channel) = word("channel")? {
        message.channel = Some(choice(
            "channel",
            &channel,
            &CHANNELS.map(|it| (it.as_str(), it)),
        )?);
    }
    if let Some(intent) = word("intent")? {
        message.intent = Some(choice(
            "intent",
            &intent,
            &INTENTS.map(|it| (it.as_str(), it)),
        )?);
    }
    message.content_type = word("content_type")?;
    message.constrain = word("constrain")?;
    message.call_id = word("call_id")?;
    let terminator: String = given.getattr("terminator")?.extract()?;
    message.terminator = choice("terminator", &terminator, &TERMINATORS)?;
    message.span = span(&given.getattr("span")?)?;
    message.body_span = span(&given.getattr("body_span")?)?;
    let parts = given.getattr("parts")?;
    message.parts = parts
        .try_iter()?
        .map(|part| part_of(&part?))
        .collect::<PyResult<_>>()?;
    Ok(message)
}

fn part_of(given: &Bound<'_, PyAny>) -> PyResult<Part> {
    let kind: String = given.getattr("kind")?.extract()?;
    let detail: Option<String> = given.getattr("detail")?.extract()?;
    let detail = detail.unwrap_or_default();
    let kind = match kind.as_str() {
        "text" => PartKind::Text,
        "thought" => PartKind::Thought(thought(&detail)?),
        "thought_flag" => PartKind::ThoughtFlag(thought(&detail)?),
        "function_list" => PartKind::FunctionList,
        "call" => PartKind::Call { recipient: detail },
        "output" => PartKind::Output { tool: detail },
        _ => return Err(Failure::invalid(format!("a part of the unknown kind {kind:?}")).into()),
    };
    let text: String = given.getattr("text")?.extract()?;
    Ok(Part::new(kind, text, span(&given.getattr("span")?)?))
}

/// The dataclass of a transcript.
pub(super) fn transcript<'py>(py: Python<'py>, read: &Transcript) -> PyResult<Bound<'py, PyAny>> {
    let messages = (read.messages().iter())
        .map(|one| to_python(py, one))
        .collect::<PyResult<Vec<_>>>()?;
    let file = |file: &FilePart| {
        class(py, "FilePart")?.call1((file.kind.as_str(), &file.text, pair(file.span)))
    };
    let note = |note: &Note| class(py, "Note")?.call1((note.to_string(), pair(note.span())));
    let fields = PyDict::new(py);
    fields.set_item(
        "files",
        read.files()
            .iter()
            .map(file)
            .collect::<PyResult<Vec<_>>>()?,
    )?;
    fields.set_item(
        "notes",
        read.notes()
            .iter()
            .map(note)
            .collect::<PyResult<Vec<_>>>()?,
    )?;
    fields.set_item("preface", read.preface().map(pair))?;
    fields.set_item(
        "document_header",
        read.document_header().cloned().map(DocumentHeader::of),
    )?;
    fields.set_item("is_version_1", read.is_version_1())?;
    class(py, "Transcript")?.call((read.text(), messages), Some(&fields))
}

pub(super) fn losses<'py>(py: Python<'py>, losses: &[Loss]) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let made = losses.iter().map(|loss| {
        let fields = (loss.index, loss.what.to_string(), pair(loss.span));
        class(py, "Loss")?.call1(fields)
    });
    made.collect()
}

pub(super) fn shown<'py>(py: Python<'py>, shown: &Shown<'_>) -> PyResult<Bound<'py, PyAny>> {
    class(py, "Shown")?.call1((shown.role.as_str(), shown.channel.as_str(), &*shown.text))
}

/// The document header of OpenChatML 2.2.
#[pyclass(frozen, module = "maskwright.transcript")]
pub(crate) struct DocumentHeader(Header);

impl DocumentHeader {
    fn of(header: Header) -> Self {
        Self(header)
    }

    pub(super) fn inner(&self) -> &Header {
        &self.0
    }
}

#[pymethods]
impl DocumentHeader {
    /// The header of a version that says nothing else.
    #[new]
    fn new(major: u32, minor: u32) -> Self {
        Self(Header::version(major, minor))
    }

    /// The major version.
    #[getter]
    fn major(&self) -> u32 {
        self.0.major
    }

    /// The minor version.
    #[getter]
    fn minor(&self) -> u32 {
        self.0.minor
    }

    /// The model that it names.
    #[getter]
    fn model(&self) -> Option<&str> {
        self.0.model.as_deref()
    }

    /// Whether the profile HIP-1 is enabled.
    #[getter]
    fn harmony(&self) -> bool {
        self.0.harmony
    }

    fn __repr__(&self) -> String {
        format!("DocumentHeader({}, {})", self.0.major, self.0.minor)
    }
}

/// A piece of an input, owned.
pub(super) enum OwnPiece {
    Text(Vec<u8>),
    Special(String),
}

impl OwnPiece {
    pub(super) fn lent(&self) -> Piece<'_> {
        match self {
            Self::Text(bytes) => Piece::Text(bytes),
            Self::Special(name) => Piece::special(name),
        }
    }

    /// Of a text or bytes, or of the dataclass `Control`.
    pub(super) fn read(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        match given.is_instance(&class(given.py(), "Control")?)? {
            true => Ok(Self::Special(given.getattr("name")?.extract()?)),
            false => Ok(Self::Text(bytes_of(given)?)),
        }
    }
}

pub(super) fn pieces(given: &Bound<'_, PyAny>) -> PyResult<Vec<OwnPiece>> {
    given.try_iter()?.map(|one| OwnPiece::read(&one?)).collect()
}

/// A piece as Python has it; what a renderer writes is whole characters.
pub(super) fn piece<'py>(py: Python<'py>, piece: Piece<'_>) -> PyResult<Bound<'py, PyAny>> {
    match piece {
        Piece::Text(bytes) => Ok(PyString::new(py, &String::from_utf8_lossy(bytes)).into_any()),
        Piece::Control(token) => class(py, "Control")?.call1((token.spelling(),)),
        Piece::Foreign(name) => class(py, "Control")?.call1((name,)),
    }
}

/// The control tokens of a vocabulary, as far as a format knows them.
pub(super) fn controls(names: &[String]) -> PyResult<ControlSet> {
    Ok(names
        .iter()
        .filter_map(|name| ControlToken::from_spelling(name))
        .collect())
}

/// The toolkit's errors, as exceptions of `maskwright.transcript`.
pub(super) mod fault {
    use super::{class, pair};
    use maskwright_transcript::{
        ConvertError, HiddenError, InterchangeError, RenderError, ToolError, TranscriptError,
    };
    use pyo3::call::PyCallArgs;
    use pyo3::prelude::*;

    fn raise<'py>(py: Python<'py>, name: &str, fields: impl PyCallArgs<'py>) -> PyErr {
        let made = class(py, name).and_then(|class| class.call1(fields));
        made.map_or_else(|error| error, PyErr::from_value)
    }

    pub(in super::super) fn transcript(py: Python<'_>, error: &TranscriptError) -> PyErr {
        let span = pair(error.span());
        raise(
            py,
            "TranscriptError",
            (error.code().as_str(), error.message(), error.hint(), span),
        )
    }

    pub(in super::super) fn render(py: Python<'_>, error: &RenderError) -> PyErr {
        raise(
            py,
            "RenderError",
            (error.code.as_str(), &error.reason, error.index),
        )
    }

    pub(in super::super) fn convert(py: Python<'_>, error: &ConvertError) -> PyErr {
        raise(
            py,
            "ConvertError",
            (&error.reason, error.index, pair(error.span)),
        )
    }

    pub(in super::super) fn interchange(py: Python<'_>, error: &InterchangeError) -> PyErr {
        raise(py, "InterchangeError", (&error.reason, &error.pointer))
    }

    pub(in super::super) fn hidden(py: Python<'_>, error: &HiddenError) -> PyErr {
        raise(
            py,
            "HiddenError",
            (error.code().as_str(), error.to_string(), pair(error.span)),
        )
    }

    pub(in super::super) fn tool(py: Python<'_>, error: &ToolError) -> PyErr {
        let reply = error.to_reply().to_json();
        let fields = (
            error.code().as_str(),
            error.to_string(),
            error.call_id(),
            error.recipient(),
            error.safe_text(),
            reply,
            pair(error.span()),
        );
        raise(py, "ToolError", fields)
    }
}
