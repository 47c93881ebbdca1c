//! A map within a budget of bytes. Over it, what was not asked for lately is dropped, a little at a time.

use std::collections::hash_map::IntoIter;
use std::hash::Hash;

use rustc_hash::FxHashMap;

/// So many values are dropped with each one that is added: faster than they come, and no call pays for all of them.
const DROPPED_AT_ONCE: usize = 16;

/// Values with the bytes that each takes.
type Values<K, V> = FxHashMap<K, (V, usize)>;

/// Values by key, within a budget.
///
/// New values join the young ones. When these fill half of the budget they become the old ones, and the old ones before
/// them are dropped. A value that is asked for again while it is old is young once more.
#[derive(Debug)]
pub(crate) struct Bounded<K, V> {
    young: Values<K, V>,
    old: Values<K, V>,
    dropped: Option<IntoIter<K, (V, usize)>>,
    young_bytes: usize,
    most_bytes: usize,
}

impl<K, V> Bounded<K, V> {
    /// An empty map that keeps at most about `most_bytes`.
    pub(crate) fn new(most_bytes: usize) -> Self {
        Self {
            young: Values::default(),
            old: Values::default(),
            dropped: None,
            young_bytes: 0,
            most_bytes,
        }
    }
}

impl<K: Eq + Hash, V> Bounded<K, V> {
    /// The value of `key`; it is young from now on.
    pub(crate) fn get(&mut self, key: &K) -> Option<&V> {
        if let Some((key, (value, bytes))) = self.old.remove_entry(key) {
            self.insert(key, value, bytes);
        }
        self.peek(key)
    }

    /// The value of `key`.
    pub(crate) fn peek(&self, key: &K) -> Option<&V> {
        let found = self.young.get(key).or_else(|| self.old.get(key));
        found.map(|(value, _)| value)
    }

    /// Gives `key` a value that takes so many bytes.
    pub(crate) fn insert(&mut self, key: K, value: V, bytes: usize) {
        if let Some(dropped) = &mut self.dropped
            && dropped.by_ref().take(DROPPED_AT_ONCE).count() < DROPPED_AT_ONCE
        {
            self.dropped = None;
        }
        if self.young_bytes.saturating_add(bytes) > self.most_bytes / 2 {
            let young = std::mem::take(&mut self.young);
            let old = std::mem::replace(&mut self.old, young);
            self.dropped = Some(old.into_iter());
            self.young_bytes = 0;
        }
        self.young_bytes += bytes;
        self.young.insert(key, (value, bytes));
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
        (0..100).for_each(|key| map.insert(key, value.clone(), 10));
        let other = Arc::new(());
        (100..=200).for_each(|key| map.insert(key, other.clone(), 10));
        assert!(Arc::strong_count(&value) > 1, "not at once");
        (201..211).for_each(|key| map.insert(key, other.clone(), 10));
        assert_eq!(Arc::strong_count(&value), 1);
    }
}
