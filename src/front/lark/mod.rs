//! Lark's grammars, as llguidance and XGrammar read them.
//!
//! The language is that of the grammar over characters: no lexer stands before it. A terminal is any text that
//! matches it as a whole, wherever the grammar has one, and what `%ignore` names may stand between any two terminals and at
//! both ends. Where a lexer takes the longest match and then finds that the grammar has no place for it, the text belongs to the
//! language all the same. Patterns have the syntax of Python's `re`, as in Lark itself.

mod ast;
mod common;
mod error;
mod lazy;
mod lexer;
mod parser;
mod resolve;
mod templates;
mod text;

pub use ast::START;
pub use error::{LarkError, LarkErrorKind, LarkErrors, LarkWarning, LarkWarningKind};

use error::{Fault, Faults};
use resolve::Resolved;

use crate::base::{LimitError, Report, Reports, RuleId, Span, nearest};
use crate::front::expression::{Expression, Refused, Rule, RuleIndex, STEPS_PER_BYTE, lower};
use crate::front::json_schema::{JsonRules, SchemaConfig, SchemaError};
use crate::grammar::{Grammar, GrammarBuilder, GrammarError};

/// A grammar in Lark: parsed, every name resolved, its schemas compiled.
///
/// ```
/// use maskwright::front::json_schema::SchemaConfig;
/// use maskwright::front::lark::{Lark, START};
/// let config = SchemaConfig::default();
/// let lark = Lark::parse("start: start \"+\" INT | INT\n%import common.INT\n%ignore \" \"", &config)?;
/// assert!(lark.lower(START, &config).is_ok());
///
/// let errors = Lark::parse("start: number", &config).unwrap_err();
/// assert!(errors.to_string().starts_with("1:8: `number` is not defined"));
/// # Ok::<(), maskwright::front::lark::LarkErrors>(())
/// ```
#[derive(Debug)]
pub struct Lark {
    source: String,
    resolved: Resolved,
    warnings: Vec<Fault<LarkWarningKind>>,
}

impl Lark {
    /// Parses `source`, looks up every name and compiles the schemas of `%json`, as `config` says.
    ///
    /// # Errors
    /// Whatever is wrong: syntax, undefined or twice defined names, terminals that recur, refused
    /// patterns and schemas, what is not supported, or a limit met (`source_bytes`, `depth`, `rules`,
    /// `automaton_states`).
    pub fn parse(source: &str, config: &SchemaConfig) -> Result<Self, LarkErrors> {
        let config = &config.begin();
        let limits = &config.limits;
        let size = LimitError::check("bytes of a grammar", source.len(), limits.source_bytes)
            .and(limits.charge(STEPS_PER_BYTE * source.len()));
        size.map_err(|error| Reports::one(Fault::new(error, Span::default()), ""))?;
        let mut faults = Faults::default();
        let parsed = parser::parse(source, limits, &mut faults);
        faults.finish(source)?;
        let mut faults = Faults::default();
        let resolved = resolve::resolve(source, &parsed.scope, config, &mut faults);
        if let Err(error) = resolve::check_size(&resolved.rules, limits) {
            faults.push(Fault::new(error, Span::default()));
        }
        faults.finish(source)?;
        Ok(Self {
            source: source.to_owned(),
            resolved,
            warnings: parsed.warnings,
        })
    }

    /// The names of the rules and terminals, in the order of the text.
    pub fn rule_names(&self) -> impl Iterator<Item = &str> {
        let rules = self.resolved.rules.iter().take(self.resolved.own.len());
        rules.map(|(_, rule)| rule.name.as_str())
    }

    /// What is odd but can be used, among it rules and terminals to which `start` does not lead. In the
    /// order of the text.
    pub fn warnings(&self, start: &str) -> Vec<LarkWarning> {
        let rules = &self.resolved.rules;
        let is_own = |rule: &RuleIndex| rule.index() < self.resolved.own.len();
        let name = |rule| rules.get(rule).name.clone();
        let at = |kind, rule| Fault::new(kind, rules.get(rule).span);
        let endless = rules.endless().into_iter().filter(is_own);
        let endless = endless.map(|rule| at(LarkWarningKind::Endless { name: name(rule) }, rule));
        let starts = [self.rule(start), self.resolved.ignored];
        let unused = rules
            .unused(starts.into_iter().flatten(), &self.resolved.needs)
            .into_iter()
            .filter(is_own);
        let unused = unused.map(|rule| at(LarkWarningKind::Unused { name: name(rule) }, rule));
        let known = self.warnings.iter().cloned();
        let mut faults: Vec<_> = known.chain(endless).chain(unused).collect();
        faults.sort_by_key(|fault| fault.span.start);
        let report = |fault| Report::new(fault, &self.source);
        faults.into_iter().map(report).collect()
    }

