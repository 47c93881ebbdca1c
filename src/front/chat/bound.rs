//! Rules that remember: which tool was named, and which call ids were read.
//!
//! `<tool.name>` is one call to a trie of all names, whose exit is the tool; `<tool.arguments>` calls
//! the rule of that tool. So a rule that mentions both costs as much for 128 tools as for one. Where
//! the arguments come first, those of all tools are read side by side, and the name decides. Call
//! ids go from rule to rule: those read before are a rule's arguments, those it read its exit.

use std::sync::Arc;

use super::ahead::{Ahead, ArgumentsWithoutName};
use super::registers::{ArgumentRules, Chosen, Registers};
use crate::base::RuleId;
use crate::grammar::{Automaton, Call, ImplicitBody, Node, ReturnTo, Words};

/// A rule that remembers, as requests of one shape have it.
#[derive(Debug)]
pub(super) struct BoundRule {
    automaton: Arc<Automaton>,
    ahead: Ahead,
    nullable: bool,
    registers: Arc<Registers>,
}

impl BoundRule {
    /// Binds the rule with this automaton.
    pub(super) fn new(
        automaton: &Arc<Automaton>,
        nullable: bool,
        registers: Arc<Registers>,
    ) -> Result<Self, ArgumentsWithoutName> {
        let ahead = Ahead::new(&automaton.nodes, &registers)?;
        Ok(Self {
            automaton: automaton.clone(),
            ahead,
            nullable,
            registers,
        })
    }
}

/// The body of a rule that remembers, over its automaton.
///
/// Its positions are `[node, chosen tool, words of the ids given, ids…]`.
#[derive(Debug)]
pub(super) struct BoundBody {
    pub(super) rule: Arc<BoundRule>,
    pub(super) arguments: Arc<ArgumentRules>,
}

impl BoundBody {
    /// The position at `node`, where what is not needed any more is forgotten.
    fn position(&self, node: u32, chosen: Chosen, state: &[u32]) -> Words {
        let mut words = Words::from_slice(state);
        words[0] = node;
        words[1] = self.rule.ahead.kept(node, chosen).word();
        words
    }

    /// Adds what stands for `call` at `state`.
    fn call(&self, call: &Call<u32>, state: &[u32], calls: &mut Vec<Call<Words>>) {
        let (ReturnTo::Position(to) | ReturnTo::Ask(to)) = call.to;
        let chosen = Chosen::of(state[1]);
        let registers = &self.rule.registers;
        let mut add = |rule, args, to| calls.push(Call { rule, args, to });
        if registers.is_name(call.rule) {
            match chosen {
                Chosen::ByArguments(tool) => {
                    let to = ReturnTo::Position(self.position(to, chosen, state));
                    add(call.rule, Words::from_slice(&[tool]), to);
                }
                _ => {
                    let site = self.position(to, Chosen::Nothing, state);
                    add(call.rule, Words::new(), ReturnTo::Ask(site));
                }
            }
        } else if let Some(arguments) = registers.arguments_of(call.rule, &self.arguments) {
            let tools = match chosen {
                Chosen::Nothing => 0..arguments.len() as u32,
                Chosen::ByName(tool) | Chosen::ByArguments(tool) => tool..tool + 1,
            };
            for tool in tools {
                let after = match chosen {
                    Chosen::Nothing => Chosen::ByArguments(tool),
                    chosen => chosen,
                };
                let to = ReturnTo::Position(self.position(to, after, state));
                add(arguments[tool as usize], Words::new(), to);
            }
        } else if registers.reads_ids(call.rule) {
            let site = self.position(to, chosen, state);
            add(
                call.rule,
                Words::from_slice(&state[3..]),
                ReturnTo::Ask(site),
            );
        } else {
            let to = ReturnTo::Position(self.position(to, chosen, state));
            add(call.rule, call.args.clone(), to);
        }
    }
}

impl ImplicitBody for BoundBody {
    fn start(&self, args: &Words) -> Words {
        let mut words = Words::from_slice(&[0, 0, args.len() as u32]);
        words.extend_from_slice(args);
        words
    }

    fn expand(&self, state: &Words, node: &mut Node<Words>) {
        let plain = &self.rule.automaton.nodes[state[0] as usize];
        let chosen = Chosen::of(state[1]);
        for edge in &plain.edges {
            node.range(edge.lo, edge.hi, self.position(edge.to, chosen, state));
        }
        for &(control, to) in &plain.controls {
            node.controls
                .push((control, self.position(to, chosen, state)));
        }
        for call in &plain.calls {
            self.call(call, state, &mut node.calls);
        }
        let read = 3 + state[2] as usize;
        node.exit = plain
            .exit
            .as_ref()
            .map(|_| Words::from_slice(&state[read..]));
    }

    fn on_return(&self, site: &Words, callee: RuleId, exit: &[u32]) -> Option<Words> {
        let mut words = Words::from_slice(site);
        if self.rule.registers.is_name(callee) {
            let chosen = Chosen::ByName(exit[0]);
            words[1] = self.rule.ahead.kept(site[0], chosen).word();
        } else {
            words.extend_from_slice(exit);
        }
        Some(words)
    }

    fn nullable(&self) -> bool {
        self.rule.nullable
    }
}
