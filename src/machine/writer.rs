//! What only the one who makes positions needs: how they are found again, what they take, and what they cost.

use crate::base::Ids;
use crate::grammar::{Node, Texts, Words};

/// What only the one who writes needs.
#[derive(Default)]
pub(super) struct Writer {
    pub(super) position_ids: Ids,
    pub(super) position_count: u32,
    pub(super) instance_ids: Ids,
    pub(super) instance_count: u32,
    pub(super) exit_ids: Ids,
    pub(super) exit_count: u32,
    pub(super) bytes: usize,
    /// The texts whose bytes were counted last: positions made one after the other mostly have the same.
    counted: Texts,
    /// Steps of work so far: of visits, and of what else is done with positions.
    work: usize,
    pub(super) scratch: Node<Words>,
}

impl Writer {
    /// Counts the bytes of `texts`.
    pub(super) fn count(&mut self, texts: &Texts) {
        if !texts.is_empty() && !texts.is_same(&self.counted) {
            self.bytes += texts.bytes();
            self.counted = texts.clone();
        }
    }

    /// All that is known, to be dropped one by one.
    pub(super) fn dismantle(self) -> impl Iterator<Item = ()> + Send {
        let ids = self.position_ids.dismantle();
        let ids = ids.chain(self.instance_ids.dismantle());
        ids.chain(self.exit_ids.dismantle())
    }

    /// Steps of work so far.
    pub(super) fn work(&self) -> usize {
        self.work
    }

    pub(super) fn add_work(&mut self, steps: usize) {
        self.work = self.work.wrapping_add(steps);
    }

    /// How many bytes the positions take.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}
