//! Places from which all characters lead alike.

use rustc_hash::FxHashSet;

use super::dfa::{Dfa, StateId};
use super::texts::Texts;
use super::{Place, utf8};
use crate::base::ByteSet;

impl Texts {
    /// A byte of `allowed` that is a character and leads where all others do that lead on from `place`, which is between
    /// characters.
    pub(crate) fn sole_way(&self, place: Place, allowed: &ByteSet) -> Option<u8> {
        match self {
            Self::Flat(dfa) => dfa.sole_way(place.state, allowed),
            Self::Counted(counted) => counted.sole_way(place, allowed),
            Self::Nested(_) => None,
        }
    }
}

impl Dfa {
    fn sole_way(&self, state: StateId, allowed: &ByteSet) -> Option<u8> {
        let mut alone = self.ranges(state).filter(|&(lo, ..)| lo.is_ascii());
        let (byte, sole) = alone.find_map(|(lo, hi, to)| {
            let byte = (lo..=hi).find(|&byte| allowed.contains(byte))?;
            Some((byte, to))
        })?;
        let mut pending: Vec<StateId> = vec![state];
        let mut seen = FxHashSet::default();
        while let Some(at) = pending.pop() {
            for (lo, _, to) in self.ranges(at) {
                let is_whole = match at == state {
                    true => lo.is_ascii(),
                    false => !self.continues(to),
                };
                if is_whole && to != sole {
                    return None;
                }
                if !is_whole && seen.insert(to) {
                    pending.push(to);
                }
            }
        }
        Some(byte)
    }

    /// Whether `state` is within a character.
    fn continues(&self, state: StateId) -> bool {
        let first = self.ranges(state).next();
        first.is_some_and(|(lo, ..)| utf8::is_continuation(lo))
    }
}
