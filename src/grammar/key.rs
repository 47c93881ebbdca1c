//! Canonical descriptions of rules: equal descriptions, equal behaviour.

use rustc_hash::FxHashMap;

use super::{Body, Call, Grammar, ReturnTo};
use crate::base::RuleId;

/// Descriptions longer than this are not worth keeping: such a rule is not shared.
const LONGEST: usize = 4096;

/// Writes the description of a rule and of all it calls, in words.
///
/// Rules are numbered in the order in which the description first meets them, so that it does
/// not depend on their ids, and recursion ends.
#[derive(Debug)]
pub struct KeyWriter<'g> {
    grammar: &'g Grammar,
    numbers: FxHashMap<RuleId, u32>,
    pending: Vec<RuleId>,
    words: Vec<u32>,
}

impl KeyWriter<'_> {
    /// Writes one word.
    pub fn word(&mut self, word: u32) {
        self.words.push(word);
    }

    /// Writes a string of bytes, with its length.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u32);
        for chunk in bytes.chunks(4) {
            let mut word = [0; 4];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u32::from_le_bytes(word));
        }
    }

    /// Writes a called rule; its own description follows later.
    pub fn rule(&mut self, rule: RuleId) {
        let next = self.numbers.len() as u32;
        let number = *self.numbers.entry(rule).or_insert_with(|| {
            self.pending.push(rule);
            next
        });
        self.word(number);
    }

    fn body(&mut self, body: &Body) -> bool {
        match body {
            Body::Implicit(body) => {
                self.word(1);
                body.describe(self)
            }
            Body::Automaton(automaton) => {
                self.word(0);
                self.word(automaton.nodes.len() as u32);
                for node in &automaton.nodes {
                    self.word(node.edges.len() as u32);
                    for edge in &node.edges {
                        self.word(u32::from(edge.lo) << 8 | u32::from(edge.hi));
                        self.word(edge.to);
                    }
                    self.word(node.controls.len() as u32);
                    for (control, to) in &node.controls {
                        // Control ids differ between grammars: names do not.
                        let name = self.grammar.control_name(*control);
                        self.bytes(name.as_bytes());
                        self.word(*to);
                    }
                    self.word(node.calls.len() as u32);
                    for call in &node.calls {
                        self.call(call);
                    }
                    self.word(node.exit.as_ref().map_or(0, |exit| 1 + exit.len() as u32));
                    self.words.extend(node.exit.iter().flatten());
                    if self.words.len() > LONGEST {
                        return false;
                    }
                }
                true
            }
        }
    }

    fn call(&mut self, call: &Call<u32>) {
        self.rule(call.rule);
        self.word(call.args.len() as u32);
        self.words.extend(&call.args);
        match call.to {
            ReturnTo::Position(to) => self.words.extend([0, to]),
            ReturnTo::Ask(site) => self.words.extend([1, site]),
        }
    }
}

/// The description of `rule` with all it calls; `None` where a body has none or it grows too long.
pub(crate) fn content_key(grammar: &Grammar, rule: RuleId) -> Option<Box<[u32]>> {
    let mut writer = KeyWriter {
        grammar,
        numbers: FxHashMap::default(),
        pending: Vec::new(),
        words: Vec::new(),
    };
    writer.rule(rule);
    let mut done = 0;
    while done < writer.pending.len() {
        let rule = writer.pending[done];
        done += 1;
        if !writer.body(grammar.rule(rule).body()) || writer.words.len() > LONGEST {
            return None;
        }
    }
    Some(writer.words.into_boxed_slice())
}
