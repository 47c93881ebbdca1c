//! Terminals, and rules that are read whole: automata where they are intersections, complements or shortest
//! matches, else expressions.

use std::sync::Arc;

use super::{Names, Read, Resolver, irregular};
use crate::base::{Span, graph};
use crate::front::expression::{Expression, RuleIndex, Rules, substrings};
use crate::front::lark::ast::{Definition, Node, NodeKind, Scope};
use crate::front::lark::error::{Fault, LarkErrorKind};
use crate::regular::{Dfa, Dialect, Pattern, PatternNoteKind};

/// A grammar's text and its names.
type Named<'a> = (&'a Scope, &'a Names);

impl Resolver<'_> {
    /// Gives the terminals their bodies, those that others need first.
    pub(super) fn terminals(&mut self, scope: &Scope, names: &Names) {
        let mut edges = Vec::with_capacity(scope.definitions.len());
        for definition in &scope.definitions {
            let mut needs = Vec::new();
            if definition.is_read_whole() {
                let mut need = |name: &str| {
                    needs.extend(names.map.get(name).map(|rule| rule.index() - names.first));
                };
                named(&definition.body, &mut need);
                if let Some(marker) = &definition.options.marker {
                    named(marker, &mut need);
                }
            }
            let rule = |at: usize| RuleIndex::from_usize(names.first + at);
            let from = rule(edges.len());
            self.needs.extend(needs.iter().map(|&to| (from, rule(to))));
            edges.push(needs);
        }
        for component in graph::components(&edges) {
            let recurs = graph::is_loop(&component, &edges);
            for at in component {
                let definition = &scope.definitions[at];
                if !definition.is_read_whole() {
                    continue;
                }
                let name = definition.name.clone();
                let body = match recurs {
                    true => {
                        let kind = LarkErrorKind::RecursiveTerminal { name };
                        Err(Fault::new(kind, definition.span))
                    }
                    false => self.read_whole(definition, (scope, names)),
                };
                match body {
                    Ok(body) => self.rules[names.first + at].body = body,
                    Err(fault) => self.faults.push(fault),
                }
            }
        }
    }

    /// The body of a terminal, or of a rule that is read like one.
    fn read_whole(&mut self, definition: &Definition, named: Named<'_>) -> Read<Expression> {
        let body = self.terminal(&definition.body, named)?;
        let marker = match &definition.options.marker {
            Some(marker) => self.terminal(marker, named)?,
            None if definition.options.lazy.is_some() => Expression::empty(),
            None => return Ok(body),
        };
        let whole = self.regular(&Expression::Sequence(vec![body, marker]), definition.span)?;
        Ok(Expression::Regular(Arc::new(whole.shortest())))
    }

    /// What stands in a terminal.
    pub(super) fn terminal(&mut self, node: &Node, named: Named<'_>) -> Read<Expression> {
        let span = node.span;
        Ok(match &node.kind {
            NodeKind::Choice(items) => Expression::choice(self.all(items, named)?),
            NodeKind::Sequence(items) => Expression::sequence(self.all(items, named)?),
            NodeKind::Repeat { body, min, max } => self.terminal(body, named)?.repeated(*min, *max),
            NodeKind::All(items) => {
                let mut common: Option<Dfa> = None;
                for item in items {
                    let item = self.terminal(item, named)?;
                    let dfa = self.regular(&item, span)?;
                    common = Some(match common {
                        None => dfa,
                        Some(common) => common
                            .intersect(&dfa, self.limits)
                            .map_err(|error| Fault::new(error, span))?,
                    });
                }
                Expression::Regular(Arc::new(common.unwrap_or_else(Dfa::utf8_text)))
            }
            NodeKind::Not(body) => {
                let body = self.terminal(body, named)?;
                let others = self.regular(&body, span)?.complement_text(self.limits);
                let others = others.map_err(|error| Fault::new(error, span))?;
                Expression::Regular(Arc::new(others))
            }
            NodeKind::Text {
                text,
                ignores_case: false,
            } => Expression::Text(text.as_str().into()),
            NodeKind::Text { text, .. } => Expression::folded(text),
            NodeKind::Range(first, last) => Expression::range(*first, *last),
            NodeKind::Pattern(pattern) => {
                Expression::Regular(Arc::new(self.pattern(pattern, span)?))
            }
            NodeKind::Substrings(chunks) => {
                let chunks = chunks.iter().map(String::as_str);
                let dfa =
                    substrings(chunks, self.limits).map_err(|error| Fault::new(error, span))?;
                Expression::Regular(Arc::new(dfa))
            }
            NodeKind::Name(name) => {
                let (rule, at) = self.named(name, span, named.1)?;
                if !named.0.definitions[at].is_terminal {
                    return Err(in_terminal("a rule", span));
                }
                Expression::Rule(rule)
            }
            NodeKind::Control(_) => return Err(in_terminal("a token", span)),
            NodeKind::Json(_) => return Err(in_terminal("%json", span)),
            NodeKind::Lark(_) => return Err(in_terminal("%lark", span)),
            // Templates are written out before.
            NodeKind::Use { .. } => return Err(in_terminal("a template", span)),
        })
    }

    fn all(&mut self, items: &[Node], named: Named<'_>) -> Read<Vec<Expression>> {
        items
            .iter()
            .map(|item| self.terminal(item, named))
            .collect()
    }

    /// The automaton of an expression whose terminals have their bodies.
    fn regular(&mut self, expression: &Expression, span: Span) -> Read<Dfa> {
        let rules = Rules::new(std::mem::take(&mut self.rules));
        let dfa = rules.regular(expression, self.limits);
        self.rules = rules.into_rules();
        dfa.map_err(|error| irregular(error, span))
    }

    fn pattern(&self, pattern: &str, span: Span) -> Read<Dfa> {
        let refused = |error| self.refused(error, span);
        let read = Pattern::parse(pattern, Dialect::Python, self.limits).map_err(refused)?;
        for note in read.notes() {
            let what = match note.kind {
                PatternNoteKind::PosixClass => "[:…:]",
                PatternNoteKind::ClassOperator => &pattern[note.span.start..note.span.end],
                _ => continue,
            };
            let what = format!("`{what}` in a class");
            let why = "Lark and llguidance read it differently";
            let fault = Fault::new(LarkErrorKind::Unsupported { what, why }, span);
            return Err(fault.hint("write the class out"));
        }
        read.whole(self.limits).map_err(refused)
    }
}

fn in_terminal(what: &'static str, span: Span) -> Fault {
    Fault::new(LarkErrorKind::InTerminal { what }, span)
}

/// Calls `visit` for each name in `node`, within grammars of its own not.
fn named(node: &Node, visit: &mut impl FnMut(&str)) {
    match &node.kind {
        NodeKind::Name(name) => visit(name),
        NodeKind::Choice(items) | NodeKind::Sequence(items) | NodeKind::All(items) => {
            items.iter().for_each(|item| named(item, visit));
        }
        NodeKind::Repeat { body, .. } | NodeKind::Not(body) => named(body, visit),
        _ => {}
    }
}
