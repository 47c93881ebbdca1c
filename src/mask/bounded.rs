//! A map within a budget of bytes. Over it, what was not asked for lately is dropped, a little at a time.

use std::hash::Hash;

use crate::base::{BudgetPart, PartedMap};

/// So many values at least are dropped with each one that is added, and as many as take as much room, up to a bound: as
/// fast as they come, and no call pays for all of them.
const DROPPED_AT_ONCE: usize = 16;
const DROPPED_AT_MOST: usize = 1024;

/// Values with the bytes that each takes.
type Values<K, V> = PartedMap<K, (V, usize)>;

/// Values that are no longer kept. Whoever holds a lock lets it go before these.
type Dropped<K, V> = Vec<(K, (V, usize))>;

/// Values by key, within a budget.
///
/// New values join the young ones. When these fill half of the budget they become the old ones, and the old ones before
/// them are dropped. A value that is asked for again while it is old is young once more.
#[derive(Debug)]
pub(crate) struct Bounded<K, V> {
    young: Values<K, V>,
    old: Values<K, V>,
    dropped: Vec<<Values<K, V> as IntoIterator>::IntoIter>,
    young_bytes: usize,
    old_bytes: usize,
    most_bytes: usize,
    /// What is kept counts towards a budget that others share.
    part: BudgetPart,
}

impl<K, V> Bounded<K, V> {
    /// An empty map that keeps at most about `most_bytes`.
    pub(crate) fn new(most_bytes: usize) -> Self {
        Self::within(most_bytes, BudgetPart::default())
    }

    /// The same where what is kept takes `part` of a budget.
    pub(crate) fn within(most_bytes: usize, part: BudgetPart) -> Self {
        Self {
            young: Values::default(),
            old: Values::default(),
            dropped: Vec::new(),
            young_bytes: 0,
            old_bytes: 0,
            most_bytes,
            part,
        }
    }
}

impl<K: Eq + Hash, V> Bounded<K, V> {
    /// The value of `key`; it is young from now on.
    pub(crate) fn get(&mut self, key: &K) -> Option<&V> {
        if self.young.get(key).is_none()
            && let Some((key, (value, bytes))) = self.old.remove(key)
        {
            self.young_bytes += bytes;
            self.old_bytes = self.old_bytes.saturating_sub(bytes);
            self.young.insert(key, (value, bytes));
        }
        self.peek(key)
    }

    /// The value of `key`.
    pub(crate) fn peek(&self, key: &K) -> Option<&V> {
        let found = self.young.get(key).or_else(|| self.old.get(key));
        found.map(|(value, _)| value)
    }

    /// Gives `key` a value that takes so many bytes. What is given back is no longer kept.
    pub(crate) fn insert(&mut self, key: K, value: V, bytes: usize) -> Dropped<K, V> {
        let dropped = self.drop_some(bytes);
        if self.young_bytes.saturating_add(bytes) > self.most_bytes / 2 {
            let young = std::mem::take(&mut self.young);
            let old = std::mem::replace(&mut self.old, young);
            self.dropped.push(old.into_iter());
            self.old_bytes = std::mem::take(&mut self.young_bytes);
        }
        self.young_bytes += bytes;
        if let Some((_, before)) = self.young.insert(key, (value, bytes)) {
            self.young_bytes = self.young_bytes.saturating_sub(before);
        }
        self.part.tell(self.young_bytes + self.old_bytes);
        dropped
    }

    /// Notes that values have grown by so many bytes since they were added.
    pub(crate) fn grow(&mut self, bytes: usize) {
        self.young_bytes = self.young_bytes.saturating_add(bytes);
    }

    /// Some of what is to be dropped: what takes as much room as so many bytes.
    fn drop_some(&mut self, bytes: usize) -> Dropped<K, V> {
        let (mut dropped, mut sum) = (Dropped::new(), 0);
        while let Some(rest) = self.dropped.last_mut() {
            let Some(entry) = rest.next() else {
                self.dropped.pop();
                continue;
            };
            sum += entry.1.1;
            dropped.push(entry);
            let count = dropped.len();
            if count >= DROPPED_AT_MOST || (count >= DROPPED_AT_ONCE && sum >= bytes) {
                break;
            }
        }
        dropped
    }
}

impl<K: Send + 'static, V: Send + 'static> Bounded<K, V> {
    /// All that is kept, to be dropped a little at a time.
    pub(crate) fn dismantle(self) -> impl Iterator<Item = ()> + Send {
        let dropped = self.dropped.into_iter().flatten();
        dropped.chain(self.old).chain(self.young).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_kept_by_what_was_asked_for_last() {
        let mut map = Bounded::new(200);
        for key in 0..1000 {
            map.insert(key, key, 10);
            assert_eq!(map.get(&0), Some(&0), "asked for all the time");
            let kept = (0..=key).filter(|key| map.peek(key).is_some()).count();
            assert!(kept <= 20, "{kept} values of 10 bytes");
            assert!(key < 10 || kept >= 10, "hardly any are left");
        }
        assert_eq!(map.peek(&500), None);
        assert_eq!(map.peek(&999), Some(&999));
    }

    #[test]
    fn what_is_dropped_is_dropped_soon() {
        use std::sync::Arc;
        let value = Arc::new(());
        let mut map = Bounded::new(2000);
        let mut insert = |key, value: &Arc<()>| drop(map.insert(key, value.clone(), 10));
        (0..100).for_each(|key| insert(key, &value));
        let other = Arc::new(());
        (100..=200).for_each(|key| insert(key, &other));
        assert!(Arc::strong_count(&value) > 1, "not at once");
        (201..211).for_each(|key| insert(key, &other));
        assert_eq!(Arc::strong_count(&value), 1);
    }
}
