//! Places within what a position calls, where only survival is asked.
//!
//! The states of a rule that somebody waits for are the caller's own: each property of an object has its own states for
//! the same kind of value. A walk takes those of the rule by itself instead, for which nobody waits and which all
//! callers share, and keeps the caller beside them.

use smallvec::SmallVec;

use super::places::{Calls, Place, Places, Set};
use crate::base::LimitError;
use crate::machine::{Item, StateId};

impl Places<'_> {
    /// The place of `item` before a call, if that can be entered apart.
    pub(super) fn before_call(&mut self, item: Item) -> Result<Option<u32>, LimitError> {
        let Some(start) = self.callee_start(item)? else {
            return Ok(None);
        };
        let live = self
            .own_bytes(item)
            .union(self.generation.state(start).live());
        Ok(Some(self.number_live(Place::Call(item), live)))
    }

    /// The state in which the callee of `item` begins, if it can be entered apart.
    fn callee_start(&self, item: Item) -> Result<Option<StateId>, LimitError> {
        if self.calls == Calls::Joined {
            return Ok(None);
        }
        let callee = self.generation.sole_callee(item.pos);
        callee
            .map(|callee| self.generation.start_of(callee))
            .transpose()
    }

    /// Where `byte` leads from the place of `item` before a call.
    pub(super) fn step_call(&mut self, item: Item, byte: u8) -> Result<u32, LimitError> {
        let own = self.step_item(item, byte)?;
        let inner = match self.callee_start(item)? {
            Some(start) => self.step_inner(item, start, byte)?,
            None => Self::DEAD,
        };
        Ok(self.both(own, inner))
    }

    /// Where `byte` leads from within what `item` calls.
    pub(super) fn step_within(
        &mut self,
        (item, inner): (Item, StateId),
        byte: u8,
    ) -> Result<u32, LimitError> {
        let within = self.step_inner(item, inner, byte)?;
        let behind = self.behind_call(item, inner)?;
        let behind = self.next(behind, byte)?;
        Ok(self.both(within, behind))
    }

    /// Where `byte` leads within what `item` calls.
    fn step_inner(&mut self, item: Item, inner: StateId, byte: u8) -> Result<u32, LimitError> {
        let generation = self.generation;
        if !generation.state(inner).live().contains(byte) {
            return Ok(Self::DEAD);
        }
        let inner = generation.advance_unrecorded(inner, byte)?;
        self.within(item, inner)
    }

    /// The place within what `item` calls; the one behind it where nothing else can be read.
    fn within(&mut self, item: Item, inner: StateId) -> Result<u32, LimitError> {
        let place = Place::Within(item, inner);
        let state = self.generation.state(inner);
        if !state.accepting && !state.is_over() {
            return Ok(self.number_live(place, *state.live()));
        }
        if let Some(known) = self.known_number(place) {
            return Ok(known);
        }
        let behind = self.behind_call(item, inner)?;
        if state.is_over() {
            return Ok(behind);
        }
        let live = state.live().union(&self.live(behind));
        Ok(self.number_live(place, live))
    }

    /// The place behind what `item` calls, if that may end at `inner`.
    fn behind_call(&mut self, item: Item, inner: StateId) -> Result<u32, LimitError> {
        let generation = self.generation;
        let mut behind = Self::DEAD;
        if generation.state(inner).accepting {
            for exit in generation.exits(inner) {
                if let Some(pos) = generation.resumed(item.pos, exit) {
                    let one = self.arrive(Item { pos, ..item }, |generation| {
                        generation.enter(pos, item.origin)
                    })?;
                    behind = self.both(behind, one);
                }
            }
        }
        Ok(behind)
    }

    /// The place that is at two places at once.
    pub(super) fn both(&mut self, one: u32, other: u32) -> u32 {
        if one == other || other == Self::DEAD {
            return one;
        }
        if one == Self::DEAD {
            return other;
        }
        let live = self.live(one).union(&self.live(other));
        let mut all: Set = SmallVec::new();
        for number in [one, other] {
            match self.members(number) {
                Some(members) => all.extend_from_slice(members),
                None => all.push(number),
            }
        }
        all.sort_unstable();
        all.dedup();
        self.number_set(all, live)
    }

    /// Where `byte` leads from the places of a set.
    pub(super) fn step_set(&mut self, set: u32, byte: u8) -> Result<u32, LimitError> {
        let members = self.set(set).clone();
        let allowed = self.generation.grammar().limits().state_items;
        LimitError::check("places of a walk at once", members.len(), allowed)?;
        members.iter().try_fold(Self::DEAD, |all, &member| {
            let to = self.next(member, byte)?;
            Ok(self.both(all, to))
        })
    }
}
