//! Ways from a position over a separator to what is called behind it.

use smallvec::{SmallVec, smallvec};

use super::content::Content;
use crate::base::{ByteSet, LimitError};
use crate::grammar::{Reading, Words};
use crate::machine::{Generation, Inst, Pos, StateId};

/// So many positions a passage has at most.
const MOST_POSITIONS: usize = 2;

/// The positions that the own edges of one lead to, and what they call.
pub(super) struct Passage {
    positions: SmallVec<[Pos; MOST_POSITIONS]>,
    callees: SmallVec<[Option<Inst>; MOST_POSITIONS]>,
}

impl Passage {
    /// The passage from `start` on, if own edges and calls are all there is, and there is a call.
    pub(super) fn new(generation: &Generation, start: Pos) -> Option<Self> {
        let mut positions: SmallVec<[Pos; MOST_POSITIONS]> = smallvec![start];
        let mut callees = SmallVec::new();
        while let Some(&pos) = positions.get(callees.len()) {
            let node = generation.expand(pos);
            let callee = generation.sole_callee(pos);
            let is_plain = callee.is_some() || node.stays() && node.controls.is_empty();
            if !is_plain || node.reading != Reading::Passing {
                return None;
            }
            for edge in &node.edges {
                if positions.contains(&edge.to) {
                    continue;
                }
                if positions.len() == MOST_POSITIONS {
                    return None;
                }
                positions.push(edge.to);
            }
            callees.push(callee);
        }
        let calls = callees.iter().any(Option::is_some);
        calls.then_some(Self { positions, callees })
    }

    /// What there is to say of it but for where it is: equal keys, equal ways. `None` where a callee has
    /// no `content`.
    pub(super) fn key(
        &self,
        generation: &Generation,
        content: impl Fn(Inst) -> Option<Content>,
    ) -> Option<Words> {
        let mut key = Words::new();
        for (&pos, callee) in self.positions.iter().zip(&self.callees) {
            let edges = &generation.expand(pos).edges;
            key.push(edges.len() as u32 * 2 + u32::from(callee.is_some()));
            for edge in edges {
                let to = self.index(edge.to)? as u32;
                key.push(u32::from(edge.lo) << 16 | u32::from(edge.hi) << 8 | to);
            }
            if let Some(callee) = *callee {
                key.extend(content(callee)?.words());
            }
        }
        Some(key)
    }

    /// The bytes that lead on from where it begins.
    pub(super) fn live(&self, generation: &Generation) -> Result<ByteSet, LimitError> {
        let own = generation.expand(self.positions[0]).own_bytes();
        Ok(match self.callees[0] {
            Some(callee) => own.union(generation.state(generation.start_of(callee)?).live()),
            None => own,
        })
    }

    /// The position with this index.
    pub(super) fn position(&self, index: usize) -> Pos {
        self.positions[index]
    }

    fn index(&self, pos: Pos) -> Option<usize> {
        self.positions.iter().position(|&known| known == pos)
    }

    /// Where `byte` leads.
    pub(super) fn step(
        &self,
        generation: &Generation,
        from: At,
        byte: u8,
    ) -> Result<To, LimitError> {
        let (index, inner) = match from {
            At::Within(index, inner) => (index, inner),
            At::Position(index) => {
                let mut own = generation.expand(self.positions[index]).edges_on(byte);
                let start = match self.callees[index] {
                    Some(callee) => generation.start_of(callee)?,
                    None => StateId::DEAD,
                };
                let called = generation.state(start).live().contains(byte);
                match (own.next(), own.next(), called) {
                    (None, _, true) => (index, start),
                    (None, _, false) => return Ok(To::Nowhere),
                    (Some(edge), None, false) => {
                        let to = self.index(edge.to).map(At::Position);
                        return Ok(to.map_or(To::Nowhere, To::One));
                    }
                    _ => return Ok(To::Several),
                }
            }
        };
        if !generation.state(inner).live().contains(byte) {
            return Ok(To::Nowhere);
        }
        Ok(match generation.advance_unrecorded(inner, byte)? {
            StateId::DEAD => To::Nowhere,
            inner => To::One(At::Within(index, inner)),
        })
    }
}

/// Where in a passage a token is.
#[derive(Clone, Copy)]
pub(super) enum At {
    /// At one of its positions.
    Position(usize),
    /// Within what that one calls, at a state for which nobody waits.
    Within(usize, StateId),
}

/// Where a byte leads in a passage.
pub(super) enum To {
    Nowhere,
    One(At),
    Several,
}
