//! What went wrong below, in the terms of this interface: a status and faults.

use super::status::Status;
use maskwright::base::Report;
use maskwright::front::abnf::AbnfErrors;
use maskwright::front::chat::{ChatError, ToolsError};
use maskwright::front::choice::{ChoiceError, ChoiceErrorKind};
use maskwright::front::ebnf::{EbnfErrorKind, EbnfErrors};
use maskwright::front::json_schema::SchemaError;
use maskwright::front::lark::{LarkErrorKind, LarkErrors};
use maskwright::front::regex::{RegexError, RegexErrorKind};
use maskwright::front::structural_tag::StructuralTagError;
use maskwright::grammar::GrammarError;
use maskwright::reader::ReadError;
use maskwright::regular::PatternErrorKind;
use maskwright::session::{ConstraintError, SessionError};
use maskwright::vocab::{VocabError, VocabErrorKind};

/// Why a call failed: a status, and at least one fault.
#[derive(Debug)]
pub(super) struct Failure {
    status: Status,
    faults: Vec<Fault>,
}

/// What is known of a fault: `enum mw_field`.
#[derive(Debug, Default)]
pub(super) struct Fault {
    pub(super) message: String,
    pub(super) source: Option<&'static str>,
    pub(super) place: Option<String>,
    pub(super) pointer: Option<String>,
    pub(super) keyword: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) hint: Option<String>,
}

impl Failure {
    /// A failure that is nothing but a message.
    pub(super) fn new(status: Status, message: impl Into<String>) -> Self {
        let fault = Fault {
            message: message.into(),
            ..Fault::default()
        };
        Self::of(status, fault)
    }

    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::new(Status::InvalidArgument, message)
    }

    pub(super) fn null(name: &str) -> Self {
        Self::new(Status::NullPointer, format!("`{name}` is NULL"))
    }

    fn of(status: Status, fault: Fault) -> Self {
        Self {
            status,
            faults: vec![fault],
        }
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

    /// What is wrong with the schema at `base`, a JSON pointer, of the text called `source`.
    pub(super) fn schema(error: &SchemaError, source: &'static str, base: &str) -> Self {
        let (status, reason) = match error {
            SchemaError::Unsupported { reason, .. } => (Status::Unsupported, Some(reason)),
            SchemaError::Malformed { reason, .. } => (Status::Malformed, Some(reason)),
            SchemaError::Unsatisfiable { .. } => (Status::Unsatisfiable, None),
            SchemaError::Limit { .. } => (Status::Limit, None),
            _ => (Status::Malformed, None),
        };
        let pointer = error.pointer().unwrap_or("#").trim_start_matches('#');
        let fault = Fault {
            message: error.to_string(),
            source: Some(source),
            pointer: Some(format!("{base}{pointer}")),
            keyword: error.keyword().map(str::to_owned),
            reason: reason.cloned(),
            ..Fault::default()
        };
        Self::of(status, fault)
    }

    /// Puts `prefix` before each message.
    pub(super) fn about(mut self, prefix: &str) -> Self {
        for fault in &mut self.faults {
            fault.message = format!("{prefix}: {}", fault.message);
        }
        self
    }

    /// What is wrong with the parameters of a tool, which stand at `base` of the tools file.
    pub(super) fn tool(error: &SchemaError, name: &str, base: &str) -> Self {
        Self::schema(error, "tools", base).about(&format!("tool `{name}`"))
    }
}

impl From<&AbnfErrors> for Failure {
    fn from(errors: &AbnfErrors) -> Self {
        let fault = |error: &maskwright::front::abnf::AbnfError| Fault {
            message: error.to_string(),
            source: Some("grammar"),
            place: Some(error.place().to_string()),
            hint: error.hint().map(str::to_owned),
            ..Fault::default()
        };
        Self {
            status: Status::Malformed,
            faults: errors.iter().map(fault).collect(),
        }
    }
}

