//! The shortest way to the end of an object: the properties that are still required, and no others.

use super::ObjectBody;
use super::position::{At, Phase};
use crate::front::json_schema::config::PropertyOrder;
use crate::front::json_schema::shape::Progress;

impl ObjectBody {
    /// The byte that a shortest way to the end of the object goes on with, where only the order of the slots and which
    /// of them are required matters. In whichever order the required ones come, they are as long.
    pub(super) fn toward_end(&self, at: &At) -> Option<u8> {
        if !self.shape().is_plain() {
            return None;
        }
        let missing = self.missing(&at.progress);
        match (at.phase, missing) {
            (Phase::Open | Phase::After, None) => Some(b'}'),
            (Phase::Open | Phase::Comma, Some(_)) => Some(b'"'),
            (Phase::After, Some(_)) => Some(b','),
            (Phase::Key, Some(missing)) => {
                let mut alike = self.alike(at);
                let (_, key, _) = alike.find(|&(_, _, slot)| slot == missing)?;
                key.get(at.depth as usize).copied()
            }
            _ => None,
        }
    }

    /// The first slot that is required and not there.
    fn missing(&self, progress: &Progress) -> Option<u32> {
        let is_missing = |&slot: &usize| self.shape().slots[slot].required && !progress.has(slot);
        let first = match self.order() {
            PropertyOrder::Declared => progress.next as usize,
            PropertyOrder::Any => 0,
        };
        let mut slots = first..self.shape().slots.len();
        slots.find(is_missing).map(|slot| slot as u32)
    }
}
