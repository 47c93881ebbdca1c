//! Answers that are remembered, up to a number.

use std::borrow::Borrow;
use std::hash::Hash;
use std::sync::Mutex;

use rustc_hash::FxHashMap;

use crate::base::lock;

/// Answers by what was asked. Where there would be more than `MOST`, they are forgotten, and begun afresh.
#[derive(Debug)]
pub(super) struct Memo<K, V, const MOST: usize> {
    known: Mutex<FxHashMap<K, V>>,
}

impl<K, V, const MOST: usize> Default for Memo<K, V, MOST> {
    fn default() -> Self {
        Self {
            known: Mutex::default(),
        }
    }
}

impl<K: Eq + Hash, V: Clone, const MOST: usize> Memo<K, V, MOST> {
    /// The answer, if it is remembered.
    pub(super) fn get<Q: Eq + Hash + ?Sized>(&self, question: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        lock(&self.known).get(question).cloned()
    }

    /// Remembers an answer.
    pub(super) fn insert(&self, question: K, answer: V) {
        let mut known = lock(&self.known);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(question, answer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_remembered_up_to_a_number() {
        let memo: Memo<Box<str>, u32, 2> = Memo::default();
        memo.insert("a".into(), 1);
        memo.insert("b".into(), 2);
        assert_eq!((memo.get("a"), memo.get("b")), (Some(1), Some(2)));
        memo.insert("c".into(), 3);
        assert_eq!((memo.get("a"), memo.get("c")), (None, Some(3)));
    }
}
