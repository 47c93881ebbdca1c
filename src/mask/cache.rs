//! The masks of a generation's states.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use super::bounded::Bounded;
use super::compose::{mechanism, of_items, of_state};
use super::context::Context;
use super::local::LocalRules;
use super::mechanism::Mechanism;
use super::mentions::barred;
use super::representation::Mask;
use crate::base::{BudgetPart, LimitError, Share};
use crate::machine::{Item, ReadersId, Remains, StateId};
use crate::vocab::row;

/// The masks of one generation's states.
#[derive(Debug)]
pub(crate) struct Masks {
    known: RwLock<Bounded<Of, Arc<Mask>>>,
    rules: LocalRules,
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
            known: RwLock::new(Bounded::within(most_bytes / 4 * 3, BudgetPart::of(share))),
            rules: LocalRules::new(most_bytes / 4, share),
        }
    }

    /// All that is kept, to be dropped one by one.
    pub(crate) fn dismantle(self) -> impl Iterator<Item = ()> + Send {
        let known = self.known.into_inner();
        let known = known.unwrap_or_else(PoisonError::into_inner);
        known.dismantle().chain(self.rules.dismantle())
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
        if let Some(mask) = self.known(Of::State(state)) {
            mask.fill(row);
            return Ok(());
        }
        let Some(forgotten) = context.generation.forgotten(state)? else {
            let mask = Arc::new(of_state(context, &self.rules, state)?);
            mask.fill(row);
            self.keep(Of::State(state), mask);
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
        self.keep(Of::State(state), mask);
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
        self.read().peek(&Of::State(state)).is_some()
    }

    fn known(&self, of: Of) -> Option<Arc<Mask>> {
        self.read().peek(&of).cloned()
    }

    fn read(&self) -> RwLockReadGuard<'_, Bounded<Of, Arc<Mask>>> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, of: Of, mask: Arc<Mask>) {
        let bytes = mask.bytes();
        let known = || self.known.write().unwrap_or_else(PoisonError::into_inner);
        let _dropped = known().insert(of, mask, bytes);
    }
}
