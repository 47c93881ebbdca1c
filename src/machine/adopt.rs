//! Taking over a state of another generation of the same grammar: ids differ, contents do not.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::closure::Closing;
use super::node::{Inst, Pos};
use super::origin::{Origin, Origins, Wait};
use super::position::{Expander, Key, Positions};
use super::state::{Item, StateId};
use crate::base::LimitError;

/// Who waits for the items of a kernel and for each other, callers first.
pub(super) type Callers = Vec<(Origin, Arc<[Wait]>)>;

impl Origins {
    /// All who wait for the items of `kernel`.
    pub(super) fn callers(&self, kernel: &[Item]) -> Callers {
        let mut known: FxHashSet<Origin> = FxHashSet::default();
        let mut callers = Callers::new();
        // By hand, not by recursion: texts nest as deep as they like.
        let mut pending: Vec<Origin> = kernel.iter().map(|item| item.origin).collect();
        while let Some(&origin) = pending.last() {
            let waits = self.waits(origin);
            let is_new = |origin: &Origin| !origin.is_fixed() && !known.contains(origin);
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
    pub(super) fn adopt(
        &mut self,
        from: &Positions,
        kernel: &[Item],
        callers: &Callers,
    ) -> Result<StateId, LimitError> {
        let mut origins: FxHashMap<Origin, Origin> = FxHashMap::default();
        let own = |origins: &FxHashMap<Origin, Origin>, origin: Origin| match origin.is_fixed() {
            true => origin,
            false => origins[&origin],
        };
        for (origin, waits) in callers {
            let wait = |wait: &Wait| Wait {
                callee: self.expander.adopt_instance(from, wait.callee),
                site: self.expander.adopt(from, wait.site),
                ask: wait.ask,
                origin: own(&origins, wait.origin),
            };
            let mut adopted: Vec<Wait> = waits.iter().map(wait).collect();
            adopted.sort_unstable();
            origins.insert(*origin, self.closer.origins.intern(&adopted));
        }
        let item = |item: &Item| Item {
            pos: self.expander.adopt(from, item.pos),
            origin: own(&origins, item.origin),
        };
        let kernel: Vec<Item> = kernel.iter().map(item).collect();
        self.with_kernel(kernel)
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
