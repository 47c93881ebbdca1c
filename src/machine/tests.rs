//! The machine against an independent recogniser, over random context-free grammars.

use std::sync::Arc;

use proptest::prelude::*;

use super::{Binding, Generation, StateId};
use crate::base::{Limits, RuleId};
use crate::grammar::{Grammar, GrammarBuilder, Nfa};

/// A right-hand side: terminals `a`, `b`, or rules by number.
#[derive(Clone, Debug)]
enum Symbol {
    Byte(u8),
    Rule(usize),
}

type Rules = Vec<Vec<Vec<Symbol>>>;

fn symbol(rules: usize) -> impl Strategy<Value = Symbol> {
    prop_oneof![
        prop_oneof![Just(b'a'), Just(b'b')].prop_map(Symbol::Byte),
        (0..rules).prop_map(Symbol::Rule),
    ]
}

fn rules() -> impl Strategy<Value = Rules> {
    (1usize..5).prop_flat_map(|count| {
        let production = prop::collection::vec(symbol(count), 0..4);
        let alternatives = prop::collection::vec(production, 1..4);
        prop::collection::vec(alternatives, count)
    })
}

fn lower(rules: &Rules) -> Option<Grammar> {
    let mut builder = GrammarBuilder::new(Limits::default());
    let ids: Vec<RuleId> = (0..rules.len())
        .map(|i| builder.declare(format!("r{i}")))
        .collect();
    for (rule, alternatives) in ids.iter().zip(rules) {
        let mut nfa = Nfa::new();
        for production in alternatives {
            let mut at = nfa.start();
            for symbol in production {
                let next = nfa.state();
                match symbol {
                    Symbol::Byte(byte) => nfa.bytes(at, *byte, *byte, next),
                    Symbol::Rule(index) => nfa.call(at, ids[*index], next),
                }
                at = next;
            }
            nfa.accept(at);
        }
        // The start is shared by all alternatives, so an empty one must not leak into the others.
        builder.define(*rule, &nfa).unwrap();
    }
    builder.finish(ids[0]).ok()
}

/// Which rules derive which spans of `word`: a fixpoint over all spans, nothing else.
fn derives(rules: &Rules, word: &[u8]) -> bool {
    let n = word.len();
    let index = |rule: usize, from: usize, to: usize| (rule * (n + 1) + from) * (n + 1) + to;
    let mut table = vec![false; rules.len() * (n + 1) * (n + 1)];
    loop {
        let mut changed = false;
        for (rule, alternatives) in rules.iter().enumerate() {
            for from in 0..=n {
                for production in alternatives {
                    let mut ends = vec![false; n + 1];
                    ends[from] = true;
                    for symbol in production {
                        let mut next = vec![false; n + 1];
                        for at in (0..=n).filter(|&at| ends[at]) {
                            match symbol {
                                Symbol::Byte(byte) if word.get(at) == Some(byte) => {
                                    next[at + 1] = true
                                }
                                Symbol::Byte(_) => {}
                                Symbol::Rule(callee) => {
                                    (at..=n)
                                        .filter(|&to| table[index(*callee, at, to)])
                                        .for_each(|to| next[to] = true);
                                }
                            }
                        }
                        ends = next;
                    }
                    for to in (from..=n).filter(|&to| ends[to]) {
                        changed |= !std::mem::replace(&mut table[index(rule, from, to)], true);
                    }
                }
            }
        }
        if !changed {
            return table[index(0, 0, n)];
        }
    }
}

fn generation(grammar: Grammar) -> Generation {
    Generation::new(Arc::new(grammar), Arc::new(Binding::default()))
}

/// Whether the end can be reached from `state`, breadth first within `budget` states.
fn can_end(generation: &Generation, state: StateId, budget: usize) -> bool {
    let mut queue = vec![state];
    let mut next = 0;
    while next < queue.len() && queue.len() < budget {
        if generation.state(queue[next]).accepting {
            return true;
        }
        for byte in [b'a', b'b'] {
            let to = generation.advance(queue[next], byte).unwrap();
            if to != StateId::DEAD && !queue.contains(&to) {
                queue.push(to);
            }
        }
        next += 1;
    }
    next < queue.len()
}

fn words(length: u32) -> impl Iterator<Item = Vec<u8>> {
    (0..=length).flat_map(|n| {
        (0..1u32 << n).map(move |bits| {
            (0..n)
                .map(|i| if bits >> i & 1 == 0 { b'a' } else { b'b' })
                .collect()
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_the_span_table(rules in rules()) {
        let Some(grammar) = lower(&rules) else {
            for word in words(5) {
                prop_assert!(!derives(&rules, &word), "refused, but {word:?} belongs to it");
            }
            return Ok(());
        };
        let generation = generation(grammar);
        let start = generation.start().unwrap();
        for word in words(5) {
            let mut state = start;
            for &byte in &word {
                state = generation.advance(state, byte).unwrap();
            }
            prop_assert_eq!(generation.state(state).accepting, derives(&rules, &word), "{:?}", word);
            prop_assert!(state == StateId::DEAD || can_end(&generation, state, 300), "stuck after {word:?}");
        }
    }
}
