//! What is wrong with a request or a call, in terms that any host can pass on: of what kind it is, and where.

use std::fmt;

use crate::base::{LimitError, LineColumn, Report, Reports};
use crate::front::abnf::{AbnfErrorKind, AbnfErrors};
use crate::front::chat::{ChatError, PromptError, ToolsError};
use crate::front::choice::{ChoiceError, ChoiceErrorKind};
use crate::front::ebnf::{EbnfErrorKind, EbnfErrors};
use crate::front::json_schema::SchemaError;
use crate::front::lark::{LarkErrorKind, LarkErrors};
use crate::front::regex::{RegexError, RegexErrorKind};
use crate::front::structural_tag::StructuralTagError;
use crate::grammar::GrammarError;
use crate::reader::ReadError;
use crate::regular::PatternErrorKind;
use crate::session::{ConstraintError, SessionError};
use crate::vocab::{Position, VocabError, VocabErrorKind};

use super::RequestError;

/// What a host has to do with an error: who is to be told, and whether the same call can succeed later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DiagnosisKind {
    /// The caller gave what no such call takes.
    InvalidArgument,
    /// A text is not in the language that it should be in.
    Malformed,
    /// Well-formed, and not supported.
    Unsupported,
    /// Well-formed, and nothing can satisfy it.
    Unsatisfiable,
    /// A limit was met.
    Limit,
    /// The constraint forbids it.
    NotAllowed,
    /// The text has ended.
    Ended,
}

/// Why a call failed: of what kind it is, and at least one fault.
///
/// Every error of this crate that a request can meet becomes one by `From`.
///
/// ```
/// use maskwright::{base::Limits, Diagnosis, DiagnosisKind};
/// use maskwright::front::ebnf::Ebnf;
/// let errors = Ebnf::parse("root ::= [b-a]", &Limits::default()).unwrap_err();
/// let diagnosis = Diagnosis::from(errors);
/// assert_eq!(diagnosis.kind(), DiagnosisKind::Malformed);
/// let fault = &diagnosis.faults()[0];
/// assert_eq!(fault.line_column.map(|place| (place.line, place.column)), Some((1, 11)));
/// assert_eq!(fault.excerpt.as_deref(), Some("  root ::= [b-a]\n            ^^^"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    kind: DiagnosisKind,
    faults: Vec<Fault>,
}

/// One thing that is wrong with what was given, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// What is wrong, in one sentence.
    pub message: String,
    /// Which text it is in: `schema`, `tools`, `response_schema`, `grammar`, `ebnf` and so on.
    pub source: Option<&'static str>,
    /// The line and the column in that text, from 1.
    pub line_column: Option<LineColumn>,
    /// Another place than these: a byte of a turn, a file of a vocabulary and a line in it.
    pub place: Option<String>,
    /// The JSON pointer (RFC 6901) of the place, as a URI fragment.
    pub pointer: Option<String>,
    /// Two lines for people: the line of the text, and carets below the place.
    pub excerpt: Option<String>,
    /// The keyword of JSON Schema at fault, or the construct of a regular expression.
    pub keyword: Option<String>,
    /// Why that is refused.
    pub reason: Option<String>,
    /// What may help.
    pub hint: Option<String>,
}

/// Where a schema stands in what was given.
#[derive(Clone, Copy, Debug)]
pub struct SchemaPlace<'a> {
    /// What is called so: see [`Fault::source`].
    pub source: &'static str,
    /// The JSON pointer of the schema there: `#` where it is the whole.
    pub base: &'a str,
    /// The text of the schema, if it was given as one: without it there are no lines.
    pub text: Option<&'a str>,
}

impl SchemaPlace<'_> {
    /// That of a whole text, which is not at hand.
    pub const fn whole(source: &'static str) -> Self {
        Self {
            source,
            base: "#",
            text: None,
        }
    }
}

impl Fault {
    fn new(message: impl fmt::Display) -> Self {
        Self {
            message: message.to_string(),
            ..Self::default()
        }
    }

    fn of<K: fmt::Display>(report: &Report<K>, source: &'static str) -> Self {
        Self {
            source: Some(source),
            line_column: Some(report.place()),
            excerpt: Some(report.excerpt()),
            hint: report.hint().map(str::to_owned),
            ..Self::new(report.kind())
        }
    }
}

impl Diagnosis {
    /// One that is nothing but a message.
    pub fn new(kind: DiagnosisKind, message: impl fmt::Display) -> Self {
        Self::of(kind, Fault::new(message))
    }

    fn of(kind: DiagnosisKind, fault: Fault) -> Self {
        Self {
            kind,
            faults: vec![fault],
        }
    }

    /// Of what kind it is: where there are several faults, a limit if one of them is, else what the first is.
    pub fn kind(&self) -> DiagnosisKind {
        self.kind
    }

