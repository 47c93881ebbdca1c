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
                let key = self.known().key_of(missing)?;
                let spelt = &self.known().keys[key as usize].0;
                let next = spelt.get(at.depth as usize).copied();
                next.filter(|_| self.alike(at).contains(&key))
            }
            _ => None,
        }
    }

    /// The first slot that is required and not there, where only the order of the slots and which of them are required
    /// matters.
    pub(super) fn missing(&self, progress: &Progress) -> Option<u32> {
        let known = self.known();
        match self.order() {
            // One that is required is the last that may come.
            PropertyOrder::Declared => {
                let last = known.ahead(progress.next).next_back();
                last.filter(|&last| self.shape().slots[last as usize].required)
            }
            PropertyOrder::Any => {
                let missing = known.required.iter().zip(&progress.seen);
                let missing = missing.map(|(required, seen)| required & !seen);
                let (place, word) = (0..).zip(missing).find(|&(_, word)| word > 0)?;
                Some(32 * place + word.trailing_zeros())
            }
        }
    }
}
