//! The generation in which the sessions of a constraint begin.

use std::sync::{Arc, PoisonError, RwLock, TryLockError};

use super::live::Live;
use crate::base::{Budget, LimitError};
use crate::grammar::Grammar;
use crate::machine::Binding;

/// The newest generation of a grammar over a vocabulary, and what it takes to make another.
#[derive(Debug)]
pub(super) struct Current {
    grammar: Arc<Grammar>,
    binding: Arc<Binding>,
    engine: Arc<Budget>,
    live: RwLock<Live>,
}

impl Current {
    pub(super) fn new(
        grammar: Arc<Grammar>,
        binding: Arc<Binding>,
        engine: Arc<Budget>,
    ) -> Result<Self, LimitError> {
        let live = RwLock::new(Live::new(&grammar, &binding, &engine)?);
        Ok(Self {
            grammar,
            binding,
            engine,
            live,
        })
    }

    pub(super) fn grammar(&self) -> &Grammar {
        &self.grammar
    }

    pub(super) fn binding(&self) -> &Binding {
        &self.binding
    }

    /// The generation to begin in.
    pub(super) fn live(&self) -> Live {
        let live = self.live.read().unwrap_or_else(PoisonError::into_inner);
        let mark = live.generation.mark();
        if mark.is_set() {
            mark.answer();
        }
        live.clone()
    }

    /// The generation to go on with when `old` is to be left: one that is not; and the one whose place it has taken, if
    /// it is new.
    pub(super) fn renewed(&self, old: &Live) -> Result<(Live, Option<Live>), LimitError> {
        let mut live = self.live.write().unwrap_or_else(PoisonError::into_inner);
        let mut retired = None;
        if live.generation.is_same(&old.generation) || live.is_to_be_left() {
            let fresh = Live::new(&self.grammar, &self.binding, &self.engine)?;
            retired = Some(std::mem::replace(&mut *live, fresh));
        }
        Ok((live.clone(), retired))
    }

    /// Asks whether the generation is in use; gives whether that was asked before, and nobody has said so since. `None` where
    /// it takes less than so many bytes.
    pub(super) fn ask(&self, least: usize) -> Option<bool> {
        let live = match self.live.try_read() {
            Ok(live) => live,
            Err(TryLockError::Poisoned(live)) => live.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        (live.bytes() >= least).then(|| live.generation.mark().ask())
    }

    /// Begins anew, and gives back what there was, if nobody else is at it.
    pub(super) fn make_room(&self) -> Option<Live> {
        let mut live = match self.live.try_write() {
            Ok(live) => live,
            Err(TryLockError::Poisoned(live)) => live.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        let fresh = Live::new(&self.grammar, &self.binding, &self.engine).ok()?;
        Some(std::mem::replace(&mut *live, fresh))
    }
}