    /// The faults, in the order of the text; never empty.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// The faults alone.
    pub fn into_faults(self) -> Vec<Fault> {
        self.faults
    }

    /// The same with this hint, unless the first fault has one.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        if let Some(first) = self.faults.first_mut() {
            first.hint.get_or_insert_with(|| hint.into());
        }
        self
    }

    /// What is wrong with a schema.
    pub fn of_schema(error: &SchemaError, place: SchemaPlace<'_>) -> Self {
        let reason = match error {
            SchemaError::Unsupported { reason, .. } | SchemaError::Malformed { reason, .. } => {
                Some(reason.clone())
            }
            _ => None,
        };
        let line_column = match (error, place.text) {
            (SchemaError::Json { span, .. }, Some(text)) => Some(span.line_column(text)),
            _ => None,
        };
        let pointer = error
            .pointer()
            .map(|pointer| match pointer.strip_prefix('#') {
                Some(rest) => format!("{}{rest}", place.base),
                // Another document's pointer has its URI before it.
                None => pointer.to_owned(),
            });
        let fault = Fault {
            source: Some(place.source),
            line_column,
            // What is no JSON has no pointers; the schema as a whole may have one.
            pointer: pointer.or_else(|| (place.base != "#").then(|| place.base.to_owned())),
            excerpt: error.excerpt().map(str::to_owned),
            keyword: error.keyword().map(str::to_owned),
            reason,
            ..Fault::new(error)
        };
        Self::of(schema_kind(error), fault)
    }

    /// What is wrong with the parameters of the tool `name`, which stand at `base` of the tools.
    pub fn of_tool(error: &SchemaError, name: &str, base: &str) -> Self {
        let place = SchemaPlace {
            base,
            ..SchemaPlace::whole("tools")
        };
        let mut diagnosis = Self::of_schema(error, place);
        for fault in &mut diagnosis.faults {
            fault.message = format!("tool `{name}`: {}", fault.message);
        }
        diagnosis
    }

    fn of_reports<K: fmt::Display>(
        reports: &Reports<K>,
        source: &'static str,
        kind: impl Fn(&K) -> DiagnosisKind,
    ) -> Self {
        let kinds = || reports.iter().map(|report| kind(report.kind()));
        let limit = kinds().find(|&kind| kind == DiagnosisKind::Limit);
        Self {
            kind: limit
                .or_else(|| kinds().next())
                .unwrap_or(DiagnosisKind::Malformed),
            faults: reports
                .iter()
                .map(|report| Fault::of(report, source))
                .collect(),
        }
    }
}

fn schema_kind(error: &SchemaError) -> DiagnosisKind {
    match error {
        SchemaError::Json { .. } | SchemaError::Malformed { .. } => DiagnosisKind::Malformed,
        SchemaError::Document { source, .. } => schema_kind(source),
        SchemaError::Unsupported { .. } => DiagnosisKind::Unsupported,
        SchemaError::Unsatisfiable { .. } => DiagnosisKind::Unsatisfiable,
        SchemaError::Limit { .. } => DiagnosisKind::Limit,
    }
}

fn pattern_kind(kind: &PatternErrorKind) -> DiagnosisKind {
    match kind {
        PatternErrorKind::Limit(_) => DiagnosisKind::Limit,
        kind if kind.is_unsupported() => DiagnosisKind::Unsupported,
        _ => DiagnosisKind::Malformed,
    }
}

fn regex_kind(kind: &RegexErrorKind) -> DiagnosisKind {
    match kind {
        RegexErrorKind::Pattern(kind) => pattern_kind(kind),
        RegexErrorKind::NoText => DiagnosisKind::Unsatisfiable,
        RegexErrorKind::Limit(_) => DiagnosisKind::Limit,
        RegexErrorKind::Grammar(error) => grammar_kind(error),
    }
}

fn ebnf_kind(kind: &EbnfErrorKind) -> DiagnosisKind {
    match kind {
        EbnfErrorKind::Limit(_) => DiagnosisKind::Limit,
        EbnfErrorKind::Pattern(kind) => pattern_kind(kind),
        EbnfErrorKind::Grammar(error) => grammar_kind(error),
        EbnfErrorKind::UnknownStart { .. } => DiagnosisKind::InvalidArgument,
        EbnfErrorKind::Unsupported { .. } => DiagnosisKind::Unsupported,
        _ => DiagnosisKind::Malformed,
    }
}

fn grammar_kind(error: &GrammarError) -> DiagnosisKind {
    match error {
        GrammarError::Limit { .. } => DiagnosisKind::Limit,
        GrammarError::Unproductive { .. } => DiagnosisKind::Unsatisfiable,
        _ => DiagnosisKind::Malformed,
    }
}

