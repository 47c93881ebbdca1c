//! Set operations: two automata run side by side.

use rustc_hash::FxHashMap;

use crate::base::{LimitError, Limits};

use super::dfa::{Dfa, Edge};
use super::draft::Draft;

#[derive(Clone, Copy)]
enum Operation {
    Intersection,
    Union,
    Difference,
}

impl Operation {
    fn accepts(self, left: bool, right: bool) -> bool {
        match self {
            Self::Intersection => left && right,
            Self::Union => left || right,
            Self::Difference => left && !right,
        }
    }
}

impl Dfa {
    /// The strings of both languages.
    ///
    /// # Errors
    ///
    /// Where the pairs of states exceed [`Limits::automaton_states`]; so for all set operations.
    pub fn intersect(&self, other: &Dfa, limits: &Limits) -> Result<Dfa, LimitError> {
        product(Operation::Intersection, self, other, limits)
    }

    /// The strings of either language.
    ///
    /// # Errors
    ///
    /// As [`Dfa::intersect`].
    pub fn union(&self, other: &Dfa, limits: &Limits) -> Result<Dfa, LimitError> {
        product(Operation::Union, self, other, limits)
    }

    /// The strings of this language that are not in `other`.
    ///
    /// # Errors
    ///
    /// As [`Dfa::intersect`].
    pub fn difference(&self, other: &Dfa, limits: &Limits) -> Result<Dfa, LimitError> {
        product(Operation::Difference, self, other, limits)
    }

    /// The texts (valid UTF-8) that are not in this language.
    ///
    /// # Errors
    ///
    /// As [`Dfa::intersect`].
    pub fn complement_text(&self, limits: &Limits) -> Result<Dfa, LimitError> {
        Dfa::utf8_text().difference(self, limits)
    }

    /// Whether every string of this language is in `other`.
    ///
    /// # Errors
    ///
    /// As [`Dfa::intersect`].
    pub(crate) fn is_subset(&self, other: &Dfa, limits: &Limits) -> Result<bool, LimitError> {
        Ok(self.difference(other, limits)?.is_empty())
    }
}

/// Pairs of states, numbered as they are met.
struct Pairs {
    operation: Operation,
    numbers: FxHashMap<(u32, u32), u32>,
    list: Vec<(u32, u32)>,
}

/// What an edge costs: making it, hashing where it leads, telling states apart by it.
const STEPS_PER_EDGE: usize = 16;

impl Pairs {
    fn number(&mut self, left: u32, right: u32) -> u32 {
        let (left, right) = match self.operation {
            Operation::Intersection if left == 0 || right == 0 => (0, 0),
            Operation::Difference if left == 0 => (0, 0),
            _ => (left, right),
        };
        *self.numbers.entry((left, right)).or_insert_with(|| {
            self.list.push((left, right));
            self.list.len() as u32 - 1
        })
    }
}

fn product(
    operation: Operation,
    left: &Dfa,
    right: &Dfa,
    limits: &Limits,
) -> Result<Dfa, LimitError> {
    let mut pairs = Pairs {
        operation,
        numbers: FxHashMap::default(),
        list: Vec::new(),
    };
    pairs.number(0, 0);
    let start = pairs.number(left.start, right.start);
    let mut draft = Draft::new();
    while let Some(&(l, r)) = pairs.list.get(draft.len()) {
        let accepting = operation.accepts(left.accepting[l as usize], right.accepting[r as usize]);
        let (left_row, right_row) = (left.edges_of(l), right.edges_of(r));
        // Each edge is looked at here, and again where the product is minimised.
        limits.charge(STEPS_PER_EDGE * (left_row.len() + right_row.len() + 1))?;
        let mut row = Vec::new();
        side_by_side(left_row, right_row, |lo, hi, l, r| {
            let target = pairs.number(l, r);
            if target != 0 {
                row.push(Edge { lo, hi, target });
            }
        });
        draft.push_row(accepting, row);
        LimitError::check(
            "states of a product of automata",
            pairs.list.len(),
            limits.automaton_states,
        )?;
    }
    Ok(draft.minimise(start))
}

/// Cuts two rows at each other's bounds: `(lo, hi, left target, right target)`, where at least one is live.
fn side_by_side(mut left: &[Edge], mut right: &[Edge], mut visit: impl FnMut(u8, u8, u32, u32)) {
    let mut from = 0u16;
    while !(left.is_empty() && right.is_empty()) {
        let begin = |row: &[Edge]| row.first().map_or(256, |e| u16::from(e.lo).max(from));
        let (l, r) = (begin(left), begin(right));
        let lo = l.min(r);
        // Where the row has an edge at `lo`: up to its end; else up to its next edge.
        let end = |row: &[Edge], begin: u16| match row.first() {
            Some(edge) if begin == lo => u16::from(edge.hi),
            _ => begin - 1,
        };
        let hi = end(left, l).min(end(right, r));
        let target =
            |row: &[Edge], begin: u16| row.first().filter(|_| begin == lo).map_or(0, |e| e.target);
        visit(lo as u8, hi as u8, target(left, l), target(right, r));
        from = hi + 1;
        while left.first().is_some_and(|e| u16::from(e.hi) < from) {
            left = &left[1..];
        }
        while right.first().is_some_and(|e| u16::from(e.hi) < from) {
            right = &right[1..];
        }
    }
}
