//! What lies ahead in a rule that names tools: how long the chosen tool must be remembered.

use super::registers::{Chosen, Registers};
use crate::base::RuleId;
use crate::grammar::{Node, ReturnTo};

/// For each node of a rule, what may still come.
#[derive(Debug)]
pub(super) struct Ahead {
    /// Whether arguments may come before another name.
    arguments: Box<[bool]>,
    /// Whether a name may come before other arguments.
    name: Box<[bool]>,
}

/// Why a rule cannot be bound: there is a way through it that takes arguments and names no tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ArgumentsWithoutName;

impl Ahead {
    /// Looks ahead from every node.
    pub(super) fn new(
        nodes: &[Node<u32>],
        registers: &Registers,
    ) -> Result<Self, ArgumentsWithoutName> {
        let is_name = |rule| registers.is_name(rule);
        let is_arguments = |rule| registers.is_arguments(rule);
        let nowhere = |_: &Node<u32>| false;
        let ahead = Self {
            arguments: reaches(nodes, nowhere, is_arguments, is_name),
            name: reaches(nodes, nowhere, is_name, is_arguments),
        };
        // From here the rule may end without naming a tool.
        let unnamed = reaches(nodes, |node| node.exit.is_some(), |_| false, is_name);
        for at in ahead.undecided(nodes, registers) {
            let mut calls = nodes[at].calls.iter();
            if calls.any(|call| is_arguments(call.rule) && unnamed[target(&call.to)]) {
                return Err(ArgumentsWithoutName);
            }
        }
        Ok(ahead)
    }

    /// What of the choice still matters at `node`.
    pub(super) fn kept(&self, node: u32, chosen: Chosen) -> Chosen {
        let matters = match chosen {
            Chosen::Nothing => false,
            Chosen::ByName(_) => self.arguments[node as usize],
            Chosen::ByArguments(_) => self.name[node as usize],
        };
        if matters { chosen } else { Chosen::Nothing }
    }

    /// The nodes that may be reached with no tool chosen.
    fn undecided(&self, nodes: &[Node<u32>], registers: &Registers) -> Vec<usize> {
        let mut seen = vec![[false; 3]; nodes.len()];
        let mut open = vec![(0usize, Chosen::Nothing)];
        let mut undecided = Vec::new();
        while let Some((at, chosen)) = open.pop() {
            let kind = match chosen {
                Chosen::Nothing => 0,
                Chosen::ByName(_) => 1,
                Chosen::ByArguments(_) => 2,
            };
            if std::mem::replace(&mut seen[at][kind], true) {
                continue;
            }
            if chosen == Chosen::Nothing {
                undecided.push(at);
            }
            let mut go = |to: usize, chosen| open.push((to, self.kept(to as u32, chosen)));
            let node = &nodes[at];
            node.edges.iter().for_each(|e| go(e.to as usize, chosen));
            node.controls
                .iter()
                .for_each(|&(_, to)| go(to as usize, chosen));
            for call in &node.calls {
                let after = match chosen {
                    Chosen::Nothing if registers.is_arguments(call.rule) => Chosen::ByArguments(0),
                    Chosen::Nothing | Chosen::ByName(_) if registers.is_name(call.rule) => {
                        Chosen::ByName(0)
                    }
                    chosen => chosen,
                };
                go(target(&call.to), after);
            }
        }
        undecided
    }
}

fn target(to: &ReturnTo<u32>) -> usize {
    let (ReturnTo::Position(to) | ReturnTo::Ask(to)) = to;
    *to as usize
}

/// The nodes from which a node that is `here`, or a call to a `goal`, is reached without a call to
/// a `barrier` before.
fn reaches(
    nodes: &[Node<u32>],
    here: impl Fn(&Node<u32>) -> bool,
    goal: impl Fn(RuleId) -> bool,
    barrier: impl Fn(RuleId) -> bool,
) -> Box<[bool]> {
    let mut reaches = vec![false; nodes.len()];
    loop {
        let mut changed = false;
        for (at, node) in nodes.iter().enumerate().rev() {
            if reaches[at] {
                continue;
            }
            let mut found = here(node);
            found |= node.edges.iter().any(|edge| reaches[edge.to as usize]);
            found |= node.controls.iter().any(|&(_, to)| reaches[to as usize]);
            found |= node
                .calls
                .iter()
                .any(|call| goal(call.rule) || !barrier(call.rule) && reaches[target(&call.to)]);
            reaches[at] = found;
            changed |= found;
        }
        if !changed {
            return reaches.into();
        }
    }
}
