//! States from which every text can go on.

use super::dfa::{Dfa, StateId};

impl Dfa {
    /// Which states every UTF-8 text leads on from, through live states only: those of a language
    /// that asks for something to occur somewhere. The automaton is one over UTF-8.
    pub fn total(&self) -> Box<[bool]> {
        let text = Self::utf8_text();
        let mut total: Vec<bool> = self.states().map(|state| self.is_live(state)).collect();
        loop {
            let fails = |&state: &StateId| {
                total[state.index()] && !self.covers(&text, text.start(), state, &total)
            };
            let failing: Vec<StateId> = self.states().filter(fails).collect();
            if failing.is_empty() {
                return total.into();
            }
            failing
                .iter()
                .for_each(|state| total[state.index()] = false);
        }
    }

    /// Whether the rest of a character, as `text` has it from `at` on, leads from `state` to states
    /// of `total`.
    fn covers(&self, text: &Self, at: StateId, state: StateId, total: &[bool]) -> bool {
        text.ranges(at).all(|(lo, hi, after)| {
            let mut next = u16::from(lo);
            for (from, to, target) in self.ranges(state) {
                let reaches = (u16::from(from)..=u16::from(to)).contains(&next);
                if next > u16::from(hi) || !reaches {
                    continue;
                }
                let goes = match after == text.start() {
                    true => total[target.index()],
                    false => self.covers(text, after, target, total),
                };
                if !goes {
                    return false;
                }
                next = u16::from(to) + 1;
            }
            next > u16::from(hi)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Limits;

    fn start_is_total(pattern: &str) -> bool {
        let dfa = Dfa::pattern(pattern, &Limits::default()).unwrap();
        dfa.total()[dfa.start().index()]
    }

    #[test]
    fn what_may_occur_anywhere_is_total() {
        for pattern in ["a", "[0-9]{3}-", "^a|b$", "", "é$"] {
            assert!(start_is_total(pattern), "{pattern}");
        }
        for pattern in ["^a", "^[^b]*$", "^(?!x)", "^\\S+$"] {
            assert!(!start_is_total(pattern), "{pattern}");
        }
    }
}
