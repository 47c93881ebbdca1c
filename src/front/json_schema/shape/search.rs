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
    goal: Goal<'s>,
}

/// What a way must meet.
pub(super) struct Goal<'g> {
    /// Whether these slots can come.
    pub(super) fits: &'g dyn Fn(&[bool]) -> bool,
    /// Whether it is well where these slots come, those stay away, and so many other keys come.
    pub(super) end: &'g dyn Fn(&[bool], &[bool], u32) -> bool,
}

/// What is decided on the way: which clauses are fulfilled, which slots come, and how many keys of
/// no slot.
#[derive(Clone)]
struct Way {
    met: u32,
    needed: Vec<bool>,
    others: u32,
}

impl<'s> Search<'s> {
    pub(super) fn new(
        shape: &'s ObjectShape,
        usable: &'s Usable,
        progress: &'s Progress,
        goal: Goal<'s>,
    ) -> Self {
        Self {
            shape,
            usable,
            progress,
            away: vec![false; shape.slots.len()],
            chosen: vec![false; shape.slots.len()],
            goal,
        }
    }

    /// Whether all clauses can be fulfilled where the slots of `needed` come, and it ends well.
    pub(super) fn finds(&mut self, needed: Vec<bool>) -> bool {
        self.from(&Way {
            met: self.progress.met,
            needed,
            others: 0,
        })
    }

    fn from(&mut self, way: &Way) -> bool {
        let missing = |clause: &usize| {
            let away = |&slot: &u32| self.away[slot as usize];
            way.met >> clause & 1 == 0 && !self.shape.clauses[*clause].iter().any(away)
        };
        let Some(clause) = (0..self.shape.clauses.len()).find(missing) else {
            return (self.goal.end)(&way.needed, &self.away, way.others);
        };
        for &slot in &self.shape.clauses[clause] {
            let slot = slot as usize;
            if !way.needed[slot] {
                self.away[slot] = true;
                let found = self.from(way);
                self.away[slot] = false;
                if found {
                    return true;
                }
            }
        }
        let bit = 1 << clause;
        let mut choices = self.usable.others.iter().flatten();
        choices.any(|choice| {
            let mut way = way.clone();
            way.met |= choice.hits;
            way.others += 1;
            choice.hits & bit != 0 && self.from(&way)
        }) || (0..self.shape.slots.len()).any(|slot| self.by_value(slot, bit, way))
    }

    /// Whether a value of `slot` that fulfils the clause with this bit leads on.
    fn by_value(&mut self, slot: usize, bit: u32, way: &Way) -> bool {
        let ahead = self.shape.is_ahead(self.usable, self.progress, slot);
        if self.away[slot] || self.chosen[slot] || !ahead {
            return false;
        }
        self.usable.slots[slot].iter().any(|choice| {
            if choice.hits & bit == 0 {
                return false;
            }
            let mut way = way.clone();
            way.met |= choice.hits;
            way.needed[slot] = true;
            self.shape.add_implied(&mut way.needed);
            let clash = (0..way.needed.len()).any(|slot| way.needed[slot] && self.away[slot]);
            if clash || !(self.goal.fits)(&way.needed) {
                return false;
            }
            self.chosen[slot] = true;
            let found = self.from(&way);
            self.chosen[slot] = false;
            found
        })
    }
}
