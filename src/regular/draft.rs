//! An automaton under construction, and its way to canonical form.

use crate::base::ByteSet;

use super::dfa::{Dfa, Edge};
use super::minimise::{Buckets, Transition, equivalence};

/// A deterministic automaton that need be neither trimmed nor minimal. State 0 is dead.
///
/// Rows are pushed in order of their states' numbers; edges may name states whose rows come later.
pub(super) struct Draft {
    ends: Vec<u32>,
    edges: Vec<Edge>,
    accepting: Vec<bool>,
}

impl Draft {
    /// The automaton with the dead state alone.
    pub(super) fn new() -> Self {
        Self {
            ends: vec![0],
            edges: Vec::new(),
            accepting: vec![false],
        }
    }

    /// The number of rows so far: the number that the next row will have.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Adds the row of the next state; its edges ascend and do not overlap.
    pub(super) fn push_row(&mut self, accepting: bool, edges: impl IntoIterator<Item = Edge>) {
        let begin = self.edges.len();
        for edge in edges {
            push_edge(&mut self.edges, begin, edge);
        }
        self.ends.push(self.edges.len() as u32);
        self.accepting.push(accepting);
    }

    /// The minimal automaton of the same language.
    pub(super) fn minimise(mut self, start: u32) -> Dfa {
        self.trim();
        let label_of = byte_classes(&self.edges);
        let mut transitions = Vec::with_capacity(self.edges.len());
        for tail in 0..self.len() as u32 {
            for edge in self.row(tail) {
                let labels = label_of[edge.lo as usize]..=label_of[edge.hi as usize];
                transitions.extend(labels.map(|label| Transition {
                    tail,
                    label,
                    head: edge.target,
                }));
            }
        }
        // The dead state has no transition, so it is in a class of its own: all others accept or go on.
        let class_of = equivalence(&self.accepting, label_of[255] + 1, &transitions);
        self.number(start, &class_of)
    }

    /// The same automaton in canonical form; no two of its live states may be equivalent.
    pub(super) fn assume_minimal(mut self, start: u32) -> Dfa {
        self.trim();
        let class_of: Vec<u32> = (0..self.len() as u32).collect();
        self.number(start, &class_of)
    }

    /// Drops the edges to states from which nothing is accepted.
    fn trim(&mut self) {
        let mut tails = Vec::with_capacity(self.edges.len());
        for state in 0..self.len() as u32 {
            tails.resize(self.ends[state as usize] as usize, state);
        }
        let into = Buckets::new(self.edges.len(), self.len() as u32, |e| {
            self.edges[e as usize].target
        });
        let mut live = self.accepting.clone();
        let mut pending: Vec<u32> = (0..self.len() as u32)
            .filter(|&s| live[s as usize])
            .collect();
        while let Some(state) = pending.pop() {
            for &edge in into.get(state) {
                let tail = tails[edge as usize];
                if !std::mem::replace(&mut live[tail as usize], true) {
                    pending.push(tail);
                }
            }
        }
        if live.iter().skip(1).all(|&live| live) {
            return;
        }
        let (mut begin, mut kept) = (0, 0);
        for end in &mut self.ends {
            for from in begin..*end as usize {
                if live[self.edges[from].target as usize] {
                    self.edges[kept] = self.edges[from];
                    kept += 1;
                }
            }
            begin = *end as usize;
            *end = kept as u32;
        }
        self.edges.truncate(kept);
    }

    /// Numbers the reachable classes breadth-first and keeps one row of each.
    fn number(&self, start: u32, class_of: &[u32]) -> Dfa {
        let mut number_of = vec![0; self.len()];
        let mut order = vec![0];
        let mut ends = Vec::with_capacity(self.len());
        let mut edges = Vec::with_capacity(self.edges.len());
        let mut visit = |state: u32, order: &mut Vec<u32>| {
            let number = &mut number_of[class_of[state as usize] as usize];
            if *number == 0 {
                *number = order.len() as u32;
                order.push(state);
            }
            *number
        };
        let is_live = self.accepting[start as usize] || !self.row(start).is_empty();
        let start = if is_live { visit(start, &mut order) } else { 0 };
        let mut at = 0;
        while at < order.len() {
            let begin = edges.len();
            for &Edge { lo, hi, target } in self.row(order[at]) {
                let target = visit(target, &mut order);
                push_edge(&mut edges, begin, Edge { lo, hi, target });
            }
            ends.push(edges.len() as u32);
            at += 1;
        }
        let accepting = order.iter().map(|&s| self.accepting[s as usize]).collect();
        Dfa {
            start,
            ends: ends.into(),
            edges: edges.into(),
            accepting,
        }
    }

    fn row(&self, state: u32) -> &[Edge] {
        let state = state as usize;
        let begin = if state == 0 { 0 } else { self.ends[state - 1] };
        &self.edges[begin as usize..self.ends[state] as usize]
    }
}

impl Dfa {
    /// The automaton of the states that `rows` are, the first of which is the start: whether each accepts,
    /// and its edges, which ascend and do not overlap.
    pub(crate) fn of_rows(rows: impl IntoIterator<Item = (bool, Vec<(u8, u8, u32)>)>) -> Self {
        let mut draft = Draft::new();
        let start = draft.len() as u32;
        for (accepting, edges) in rows {
            let edge = |(lo, hi, to): (u8, u8, u32)| Edge {
                lo,
                hi,
                target: start + to,
            };
            draft.push_row(accepting, edges.into_iter().map(edge));
        }
        draft.minimise(start)
    }

    /// The strings of this language that begin with no other of its strings.
    pub(crate) fn shortest(&self) -> Self {
        let mut draft = Draft::new();
        for state in self.states().skip(1) {
            let edges = match self.is_accepting(state) {
                true => &[],
                false => self.edges_of(state.get()),
            };
            draft.push_row(self.is_accepting(state), edges.iter().copied());
        }
        draft.minimise(self.start)
    }
}

/// Appends an edge to the row that begins at `begin`, merging it with the last one where they meet.
pub(super) fn push_edge(edges: &mut Vec<Edge>, begin: usize, edge: Edge) {
    match edges[begin..].last_mut() {
        Some(last) if last.target == edge.target && last.hi.checked_add(1) == Some(edge.lo) => {
            last.hi = edge.hi;
        }
        _ => edges.push(edge),
    }
}

/// Numbers the bytes, ascending, such that bytes that no edge tells apart have the same number.
fn byte_classes(edges: &[Edge]) -> [u32; 256] {
    let mut begins = ByteSet::new();
    for edge in edges {
        begins.insert(edge.lo);
        if edge.hi < 255 {
            begins.insert(edge.hi + 1);
        }
    }
    let mut class = 0;
    let mut class_of = [0; 256];
    for byte in 1..=255u8 {
        class += u32::from(begins.contains(byte));
        class_of[byte as usize] = class;
    }
    class_of
}
