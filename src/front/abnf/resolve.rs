//! From a text to a grammar in which every name is a rule and every rule makes sense.

use std::sync::OnceLock;

use rustc_hash::FxHashSet;

use super::ast::{Names, Node, NodeKind, Origin, Rule, RuleIndex, Unit};
use super::check;
use super::error::{AbnfErrorKind, AbnfErrors, AbnfWarningKind, Fault, Faults};
use super::lexer::{Layout, Token};
use super::octets;
use super::parser::{self, Definition, Operator};
use super::small::small_rules;
use super::values::Numbers;
use crate::base::graph::Edges;
use crate::base::{LimitError, Limits, Span, nearest};

/// RFC 5234, appendix B.1.
const CORE: &str = include_str!("core.abnf");

/// A grammar whose names are resolved.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    pub(super) source: String,
    pub(super) names: Names,
    /// One for each name.
    pub(crate) rules: Vec<Rule>,
    pub(super) warnings: Vec<Fault<AbnfWarningKind>>,
    calls: OnceLock<Edges>,
    small: OnceLock<Box<[Option<usize>]>>,
}

impl Resolved {
    /// The rule of this name, in any case.
    pub(crate) fn rule(&self, name: &str) -> Option<RuleIndex> {
        self.names.get(name)
    }

    /// For each rule, those that it calls.
    pub(super) fn calls(&self) -> &Edges {
        self.calls
            .get_or_init(|| check::edges(&self.rules, |_, _| {}))
    }

    /// For each rule that is put in the place of its calls, about how many states it has.
    pub(super) fn small_rules(&self) -> &[Option<usize>] {
        self.small
            .get_or_init(|| small_rules(&self.rules, self.calls()))
    }
}

/// What a byte of a grammar costs: words, a tree, and what is looked up of them.
const STEPS_PER_BYTE: usize = 32;

/// Parses and resolves `source`.
pub(super) fn resolve(
    source: &str,
    numbers: Numbers,
    limits: &Limits,
) -> Result<Resolved, AbnfErrors> {
    let limits = &limits.begin();
    let size = LimitError::check("bytes of a grammar", source.len(), limits.source_bytes)
        .and(limits.charge(STEPS_PER_BYTE * source.len()));
    if let Err(error) = size {
        return Err(AbnfErrors::one(Fault::new(error, Span::default()), ""));
    }
    let mut faults = Faults::default();
    let mut definitions = Definitions::default();
    let core = Numbers::CodePoints;
    definitions.read(CORE, Origin::Core, core, limits, &mut faults);
    let mut warnings = definitions.read(source, Origin::File, numbers, limits, &mut faults);
    definitions.resolve_prose();
    definitions.check_names(limits, &mut faults);
    faults.finish(source)?;

    let rules: Vec<Rule> = definitions.rules.into_iter().flatten().collect();
    debug_assert_eq!(rules.len(), definitions.names.len());
    let mut faults = Faults::default();
    check::check(&rules, &mut faults);
    faults.finish(source)?;
    warnings.extend(octets::warning(&rules));
    Ok(Resolved {
        source: source.to_owned(),
        names: definitions.names,
        rules,
        warnings,
        calls: OnceLock::new(),
        small: OnceLock::new(),
    })
}

/// The rules read so far.
#[derive(Default)]
struct Definitions {
    names: Names,
    /// By name; `None` for a name that is only mentioned.
    rules: Vec<Option<Rule>>,
    /// Names of rules that could not be read, so that they are not reported as undefined too.
    broken: FxHashSet<RuleIndex>,
}

impl Definitions {
    fn read(
        &mut self,
        text: &str,
        origin: Origin,
        numbers: Numbers,
        limits: &Limits,
        faults: &mut Faults,
    ) -> Vec<Fault<AbnfWarningKind>> {
        let layout = Layout::of(text, faults);
        let mut empty = true;
        for (words, bytes) in layout.rules() {
            let unit = match bytes || numbers == Numbers::Bytes {
                true => Unit::Byte,
                false => Unit::CodePoint,
            };
            empty = false;
            let parsed = parser::parse(text, words, unit, &mut self.names, limits, faults);
            self.rules.resize(self.names.len(), None);
            match (parsed, words) {
                (Some(definition), _) => self.add(definition, text, origin, faults),
                (None, [word, ..]) if word.token == Token::Name => {
                    let name = &text[word.span.start..word.span.end];
                    self.broken.insert(self.names.intern(name));
                    self.rules.resize(self.names.len(), None);
                }
                (None, _) => {}
            }
        }
        if empty {
            let hint = "a rule looks like: greeting = \"hello\" / \"hi\"";
            let end = Span::new(text.len(), text.len());
            faults.push(Fault::new(AbnfErrorKind::NoRules, end).hint(hint));
        }
        layout.warnings
    }