impl From<ToolsError> for Failure {
    fn from(error: ToolsError) -> Self {
        let mut fault = Fault {
            message: error.to_string(),
            source: Some("tools"),
            ..Fault::default()
        };
        match error {
            ToolsError::Limit(_) => return Self::of(Status::Limit, fault),
            ToolsError::Json { place, .. } => fault.place = Some(place.to_string()),
            ToolsError::Shape { pointer, .. }
            | ToolsError::Name { pointer, .. }
            | ToolsError::Duplicate { pointer, .. } => fault.pointer = Some(pointer),
            _ => {}
        }
        Self::of(Status::Malformed, fault)
    }
}

impl From<ChatError> for Failure {
    fn from(error: ChatError) -> Self {
        let message = error.to_string();
        match error {
            ChatError::Abnf { errors, .. } => Self::from(&errors),
            ChatError::Prose { place, .. } => {
                let fault = Fault {
                    message,
                    source: Some("grammar"),
                    place: Some(place.to_string()),
                    ..Fault::default()
                };
                Self::of(Status::Malformed, fault)
            }
            ChatError::Tool {
                name,
                pointer,
                source,
            } => Self::tool(&source, &name, &pointer),
            ChatError::Response { source } => Self::schema(&source, "response_schema", "#"),
            ChatError::Empty { .. } => Self::new(Status::Unsatisfiable, message),
            ChatError::Grammar { source, .. } => Self::new(grammar_status(&source), message),
            _ => Self::invalid(message),
        }
    }
}

/// What is wrong with a text that says a language, called `source`.
fn report<K: std::fmt::Display>(report: &Report<K>, source: &'static str) -> Fault {
    Fault {
        message: format!("{}: {}", report.place(), report.kind()),
        source: Some(source),
        place: Some(report.place().to_string()),
        hint: report.hint().map(str::to_owned),
        ..Fault::default()
    }
}

impl From<RegexError> for Failure {
    fn from(error: RegexError) -> Self {
        let mut fault = report(&error, "regex");
        if let RegexErrorKind::Pattern(kind) = error.kind() {
            fault.keyword = kind.construct().map(str::to_owned);
            fault.reason = Some(kind.to_string());
        }
        Self::of(regex_status(error.kind()), fault)
    }
}

fn regex_status(kind: &RegexErrorKind) -> Status {
    match kind {
        RegexErrorKind::Pattern(kind) => pattern_status(kind),
        RegexErrorKind::NoText => Status::Unsatisfiable,
        RegexErrorKind::Limit(_) => Status::Limit,
        RegexErrorKind::Grammar(error) => grammar_status(error),
        _ => Status::Malformed,
    }
}

fn pattern_status(kind: &PatternErrorKind) -> Status {
    match kind {
        PatternErrorKind::Limit(_) => Status::Limit,
        kind if kind.is_unsupported() => Status::Unsupported,
        _ => Status::Malformed,
    }
}

impl From<ChoiceError> for Failure {
    fn from(error: ChoiceError) -> Self {
        let status = match error.kind() {
            ChoiceErrorKind::Limit(_) => Status::Limit,
            _ => Status::Malformed,
        };
        Self::of(status, report(&error, "choice"))
    }
}

impl From<EbnfErrors> for Failure {
    fn from(errors: EbnfErrors) -> Self {
        let kinds = |error: &Report<EbnfErrorKind>| match error.kind() {
            EbnfErrorKind::Limit(_) => Status::Limit,
            EbnfErrorKind::Grammar(error) => grammar_status(error),
            EbnfErrorKind::UnknownStart { .. } => Status::InvalidArgument,
            EbnfErrorKind::Unsupported { .. } => Status::Unsupported,
            _ => Status::Malformed,
        };
        let first = errors.iter().next().map(kinds);
        Self {
            status: first.unwrap_or(Status::Malformed),
            faults: errors.iter().map(|error| report(error, "ebnf")).collect(),
        }
    }
}

