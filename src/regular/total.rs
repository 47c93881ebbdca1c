//! States from which every text can go on.

use super::dfa::{Dfa, StateId};

impl Dfa {
    /// Which states every UTF-8 text leads on from, through live states only: those of a language
    /// that asks for something to occur somewhere. The automaton is one over UTF-8.
    pub fn total(&self) -> Box<[bool]> {
        let text = Self::utf8_text();
        let mut total = vec![true; self.len()];
        let (mut lost, mut behind) = (Vec::new(), Vec::new());
        let mut before: Vec<Vec<StateId>> = vec![Vec::new(); self.len()];
        for state in self.states() {
            behind.clear();
            if self.is_live(state) && self.covers(&text, text.start(), state, &mut behind) {
                behind.sort_unstable();
                behind.dedup();
                behind.iter().for_each(|to| before[to.index()].push(state));
            } else {
                lost.push(state);
            }
        }
        // Where one character leads to a state that some text does not go on from, neither does some text from here.
        while let Some(state) = lost.pop() {
            if std::mem::take(&mut total[state.index()]) {
                lost.append(&mut before[state.index()]);
            }
        }
        total.into()
    }

    /// Whether the rest of every character, as `text` has it from `at` on, can be read from `state`; adds the states
    /// `behind` them.
    fn covers(&self, text: &Self, at: StateId, state: StateId, behind: &mut Vec<StateId>) -> bool {
        text.ranges(at).all(|(lo, hi, after)| {
            let mut next = u16::from(lo);
            for (from, to, target) in self.ranges(state) {
                let reaches = (u16::from(from)..=u16::from(to)).contains(&next);
                if next > u16::from(hi) || !reaches {
                    continue;
                }
                if after == text.start() {
                    behind.push(target);
                } else if !self.covers(text, after, target, behind) {
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
        for pattern in ["a", "[0-9]{3}-", "^a|b$", "", "é$", "^(?s:.{0,9}x|.*y|.*)"] {
            assert!(start_is_total(pattern), "{pattern}");
        }
        for pattern in ["^a", "^[^b]*$", "^(?!x)", "^\\S+$", "^(?s:.{0,300})x?$"] {
            assert!(!start_is_total(pattern), "{pattern}");
        }
    }
}
