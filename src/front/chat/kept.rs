//! The automata of a format's texts: requests that have the same control tokens share them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use crate::grammar::SharedBody;

/// More are not kept: a format has few texts, and its requests few sets of control tokens.
const MOST: usize = 64;

/// The bodies of texts, by prose-val, for each set of control tokens.
///
/// PERF: requests without tools compile in a third (ChatML: 0.42 to 0.13 ms), a tenth (OpenChatML 2.2: 9.8 to 0.98 ms) or
/// less of the time, dev profile, medians of 31 beside the build before: `cargo bench --bench formats`.
#[derive(Debug, Default)]
pub(super) struct KeptTexts {
    known: Mutex<FxHashMap<(String, Vec<String>), SharedBody>>,
}

impl KeptTexts {
    /// The body of `<prose>` where the control tokens are `controls`, if it is kept.
    pub(super) fn get(&self, prose: &str, controls: &[String]) -> Option<SharedBody> {
        let known = self.known();
        known.get(&key(prose, controls)).cloned()
    }

    /// Keeps the body of `<prose>` where the control tokens are `controls`.
    pub(super) fn keep(&self, prose: &str, controls: &[String], body: SharedBody) {
        let mut known = self.known();
        if known.len() == MOST {
            known.clear();
        }
        known.insert(key(prose, controls), body);
    }

    fn known(&self) -> MutexGuard<'_, FxHashMap<(String, Vec<String>), SharedBody>> {
        // Entries are whole before they are in the map.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(prose: &str, controls: &[String]) -> (String, Vec<String>) {
    (prose.to_owned(), controls.to_vec())
}
