//! Texts that the readers of tools write: JSON strings, and errors of shape.

use crate::front::chat::ToolsError;

pub(super) fn shape(pointer: impl Into<String>, expected: impl Into<String>) -> ToolsError {
    ToolsError::Shape {
        pointer: pointer.into(),
        expected: expected.into(),
    }
}
