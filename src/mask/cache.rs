//! The masks of a generation's states.

use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};

use super::bounded::Bounded;
use super::compose::{mechanism, of_items, of_state};
use super::context::Context;
use super::first::FirstRoom;
use super::local::LocalRules;
use super::mechanism::Mechanism;
use super::mentions::barred;
use super::representation::Mask;
use crate::base::{BudgetPart, LimitError, Share, Store};
use crate::machine::{Item, ReadersId, Remains, StateId};
use crate::vocab::row;

/// The masks of one generation's states.
///
/// PERF: those that came first are found without a lock, a hash or a count. Warm masks of one schema over single bytes, where
/// little is copied, take 28 ns for 38 on one thread, and on two threads 50 ns each for 83 to 263 (medians of nine, four
/// runs in turn on 2 cores).
#[derive(Debug)]
pub(crate) struct Masks {
    first: Store<Arc<Mask>>,
    others: RwLock<Others>,
    rules: LocalRules,
}

/// Masks that are found by a look-up, and the room of the first ones.
#[derive(Debug)]
struct Others {
    known: Bounded<Of, Arc<Mask>>,
    room: FirstRoom,
}

/// Whose mask it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Of {
    State(StateId),
    /// A state as if nothing that is read were remembered, either.
    Forgetful(StateId),
    /// The same of items that are no state.
    Readers(ReadersId),
}

impl Masks {
    /// A cache that keeps at most about `most_bytes`, which count towards `share`.
    pub(crate) fn new(most_bytes: usize, share: &Arc<Share>) -> Self {
        Self {
            first: Store::new(),
            others: RwLock::new(Others {
                known: Bounded::within(most_bytes / 2, BudgetPart::of(share)),
                room: FirstRoom::new(most_bytes / 4, BudgetPart::of(share)),
            }),
            rules: LocalRules::new(most_bytes / 4, share),
        }
    }

    /// All that is kept, to be dropped one by one.
    pub(crate) fn dismantle(self) -> impl Iterator<Item = ()> + Send {
        let others = self.others.into_inner();
        let others = others.unwrap_or_else(PoisonError::into_inner);
        let masks = self.first.dismantle().chain(others.known.dismantle());
        masks
            .chain(others.room.dismantle())
            .chain(self.rules.dismantle())
    }

    /// Writes the mask of `state` into `row`.
    ///
    /// It is the mask of the state that forgets what is remembered, less what speaks against that.
    pub(crate) fn fill(
        &self,
        context: &Context<'_>,
        state: StateId,
        row: &mut [u32],
    ) -> Result<(), LimitError> {
        if let Some(mask) = self.first.get(state.get()) {
            mask.fill(row);
            return Ok(());
        }
        if let Some(mask) = self.known(Of::State(state)) {
            mask.fill(row);
            return Ok(());
        }
        let Some(forgotten) = context.generation.forgotten(state)? else {
            let mask = Arc::new(of_state(context, &self.rules, state)?);
            mask.fill(row);
            self.keep_of_state(state, mask);
            return Ok(());
        };
        let mask = self.forgetful(context, &forgotten.remains)?;
        mask.fill(row);
        let mentions = self.rules.mentions(context);
        let barred = barred(mentions, context.over(), state, (&forgotten, row))?;
        let mask = match barred.as_slice() {
            [] => mask,
            barred => Arc::new(mask.without(barred)),
        };
        barred.iter().for_each(|&token| row::remove(row, token));
        self.keep_of_state(state, mask);
        Ok(())
    }

    /// How the tokens of `item` come into the masks of its states.
    pub(crate) fn mechanism(
        &self,
        context: &Context<'_>,
        item: Item,
    ) -> Result<Mechanism, LimitError> {
        mechanism(context, &self.rules, item)
    }

    /// The mask of what remembers nothing, as if what it reads were not remembered either.
    fn forgetful(&self, context: &Context<'_>, remains: &Remains) -> Result<Arc<Mask>, LimitError> {
        let of = match *remains {
            Remains::State(state) => Of::Forgetful(state),
            Remains::Readers(id, _) => Of::Readers(id),
        };
        if let Some(mask) = self.known(of) {
            return Ok(mask);
        }
        let mask = Arc::new(match remains {
            Remains::State(state) => of_state(context, &self.rules, *state)?,
            Remains::Readers(_, items) => of_items(context, &self.rules, items)?,
        });
        self.keep(of, mask.clone());
        Ok(mask)
    }

    /// Whether the mask of `state` is kept.
    pub(crate) fn knows(&self, state: StateId) -> bool {
        let is_first = self.first.get(state.get()).is_some();
        is_first || self.known(Of::State(state)).is_some()
    }

    fn known(&self, of: Of) -> Option<Arc<Mask>> {
        let others = self.others.read().unwrap_or_else(PoisonError::into_inner);
        others.known.peek(&of).cloned()
    }

    fn keep_of_state(&self, state: StateId, mask: Arc<Mask>) {
        let admitted = self.change().room.admit(&mask);
        match admitted {
            Some(mask) => {
                self.first.set(state.get(), mask);
            }
            None => self.keep(Of::State(state), mask),
        }
    }

    fn keep(&self, of: Of, mask: Arc<Mask>) {
        let bytes = mask.bytes();
        let _dropped = self.change().known.insert(of, mask, bytes);
    }

    fn change(&self) -> RwLockWriteGuard<'_, Others> {
        self.others.write().unwrap_or_else(PoisonError::into_inner)
    }
}
