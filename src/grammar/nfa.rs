//! A rule body as it is written: an automaton with empty edges.

use crate::base::{ControlId, RuleId, define_id};

define_id! {
    /// A state of an [`Nfa`].
    pub NfaState
}

/// What an edge of an [`Nfa`] consumes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Label {
    Empty,
    Bytes(u8, u8),
    Control(ControlId),
    Call(RuleId),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct NfaNode {
    pub(crate) edges: Vec<(Label, NfaState)>,
    pub(crate) exit: Option<super::Words>,
}

/// A rule body under construction: states joined by byte ranges, control tokens, calls and empty
/// edges. It is determinised when the rule is defined.
///
/// ```
/// use maskwright::grammar::Nfa;
/// // *("a" / "b") "b"
/// let mut nfa = Nfa::new();
/// let start = nfa.start();
/// nfa.bytes(start, b'a', b'b', start);
/// let end = nfa.literal(start, b"b");
/// nfa.accept(end);
/// ```
#[derive(Clone, Debug)]
pub struct Nfa {
    pub(crate) nodes: Vec<NfaNode>,
}

impl Default for Nfa {
    fn default() -> Self {
        Self::new()
    }
}

impl Nfa {
    /// An automaton of one state, the start, which accepts nothing.
    pub fn new() -> Self {
        Self {
            nodes: vec![NfaNode::default()],
        }
    }

    /// The start state.
    pub fn start(&self) -> NfaState {
        NfaState::new(0)
    }

    /// A new state.
    pub fn state(&mut self) -> NfaState {
        self.nodes.push(NfaNode::default());
        NfaState::from_usize(self.nodes.len() - 1)
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: there is always the start.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Joins two states without consuming anything.
    pub fn empty(&mut self, from: NfaState, to: NfaState) {
        self.edge(from, Label::Empty, to);
    }

    /// Joins two states by any one of the bytes `lo..=hi`.
    pub fn bytes(&mut self, from: NfaState, lo: u8, hi: u8, to: NfaState) {
        self.edge(from, Label::Bytes(lo, hi), to);
    }

    /// Joins two states by a control token.
    pub fn control(&mut self, from: NfaState, control: ControlId, to: NfaState) {
        self.edge(from, Label::Control(control), to);
    }

    /// Joins two states by whatever `rule` produces.
    pub fn call(&mut self, from: NfaState, rule: RuleId, to: NfaState) {
        self.edge(from, Label::Call(rule), to);
    }

    /// Adds a path that spells `bytes`, and gives its last state.
    pub fn literal(&mut self, from: NfaState, bytes: &[u8]) -> NfaState {
        let mut at = from;
        for &byte in bytes {
            let next = self.state();
            self.bytes(at, byte, byte, next);
            at = next;
        }
        at
    }

    /// Lets the rule end at `state`, plainly.
    pub fn accept(&mut self, state: NfaState) {
        self.accept_with(state, &[]);
    }

    /// Lets the rule end at `state` with an exit, which its caller can ask for.
    pub fn accept_with(&mut self, state: NfaState, exit: &[u32]) {
        self.nodes[state.index()].exit = Some(exit.into());
    }

    fn edge(&mut self, from: NfaState, label: Label, to: NfaState) {
        self.nodes[from.index()].edges.push((label, to));
    }
}
