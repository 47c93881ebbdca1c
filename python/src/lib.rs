//! The Python package's native half: the session API, as classes of Python.
//!
//! What is wrong becomes an exception (`error`), what callers say by keyword is read in `options`, and memory
//! of others is reached in `memory` alone, the one file with `unsafe`. The layers above it are those of the
//! library: a vocabulary, a grammar, a constraint, a session, and batches of sessions.

mod bitmask;
mod check;
mod constraint;
mod error;
mod fill;
mod fork;
mod grammar;
mod json;
mod keywords;
mod memory;
mod options;
mod reader;
mod session;
mod transcript;
mod vocabulary;

use pyo3::prelude::*;

/// The module `maskwright._native`.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use super::bitmask::Bitmask;
    #[pymodule_export]
    use super::check::{check_schema, lint_schema, schema_report};
    #[pymodule_export]
    use super::constraint::Constraint;
    #[pymodule_export]
    use super::fill::fill;
    #[pymodule_export]
    use super::grammar::{Grammar, built_in_formats, flags_of, format_of};
    #[pymodule_export]
    use super::reader::Reader;
    #[pymodule_export]
    use super::session::Session;
    #[pymodule_export]
    use super::vocabulary::{Vocabulary, chat_template_of_gguf};

    #[pymodule_export]
    use super::transcript::{
        DocumentHeader, EventStream, Parser, ToolRouter, convert, from_interchange, from_openai,
        normalise_history, parse, parse_pieces, read_reply, render, show, to_interchange,
        to_openai, tool_message, view,
    };
}