impl From<LimitError> for Diagnosis {
    fn from(error: LimitError) -> Self {
        Self::new(DiagnosisKind::Limit, error)
    }
}

impl From<AbnfErrors> for Diagnosis {
    fn from(errors: AbnfErrors) -> Self {
        Self::of_reports(&errors, "grammar", |kind| match kind {
            AbnfErrorKind::Limit(_) => DiagnosisKind::Limit,
            AbnfErrorKind::Grammar(error) => grammar_kind(error),
            AbnfErrorKind::UnknownStart { .. } => DiagnosisKind::InvalidArgument,
            _ => DiagnosisKind::Malformed,
        })
    }
}

impl From<EbnfErrors> for Diagnosis {
    fn from(errors: EbnfErrors) -> Self {
        Self::of_reports(&errors, "ebnf", ebnf_kind)
    }
}

impl From<LarkErrors> for Diagnosis {
    fn from(errors: LarkErrors) -> Self {
        Self::of_reports(&errors, "lark", |kind| match kind {
            LarkErrorKind::Limit(_) => DiagnosisKind::Limit,
            LarkErrorKind::Pattern(kind) => pattern_kind(kind),
            LarkErrorKind::Grammar(error) => grammar_kind(error),
            LarkErrorKind::Schema(error) => schema_kind(error),
            LarkErrorKind::UnknownStart { .. } => DiagnosisKind::InvalidArgument,
            LarkErrorKind::Unsupported { .. } => DiagnosisKind::Unsupported,
            _ => DiagnosisKind::Malformed,
        })
    }
}

impl From<RegexError> for Diagnosis {
    fn from(error: RegexError) -> Self {
        let mut fault = Fault::of(&error, "regex");
        if let RegexErrorKind::Pattern(kind) = error.kind() {
            fault.keyword = kind.construct().map(str::to_owned);
            fault.reason = Some(kind.to_string());
        }
        Self::of(regex_kind(error.kind()), fault)
    }
}

impl From<ChoiceError> for Diagnosis {
    fn from(error: ChoiceError) -> Self {
        let kind = match error.kind() {
            ChoiceErrorKind::Json(_) => DiagnosisKind::Malformed,
            ChoiceErrorKind::Empty => DiagnosisKind::Unsatisfiable,
            ChoiceErrorKind::Limit(_) => DiagnosisKind::Limit,
        };
        Self::of(kind, Fault::of(&error, "choice"))
    }
}

impl From<StructuralTagError> for Diagnosis {
    fn from(error: StructuralTagError) -> Self {
        let mut fault = Fault {
            source: Some("structural_tag"),
            pointer: error.pointer().map(str::to_owned),
            ..Fault::new(&error)
        };
        let kind = match &error {
            StructuralTagError::Json { place, .. } => {
                fault.line_column = Some(*place);
                DiagnosisKind::Malformed
            }
            StructuralTagError::Shape { .. }
            | StructuralTagError::Unknown { .. }
            | StructuralTagError::Conflict { .. } => DiagnosisKind::Malformed,
            StructuralTagError::Unsupported { .. } => DiagnosisKind::Unsupported,
            StructuralTagError::Schema { pointer, source } => {
                let place = SchemaPlace {
                    base: pointer,
                    ..SchemaPlace::whole("structural_tag")
                };
                return Self::of_schema(source, place);
            }
            StructuralTagError::Regex { source, .. } => {
                fault.hint = source.hint().map(str::to_owned);
                fault.excerpt = Some(source.excerpt());
                regex_kind(source.kind())
            }
            StructuralTagError::Ebnf { source, .. } => {
                Self::of_reports(source, "structural_tag", ebnf_kind).kind
            }
            StructuralTagError::Limit(_) => DiagnosisKind::Limit,
            StructuralTagError::Grammar(error) => grammar_kind(error),
        };
        Self::of(kind, fault)
    }
}

impl From<ToolsError> for Diagnosis {
    fn from(error: ToolsError) -> Self {
        let mut fault = Fault {
            source: Some("tools"),
            pointer: error.pointer().map(str::to_owned),
            ..Fault::new(&error)
        };
        let kind = match error {
            ToolsError::Limit(_) => DiagnosisKind::Limit,
            ToolsError::Json { place, .. } => {
                fault.line_column = Some(place);
                DiagnosisKind::Malformed
            }
            ToolsError::Unread { key, hint, .. } => {
                fault.keyword = Some(key);
                fault.hint = Some(hint);
                DiagnosisKind::Malformed
            }
            _ => DiagnosisKind::Malformed,
        };
        Self::of(kind, fault)
    }
}

