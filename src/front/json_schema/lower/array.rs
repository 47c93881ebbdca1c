//! Arrays: items by place, their number between two bounds.

use std::sync::Arc;

use smallvec::smallvec;

use super::lead::Lead;
use super::lowered::Lowered;
use super::tag;
use crate::base::RuleId;
use crate::front::json_schema::model::ArrayId;
use crate::front::json_schema::values::ArraySet;
use crate::grammar::{ImplicitBody, KeyWriter, Node, Words};

/// An array.
///
/// Positions are a [`Phase`] and the number of items so far, counted only as far as it matters.
#[derive(Debug)]
pub(super) struct ArrayBody {
    pub(super) lead: Lead,
    pub(super) lowered: Arc<Lowered>,
    pub(super) array: ArrayId,
}

/// Where in an array one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Phase {
    Start,
    /// After `[`.
    Open,
    /// After `[` and white space, with nothing to come.
    Empty,
    /// After `,`.
    Comma,
    /// After an item.
    After,
    End,
}

impl Phase {
    const ALL: [Self; 6] = [
        Self::Start,
        Self::Open,
        Self::Empty,
        Self::Comma,
        Self::After,
        Self::End,
    ];

    fn at(self, count: u32) -> Words {
        smallvec![self as u32, count]
    }
}

impl ArrayBody {
    fn set(&self) -> &ArraySet {
        self.lowered.model.array(self.array)
    }

    /// Whether there may be an item after `count` items.
    fn may_go_on(&self, count: u32) -> bool {
        let set = self.set();
        count < set.most && self.lowered.model.inhabited(set.item(count as usize))
    }

    fn item(&self, count: u32, node: &mut Node<Words>) {
        let set = self.set();
        if self.may_go_on(count) {
            // Beyond this number all are alike.
            let matters = match set.most {
                u32::MAX => set.least.max(set.prefix.len() as u32),
                most => most,
            };
            let rule = self.lowered.rule(set.item(count as usize));
            node.call(rule, Phase::After.at((count + 1).min(matters)));
        }
    }
}

impl ImplicitBody for ArrayBody {
    fn start(&self, _args: &[u32]) -> Words {
        Phase::Start.at(0)
    }

    fn expand(&self, words: &[u32], node: &mut Node<Words>) {
        let (phase, count) = (Phase::ALL[words[0] as usize], words[1]);
        let here: Words = words.into();
        match phase {
            Phase::Start => {
                self.lead.edges(node, &here);
                node.byte(b'[', Phase::Open.at(0));
            }
            Phase::Open => {
                if self.set().least == 0 {
                    self.lowered.whitespace.edges(node, &Phase::Empty.at(0));
                    node.byte(b']', Phase::End.at(0));
                }
                self.item(0, node);
            }
            Phase::Empty => {
                self.lowered.whitespace.edges(node, &here);
                node.byte(b']', Phase::End.at(0));
            }
            Phase::Comma => self.item(count, node),
            Phase::After => {
                self.lowered.whitespace.edges(node, &here);
                if self.may_go_on(count) {
                    node.byte(b',', Phase::Comma.at(count));
                }
                if count >= self.set().least {
                    node.byte(b']', Phase::End.at(0));
                }
            }
            Phase::End => node.end(),
        }
    }

    fn callees(&self, visit: &mut dyn FnMut(RuleId)) {
        let (set, model) = (self.set(), &self.lowered.model);
        for &item in set.prefix.iter().chain([&set.rest]) {
            if model.inhabited(item) {
                visit(self.lowered.rule(item));
            }
        }
    }

    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        let set = self.set();
        key.word(tag::ARRAY);
        key.word(self.lead as u32);
        key.word(self.lowered.whitespace as u32);
        key.word(set.least);
        key.word(set.most);
        key.word(set.prefix.len() as u32);
        for &item in set.prefix.iter().chain([&set.rest]) {
            let inhabited = self.lowered.model.inhabited(item);
            key.word(u32::from(inhabited));
            if inhabited {
                key.rule(self.lowered.rule(item));
            }
        }
        true
    }
}
