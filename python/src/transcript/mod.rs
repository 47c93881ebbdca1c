//! The transcript toolkit: messages are dataclasses of `maskwright.transcript`, and go in and come out as such.

mod config;
mod message;
mod router;
mod stream;

use maskwright_transcript::{
    self as toolkit, Audience, Ending, Format, RenderOptions, SpeltControls,
};
use pyo3::prelude::*;

pub(crate) use self::message::DocumentHeader;
pub(crate) use self::router::{ToolRouter, read_reply};
pub(crate) use self::stream::{EventStream, Parser};

use self::config::Judged;
use self::message::{class, fault, from_python, messages, pieces, shown, to_python, transcript};
use crate::json;
use crate::keywords::choice;

/// The format of this name.
fn format(name: &str) -> PyResult<Format> {
    let known = Format::ALL.map(|format| (format.name(), format));
    Ok(choice("format", name, &known)?)
}

fn audience(name: &str) -> PyResult<Audience> {
    let known = [("user", Audience::User), ("debug", Audience::Debug)];
    Ok(choice("audience", name, &known)?)
}

/// Reads a text in which the spellings of control tokens are control tokens.
#[pyfunction]
pub(crate) fn parse<'py>(text: &str, config: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = config.py();
    let judged = Judged::read(config)?;
    let read = judged.with(|config| toolkit::parse(text, config));
    let read = read.map_err(|error| fault::transcript(py, &error))?;
    transcript(py, &read)
}

/// Reads pieces: texts or bytes of ordinary tokens, and control tokens.
#[pyfunction]
pub(crate) fn parse_pieces<'py>(
    given: &Bound<'py, PyAny>,
    controls: Vec<String>,
    config: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = config.py();
    let judged = Judged::read(config)?;
    let given = pieces(given)?;
    let controls = message::controls(&controls)?;
    let read = judged.with(|config| {
        toolkit::parse_pieces(given.iter().map(|piece| piece.lent()), controls, config)
    });
    let read = read.map_err(|error| fault::transcript(py, &error))?;
    transcript(py, &read)
}

/// Writes messages in a format: the text, its pieces, and ChatML's message list.
#[pyfunction]
#[pyo3(signature = (given, format, *, ending, spelt, header, sequence_start, sequence_end))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn render<'py>(
    given: &Bound<'py, PyAny>,
    format: &str,
    ending: &str,
    spelt: &str,
    header: Option<&DocumentHeader>,
    sequence_start: Option<String>,
    sequence_end: Option<String>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = given.py();
    let mut options = RenderOptions::new(self::format(format)?);
    let endings = [
        ("conversation", Ending::Conversation),
        ("prompt", Ending::Prompt),
    ];
    options.ending = choice("ending", ending, &endings)?;
    let spellings = [
        ("refused", SpeltControls::Refused),
        ("text", SpeltControls::Text),
    ];
    options.spelt = choice("spelt", spelt, &spellings)?;
    if let Some(header) = header {
        options.header = header.inner().clone();
    }
    if let Some(start) = sequence_start {
        options.sequence_start = start;
    }
    if let Some(end) = sequence_end {
        options.sequence_end = end;
    }
    let rendered =
        toolkit::render(&messages(given)?, &options).map_err(|error| fault::render(py, &error))?;
    let pieces = (rendered.pieces())
        .map(|piece| message::piece(py, piece))
        .collect::<PyResult<Vec<_>>>()?;
    class(py, "Rendered")?.call1((rendered.text(), pieces, rendered.token_list()))
}

/// Takes messages of one format to another.
#[pyfunction]
pub(crate) fn convert<'py>(given: &Bound<'py, PyAny>, to: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = given.py();
    let converted = toolkit::convert(&messages(given)?, format(to)?);
    let converted = converted.map_err(|error| fault::convert(py, &error))?;
    let output = (converted.output.iter())
        .map(|one| to_python(py, one))
        .collect::<PyResult<Vec<_>>>()?;
    let losses = message::losses(py, &converted.losses)?;
    class(py, "Converted")?.call1((output, losses))
}

/// Writes messages as OpenAI's chat messages.
#[pyfunction]
pub(crate) fn to_openai<'py>(given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = given.py();
    let converted = toolkit::to_openai(&messages(given)?);
    let output = py
        .import("json")?
        .call_method1("loads", (converted.output,))?;
    let losses = message::losses(py, &converted.losses)?;
    class(py, "Converted")?.call1((output, losses))
}

/// Reads OpenAI's chat messages.
#[pyfunction]
pub(crate) fn from_openai<'py>(given: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = given.py();
    let read = toolkit::from_openai(&json::text(given)?);
    let read = read.map_err(|error| fault::interchange(py, &error))?;
    for warning in &read.warnings {
        py.import("warnings")?
            .call_method1("warn", (warning.to_string(),))?;
    }
    read.messages.iter().map(|one| to_python(py, one)).collect()
}

/// Writes messages as the JSON of OpenChatML 2.2, section 10.
#[pyfunction]
pub(crate) fn to_interchange<'py>(given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = given.py();
    let written = toolkit::to_interchange(&messages(given)?);
    let written = written.map_err(|error| fault::interchange(py, &error))?;
    py.import("json")?.call_method1("loads", (written,))
}

/// Reads the JSON of OpenChatML 2.2, section 10.
#[pyfunction]
pub(crate) fn from_interchange<'py>(given: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = given.py();
    let read = toolkit::from_interchange(&json::text(given)?);
    let read = read.map_err(|error| fault::interchange(py, &error))?;
    read.iter().map(|one| to_python(py, one)).collect()
}

/// A conversation as it is stored for the next turn.
#[pyfunction]
pub(crate) fn normalise_history<'py>(
    given: &Bound<'py, PyAny>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let kept = toolkit::normalise_history(&messages(given)?);
    kept.iter().map(|one| to_python(given.py(), one)).collect()
}

/// The message that offers tools in a prompt of a format.
#[pyfunction]
pub(crate) fn tool_message<'py>(
    tools: &Bound<'py, PyAny>,
    format: &str,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = tools.py();
    let read = toolkit::ToolDefinitions::parse(&json::text(tools)?);
    let read = read.map_err(|error| fault::interchange(py, &error))?;
    let message = read.message(self::format(format)?);
    message.map(|message| to_python(py, &message)).transpose()
}

/// What an audience sees of a message.
#[pyfunction]
pub(crate) fn show<'py>(given: &Bound<'py, PyAny>, to: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = given.py();
    let message = from_python(given)?;
    let seen = toolkit::show(&message, audience(to)?);
    shown(py, &seen.map_err(|error| fault::hidden(py, &error))?)
}

/// All that an audience sees of a conversation.
#[pyfunction]
pub(crate) fn view<'py>(given: &Bound<'py, PyAny>, to: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let messages = messages(given)?;
    let seen = toolkit::view(&messages, audience(to)?);
    seen.iter().map(|one| shown(given.py(), one)).collect()
}
