//! Languages whose texts nest in parentheses: an automaton for one level, and a stack.

use smallvec::SmallVec;

use super::dfa::{Dfa, StateId};
use crate::base::{LimitError, Limits};

/// What makes an automaton one level of texts that nest.
///
/// Where the automaton reads U+0000, which is then no character of the language, a text has any
/// text of the language and a `)`. The automaton goes on after it in one of at most two states, so a
/// bit for each level tells what is open.
#[derive(Clone, Debug)]
pub(crate) struct Nesting {
    /// Where a level goes on after a group.
    returns: SmallVec<[StateId; 2]>,
    /// Per state, whether the level can end without another group.
    flat: Box<[bool]>,
}

/// Where one is in a text that nests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) state: StateId,
    /// A one, then for each open group, the innermost last, which of the returns it has.
    pub(crate) open: u32,
}

/// The byte that stands for the body of a group and its `)`.
const BODY: u8 = 0;
/// Nothing is open.
pub(crate) const OUTERMOST: u32 = 1;
/// So many groups are open that there may be no more.
const FULL: u32 = 1 << 31;

impl Nesting {
    /// The nesting of `dfa`, one level.
    pub(crate) fn of(dfa: &Dfa) -> Self {
        let mut returns: SmallVec<[StateId; 2]> = SmallVec::new();
        let mut flat: Box<[bool]> = dfa.states().map(|state| dfa.is_accepting(state)).collect();
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for state in dfa.states() {
                for (lo, _, to) in dfa.ranges(state) {
                    if lo == BODY && !returns.contains(&to) {
                        returns.push(to);
                    }
                    if lo != BODY && flat[to.index()] && !flat[state.index()] {
                        flat[state.index()] = true;
                        changed = true;
                    }
                }
            }
        }
        debug_assert!(returns.len() <= 2, "a bit tells returns apart");
        Self { returns, flat }
    }

    /// The texts of `other` that are in the language of `level`, where none of `other` can have a group;
    /// `None` where some can.
    pub(crate) fn intersect_flat(
        level: &Dfa,
        other: &Dfa,
        limits: &Limits,
    ) -> Result<Option<Dfa>, LimitError> {
        // Each group ends so.
        let flat = Dfa::text_without(&[b")"], limits)?;
        if !other.is_subset(&flat, limits)? {
            return Ok(None);
        }
        let bodiless = Dfa::text_without(&[&[BODY]], limits)?;
        let both = level.intersect(other, limits)?;
        both.intersect(&bodiless, limits).map(Some)
    }

    /// The bytes that lead on from `place`, as ranges with both ends included, in no order.
    pub(crate) fn visit(&self, dfa: &Dfa, place: Place, visit: &mut dyn FnMut(u8, u8, Place)) {
        let Place { state, open } = place;
        for (lo, hi, to) in dfa.ranges(state) {
            let full = open >= FULL;
            if lo != BODY && (!full || self.flat[to.index()]) {
                visit(lo, hi, Place { state: to, open });
            } else if lo == BODY && !full {
                let back = self.returns.iter().position(|&state| state == to);
                let open = open << 1 | back.expect("all returns are known") as u32;
                let state = dfa.start();
                self.visit(dfa, Place { state, open }, visit);
            }
        }
        if dfa.is_accepting(state) && open > OUTERMOST {
            let state = self.returns[open as usize & 1];
            let open = open >> 1;
            visit(b')', b')', Place { state, open });
        }
    }

    /// The place after `bytes`; `None` where they lead nowhere.
    pub(crate) fn run(&self, dfa: &Dfa, place: Place, bytes: &[u8]) -> Option<Place> {
        bytes.iter().try_fold(place, |place, &byte| {
            let mut next = None;
            self.visit(dfa, place, &mut |lo, hi, to| {
                if (lo..=hi).contains(&byte) {
                    next = Some(to);
                }
            });
            next
        })
    }

    /// Whether `text` is in the language.
    pub(crate) fn contains(&self, dfa: &Dfa, text: &str) -> bool {
        let start = Place {
            state: dfa.start(),
            open: OUTERMOST,
        };
        let end = self.run(dfa, start, text.as_bytes());
        end.is_some_and(|end| end.open == OUTERMOST && dfa.is_accepting(end.state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_nest_and_tell_how_they_began() {
        // After `<…)` there must be a `!`.
        let level = Dfa::regex_full(r"(?:a|\(\0|<\0!)*", &Limits::default()).unwrap();
        let nesting = Nesting::of(&level);
        let deep = |depth: usize| "(".repeat(depth) + &")".repeat(depth);
        for text in ["", "a", "()", "a(a(<a)!)a)", "<(<)!))!", &deep(31)] {
            assert!(nesting.contains(&level, text), "{text}");
        }
        for text in [
            "(",
            ")",
            "(()",
            "())",
            "<)",
            "(<)!",
            "<()!)",
            "\0",
            "(a\0",
            &deep(32),
        ] {
            assert!(!nesting.contains(&level, text), "{text}");
        }
    }

    #[test]
    fn what_has_no_group_is_flat() {
        let limits = Limits::default();
        let of = |pattern| Dfa::regex_full(pattern, &limits).unwrap();
        let level = of(r"(?:[ab]|\(\0)*");
        let flat = |other| Nesting::intersect_flat(&level, &of(other), &limits).unwrap();
        assert_eq!(flat("a[^)]*|c"), Some(of("a[ab]*")));
        assert_eq!(flat(r"a\0?b|\(\0?"), Some(of("ab")));
        assert_eq!(flat("[^]*"), None);
        assert_eq!(flat("[^b]{0,3}"), None);
    }
}
