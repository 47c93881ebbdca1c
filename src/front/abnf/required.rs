//! What each text of a rule spells that comes by certain prose-vals.

use std::collections::{BTreeMap, BTreeSet};

use super::ast::{Node, NodeKind, Rule, RuleIndex};
use super::open::has_none;

type Spelt<'a> = BTreeSet<&'a str>;

/// Looks for what a grammar requires.
pub(super) struct Required<'a> {
    rules: &'a [Rule],
    /// Whether a prose-val is one of those that a text is to come by.
    is_one: fn(&str) -> bool,
    /// The prose-val whose alternatives do not count.
    shut: &'a str,
    known: BTreeMap<RuleIndex, Of<'a>>,
}

/// What is required of a node.
#[derive(Clone, Default)]
struct Of<'a> {
    /// What each text spells.
    always: Spelt<'a>,
    /// What each text spells that comes by one of the prose-vals; `None` where none does.
    by_way: Option<Spelt<'a>>,
}

impl<'a> Required<'a> {
    pub(super) fn new(rules: &'a [Rule], is_one: fn(&str) -> bool, shut: &'a str) -> Self {
        Self {
            rules,
            is_one,
            shut,
            known: BTreeMap::new(),
        }
    }

    /// The literals of each text of `rule` that comes by one of the prose-vals; `None` where no text does.
    pub(super) fn by_way(&mut self, rule: RuleIndex) -> Option<Spelt<'a>> {
        self.rule(rule).by_way
    }

    fn rule(&mut self, rule: RuleIndex) -> Of<'a> {
        if let Some(known) = self.known.get(&rule) {
            return known.clone();
        }
        // A rule within itself adds nothing: there is a shorter text without it.
        self.known.insert(rule, Of::default());
        let rules = self.rules;
        let found = self.node(&rules[rule.index()].body);
        self.known.insert(rule, found.clone());
        found
    }

    fn node(&mut self, node: &'a Node) -> Of<'a> {
        let (always, by_way) = match &node.kind {
            NodeKind::Alternation(items) => {
                let is_open = |item: &&'a Node| !has_none(item, &|prose| prose == self.shut);
                let open: Vec<_> = items.iter().filter(is_open).collect();
                let found: Vec<_> = open.into_iter().map(|item| self.node(item)).collect();
                let by_way = common(found.iter().filter_map(|of| of.by_way.clone()));
                let always = common(found.into_iter().map(|of| of.always));
                (always.unwrap_or_default(), by_way)
            }
            NodeKind::Concatenation(items) => {
                let found: Vec<_> = items.iter().map(|item| self.node(item)).collect();
                let always: Spelt = found.iter().flat_map(|of| of.always.clone()).collect();
                // What stands beside the way is spelt, too.
                let ways = found.iter().filter_map(|of| of.by_way.as_ref());
                let by_way = common(ways.map(|way| way | &always));
                (always, by_way)
            }
            NodeKind::Repetition { count, body } => {
                let of = self.node(body);
                let always = if count.min > 0 {
                    of.always
                } else {
                    Spelt::new()
                };
                (always, of.by_way)
            }
            NodeKind::Rule(rule) => return self.rule(*rule),
            NodeKind::Literal { text, .. } => ([text.as_str()].into(), None),
            NodeKind::Prose(name) => (Spelt::new(), (self.is_one)(name).then(Spelt::new)),
            NodeKind::Values { .. } | NodeKind::Range { .. } => Default::default(),
        };
        Of { always, by_way }
    }
}

/// What all sets have in common; `None` where there are none.
fn common<'a>(sets: impl Iterator<Item = Spelt<'a>>) -> Option<Spelt<'a>> {
    sets.reduce(|left, right| &left & &right)
}
