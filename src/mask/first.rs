//! The room of the masks that came first, which are kept for as long as their generation lives.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use super::representation::{Lists, Mask};
use crate::base::{BudgetPart, ENTRY};

/// The room of the first masks.
///
/// PERF: masks with long lists that several states have are kept as rows of their own: warm masks over MaskBench take 0.9 times
/// as long in the median (benches/LOG.md).
#[derive(Debug)]
pub(super) struct FirstRoom {
    taken: usize,
    most: usize,
    part: BudgetPart,
    repeated: FxHashMap<Lists, Repeated>,
}

/// A mask with long lists, and the same as a row once a second state has it.
#[derive(Debug)]
struct Repeated {
    mask: Arc<Mask>,
    dense: Option<Arc<Mask>>,
}

/// What it takes to know one.
const OF_REPEATED: usize = ENTRY * size_of::<(Lists, Repeated)>();

impl FirstRoom {
    /// Room for so many bytes, which take `part` of a budget.
    pub(super) fn new(most: usize, part: BudgetPart) -> Self {
        Self {
            taken: 0,
            most,
            part,
            repeated: FxHashMap::default(),
        }
    }

    /// The mask of one more state as it is kept from now on; `None` where there is no room for it.
    pub(super) fn admit(&mut self, mask: &Arc<Mask>) -> Option<Arc<Mask>> {
        let Some(lists) = mask.long_lists() else {
            return self.take(mask.bytes()).then(|| mask.clone());
        };
        let known = self.repeated.get(&lists);
        let is_known = known.is_some_and(|known| known.mask.is_same(mask));
        let dense = known.and_then(|known| known.dense.clone());
        match dense {
            _ if !is_known => self.take(mask.bytes() + OF_REPEATED).then(|| {
                // Another mask may be known by these lists already, which stays.
                self.repeated.entry(lists).or_insert_with(|| Repeated {
                    mask: mask.clone(),
                    dense: None,
                });
                mask.clone()
            }),
            Some(dense) => self.take(0).then_some(dense),
            None if !self.take(mask.dense_bytes()) => None,
            None => {
                let dense = Arc::new(mask.dense());
                if let Some(known) = self.repeated.get_mut(&lists) {
                    known.dense = Some(dense.clone());
                }
                Some(dense)
            }
        }
    }

    /// Takes room for so many bytes and the slot of a mask, if there is any left.
    fn take(&mut self, bytes: usize) -> bool {
        let slot = ENTRY * size_of::<OnceLock<Arc<Mask>>>();
        let taken = self.taken.saturating_add(bytes + slot);
        let has_room = taken <= self.most;
        if has_room {
            self.taken = taken;
            self.part.tell(taken);
        }
        has_room
    }

    /// All that is kept, to be dropped one by one.
    pub(super) fn dismantle(self) -> impl Iterator<Item = ()> + Send {
        self.repeated.into_values().map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::super::representation::MaskBuilder;
    use super::super::room::Rooms;
    use super::*;
    use crate::base::TokenId;

    const WORDS: usize = 64;

    /// Every third token up to `most`, over a row.
    fn mask(row: &Arc<[u32]>, most: u32) -> Arc<Mask> {
        let lists = Rooms::default();
        let mut builder = MaskBuilder::new(&lists);
        builder.row(row.clone(), vec![TokenId::new(64), TokenId::new(65)]);
        let listed = (0..most).step_by(3).map(TokenId::new);
        listed.for_each(|token| builder.token(token));
        Arc::new(builder.finish(WORDS))
    }

    fn filled(mask: &Mask) -> Vec<u32> {
        let mut row = vec![0; WORDS];
        mask.fill(&mut row);
        row
    }

    #[test]
    fn masks_that_come_again_are_rows() {
        let row: Arc<[u32]> = vec![5; WORDS].into();
        let mut room = FirstRoom::new(1 << 20, BudgetPart::default());
        let first = mask(&row, 900);
        let kept = room.admit(&first).unwrap();
        assert!(Arc::ptr_eq(&kept, &first));
        let [second, third] = [0, 1].map(|_| room.admit(&mask(&row, 900)).unwrap());
        assert!(second.long_lists().is_none() && Arc::ptr_eq(&second, &third));
        assert_eq!(filled(&second), filled(&first));
        // As many tokens with the same ends, and another one between them.
        let mut others = mask(&row, 900);
        Arc::make_mut(&mut others).replace_listed(10, TokenId::new(31));
        assert_eq!(others.long_lists(), first.long_lists());
        let kept = room.admit(&others).unwrap();
        assert!(Arc::ptr_eq(&kept, &others));
        // Short lists stay lists.
        let short = mask(&row, 30);
        assert!(
            [0, 1]
                .iter()
                .all(|_| Arc::ptr_eq(&room.admit(&short).unwrap(), &short))
        );
    }

    #[test]
    fn a_row_needs_room() {
        let row: Arc<[u32]> = vec![5; WORDS].into();
        let first = mask(&row, 900);
        let slot = ENTRY * size_of::<OnceLock<Arc<Mask>>>();
        let most = first.bytes() + OF_REPEATED + 2 * slot;
        let mut room = FirstRoom::new(most, BudgetPart::default());
        assert!(room.admit(&first).is_some());
        assert!(room.admit(&mask(&row, 900)).is_none());
    }
}
