//! States as they would be if bodies forgot what they remember.
//!
//! What is remembered keeps states apart that hardly differ in the tokens they allow. So masks are
//! computed for the state that forgets, which many share, and what each state remembers is then
//! held against the few tokens that can mention it.

use smallvec::{SmallVec, smallvec};

use super::closure::Closing;
use super::memory::{Begun, Forgotten, Memories, ReadersId, Remains};
use super::origin::{Origin, Wait, Waits};
use super::state::{Item, Items, StateId};
use crate::base::{ENTRY, Ids, LimitError};
use crate::grammar::{Delimiters, Remembered};

/// What the items of a kernel remember, or the callers of a rule.
type Parts = SmallVec<[(Delimiters, Remembered); 4]>;

/// What it costs to forget what an item remembers.
const STEPS_PER_ITEM: usize = 64;

impl Closing<'_, '_> {
    /// `state`, whose kernel this is, with nothing remembered.
    pub(super) fn forget(
        &mut self,
        state: StateId,
        kernel: &[Item],
    ) -> Result<Forgotten, LimitError> {
        let (items, memory, begun) = self.forget_items(kernel);
        let remains = if items[..] == *kernel {
            Remains::State(state)
        } else if let Some(id) = self.readers(&items) {
            Remains::Readers(id, items)
        } else {
            Remains::State(self.with_kernel(items)?)
        };
        Ok(Forgotten {
            remains,
            memory,
            begun,
        })
    }

    /// The state that `state`, whose kernel this is, would be with nothing remembered.
    pub(super) fn forgetful(
        &mut self,
        state: StateId,
        kernel: &[Item],
    ) -> Result<StateId, LimitError> {
        self.charge(STEPS_PER_ITEM * kernel.len())?;
        let mut items: Items = SmallVec::with_capacity(kernel.len());
        for item in kernel {
            items.push(Item {
                pos: self.expander.forget(item.pos),
                origin: self.forget_origin(item.origin).0,
            });
        }
        items.sort_unstable();
        items.dedup();
        match items[..] == *kernel {
            true => Ok(state),
            false => self.with_kernel(items),
        }
    }

    /// The number of these items, if they are known to be no state's kernel and only to read.
    fn readers(&mut self, items: &Items) -> Option<ReadersId> {
        let hash = Ids::hash(items);
        let readers = &self.closer.forgotten.readers;
        if let Some(id) = readers.find(hash, |known| known == items) {
            return Some(ReadersId::new(id));
        }
        let is_state = self.known(items).is_some();
        let expander = &mut self.expander;
        if is_state || !items.iter().all(|item| expander.only_reads(item.pos)) {
            return None;
        }
        self.closer.bytes += ENTRY * size_of::<Items>();
        let id = self.closer.forgotten.readers.insert(hash, items.clone());
        Some(ReadersId::new(id))
    }

    /// A kernel with nothing remembered, what is, and what was read of the texts under way.
    fn forget_items(&mut self, kernel: &[Item]) -> (Items, Memories, Begun) {
        let mut items: Items = SmallVec::with_capacity(kernel.len());
        let mut parts = Parts::new();
        let mut begun = Begun::new();
        for item in kernel {
            let (origin, remembered) = self.forget_origin(item.origin);
            parts.extend(remembered.iter().cloned());
            if let Some(memory) = self.expander.memory(item.pos) {
                parts.extend(delimited(memory.delimiters, memory.remembered.clone()));
                if !memory.begun.is_empty() && !begun.contains(&memory) {
                    begun.push(memory);
                }
            }
            let pos = self.expander.forget(item.pos);
            items.push(Item { pos, origin });
        }
        items.sort_unstable();
        items.dedup();
        (items, union(parts), begun)
    }

    /// The same callers with nothing remembered, and what they and theirs remember.
    fn forget_origin(&mut self, origin: Origin) -> (Origin, Memories) {
        // By hand, not by recursion: texts nest as deep as they like.
        let mut pending: SmallVec<[Origin; 8]> = smallvec![origin];
        while let Some(&last) = pending.last() {
            let waits = self.closer.origins.waits(last).clone();
            let known = pending.len();
            if self.known_origin(last).is_none() {
                let callers = waits.iter().map(|wait| wait.origin);
                pending.extend(callers.filter(|&origin| self.known_origin(origin).is_none()));
            }
            if pending.len() > known {
                continue;
            }
            pending.pop();
            if self.known_origin(last).is_none() {
                let forgotten = self.forget_waits(&waits);
                self.closer.bytes +=
                    size_of::<Option<(Origin, Memories)>>() + size_of_val(&*forgotten.1);
                self.closer.forgotten.origins.insert(last, forgotten);
            }
        }
        self.known_origin(origin)
            .expect("the loop ends when this origin is known")
    }

    fn known_origin(&self, origin: Origin) -> Option<(Origin, Memories)> {
        match origin.is_fixed() {
            true => Some((origin, Memories::default())),
            false => self.closer.forgotten.origins.get(origin).cloned(),
        }
    }

    /// The same for a set of callers whose own callers are known.
    fn forget_waits(&mut self, waits: &[Wait]) -> (Origin, Memories) {
        let mut forgotten = Waits::with_capacity(waits.len());
        let mut parts = Parts::new();
        for wait in waits {
            let (origin, remembered) = self
                .known_origin(wait.origin)
                .expect("callers' callers are made to forget first");
            parts.extend(remembered.iter().cloned());
            if let Some(memory) = self.expander.memory(wait.site) {
                parts.extend(delimited(memory.delimiters, memory.remembered));
            }
            forgotten.push(Wait {
                callee: self.expander.forgetful(wait.callee),
                site: self.expander.forget(wait.site),
                ask: wait.ask,
                origin,
            });
        }
        forgotten.sort_unstable();
        forgotten.dedup();
        (self.closer.origins.intern(&forgotten), union(parts))
    }
}

/// What is remembered, with how it is delimited.
fn delimited(
    delimiters: Delimiters,
    remembered: SmallVec<[Remembered; 1]>,
) -> impl Iterator<Item = (Delimiters, Remembered)> {
    remembered.into_iter().map(move |part| (delimiters, part))
}

/// All that the parts remember.
fn union(mut parts: Parts) -> Memories {
    parts.retain(|(_, part)| !part.is_nothing());
    let mut each = Parts::new();
    for part in parts {
        if !each.contains(&part) {
            each.push(part);
        }
    }
    each.as_slice().into()
}
