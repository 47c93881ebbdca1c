//! The masks of a generation's states.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use super::compose::{of_items, of_state};
use super::context::Context;
use super::representation::Mask;
use super::rule_cache::LocalRules;
use crate::base::{IdMap, LimitError};
use crate::machine::{ReadersId, Remains, StateId};
use crate::vocab::row;

/// The masks of one generation's states.
#[derive(Debug)]
pub(crate) struct Masks {
    states: RwLock<States>,
    rules: LocalRules,
    most_bytes: usize,
}

#[derive(Debug, Default)]
struct States {
    masks: IdMap<StateId, Arc<Mask>>,
    /// Masks computed without memory, where bodies remember.
    composed: IdMap<StateId, Arc<Mask>>,
    /// The same of items that are no state.
    readers: IdMap<ReadersId, Arc<Mask>>,
    bytes: usize,
}

impl Masks {
    /// A cache that keeps at most about `most_bytes`.
    pub(crate) fn new(most_bytes: usize) -> Self {
        Self {
            states: RwLock::default(),
            rules: LocalRules::default(),
            most_bytes,
        }
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
        if let Some(mask) = self.known(state) {
            mask.fill(row);
            return Ok(());
        }
        let Some(forgotten) = context.generation.forgotten(state)? else {
            let mask = Arc::new(of_state(context, &self.rules, state)?);
            mask.fill(row);
            self.keep(&mask, |states| states.masks.insert(state, mask.clone()));
            return Ok(());
        };
        let mask = self.composed(context, &forgotten.remains)?;
        mask.fill(row);
        let mentions = context.rules.mentions(context.vocabulary);
        let barred = mentions.barred(context.over(), state, (&forgotten, row))?;
        let mask = match barred.as_slice() {
            [] => mask,
            barred => Arc::new(mask.without(barred)),
        };
        barred.iter().for_each(|&token| row::remove(row, token));
        self.keep(&mask, |states| states.masks.insert(state, mask.clone()));
        Ok(())
    }

    /// The mask of what remembers nothing, as if what it reads were not remembered either.
    fn composed(&self, context: &Context<'_>, remains: &Remains) -> Result<Arc<Mask>, LimitError> {
        let known = match remains {
            Remains::State(state) => self.states().composed.get(*state).cloned(),
            Remains::Readers(id, _) => self.states().readers.get(*id).cloned(),
        };
        if let Some(mask) = known {
            return Ok(mask);
        }
        let mask = Arc::new(match remains {
            Remains::State(state) => of_state(context, &self.rules, *state)?,
            Remains::Readers(_, items) => of_items(context, &self.rules, items)?,
        });
        self.keep(&mask, |states| match remains {
            Remains::State(state) => states.composed.insert(*state, mask.clone()),
            Remains::Readers(id, _) => states.readers.insert(*id, mask.clone()),
        });
        Ok(mask)
    }

    fn known(&self, state: StateId) -> Option<Arc<Mask>> {
        self.states().masks.get(state).cloned()
    }

    fn states(&self) -> RwLockReadGuard<'_, States> {
        self.states.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes room for `mask`, and lets `insert` keep it.
    fn keep(&self, mask: &Mask, insert: impl FnOnce(&mut States)) {
        let mut states = self.states.write().unwrap_or_else(PoisonError::into_inner);
        let bytes = mask.bytes();
        if states.bytes + bytes > self.most_bytes {
            *states = States::default();
        }
        states.bytes += bytes;
        insert(&mut states);
    }
}
