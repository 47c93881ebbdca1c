//! Languages of texts, each told by an automaton or by more than one.

use std::sync::Arc;

use super::dfa::Dfa;
use super::nesting::{Nesting, OUTERMOST, Place};
use super::pattern::Counted;

/// A language of texts, read byte by byte.
#[derive(Clone, Debug)]
pub(crate) enum Texts {
    /// What an automaton accepts.
    Flat(Arc<Dfa>),
    /// Texts that nest.
    Nested(Arc<Nesting>),
    /// Texts that are counted.
    Counted(Arc<Counted>),
}

impl Texts {
    /// Where texts begin.
    pub(crate) fn start(&self) -> Place {
        match self {
            Self::Flat(dfa) => Place {
                state: dfa.start(),
                open: OUTERMOST,
            },
            Self::Nested(nesting) => nesting.start(),
            Self::Counted(counted) => counted.start(),
        }
    }

    /// The automaton, where that says all.
    pub(crate) fn flat(&self) -> Option<&Arc<Dfa>> {
        match self {
            Self::Flat(dfa) => Some(dfa),
            Self::Nested(_) | Self::Counted(_) => None,
        }
    }

    /// Whether a text can be completed from `place`.
    pub(crate) fn is_live(&self, place: Place) -> bool {
        match self {
            Self::Flat(dfa) => dfa.is_live(place.state),
            Self::Nested(nesting) => nesting.rest(place).is_some(),
            Self::Counted(_) => true,
        }
    }

    /// Whether `place` lies within a character of several bytes.
    pub(crate) fn is_inside(&self, place: Place) -> bool {
        match self {
            Self::Flat(dfa) => {
                let first = dfa.ranges(place.state).next();
                let continues = first.is_some_and(|(lo, ..)| (0x80..0xC0).contains(&lo));
                continues && !dfa.is_accepting(place.state)
            }
            Self::Nested(nesting) => nesting.is_inside(place),
            Self::Counted(counted) => counted.is_inside(place),
        }
    }

    /// Whether a text may end at `place`.
    pub(crate) fn ends(&self, place: Place) -> bool {
        match self {
            Self::Flat(dfa) => dfa.is_accepting(place.state),
            Self::Nested(nesting) => nesting.ends(place),
            Self::Counted(counted) => counted.ends(place),
        }
    }

    /// The bytes that lead on from `place`, as ranges with both ends included.
    pub(crate) fn visit(&self, place: Place, visit: &mut dyn FnMut(u8, u8, Place)) {
        match self {
            Self::Flat(dfa) => {
                for (lo, hi, state) in dfa.ranges(place.state) {
                    visit(lo, hi, Place { state, ..place });
                }
            }
            Self::Nested(nesting) => nesting.visit(place, visit),
            Self::Counted(counted) => counted.visit(place, visit),
        }
    }

    /// The place after `bytes`; `None` where they lead nowhere.
    pub(crate) fn run(&self, place: Place, bytes: &[u8]) -> Option<Place> {
        match self {
            Self::Flat(dfa) => {
                let state = dfa.run(place.state, bytes);
                Some(Place { state, ..place })
            }
            Self::Nested(nesting) => nesting.run(place, bytes),
            Self::Counted(counted) => counted.run(place, bytes),
        }
    }
}
