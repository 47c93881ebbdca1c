//! Passes over the explicit bodies of a grammar: which rules can end, which may be empty, and what
//! is left of a body when everything that cannot end is taken away.

use std::collections::VecDeque;
use std::sync::Arc;

use super::rule::Rule;
use super::{Automaton, Body, Call, Edge, Node, ReturnTo};

/// Which bytes a vocabulary can spell one at a time.
pub(crate) type Spellable = [bool; 256];

/// For each rule, whether some text belongs to it, given the bytes that can be spelt.
pub(super) fn productive(rules: &[Rule], spellable: &Spellable) -> Vec<bool> {
    let known = rules.iter();
    let known = known.map(|rule| matches!(rule.body(), Body::Implicit(_)));
    closed(rules, known.collect(), |automaton, productive| {
        live(automaton, productive, spellable)[0]
    })
}

/// For each rule, whether it may end without input.
pub(super) fn nullable(rules: &[Rule]) -> Vec<bool> {
    let known = rules.iter();
    let known = known.map(|rule| matches!(rule.body(), Body::Implicit(body) if body.nullable()));
    closed(rules, known.collect(), |automaton, nullable| {
        empty_end(automaton, nullable).is_some()
    })
}

/// The rules of which something holds: those known, and those whose bodies have it as other rules have it. A
/// body is looked at again only when a rule that it calls has come to have it.
fn closed(
    rules: &[Rule],
    mut known: Vec<bool>,
    holds: impl Fn(&Automaton, &[bool]) -> bool,
) -> Vec<bool> {
    let mut callers: Vec<Vec<u32>> = vec![Vec::new(); rules.len()];
    let mut queue: VecDeque<u32> = VecDeque::new();
    for (index, rule) in rules.iter().enumerate() {
        if let Body::Automaton(automaton) = rule.body() {
            queue.push_back(index as u32);
            for call in automaton.nodes.iter().flat_map(|node| &node.calls) {
                let callers = &mut callers[call.rule.index()];
                if callers.last() != Some(&(index as u32)) {
                    callers.push(index as u32);
                }
            }
        }
    }
    let mut queued = vec![true; rules.len()];
    while let Some(index) = queue.pop_front() {
        let index = index as usize;
        queued[index] = false;
        if let Body::Automaton(automaton) = rules[index].body()
            && !known[index]
            && holds(automaton, &known)
        {
            known[index] = true;
            for &caller in &callers[index] {
                if !known[caller as usize] && !std::mem::replace(&mut queued[caller as usize], true)
                {
                    queue.push_back(caller);
                }
            }
        }
    }
    known
}

/// A node that ends the rule and is reached from the start by calls to nullable rules only.
pub(super) fn empty_end<'a>(automaton: &'a Automaton, nullable: &[bool]) -> Option<&'a Node<u32>> {
    let mut reached = vec![0u32];
    let mut next = 0;
    while next < reached.len() {
        let node = automaton.nodes.get(reached[next] as usize)?;
        if node.exit.is_some() {
            return Some(node);
        }
        for call in &node.calls {
            if let ReturnTo::Position(to) = call.to
                && nullable[call.rule.index()]
                && !reached.contains(&to)
            {
                reached.push(to);
            }
        }
        next += 1;
    }
    None
}

/// For each node, whether the rule can end from there.
fn live(automaton: &Automaton, productive: &[bool], spellable: &Spellable) -> Vec<bool> {
    let nodes = &automaton.nodes;
    let mut ways = WaysIn::new(nodes.len().max(1));
    let mut live = vec![false; nodes.len().max(1)];
    let mut queue = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        successors(node, productive, spellable, |to| ways.add(index as u32, to));
        if node.exit.is_some() {
            live[index] = true;
            queue.push(index as u32);
        }
    }
    while let Some(node) = queue.pop() {
        for from in ways.before(node) {
            if !live[from as usize] {
                live[from as usize] = true;
                queue.push(from);
            }
        }
    }
    live
}

/// By node, the nodes that lead to it.
///
/// PERF: one list for all nodes; where each has its own, compiling a chat format mostly makes room for these
/// (benches/LOG.md).
struct WaysIn {
    /// By node, the last way in.
    last: Vec<u32>,
    /// Where each way comes from, and the way in before it.
    ways: Vec<(u32, u32)>,
}

impl WaysIn {
    const NONE: u32 = u32::MAX;

