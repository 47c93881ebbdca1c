//! EBNF as hosts hand it over: llama.cpp's GBNF, XGrammar's EBNF and W3C's notation in one.
//!
//! The dialects hardly contradict each other, so one reader takes them all: strings in either quotes,
//! GBNF's escapes, classes, repetitions and tokens (`<[7]>`, `<|name|>`, `!<[7]>`), XGrammar's macros and
//! options of rules, W3C's `#x41`. Where they do contradict each other, the reading is GBNF's, with a
//! warning. A rule ends where the next begins. Recursion of any kind is allowed, also to the left.

mod characters;
mod error;
mod lexer;
mod parser;

pub use error::{EbnfError, EbnfErrorKind, EbnfErrors, EbnfWarning, EbnfWarningKind};

use error::{Fault, Faults};

use crate::base::{LimitError, Limits, Report, Reports, RuleId, Span, nearest};
use crate::front::expression::{Refused, RuleIndex, Rules, STEPS_PER_BYTE, lower};
use crate::grammar::{Grammar, GrammarBuilder, GrammarError};

/// The rule that a grammar starts from where nothing else is said.
pub const ROOT: &str = "root";

/// A grammar in EBNF: parsed, every name a rule.
///
/// ```
/// use maskwright::base::Limits;
/// use maskwright::front::ebnf::{Ebnf, ROOT};
/// let ebnf = Ebnf::parse("root ::= root \"+\" n | n\nn ::= [0-9]+", &Limits::default())?;
/// assert!(ebnf.lower(ROOT, &Limits::default()).is_ok());
///
/// let errors = Ebnf::parse("root ::= number", &Limits::default()).unwrap_err();
/// assert!(errors.to_string().starts_with("1:10: rule `number` is not defined"));
/// # Ok::<(), maskwright::front::ebnf::EbnfErrors>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ebnf {
    source: String,
    rules: Rules,
    warnings: Vec<Fault<EbnfWarningKind>>,
}

impl Ebnf {
    /// Parses `source` and looks up every name.
    ///
    /// # Errors
    /// Whatever is wrong: syntax, undefined or twice defined rules, empty classes, ranges and
    /// repetitions, what is not supported, or a limit met (`source_bytes`, `depth`, `rules`).
    pub fn parse(source: &str, limits: &Limits) -> Result<Self, EbnfErrors> {
        let limits = &limits.begin();
        let size = LimitError::check("bytes of a grammar", source.len(), limits.source_bytes)
            .and(limits.charge(STEPS_PER_BYTE * source.len()));
        size.map_err(|error| Reports::one(Fault::new(error, Span::default()), ""))?;
        let mut faults = Faults::default();
        let parsed = parser::parse(source, limits, &mut faults);
        if let Err(error) =
            LimitError::check("rules of a grammar", parsed.rules.len(), limits.rules)
        {
            faults.push(Fault::new(error, Span::default()));
        }
        faults.finish(source)?;
        Ok(Self {
            source: source.to_owned(),
            rules: parsed.rules,
            warnings: parsed.warnings,
        })
    }

    /// The names of the rules, in the order in which they are defined.
    pub fn rule_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.rules.iter().map(|(_, rule)| rule.name.as_str())
    }

    /// What is odd but can be used, among it rules to which `start` does not lead. In the order of the text.
    pub fn warnings(&self, start: &str) -> Vec<EbnfWarning> {
        let name = |rule| self.rules.get(rule).name.clone();
        let at = |kind, rule| Fault::new(kind, self.rules.get(rule).span);
        let endless = self.rules.endless().into_iter();
        let endless =
            endless.map(|rule| at(EbnfWarningKind::EndlessRule { name: name(rule) }, rule));
        let unused = self
            .rule(start)
            .map(|start| self.rules.unused([start], &[]));
        let unused = unused.into_iter().flatten();
        let unused = unused.map(|rule| at(EbnfWarningKind::UnusedRule { name: name(rule) }, rule));
        let mut faults: Vec<_> = self
            .warnings
            .iter()
            .cloned()
            .chain(endless)
            .chain(unused)
            .collect();
        faults.sort_by_key(|fault| fault.span.start);
        let report = |fault| Report::new(fault, &self.source);
        faults.into_iter().map(report).collect()
    }

    /// Makes a grammar that begins with the rule `start`, mostly [`ROOT`].
    ///
    /// # Errors
    /// An unknown start rule, a limit met, or a start rule to which no text belongs.
    pub fn lower(&self, start: &str, limits: &Limits) -> Result<Grammar, EbnfErrors> {
        let mut builder = GrammarBuilder::new(limits.clone());
        let root = self.lower_into(&mut builder, start)?;
        builder.finish(root).map_err(|error| {
            let start = self.rule(start).map(|rule| self.rules.get(rule).span);
            self.refusal(error, start.unwrap_or_default())
        })
    }

    /// Adds the rule `start` and all that it needs to `builder`, and gives its id there.
    ///
    /// # Errors
    /// As [`Ebnf::lower`], save that nothing is said about the finished grammar.
    pub fn lower_into(
        &self,
        builder: &mut GrammarBuilder,
        start: &str,
    ) -> Result<RuleId, EbnfErrors> {
        let Some(start) = self.rule(start) else {
            let kind = EbnfErrorKind::UnknownStart {
                name: start.to_owned(),
            };
            let hint = nearest(start, self.rule_names());
            let hint = hint.map(|name| format!("did you mean `{name}`?"));
            let span = Span::default();
            return Err(Reports::one(Fault { kind, span, hint }, &self.source));
        };
        lower(builder, &self.rules, start, &[])
            .map_err(|Refused { rule, error }| self.refusal(error, self.rules.get(rule).span))
    }

    fn rule(&self, name: &str) -> Option<RuleIndex> {
        let mut rules = self.rules.iter();
        rules
            .find(|(_, rule)| rule.name == name)
            .map(|(rule, _)| rule)
    }

    /// The grammar's refusal of what was lowered, as an error at `span`.
    fn refusal(&self, error: GrammarError, span: Span) -> EbnfErrors {
        let kind = match error {
            GrammarError::Limit { source, .. } => EbnfErrorKind::Limit(source),
            error => EbnfErrorKind::Grammar(error),
        };
        Reports::one(Fault::new(kind, span), &self.source)
    }
}
