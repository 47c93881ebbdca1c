//! Positions that are like a simpler one, cut by a measure or by forbidden beginnings.

use std::sync::Arc;

use super::representation::{MaskBuilder, Row};
use super::rule::{Inside, RuleMask};
use super::suffix::ended;
use crate::base::{LimitError, TokenId};
use crate::grammar::{Body, Shadow, Words};
use crate::machine::{Generation, Item};
use crate::vocab::{Vocabulary, row};

/// Where cutting takes more tokens away than this, a cut row is made, and kept.
const MOST_CUT: usize = 1024;
/// Cut rows are kept for measures below this.
const CUT_ROWS: usize = 64;

/// The measures of the tokens inside a rule, for shadows that bound them.
#[derive(Debug)]
pub(super) struct Measures {
    /// The tokens inside, by descending measure.
    inside: Box<[(u32, TokenId)]>,
    cuts: Box<[std::sync::OnceLock<Row>]>,
}

impl Measures {
    fn new(mask: &RuleMask, source: &Source<'_>, vocabulary: &Vocabulary) -> Self {
        let mut buckets: Vec<Vec<TokenId>> = Vec::new();
        let mut put = |token: TokenId| {
            let in_slice = mask
                .slice
                .as_ref()
                .is_some_and(|slice| row::contains(slice, token));
            // Looping on a class of characters measures each of them as one.
            let measure = match in_slice {
                true => usize::from(vocabulary.slices().chars(token)),
                false => source.measure(vocabulary.bytes(token).unwrap_or_default()) as usize,
            };
            if buckets.len() <= measure {
                buckets.resize(measure + 1, Vec::new());
            }
            buckets[measure].push(token);
        };
        match &mask.inside {
            Inside::Row(inside) => row::tokens(inside).for_each(&mut put),
            Inside::List(list) => list.iter().copied().for_each(&mut put),
        }
        let inside = buckets.iter().enumerate().rev();
        Self {
            inside: inside
                .flat_map(|(m, b)| b.iter().map(move |&t| (m as u32, t)))
                .collect(),
            cuts: (0..CUT_ROWS).map(|_| std::sync::OnceLock::new()).collect(),
        }
    }

    /// How many tokens measure more than `most`; they come first.
    fn above(&self, most: u32) -> usize {
        self.inside.partition_point(|&(measure, _)| measure > most)
    }
}

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
        .get_or_init(|| Arc::new(Measures::new(mask, source, vocabulary)));
    let above = measures.above(shadow.most);
    let (cut, below) = measures.inside.split_at(above);
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
            let row = match measures.cuts.get(shadow.most as usize) {
                Some(kept) => kept.get_or_init(make).clone(),
                None => make(),
            };
            out.row(row, without.to_vec());
        }
        _ => below
            .iter()
            .map(|(_, token)| *token)
            .filter(kept)
            .for_each(|t| out.token(t)),
    }
}
