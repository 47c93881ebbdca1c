//! Deterministic automata over the classes of an alphabet.

use super::super::minimise::{Transition, equivalence};

/// The state from which nothing is accepted.
pub(super) const DEAD: u32 = u32::MAX;

/// A table of the state after each state and class, partial: [`DEAD`] where there is none.
#[derive(Debug)]
pub(super) struct Table {
    classes: u32,
    next: Vec<u32>,
    accepting: Vec<bool>,
    pub(super) starts: Vec<u32>,
    universal: Option<u32>,
}

impl Table {
    pub(super) fn new(classes: u32) -> Self {
        Self {
            classes,
            next: Vec::new(),
            accepting: Vec::new(),
            starts: Vec::new(),
            universal: None,
        }
    }

    /// The number of states.
    pub(super) fn len(&self) -> usize {
        self.accepting.len()
    }

    /// Adds a state with its row.
    pub(super) fn push(&mut self, accepting: bool, row: &[u32]) {
        self.next.extend(row);
        self.accepting.push(accepting);
    }

    /// The state after each class.
    pub(super) fn row(&self, state: u32) -> &[u32] {
        &self.next[state as usize * self.classes as usize..][..self.classes as usize]
    }

    pub(super) fn next(&self, state: u32, class: u32) -> u32 {
        if state == DEAD {
            DEAD
        } else {
            self.row(state)[class as usize]
        }
    }

    pub(super) fn accepts(&self, state: u32) -> bool {
        state != DEAD && self.accepting[state as usize]
    }

    /// The state from which everything is accepted. Known after [`Table::minimise`].
    pub(super) fn universal(&self) -> Option<u32> {
        self.universal
    }

    /// Merges the states that accept the same, and those that accept nothing into [`DEAD`].
    pub(super) fn minimise(&mut self) {
        let live = self.live();
        let old = std::mem::replace(self, Self::new(self.classes));
        // The numbers of the live states among themselves.
        let mut number = vec![DEAD; old.len()];
        let states: Vec<u32> = (0..old.len() as u32)
            .filter(|&s| live[s as usize])
            .collect();
        for (new, &state) in (0..).zip(&states) {
            number[state as usize] = new;
        }
        let renumber = |state: u32| {
            if state == DEAD {
                DEAD
            } else {
                number[state as usize]
            }
        };
        let mut transitions = Vec::new();
        for (tail, &state) in (0..).zip(&states) {
            let heads = (0..)
                .zip(old.row(state))
                .map(|(label, &head)| (label, renumber(head)));
            transitions.extend(
                heads
                    .filter(|&(_, head)| head != DEAD)
                    .map(|(label, head)| Transition { tail, label, head }),
            );
        }
        let accepting: Vec<bool> = states.iter().map(|&s| old.accepting[s as usize]).collect();
        let block_of = equivalence(&accepting, self.classes, &transitions);
        // Blocks are numbered as their first states come.
        let mut order = vec![DEAD; states.len()];
        let mut first = Vec::new();
        for (state, &block) in block_of.iter().enumerate() {
            if order[block as usize] == DEAD {
                order[block as usize] = first.len() as u32;
                first.push(states[state]);
            }
        }
        let merged = |state: u32| match renumber(state) {
            DEAD => DEAD,
            state => order[block_of[state as usize] as usize],
        };
        for &state in &first {
            let row: Vec<u32> = old.row(state).iter().map(|&next| merged(next)).collect();
            self.push(old.accepting[state as usize], &row);
        }
        self.starts = old.starts.iter().map(|&state| merged(state)).collect();
        self.universal = (0..self.len() as u32)
            .find(|&s| self.accepts(s) && self.row(s).iter().all(|&next| next == s));
    }

    /// The states from which something is accepted.
    fn live(&self) -> Vec<bool> {
        let mut into = vec![Vec::new(); self.len()];
        for state in 0..self.len() as u32 {
            for &next in self.row(state).iter().filter(|&&next| next != DEAD) {
                if into[next as usize].last() != Some(&state) {
                    into[next as usize].push(state);
                }
            }
        }
        let mut live = self.accepting.clone();
        let mut pending: Vec<u32> = (0..self.len() as u32)
            .filter(|&s| live[s as usize])
            .collect();
        while let Some(state) = pending.pop() {
            for &source in &into[state as usize] {
                if !std::mem::replace(&mut live[source as usize], true) {
                    pending.push(source);
                }
            }
        }
        live
    }
}
