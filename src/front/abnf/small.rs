//! Which rules are so small that they are put in the place of their calls.

use super::ast::{Node, NodeKind, Rule};
use crate::base::graph::{self, Edges};

/// Rules of at most this many states are put in the place of their calls. It also bounds how deep
/// rules are put into rules.
const SMALL_RULE: usize = 64;

/// For each rule that is put in the place of its calls, about how many states it has.
pub(super) fn small_rules(rules: &[Rule], edges: &Edges) -> Box<[Option<usize>]> {
    let mut small = vec![None; rules.len()];
    for component in graph::components(edges) {
        if graph::is_loop(&component, edges) {
            continue;
        }
        for rule in component {
            let body = &rules[rule].body;
            let mut prose = false;
            body.visit(&mut |node| prose |= matches!(node.kind, NodeKind::Prose(_)));
            let size = size(body, &small).saturating_add(1);
            small[rule] = (!prose && size <= SMALL_RULE).then_some(size);
        }
    }
    small.into()
}

/// About how many states `node` needs, at least as many as it is deep.
pub(super) fn size(node: &Node, small: &[Option<usize>]) -> usize {
    let sum = |items: &[Node]| {
        items
            .iter()
            .fold(0usize, |sum, item| sum.saturating_add(size(item, small)))
    };
    match &node.kind {
        NodeKind::Alternation(items) | NodeKind::Concatenation(items) => sum(items),
        NodeKind::Repetition { count, body } => {
            let times = count.max.unwrap_or(count.min).max(1) as usize;
            size(body, small).saturating_mul(times).saturating_add(1)
        }
        NodeKind::Rule(rule) => small[rule.index()].unwrap_or(1),
        NodeKind::Literal { text, .. } => text.len().max(1),
        NodeKind::Values { values, .. } => values.len(),
        NodeKind::Range { .. } | NodeKind::Prose(_) => 1,
    }
}
