//! What went wrong in the library, as an exception of `maskwright._errors`.

use maskwright::base::LimitError;
use maskwright::front::abnf::AbnfErrors;
use maskwright::front::chat::{ChatError, PromptError, ToolsError};
use maskwright::front::choice::ChoiceError;
use maskwright::front::ebnf::EbnfErrors;
use maskwright::front::json_schema::SchemaError;
use maskwright::front::lark::LarkErrors;
use maskwright::front::regex::RegexError;
use maskwright::front::structural_tag::StructuralTagError;
use maskwright::grammar::GrammarError;
use maskwright::session::{ConstraintError, SessionError};
use maskwright::vocab::VocabError;
use maskwright::{Diagnosis, Fault, SchemaPlace};
use pyo3::prelude::*;
use pyo3::types::PyDict;

pub(crate) use maskwright::DiagnosisKind as Kind;

/// The name of the class of exceptions.
fn class(kind: Kind) -> &'static str {
    match kind {
        Kind::Malformed => "MalformedError",
        Kind::Unsupported => "UnsupportedError",
        Kind::Unsatisfiable => "UnsatisfiableError",
        Kind::Limit => "LimitError",
        Kind::NotAllowed => "NotAllowedError",
        Kind::Ended => "EndedError",
        _ => "InvalidArgumentError",
    }
}

/// Why a call failed: at least one fault, the first of which says what kind.
#[derive(Clone, Debug)]
pub(crate) struct Failure(Diagnosis);

impl Failure {
    /// A failure that is nothing but a message.
    pub(crate) fn new(kind: Kind, message: impl std::fmt::Display) -> Self {
        Self(Diagnosis::new(kind, message))
    }

    pub(crate) fn invalid(message: impl std::fmt::Display) -> Self {
        Self::new(Kind::InvalidArgument, message)
    }

    pub(crate) fn faults(&self) -> &[Fault] {
        self.0.faults()
    }

    /// The same failure with this hint, unless it has one.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self(self.0.hint(hint))
    }

    /// What is wrong with the schema `text`, which is the whole of the text called `source`.
    pub(crate) fn schema(error: &SchemaError, text: Option<&str>, source: &'static str) -> Self {
        let place = SchemaPlace {
            text,
            ..SchemaPlace::whole(source)
        };
        Self(Diagnosis::of_schema(error, place))
    }

    /// The exception.
    pub(crate) fn raise(&self, py: Python<'_>) -> PyErr {
        let made = || -> PyResult<PyErr> {
            let errors = py.import("maskwright._errors")?;
            let faults = (self.faults().iter())
                .map(|fault| to_python(fault, py))
                .collect::<PyResult<Vec<_>>>()?;
            let class = errors.getattr(class(self.0.kind()))?;
            Ok(PyErr::from_value(class.call1((faults,))?))
        };
        made().unwrap_or_else(|error| error)
    }
}

/// A fault as the dataclass.
pub(crate) fn to_python<'py>(fault: &Fault, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
    let fields = PyDict::new(py);
    fields.set_item("message", &fault.message)?;
    fields.set_item("source", fault.source)?;
    fields.set_item("line", fault.line_column.map(|place| place.line))?;
    fields.set_item("column", fault.line_column.map(|place| place.column))?;
    fields.set_item("pointer", &fault.pointer)?;
    fields.set_item("excerpt", &fault.excerpt)?;
    fields.set_item("keyword", &fault.keyword)?;
    fields.set_item("reason", &fault.reason)?;
    fields.set_item("hint", &fault.hint)?;
    let class = py.import("maskwright._errors")?.getattr("Fault")?;
    class.call((), Some(&fields))
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        Python::attach(|py| failure.raise(py))
    }
}

/// What the library refuses, it has a diagnosis of.
macro_rules! diagnosed {
    ($($error:ty),* $(,)?) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self(error.into())
            }
        }
    )*};
}

diagnosed! {
    AbnfErrors, ChatError, ChoiceError, ConstraintError, EbnfErrors, GrammarError, LarkErrors, LimitError, PromptError,
    RegexError, SessionError, StructuralTagError, ToolsError, VocabError,
}
