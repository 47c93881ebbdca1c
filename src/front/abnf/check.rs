//! What a grammar means as a whole: rules that can never end, that lead to themselves without
//! consuming anything, that nothing uses.

use super::ast::{Node, NodeKind, Origin, Rule, RuleIndex};
use super::error::{AbnfErrorKind, AbnfWarningKind, Fault, Faults};
use crate::base::Gates;
use crate::base::graph::{self, Edges};

/// Reports rules that can never end and rules that lead to themselves without consuming anything.
///
/// Prose-vals count as something that ends and is not empty.
pub(super) fn check(rules: &[Rule], faults: &mut Faults) {
    let productive = least(rules, |_| true);
    let unproductive = edges(rules, |rule, calls| {
        if !productive[rule] {
            calls.retain(|&to| !productive[to]);
        } else {
            calls.clear();
        }
    });
    report_loops(rules, &unproductive, faults, |name, path| {
        let kind = AbnfErrorKind::Unproductive { name, path };
        (
            kind,
            "give one of these rules an alternative that does not need the others",
        )
    });
    let nullable = nullable(rules);
    let without_input = rules.iter().map(|rule| {
        let mut calls = Vec::new();
        bare_calls(&rule.body, &nullable, &mut calls);
        calls
    });
    report_loops(rules, &without_input.collect(), faults, |name, path| {
        let kind = AbnfErrorKind::EmptyCycle { name, path };
        (
            kind,
            "each time round must consume something, or one text is derived without end",
        )
    });
}

/// Which rules `starts` do not lead to, as warnings.
pub(super) fn unused<'a>(
    rules: &'a [Rule],
    starts: impl IntoIterator<Item = RuleIndex>,
) -> impl Iterator<Item = Fault<AbnfWarningKind>> + 'a {
    let starts = starts.into_iter().map(RuleIndex::index);
    let used = graph::reachable(starts, &edges(rules, |_, _| {}));
    let unused = move |(rule, used): (&'a Rule, bool)| {
        let kind = AbnfWarningKind::UnusedRule {
            name: rule.name.clone(),
        };
        (rule.origin == Origin::File && !used).then(|| Fault::new(kind, rule.name_span))
    };
    rules.iter().zip(used).filter_map(unused)
}

/// Which rules may be empty, prose-vals taken to be not empty.
pub(super) fn nullable(rules: &[Rule]) -> Vec<bool> {
    least(
        rules,
        |kind| matches!(kind, NodeKind::Literal { text, .. } if text.is_empty()),
    )
}

/// For each rule, the rules that it calls, edited by `edit`.
pub(super) fn edges(rules: &[Rule], edit: impl Fn(usize, &mut Vec<usize>)) -> Edges {
    let calls = |(index, rule): (usize, &Rule)| {
        let mut calls = Vec::new();
        rule.body.visit(&mut |node| {
            if let NodeKind::Rule(to) = node.kind {
                calls.push(to.index());
            }
        });
        edit(index, &mut calls);
        calls
    };
    rules.iter().enumerate().map(calls).collect()
}

fn report_loops(
    rules: &[Rule],
    edges: &Edges,
    faults: &mut Faults,
    kind: impl Fn(String, Vec<String>) -> (AbnfErrorKind, &'static str),
) {
    for component in graph::components(edges) {
        if !faults.has_room() {
            return;
        }
        if !graph::is_loop(&component, edges) {
            continue;
        }
        let order = |&rule: &usize| {
            (
                rules[rule].origin == Origin::Core,
                rules[rule].name_span.start,
            )
        };
        let Some(first) = component.into_iter().min_by_key(order) else {
            continue;
        };
        let path = graph::shortest_loop(first, edges);
        let path = path
            .into_iter()
            .map(|rule| rules[rule].name.clone())
            .collect();
        let (kind, hint) = kind(rules[first].name.clone(), path);
        faults.push(Fault::new(kind, rules[first].name_span).hint(hint));
    }
}

/// The rules that `node` may consist of alone, all else in it being empty.
fn bare_calls(node: &Node, nullable: &[bool], calls: &mut Vec<usize>) {
    match &node.kind {
        NodeKind::Rule(rule) => calls.push(rule.index()),
        NodeKind::Alternation(items) => {
            items
                .iter()
                .for_each(|item| bare_calls(item, nullable, calls));
        }
        NodeKind::Concatenation(items) => {
            let full: Vec<_> = items
                .iter()
                .filter(|item| !is_nullable(item, nullable))
                .collect();
            match full[..] {
                [] => items
                    .iter()
                    .for_each(|item| bare_calls(item, nullable, calls)),
                [only] => bare_calls(only, nullable, calls),
                _ => {}
            }
        }
        NodeKind::Repetition { count, body } => {
            let alone = count.min <= 1 || is_nullable(body, nullable);
            if alone && count.max != Some(0) {
                bare_calls(body, nullable, calls);
            }
        }
        _ => {}
    }
}

fn is_nullable(node: &Node, nullable: &[bool]) -> bool {
    match &node.kind {
        NodeKind::Rule(rule) => nullable[rule.index()],
        NodeKind::Alternation(items) => items.iter().any(|item| is_nullable(item, nullable)),
        NodeKind::Concatenation(items) => items.iter().all(|item| is_nullable(item, nullable)),
        NodeKind::Repetition { count, body } => count.min == 0 || is_nullable(body, nullable),
        NodeKind::Literal { text, .. } => text.is_empty(),
        _ => false,
    }
}

/// The rules for which a property holds that an alternation has by any of its alternatives, a
/// concatenation by all of its parts, an optional piece always, and a leaf as `leaf` says: the
/// least solution, in time linear in the grammar's size.
fn least(rules: &[Rule], leaf: impl Fn(&NodeKind) -> bool) -> Vec<bool> {
    let mut gates = Gates::of(rules.len());
    for (index, rule) in rules.iter().enumerate() {
        add(&mut gates, &rule.body, index, &leaf);
    }
    gates.settle()
}

fn add(gates: &mut Gates, node: &Node, parent: usize, leaf: &impl Fn(&NodeKind) -> bool) {
    let missing = match &node.kind {
        NodeKind::Alternation(_) => 1,
        NodeKind::Concatenation(items) => items.len(),
        NodeKind::Repetition { count, .. } => usize::from(count.min > 0),
        NodeKind::Rule(rule) => return gates.add_rule(parent, rule.index()),
        kind => usize::from(!leaf(kind)),
    };
    let gate = gates.add(parent, missing);
    for child in node.children() {
        add(gates, child, gate, leaf);
    }
}
