//! What went wrong below, in the terms of this interface: a status and faults.

use super::status::Status;
use maskwright::front::abnf::AbnfErrors;
use maskwright::front::chat::{ChatError, ToolsError};
use maskwright::front::choice::ChoiceError;
use maskwright::front::ebnf::EbnfErrors;
use maskwright::front::json_schema::SchemaError;
use maskwright::front::lark::LarkErrors;
use maskwright::front::regex::RegexError;
use maskwright::front::structural_tag::StructuralTagError;
use maskwright::grammar::GrammarError;
use maskwright::reader::ReadError;
use maskwright::session::{ConstraintError, SessionError};
use maskwright::vocab::VocabError;
use maskwright::{Diagnosis, DiagnosisKind, Fault, SchemaPlace};

/// Why a call failed: a status, and at least one fault.
#[derive(Debug)]
pub(super) struct Failure {
    status: Status,
    faults: Vec<Fault>,
}

impl Failure {
    /// A failure that is nothing but a message.
    pub(super) fn new(status: Status, message: impl std::fmt::Display) -> Self {
        // Whatever kind of error it is: the status says more.
        let faults = Diagnosis::new(DiagnosisKind::InvalidArgument, message).into_faults();
        Self { status, faults }
    }

    pub(super) fn invalid(message: impl std::fmt::Display) -> Self {
        Self::new(Status::InvalidArgument, message)
    }

    pub(super) fn null(name: &str) -> Self {
        Self::new(Status::NullPointer, format_args!("`{name}` is NULL"))
    }

    pub(super) fn status(&self) -> Status {
        self.status
    }

    pub(super) fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// The same failure, with the faults of another after its own.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.faults.extend(other.faults);
        self
    }

    /// Puts `prefix` before each message.
    pub(super) fn about(mut self, prefix: &str) -> Self {
        for fault in &mut self.faults {
            fault.message = format!("{prefix}: {}", fault.message);
        }
        self
    }

    /// What is wrong with a schema that is the whole of the text called `source`.
    pub(super) fn schema(error: &SchemaError, source: &'static str) -> Self {
        Diagnosis::of_schema(error, SchemaPlace::whole(source)).into()
    }
}

impl From<Diagnosis> for Failure {
    fn from(diagnosis: Diagnosis) -> Self {
        let status = match diagnosis.kind() {
            DiagnosisKind::Malformed => Status::Malformed,
            DiagnosisKind::Unsupported => Status::Unsupported,
            DiagnosisKind::Unsatisfiable => Status::Unsatisfiable,
            DiagnosisKind::Limit => Status::Limit,
            DiagnosisKind::NotAllowed => Status::NotAllowed,
            DiagnosisKind::Ended => Status::Ended,
            _ => Status::InvalidArgument,
        };
        let mut faults = diagnosis.into_faults();
        for fault in &mut faults {
            if let Some(place) = fault.line_column {
                // A message that has an excerpt beside it does not say the place itself.
                if fault.excerpt.is_some() {
                    fault.message = format!("{place}: {}", fault.message);
                }
                fault.place.get_or_insert_with(|| place.to_string());
            }
        }
        Self { status, faults }
    }
}

/// What the library refuses, it has a diagnosis of.
macro_rules! diagnosed {
    ($($error:ty),* $(,)?) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Diagnosis::from(error).into()
            }
        }
    )*};
}

diagnosed! {
    AbnfErrors, ChatError, ChoiceError, ConstraintError, EbnfErrors, GrammarError, LarkErrors, ReadError, RegexError,
    SessionError, StructuralTagError, ToolsError, VocabError,
}
