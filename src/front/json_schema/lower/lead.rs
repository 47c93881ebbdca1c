//! White space: inside values, and before them.

use super::spelling::state;
use crate::grammar::{Node, Words};

/// White space inside a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Spaces {
    None,
    Any,
}

impl Spaces {
    pub(super) fn edges(self, node: &mut Node<Words>, to: &Words) {
        if self == Self::Any {
            node.range(b'\t', b'\n', to.clone());
            node.byte(b'\r', to.clone());
            node.byte(b' ', to.clone());
        }
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
