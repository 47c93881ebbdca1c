//! The machine against an independent recogniser, over random context-free grammars.

use std::sync::Arc;

use proptest::prelude::*;

use super::{Binding, Generation, StateId, Step};
use crate::base::{BudgetPart, Limits, RuleId};
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
    Generation::new(
        Arc::new(grammar),
        Arc::new(Binding::default()),
        BudgetPart::default(),
    )
}

/// How far the end is from `state`, breadth first; `None` where it is not within `budget` states.
fn distance(generation: &Generation, state: StateId, budget: usize) -> Option<usize> {
    let mut queue = vec![(state, 0)];
    let mut next = 0;
    while next < queue.len() && queue.len() < budget {
        let (state, steps) = queue[next];
        if generation.state(state).accepting {
            return Some(steps);
        }
        for byte in [b'a', b'b'] {
            let to = generation.advance(state, byte).unwrap();
            if to != StateId::DEAD && queue.iter().all(|&(known, _)| known != to) {
                queue.push((to, steps + 1));
            }
        }
        next += 1;
    }
    None
}

/// Where the way out leads from `state`, and how long it is.
fn led_out(generation: &Generation, state: StateId) -> (StateId, usize) {
    let way = generation.way_out(state).unwrap();
    let follow = |state, step: &Step| match *step {
        Step::Byte(byte) => generation.advance(state, byte).unwrap(),
        Step::Control(_) => panic!("no grammar here has control tokens"),
    };
    (way.iter().fold(state, follow), way.len())
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

#[test]
fn what_others_do_costs_a_holder_nothing() {
    let ends = vec![Symbol::Byte(b'b')];
    let goes_on = vec![Symbol::Byte(b'a'), Symbol::Rule(0)];
    let one = generation(lower(&vec![vec![goes_on, ends]]).unwrap());
    let start = one.start().unwrap();
    let (other, before) = (one.clone(), one.worked());
    one.advance(start, b'a').unwrap();
    assert!(one.worked() > before);
    assert_eq!(other.worked(), 0);
    assert!(other.is_same(&one));
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
            if state != StateId::DEAD {
                let (end, steps) = led_out(&generation, state);
                prop_assert!(generation.state(end).accepting, "stuck after {:?}", word);
                let fewest = distance(&generation, state, 300);
                prop_assert!(fewest.is_none_or(|fewest| steps == fewest), "{:?} {:?}", word, fewest);
            }
        }
    }
}
