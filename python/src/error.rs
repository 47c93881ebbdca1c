//! What went wrong in the library, as an exception of `maskwright._errors`.

use std::fmt;

use maskwright::base::{LimitError, LineColumn, Report, Reports};
use maskwright::front::abnf::{AbnfErrorKind, AbnfErrors};
use maskwright::front::chat::{ChatError, PromptError, ToolsError};
use maskwright::front::choice::{ChoiceError, ChoiceErrorKind};
use maskwright::front::ebnf::{EbnfErrorKind, EbnfErrors};
use maskwright::front::json_schema::SchemaError;
use maskwright::front::lark::{LarkErrorKind, LarkErrors};
use maskwright::front::regex::{RegexError, RegexErrorKind};
use maskwright::front::structural_tag::StructuralTagError;
use maskwright::grammar::GrammarError;
use maskwright::regular::PatternErrorKind;
use maskwright::session::{ConstraintError, SessionError};
use maskwright::vocab::{Position, VocabError, VocabErrorKind};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Which exception it is: the name of the class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    InvalidArgument,
    Malformed,
    Unsupported,
    Unsatisfiable,
    Limit,
    NotAllowed,
    Ended,
}

impl Kind {
    fn class(self) -> &'static str {
        match self {
            Self::InvalidArgument => "InvalidArgumentError",
            Self::Malformed => "MalformedError",
            Self::Unsupported => "UnsupportedError",
            Self::Unsatisfiable => "UnsatisfiableError",
            Self::Limit => "LimitError",
            Self::NotAllowed => "NotAllowedError",
            Self::Ended => "EndedError",
        }
    }
}

/// What is known of one fault.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fault {
    pub(crate) message: String,
    /// Which text it is in: `schema`, `tools`, `response_schema`, `grammar`.
    pub(crate) source: Option<&'static str>,
    pub(crate) place: Option<(usize, usize)>,
    pub(crate) pointer: Option<String>,
    pub(crate) keyword: Option<String>,
    pub(crate) reason: Option<String>,
    pub(crate) hint: Option<String>,
}

/// Why a call failed: at least one fault, the first of which says what kind.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    kind: Kind,
    faults: Vec<Fault>,
}

impl Failure {
    /// A failure that is nothing but a message.
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self::of(
            kind,
            Fault {
                message: message.into(),
                ..Fault::default()
            },
        )
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(Kind::InvalidArgument, message)
    }

    pub(crate) fn of(kind: Kind, fault: Fault) -> Self {
        Self {
            kind,
            faults: vec![fault],
        }
    }

    pub(crate) fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// The same failure with this hint, unless it has one.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.faults[0].hint.get_or_insert(hint.into());
        self
    }

    /// What is wrong with the schema `text`, which stands at `base`, a JSON pointer, of the text
    /// called `source`.
    pub(crate) fn schema(
        error: &SchemaError,
        text: Option<&str>,
        source: &'static str,
        base: &str,
    ) -> Self {
        let (kind, reason) = match error {
            SchemaError::Unsupported { reason, .. } => (Kind::Unsupported, Some(reason)),
            SchemaError::Malformed { reason, .. } => (Kind::Malformed, Some(reason)),
            SchemaError::Unsatisfiable { .. } => (Kind::Unsatisfiable, None),
            SchemaError::Limit { .. } => (Kind::Limit, None),
            _ => (Kind::Malformed, None),
        };
        let place = match (error, text) {
            (SchemaError::Json { span, .. }, Some(text)) => Some(pair(span.line_column(text))),
            _ => None,
        };
        let pointer = error.pointer().map(|pointer| {
            // Another document's pointer has its URI before it.
            match pointer.strip_prefix('#') {
                Some(rest) => format!("{base}{rest}"),
                None => pointer.to_owned(),
            }
        });
        let fault = Fault {
            message: error.to_string(),
            source: Some(source),
            place,
            pointer,
            keyword: error.keyword().map(str::to_owned),
            reason: reason.cloned(),
            hint: None,
        };
        Self::of(kind, fault)
    }

    /// What is wrong with the parameters of the tool `name`, which stand at `base` of the tools.
    pub(crate) fn tool(error: &SchemaError, name: &str, base: &str) -> Self {
        let mut failure = Self::schema(error, None, "tools", base);
        for fault in &mut failure.faults {
            fault.message = format!("tool `{name}`: {}", fault.message);
        }
        failure
    }

    /// The exception.
    pub(crate) fn raise(&self, py: Python<'_>) -> PyErr {
        let made = || -> PyResult<PyErr> {
            let errors = py.import("maskwright._errors")?;
            let faults = (self.faults.iter())
                .map(|fault| fault.to_python(py))
                .collect::<PyResult<Vec<_>>>()?;
            let class = errors.getattr(self.kind.class())?;
            Ok(PyErr::from_value(class.call1((faults,))?))
        };
        made().unwrap_or_else(|error| error)
    }
}