    fn add(&mut self, definition: Definition, text: &str, origin: Origin, faults: &mut Faults) {
        let Definition {
            rule,
            name: name_span,
            operator,
            body,
        } = definition;
        let name = text[name_span.start..name_span.end].to_owned();
        let slot = &mut self.rules[rule.index()];
        match (operator, slot) {
            (Operator::Define, Some(first)) if first.origin == origin => {
                if !faults.has_room() {
                    return;
                }
                let first = first.name_span.line_column(text);
                let kind = AbnfErrorKind::DuplicateRule { name, first };
                faults.push(Fault::new(kind, name_span).hint("`=/` adds alternatives to a rule"));
            }
            (Operator::Extend, Some(rule)) => {
                if rule.origin != origin {
                    (rule.origin, rule.name_span) = (origin, name_span);
                }
                extend(&mut rule.body, body);
            }
            (operator, slot) => {
                if operator == Operator::Extend && !self.broken.contains(&rule) {
                    let kind = AbnfErrorKind::ExtendsUndefined { name: name.clone() };
                    faults.push(Fault::new(kind, name_span).hint("define it with `=` first"));
                }
                *slot = Some(Rule {
                    name,
                    name_span,
                    origin,
                    body,
                });
            }
        }
    }

    /// Prose-vals that name a rule are that rule.
    fn resolve_prose(&mut self) {
        let (names, broken) = (&self.names, &self.broken);
        let defined: Vec<bool> = self.rules.iter().map(Option::is_some).collect();
        let target = |prose: &str| {
            let rule = names.get(prose)?;
            (defined[rule.index()] || broken.contains(&rule)).then_some(rule)
        };
        for rule in self.rules.iter_mut().flatten() {
            replace_prose(&mut rule.body, &target);
        }
    }

    /// Every name that is mentioned must be defined, within the limit of rules.
    fn check_names(&self, limits: &Limits, faults: &mut Faults) {
        let limit = LimitError::check("rules of a grammar", self.names.len(), limits.rules);
        if let Err(error) = limit {
            faults.push(Fault::new(error, Span::default()));
        }
        for rule in self
            .rules
            .iter()
            .flatten()
            .filter(|rule| rule.origin == Origin::File)
        {
            rule.body.visit(&mut |node| {
                if let NodeKind::Rule(to) = node.kind
                    && faults.has_room()
                    && self.rules[to.index()].is_none()
                    && !self.broken.contains(&to)
                {
                    faults.push(self.undefined(to, node.span));
                }
            });
        }
    }

    fn undefined(&self, rule: RuleIndex, span: Span) -> Fault {
        let name = self.names.spelling(rule).to_owned();
        let defined = self.rules.iter().flatten().map(|rule| rule.name.as_str());
        let hint = nearest(&name, defined).map(|near| format!("did you mean `{near}`?"));
        Fault {
            kind: AbnfErrorKind::UndefinedRule { name },
            span,
            hint,
        }
    }
}

/// Adds what `=/` says to `body`.
fn extend(body: &mut Node, more: Node) {
    let span = body.span;
    let none = NodeKind::Alternation(Vec::new());
    let mut items = match std::mem::replace(&mut body.kind, none) {
        NodeKind::Alternation(items) => items,
        kind => vec![Node { kind, span }],
    };
    match more {
        Node {
            kind: NodeKind::Alternation(more),
            ..
        } => items.extend(more),
        more => items.push(more),
    }
    body.kind = NodeKind::Alternation(items);
}

fn replace_prose(node: &mut Node, target: &impl Fn(&str) -> Option<RuleIndex>) {
    if let NodeKind::Prose(text) = &node.kind
        && let Some(rule) = target(text)
    {
        node.kind = NodeKind::Rule(rule);
    }
    for child in node.children_mut() {
        replace_prose(child, target);
    }
}
