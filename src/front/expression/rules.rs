//! A table of rules, and what holds of it as a whole.

use super::{Expression, Rule, RuleIndex};
use crate::base::Gates;
use crate::base::graph::{self, Edges};

/// Rules that name each other by their numbers; every number is of the table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules(Vec<Rule>);

impl Rules {
    pub(crate) fn new(rules: Vec<Rule>) -> Self {
        Self(rules)
    }

    /// The table with one more rule, and its number.
    pub(crate) fn with(mut self, rule: Rule) -> (Self, RuleIndex) {
        self.0.push(rule);
        let last = RuleIndex::from_usize(self.0.len() - 1);
        (self, last)
    }

    pub(crate) fn into_rules(self) -> Vec<Rule> {
        self.0
    }

    pub(crate) fn get(&self, rule: RuleIndex) -> &Rule {
        &self.0[rule.index()]
    }

    pub(super) fn replace(&mut self, rule: RuleIndex, body: Expression) {
        self.0[rule.index()].body = body;
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn iter(
        &self,
    ) -> impl DoubleEndedIterator<Item = (RuleIndex, &Rule)> + ExactSizeIterator {
        let rules = self.0.iter().enumerate();
        rules.map(|(number, rule)| (RuleIndex::from_usize(number), rule))
    }

    /// For each rule, the rules that it names.
    pub(super) fn edges(&self) -> Edges {
        let edges = |rule: &Rule| {
            let mut named = Vec::new();
            rule.body.rules(&mut |rule| named.push(rule.index()));
            named
        };
        self.0.iter().map(edges).collect()
    }

    /// The rules in an order in which those that others name come first, each with whether it leads to
    /// itself.
    pub(crate) fn callees_first(&self) -> Vec<(RuleIndex, bool)> {
        let edges = self.edges();
        let mut order = Vec::with_capacity(self.len());
        for component in graph::components(&edges) {
            let recurs = graph::is_loop(&component, &edges);
            let rules = component.into_iter().map(RuleIndex::from_usize);
            order.extend(rules.map(|rule| (rule, recurs)));
        }
        order
    }

    /// Rules to which none of `starts` leads; `more` are rules that others need and do not name any more.
    pub(crate) fn unused(
        &self,
        starts: impl IntoIterator<Item = RuleIndex>,
        more: &[(RuleIndex, RuleIndex)],
    ) -> Vec<RuleIndex> {
        let mut edges = self.edges();
        for (from, to) in more {
            edges[from.index()].push(to.index());
        }
        let starts = starts.into_iter().map(RuleIndex::index);
        self.none_of(&graph::reachable(starts, &edges))
    }

    /// Rules that can never end.
    pub(crate) fn endless(&self) -> Vec<RuleIndex> {
        let mut gates = Gates::of(self.len());
        for (rule, Rule { body, .. }) in self.iter() {
            add(&mut gates, body, rule.index());
        }
        self.none_of(&gates.settle())
    }

    fn none_of(&self, has: &[bool]) -> Vec<RuleIndex> {
        let rules = self.iter().map(|(rule, _)| rule);
        rules.filter(|rule| !has[rule.index()]).collect()
    }
}

/// Adds the gate of an expression that can end.
fn add(gates: &mut Gates, expression: &Expression, parent: usize) {
    let (missing, parts) = match expression {
        Expression::Rule(rule) => return gates.add_rule(parent, rule.index()),
        Expression::Sequence(items) => (items.len(), &items[..]),
        Expression::Choice(items) => (1, &items[..]),
        Expression::Repeat { body, min, .. } => {
            (usize::from(*min > 0), std::slice::from_ref(&**body))
        }
        Expression::Set(set) => (usize::from(set.ranges().is_empty()), &[][..]),
        Expression::Regular(dfa) => (usize::from(dfa.is_empty()), &[][..]),
        Expression::Text(_) | Expression::Control(_) | Expression::Foreign(_) => (0, &[][..]),
    };
    let gate = gates.add(parent, missing);
    for part in parts {
        add(gates, part, gate);
    }
}
