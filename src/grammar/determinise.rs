//! From a written body to a deterministic one, by subset construction.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::nfa::Label;
use super::{Automaton, Call, Edge, Nfa, Node, ReturnTo, Words};
use crate::base::{LimitError, Limits};
use crate::regular::Dfa;

/// How many members of subsets a state may be, so that few states with many members each meet the limit too.
const MEMBERS_PER_STATE: usize = 256;
/// What a member of a subset costs: following its edges, sorting and hashing it.
const STEPS_PER_MEMBER: usize = 16;
/// What a member of a subset costs that is known already.
const STEPS_PER_KNOWN: usize = 4;
/// So many ranges of bytes are looked at in a step.
const RANGES_PER_STEP: usize = 8;
/// How many rules of a grammar may take that much.
const HEAVY_RULES: usize = 4;

/// Why a body cannot be determinised.
pub(super) enum DeterminiseError {
    Limit(LimitError),
    /// One text ends the rule with two different exits.
    Exits,
}

impl From<LimitError> for DeterminiseError {
    fn from(error: LimitError) -> Self {
        Self::Limit(error)
    }
}

/// Determinises `nfa` over bytes, control tokens and calls, each call being a symbol of its own. What it takes is
/// added to `work`, that of all rules so far.
pub(super) fn determinise(
    nfa: &Nfa,
    work: &mut usize,
    limits: &Limits,
) -> Result<Automaton, DeterminiseError> {
    let mut subsets = Subsets {
        nfa,
        limits,
        empty: EmptyEdges::of(nfa),
        ids: FxHashMap::default(),
        sets: Vec::new(),
        members: 0,
        seen: vec![u32::MAX; nfa.nodes.len()],
        round: 0,
    };
    subsets.id(vec![0])?;
    let mut nodes = Vec::new();
    while nodes.len() < subsets.sets.len() {
        let node = subsets.node(nodes.len())?;
        nodes.push(node);
        charge_steps((1, 0), limits)?;
        let of_body = (subsets.sets.len(), subsets.members);
        check_body(of_body, limits)?;
    }
    charge(subsets.members, work, limits)?;
    Ok(Automaton {
        nodes: nodes.into_boxed_slice(),
    })
}

/// Charges the work that so many states take, whose subsets have so many members.
fn charge_steps((states, members): (usize, usize), limits: &Limits) -> Result<(), LimitError> {
    limits.charge(STEPS_PER_MEMBER * (states + members))
}

/// Checks how many states a body has, and how many members their subsets.
pub(super) fn check_body(
    (states, members): (usize, usize),
    limits: &Limits,
) -> Result<(), LimitError> {
    LimitError::check("states of a rule body", states, limits.automaton_states)?;
    let allowed = limits.automaton_states.saturating_mul(MEMBERS_PER_STATE);
    LimitError::check("work to determinise a rule body", members, allowed)
}

/// Adds the members of the subsets of one body to `work`, that of all rules.
pub(super) fn charge(members: usize, work: &mut usize, limits: &Limits) -> Result<(), LimitError> {
    *work = work.saturating_add(members);
    let allowed = limits.automaton_states.saturating_mul(MEMBERS_PER_STATE);
    let of_all = allowed.saturating_mul(HEAVY_RULES);
    LimitError::check("work to determinise the rules of a grammar", *work, of_all)
}

impl Nfa {
    /// The texts of a body without control tokens and calls.
    pub(crate) fn regular(&self, limits: &Limits) -> Result<Dfa, LimitError> {
        let automaton = match determinise(self, &mut 0, limits) {
            Ok(automaton) => automaton,
            Err(DeterminiseError::Limit(error)) => return Err(error),
            // Of two different exits there is no text in common.
            Err(DeterminiseError::Exits) => return Ok(Dfa::of_rows([(false, Vec::new())])),
        };
        let row = |node: &Node<u32>| {
            let edges = node.edges.iter().map(|edge| (edge.lo, edge.hi, edge.to));
            (node.exit.is_some(), edges.collect())
        };
        Ok(Dfa::of_rows(automaton.nodes.iter().map(row)))
    }
}

/// The empty edges of a body, one node's after the other's.
///
/// PERF: a chain of 100,000 of them is followed from each of its nodes; where each node has its edges elsewhere, that waits
/// for memory at each.
struct EmptyEdges {
    /// By node, where its own begin.
    begins: Vec<u32>,
    targets: Vec<u32>,
}

impl EmptyEdges {
    fn of(nfa: &Nfa) -> Self {
        let mut edges = Self {
            begins: Vec::with_capacity(nfa.nodes.len() + 1),
            targets: Vec::new(),
        };
        for node in &nfa.nodes {
            edges.begins.push(edges.targets.len() as u32);
            let empty = node
                .edges
                .iter()
                .filter(|(label, _)| *label == Label::Empty);
            edges.targets.extend(empty.map(|(_, to)| to.get()));
        }
        edges.begins.push(edges.targets.len() as u32);
        edges
    }

