//! Augmented BNF: RFC 5234 and RFC 7405, from text to rules of a grammar.
//!
//! Numbers (`%x41`) are code points, spelt in UTF-8; in a file that begins with the comment
//! `; @bytes` they are bytes, in a rule that has this comment on one of its lines or alone above it they
//! are bytes, too, and in the rule `OCTET` they are bytes always. A prose-val (`<text>`)
//! that names a rule is that rule; any other is a hole that [`Bindings`] fill. Lines end with LF or
//! CRLF. Quoted strings may have any characters but quotes and control characters, which is an extension;
//! numbers one after the other, as in `%x3C.7C`, may spell control tokens, too.

mod ast;
mod bindings;
mod check;
mod error;
mod lexer;
mod lower;
mod octets;
mod open;
mod parser;
mod required;
mod resolve;
mod small;
mod values;

#[cfg(test)]
mod recogniser;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use ast::{Node, NodeKind, Origin, Rule, RuleIndex};
pub use bindings::{Binding, Bindings, Filling, Unbound};
pub use error::{AbnfError, AbnfErrorKind, AbnfErrors, AbnfWarning, AbnfWarningKind};
pub use values::Numbers;

use std::collections::BTreeSet;

use crate::base::{Limits, Report, RuleId, Span};
use crate::grammar::{Grammar, GrammarBuilder};

/// A grammar: parsed, every name resolved, every rule able to end.
///
/// ```
/// use maskwright::base::Limits;
/// use maskwright::front::abnf::{Abnf, Unbound};
/// let abnf = Abnf::parse("greeting = \"hello\" 1*SP 1*ALPHA", &Limits::default())?;
/// let grammar = abnf.lower("greeting", &mut Unbound, &Limits::default())?;
/// assert_eq!(grammar.rule_count(), 1);
///
/// let errors = Abnf::parse("greeting = hello", &Limits::default()).unwrap_err();
/// assert!(errors.to_string().starts_with("1:12: rule `hello` is not defined"));
/// # Ok::<(), maskwright::front::abnf::AbnfErrors>(())
/// ```
#[derive(Clone, Debug)]
pub struct Abnf {
    resolved: resolve::Resolved,
}

/// A prose-val that names no rule, and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProseVal<'a> {
    /// What stands between the angle brackets.
    pub name: &'a str,
    /// The bytes of the source text, brackets included.
    pub span: Span,
}

impl Abnf {
    /// Parses `source`, looks up every name and checks every rule.
    ///
    /// # Errors
    /// Whatever is wrong: syntax, undefined or twice defined rules, empty ranges and repetitions,
    /// numbers that are no characters, rules that can never end or lead to themselves without
    /// consuming anything, or a limit met (`source_bytes`, `depth`, `rules`).
    pub fn parse(source: &str, limits: &Limits) -> Result<Self, AbnfErrors> {
        Self::parse_with(source, Numbers::CodePoints, limits)
    }

    /// As [`Abnf::parse`], where `numbers` says what numbers stand for.
    ///
    /// # Errors
    /// As [`Abnf::parse`].
    pub fn parse_with(source: &str, numbers: Numbers, limits: &Limits) -> Result<Self, AbnfErrors> {
        Ok(Self {
            resolved: resolve::resolve(source, numbers, limits)?,
        })
    }

    /// The names of the rules that the text itself defines, in its order.
    pub fn rule_names(&self) -> impl Iterator<Item = &str> {
        self.own_rules()
            .into_iter()
            .map(|(_, rule)| rule.name.as_str())
    }

    /// What is odd but can be used: rules to which none of `start_rules` leads (without any: the
    /// first rule), comments that look like pragmas. In the order of the text.
    pub fn warnings(&self, start_rules: &[&str]) -> Vec<AbnfWarning> {
        let mut starts: Vec<_> = start_rules
            .iter()
            .filter_map(|name| self.resolved.rule(name))
            .collect();
        if start_rules.is_empty() {
            starts.extend(self.own_rules().first().map(|&(index, _)| index));
        }
        let unused = check::unused(&self.resolved.rules, starts);
        let mut faults: Vec<_> = self
            .resolved
            .warnings
            .iter()
            .cloned()
            .chain(unused)
            .collect();
        faults.sort_by_key(|fault| fault.span.start);
        faults
            .into_iter()
            .map(|fault| Report::new(fault, &self.resolved.source))
            .collect()
    }

