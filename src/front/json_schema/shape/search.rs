//! How the clauses of an object that are not fulfilled yet can be: a search, clause by clause.

use super::object::{ObjectShape, Progress, Usable};

/// A search for a way to fulfil all clauses.
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

/// Whether the slots that come can come.
type Fits<'f> = &'f dyn Fn(&[bool]) -> bool;
/// Whether it is well where these slots come, those stay away, and so many other keys come.
type End<'e> = &'e dyn Fn(&[bool], &[bool], u32) -> bool;

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

    /// Whether all clauses can be fulfilled where the slots of `needed` come, and it ends well.
    pub(super) fn finds(&mut self, needed: Vec<bool>, fits: Fits<'_>, end: End<'_>) -> bool {
        self.from(self.progress.met, needed, 0, fits, end)
    }

    fn from(
        &mut self,
        met: u32,
        needed: Vec<bool>,
        others: u32,
        fits: Fits<'_>,
        end: End<'_>,
    ) -> bool {
        let missing = |clause: &usize| {
            let away = |&slot: &u32| self.away[slot as usize];
            met >> clause & 1 == 0 && !self.shape.clauses[*clause].iter().any(away)
        };
        let Some(clause) = (0..self.shape.clauses.len()).find(missing) else {
            return end(&needed, &self.away, others);
        };
        for &slot in &self.shape.clauses[clause] {
            let slot = slot as usize;
            if !needed[slot] {
                self.away[slot] = true;
                let found = self.from(met, needed.clone(), others, fits, end);
                self.away[slot] = false;
                if found {
                    return true;
                }
            }
        }
        let bit = 1 << clause;
        let mut choices = self.usable.others.iter().flatten();
        choices.any(|choice| {
            let met = met | choice.hits;
            choice.hits & bit != 0 && self.from(met, needed.clone(), others + 1, fits, end)
        }) || (0..self.shape.slots.len())
            .any(|slot| self.by_value(slot, bit, met, &needed, others, fits, end))
    }

    /// Whether a value of `slot` that fulfils the clause with this bit leads on.
    fn by_value(
        &mut self,
        slot: usize,
        bit: u32,
        met: u32,
        needed: &[bool],
        others: u32,
        fits: Fits<'_>,
        end: End<'_>,
    ) -> bool {
        let ahead = self.shape.is_ahead(self.usable, self.progress, slot);
        if self.away[slot] || self.chosen[slot] || !ahead {
            return false;
        }
        self.usable.slots[slot].iter().any(|choice| {
            if choice.hits & bit == 0 {
                return false;
            }
            let mut needed = needed.to_vec();
            needed[slot] = true;
            self.shape.add_implied(&mut needed);
            let clash = (0..needed.len()).any(|slot| needed[slot] && self.away[slot]);
            if clash || !fits(&needed) {
                return false;
            }
            self.chosen[slot] = true;
            let found = self.from(met | choice.hits, needed, others, fits, end);
            self.chosen[slot] = false;
            found
        })
    }
}
