//! Marks: conditions over what a rule has read before, resolved when its automaton is made.
//!
//! An automaton with marks becomes its product with the sets of marks that may be set: `*( <once
//! a> "a" / <once b> "b" )` has four states, one for each set.

use rustc_hash::FxHashMap;

use super::prose::MarkUse;
use crate::base::{LimitError, RuleId};
use crate::grammar::{Label, Nfa, NfaState};

/// How many marks a file may use.
pub(super) const MOST_MARKS: usize = 64;

/// The marks of a file. A use of a mark is a call to a rule that stands for it.
#[derive(Debug, Default)]
pub(super) struct Marks {
    names: Vec<String>,
    uses: FxHashMap<RuleId, (MarkUse, u64)>,
}

impl Marks {
    /// Lets calls to `rule` mean this use of the mark `name`; `None` where there are too many marks.
    pub(super) fn add(&mut self, rule: RuleId, mark_use: MarkUse, name: &str) -> Option<()> {
        let known = self.names.iter().position(|known| known == name);
        let index = known.unwrap_or(self.names.len());
        if index == MOST_MARKS {
            return None;
        }
        if known.is_none() {
            self.names.push(name.to_owned());
        }
        self.uses.insert(rule, (mark_use, 1 << index));
        Some(())
    }

    /// The automaton without marks that reads what `nfa` reads where they pass; `None` where `nfa`
    /// has none.
    ///
    /// # Errors
    /// An automaton of more than `most` states: marks that may be set in any order double them one by one.
    pub(super) fn resolve(&self, nfa: &Nfa, most: usize) -> Result<Option<Nfa>, LimitError> {
        let matter = self.matter(nfa);
        if matter[0] == 0 {
            return Ok(None);
        }
        let mut resolved = Nfa::new();
        let mut states: FxHashMap<(u32, u64), NfaState> = FxHashMap::default();
        states.insert((0, 0), resolved.start());
        let mut open = vec![(0u32, 0u64)];
        while let Some((at, set)) = open.pop() {
            LimitError::check("states of a rule with marks", states.len(), most)?;
            let from = states[&(at, set)];
            let node = &nfa.nodes[at as usize];
            resolved.nodes[from.index()].exit.clone_from(&node.exit);
            for (label, to) in &node.edges {
                let Some((label, set)) = self.pass(label, set) else {
                    continue;
                };
                let key = (to.get(), set & matter[to.index()]);
                let to = *states.entry(key).or_insert_with(|| {
                    open.push(key);
                    resolved.state()
                });
                resolved.nodes[from.index()].edges.push((label, to));
            }
        }
        Ok(Some(resolved))
    }

    /// The label of an edge without marks, and the marks set behind it; `None` where it is closed.
    fn pass(&self, label: &Label, set: u64) -> Option<(Label, u64)> {
        let Some((mark_use, mark)) = self.used_by(label) else {
            return Some((label.clone(), set));
        };
        let (open, after) = match mark_use {
            MarkUse::Once => (set & mark == 0, set | mark),
            MarkUse::After => (set & mark != 0, set),
            MarkUse::Before => (set & mark == 0, set),
        };
        open.then_some((Label::Empty, after))
    }

    fn used_by(&self, label: &Label) -> Option<(MarkUse, u64)> {
        match label {
            Label::Call(rule) => self.uses.get(rule).copied(),
            _ => None,
        }
    }

    /// For each state, the marks that are asked about on some way on.
    fn matter(&self, nfa: &Nfa) -> Vec<u64> {
        let mut matter = vec![0; nfa.nodes.len()];
        loop {
            let mut changed = false;
            for (at, node) in nfa.nodes.iter().enumerate().rev() {
                let mut here = matter[at];
                for (label, to) in &node.edges {
                    here |= matter[to.index()] | self.used_by(label).map_or(0, |(_, mark)| mark);
                }
                changed |= here != matter[at];
                matter[at] = here;
            }
            if !changed {
                return matter;
            }
        }
    }
}
