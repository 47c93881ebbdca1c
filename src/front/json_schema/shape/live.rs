//! Whether an object can be completed, and so a way to fulfil its clauses: a search.

use smallvec::SmallVec;

use super::Hits;
use super::object::{ObjectShape, Progress, Usable};

impl ObjectShape {
    /// Whether an object that is `progress` so far can be completed.
    ///
    /// What must still come is the least set that has the required slots and what goes with them; it
    /// is there or ahead, and room for it is left. What may come besides, one by one, is all that is
    /// ahead and has what goes with it.
    pub(crate) fn is_live(&self, usable: &Usable, progress: &Progress) -> bool {
        let slots = 0..self.slots.len();
        let there = |slot: usize| self.is_there(usable, progress, slot);
        let possible =
            |slot: usize| !usable.slots[slot].is_empty() && self.is_ahead(usable, progress, slot);
        let mut needed: Vec<bool> = slots
            .clone()
            .map(|slot| self.slots[slot].required || there(slot))
            .collect();
        self.add_implied(&mut needed);
        let fits = |needed: &[bool]| {
            (0..needed.len()).all(|slot| !needed[slot] || there(slot) || possible(slot))
        };
        if !fits(&needed) {
            return false;
        }
        let end = |way: &Way, away: &[bool]| self.has_room(usable, progress, way, away);
        let way = Way {
            met: progress.met,
            needed,
            others: smallvec::smallvec![0; self.others.len()],
        };
        match self.clauses.is_empty() {
            true => end(&way, &vec![false; way.needed.len()]),
            false => {
                let goal = Goal {
                    fits: &fits,
                    end: &end,
                };
                Search::new(self, usable, progress, goal).finds(&way)
            }
        }
    }

    /// Whether the number of properties can be right where those of `way` come and the slots of `away`
    /// do not.
    fn has_room(&self, usable: &Usable, progress: &Progress, way: &Way, away: &[bool]) -> bool {
        if !self.is_counted() {
            return true;
        }
        let there = |slot: usize| self.is_there(usable, progress, slot);
        let count = |slots: &[bool]| self.count(usable, progress, way, slots);
        let fewest = count(&way.needed);
        if fewest > self.most {
            return false;
        }
        let spare = |(class, choices): (usize, &SmallVec<_>)| match choices.is_empty() {
            true => 0,
            false => progress.left(class).saturating_sub(way.others[class]),
        };
        let spare = usable.others.iter().enumerate().map(spare);
        let spare = spare.fold(0u32, u32::saturating_add);
        if fewest.saturating_add(spare) >= self.least {
            return true;
        }
        let possible = |slot: usize| {
            !usable.slots[slot].is_empty() && self.is_ahead(usable, progress, slot) && !away[slot]
        };
        let slots = 0..self.slots.len();
        let mut reachable: Vec<bool> = slots.map(|slot| there(slot) || possible(slot)).collect();
        self.drop_unsupported(&mut reachable);
        count(&reachable).saturating_add(spare) >= self.least
    }

    /// How many properties there are where these slots and the other keys of `way` come.
    fn count(&self, usable: &Usable, progress: &Progress, way: &Way, slots: &[bool]) -> u32 {
        let there = |slot: usize| self.is_there(usable, progress, slot);
        let coming = (0..slots.len()).filter(|&slot| slots[slot] && !there(slot));
        let others = way.others.iter().sum();
        let count = progress.count.saturating_add(coming.count() as u32);
        count.saturating_add(others)
    }
}

/// A search for a way to fulfil all clauses.
///
/// A clause is fulfilled by a slot that stays away, by a value of a slot that is still to come, or
/// by a key of no slot. Most clauses are fulfilled by what stays away, which is tried first.
struct Search<'s> {
    shape: &'s ObjectShape,
    usable: &'s Usable,
    progress: &'s Progress,
    /// By slot: whether it was decided that it stays away.
    away: Vec<bool>,
    /// By slot: whether its value was chosen already.
    chosen: Vec<bool>,
    /// Slots with choices of their values that were tried in vain.
    barred: Vec<(usize, usize)>,
    goal: Goal<'s>,
}

/// What a way must meet.
struct Goal<'g> {
    /// Whether these slots can come.
    fits: &'g dyn Fn(&[bool]) -> bool,
    /// Whether it is well at the end of this way, where these slots stay away.
    end: &'g dyn Fn(&Way, &[bool]) -> bool,
}

/// What is decided on the way: which clauses are fulfilled, which slots come, and how many keys of
/// no slot, by class.
#[derive(Clone)]
struct Way {
    met: Hits,
    needed: Vec<bool>,
    others: SmallVec<[u32; 1]>,
}

