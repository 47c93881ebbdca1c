//! Automata in the descriptions of rules.

use crate::grammar::KeyWriter;
use crate::regular::Dfa;

/// The most states that a description has.
const STATES: usize = 1 << 12;

/// Writes what tells an automaton from all others: equal ones are equal languages, since their states are
/// numbered in one order only. `false` where it is too large.
pub(super) fn describe(dfa: &Dfa, key: &mut KeyWriter<'_>) -> bool {
    if dfa.len() > STATES {
        return false;
    }
    key.word(dfa.len() as u32);
    key.word(dfa.start().get());
    for state in dfa.states() {
        let accepting = u32::from(dfa.is_accepting(state));
        key.word(accepting | (dfa.ranges(state).len() as u32) << 1);
        for (lo, hi, to) in dfa.ranges(state) {
            key.word(u32::from(lo) << 8 | u32::from(hi));
            key.word(to.get());
        }
    }
    true
}
