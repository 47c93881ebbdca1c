//! Finds the rules of a lowered format that must remember: which tool was named, and which call ids were read.

use std::sync::Arc;

use super::ahead::ArgumentsWithoutName;
use super::bound::BoundRule;
use super::call_id::Memory;
use super::outline::Remembering;
use super::registers::Registers;
use super::slot::{Slot, SlotKind};
use super::{ChatError, Format};
use crate::base::RuleId;
use crate::base::graph::{self, Edges};
use crate::grammar::{Automaton, Body, Grammar, ReturnTo};

/// Finds the rules of `grammar` that must remember something.
pub(super) fn bind(
    grammar: &Grammar,
    format: &Format,
    slots: &[Slot],
) -> Result<Remembering, ChatError> {
    let of_kind = |is_it: fn(&SlotKind) -> bool| {
        let slots = slots.iter().filter(move |slot| is_it(&slot.kind));
        slots.map(|slot| slot.rule)
    };
    let id_rule = of_kind(|kind| matches!(kind, SlotKind::Id(_))).next();
    let reads_ids = id_rule.map_or_else(Vec::new, |id| readers(grammar, id));
    let several = reads_ids
        .iter()
        .any(|&rule| reads_two(grammar, rule, &reads_ids));
    let memory = match several || may_recur(grammar, &reads_ids) {
        true => Memory::Ids,
        false => Memory::None,
    };
    let reads_ids = if memory == Memory::Ids {
        reads_ids
    } else {
        Vec::new()
    };
    // Slots are declared one after the other.
    let registers = Arc::new(Registers {
        tool_names: of_kind(|kind| matches!(kind, SlotKind::Names { .. })).collect(),
        arguments: of_kind(|kind| matches!(kind, SlotKind::Arguments(_))).collect(),
        reads_ids: reads_ids.into(),
    });
    let mut rules = Vec::new();
    for rule in 0..grammar.rule_count() {
        let rule = RuleId::from_usize(rule);
        let Some(automaton) = automaton(grammar, rule) else {
            continue;
        };
        let takes_arguments = calls(automaton).any(|(callee, _)| registers.is_arguments(callee));
        if !takes_arguments && !registers.reads_ids(rule) || Some(rule) == id_rule {
            continue;
        }
        let nullable = grammar.rule(rule).nullable();
        let bound = BoundRule::new(automaton, nullable, Arc::clone(&registers));
        let bound = bound.map_err(|ArgumentsWithoutName| {
            let name = grammar.rule(rule).name();
            let reason = format!(
                "rule `{name}` comes to it without a `<tool.name>`; both belong in one rule"
            );
            let mut called = calls(automaton).map(|(callee, _)| callee);
            let prose = called.find(|&callee| registers.is_arguments(callee));
            let prose = prose.map_or("", |callee| grammar.rule(callee).name());
            format.refuse(prose.trim_matches(['<', '>']), reason)
        })?;
        rules.push((rule, Arc::new(bound)));
    }
    Ok(Remembering {
        rules: rules.into(),
        memory,
    })
}

/// By rule, whether the grammar's texts come to it.
pub(super) fn reached(grammar: &Grammar) -> Vec<bool> {
    let callees = |rule: usize| {
        let automaton = automaton(grammar, RuleId::from_usize(rule));
        let calls = automaton.into_iter().flat_map(|automaton| calls(automaton));
        calls.map(|(callee, _)| callee.index()).collect()
    };
    let edges: Edges = (0..grammar.rule_count()).map(callees).collect();
    graph::reachable([grammar.root().index()], &edges)
}

fn automaton(grammar: &Grammar, rule: RuleId) -> Option<&Arc<Automaton>> {
    match grammar.rule(rule).body() {
        Body::Automaton(automaton) => Some(automaton),
        Body::Implicit(_) => None,
    }
}

/// The calls of an automaton: whom, and the node behind.
fn calls(automaton: &Automaton) -> impl Iterator<Item = (RuleId, u32)> {
    automaton
        .nodes
        .iter()
        .flat_map(|node| &node.calls)
        .map(|call| {
            let (ReturnTo::Position(to) | ReturnTo::Ask(to)) = call.to;
            (call.rule, to)
        })
}

/// The rules that call `call_id`, directly or not, and itself; ascending.
fn readers(grammar: &Grammar, call_id: RuleId) -> Vec<RuleId> {
    let mut callers: Edges = vec![Vec::new(); grammar.rule_count()];
    for rule in 0..grammar.rule_count() {
        let automaton = automaton(grammar, RuleId::from_usize(rule));
        for (callee, _) in automaton.into_iter().flat_map(|automaton| calls(automaton)) {
            callers[callee.index()].push(rule);
        }
    }
    let reached = graph::reachable([call_id.index()], &callers);
    let rules = (0..grammar.rule_count()).filter(|&rule| reached[rule]);
    rules.map(RuleId::from_usize).collect()
}

/// Whether `rule` may read two ids one after the other.
fn reads_two(grammar: &Grammar, rule: RuleId, readers: &[RuleId]) -> bool {
    let reads = |callee: RuleId| readers.binary_search(&callee).is_ok();
    let Some(automaton) = automaton(grammar, rule) else {
        return false;
    };
    let behind = calls(automaton)
        .filter(|&(callee, _)| reads(callee))
        .map(|(_, to)| to);
    reaches_reader(automaton, behind.collect(), reads)
}

/// Whether one of `readers` leads to itself.
fn may_recur(grammar: &Grammar, readers: &[RuleId]) -> bool {
    let calls = |&rule: &RuleId| {
        let callees = automaton(grammar, rule)
            .into_iter()
            .flat_map(|automaton| calls(automaton));
        let known = callees.filter_map(|(callee, _)| readers.binary_search(&callee).ok());
        known.collect()
    };
    let edges: Edges = readers.iter().map(calls).collect();
    let components = graph::components(&edges);
    components
        .iter()
        .any(|component| graph::is_loop(component, &edges))
}

/// Whether a call to a reader is reached from one of `open`.
fn reaches_reader(
    automaton: &Automaton,
    mut open: Vec<u32>,
    reads: impl Fn(RuleId) -> bool,
) -> bool {
    let mut seen = vec![false; automaton.nodes.len()];
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut seen[at as usize], true) {
            continue;
        }
        let node = &automaton.nodes[at as usize];
        if node.calls.iter().any(|call| reads(call.rule)) {
            return true;
        }
        open.extend(node.edges.iter().map(|edge| edge.to));
        open.extend(node.controls.iter().map(|&(_, to)| to));
        open.extend(node.calls.iter().map(|call| match call.to {
            ReturnTo::Position(to) | ReturnTo::Ask(to) => to,
        }));
    }
    false
}
