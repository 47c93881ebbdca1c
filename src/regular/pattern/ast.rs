//! A pattern as a tree.

use rustc_hash::FxHashMap;

use super::code_points::CodePoints;
use crate::base::Span;

/// A pattern, read.
#[derive(Debug)]
pub(super) struct Ast {
    pub(super) root: Node,
    /// The bodies of the look-aheads, inner ones first.
    pub(super) looks: Vec<Node>,
    /// The bodies of the look-behinds, inner ones first.
    pub(super) behinds: Vec<Node>,
    pub(super) sets: Sets,
    /// The characters that words consist of.
    pub(super) word: CodePoints,
}

/// A part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Empty,
    /// A code point of a set, by its number in [`Sets`].
    Set(u32),
    Assert(Assertion),
    /// A look-ahead.
    Look(Look),
    /// A look-behind.
    Behind(Look),
    Concat(Vec<Node>),
    Alternation(Vec<Node>),
    Repeat {
        body: Box<Node>,
        min: u32,
        max: Option<u32>,
    },
    /// What is not tried again in another way once it has matched. Where this makes no difference it is
    /// replaced by its body; everywhere else the pattern is refused.
    Atomic(Box<Atomic>),
}

/// An atomic group, or a possessive quantifier and what it repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Atomic {
    pub(super) body: Node,
    pub(super) span: Span,
    /// Whether a quantifier within takes as little as it can.
    pub(super) is_lazy: bool,
}

/// What must hold between two code points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assertion {
    Start,
    End,
    WordBoundary,
    NoWordBoundary,
}

/// What must or must not follow, or come before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Look {
    /// The number of its body in [`Ast::looks`] or [`Ast::behinds`].
    pub(super) body: u32,
    pub(super) polarity: Polarity,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Polarity {
    Positive,
    Negative,
}

/// The distinct sets of code points of a pattern.
#[derive(Debug, Default)]
pub(super) struct Sets {
    pub(super) list: Vec<CodePoints>,
    numbers: FxHashMap<CodePoints, u32>,
}

impl Sets {
    pub(super) fn intern(&mut self, set: CodePoints) -> u32 {
        let list = &mut self.list;
        *self.numbers.entry(set).or_insert_with_key(|set| {
            list.push(set.clone());
            list.len() as u32 - 1
        })
    }
}

impl Node {
    /// How many states the node needs once its repetitions are written out; saturating.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Empty | Self::Set(_) | Self::Assert(_) | Self::Look(_) | Self::Behind(_) => 1,
            Self::Concat(parts) | Self::Alternation(parts) => parts
                .iter()
                .fold(1, |sum, part| sum.saturating_add(part.size())),
            Self::Atomic(atomic) => atomic.body.size(),
            Self::Repeat { body, min, max } => {
                let copies = max.unwrap_or(min.saturating_add(1)) as usize;
                body.size().saturating_add(1).saturating_mul(copies)
            }
        }
    }

    /// Whether the node matches at the start of the text only.
    pub(super) fn is_anchored(&self) -> bool {
        match self {
            Self::Assert(assertion) => *assertion == Assertion::Start,
            Self::Concat(parts) => {
                // Assertions of all kinds take nothing, so the place stays the start.
                let free = |part: &&Node| {
                    matches!(
                        part,
                        Self::Look(_) | Self::Behind(_) | Self::Assert(_) | Self::Empty
                    )
                };
                let ahead = parts.iter().take_while(free).count();
                parts[..parts.len().min(ahead + 1)]
                    .iter()
                    .any(Self::is_anchored)
            }
            Self::Alternation(branches) => branches.iter().all(Self::is_anchored),
            Self::Repeat { body, min, .. } => *min > 0 && body.is_anchored(),
            Self::Atomic(atomic) => atomic.body.is_anchored(),
            Self::Empty | Self::Set(_) | Self::Look(_) | Self::Behind(_) => false,
        }
    }
}
