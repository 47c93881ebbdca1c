//! Pieces of an automaton under construction: texts, sets of characters and automata between two states.

use regex_syntax::hir::ClassUnicode;

use crate::grammar::{Nfa, NfaState};
use crate::regular::{Dfa, utf8};

/// Two states of an automaton under construction, to be joined.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) from: NfaState,
    pub(super) to: NfaState,
}

impl Place {
    pub(super) fn new(from: NfaState, to: NfaState) -> Self {
        Self { from, to }
    }
}

/// Joins the states by a text.
pub(super) fn text(nfa: &mut Nfa, text: &str, place: Place) {
    let Some((&last, bytes)) = text.as_bytes().split_last() else {
        nfa.empty(place.from, place.to);
        return;
    };
    let from = nfa.literal(place.from, bytes);
    nfa.bytes(from, last, last, place.to);
}

/// Joins the states by the characters of a set.
pub(super) fn set(nfa: &mut Nfa, set: &ClassUnicode, place: Place) {
    for range in set.iter() {
        for sequence in utf8::sequences(range.start(), range.end()) {
            let Some((&(lo, hi), before)) = sequence.split_last() else {
                continue;
            };
            let mut from = place.from;
            for &(lo, hi) in before {
                let to = nfa.state();
                nfa.bytes(from, lo, hi, to);
                from = to;
            }
            nfa.bytes(from, lo, hi, place.to);
        }
    }
}

/// Joins the states by the texts of an automaton.
pub(super) fn automaton(nfa: &mut Nfa, dfa: &Dfa, place: Place) {
    let states: Vec<NfaState> = dfa.states().map(|_| nfa.state()).collect();
    nfa.empty(place.from, states[dfa.start().index()]);
    for state in dfa.states() {
        let from = states[state.index()];
        for (lo, hi, to) in dfa.ranges(state) {
            nfa.bytes(from, lo, hi, states[to.index()]);
        }
        if dfa.is_accepting(state) {
            nfa.empty(from, place.to);
        }
    }
}
