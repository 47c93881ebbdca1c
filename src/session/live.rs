//! What the sessions of a constraint share and fill while they run.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use super::surveyed::Surveyed;
use crate::base::{Budget, BudgetPart, LimitError, Share};
use crate::grammar::Grammar;
use crate::machine::{Binding, Generation, StateId};
use crate::mask::Masks;

/// A generation of the machine with what is kept of it, as one session holds them. Over its budget a fresh one takes its
/// place.
#[derive(Clone, Debug)]
pub(super) struct Live {
    pub(super) generation: Generation,
    shared: Arc<Shared>,
}

/// What the sessions of a generation keep.
#[derive(Debug)]
pub(super) struct Shared {
    masks: OnceLock<Box<Masks>>,
    pub(super) start: StateId,
    surveyed: OnceLock<Box<Surveyed>>,
    /// What all of it takes of the engine's budget.
    share: Arc<Share>,
}

/// What is left of a generation: each step drops one thing of it.
pub(super) type Rest = Box<dyn Iterator<Item = ()> + Send>;

impl Live {
    /// One that has seen nothing.
    pub(super) fn new(
        grammar: &Arc<Grammar>,
        binding: &Arc<Binding>,
        engine: &Arc<Budget>,
    ) -> Result<Self, LimitError> {
        let share = Share::of(engine);
        let part = BudgetPart::of(&share);
        let generation = Generation::new(grammar.clone(), binding.clone(), part);
        let start = generation.start()?;
        let shared = Arc::new(Shared {
            masks: OnceLock::new(),
            start,
            surveyed: OnceLock::new(),
            share,
        });
        Ok(Self { generation, shared })
    }
}

impl Live {
    /// Whether those in it are to leave it.
    pub(super) fn is_to_be_left(&self) -> bool {
        self.generation.mark().is_to_be_left()
    }

    /// Says that it is in use; whether those in it are to leave it.
    pub(super) fn is_asked_to_be_left(&self) -> bool {
        self.generation.mark().answer();
        self.is_to_be_left()
    }

    /// No new session begins here: it counts towards the engine's budget no more, and those in it are to leave it.
    pub(super) fn retire(&self) {
        self.share.give_up();
        self.generation.mark().leave();
    }

    /// How many bytes of the engine's budget it takes.
    pub(super) fn bytes(&self) -> usize {
        self.share.bytes()
    }

    /// What is known of masks.
    pub(super) fn masks(&self) -> &Masks {
        self.shared.masks.get_or_init(|| {
            let limits = self.generation.grammar().limits();
            Box::new(Masks::new(limits.mask_bytes, &self.shared.share))
        })
    }

    /// Whether the mask of `state` is known.
    pub(super) fn knows_mask(&self, state: StateId) -> bool {
        let masks = self.shared.masks.get();
        masks.is_some_and(|masks| masks.knows(state))
    }

    /// What is known of the ways to the end.
    pub(super) fn surveyed(&self) -> &Surveyed {
        self.shared.surveyed.get_or_init(|| {
            let limits = self.generation.grammar().limits();
            Box::new(Surveyed::new(limits.mask_bytes / 4 * 3, &self.shared.share))
        })
    }

    /// All that is kept, to be dropped one by one, if nobody else holds it.
    pub(super) fn dismantle(self) -> Result<Rest, Self> {
        let Self { generation, shared } = self;
        let shared = match Arc::try_unwrap(shared) {
            Ok(shared) => shared,
            Err(shared) => return Err(Self { generation, shared }),
        };
        let generation = match generation.dismantle() {
            Ok(rest) => rest,
            Err(generation) => {
                let shared = Arc::new(shared);
                return Err(Self { generation, shared });
            }
        };
        let surveyed = shared.surveyed.into_inner().into_iter();
        let surveyed = surveyed.flat_map(|surveyed| surveyed.dismantle());
        let masks = shared.masks.into_inner().into_iter();
        let masks = masks.flat_map(|masks| masks.dismantle());
        Ok(Box::new(masks.chain(surveyed).chain(generation)))
    }
}

impl Deref for Live {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.shared
    }
}
