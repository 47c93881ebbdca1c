//! White space: inside values, and before them.

use std::sync::Arc;

use super::automaton;
use super::spelling::state;
use super::tag;
use crate::base::RuleId;
use crate::grammar::{Hints, ImplicitBody, KeyWriter, Node, Words};
use crate::regular::{Dfa, StateId};

/// White space inside a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Spaces {
    None,
    Any,
    /// What this rule says: called once in each place, before what follows.
    Rule(RuleId),
}

/// In the first word of a position: the rule of white space has been called.
const CALLED: u32 = 1 << 31;

impl Spaces {
    /// Any white space, where there is, that leads to `to`.
    pub(super) fn edges(self, node: &mut Node<Words>, to: &Words) {
        if self == Self::Any {
            node.range(b'\t', b'\n', to.clone());
            node.byte(b'\r', to.clone());
            node.byte(b' ', to.clone());
        }
    }

    /// Offers white space at the position `here`, and tells whether what stands behind it may come.
    pub(super) fn pass(self, node: &mut Node<Words>, here: &Words) -> bool {
        self.edges(node, here);
        self.pass_before_value(node, here)
    }

    /// As [`Spaces::pass`], where the rule of a value follows: any white space is part of that.
    pub(super) fn pass_before_value(self, node: &mut Node<Words>, here: &Words) -> bool {
        match self {
            Self::Rule(rule) if here[0] & CALLED == 0 => {
                let mut to = here.clone();
                to[0] |= CALLED;
                node.call(rule, to);
                false
            }
            _ => true,
        }
    }

    /// The first word of a position, without what is noted there.
    pub(super) fn plain(word: u32) -> u32 {
        word & !CALLED
    }

    /// Whether `rule` is that of white space.
    pub(super) fn calls(self, rule: RuleId) -> bool {
        self == Self::Rule(rule)
    }

    pub(super) fn describe(self, key: &mut KeyWriter<'_>) {
        match self {
            Self::None => key.word(0),
            Self::Any => key.word(1),
            Self::Rule(rule) => {
                key.word(2);
                key.rule(rule);
            }
        }
    }
}

/// White space of a language. Positions are its states.
#[derive(Debug)]
pub(super) struct SpaceBody(pub(super) Arc<Dfa>);

impl ImplicitBody for SpaceBody {
    fn start(&self, _args: &Words) -> Words {
        Words::from([self.0.start().get()])
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        let state = StateId::new(words[0]);
        for (lo, hi, to) in self.0.ranges(state) {
            node.range(lo, hi, Words::from([to.get()]));
        }
        if self.0.is_accepting(state) {
            node.end();
        }
    }

    fn nullable(&self) -> bool {
        self.0.is_accepting(self.0.start())
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for SpaceBody {
    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        key.word(tag::SPACE);
        automaton::describe(&self.0, key)
    }
}

/// White space before a value: part of its rule, so that a rule's masks cover it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Lead {
    Bare,
    Spaced,
}

impl Lead {
    pub(super) fn edges(self, node: &mut Node<Words>, to: &Words) {
        if self == Self::Spaced {
            Spaces::Any.edges(node, to);
        }
    }

    /// Where a string begins.
    pub(super) fn start(self) -> u32 {
        match self {
            Self::Bare => state::BARE,
            Self::Spaced => state::LEAD,
        }
    }
}
