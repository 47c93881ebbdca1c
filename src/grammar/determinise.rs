//! From a written body to a deterministic one, by subset construction.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::nfa::Label;
use super::{Automaton, Call, Edge, Nfa, Node, ReturnTo, Words};
use crate::base::{LimitError, Limits};

/// Why a body cannot be determinised.
pub(super) enum DeterminiseError {
    Limit(LimitError),
    /// One text ends the rule with two different exits.
    Exits,
}

/// Determinises `nfa` over bytes, control tokens and calls, each call being a symbol of its own.
pub(super) fn determinise(nfa: &Nfa, limits: &Limits) -> Result<Automaton, DeterminiseError> {
    let mut subsets = Subsets {
        nfa,
        ids: FxHashMap::default(),
        sets: Vec::new(),
    };
    subsets.id(vec![0]);
    let mut nodes = Vec::new();
    while nodes.len() < subsets.sets.len() {
        let node = subsets.node(nodes.len())?;
        nodes.push(node);
        LimitError::check(
            "states of a rule body",
            subsets.sets.len(),
            limits.automaton_states,
        )
        .map_err(DeterminiseError::Limit)?;
    }
    Ok(Automaton {
        nodes: nodes.into_boxed_slice(),
    })
}

struct Subsets<'a> {
    nfa: &'a Nfa,
    ids: FxHashMap<Vec<u32>, u32>,
    sets: Vec<Vec<u32>>,
}

impl Subsets<'_> {
    /// The id of the subset that `seeds` reach without input.
    fn id(&mut self, mut seeds: Vec<u32>) -> u32 {
        let mut next = 0;
        while next < seeds.len() {
            for (label, to) in &self.nfa.nodes[seeds[next] as usize].edges {
                if *label == Label::Empty && !seeds.contains(&to.get()) {
                    seeds.push(to.get());
                }
            }
            next += 1;
        }
        seeds.sort_unstable();
        seeds.dedup();
        if let Some(&id) = self.ids.get(&seeds) {
            return id;
        }
        let id = self.sets.len() as u32;
        self.ids.insert(seeds.clone(), id);
        self.sets.push(seeds);
        id
    }

    fn node(&mut self, id: usize) -> Result<Node<u32>, DeterminiseError> {
        let mut node = Node::default();
        let mut bytes = Vec::new();
        let mut controls: BTreeMap<_, Vec<u32>> = BTreeMap::new();
        let mut calls: BTreeMap<_, Vec<u32>> = BTreeMap::new();
        let nfa = self.nfa;
        for &member in &self.sets[id] {
            let member = &nfa.nodes[member as usize];
            if let Some(exit) = &member.exit
                && node.exit.get_or_insert_with(|| exit.clone()) != exit
            {
                return Err(DeterminiseError::Exits);
            }
            for (label, to) in &member.edges {
                match *label {
                    Label::Empty => {}
                    Label::Bytes(lo, hi) => bytes.push((lo, hi, to.get())),
                    Label::Control(control) => controls.entry(control).or_default().push(to.get()),
                    Label::Call(rule) => calls.entry(rule).or_default().push(to.get()),
                }
            }
        }
        node.edges = self.byte_edges(&bytes);
        for (control, seeds) in controls {
            node.controls.push((control, self.id(seeds)));
        }
        for (rule, seeds) in calls {
            let to = ReturnTo::Position(self.id(seeds));
            node.calls.push(Call {
                rule,
                args: Words::new(),
                to,
            });
        }
        Ok(node)
    }

    /// Cuts overlapping ranges into disjoint edges, each to one subset.
    fn byte_edges(&mut self, ranges: &[(u8, u8, u32)]) -> Vec<Edge<u32>> {
        let mut cuts: Vec<u16> = ranges
            .iter()
            .flat_map(|&(lo, hi, _)| [u16::from(lo), u16::from(hi) + 1])
            .collect();
        cuts.sort_unstable();
        cuts.dedup();
        let mut edges: Vec<Edge<u32>> = Vec::new();
        for pair in cuts.windows(2) {
            let (lo, hi) = (pair[0] as u8, (pair[1] - 1) as u8);
            let mut seeds: Vec<u32> = Vec::new();
            for &(from, to, target) in ranges {
                if from <= lo && hi <= to && !seeds.contains(&target) {
                    seeds.push(target);
                }
            }
            if seeds.is_empty() {
                continue;
            }
            let to = self.id(seeds);
            match edges.last_mut() {
                Some(last) if last.to == to && u16::from(last.hi) + 1 == pair[0] => last.hi = hi,
                _ => edges.push(Edge { lo, hi, to }),
            }
        }
        edges
    }
}
