//! The syntax tree of a grammar: RFC 5234's elements, with their places.

use rustc_hash::FxHashMap;

use crate::base::{Span, define_id};

define_id! {
    /// A rule name of the grammar.
    pub(crate) RuleIndex
}

/// A piece of a rule's right-hand side and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) kind: NodeKind,
    pub(crate) span: Span,
}

/// What a piece of a rule says. Groups are their contents; options are repetitions of 0 to 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NodeKind {
    /// `a / b`, at least two.
    Alternation(Vec<Node>),
    /// `a b`, at least two.
    Concatenation(Vec<Node>),
    /// `n*m a`.
    Repetition { count: Count, body: Box<Node> },
    /// A rule's name, or a prose-val that names a rule.
    Rule(RuleIndex),
    /// A quoted string, kept whole so that a control token's spelling can be recognised.
    Literal { text: String, case: Case },
    /// `%x41.42`: these numbers, one after the other.
    Values { values: Vec<u32>, unit: Unit },
    /// `%x41-5A`: one number from `first` to `last`.
    Range { first: u32, last: u32, unit: Unit },
    /// `<text>` that names no rule: a hole that the caller of the lowering fills.
    Prose(String),
}

impl Node {
    /// The characters that it spells out, cases as they are written.
    pub(super) fn spelt(&self) -> Option<String> {
        match &self.kind {
            NodeKind::Literal { text, .. } => Some(text.clone()),
            NodeKind::Values {
                values,
                unit: Unit::CodePoint,
            } => values.iter().map(|&value| char::from_u32(value)).collect(),
            _ => None,
        }
    }
}

/// How often a repetition's body may occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) min: u32,
    /// `None` is without bound.
    pub(crate) max: Option<u32>,
}

/// Whether a quoted string distinguishes upper from lower case (RFC 7405).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    Sensitive,
    Insensitive,
}

/// What a number stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// One byte.
    Byte,
    /// A Unicode scalar value, spelt in UTF-8.
    CodePoint,
}

/// Whether a rule is the file's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// RFC 5234, appendix B.1.
    Core,
    File,
}

/// A rule of the grammar.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// As spelt where it is defined.
    pub(crate) name: String,
    /// Where its name stands, in the text that `origin` says.
    pub(crate) name_span: Span,
    pub(crate) origin: Origin,
    pub(crate) body: Node,
}

/// The rule names of a grammar, equal when they differ in case only (RFC 5234, section 2.1).
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    spellings: Vec<String>,
    by_folded: FxHashMap<String, RuleIndex>,
}

impl Names {
    /// The index of `name`, made when it is new.
    pub(crate) fn intern(&mut self, name: &str) -> RuleIndex {
        let next = RuleIndex::from_usize(self.spellings.len());
        let index = *self
            .by_folded
            .entry(name.to_ascii_lowercase())
            .or_insert(next);
        if index == next {
            self.spellings.push(name.to_owned());
        }
        index
    }

    /// The index of `name`, if the grammar mentions it.
    pub(crate) fn get(&self, name: &str) -> Option<RuleIndex> {
        self.by_folded.get(&name.to_ascii_lowercase()).copied()
    }

    /// The first spelling of a name.
    pub(crate) fn spelling(&self, index: RuleIndex) -> &str {
        &self.spellings[index.index()]
    }

    pub(crate) fn len(&self) -> usize {
        self.spellings.len()
    }
}

impl Node {
    /// `items` as alternatives; one alone stands for itself.
    pub(super) fn alternation(items: Vec<Node>) -> Self {
        Self::list(items, NodeKind::Alternation)
    }

    /// `items` one after the other; one alone stands for itself.
    pub(super) fn concatenation(items: Vec<Node>) -> Self {
        Self::list(items, NodeKind::Concatenation)
    }

    fn list(mut items: Vec<Node>, kind: fn(Vec<Node>) -> NodeKind) -> Self {
        let start = items.first().map_or(0, |node| node.span.start);
        let end = items.last().map_or(0, |node| node.span.end);
        match items.pop() {
            Some(only) if items.is_empty() => only,
            Some(last) => {
                items.push(last);
                Self {
                    kind: kind(items),
                    span: Span::new(start, end),
                }
            }
            None => Self {
                kind: kind(items),
                span: Span::new(start, end),
            },
        }
    }

    /// The pieces directly under this one.
    pub(crate) fn children(&self) -> &[Node] {
        match &self.kind {
            NodeKind::Alternation(items) | NodeKind::Concatenation(items) => items,
            NodeKind::Repetition { body, .. } => std::slice::from_ref(body),
            _ => &[],
        }
    }

    /// The pieces directly under this one, to change.
    pub(super) fn children_mut(&mut self) -> &mut [Node] {
        match &mut self.kind {
            NodeKind::Alternation(items) | NodeKind::Concatenation(items) => items,
            NodeKind::Repetition { body, .. } => std::slice::from_mut(body),
            _ => &mut [],
        }
    }

    /// Calls `visit` for this piece and all under it, in the order of the text.
    pub(crate) fn visit<'a>(&'a self, visit: &mut impl FnMut(&'a Node)) {
        let mut pending = vec![self];
        while let Some(node) = pending.pop() {
            visit(node);
            pending.extend(node.children().iter().rev());
        }
    }
}
