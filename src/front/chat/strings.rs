//! The strings of a rule that is one quoted string, or one of a few.

use rustc_hash::FxHashSet;

use crate::base::Limits;
use crate::front::abnf::{Abnf, Binding, Bindings};
use crate::grammar::{Body, Grammar, GrammarBuilder};

/// How many strings such a rule may have.
const MOST_STRINGS: usize = 256;
/// How long each of them may be, in bytes.
const LONGEST_STRING: usize = 256;

/// The strings of the rule `name`, in which control tokens are their spellings; `None` where there
/// is no such rule, where it has prose-vals, too many strings, or one that is empty or not UTF-8.
pub(super) fn strings(
    abnf: &Abnf,
    name: &str,
    controls: &[String],
    limits: &Limits,
) -> Option<Vec<String>> {
    members(&abnf.lower(name, &mut Controls(controls), limits).ok()?)
}

/// Bindings of a rule without prose-vals.
struct Controls<'a>(&'a [String]);

impl Bindings for Controls<'_> {
    fn controls(&self) -> Vec<String> {
        self.0.to_vec()
    }

    fn known(&self) -> Vec<String> {
        Vec::new()
    }

    fn bind(&mut self, _: &str, _: &mut GrammarBuilder) -> Option<Binding> {
        None
    }
}

/// The strings of a grammar of one rule.
fn members(grammar: &Grammar) -> Option<Vec<String>> {
    let Body::Automaton(automaton) = grammar.rule(grammar.root()).body() else {
        return None;
    };
    let mut members = Vec::new();
    let mut seen = FxHashSet::default();
    let mut open = vec![(0u32, Vec::new())];
    while let Some((at, read)) = open.pop() {
        let node = &automaton.nodes[at as usize];
        let is_over = open.len() > MOST_STRINGS || members.len() > MOST_STRINGS;
        if !node.calls.is_empty() || read.len() > LONGEST_STRING || is_over {
            return None;
        }
        if node.exit.is_some() && seen.insert(read.clone()) {
            members.push(
                String::from_utf8(read.clone())
                    .ok()
                    .filter(|string| !string.is_empty())?,
            );
        }
        for &(control, to) in &node.controls {
            let spelling = grammar.control(control).to_string();
            open.push((to, [&read[..], spelling.as_bytes()].concat()));
        }
        for edge in &node.edges {
            open.extend((edge.lo..=edge.hi).map(|byte| (edge.to, [&read[..], &[byte]].concat())));
        }
    }
    members.sort_unstable();
    (!members.is_empty() && members.len() <= MOST_STRINGS).then_some(members)
}
