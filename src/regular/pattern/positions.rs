//! The positions of a pattern (Glushkov's construction), where repetitions are loops or counted.
//!
//! A position is a place where the pattern reads a character. From each of them steps lead to those
//! that may read the next one; a step tells which counters it leaves and whether it begins another round.

use smallvec::SmallVec;

use super::ast::Node;

/// More steps than this are no help: such a pattern is determinised.
const MOST_STEPS: usize = 1 << 14;

/// A repetition that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::regular) struct Counter {
    pub(in crate::regular) min: u32,
    /// `None` for no bound.
    pub(in crate::regular) max: Option<u32>,
}

/// Whether a step begins another round of a counted repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::regular) enum Round {
    Same,
    /// Of the first counter that is not kept.
    Next,
}

/// From one position to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::regular) struct Step {
    pub(in crate::regular) to: u32,
    /// How many counters, outermost first, stay as they are.
    pub(in crate::regular) kept: u32,
    pub(in crate::regular) round: Round,
}

/// The counters around a position, outermost first.
pub(in crate::regular) type Chain = SmallVec<[u32; 2]>;

/// How repetitions are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Counting {
    /// As loops, whatever their bounds.
    Loops,
    /// Those with bounds are counted.
    Counters,
}

/// The positions of a part of a pattern.
#[derive(Debug, Default)]
pub(super) struct Positions {
    /// Per position, the number of its set.
    pub(super) sets: Vec<u32>,
    pub(super) chains: Vec<Chain>,
    pub(super) counters: Vec<Counter>,
    pub(super) steps: Vec<Vec<Step>>,
    /// Where the part may begin, and where it may end.
    pub(super) first: Vec<u32>,
    pub(super) last: Vec<u32>,
    pub(super) is_nullable: bool,
}

/// What is known of a part under way.
struct Part {
    is_nullable: bool,
    first: Vec<u32>,
    last: Vec<u32>,
}

impl Part {
    const EMPTY: Self = Self {
        is_nullable: true,
        first: Vec::new(),
        last: Vec::new(),
    };
}

impl Positions {
    /// Those of `node`; `None` where it asks for more than characters, or has too many.
    pub(super) fn of(node: &Node, counting: Counting) -> Option<Self> {
        let mut positions = Self::default();
        let mut chain = Chain::new();
        let part = positions.add(node, counting, &mut chain)?;
        positions.first = part.first;
        positions.last = part.last;
        positions.is_nullable = part.is_nullable;
        Some(positions)
    }

    fn add(&mut self, node: &Node, counting: Counting, chain: &mut Chain) -> Option<Part> {
        match node {
            Node::Empty => Some(Part::EMPTY),
            Node::Set(set) => {
                let position = self.sets.len() as u32;
                self.sets.push(*set);
                self.chains.push(chain.clone());
                self.steps.push(Vec::new());
                Some(Part {
                    is_nullable: false,
                    first: vec![position],
                    last: vec![position],
                })
            }
            Node::Atomic(atomic) => self.add(&atomic.body, counting, chain),
            Node::Assert(_) | Node::Look(_) | Node::Behind(_) => None,
            Node::Concat(parts) => {
                let mut all = Part::EMPTY;
                for part in parts {
                    let next = self.add(part, counting, chain)?;
                    self.connect(&all.last, &next.first, chain.len(), Round::Same)?;
                    if all.is_nullable {
                        all.first.extend(&next.first);
                    }
                    if !next.is_nullable {
                        all.last.clear();
                    }
                    all.last.extend(next.last);
                    all.is_nullable &= next.is_nullable;
                }
                Some(all)
            }
            Node::Alternation(branches) => {
                let mut all = Part {
                    is_nullable: false,
                    ..Part::EMPTY
                };
                for branch in branches {
                    let branch = self.add(branch, counting, chain)?;
                    all.first.extend(branch.first);
                    all.last.extend(branch.last);
                    all.is_nullable |= branch.is_nullable;
                }
                Some(all)
            }
            Node::Repeat { body, min, max } => self.add_repeat(body, (*min, *max), counting, chain),
        }
    }

    fn add_repeat(
        &mut self,
        body: &Node,
        (min, max): (u32, Option<u32>),
        counting: Counting,
        chain: &mut Chain,
    ) -> Option<Part> {
        let is_loop = max != Some(1);
        let is_counted = counting == Counting::Counters && is_loop && (max.is_some() || min > 1);
        let depth = chain.len();
        if is_counted {
            chain.push(self.counters.len() as u32);
            self.counters.push(Counter { min, max });
        }
        let mut part = self.add(body, counting, chain)?;
        if is_counted {
            let counter = chain.pop()?;
            // Rounds that read nothing make up what is missing.
            if part.is_nullable {
                self.counters[counter as usize].min = 0;
            }
        }
        if is_loop {
            let round = match is_counted {
                true => Round::Next,
                false => Round::Same,
            };
            self.connect(&part.last, &part.first, depth, round)?;
        }
        part.is_nullable |= min == 0;
        Some(part)
    }

    fn connect(&mut self, last: &[u32], first: &[u32], kept: usize, round: Round) -> Option<()> {
        for &from in last {
            for &to in first {
                let kept = kept as u32;
                let step = Step { to, kept, round };
                let steps = &mut self.steps[from as usize];
                if !steps.contains(&step) {
                    steps.push(step);
                }
            }
        }
        let count: usize = self.steps.iter().map(Vec::len).sum();
        (count <= MOST_STEPS).then_some(())
    }
}