    /// Makes a grammar that begins with the rule `start`, mostly [`START`]; `config` is that of the schemas.
    ///
    /// # Errors
    /// An unknown start rule, a limit met, or a start rule to which no text belongs.
    pub fn lower(&self, start: &str, config: &SchemaConfig) -> Result<Grammar, LarkErrors> {
        let config = &config.begin();
        let mut builder = GrammarBuilder::new(config.limits.clone());
        let root = self.lower_into(&mut builder, start, config)?;
        builder.finish(root).map_err(|error| {
            let start = self
                .rule(start)
                .map(|rule| self.resolved.rules.get(rule).span);
            self.refusal(error, start.unwrap_or_default())
        })
    }

    /// Adds the rule `start` and all that it needs to `builder`, and gives its id there.
    ///
    /// # Errors
    /// As [`Lark::lower`], save that nothing is said about the finished grammar.
    pub fn lower_into(
        &self,
        builder: &mut GrammarBuilder,
        start: &str,
        config: &SchemaConfig,
    ) -> Result<RuleId, LarkErrors> {
        let Some(start) = self.rule(start) else {
            let kind = LarkErrorKind::UnknownStart {
                name: start.to_owned(),
            };
            let hint = nearest(start, self.rule_names());
            let hint = hint.map(|name| format!("did you mean `{name}`?"));
            let span = Span::default();
            return Err(Reports::one(Fault { kind, span, hint }, &self.source));
        };
        let resolved = &self.resolved;
        let schemas = self
            .schemas(builder, config)
            .map_err(|error| Reports::one(Fault::new(error, Span::default()), &self.source))?;
        let ignored = || resolved.ignored.map(Expression::Rule);
        let last = ignored().filter(|_| resolved.own[start.index()]);
        let parts = ignored()
            .into_iter()
            .chain([Expression::Rule(start)])
            .chain(last);
        let rule = Rule {
            name: resolved.rules.get(start).name.clone(),
            span: resolved.rules.get(start).span,
            body: Expression::sequence(parts.collect()),
        };
        let (rules, root) = resolved.rules.clone().with(rule);
        let (rules, root) = lazy::hold_back(rules, root, &resolved.lexemes, &config.limits)
            .map_err(|(span, error)| Reports::one(Fault::new(error, span), &self.source))?;
        lower(builder, &rules, root, &schemas)
            .map_err(|Refused { rule, error }| self.refusal(error, rules.get(rule).span))
    }

    /// The rules of the schemas.
    fn schemas(
        &self,
        builder: &mut GrammarBuilder,
        config: &SchemaConfig,
    ) -> Result<Vec<RuleId>, SchemaError> {
        if self.resolved.schemas.is_empty() {
            return Ok(Vec::new());
        }
        let mut rules = JsonRules::new(config)?;
        let schemas = self.resolved.schemas.iter();
        Ok(schemas
            .map(|schema| schema.lower_into(&mut rules, builder))
            .collect())
    }

    fn rule(&self, name: &str) -> Option<RuleIndex> {
        self.resolved.names.get(name).copied()
    }

    /// The grammar's refusal of what was lowered, as an error at `span`.
    fn refusal(&self, error: GrammarError, span: Span) -> LarkErrors {
        let kind = match error {
            GrammarError::Limit { source, .. } => LarkErrorKind::Limit(source),
            error => LarkErrorKind::Grammar(error),
        };
        Reports::one(Fault::new(kind, span), &self.source)
    }
}

/// Whether a grammar is in Lark and not in EBNF: none of its lines has `::=` outside of a comment (vLLM's rule).
///
/// ```
/// use maskwright::front::lark::is_lark;
/// assert!(is_lark("start: \"a\" // ::="));
/// assert!(!is_lark("root ::= \"a\""));
/// assert!(!is_lark(""));
/// ```
pub fn is_lark(grammar: &str) -> bool {
    let code = |line: &str| {
        let comment = line.find('#').into_iter().chain(line.find("//")).min();
        line[..comment.unwrap_or(line.len())].contains("::=")
    };
    !grammar.is_empty() && !grammar.lines().any(code)
}
