//! Templates: rules with parameters, written out once for each list of arguments that they are used with.
//!
//! An argument is a name, a string, a range, a pattern or a use of a template, which is a name by then. So what is written
//! out is no deeper than its template, and what recurs with the same arguments ends.

use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::{Definition, Node, NodeKind, Scope};
use super::error::{Fault, Faults, LarkErrorKind, LarkWarningKind};
use crate::base::{LimitError, Limits, Span};
use crate::front::expression::STEPS_PER_BYTE;

/// Replaces the templates of `scope` by rules. What is wrong goes to `faults`.
pub(super) fn write_out(
    scope: &mut Scope,
    limits: &Limits,
    faults: &mut Faults,
    warnings: &mut Vec<Fault<LarkWarningKind>>,
) {
    let definitions = std::mem::take(&mut scope.definitions).into_iter();
    let (templates, rules) =
        definitions.partition(|definition: &Definition| !definition.parameters.is_empty());
    let mut writing = Writing {
        templates,
        by_name: FxHashMap::default(),
        uses: Vec::new(),
        rules,
        made: FxHashMap::default(),
        limits,
    };
    for fault in writing.names() {
        faults.push(fault);
    }
    if let Err(fault) = writing.all(&mut scope.ignored) {
        faults.push(fault);
    }
    scope.definitions = writing.rules;
    for (template, uses) in writing.templates.iter().zip(writing.uses) {
        if uses == 0 {
            let name = template.name.clone();
            warnings.push(Fault::new(LarkWarningKind::Unused { name }, template.span));
        }
    }
}

struct Writing<'a> {
    templates: Vec<Definition>,
    by_name: FxHashMap<String, usize>,
    /// How many rules each template has become.
    uses: Vec<usize>,
    /// The rules, those made of templates last.
    rules: Vec<Definition>,
    /// The names of the rules that templates have become, by template and arguments.
    made: FxHashMap<(usize, Vec<Argument>), String>,
    limits: &'a Limits,
}

/// What tells arguments apart.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Argument {
    Name(String),
    Text(String, bool),
    Range(char, char),
    Pattern(String),
}

type Read<T> = Result<T, Fault>;