    fn new(nodes: usize) -> Self {
        Self {
            last: vec![Self::NONE; nodes],
            ways: Vec::with_capacity(nodes),
        }
    }

    fn add(&mut self, from: u32, to: u32) {
        let last = &mut self.last[to as usize];
        self.ways.push((from, *last));
        *last = self.ways.len() as u32 - 1;
    }

    fn before(&self, node: u32) -> impl Iterator<Item = u32> {
        let mut next = self.last[node as usize];
        std::iter::from_fn(move || {
            let &(from, before) = self.ways.get(next as usize)?;
            next = before;
            Some(from)
        })
    }
}

fn successors(
    node: &Node<u32>,
    productive: &[bool],
    spellable: &Spellable,
    mut visit: impl FnMut(u32),
) {
    for edge in &node.edges {
        if (edge.lo..=edge.hi).any(|byte| spellable[usize::from(byte)]) {
            visit(edge.to);
        }
    }
    for (_, to) in &node.controls {
        visit(*to);
    }
    for call in &node.calls {
        if let (true, ReturnTo::Position(to)) = (productive[call.rule.index()], &call.to) {
            visit(*to);
        }
    }
}

/// What is left of `automaton` when everything that cannot end is taken away: often the automaton itself. Empty
/// when the rule itself cannot end.
pub(super) fn trim(
    automaton: &Arc<Automaton>,
    productive: &[bool],
    spellable: &Spellable,
) -> Arc<Automaton> {
    let live = live(automaton, productive, spellable);
    if !live[0] {
        return Arc::new(Automaton {
            nodes: Box::new([]),
        });
    }
    let mut numbers = vec![u32::MAX; automaton.nodes.len()];
    let mut order = vec![0u32];
    numbers[0] = 0;
    let mut next = 0;
    while next < order.len() {
        let node = &automaton.nodes[order[next] as usize];
        successors(node, productive, spellable, |to| {
            if live[to as usize] && numbers[to as usize] == u32::MAX {
                numbers[to as usize] = order.len() as u32;
                order.push(to);
            }
        });
        next += 1;
    }
    let is_whole = order.len() == automaton.nodes.len() && order.is_sorted();
    if is_whole && keeps_all_edges(automaton, productive, spellable) {
        return Arc::clone(automaton);
    }
    let kept = |to: u32| Some(numbers[to as usize]).filter(|&number| number != u32::MAX);
    let nodes = order.iter().map(|&old| {
        let node = &automaton.nodes[old as usize];
        let mut new = Node {
            exit: node.exit.clone(),
            ..Node::default()
        };
        for edge in &node.edges {
            if let Some(to) = kept(edge.to) {
                spell(edge.lo, edge.hi, spellable, |lo, hi| {
                    new.edges.push(Edge { lo, hi, to })
                });
            }
        }
        new.controls = node
            .controls
            .iter()
            .filter_map(|&(c, to)| Some((c, kept(to)?)))
            .collect();
        for call in &node.calls {
            if let (true, ReturnTo::Position(to)) = (productive[call.rule.index()], &call.to)
                && let Some(to) = kept(*to)
            {
                let mut call = call.clone();
                call.to = ReturnTo::Position(to);
                new.calls.push(call);
            }
        }
        new
    });
    Arc::new(Automaton {
        nodes: nodes.collect(),
    })
}

/// Whether nothing is taken away of an automaton all of whose nodes are kept.
fn keeps_all_edges(automaton: &Automaton, productive: &[bool], spellable: &Spellable) -> bool {
    let keeps = |call: &Call<u32>| {
        productive[call.rule.index()] && matches!(call.to, ReturnTo::Position(_))
    };
    let mut calls = automaton.nodes.iter().flat_map(|node| &node.calls);
    spellable.iter().all(|&spellable| spellable) && calls.all(keeps)
}

/// The parts of `lo..=hi` that can be spelt.
fn spell(lo: u8, hi: u8, spellable: &Spellable, mut part: impl FnMut(u8, u8)) {
    let mut start = None;
    for byte in lo..=hi {
        match (spellable[usize::from(byte)], start) {
            (true, None) => start = Some(byte),
            (false, Some(from)) => {
                part(from, byte - 1);
                start = None;
            }
            _ => {}
        }
    }
    if let Some(from) = start {
        part(from, hi);
    }
}
