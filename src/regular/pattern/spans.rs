//! How many characters the parts of a pattern have, at least and at most.

use super::ast::Node;

/// From a least number to a greatest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::regular) struct Span {
    pub(in crate::regular) least: u64,
    /// `None` for no bound.
    pub(in crate::regular) most: Option<u64>,
}

impl Span {
    pub(in crate::regular) const NONE: Self = Self {
        least: 0,
        most: Some(0),
    };

    /// That of one after the other.
    pub(in crate::regular) fn and(self, other: Self) -> Self {
        let most = self.most.zip(other.most);
        Self {
            least: self.least.saturating_add(other.least),
            most: most.map(|(a, b)| a.saturating_add(b)),
        }
    }

    /// That of one or the other.
    pub(in crate::regular) fn or(self, other: Self) -> Self {
        let most = self.most.zip(other.most);
        Self {
            least: self.least.min(other.least),
            most: most.map(|(a, b)| a.max(b)),
        }
    }

    /// That of so many of them.
    pub(in crate::regular) fn times(self, least: u32, most: Option<u32>) -> Self {
        let most = match (self.most, most) {
            (Some(0), _) | (_, Some(0)) => Some(0),
            (Some(one), Some(most)) => Some(one.saturating_mul(most.into())),
            _ => None,
        };
        Self {
            least: self.least.saturating_mul(least.into()),
            most,
        }
    }
}

/// The spans around the positions of a pattern, which are numbered as its sets are met.
pub(super) struct Spans {
    pub(super) whole: Span,
    /// Per position, of what follows it, further rounds of counted repetitions apart.
    pub(super) after: Vec<Span>,
    /// Per counter, of one round.
    pub(super) rounds: Vec<Span>,
    /// The most lengths in a row that are missing, whatever follows a position.
    pub(super) gap: u64,
}

impl Spans {
    /// Those of `node`, which has so many positions and counters.
    pub(super) fn of(node: &Node, positions: usize, counters: usize) -> Self {
        let mut spans = Self {
            whole: span(node),
            after: Vec::with_capacity(positions),
            rounds: Vec::with_capacity(counters),
            gap: gap(node),
        };
        spans.add(node, Span::NONE);
        spans
    }

    fn add(&mut self, node: &Node, after: Span) {
        match node {
            Node::Set(_) => self.after.push(after),
            Node::Concat(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    let rest = parts[index + 1..].iter().map(span);
                    self.add(part, rest.fold(after, Span::and));
                }
            }
            Node::Alternation(branches) => {
                branches.iter().for_each(|branch| self.add(branch, after));
            }
            Node::Repeat { body, min, max } => match max {
                Some(1) => self.add(body, after),
                None if *min <= 1 => {
                    let more = span(body).times(0, None);
                    self.add(body, after.and(more));
                }
                _ => {
                    self.rounds.push(span(body));
                    self.add(body, after);
                }
            },
            Node::Atomic(atomic) => self.add(&atomic.body, after),
            Node::Empty | Node::Assert(_) | Node::Look(_) | Node::Behind(_) => {}
        }
    }
}

/// How many characters `node` has.
pub(super) fn span(node: &Node) -> Span {
    match node {
        Node::Set(_) => Span {
            least: 1,
            most: Some(1),
        },
        Node::Concat(parts) => parts.iter().map(span).fold(Span::NONE, Span::and),
        Node::Alternation(branches) => {
            let branches = branches.iter().map(span);
            branches.reduce(Span::or).unwrap_or(Span::NONE)
        }
        Node::Repeat { body, min, max } => span(body).times(*min, *max),
        Node::Atomic(atomic) => span(&atomic.body),
        Node::Empty | Node::Assert(_) | Node::Look(_) | Node::Behind(_) => Span::NONE,
    }
}

/// The most lengths in a row that no text of `node` has, between two that some have, or of what is left of it
/// somewhere within: at least so many.
fn gap(node: &Node) -> u64 {
    match node {
        Node::Concat(parts) => parts.iter().map(gap).max().unwrap_or(0),
        Node::Alternation(branches) => {
            let mut spans: Vec<Span> = branches.iter().map(span).collect();
            spans.sort_unstable_by_key(|span| span.least);
            let mut gap = branches.iter().map(gap).max().unwrap_or(0);
            let mut reached = spans.first().and_then(|span| span.most);
            for next in spans.iter().skip(1) {
                let Some(so_far) = reached else { break };
                gap = gap.max(next.least.saturating_sub(so_far + 1));
                reached = next.most.map(|most| most.max(so_far));
            }
            gap
        }
        Node::Repeat { body, .. } => gap(body).max(span(body).least.saturating_sub(1)),
        Node::Atomic(atomic) => gap(&atomic.body),
        Node::Empty | Node::Set(_) | Node::Assert(_) | Node::Look(_) | Node::Behind(_) => 0,
    }
}
