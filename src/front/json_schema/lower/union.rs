//! One of several rules.

use super::tag;
use crate::base::RuleId;
use crate::grammar::{Hints, ImplicitBody, KeyWriter, Node, Words};

/// What any of some rules produces. Positions: before and after.
#[derive(Debug)]
pub(super) struct UnionBody {
    pub(super) rules: Vec<RuleId>,
    /// Whether one of them may be empty.
    pub(super) nullable: bool,
}

impl UnionBody {
    /// One of these rules, none of which is empty.
    pub(super) fn of(rules: Vec<RuleId>) -> Self {
        Self {
            rules,
            nullable: false,
        }
    }
}

impl ImplicitBody for UnionBody {
    fn start(&self, _args: &Words) -> Words {
        Words::from([0])
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        if words[0] != 0 {
            return node.end();
        }
        for &rule in &self.rules {
            node.call(rule, Words::from([1]));
        }
    }

    fn nullable(&self) -> bool {
        self.nullable
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for UnionBody {
    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        key.word(tag::UNION);
        key.word(self.rules.len() as u32);
        self.rules.iter().for_each(|&rule| key.rule(rule));
        true
    }
}
