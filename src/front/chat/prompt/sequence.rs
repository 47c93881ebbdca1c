//! The calls and the flags of an OpenChatML 0.1 conversation (sections 4 and 8).

use super::source::Source;
use crate::base::Limits;
use crate::front::chat::Format;
use crate::front::chat::options::OpenCall;
use crate::front::chat::profile::{Thought, Thoughts};
use crate::front::json_schema::Document;

const CALL: &str = "<|function_call|>";
const OUTPUT: &str = "<|function_output|>";
const REFLECT: &str = "<|reflect|>";
const MESSAGE: &str = "<|im_start|>";

fn has(format: &Format, name: &str) -> bool {
    format.controls().iter().any(|control| control == name)
}

/// Whether the format has function calls that are answered in their order.
pub(super) fn has_functions(format: &Format) -> bool {
    has(format, CALL) && has(format, OUTPUT)
}

/// Whether the format has flags of thoughts.
pub(super) fn has_thoughts(format: &Format) -> bool {
    has(format, REFLECT)
}

/// The segments with the role of the message in which each stands.
fn segments(source: &Source) -> impl Iterator<Item = (&str, &str, &str)> {
    source.segments(0).scan("", |role, (control, text)| {
        if control == MESSAGE {
            *role = text.split([' ', '\t', '\n']).next().unwrap_or_default();
        }
        Some((*role, control, text))
    })
}

/// The calls that no output answers; outputs come in the order of the calls.
pub(super) fn open_calls(source: &Source, limits: &Limits) -> Vec<OpenCall> {
    let mut open = Vec::new();
    let mut answered = 0;
    for (role, control, text) in segments(source) {
        match (role, control) {
            ("assistant", CALL) => open.extend(called(text.trim(), limits)),
            ("tool", OUTPUT) => answered += 1,
            _ => {}
        }
    }
    open.drain(..answered.min(open.len()));
    open
}

/// The call that a JSON object makes.
fn called(text: &str, limits: &Limits) -> Option<OpenCall> {
    let document = Document::read(text, limits).ok()?;
    let name = document.string(document.get(document.root(), "name")?)?;
    Some(OpenCall {
        id: None,
        name: name.into_owned(),
    })
}

/// The thoughts that system messages demand.
pub(super) fn thoughts(source: &Source) -> Thoughts {
    let mut thoughts = Thoughts::default();
    for (role, control, _) in segments(source) {
        match (role, control) {
            ("system", REFLECT) => thoughts.reflect = Thought::Demanded,
            ("system", "<|introspect|>") => thoughts.introspect = Thought::Demanded,
            ("system", "<|reason|>") => thoughts.reason = Thought::Demanded,
            _ => {}
        }
    }
    thoughts
}
