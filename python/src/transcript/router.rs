//! `ToolRouter`: tool calls on their way, and what comes back.

use std::sync::{Mutex, MutexGuard, PoisonError};

use maskwright_transcript::{
    self as toolkit, ArgumentValidator, BodyDeadlines, ReplyEnvelope, RouterConfig,
};
use pyo3::prelude::*;
use self_cell::self_cell;

use super::config::Judge;
use super::message::{class, fault, from_python};
use super::stream::event;

type Router<'a> = toolkit::ToolRouter<'a>;

self_cell!(
    struct RouterCell {
        owner: Option<Judge>,
        #[not_covariant]
        dependent: Router,
    }
);

/// Routes the calls of one conversation. Times are the caller's milliseconds.
#[pyclass(frozen, module = "maskwright.transcript")]
pub(crate) struct ToolRouter(Mutex<RouterCell>);

impl ToolRouter {
    fn lock(&self) -> MutexGuard<'_, RouterCell> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl ToolRouter {
    /// A router without routes. A tool may take `deadline_ms`; with `body_deadlines` a call may say its own.
    /// `arguments` is called with a recipient and its arguments, and raises where they do not suit.
    #[new]
    #[pyo3(signature = (*, deadline_ms=None, body_deadlines=false, arguments=None))]
    fn new(deadline_ms: Option<u64>, body_deadlines: bool, arguments: Option<Py<PyAny>>) -> Self {
        let cell = RouterCell::new(arguments.map(Judge::new), |judge| {
            toolkit::ToolRouter::new(RouterConfig {
                deadline_ms,
                body_deadlines: match body_deadlines {
                    true => BodyDeadlines::Read,
                    false => BodyDeadlines::Ignored,
                },
                arguments: judge.as_ref().map(|judge| judge as &dyn ArgumentValidator),
            })
        });
        Self(Mutex::new(cell))
    }

    /// Routes calls of a full name, or of all that begin as `browser.*` does, to what the caller calls `tool`.
    fn route(&self, pattern: String, tool: String) {
        self.lock()
            .with_dependent_mut(|_, router| router.route(pattern, tool));
    }

    /// Sends the calls of a message on their way.
    fn dispatch<'py>(
        &self,
        message: &Bound<'py, PyAny>,
        now: u64,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let py = message.py();
        let message = from_python(message)?;
        let mut sent = Vec::new();
        for call in message.calls() {
            let dispatch = self
                .lock()
                .with_dependent_mut(|_, router| router.dispatch(&call, now));
            let dispatch = dispatch.map_err(|error| fault::tool(py, &error))?;
            let fields = (
                dispatch.call_id,
                dispatch.tool,
                dispatch.recipient,
                dispatch.body,
                dispatch.deadline,
            );
            sent.push(class(py, "Dispatch")?.call1(fields)?);
        }
        Ok(sent)
    }

    /// Takes the reply of a tool.
    fn answer<'py>(&self, reply: &Bound<'py, PyAny>, now: u64) -> PyResult<Bound<'py, PyAny>> {
        let py = reply.py();
        let reply = from_python(reply)?;
        let answer = self
            .lock()
            .with_dependent_mut(|_, router| router.answer(&reply, now));
        let answer = answer.map_err(|error| fault::tool(py, &error))?;
        let envelope = self::envelope(py, &answer.reply)?;
        class(py, "Answer")?.call1((answer.call_id, answer.recipient, envelope))
    }

    /// Closes the calls whose deadline is before `now`, and says which, as exceptions that are not raised.
    fn expire(&self, py: Python<'_>, now: u64) -> Vec<Py<PyAny>> {
        let late = self
            .lock()
            .with_dependent_mut(|_, router| router.expire(now));
        let raised = late
            .iter()
            .map(|error| fault::tool(py, error).into_value(py));
        raised.map(|error| error.into_any()).collect()
    }

    /// When the next open call is late.
    fn next_deadline(&self) -> Option<u64> {
        self.lock()
            .with_dependent(|_, router| router.next_deadline())
    }

    /// Cancels an open call, and gives the event that tells its tool.
    fn cancel<'py>(
        &self,
        py: Python<'py>,
        call_id: &str,
        reason: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let cancelled = self
            .lock()
            .with_dependent_mut(|_, router| router.cancel(call_id, reason));
        event(py, &cancelled.map_err(|error| fault::tool(py, &error))?)
    }

    /// The ids of the open calls, in the order of their dispatch.
    fn open_calls(&self) -> Vec<String> {
        self.lock().with_dependent(|_, router| {
            router.open_calls().into_iter().map(str::to_owned).collect()
        })
    }
}

/// Reads the body of a tool's reply.
#[pyfunction]
pub(crate) fn read_reply<'py>(py: Python<'py>, body: &str) -> PyResult<Bound<'py, PyAny>> {
    envelope(py, &ReplyEnvelope::read(body))
}

fn envelope<'py>(py: Python<'py>, reply: &ReplyEnvelope) -> PyResult<Bound<'py, PyAny>> {
    let error = reply
        .error
        .as_ref()
        .map(|error| (error.code.as_str(), error.message.as_str()));
    let provenance = reply.provenance.as_ref();
    let provenance = provenance.map(|from| (&from.source, &from.timestamp, &from.checksum));
    class(py, "ReplyEnvelope")?.call1((
        reply.ok,
        &reply.content,
        error,
        provenance,
        reply.to_json(),
    ))
}
