//! What a rule is, whatever its id: equal descriptions, equal behaviour.

use super::key::{KeyWriter, Met};
use super::{Automaton, Body, Call, Control, Grammar, Node, ReturnTo};
use crate::base::RuleId;

/// Descriptions longer than this are not worth keeping: such a rule is not shared.
const LONGEST: usize = 1 << 16;

/// The description of `rule` with all it calls, of at most `longest` words unless it calls nothing;
/// `None` where a body has none or it grows too long.
pub(crate) fn content_key(grammar: &Grammar, rule: RuleId, longest: usize) -> Option<Box<[u32]>> {
    // Most are no longer.
    let (mut words, mut met) = (Vec::with_capacity(64), Met::default());
    KeyWriter::new(&mut words, &mut met).rule(rule);
    let mut done = 0;
    while let Some(&rule) = met.rules.get(done) {
        done += 1;
        let mut key = KeyWriter::new(&mut words, &mut met);
        let described = describe_body(grammar, rule, &mut key);
        let allowed = if met.rules.len() > 1 {
            longest
        } else {
            LONGEST
        };
        if !described || words.len() > allowed {
            return None;
        }
    }
    Some(words.into_boxed_slice())
}

fn describe_body(grammar: &Grammar, rule: RuleId, key: &mut KeyWriter<'_>) -> bool {
    match grammar.rule(rule).body() {
        Body::Implicit(body) => {
            key.word(1);
            body.hints().describe(key)
        }
        Body::Automaton(automaton) => describe(grammar, automaton, key),
    }
}

fn describe(grammar: &Grammar, automaton: &Automaton, key: &mut KeyWriter<'_>) -> bool {
    key.word(0);
    key.word(automaton.nodes.len() as u32);
    automaton.nodes.iter().all(|node| {
        describe_node(grammar, node, key);
        key.len() <= LONGEST
    })
}

fn describe_node(grammar: &Grammar, node: &Node<u32>, key: &mut KeyWriter<'_>) {
    key.word(node.edges.len() as u32);
    for edge in &node.edges {
        key.word(u32::from(edge.lo) << 8 | u32::from(edge.hi));
        key.word(edge.to);
    }
    key.word(node.controls.len() as u32);
    for &(control, to) in &node.controls {
        // Control ids differ between grammars: what they stand for does not.
        let control = grammar.control(control);
        key.word(u32::from(matches!(control, Control::Named(_))));
        key.bytes(control.to_string().as_bytes());
        key.word(to);
    }
    key.word(node.calls.len() as u32);
    for call in &node.calls {
        describe_call(call, key);
    }
    key.word(node.exit.as_ref().map_or(0, |exit| 1 + exit.len() as u32));
    let exit = node.exit.iter().flat_map(|exit| exit.iter());
    exit.for_each(|&word| key.word(word));
}

fn describe_call(call: &Call<u32>, key: &mut KeyWriter<'_>) {
    key.rule(call.rule);
    key.word(call.args.len() as u32);
    call.args.iter().for_each(|&word| key.word(word));
    let (kind, to) = match call.to {
        ReturnTo::Position(to) => (0, to),
        ReturnTo::Ask(site) => (1, site),
    };
    key.word(kind);
    key.word(to);
}
