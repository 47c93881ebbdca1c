//! Rules by what they say, whatever their grammar.

use crate::grammar::Words;
use crate::vocab::NodeId;

/// What a rule's description says: a number that is never given again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Content(u64);

impl Content {
    pub(super) const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number, in words.
    pub(super) fn words(self) -> [u32; 2] {
        [self.0 as u32, (self.0 >> 32) as u32]
    }
}

/// A rule's content and a position in it: equal keys, equal contributions.
pub(super) type RuleKey = (Content, Words);

/// Which tokens come to a passage.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Comers {
    /// Those that end a rule, by the exit of that index.
    Exit(RuleKey, u32),
    /// Those that begin with the bytes of a node of the vocabulary's trie.
    Below(NodeId),
}

/// Which tokens come to a passage, and what there is to say of it: equal keys, equal crossings.
pub(super) type CrossingKey = (Comers, Words);