impl<'s> Search<'s> {
    fn new(
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
            barred: Vec::new(),
            goal,
        }
    }

    /// Whether all clauses can be fulfilled from here on, and it ends well.
    ///
    /// Of what can only be fulfilled by a value, what has the fewest ways is looked at first: so what has none ends the
    /// search at once, and what has one only is no choice.
    ///
    /// Each round meets a clause or decides of a slot; how many clauses there may be, `normal/objects.rs` bounds.
    fn finds(&mut self, way: &Way) -> bool {
        if self.is_overfull(way) {
            return false;
        }
        let missing = |clause: &usize| {
            let away = |&slot: &u32| self.away[slot as usize];
            !way.met.has(*clause) && !self.shape.clauses[*clause].iter().any(away)
        };
        let mut missing: Vec<usize> = (0..self.shape.clauses.len()).filter(missing).collect();
        if missing.is_empty() {
            return (self.goal.end)(way, &self.away);
        }
        // What no slot that stays away can fulfil, a value must.
        let may_lack = |clause: &usize| {
            let mut lacks = self.shape.clauses[*clause].iter();
            lacks.any(|&slot| !way.needed[slot as usize])
        };
        if missing.iter().all(may_lack) {
            if self.ends_at_once(way) {
                return true;
            }
        } else {
            missing.retain(|clause| !may_lack(clause));
        }
        match missing[..] {
            [clause] => self.fulfils(clause, way),
            _ => {
                let (ways, clause) = self.fewest_ways(&missing, way);
                ways > 0 && self.fulfils(clause, way)
            }
        }
    }

    /// Which of the clauses has the fewest ways to be fulfilled, and how many.
    fn fewest_ways(&self, clauses: &[usize], way: &Way) -> (usize, usize) {
        let mut ways = [0usize; Hits::MOST];
        let mut add = |hits: Hits| {
            if hits != Hits::default() {
                let fulfilled = clauses.iter().filter(|&&clause| hits.has(clause));
                fulfilled.for_each(|&clause| ways[clause] += 1);
            }
        };
        for slot in (0..self.shape.slots.len()).filter(|&slot| self.may_choose(slot)) {
            let choices = self.usable.slots[slot].iter().enumerate();
            let open = choices.filter(|&(index, _)| !self.barred.contains(&(slot, index)));
            open.for_each(|(_, choice)| add(choice.hits));
        }
        for (class, choices) in self.usable.others.iter().enumerate() {
            if way.others[class] < self.progress.left(class) {
                choices.iter().for_each(|choice| add(choice.hits));
            }
        }
        let all = clauses.iter().map(|&clause| {
            let lacks = self.shape.clauses[clause].iter();
            let away = lacks.filter(|&&slot| !way.needed[slot as usize]).count();
            (ways[clause] + away, clause)
        });
        all.min().unwrap_or_default()
    }

    /// Whether one of the ways to fulfil a clause leads on. What was tried in vain is left out of what is tried after it.
    fn fulfils(&mut self, clause: usize, way: &Way) -> bool {
        let mut way = way.clone();
        for &slot in &self.shape.clauses[clause] {
            let slot = slot as usize;
            if way.needed[slot] {
                continue;
            }
            self.away[slot] = true;
            let found = self.finds(&way);
            self.away[slot] = false;
            if found {
                return true;
            }
            if !self.takes(slot, &mut way) {
                return false;
            }
        }
        if (0..self.usable.others.len()).any(|class| self.by_other(class, clause, &way)) {
            return true;
        }
        let barred = self.barred.len();
        let found = (0..self.shape.slots.len()).any(|slot| self.by_value(slot, clause, &way));
        self.barred.truncate(barred);
        found
    }

    /// Lets a slot come, with all that goes with it; whether that can be.
    fn takes(&self, slot: usize, way: &mut Way) -> bool {
        way.needed[slot] = true;
        self.shape.add_implied(&mut way.needed);
        let clash = (0..way.needed.len()).any(|slot| way.needed[slot] && self.away[slot]);
        !clash && (self.goal.fits)(&way.needed)
    }

    /// Whether a value of `slot` can still be chosen.
    fn may_choose(&self, slot: usize) -> bool {
        let decided = self.away[slot] || self.chosen[slot];
        !decided && self.shape.is_ahead(self.usable, self.progress, slot)
    }

    /// Whether more properties come than may: there will only be more.
    fn is_overfull(&self, way: &Way) -> bool {
        let Self {
            shape,
            usable,
            progress,
            ..
        } = self;
        shape.most < u32::MAX && shape.count(usable, progress, way, &way.needed) > shape.most
    }

    /// Whether it ends well if nothing comes that need not.
    fn ends_at_once(&self, way: &Way) -> bool {
        let away: Vec<bool> = way.needed.iter().map(|needed| !needed).collect();
        (self.goal.end)(way, &away)
    }

    /// Whether another key of a class, with a value that fulfils the clause, leads on.
    fn by_other(&mut self, class: usize, clause: usize, way: &Way) -> bool {
        if way.others[class] >= self.progress.left(class) {
            return false;
        }
        self.usable.others[class].iter().any(|choice| {
            let mut way = way.clone();
            way.met |= choice.hits;
            way.others[class] += 1;
            choice.hits.has(clause) && self.finds(&way)
        })
    }

    /// Whether a value of `slot` that fulfils the clause leads on.
    fn by_value(&mut self, slot: usize, clause: usize, way: &Way) -> bool {
        if !self.may_choose(slot) {
            return false;
        }
        let usable = self.usable;
        for (index, choice) in usable.slots[slot].iter().enumerate() {
            if !choice.hits.has(clause) || self.barred.contains(&(slot, index)) {
                continue;
            }
            let mut way = way.clone();
            way.met |= choice.hits;
            if self.takes(slot, &mut way) {
                self.chosen[slot] = true;
                let found = self.finds(&way);
                self.chosen[slot] = false;
                if found {
                    return true;
                }
            }
            self.barred.push((slot, index));
        }
        false
    }
}
