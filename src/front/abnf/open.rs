//! What a rule may spell where some prose-vals have no text.

use std::collections::BTreeSet;

use super::ast::{Node, NodeKind, Rule, RuleIndex};

/// The quoted strings that `start` leads to where a prose-val for which `is_shut` holds takes the alternative it stands in with it.
pub(super) fn literals<'a>(
    rules: &'a [Rule],
    start: RuleIndex,
    is_shut: &dyn Fn(&str) -> bool,
) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::from([start]);
    let mut pending = vec![&rules[start.index()].body];
    while let Some(node) = pending.pop() {
        if has_none(node, is_shut) {
            continue;
        }
        pending.extend(node.children());
        match &node.kind {
            NodeKind::Literal { text, .. } => {
                found.insert(text.as_str());
            }
            NodeKind::Rule(rule) if seen.insert(*rule) => pending.push(&rules[rule.index()].body),
            _ => {}
        }
    }
    found
}

/// Whether a piece has no text, as far as that is seen without the rules that it names.
pub(super) fn has_none(node: &Node, is_shut: &dyn Fn(&str) -> bool) -> bool {
    match &node.kind {
        NodeKind::Prose(name) => is_shut(name),
        NodeKind::Concatenation(items) => items.iter().any(|item| has_none(item, is_shut)),
        NodeKind::Alternation(items) => items.iter().all(|item| has_none(item, is_shut)),
        NodeKind::Repetition { count, body } => count.min > 0 && has_none(body, is_shut),
        _ => false,
    }
}
