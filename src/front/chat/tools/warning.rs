//! What of a tools file is not read.

use std::fmt;

/// Something of a tools file that is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolsWarning {
    /// Where it stands: a JSON pointer as a URI fragment.
    pub pointer: String,
    /// What it is, and what was perhaps meant.
    pub message: String,
}

impl fmt::Display for ToolsWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tools file, {}: {}", self.pointer, self.message)
    }
}