impl From<LarkErrors> for Failure {
    fn from(errors: LarkErrors) -> Self {
        let kinds = |error: &Report<LarkErrorKind>| match error.kind() {
            LarkErrorKind::Limit(_) => Status::Limit,
            LarkErrorKind::Pattern(kind) => pattern_status(kind),
            LarkErrorKind::Grammar(error) => grammar_status(error),
            LarkErrorKind::Schema(error) => Self::schema(error, "", "").status,
            LarkErrorKind::UnknownStart { .. } => Status::InvalidArgument,
            LarkErrorKind::Unsupported { .. } => Status::Unsupported,
            _ => Status::Malformed,
        };
        let first = errors.iter().next().map(kinds);
        Self {
            status: first.unwrap_or(Status::Malformed),
            faults: errors.iter().map(|error| report(error, "lark")).collect(),
        }
    }
}

impl From<StructuralTagError> for Failure {
    fn from(error: StructuralTagError) -> Self {
        let mut fault = Fault {
            message: error.to_string(),
            source: Some("structural_tag"),
            pointer: error.pointer().map(str::to_owned),
            ..Fault::default()
        };
        let status = match &error {
            StructuralTagError::Json { place, .. } => {
                fault.place = Some(place.to_string());
                Status::Malformed
            }
            StructuralTagError::Unsupported { .. } => Status::Unsupported,
            StructuralTagError::Schema { source, .. } => Self::schema(source, "", "").status,
            StructuralTagError::Regex { source, .. } => regex_status(source.kind()),
            StructuralTagError::Limit(_) => Status::Limit,
            StructuralTagError::Grammar(error) => grammar_status(error),
            _ => Status::Malformed,
        };
        Self::of(status, fault)
    }
}

fn grammar_status(error: &GrammarError) -> Status {
    match error {
        GrammarError::Limit { .. } => Status::Limit,
        GrammarError::Unproductive { .. } => Status::Unsatisfiable,
        _ => Status::Malformed,
    }
}

impl From<GrammarError> for Failure {
    fn from(error: GrammarError) -> Self {
        Self::new(grammar_status(&error), error.to_string())
    }
}

impl From<ConstraintError> for Failure {
    fn from(error: ConstraintError) -> Self {
        let status = match &error {
            ConstraintError::MissingBytes { .. } | ConstraintError::TextNeedsByte { .. } => {
                Status::Unsupported
            }
            ConstraintError::Unspellable { .. } => Status::Unsatisfiable,
            ConstraintError::Limit(_) => Status::Limit,
            _ => Status::InvalidArgument,
        };
        Self::new(status, error.to_string())
    }
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        let status = match &error {
            SessionError::NotAllowed { .. } => Status::NotAllowed,
            SessionError::Ended => Status::Ended,
            SessionError::Limit(_) => Status::Limit,
            _ => Status::InvalidArgument,
        };
        Self::new(status, error.to_string())
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        let status = match &error {
            ReadError::Unexpected { .. } | ReadError::Incomplete { .. } => Status::Malformed,
            ReadError::Ambiguous { .. } => Status::Unsupported,
            ReadError::Readings { .. } => Status::Limit,
            _ => Status::InvalidArgument,
        };
        let place = match &error {
            ReadError::Unexpected { at }
            | ReadError::Incomplete { at }
            | ReadError::Readings { at, .. } => Some(at.to_string()),
            _ => None,
        };
        let fault = Fault {
            message: error.to_string(),
            place,
            ..Fault::default()
        };
        Self::of(status, fault)
    }
}

impl From<VocabError> for Failure {
    fn from(error: VocabError) -> Self {
        let status = match error.kind() {
            VocabErrorKind::Unsupported { .. } => Status::Unsupported,
            VocabErrorKind::Limit(_) => Status::Limit,
            _ => Status::Malformed,
        };
        let fault = Fault {
            message: error.to_string(),
            place: error.place().map(ToString::to_string),
            hint: error.hint().map(str::to_owned),
            ..Fault::default()
        };
        Self::of(status, fault)
    }
}
