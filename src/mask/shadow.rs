//! Positions that are like a simpler one, cut by a measure or by forbidden beginnings.

use std::sync::Arc;

use super::measures::Measures;
use super::representation::{MaskBuilder, Row};
use super::rule::{Inside, RuleMask};
use super::suffix::ended;
use crate::base::{LimitError, TokenId};
use crate::grammar::{Body, Shadow, Words};
use crate::machine::{Generation, Item};
use crate::vocab::{Vocabulary, row};

/// Where cutting takes more tokens away than this, a cut row is made, and kept.
const MOST_CUT: usize = 1024;

/// The position that is shadowed.
pub(super) struct Source<'a> {
    body: &'a Body,
    state: &'a Words,
}

impl<'a> Source<'a> {
    pub(super) fn new(generation: &'a Generation, shadow: &'a Shadow) -> Self {
        Self {
            body: generation.grammar().rule(shadow.rule).body(),
            state: &shadow.state,
        }
    }

    fn measure(&self, text: &[u8]) -> u32 {
        match self.body {
            Body::Implicit(body) => body.measure(self.state, text),
            Body::Automaton(_) => 0,
        }
    }
}

/// Adds what the shadowed position's `mask` leaves within the `shadow` of `item`.
pub(super) fn add(
    generation: &Generation,
    vocabulary: &Vocabulary,
    item: Item,
    shadow: &Shadow,
    mask: &RuleMask,
    out: &mut MaskBuilder,
) -> Result<(), LimitError> {
    let source = Source::new(generation, shadow);
    let mut without: Vec<TokenId> = Vec::new();
    let trie = vocabulary.trie();
    for prefix in &shadow.without {
        if let Some(node) = trie.find(prefix) {
            without.extend_from_slice(trie.subtree_tokens(node));
        }
    }
    without.sort_unstable();
    inside(shadow, mask, &source, vocabulary, &without, out);
    for (exit, suffixes) in &mask.exits {
        ended(generation, item, exit, suffixes, |tokens| {
            for &(token, taken) in tokens {
                let bounded = shadow.least > 0 || shadow.most < u32::MAX;
                let measure = || {
                    let bytes = vocabulary.bytes(token).unwrap_or_default();
                    source.measure(&bytes[..usize::from(taken)])
                };
                let fits = !bounded || (shadow.least..=shadow.most).contains(&measure());
                if fits && without.binary_search(&token).is_err() {
                    out.token(token);
                }
            }
        })?;
    }
    Ok(())
}

fn inside(
    shadow: &Shadow,
    mask: &RuleMask,
    source: &Source<'_>,
    vocabulary: &Vocabulary,
    without: &[TokenId],
    out: &mut MaskBuilder,
) {
    let kept = |token: &TokenId| without.binary_search(token).is_err();
    if shadow.most == u32::MAX {
        match &mask.inside {
            Inside::Row(row) => out.row(row.clone(), without.to_vec()),
            Inside::List(list) => list.iter().copied().filter(kept).for_each(|t| out.token(t)),
        }
        return;
    }
    let measures = mask
        .measures
        .get_or_init(|| Arc::new(measured(mask, source, vocabulary)));
    let (cut, below) = measures.split(shadow.most);
    match &mask.inside {
        Inside::Row(row) if cut.len() <= MOST_CUT => {
            let minus = cut
                .iter()
                .map(|&(_, token)| token)
                .chain(without.iter().copied());
            out.row(row.clone(), minus.collect());
        }
        Inside::Row(_) if below.len() > MOST_CUT => {
            let make = || {
                let mut row = row::empty(vocabulary.len());
                below
                    .iter()
                    .for_each(|&(_, token)| row::insert(&mut row, token));
                Row::from(row)
            };
            out.row(measures.cut_row(shadow.most, make), without.to_vec());
        }
        _ => below
            .iter()
            .map(|(_, token)| *token)
            .filter(kept)
            .for_each(|t| out.token(t)),
    }
}

/// The measures of the tokens inside `mask`.
fn measured(mask: &RuleMask, source: &Source<'_>, vocabulary: &Vocabulary) -> Measures {
    let measure = |token| {
        let slice = mask.slice.as_ref();
        // Looping on a class of characters measures each of them as one.
        match slice.is_some_and(|slice| row::contains(slice, token)) {
            true => usize::from(vocabulary.slices().chars(token)),
            false => source.measure(vocabulary.bytes(token).unwrap_or_default()) as usize,
        }
    };
    match &mask.inside {
        Inside::Row(inside) => Measures::new(row::tokens(inside), measure),
        Inside::List(list) => Measures::new(list.iter().copied(), measure),
    }
}