impl Fault {
    /// The dataclass.
    pub(crate) fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let fields = PyDict::new(py);
        fields.set_item("message", &self.message)?;
        fields.set_item("source", self.source)?;
        fields.set_item("line", self.place.map(|(line, _)| line))?;
        fields.set_item("column", self.place.map(|(_, column)| column))?;
        fields.set_item("pointer", &self.pointer)?;
        fields.set_item("keyword", &self.keyword)?;
        fields.set_item("reason", &self.reason)?;
        fields.set_item("hint", &self.hint)?;
        let class = py.import("maskwright._errors")?.getattr("Fault")?;
        class.call((), Some(&fields))
    }
}

fn pair(place: LineColumn) -> (usize, usize) {
    (place.line, place.column)
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        Python::attach(|py| failure.raise(py))
    }
}

impl From<LimitError> for Failure {
    fn from(error: LimitError) -> Self {
        Self::new(Kind::Limit, error.to_string())
    }
}

/// What a report says of a place in the text called `source`.
fn reported<K: fmt::Display>(report: &Report<K>, source: &'static str) -> Fault {
    Fault {
        message: report.kind().to_string(),
        source: Some(source),
        place: Some(pair(report.place())),
        hint: report.hint().map(str::to_owned),
        ..Fault::default()
    }
}

impl Failure {
    fn reports<K: fmt::Display>(reports: &Reports<K>, kind: impl Fn(&K) -> Kind) -> Self {
        let kinds: Vec<Kind> = reports.iter().map(|report| kind(report.kind())).collect();
        let limit = kinds.iter().find(|kind| **kind == Kind::Limit);
        Self {
            kind: *limit.or(kinds.first()).unwrap_or(&Kind::Malformed),
            faults: reports
                .iter()
                .map(|report| reported(report, "grammar"))
                .collect(),
        }
    }
}

impl From<&AbnfErrors> for Failure {
    fn from(errors: &AbnfErrors) -> Self {
        Self::reports(errors, |kind| match kind {
            AbnfErrorKind::Limit(_) => Kind::Limit,
            AbnfErrorKind::Grammar(error) => grammar_kind(error),
            _ => Kind::Malformed,
        })
    }
}

impl From<EbnfErrors> for Failure {
    fn from(errors: EbnfErrors) -> Self {
        Self::reports(&errors, |kind| match kind {
            EbnfErrorKind::Limit(_) => Kind::Limit,
            EbnfErrorKind::Grammar(error) => grammar_kind(error),
            EbnfErrorKind::Unsupported { .. } => Kind::Unsupported,
            _ => Kind::Malformed,
        })
    }
}

impl From<LarkErrors> for Failure {
    fn from(errors: LarkErrors) -> Self {
        Self::reports(&errors, |kind| match kind {
            LarkErrorKind::Limit(_) => Kind::Limit,
            LarkErrorKind::Pattern(kind) => pattern_kind(kind),
            LarkErrorKind::Grammar(error) => grammar_kind(error),
            LarkErrorKind::Unsupported { .. } => Kind::Unsupported,
            _ => Kind::Malformed,
        })
    }
}

impl From<RegexError> for Failure {
    fn from(error: RegexError) -> Self {
        let mut fault = reported(&error, "regex");
        if let RegexErrorKind::Pattern(kind) = error.kind() {
            fault.keyword = kind.construct().map(str::to_owned);
            fault.reason = Some(kind.to_string());
        }
        Self::of(regex_kind(error.kind()), fault)
    }
}

fn regex_kind(kind: &RegexErrorKind) -> Kind {
    match kind {
        RegexErrorKind::Pattern(kind) => pattern_kind(kind),
        RegexErrorKind::NoText => Kind::Unsatisfiable,
        RegexErrorKind::Limit(_) => Kind::Limit,
        RegexErrorKind::Grammar(error) => grammar_kind(error),
        _ => Kind::Malformed,
    }
}

fn pattern_kind(kind: &PatternErrorKind) -> Kind {
    match kind {
        PatternErrorKind::Limit(_) => Kind::Limit,
        kind if kind.is_unsupported() => Kind::Unsupported,
        _ => Kind::Malformed,
    }
}

impl From<ChoiceError> for Failure {
    fn from(error: ChoiceError) -> Self {
        let kind = match error.kind() {
            ChoiceErrorKind::Limit(_) => Kind::Limit,
            ChoiceErrorKind::Empty => Kind::Unsatisfiable,
            _ => Kind::Malformed,
        };
        Self::of(kind, reported(&error, "choice"))
    }
}

