//! Trees to nondeterministic automata over the classes of an alphabet (Thompson's construction).

use super::ast::{Assertion, Look, Node};

/// A state; the numbers are those of other states.
#[derive(Clone, Copy, Debug)]
pub(super) enum State {
    /// Take a code point of a set, go to `next`.
    Set { set: u32, next: u32 },
    /// Go to either.
    Split(u32, u32),
    /// Go on if this holds here.
    Assert { assertion: Assertion, next: u32 },
    /// Go on, with an obligation on the rest of the text.
    Look { look: Look, next: u32 },
    /// Go on if the text so far ends, or does not end, as this asks.
    Behind { look: Look, next: u32 },
    /// The body of a look-behind has matched.
    Held,
    /// The text must end here.
    MatchEnd,
    /// The text may go on in any way.
    MatchAny,
}

#[derive(Debug, Default)]
pub(super) struct Nfa {
    pub(super) states: Vec<State>,
}

impl Nfa {
    /// Adds a state.
    pub(super) fn push(&mut self, state: State) -> u32 {
        self.states.push(state);
        self.states.len() as u32 - 1
    }

    /// Whether an assertion asks for word characters.
    pub(super) fn has_word_boundary(&self) -> bool {
        let asks = |assertion| {
            matches!(
                assertion,
                Assertion::WordBoundary | Assertion::NoWordBoundary
            )
        };
        self.states
            .iter()
            .any(|s| matches!(s, State::Assert { assertion, .. } if asks(*assertion)))
    }

    /// Per state, whether a state that is `sought` is met from it on, itself included.
    pub(super) fn leads_to(&self, sought: impl Fn(&State) -> bool) -> Vec<bool> {
        let mut leads: Vec<bool> = self.states.iter().map(sought).collect();
        // States mostly come after those they lead to: only loops need another round.
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (number, state) in self.states.iter().enumerate() {
                let found = match *state {
                    State::Set { next, .. }
                    | State::Assert { next, .. }
                    | State::Look { next, .. }
                    | State::Behind { next, .. } => leads[next as usize],
                    State::Split(left, right) => leads[left as usize] || leads[right as usize],
                    State::Held | State::MatchEnd | State::MatchAny => false,
                };
                changed |= found && !leads[number];
                leads[number] |= found;
            }
        }
        leads
    }

    /// A state from which any text of `set` may be skipped before `next`.
    pub(super) fn skip(&mut self, set: u32, next: u32) -> u32 {
        let split = self.push(State::Split(next, next));
        let again = self.push(State::Set { set, next: split });
        self.states[split as usize] = State::Split(again, next);
        split
    }

    /// Adds the states of `node`, followed by `next`; returns where it begins.
    pub(super) fn add(&mut self, node: &Node, next: u32) -> u32 {
        match node {
            Node::Empty => next,
            Node::Set(set) => self.push(State::Set { set: *set, next }),
            Node::Assert(assertion) => self.push(State::Assert {
                assertion: *assertion,
                next,
            }),
            Node::Look(look) => self.push(State::Look { look: *look, next }),
            Node::Behind(look) => self.push(State::Behind { look: *look, next }),
            Node::Concat(parts) => parts
                .iter()
                .rev()
                .fold(next, |next, part| self.add(part, next)),
            Node::Alternation(branches) => {
                let mut begin = None;
                for branch in branches.iter().rev() {
                    let branch = self.add(branch, next);
                    begin =
                        Some(begin.map_or(branch, |rest| self.push(State::Split(branch, rest))));
                }
                begin.unwrap_or(next)
            }
            Node::Repeat { body, min, max } => self.add_repeat(body, *min, *max, next),
            Node::Atomic(atomic) => self.add(&atomic.body, next),
        }
    }

    fn add_repeat(&mut self, body: &Node, min: u32, max: Option<u32>, next: u32) -> u32 {
        let mut begin = next;
        let mut required = min;
        match max {
            Some(max) => {
                for _ in min..max {
                    let once = self.add(body, begin);
                    // Leaving goes straight to the end, past the copies that are left.
                    begin = self.push(State::Split(once, next));
                }
            }
            None => {
                let split = self.push(State::Split(next, next));
                let again = self.add(body, split);
                self.states[split as usize] = State::Split(again, next);
                // The loop's body serves as one of the copies.
                begin = if min > 0 { again } else { split };
                required = min.saturating_sub(1);
            }
        }
        (0..required).fold(begin, |begin, _| self.add(body, begin))
    }
}