impl From<ChatError> for Diagnosis {
    fn from(error: ChatError) -> Self {
        let message = error.to_string();
        match error {
            ChatError::Abnf { errors, .. } => errors.into(),
            ChatError::ControlToken { .. } => Self::new(DiagnosisKind::Malformed, message),
            ChatError::Prose { place, .. } => {
                let fault = Fault {
                    source: Some("grammar"),
                    line_column: Some(place),
                    ..Fault::new(message)
                };
                Self::of(DiagnosisKind::Malformed, fault)
            }
            ChatError::Tool {
                name,
                pointer,
                source,
            } => Self::of_tool(&source, &name, &pointer),
            ChatError::Response { source } => {
                Self::of_schema(&source, SchemaPlace::whole("response_schema"))
            }
            ChatError::Json { source, .. } => {
                Self::of_schema(&source, SchemaPlace::whole("schema"))
            }
            ChatError::BuiltIns(source) => source.into(),
            ChatError::Empty { .. } => Self::new(DiagnosisKind::Unsatisfiable, message),
            ChatError::Grammar { source, .. } => Self::new(grammar_kind(&source), message),
            ChatError::UnknownTool { .. }
            | ChatError::NoTools
            | ChatError::NoCalls { .. }
            | ChatError::Lacks { .. }
            | ChatError::Flag { .. }
            | ChatError::SaidFlag { .. }
            | ChatError::CallId { .. }
            | ChatError::OpenCall { .. } => Self::new(DiagnosisKind::InvalidArgument, message),
        }
    }
}

impl From<PromptError> for Diagnosis {
    fn from(error: PromptError) -> Self {
        Self::new(DiagnosisKind::Malformed, error)
    }
}

impl From<GrammarError> for Diagnosis {
    fn from(error: GrammarError) -> Self {
        Self::new(grammar_kind(&error), error)
    }
}

impl From<ConstraintError> for Diagnosis {
    fn from(error: ConstraintError) -> Self {
        let kind = match &error {
            ConstraintError::MissingBytes { .. } | ConstraintError::TextNeedsByte { .. } => {
                DiagnosisKind::Unsupported
            }
            ConstraintError::Unspellable { .. } => DiagnosisKind::Unsatisfiable,
            ConstraintError::Limit(_) => DiagnosisKind::Limit,
            _ => DiagnosisKind::InvalidArgument,
        };
        Self::new(kind, error)
    }
}

impl From<SessionError> for Diagnosis {
    fn from(error: SessionError) -> Self {
        let kind = match &error {
            SessionError::NotAllowed { .. } | SessionError::Lead { .. } => {
                DiagnosisKind::NotAllowed
            }
            SessionError::Ended => DiagnosisKind::Ended,
            SessionError::Limit(_) => DiagnosisKind::Limit,
            SessionError::Rollback { .. }
            | SessionError::Deadline { .. }
            | SessionError::RowLength { .. } => DiagnosisKind::InvalidArgument,
        };
        Self::new(kind, error)
    }
}

impl From<RequestError> for Diagnosis {
    fn from(error: RequestError) -> Self {
        match error {
            RequestError::Schema(error) => Self::of_schema(&error, SchemaPlace::whole("schema")),
            RequestError::Chat(error) => error.into(),
            RequestError::Grammar(error) => error.into(),
            RequestError::Constraint(error) => error.into(),
        }
    }
}

impl From<ReadError> for Diagnosis {
    fn from(error: ReadError) -> Self {
        let (kind, at) = match &error {
            ReadError::Unexpected { at } | ReadError::Incomplete { at } => {
                (DiagnosisKind::Malformed, Some(at))
            }
            ReadError::Readings { at, .. } => (DiagnosisKind::Limit, Some(at)),
            ReadError::Ambiguous { .. } => (DiagnosisKind::Unsupported, None),
            ReadError::UnknownToken(_) | ReadError::NoVocabulary => {
                (DiagnosisKind::InvalidArgument, None)
            }
        };
        let fault = Fault {
            place: at.map(usize::to_string),
            ..Fault::new(&error)
        };
        Self::of(kind, fault)
    }
}

impl From<VocabError> for Diagnosis {
    fn from(error: VocabError) -> Self {
        let kind = match error.kind() {
            VocabErrorKind::Unsupported { .. } => DiagnosisKind::Unsupported,
            VocabErrorKind::Limit(_) => DiagnosisKind::Limit,
            _ => DiagnosisKind::Malformed,
        };
        let mut fault = Fault {
            place: error.place().map(ToString::to_string),
            hint: error.hint().map(str::to_owned),
            ..Fault::new(&error)
        };
        let position = error.place().map(|place| &place.position);
        match position {
            Some(&Position::Line(line)) => fault.line_column = Some(LineColumn { line, column: 1 }),
            Some(&Position::LineColumn(line, column)) => {
                fault.line_column = Some(LineColumn { line, column });
            }
            Some(Position::Pointer(pointer)) => fault.pointer = Some(pointer.clone()),
            None => {}
        }
        Self::of(kind, fault)
    }
}
