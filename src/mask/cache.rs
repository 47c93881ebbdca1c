//! The masks of a generation's states.

use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use super::compose::compose;
use super::context::Context;
use super::representation::Mask;
use super::rule_cache::LocalRules;
use crate::base::LimitError;
use crate::machine::StateId;

/// The masks of one generation's states.
#[derive(Debug)]
pub(crate) struct Masks {
    states: RwLock<States>,
    rules: LocalRules,
    most_bytes: usize,
}

#[derive(Debug, Default)]
struct States {
    masks: FxHashMap<StateId, Arc<Mask>>,
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

    /// The mask of `state`.
    pub(crate) fn mask(
        &self,
        context: &Context<'_>,
        state: StateId,
    ) -> Result<Arc<Mask>, LimitError> {
        let states = self.states.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(mask) = states.masks.get(&state) {
            return Ok(mask.clone());
        }
        drop(states);
        let mask = self.make(context, state)?;
        let mut states = self.states.write().unwrap_or_else(PoisonError::into_inner);
        let bytes = mask.bytes();
        if states.bytes + bytes > self.most_bytes {
            *states = States::default();
        }
        states.bytes += bytes;
        states.masks.insert(state, mask.clone());
        Ok(mask)
    }

    /// The mask of the state that forgets what is remembered, less what speaks against that.
    fn make(&self, context: &Context<'_>, state: StateId) -> Result<Arc<Mask>, LimitError> {
        let Some(forgotten) = context.generation.forgotten(state)? else {
            return Ok(Arc::new(compose(context, &self.rules, state)?));
        };
        let mask = self.mask(context, forgotten.state)?;
        let mentions = context.rules.mentions(context.vocabulary);
        let barred = mentions.barred(context, state, (&forgotten, &mask))?;
        Ok(match barred.as_slice() {
            [] => mask,
            barred => Arc::new(mask.without(barred)),
        })
    }
}
