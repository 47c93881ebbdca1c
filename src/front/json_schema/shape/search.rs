//! How the clauses of an object that are not fulfilled yet can be: a search, clause by clause.

use super::object::{ObjectShape, Progress, Usable};

/// A search for the fewest properties that fulfil all clauses.
///
/// A clause is fulfilled by a slot that stays away, by a value of a slot that is still to come, or
/// by a key of no slot. Most clauses are fulfilled by what stays away, which is tried first.
pub(super) struct Search<'s> {
    shape: &'s ObjectShape,
    usable: &'s Usable,
    progress: &'s Progress,
    /// By slot: whether it was decided that it stays away.
    away: Vec<bool>,
    /// By slot: whether its value was chosen already.
    chosen: Vec<bool>,
}

impl<'s> Search<'s> {
    pub(super) fn new(shape: &'s ObjectShape, usable: &'s Usable, progress: &'s Progress) -> Self {
        Self {
            shape,
            usable,
            progress,
            away: vec![false; shape.slots.len()],
            chosen: vec![false; shape.slots.len()],
        }
    }

    /// The least number of properties still to come, of which there are those that `needed` adds to
    /// what is there; `None` where the clauses cannot all be fulfilled.
    pub(super) fn fewest(
        &mut self,
        needed: Vec<bool>,
        fits: &impl Fn(&[bool]) -> bool,
        count: &impl Fn(&[bool]) -> u32,
    ) -> Option<u32> {
        self.from(self.progress.met, needed, 0, fits, count)
    }

    fn from(
        &mut self,
        met: u32,
        needed: Vec<bool>,
        others: u32,
        fits: &impl Fn(&[bool]) -> bool,
        count: &impl Fn(&[bool]) -> u32,
    ) -> Option<u32> {
        let missing = |clause: &usize| {
            let away = |&slot: &u32| self.away[slot as usize];
            met >> clause & 1 == 0 && !self.shape.clauses[*clause].iter().any(away)
        };
        let Some(clause) = (0..self.shape.clauses.len()).find(missing) else {
            return Some(count(&needed).saturating_add(others));
        };
        let mut fewest: Option<u32> = None;
        for &slot in &self.shape.clauses[clause] {
            let slot = slot as usize;
            if !needed[slot] && !self.enough(fewest) {
                self.away[slot] = true;
                let found = self.from(met, needed.clone(), others, fits, count);
                self.away[slot] = false;
                fewest = least(fewest, found);
            }
        }
        let bit = 1 << clause;
        for choice in self.usable.others.iter().flatten() {
            if choice.hits & bit != 0 && !self.enough(fewest) {
                let met = met | choice.hits;
                let found = self.from(met, needed.clone(), others.saturating_add(1), fits, count);
                fewest = least(fewest, found);
            }
        }
        for slot in 0..self.shape.slots.len() {
            if self.away[slot] || !self.shape.is_ahead(self.usable, self.progress, slot) {
                continue;
            }
            for choice in &self.usable.slots[slot] {
                if choice.hits & bit == 0 || self.chosen[slot] || self.enough(fewest) {
                    continue;
                }
                let mut needed = needed.clone();
                needed[slot] = true;
                self.shape.add_implied(&mut needed);
                let clash = (0..needed.len()).any(|slot| needed[slot] && self.away[slot]);
                if clash || !fits(&needed) {
                    continue;
                }
                self.chosen[slot] = true;
                let found = self.from(met | choice.hits, needed, others, fits, count);
                self.chosen[slot] = false;
                fewest = least(fewest, found);
            }
        }
        fewest
    }

    /// Whether a number was found, and any number will do.
    fn enough(&self, fewest: Option<u32>) -> bool {
        fewest.is_some() && self.shape.most == u32::MAX
    }
}

fn least(a: Option<u32>, b: Option<u32>) -> Option<u32> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