impl Writing<'_> {
    /// Looks the templates up; gives the faults of those that are defined twice.
    fn names(&mut self) -> Vec<Fault> {
        self.uses = vec![0; self.templates.len()];
        for (at, template) in self.templates.iter().enumerate() {
            self.by_name.entry(template.name.clone()).or_insert(at);
        }
        let rules: FxHashSet<&str> = self.rules.iter().map(|rule| rule.name.as_str()).collect();
        let again = |(at, template): (usize, &Definition)| {
            let is_rule = rules.contains(template.name.as_str());
            (is_rule || self.by_name[&template.name] != at).then(|| {
                let name = template.name.clone();
                Fault::new(LarkErrorKind::TemplateAgain { name }, template.span)
            })
        };
        let templates = self.templates.iter().enumerate();
        templates.filter_map(again).collect()
    }

    /// Replaces the uses of templates in all rules, in `ignored`, and in what they become.
    fn all(&mut self, ignored: &mut [Node]) -> Read<()> {
        if self.templates.is_empty() && !self.rules.iter().any(|rule| has_use(&rule.body)) {
            return Ok(());
        }
        for node in ignored {
            self.node(node)?;
        }
        let mut at = 0;
        while at < self.rules.len() {
            let span = self.rules[at].span;
            LimitError::check("rules of a grammar", self.rules.len(), self.limits.rules)
                .map_err(|error| Fault::new(error, span))?;
            let empty = Node::new(NodeKind::Sequence(Vec::new()), span);
            let mut body = std::mem::replace(&mut self.rules[at].body, empty);
            self.node(&mut body)?;
            self.rules[at].body = body;
            at += 1;
        }
        Ok(())
    }

    /// Replaces the uses of templates in `node` by rules, whose bodies come later.
    fn node(&mut self, node: &mut Node) -> Read<()> {
        self.charge(node.span)?;
        match &mut node.kind {
            NodeKind::Choice(items) | NodeKind::Sequence(items) | NodeKind::All(items) => {
                for item in items {
                    self.node(item)?;
                }
            }
            NodeKind::Not(body) | NodeKind::Repeat { body, .. } => self.node(body)?,
            NodeKind::Name(name) if self.by_name.contains_key(name) => {
                return Err(self.count(name, 0, node.span));
            }
            NodeKind::Use { name, arguments } => {
                for argument in &mut *arguments {
                    self.node(argument)?;
                }
                let name = self.rule(name, arguments, node.span)?;
                node.kind = NodeKind::Name(name);
            }
            _ => {}
        }
        Ok(())
    }

    /// Replaces `parameters` in `node` by `arguments`.
    fn fill(&self, node: &mut Node, parameters: &[String], arguments: &[Node]) -> Read<()> {
        self.charge(node.span)?;
        match &mut node.kind {
            NodeKind::Choice(items)
            | NodeKind::Sequence(items)
            | NodeKind::All(items)
            | NodeKind::Use {
                arguments: items, ..
            } => {
                for item in items {
                    self.fill(item, parameters, arguments)?;
                }
            }
            NodeKind::Not(body) | NodeKind::Repeat { body, .. } => {
                self.fill(body, parameters, arguments)?;
            }
            NodeKind::Name(name) => {
                if let Some(at) = parameters.iter().position(|known| known == name) {
                    *node = arguments[at].clone();
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn charge(&self, span: Span) -> Read<()> {
        let spent = self.limits.charge(2 * STEPS_PER_BYTE);
        spent.map_err(|error| Fault::new(error, span))
    }

    /// The rule that a template is for these arguments.
    fn rule(&mut self, name: &str, given: &[Node], span: Span) -> Read<String> {
        let template = match self.by_name.get(name) {
            Some(&at) if self.templates[at].parameters.len() == given.len() => at,
            _ => return Err(self.count(name, given.len(), span)),
        };
        let arguments = given.iter().map(argument).collect::<Read<Vec<_>>>()?;
        if let Some(known) = self.made.get(&(template, arguments.clone())) {
            return Ok(known.clone());
        }
        self.uses[template] += 1;
        // No name in a text has braces.
        let name = format!("{name}{{{}}}", self.uses[template]);
        self.made.insert((template, arguments), name.clone());
        let Definition {
            parameters,
            mut body,
            mut options,
            ..
        } = self.templates[template].clone();
        self.fill(&mut body, &parameters, given)?;
        if let Some(marker) = &mut options.marker {
            self.fill(marker, &parameters, given)?;
        }
        self.rules.push(Definition {
            name: name.clone(),
            span: self.templates[template].span,
            is_terminal: false,
            parameters: Vec::new(),
            options,
            body,
        });
        Ok(name)
    }

    /// The fault that a name has so many arguments.
    fn count(&self, name: &str, given: usize, span: Span) -> Fault {
        let template = self.by_name.get(name).map(|&at| &self.templates[at]);
        let takes = template.map_or(0, |template| template.parameters.len());
        let name = name.to_owned();
        Fault::new(LarkErrorKind::Arguments { name, takes, given }, span)
    }
}

fn argument(node: &Node) -> Read<Argument> {
    match &node.kind {
        NodeKind::Name(name) => Ok(Argument::Name(name.clone())),
        NodeKind::Text { text, ignores_case } => Ok(Argument::Text(text.clone(), *ignores_case)),
        NodeKind::Range(first, last) => Ok(Argument::Range(*first, *last)),
        NodeKind::Pattern(pattern) => Ok(Argument::Pattern(pattern.clone())),
        _ => {
            let what = "such an argument of a template".to_owned();
            let why = "a name, a string or a pattern can be one; give it a name";
            let kind = LarkErrorKind::Unsupported { what, why };
            Err(Fault::new(kind, node.span))
        }
    }
}

/// Whether a template, or what should be one, is used in `node`.
fn has_use(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Use { .. } => true,
        NodeKind::Choice(items) | NodeKind::Sequence(items) | NodeKind::All(items) => {
            items.iter().any(has_use)
        }
        NodeKind::Not(body) | NodeKind::Repeat { body, .. } => has_use(body),
        _ => false,
    }
}
