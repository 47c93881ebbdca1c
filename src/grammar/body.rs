//! What a rule consists of: positions, and what each of them offers.

use std::fmt;
use std::sync::Arc;

use super::hints::{Hints, NoHints};
use super::words::Words;
use crate::base::{ControlId, RuleId};

/// Bytes `lo..=hi` lead to `to`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Edge<T> {
    /// The lowest byte.
    pub lo: u8,
    /// The highest byte.
    pub hi: u8,
    /// Where they lead.
    pub to: T,
}

/// Where a call continues when the called rule has ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ReturnTo<T> {
    /// At this position, whatever the exit was.
    Position(T),
    /// Where [`ImplicitBody::on_return`] says, asked with this site and the exit.
    Ask(T),
}

/// A call to another rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Call<T> {
    /// The rule called.
    pub rule: RuleId,
    /// Its arguments, empty for a plain rule.
    pub args: Words,
    /// Where the caller goes on.
    pub to: ReturnTo<T>,
}

/// What one position offers: its edges, its calls, and whether the rule may end here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node<T> {
    /// Byte edges. They may overlap: the machine follows all that match.
    pub edges: Vec<Edge<T>>,
    /// Control tokens and where they lead.
    pub controls: Vec<(ControlId, T)>,
    /// Calls to other rules.
    pub calls: Vec<Call<T>>,
    /// `Some` where the rule may end here; the words are the exit, empty for a plain end.
    pub exit: Option<Words>,
    /// Whether positions remember the bytes that led to them.
    pub reading: Reading,
}

/// What becomes of the bytes that are read over the edges of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Edges lead to positions.
    #[default]
    Passing,
    /// Edges lead to positions less their last words: the last `carried` words of this position, and
    /// then the byte.
    Recording {
        /// How many words of this position those that follow end with.
        carried: u32,
    },
}

impl<T> Default for Node<T> {
    fn default() -> Self {
        Self {
            edges: Vec::new(),
            controls: Vec::new(),
            calls: Vec::new(),
            exit: None,
            reading: Reading::Passing,
        }
    }
}

impl<T> Node<T> {
    /// Adds an edge for one byte.
    pub(crate) fn byte(&mut self, byte: u8, to: T) {
        self.range(byte, byte, to);
    }

    /// Adds an edge for the bytes `lo..=hi`.
    pub(crate) fn range(&mut self, lo: u8, hi: u8, to: T) {
        self.edges.push(Edge { lo, hi, to });
    }

    /// Adds a call without arguments that continues at `to`.
    pub(crate) fn call(&mut self, rule: RuleId, to: T) {
        self.calls.push(Call {
            rule,
            args: Words::new(),
            to: ReturnTo::Position(to),
        });
    }

    /// Lets the rule end here, plainly.
    pub(crate) fn end(&mut self) {
        self.exit = Some(Words::new());
    }
}

/// A rule body whose positions are made when they are first visited.
///
/// These methods say what the body *is*: where it begins, its edges, its calls and where they return to, and where
/// it ends. What else it can tell, so that masks take less work, are its [`hints`](Self::hints).
///
/// OBLIGATION (`live`): every position the body hands out can reach an end of the rule, by bytes
/// of its own and calls to rules that are not empty; transitions to others are left out. Nothing
/// downstream can repair a body that breaks this, so a schema for which it cannot be established
/// is refused when it is compiled.
pub(crate) trait ImplicitBody: fmt::Debug + Send + Sync {
    /// The position where the rule begins when called with `args`.
    fn start(&self, args: &Words) -> Words;

    /// Writes what `state` offers into `node`, which is empty.
    fn expand(&self, state: &Words, node: &mut Node<Words>);

    /// Where `byte` leads from `state` over an edge of its own, the first of those that it matches.
    ///
    /// For bodies that follow it sooner than they write out what `state` offers.
    fn advance(&self, state: &Words, byte: u8) -> Option<Words> {
        advance_by_edges(self, state, byte)
    }

    /// The position after a call made with [`ReturnTo::Ask`]`(site)` to `callee` that ended with
    /// `exit`; `None` where that exit is not accepted here.
    fn on_return(&self, site: &Words, callee: RuleId, exit: &[u32]) -> Option<Words> {
        let _ = (callee, exit);
        Some(site.clone())
    }

    /// Whether the rule may end, plainly, without any input. A rule that ends with an exit of its
    /// own must not be nullable.
    fn nullable(&self) -> bool {
        false
    }

    /// What the body can tell besides; by default nothing, which is always right.
    fn hints(&self) -> &dyn Hints {
        &NoHints
    }
}

/// What [`ImplicitBody::advance`] says, read off the edges of `state`.
pub(crate) fn advance_by_edges(
    body: &(impl ImplicitBody + ?Sized),
    state: &Words,
    byte: u8,
) -> Option<Words> {
    let mut node = Node::default();
    body.expand(state, &mut node);
    let mut edges = node.edges.into_iter();
    let edge = edges.find(|edge| (edge.lo..=edge.hi).contains(&byte))?;
    Some(edge.to)
}

/// An explicit body: deterministic over bytes, with positions numbered from 0, the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Automaton {
    pub(crate) nodes: Box<[Node<u32>]>,
}

/// A rule's body.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// Spelt out.
    Automaton(Arc<Automaton>),
    /// Made when visited.
    Implicit(Arc<dyn ImplicitBody>),
}

impl Body {
    /// What the body tells besides what it is; one that is spelt out tells nothing.
    pub(crate) fn hints(&self) -> &dyn Hints {
        match self {
            Self::Automaton(_) => &NoHints,
            Self::Implicit(body) => body.hints(),
        }
    }
}
