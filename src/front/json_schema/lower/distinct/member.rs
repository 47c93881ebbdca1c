//! Members of a set that meet a demand; what was read is the exit.

use std::sync::Arc;

use super::demand::Demand;
use super::readers::{Readers, SetReader};
use super::value::{Value, returned};
use crate::base::RuleId;
use crate::front::json_schema::lower::lead::Lead;
use crate::front::json_schema::lower::packed::{pack, unpack};
use crate::grammar::{Call, ImplicitBody, Node, ReturnTo, Words};

/// A member of a set that meets the demand given as arguments.
///
/// Positions are a [`Phase`] and, at the start, the demand; at the end, what was read.
#[derive(Debug)]
pub(crate) struct MemberBody {
    pub(crate) lead: Lead,
    pub(crate) readers: Arc<Readers>,
    /// The rule that reads the set otherwise.
    pub(crate) set: RuleId,
}

/// Where one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Phase {
    Start,
    Inside,
    End,
}

impl MemberBody {
    fn set(&self) -> &SetReader {
        self.readers.set(self.set)
    }

    /// The calls that read a member, by rule and arguments.
    fn calls(&self, demand: &Demand) -> Vec<(RuleId, Words)> {
        let (readers, set) = (&self.readers, self.set());
        let mut calls: Vec<(RuleId, Words)> = Vec::new();
        match demand {
            Demand::Besides(used) => {
                for (rule, scalar) in &set.scalars {
                    if readers.has_scalar_besides(scalar, used) {
                        calls.push((*rule, readers.args(scalar, used)));
                    }
                }
            }
            Demand::Among(values) => {
                let spelt = values
                    .iter()
                    .flat_map(|value| readers.spellings(set, value));
                let spelt: Vec<Vec<u8>> = spelt.collect();
                if !spelt.is_empty() {
                    calls.push((readers.texts, pack(spelt.iter().map(Vec::as_slice))));
                }
            }
        }
        for (rule, literal) in &set.literals {
            if demand.is_met(literal) {
                calls.push((*rule, Words::new()));
            }
        }
        for (rule, compound) in &set.compounds {
            let demand = demand.of_sort(compound.sort());
            if compound.has(readers, &demand) {
                calls.push((*rule, demand.to_words()));
            }
        }
        calls
    }
}

impl ImplicitBody for MemberBody {
    fn start(&self, args: &Words) -> Words {
        let mut words = Words::from_slice(&[Phase::Start as u32]);
        words.extend_from_slice(args);
        words
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        if words[0] == Phase::End as u32 {
            node.exit = Some(words[1..].into());
            return;
        }
        let demand = Demand::read(&mut &words[1..]);
        self.lead.edges(node, words);
        for (rule, args) in self.calls(&demand) {
            node.calls.push(Call {
                rule,
                args,
                to: ReturnTo::Ask(Words::from([Phase::Inside as u32])),
            });
        }
    }

    fn on_return(&self, _site: &Words, callee: RuleId, exit: &[u32]) -> Option<Words> {
        let set = self.set();
        let mut literals = set.literals.iter();
        let is_text =
            callee == self.readers.texts || set.scalars.iter().any(|(rule, _)| *rule == callee);
        let value = match literals.find(|(rule, _)| *rule == callee) {
            Some((_, literal)) => literal.clone(),
            None if is_text => Value::of_spelt(unpack(exit).first().map_or(&[], |text| &**text)),
            None => returned(exit)?,
        };
        let mut words: Words = Words::from([Phase::End as u32]);
        value.write(&mut words);
        Some(words)
    }
}