    /// The holes that a caller must fill, each place of them, in the order of the text.
    pub fn prose_vals(&self) -> Vec<ProseVal<'_>> {
        self.collect(|node| match &node.kind {
            NodeKind::Prose(name) => Some(ProseVal {
                name,
                span: node.span,
            }),
            _ => None,
        })
    }

    /// What is spelt out in the text, each place of it, in the order of the text: quoted strings, without
    /// their quotes, and numbers one after the other, as in `%x3C.7C`.
    pub fn literals(&self) -> Vec<String> {
        self.collect(Node::spelt)
    }

    /// The quoted strings that each text of the rule `start` has that comes by a prose-val for which `is_one` holds;
    /// none where there is no such rule, or no such text. Alternatives that need the prose-val `shut` do not count.
    pub(crate) fn required<'a>(
        &'a self,
        start: &str,
        is_one: fn(&str) -> bool,
        shut: &'a str,
    ) -> Vec<&'a str> {
        let mut required = required::Required::new(&self.resolved.rules, is_one, shut);
        let start = self.resolved.rule(start);
        let found = start.and_then(|rule| required.by_way(rule));
        found.unwrap_or_default().into_iter().collect()
    }

    /// The quoted strings that the rule `start` leads to where the alternatives vanish that need a prose-val for which `is_shut` holds.
    pub(crate) fn literals_without(
        &self,
        start: &str,
        is_shut: &dyn Fn(&str) -> bool,
    ) -> BTreeSet<&str> {
        let start = self.resolved.rule(start);
        let found = start.map(|rule| open::literals(&self.resolved.rules, rule, is_shut));
        found.unwrap_or_default()
    }

    /// Makes a grammar that begins with the rule `start`, prose-vals filled by `bindings`.
    ///
    /// # Errors
    /// An unknown start rule, a prose-val that is not bound, a limit met, or a start rule to which
    /// no text belongs, given what is bound.
    pub fn lower(
        &self,
        start: &str,
        bindings: &mut dyn Bindings,
        limits: &Limits,
    ) -> Result<Grammar, AbnfErrors> {
        let mut builder = GrammarBuilder::new(limits.clone());
        let root = self.lower_into(&mut builder, start, bindings)?;
        builder.finish(root).map_err(|error| {
            let place = self
                .resolved
                .rule(start)
                .map(|rule| self.rule(rule).name_span);
            lower::refusal(error, place.unwrap_or_default(), &self.resolved.source)
        })
    }

    /// Adds the rule `start` and all that it needs to `builder`, and gives its id there.
    ///
    /// # Errors
    /// As [`Abnf::lower`], save that nothing is said about the finished grammar.
    pub fn lower_into(
        &self,
        builder: &mut GrammarBuilder,
        start: &str,
        bindings: &mut dyn Bindings,
    ) -> Result<RuleId, AbnfErrors> {
        lower::lower(&self.resolved, builder, start, bindings)
    }

    fn rule(&self, rule: RuleIndex) -> &Rule {
        &self.resolved.rules[rule.index()]
    }

    /// The rules of the text itself, in its order.
    fn own_rules(&self) -> Vec<(RuleIndex, &Rule)> {
        let rules = self.resolved.rules.iter().enumerate();
        let own = rules.filter(|(_, rule)| rule.origin == Origin::File);
        let mut own: Vec<_> = own
            .map(|(i, rule)| (RuleIndex::from_usize(i), rule))
            .collect();
        own.sort_by_key(|(_, rule)| rule.name_span.start);
        own
    }

    fn collect<'a, T>(&'a self, pick: impl Fn(&'a Node) -> Option<T>) -> Vec<T> {
        let mut found = Vec::new();
        for (_, rule) in self.own_rules() {
            rule.body.visit(&mut |node| found.extend(pick(node)));
        }
        found
    }
}