    fn from(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.targets[self.begins[node] as usize..self.begins[node + 1] as usize]
    }
}

struct Subsets<'a> {
    nfa: &'a Nfa,
    limits: &'a Limits,
    empty: EmptyEdges,
    ids: FxHashMap<Vec<u32>, u32>,
    sets: Vec<Vec<u32>>,
    /// How many members all of them have.
    members: usize,
    /// By node of the body, in which closure it was last seen.
    seen: Vec<u32>,
    round: u32,
}

impl Subsets<'_> {
    /// The id of the subset that `seeds` reach without input.
    fn id(&mut self, mut seeds: Vec<u32>) -> Result<u32, LimitError> {
        let (seen, round) = (&mut self.seen, self.round);
        let mut is_new = |node: u32| std::mem::replace(&mut seen[node as usize], round) != round;
        seeds.retain(|&seed| is_new(seed));
        let mut next = 0;
        while next < seeds.len() {
            for &to in self.empty.from(seeds[next]) {
                if is_new(to) {
                    seeds.push(to);
                }
            }
            next += 1;
        }
        self.round += 1;
        seeds.sort_unstable();
        if let Some(&id) = self.ids.get(&seeds) {
            self.limits.charge(STEPS_PER_KNOWN * seeds.len())?;
            return Ok(id);
        }
        charge_steps((0, seeds.len()), self.limits)?;
        let id = self.sets.len() as u32;
        self.members += seeds.len();
        self.ids.insert(seeds.clone(), id);
        self.sets.push(seeds);
        Ok(id)
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
        node.edges = self.byte_edges(&bytes)?;
        for (control, seeds) in controls {
            node.controls.push((control, self.id(seeds)?));
        }
        for (rule, seeds) in calls {
            let to = ReturnTo::Position(self.id(seeds)?);
            node.calls.push(Call {
                rule,
                args: Words::new(),
                to,
            });
        }
        Ok(node)
    }

    /// Cuts overlapping ranges into disjoint edges, each to one subset.
    fn byte_edges(&mut self, ranges: &[(u8, u8, u32)]) -> Result<Vec<Edge<u32>>, LimitError> {
        // PERF: most nodes are within a text that is spelt out; with the lists of `trim.rs` and white space made by hand,
        // ChatML's request takes 55 µs for 151 (benches/LOG.md).
        if let &[(lo, hi, target)] = ranges {
            let to = self.id(vec![target])?;
            return Ok(vec![Edge { lo, hi, to }]);
        }
        let mut cuts: Vec<u16> = ranges
            .iter()
            .flat_map(|&(lo, hi, _)| [u16::from(lo), u16::from(hi) + 1])
            .collect();
        cuts.sort_unstable();
        cuts.dedup();
        self.limits
            .charge(cuts.len() * ranges.len() / RANGES_PER_STEP)?;
        let mut edges: Vec<Edge<u32>> = Vec::new();
        for pair in cuts.windows(2) {
            let (lo, hi) = (pair[0] as u8, (pair[1] - 1) as u8);
            let within = ranges
                .iter()
                .filter(|&&(from, to, _)| from <= lo && hi <= to);
            let seeds: Vec<u32> = within.map(|&(.., target)| target).collect();
            if seeds.is_empty() {
                continue;
            }
            let to = self.id(seeds)?;
            match edges.last_mut() {
                Some(last) if last.to == to && u16::from(last.hi) + 1 == pair[0] => last.hi = hi,
                _ => edges.push(Edge { lo, hi, to }),
            }
        }
        Ok(edges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Optional bytes, one after another: from each, all behind it can be reached.
    fn optional(count: usize) -> Nfa {
        let mut nfa = Nfa::new();
        let mut at = nfa.start();
        for _ in 0..count {
            let next = nfa.state();
            nfa.bytes(at, b'x', b'x', next);
            nfa.empty(at, next);
            at = next;
        }
        nfa.accept(at);
        nfa
    }

    #[test]
    fn work_is_charged() {
        let limits = Limits::default();
        let mut work = 0;
        let some = determinise(&optional(500), &mut work, &limits).ok();
        assert_eq!(some.map(|automaton| automaton.nodes.len()), Some(501));
        assert_eq!(work, 501 * 502 / 2);
        let many = determinise(&optional(20_000), &mut work, &limits);
        assert!(
            matches!(many, Err(DeterminiseError::Limit(error)) if error.what.contains("rule body"))
        );
        work = usize::MAX;
        let last = determinise(&optional(1), &mut work, &limits);
        assert!(
            matches!(last, Err(DeterminiseError::Limit(error)) if error.what.contains("rules of"))
        );
    }
}
