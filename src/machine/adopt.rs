//! Taking over a state of another generation of the same grammar: ids differ, contents do not.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::closure::Closing;
use super::node::{Inst, Pos};
use super::origin::{Origin, Origins, Wait};
use super::position::{Expander, Key, Positions};
use super::state::{Item, StateId};
use crate::base::{ENTRY, LimitError, OPEN};

/// Who waits for the items of a kernel and for each other, callers first.
pub(super) type Callers = Vec<(Origin, Arc<[Wait]>)>;

/// What was taken over so far of the states of one generation.
#[derive(Default)]
pub(crate) struct Adoption {
    /// By origin there, the one here.
    origins: FxHashMap<Origin, Origin>,
    /// Positions there, each once.
    positions: FxHashSet<Pos>,
    /// What all of that takes.
    bytes: usize,
}

/// What it costs to take over one who waits.
const STEPS_PER_WAIT: usize = 32;

impl Origins {
    /// All who wait for the items of `kernel`, but for what was taken over before.
    pub(super) fn callers(&self, kernel: &[Item], before: &Adoption) -> Callers {
        let mut known: FxHashSet<Origin> = FxHashSet::default();
        let mut callers = Callers::new();
        // By hand, not by recursion: texts nest as deep as they like.
        let mut pending: Vec<Origin> = kernel.iter().map(|item| item.origin).collect();
        while let Some(&origin) = pending.last() {
            let waits = self.waits(origin);
            let is_new = |origin: &Origin| {
                !origin.is_fixed()
                    && !before.origins.contains_key(origin)
                    && !known.contains(origin)
            };
            let before = pending.len();
            if is_new(&origin) {
                pending.extend(waits.iter().map(|wait| wait.origin).filter(is_new));
            }
            if pending.len() > before {
                continue;
            }
            pending.pop();
            if is_new(&origin) {
                known.insert(origin);
                callers.push((origin, waits.clone()));
            }
        }
        callers
    }
}

impl Closing<'_, '_> {
    /// The state whose kernel in the generation of `from` is `kernel`, for which `callers` wait there.
    ///
    /// # Errors
    /// Where what is taken over takes half of the room, so that there would soon be none again.
    pub(super) fn adopt(
        &mut self,
        from: &Positions,
        (kernel, callers): (&[Item], &Callers),
        adoption: &mut Adoption,
    ) -> Result<StateId, LimitError> {
        let own = |origins: &FxHashMap<Origin, Origin>, origin: Origin| match origin.is_fixed() {
            true => origin,
            false => origins[&origin],
        };
        for (origin, waits) in callers {
            let sites = waits.iter().map(|wait| wait.site);
            adoption.count(
                from,
                sites,
                size_of_val(&**waits) + ENTRY * size_of_val(waits),
            );
            self.charge(STEPS_PER_WAIT * waits.len())?;
            self.check_adopted(adoption)?;
            let wait = |wait: &Wait| Wait {
                callee: self.expander.adopt_instance(from, wait.callee),
                site: self.expander.adopt(from, wait.site),
                ask: wait.ask,
                origin: own(&adoption.origins, wait.origin),
            };
            let mut adopted: Vec<Wait> = waits.iter().map(wait).collect();
            adopted.sort_unstable();
            let adopted = self.closer.origins.intern(&adopted);
            adoption.origins.insert(*origin, adopted);
        }
        adoption.count(from, kernel.iter().map(|item| item.pos), 0);
        self.check_adopted(adoption)?;
        let item = |item: &Item| Item {
            pos: self.expander.adopt(from, item.pos),
            origin: own(&adoption.origins, item.origin),
        };
        let kernel: Vec<Item> = kernel.iter().map(item).collect();
        self.with_kernel(kernel)
    }

    fn check_adopted(&self, adoption: &Adoption) -> Result<(), LimitError> {
        let allowed = self.expander.grammar.limits().machine_bytes / 2;
        LimitError::check(OPEN, adoption.bytes, allowed)
    }
}

impl Adoption {
    /// Counts `positions` of the generation of `from`, and so many bytes besides.
    fn count(&mut self, from: &Positions, positions: impl Iterator<Item = Pos>, bytes: usize) {
        self.bytes += bytes;
        for pos in positions {
            if self.positions.insert(pos) {
                self.bytes += from.bytes(pos);
            }
        }
    }
}

impl Expander<'_> {
    fn adopt_instance(&mut self, from: &Positions, inst: Inst) -> Inst {
        let entry = from.instance(inst);
        self.instance(entry.rule, &entry.args)
    }

    fn adopt(&mut self, from: &Positions, pos: Pos) -> Pos {
        let entry = from.entry(pos);
        let inst = self.adopt_instance(from, entry.inst);
        match &entry.key {
            Key::Body(_, words) => self.position(inst, words.clone()),
            Key::Spelling(control, done, target) => {
                let target = self.adopt(from, *target);
                self.intern(inst, Key::Spelling(*control, *done, target))
            }
        }
    }
}
