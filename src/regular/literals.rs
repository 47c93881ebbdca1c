//! Automata of finite sets of strings, and of the texts that contain none of them.

use std::collections::{BTreeMap, VecDeque};

use rustc_hash::FxHashMap;

use crate::base::{LimitError, Limits};

use super::dfa::{Dfa, Edge};
use super::draft::{Draft, push_edge};

/// What a byte of a literal costs: a state for it, hashed and interned.
const STEPS_PER_BYTE: usize = 16;

impl Dfa {
    /// The language of exactly these strings.
    ///
    /// # Errors
    ///
    /// Where the automaton needs more states than [`Limits::automaton_states`].
    pub fn literals<'a>(
        literals: impl IntoIterator<Item = &'a [u8]>,
        limits: &Limits,
    ) -> Result<Dfa, LimitError> {
        let mut sorted: Vec<&[u8]> = literals.into_iter().collect();
        sorted.sort_unstable();
        sorted.dedup();
        let mut builder = SharedTrie::default();
        for literal in sorted {
            limits.charge(STEPS_PER_BYTE * (literal.len() + 1))?;
            builder.insert(literal);
            let states = builder.rows.len() + builder.path.len();
            LimitError::check(
                "states of a set of literals",
                states,
                limits.automaton_states,
            )?;
        }
        Ok(builder.finish())
    }

    /// The texts (valid UTF-8) that contain none of `needles` as a substring.
    ///
    /// # Errors
    ///
    /// Where the needles have more bytes than [`Limits::automaton_states`], or the automaton needs
    /// more states.
    pub fn text_without(needles: &[&[u8]], limits: &Limits) -> Result<Dfa, LimitError> {
        let bytes = needles.iter().map(|n| n.len() + 1).sum();
        LimitError::check("bytes of excluded strings", bytes, limits.automaton_states)?;
        limits.charge(STEPS_PER_BYTE * bytes)?;
        Dfa::utf8_text().intersect(&strings_without(needles), limits)
    }
}

/// The minimal automaton of strings that come in ascending order (Daciuk et al., "Incremental
/// construction of minimal acyclic finite-state automata", 2000): states whose row is complete are
/// shared, the path of the last string is still open.
#[derive(Default)]
struct SharedTrie {
    numbers: FxHashMap<(bool, Vec<Edge>), u32>,
    rows: Vec<(bool, Vec<Edge>)>,
    /// The open states: the byte that leads to each (none for the first), and its row so far.
    path: Vec<(u8, bool, Vec<Edge>)>,
}

impl SharedTrie {
    fn insert(&mut self, string: &[u8]) {
        if self.path.is_empty() {
            self.path.push((0, false, Vec::new()));
        }
        let open = self.path[1..].iter().map(|node| node.0);
        let shared = open.zip(string).take_while(|(a, b)| a == *b).count();
        self.close(shared + 1);
        self.path.extend(
            string[shared..]
                .iter()
                .map(|&byte| (byte, false, Vec::new())),
        );
        if let Some(last) = self.path.last_mut() {
            last.1 = true;
        }
    }

    /// Completes the open states from depth `keep` on.
    fn close(&mut self, keep: usize) {
        while self.path.len() > keep {
            let Some((byte, accepting, row)) = self.path.pop() else {
                return;
            };
            let target = self.intern(accepting, row);
            if let Some((_, _, row)) = self.path.last_mut() {
                push_edge(
                    row,
                    0,
                    Edge {
                        lo: byte,
                        hi: byte,
                        target,
                    },
                );
            }
        }
    }

    fn intern(&mut self, accepting: bool, row: Vec<Edge>) -> u32 {
        let rows = &mut self.rows;
        *self
            .numbers
            .entry((accepting, row))
            .or_insert_with_key(|key| {
                rows.push(key.clone());
                rows.len() as u32
            })
    }

    fn finish(mut self) -> Dfa {
        self.close(1);
        let start = match self.path.pop() {
            Some((_, accepting, row)) => self.intern(accepting, row),
            None => 0,
        };
        let mut draft = Draft::new();
        for (accepting, row) in self.rows {
            draft.push_row(accepting, row);
        }
        draft.assume_minimal(start)
    }
}

/// The byte strings that contain none of `needles` (Aho and Corasick's automaton, 1975, in which
/// the states where a needle has been found are dead).
fn strings_without(needles: &[&[u8]]) -> Dfa {
    let mut search = Search::new();
    needles.iter().for_each(|needle| search.insert(needle));
    search.link();
    let mut draft = Draft::new();
    for (targets, &found) in search.targets.iter().zip(&search.found) {
        draft.push_row(!found, if found { Vec::new() } else { row(targets) });
    }
    draft.minimise(1)
}

/// What has been found of some needles. States are the beginnings of needles; the root is 0.
struct Search {
    /// By state where each byte leads; those that are not named lead to the root.
    targets: Vec<BTreeMap<u8, u32>>,
    /// By state whether a needle has been found there.
    found: Vec<bool>,
}

impl Search {
    fn new() -> Self {
        Self {
            targets: vec![BTreeMap::new()],
            found: vec![false],
        }
    }

    fn insert(&mut self, needle: &[u8]) {
        let mut at = 0;
        for &byte in needle {
            let new = self.targets.len() as u32;
            at = *self.targets[at as usize].entry(byte).or_insert(new);
            if at == new {
                self.targets.push(BTreeMap::new());
                self.found.push(false);
            }
        }
        self.found[at as usize] = true;
    }

    /// Makes of the tree an automaton: to each state's targets come those of its longest proper suffix.
    /// Breadth-first, so the suffix's are complete.
    fn link(&mut self) {
        let mut suffix = vec![0u32; self.targets.len()];
        let mut queue = VecDeque::from([0u32]);
        while let Some(state) = queue.pop_front() {
            let (state, behind) = (state as usize, suffix[state as usize] as usize);
            let own = std::mem::take(&mut self.targets[state]);
            let mut all = match state {
                0 => BTreeMap::new(),
                _ => self.targets[behind].clone(),
            };
            self.found[state] |= self.found[behind];
            for (&byte, &child) in &own {
                suffix[child as usize] = all.get(&byte).copied().unwrap_or(0);
                queue.push_back(child);
            }
            all.extend(own);
            self.targets[state] = all;
        }
    }
}

/// The edges of a state that leads to `targets`, else to the root, where a draft's state 0 is dead.
fn row(targets: &BTreeMap<u8, u32>) -> Vec<Edge> {
    const ROOT: u32 = 1;
    let edge = |lo, hi, target| Edge { lo, hi, target };
    let mut row = Vec::new();
    let mut from = 0u16;
    for (&byte, &child) in targets {
        if from < u16::from(byte) {
            row.push(edge(from as u8, byte - 1, ROOT));
        }
        row.push(edge(byte, byte, ROOT + child));
        from = u16::from(byte) + 1;
    }
    if from < 256 {
        row.push(edge(from as u8, 255, ROOT));
    }
    row
}