impl From<StructuralTagError> for Failure {
    fn from(error: StructuralTagError) -> Self {
        let mut fault = Fault {
            message: error.to_string(),
            source: Some("structural_tag"),
            ..Fault::default()
        };
        let kind = match error {
            StructuralTagError::Json { place, .. } => {
                fault.place = Some(pair(place));
                Kind::Malformed
            }
            StructuralTagError::Unsupported { pointer, .. } => {
                fault.pointer = Some(pointer);
                Kind::Unsupported
            }
            StructuralTagError::Schema { pointer, source } => {
                return Self::schema(&source, None, "structural_tag", &pointer);
            }
            StructuralTagError::Regex { pointer, source } => {
                fault.pointer = Some(pointer);
                fault.hint = source.hint().map(str::to_owned);
                regex_kind(source.kind())
            }
            StructuralTagError::Limit(_) => Kind::Limit,
            StructuralTagError::Grammar(error) => grammar_kind(&error),
            StructuralTagError::Shape { pointer, .. }
            | StructuralTagError::Unknown { pointer, .. }
            | StructuralTagError::Conflict { pointer, .. }
            | StructuralTagError::Ebnf { pointer, .. } => {
                fault.pointer = Some(pointer);
                Kind::Malformed
            }
            _ => Kind::Malformed,
        };
        Self::of(kind, fault)
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
            ToolsError::Limit(_) => return Self::of(Kind::Limit, fault),
            ToolsError::Json { place, .. } => fault.place = Some(pair(place)),
            ToolsError::Shape { pointer, .. }
            | ToolsError::Name { pointer, .. }
            | ToolsError::Duplicate { pointer, .. } => fault.pointer = Some(pointer),
            _ => {}
        }
        Self::of(Kind::Malformed, fault)
    }
}

impl From<ChatError> for Failure {
    fn from(error: ChatError) -> Self {
        let message = error.to_string();
        match error {
            ChatError::Abnf { errors, .. } => Self::from(&errors),
            ChatError::Tool {
                name,
                pointer,
                source,
            } => Self::tool(&source, &name, &pointer),
            ChatError::Response { source } => Self::schema(&source, None, "response_schema", "#"),
            ChatError::Json { source, .. } => Self::schema(&source, None, "schema", "#"),
            ChatError::ControlToken { .. } | ChatError::Prose { .. } => {
                Self::new(Kind::Malformed, message)
            }
            ChatError::BuiltIns(source) => source.into(),
            ChatError::Empty { .. } => Self::new(Kind::Unsatisfiable, message),
            ChatError::Grammar { source, .. } => Self::new(grammar_kind(&source), message),
            _ => Self::invalid(message),
        }
    }
}

impl From<PromptError> for Failure {
    fn from(error: PromptError) -> Self {
        Self::new(Kind::Malformed, error.to_string())
    }
}

fn grammar_kind(error: &GrammarError) -> Kind {
    match error {
        GrammarError::Limit { .. } => Kind::Limit,
        GrammarError::Unproductive { .. } => Kind::Unsatisfiable,
        _ => Kind::Malformed,
    }
}

impl From<GrammarError> for Failure {
    fn from(error: GrammarError) -> Self {
        Self::new(grammar_kind(&error), error.to_string())
    }
}

impl From<ConstraintError> for Failure {
    fn from(error: ConstraintError) -> Self {
        let kind = match &error {
            ConstraintError::MissingBytes { .. } | ConstraintError::TextNeedsByte { .. } => {
                Kind::Unsupported
            }
            ConstraintError::Unspellable { .. } => Kind::Unsatisfiable,
            ConstraintError::Limit(_) => Kind::Limit,
            _ => Kind::InvalidArgument,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        let kind = match &error {
            SessionError::NotAllowed { .. } | SessionError::Lead { .. } => Kind::NotAllowed,
            SessionError::Ended => Kind::Ended,
            SessionError::Limit(_) => Kind::Limit,
            _ => Kind::InvalidArgument,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<VocabError> for Failure {
    fn from(error: VocabError) -> Self {
        let kind = match error.kind() {
            VocabErrorKind::Unsupported { .. } => Kind::Unsupported,
            VocabErrorKind::Limit(_) => Kind::Limit,
            _ => Kind::Malformed,
        };
        let mut fault = Fault {
            message: error.to_string(),
            hint: error.hint().map(str::to_owned),
            ..Fault::default()
        };
        match error.place().map(|place| &place.position) {
            Some(Position::Line(line)) => fault.place = Some((*line, 1)),
            Some(Position::LineColumn(line, column)) => fault.place = Some((*line, *column)),
            Some(Position::Pointer(pointer)) => fault.pointer = Some(pointer.clone()),
            _ => {}
        }
        Self::of(kind, fault)
    }
}
