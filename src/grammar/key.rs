//! Canonical descriptions of rules, as they are written: words, with the rules met on the way.

use rustc_hash::FxHashMap;

use super::packed;
use crate::base::RuleId;

/// Writes the description of a rule, in words.
///
/// Rules are numbered in the order in which the description first meets them, so that it does
/// not depend on their ids, and recursion ends.
#[derive(Debug)]
pub(crate) struct KeyWriter<'a> {
    words: &'a mut Vec<u32>,
    met: &'a mut Met,
}

/// The rules that a description has met.
#[derive(Debug, Default)]
pub(super) struct Met {
    /// In the order of meeting them.
    pub(super) rules: Vec<RuleId>,
    numbers: FxHashMap<RuleId, u32>,
}

impl<'a> KeyWriter<'a> {
    pub(super) fn new(words: &'a mut Vec<u32>, met: &'a mut Met) -> Self {
        Self { words, met }
    }

    /// Writes one word.
    pub(crate) fn word(&mut self, word: u32) {
        self.words.push(word);
    }

    /// Writes a string of bytes, with its length.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.words.extend(packed::words(bytes));
    }

    /// Writes a called rule; its own description follows later.
    pub(crate) fn rule(&mut self, rule: RuleId) {
        let next = self.met.rules.len() as u32;
        let number = *self.met.numbers.entry(rule).or_insert(next);
        if number == next {
            self.met.rules.push(rule);
        }
        self.word(number);
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }
}
