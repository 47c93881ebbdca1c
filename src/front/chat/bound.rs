//! Rules that remember: which tool was named, and which call ids were read.
//!
//! `<tool.name>` is one call to a trie of all names, whose exit is the tool; `<tool.arguments>` calls
//! the rule of that tool. So a rule that mentions both costs as much for 128 tools as for one. Call
//! ids go from rule to rule: those read before are a rule's arguments, those it read its exit.

use std::sync::Arc;

use crate::base::RuleId;
use crate::grammar::{Automaton, Call, ImplicitBody, Node, ReturnTo, Words};

/// The rules that prose-vals call, and what stands behind them.
#[derive(Debug)]
pub(super) struct Registers {
    /// `<tool.name>`: ends with the tool's number.
    pub(super) tool_name: Option<RuleId>,
    /// `<tool.arguments>`, which stands for one of `arguments`.
    pub(super) tool_arguments: Option<RuleId>,
    /// The argument rule of each tool.
    pub(super) arguments: Box<[RuleId]>,
    /// The rules, in ascending order, that read call ids which must be remembered.
    pub(super) reads_ids: Box<[RuleId]>,
}

impl Registers {
    pub(super) fn reads_ids(&self, rule: RuleId) -> bool {
        self.reads_ids.binary_search(&rule).is_ok()
    }
}

/// The body of a rule that remembers, over its automaton.
///
/// Its positions are `[node, tool + 1 or 0, words of the ids given, ids…]`.
#[derive(Debug)]
pub(super) struct BoundBody {
    nodes: Box<[Node<u32>]>,
    /// For each node, whether the tool's arguments may still come.
    needs_tool: Box<[bool]>,
    nullable: bool,
    registers: Arc<Registers>,
}

/// Why a rule cannot be bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ArgumentsBeforeName;

impl BoundBody {
    /// Binds the rule with this automaton.
    pub(super) fn new(
        automaton: &Automaton,
        nullable: bool,
        registers: Arc<Registers>,
    ) -> Result<Self, ArgumentsBeforeName> {
        let nodes = automaton.nodes.clone();
        let needs_tool = needs_tool(&nodes, &registers);
        // The tool is known wherever it is needed, exactly when it is not needed at the start and
        // no way leads from a place that does not need it to one that does but over a name.
        if needs_tool.first() == Some(&true) {
            return Err(ArgumentsBeforeName);
        }
        Ok(Self {
            nodes,
            needs_tool,
            nullable,
            registers,
        })
    }

    fn position(&self, node: u32, state: &[u32]) -> Words {
        let mut words = Words::from_slice(state);
        words[0] = node;
        if !self.needs_tool[node as usize] {
            words[1] = 0;
        }
        words
    }

    fn call(&self, call: &Call<u32>, state: &[u32]) -> Call<Words> {
        let (ReturnTo::Position(to) | ReturnTo::Ask(to)) = call.to;
        let registers = &self.registers;
        let (rule, args, asks) = if Some(call.rule) == registers.tool_name {
            (call.rule, Words::new(), true)
        } else if Some(call.rule) == registers.tool_arguments {
            (
                registers.arguments[state[1] as usize - 1],
                Words::new(),
                false,
            )
        } else if registers.reads_ids(call.rule) {
            (call.rule, Words::from_slice(&state[3..]), true)
        } else {
            (call.rule, call.args.clone(), false)
        };
        let to = self.position(to, state);
        Call {
            rule,
            args,
            to: if asks {
                ReturnTo::Ask(to)
            } else {
                ReturnTo::Position(to)
            },
        }
    }
}

/// For each node, whether `<tool.arguments>` is reached from it without another `<tool.name>`.
fn needs_tool(nodes: &[Node<u32>], registers: &Registers) -> Box<[bool]> {
    let mut needs = vec![false; nodes.len()];
    loop {
        let mut changed = false;
        for (at, node) in nodes.iter().enumerate().rev() {
            if needs[at] {
                continue;
            }
            let mut here = node.edges.iter().any(|edge| needs[edge.to as usize]);
            here |= node.controls.iter().any(|&(_, to)| needs[to as usize]);
            here |= node.calls.iter().any(|call| {
                let (ReturnTo::Position(to) | ReturnTo::Ask(to)) = call.to;
                Some(call.rule) == registers.tool_arguments
                    || Some(call.rule) != registers.tool_name && needs[to as usize]
            });
            needs[at] = here;
            changed |= here;
        }
        if !changed {
            return needs.into();
        }
    }
}

impl ImplicitBody for BoundBody {
    fn start(&self, args: &[u32]) -> Words {
        let mut words = Words::from_slice(&[0, 0, args.len() as u32]);
        words.extend_from_slice(args);
        words
    }

    fn expand(&self, state: &[u32], node: &mut Node<Words>) {
        let plain = &self.nodes[state[0] as usize];
        for edge in &plain.edges {
            node.range(edge.lo, edge.hi, self.position(edge.to, state));
        }
        for &(control, to) in &plain.controls {
            node.controls.push((control, self.position(to, state)));
        }
        node.calls
            .extend(plain.calls.iter().map(|call| self.call(call, state)));
        let read = 3 + state[2] as usize;
        node.exit = plain
            .exit
            .as_ref()
            .map(|_| Words::from_slice(&state[read..]));
    }

    fn on_return(&self, site: &[u32], callee: RuleId, exit: &[u32]) -> Option<Words> {
        let mut words = Words::from_slice(site);
        if Some(callee) == self.registers.tool_name {
            if self.needs_tool[site[0] as usize] {
                words[1] = exit[0] + 1;
            }
        } else {
            words.extend_from_slice(exit);
        }
        Some(words)
    }

    fn nullable(&self) -> bool {
        self.nullable
    }

    fn callees(&self, visit: &mut dyn FnMut(RuleId)) {
        for call in self.nodes.iter().flat_map(|node| &node.calls) {
            if Some(call.rule) == self.registers.tool_arguments {
                self.registers
                    .arguments
                    .iter()
                    .copied()
                    .for_each(&mut *visit);
            } else {
                visit(call.rule);
            }
        }
    }
}
