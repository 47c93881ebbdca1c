//! Choices: one of some texts, and nothing else.

use crate::base::{Fault, LimitError, Limits, Report, RuleId, Span};
use crate::grammar::{Grammar, GrammarBuilder, GrammarError};
use crate::regular::Dfa;

/// The rule's name.
const NAME: &str = "choice";

/// A list of choices was refused; `Display` writes the place, the line and carets.
pub type ChoiceError = Report<ChoiceErrorKind>;

/// Why a list of choices was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChoiceErrorKind {
    /// It is no JSON array of strings.
    #[error("expected a JSON array of strings: {0}")]
    Json(String),
    /// There is nothing to choose from.
    #[error("expected at least one text to choose from")]
    Empty,
    /// A limit was met.
    #[error(transparent)]
    Limit(#[from] LimitError),
}

/// The texts to choose from: at least one. The empty text can be one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choices(Vec<String>);

impl Choices {
    /// Reads a JSON array of strings, as vLLM hands it to its back ends.
    ///
    /// # Errors
    /// What is no such array, an empty array, more bytes than [`Limits::source_bytes`].
    ///
    /// ```
    /// use maskwright::{base::Limits, front::choice::Choices};
    /// let choices = Choices::parse(r#"["yes", "no"]"#, &Limits::default())?;
    /// assert_eq!(choices.compile(&Limits::default())?.rule_count(), 1);
    /// let error = Choices::parse(r#"["yes", 1]"#, &Limits::default()).unwrap_err();
    /// assert_eq!(error.place().to_string(), "1:9");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse(json: &str, limits: &Limits) -> Result<Self, ChoiceError> {
        let whole = |kind| Report::new(Fault::new(kind, Span::new(0, json.len())), json);
        LimitError::check(
            "bytes of a list of choices",
            json.len(),
            limits.source_bytes,
        )
        .map_err(|error| whole(error.into()))?;
        let texts: Vec<String> =
            serde_json::from_str(json).map_err(|error| json_error(&error, json))?;
        Self::new(texts).ok_or_else(|| whole(ChoiceErrorKind::Empty))
    }

    /// These texts, if there are any.
    pub fn new(texts: Vec<String>) -> Option<Self> {
        (!texts.is_empty()).then_some(Self(texts))
    }

    /// The texts, in their order.
    pub fn texts(&self) -> &[String] {
        &self.0
    }

    /// The grammar of these texts.
    ///
    /// # Errors
    /// A limit that was met.
    pub fn compile(&self, limits: &Limits) -> Result<Grammar, GrammarError> {
        let mut builder = GrammarBuilder::new(limits.clone());
        let root = self.lower_into(&mut builder)?;
        builder.finish(root)
    }

    /// Adds a rule of these texts: one trie whose equal ends are shared.
    ///
    /// # Errors
    /// As [`Choices::compile`].
    pub fn lower_into(&self, builder: &mut GrammarBuilder) -> Result<RuleId, GrammarError> {
        let texts = self.0.iter().map(String::as_bytes);
        let limit = |source| GrammarError::Limit {
            name: NAME.to_owned(),
            source,
        };
        let dfa = Dfa::literals(texts, builder.limits()).map_err(limit)?;
        let rule = builder.declare(NAME);
        builder.define_regular(rule, &dfa);
        Ok(rule)
    }
}

fn json_error(error: &serde_json::Error, json: &str) -> ChoiceError {
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(&place).unwrap_or(&message).to_owned();
    // Columns are bytes here, counted from 1; 0 is the end of the line before.
    let line: usize = json
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1))
        .map(str::len)
        .sum();
    let at = (line + error.column().saturating_sub(1)).min(json.len());
    Report::new(
        Fault::new(ChoiceErrorKind::Json(message), Span::new(at, at + 1)),
        json,
    )
}
