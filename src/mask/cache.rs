//! The masks of a generation's states.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use super::compose::compose;
use super::context::Context;
use super::representation::Mask;
use super::rule_cache::LocalRules;
use crate::base::{IdMap, LimitError};
use crate::machine::StateId;
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
            let mask = Arc::new(compose(context, &self.rules, state)?);
            mask.fill(row);
            self.keep(|states| &mut states.masks, state, mask);
            return Ok(());
        };
        let mask = self.composed(context, forgotten.state)?;
        mask.fill(row);
        let mentions = context.rules.mentions(context.vocabulary);
        let barred = mentions.barred(context.over(), state, (&forgotten, row))?;
        let mask = match barred.as_slice() {
            [] => mask,
            barred => Arc::new(mask.without(barred)),
        };
        barred.iter().for_each(|&token| row::remove(row, token));
        self.keep(|states| &mut states.masks, state, mask);
        Ok(())
    }

    /// The mask of a state that remembers nothing, as if what it reads were not remembered either.
    fn composed(&self, context: &Context<'_>, state: StateId) -> Result<Arc<Mask>, LimitError> {
        if let Some(mask) = self.states().composed.get(state) {
            return Ok(mask.clone());
        }
        let mask = Arc::new(compose(context, &self.rules, state)?);
        self.keep(|states| &mut states.composed, state, mask.clone());
        Ok(mask)
    }

    fn known(&self, state: StateId) -> Option<Arc<Mask>> {
        self.states().masks.get(state).cloned()
    }

    fn states(&self) -> RwLockReadGuard<'_, States> {
        self.states.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps `mask` among those that `which` names.
    fn keep(
        &self,
        which: impl FnOnce(&mut States) -> &mut IdMap<StateId, Arc<Mask>>,
        state: StateId,
        mask: Arc<Mask>,
    ) {
        let mut states = self.states.write().unwrap_or_else(PoisonError::into_inner);
        let bytes = mask.bytes();
        if states.bytes + bytes > self.most_bytes {
            *states = States::default();
        }
        states.bytes += bytes;
        which(&mut states).insert(state, mask);
    }
}
