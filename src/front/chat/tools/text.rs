//! Texts that the readers of tools write: JSON strings, and errors of shape.

use std::fmt::Write as _;

use crate::front::chat::ToolsError;

/// A JSON string (RFC 8259, section 7).
pub(super) fn quoted(text: &str) -> String {
    let mut out = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if u32::from(c) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

pub(super) fn shape(pointer: impl Into<String>, expected: impl Into<String>) -> ToolsError {
    ToolsError::Shape {
        pointer: pointer.into(),
        expected: expected.into(),
    }
}
