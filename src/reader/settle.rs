//! The test that shows that each text of a format has one reading.
//!
//! Two readings of one text are two ways through the skeleton that read the same bytes. So pairs of places are visited that
//! one text leads to, each with whether the two ways have told different things so far. If a pair that has is visited in
//! which both may end, a text may have two readings; if none is, no text has.
//!
//! Objects and arrays are rules that call themselves, so their places have no end. They are replaced by an outline: their
//! parts in any order between brackets, which is more than they are, and makes no fewer pairs. Only where both ways begin one
//! with the same byte, they end it with the same byte as well, since no object or array is the beginning of another; so it
//! is one step for both.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::error::Unsettled;
use super::places::{Controls, On, PlaceId, Places, Way};
use crate::front::chat::Skeleton;

/// How many pairs are visited, and how many ways on are held against each other: more cannot be settled.
const MOST_PAIRS: usize = 1 << 19;
const MOST_COMPARED: usize = 1 << 26;

/// Two places, the smaller first, and whether the ways to them told different things.
type Pair = (PlaceId, PlaceId, bool);

/// Whether each text of the skeleton, an outline, has one reading.
pub(super) fn settle(skeleton: Arc<Skeleton>) -> Result<(), Unsettled> {
    Test {
        places: Places::new(skeleton, Arc::new(Controls::Spelt)),
        before: FxHashMap::default(),
        open: VecDeque::new(),
        compared: 0,
    }
    .run()
}

struct Test {
    places: Places,
    /// By pair, how it was reached: from which, by what.
    before: FxHashMap<Pair, Option<(Pair, On)>>,
    open: VecDeque<Pair>,
    /// How many ways were held against each other.
    compared: usize,
}

impl Test {
    fn run(mut self) -> Result<(), Unsettled> {
        let start = self.places.start();
        self.visit((start, start, false), None);
        while let Some(pair) = self.open.pop_front() {
            let (first, second, differ) = pair;
            let (left, right) = (self.places.ways(first), self.places.ways(second));
            let ends = left
                .ends
                .iter()
                .any(|left| right.ends.iter().any(|right| differ || left != right));
            self.compared = self
                .compared
                .saturating_add(left.on.len().saturating_mul(right.on.len()));
            if ends || self.before.len() > MOST_PAIRS || self.compared > MOST_COMPARED {
                return Err(self.unsettled(pair));
            }
            let is_same = first == second && !differ;
            for (index, left) in left.on.iter().enumerate() {
                // From one place, each two ways once.
                let from = if is_same { index } else { 0 };
                for right in &right.on[from..] {
                    self.both(pair, left, right);
                }
            }
        }
        Ok(())
    }

    /// Follows two ways that take the same.
    fn both(&mut self, pair: Pair, left: &Way, right: &Way) {
        let on = match (left.on, right.on) {
            (On::Bytes(lo, hi), On::Bytes(low, high)) if lo.max(low) <= hi.min(high) => {
                On::Bytes(lo.max(low), hi.min(high))
            }
            (On::Control(left), On::Control(right)) if left == right => On::Control(left),
            (On::Structure, On::Structure) => On::Structure,
            _ => return,
        };
        if left.opens && right.opens {
            return;
        }
        let differ = pair.2 || left.marks != right.marks || left.owner != right.owner;
        if left.to == right.to && !differ {
            return self.visit((left.to, left.to, false), Some((pair, on)));
        }
        let (first, second) = (left.to.min(right.to), left.to.max(right.to));
        self.visit((first, second, differ), Some((pair, on)));
    }

    fn visit(&mut self, pair: Pair, from: Option<(Pair, On)>) {
        if let std::collections::hash_map::Entry::Vacant(entry) = self.before.entry(pair) {
            entry.insert(from);
            self.open.push_back(pair);
        }
    }

    /// What is known of a pair that cannot be settled: where its ways parted.
    fn unsettled(&self, pair: Pair) -> Unsettled {
        let mut text = Vec::new();
        let (mut at, mut parted) = (pair, pair);
        while let Some(Some((from, on))) = self.before.get(&at) {
            if at.2 {
                parted = at;
                text.clear();
            }
            match *on {
                On::Bytes(lo, hi) => text.push(if (lo..=hi).contains(&b'a') { b'a' } else { lo }),
                On::Control(_) | On::Structure => text.extend("…".bytes().rev()),
            }
            at = *from;
        }
        text.reverse();
        Unsettled {
            text: String::from_utf8_lossy(&text).into_owned(),
            first: self.places.rules(parted.0),
            second: self.places.rules(parted.1),
        }
    }
}
