//! Paths through an automaton under construction: between two of its states, step by step.

use regex_syntax::utf8::Utf8Sequences;
use smallvec::{SmallVec, smallvec};

use crate::base::ControlId;
use crate::front::abnf::ast::Unit;
use crate::grammar::{Nfa, NfaState};

/// An automaton under construction, between two of its states, and which of the fillings that go
/// together is in force.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) from: NfaState,
    pub(super) to: NfaState,
    pub(super) index: Option<usize>,
}

impl Place {
    pub(super) fn between(self, from: NfaState, to: NfaState) -> Self {
        Self { from, to, ..self }
    }
}

/// One step of a path: any of some byte ranges, or a control token.
pub(super) enum Step {
    Bytes(SmallVec<[(u8, u8); 2]>),
    Control(ControlId),
}

pub(super) fn byte_step(lo: u8, hi: u8) -> Step {
    Step::Bytes(smallvec![(lo, hi)])
}

/// How one number is spelt.
pub(super) fn spell(value: u32, unit: Unit) -> SmallVec<[Step; 4]> {
    match (unit, char::from_u32(value)) {
        (Unit::CodePoint, Some(character)) => {
            let mut buffer = [0; 4];
            character
                .encode_utf8(&mut buffer)
                .bytes()
                .map(|b| byte_step(b, b))
                .collect()
        }
        _ => smallvec![byte_step(value as u8, value as u8)],
    }
}

/// Joins the two states of `place` by any number from `first` to `last`, surrogates left out.
pub(super) fn range(nfa: &mut Nfa, first: u32, last: u32, unit: Unit, place: Place) {
    match (unit, char::from_u32(first), char::from_u32(last)) {
        (Unit::CodePoint, Some(first), Some(last)) => {
            for sequence in Utf8Sequences::new(first, last) {
                let ranges = sequence.as_slice().iter();
                let steps: Vec<_> = ranges
                    .map(|range| byte_step(range.start, range.end))
                    .collect();
                path(nfa, &steps, place);
            }
        }
        _ => nfa.bytes(place.from, first as u8, last as u8, place.to),
    }
}

/// Joins the two states of `place` by `steps`.
pub(super) fn path(nfa: &mut Nfa, steps: &[Step], place: Place) {
    let Some((last, steps)) = steps.split_last() else {
        nfa.empty(place.from, place.to);
        return;
    };
    let mut from = place.from;
    for step in steps {
        let to = nfa.state();
        join(nfa, from, step, to);
        from = to;
    }
    join(nfa, from, last, place.to);
}

fn join(nfa: &mut Nfa, from: NfaState, step: &Step, to: NfaState) {
    match step {
        Step::Bytes(ranges) => {
            for &(lo, hi) in ranges {
                nfa.bytes(from, lo, hi, to);
            }
        }
        Step::Control(control) => nfa.control(from, *control, to),
    }
}
