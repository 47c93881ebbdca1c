//! Positions that are like a simpler one, cut by a measure, by forbidden beginnings or texts.
//!
//! PERF: without shadows the mean of cold masks is 2.3 times as long, p99 1.6 times (benches/LOG.md).

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::context::Context;
use super::local::{Ending, LocalRules};
use super::mentions::refused;
use super::places::{Place, Places, Wanted};
use super::representation::{MaskBuilder, Row};
use super::rule::{Contribution, Inside, Measures};
use super::walk::{self, Below, Tour};
use crate::base::{LimitError, TokenId};
use crate::grammar::{Hints, Shadow};
use crate::machine::{Item, Origin, Pos};
use crate::vocab::{Rank, Trie, Vocabulary, row};

/// Where cutting takes more tokens away than this, a cut row is made, and kept.
const MOST_CUT: usize = 1024;
/// So few tokens are listed where they begin with something forbidden.
const FEW: usize = 32;
/// Few tokens are longer than so many bytes: where no others can be cut, no others are measured.
///
/// PERF: cold masks take 1.11 times as long where all are (benches/LOG.md).
const LONG: usize = 32;

/// The position that is shadowed.
struct Source<'a> {
    /// What its body tells.
    hints: &'a dyn Hints,
    shadow: &'a Shadow<'a>,
    pos: Pos,
}

impl Source<'_> {
    /// Whether a text of this measure is within the bounds.
    fn fits(&self, measure: u32) -> bool {
        (self.shadow.least..=self.shadow.most).contains(&measure)
    }

    fn is_bounded(&self) -> bool {
        self.shadow.least > 0 || self.shadow.most < u32::MAX
    }

    fn measure(&self, text: &[u8]) -> u32 {
        self.hints.measure(&self.shadow.state, text)
    }
}

/// Adds what the `mask` of the position at `pos` leaves within the `shadow` of that of `item`.
pub(super) fn add(
    context: &Context<'_>,
    rules: &LocalRules,
    item: Item,
    (shadow, pos): (&Shadow<'_>, Pos),
    mask: &Contribution,
    out: &mut MaskBuilder<'_>,
) -> Result<(), LimitError> {
    let rule = context.generation.grammar().rule(shadow.rule);
    let source = Source {
        hints: rule.body().hints(),
        shadow,
        pos,
    };
    let without = Without::new(context, rules, item, shadow)?;
    add_inside((context, rules), mask, &source, &without, out)?;
    for (index, exit) in (0..).zip(&mask.exits) {
        let ending = rules.ending(context, item, (pos, index), exit)?;
        add_ending(context.vocabulary, &ending, &source, &without, out);
    }
    Ok(())
}

/// Adds those of the tokens that end the rule and survive behind it that the shadow leaves.
fn add_ending(
    vocabulary: &Vocabulary,
    ending: &Ending,
    source: &Source<'_>,
    without: &Without<'_>,
    out: &mut MaskBuilder<'_>,
) {
    let shadow = source.shadow;
    let measures = source
        .is_bounded()
        .then(|| ending.measures(vocabulary, |text| source.measure(text)));
    let measures = measures.filter(|measures| {
        let (least, greatest) = measures.range.clone().into_inner();
        !source.fits(least) || !source.fits(greatest)
    });
    if measures.is_none() && shadow.except.is_empty() && without.is_empty() {
        return out.tokens(&ending.tokens);
    }
    for (index, &token) in ending.tokens.iter().enumerate() {
        let fits = measures.is_none_or(|measures| source.fits(measures.each[index]));
        let text = || ending.text(vocabulary, index);
        let except = &shadow.except;
        let differs = except.is_empty() || except.binary_search_by(|e| (**e).cmp(text())).is_err();
        if fits && differs && !without.contains(token) {
            out.token(token);
        }
    }
}

/// The tokens that a shadow takes away whatever they measure.
struct Without<'a> {
    trie: &'a Trie,
    /// The ranks of those that have a forbidden beginning, ascending, unless they are few.
    beginnings: Vec<Range<Rank>>,
    /// The others, ascending.
    listed: Vec<TokenId>,
}

impl<'a> Without<'a> {
    fn new(
        context: &Context<'a>,
        rules: &LocalRules,
        item: Item,
        shadow: &Shadow<'_>,
    ) -> Result<Self, LimitError> {
        let trie = context.vocabulary.trie();
        let ranks = |node| trie.subtree_ranks(node);
        let nodes = shadow.without.iter().filter_map(|text| trie.find(text));
        let mut beginnings: Vec<Range<Rank>> = nodes.map(ranks).collect();
        beginnings.sort_unstable_by_key(|ranks| (ranks.start, Reverse(ranks.end)));
        // Subtrees are apart, or one is within the other.
        beginnings.dedup_by(|later, first| later.start < first.end);
        let mut listed = match &shadow.memory {
            Some(memory) => refused(rules.mentions(context), context.over(), item, memory)?,
            None => Vec::new(),
        };
        // PERF: whoever asks about a list need not look for each token's rank.
        let count: usize = beginnings
            .iter()
            .map(|ranks| trie.tokens_ranked(ranks.clone()).len())
            .sum();
        if count <= FEW {
            let few = beginnings
                .drain(..)
                .flat_map(|ranks| trie.tokens_ranked(ranks));
            listed.extend(few);
            listed.sort_unstable();
        }
        Ok(Self {
            trie,
            beginnings,
            listed,
        })
    }

    fn is_empty(&self) -> bool {
        self.beginnings.is_empty() && self.listed.is_empty()
    }

    fn contains(&self, token: TokenId) -> bool {
        let begins = || {
            let rank = self.trie.rank(token);
            let after = self.beginnings.partition_point(|ranks| ranks.end <= rank);
            self.beginnings
                .get(after)
                .is_some_and(|ranks| ranks.start <= rank)
        };
        !self.beginnings.is_empty() && begins() || self.listed.binary_search(&token).is_ok()
    }

    /// Those that `row` has.
    fn among(&self, row: &Row) -> Vec<TokenId> {
        let has = |token: &TokenId| row::contains(row, *token);
        self.tokens().filter(has).collect()
    }

    /// Adds those of `tokens` that are none of them.
    fn add_others(&self, tokens: impl Iterator<Item = TokenId>, out: &mut MaskBuilder<'_>) {
        let kept = tokens.filter(|&token| !self.contains(token));
        kept.for_each(|token| out.token(token));
    }

    fn tokens(&self) -> impl Iterator<Item = TokenId> + '_ {
        let beginnings = self.beginnings.iter();
        let beginnings = beginnings.flat_map(|ranks| self.trie.tokens_ranked(ranks.clone()));
        beginnings.chain(&self.listed).copied()
    }
}

/// Adds the tokens that stay inside.
fn add_inside(
    (context, rules): (&Context<'_>, &LocalRules),
    mask: &Contribution,
    source: &Source<'_>,
    without: &Without<'_>,
    out: &mut MaskBuilder<'_>,
) -> Result<(), LimitError> {
    let most = source.shadow.most;
    let greatest = source.hints.greatest_rest();
    // A token measures no more than it has bytes.
    if most >= (context.vocabulary.longest_token() as u32).saturating_add(greatest) {
        match &mask.inside {
            Inside::Row(row) => out.row(row.clone(), without.among(row)),
            Inside::List(list) => without.add_others(list.iter().copied(), out),
        }
        return Ok(());
    }
    let among = match &mask.inside {
        Inside::Row(_) if most >= (LONG as u32).saturating_add(greatest) => Among::Long,
        Inside::Row(_) | Inside::List(_) => Among::All,
    };
    let measures = measures((context, rules), mask, source, among)?;
    let (cut, below) = measures.split(most);
    let cut = cut.iter().map(|&(_, token)| token);
    match &mask.inside {
        Inside::Row(row) if cut.len() <= MOST_CUT => {
            out.row(row.clone(), cut.chain(without.tokens()).collect());
        }
        Inside::Row(row) if among == Among::Long || below.len() > MOST_CUT => {
            let make = || {
                let mut row = row.to_vec();
                cut.for_each(|token| row::remove(&mut row, token));
                rules.grew(context, size_of_val(&*row));
                Row::from(row)
            };
            out.row(measures.cut_row(most, make), without.tokens().collect());
        }
        _ => without.add_others(below.iter().map(|&(_, token)| token), out),
    }
    Ok(())
}

/// Which tokens are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Among {
    All,
    /// Those of more than [`LONG`] bytes.
    Long,
}

/// The measures of the tokens inside `mask`, which are kept with it.
fn measures<'a>(
    (context, rules): (&Context<'_>, &LocalRules),
    mask: &'a Contribution,
    source: &Source<'_>,
    among: Among,
) -> Result<&'a Measures, LimitError> {
    let known = match among {
        Among::All => &mask.measures,
        Among::Long => &mask.long_measures,
    };
    if let Some(measures) = known.get() {
        return Ok(measures);
    }
    let measures = Arc::new(measured(context, mask, source, among)?);
    rules.grew(context, measures.bytes());
    Ok(known.get_or_init(|| measures))
}

/// The measures of the tokens inside `mask`, each with the rest of where it leads.
fn measured(
    context: &Context<'_>,
    mask: &Contribution,
    source: &Source<'_>,
    among: Among,
) -> Result<Measures, LimitError> {
    let vocabulary = context.vocabulary;
    let long = || vocabulary.slices().longer_than(LONG);
    let mut all = Measuring {
        context,
        source,
        measures: Measures::default(),
        rests: FxHashMap::default(),
    };
    let slice = mask.slice.as_ref();
    if let Some((slice, home)) = slice {
        match among {
            Among::All => all.add_slice(row::tokens(slice), home),
            Among::Long => all.add_slice(long().filter(|&token| row::contains(slice, token)), home),
        }
    }
    let sliced = |token| slice.is_some_and(|(slice, _)| row::contains(slice, token));
    match &mask.inside {
        Inside::List(list) => all.add_tokens(list.iter().copied())?,
        Inside::Row(inside) if among == Among::Long => {
            let inside = long().filter(|&token| row::contains(inside, token) && !sliced(token));
            all.add_tokens(inside)?;
        }
        Inside::Row(inside) if slice.is_some() => {
            all.add_tokens(row::tokens(inside).filter(|&token| !sliced(token)))?;
        }
        Inside::Row(inside) => all.add_by_walk(inside)?,
    }
    Ok(all.measures.sorted())
}

/// The measures of some tokens, as they are found.
struct Measuring<'a> {
    context: &'a Context<'a>,
    source: &'a Source<'a>,
    measures: Measures,
    /// The rests of the places that tokens lead to, by number.
    rests: FxHashMap<u32, u32>,
}

impl<'a> Measuring<'a> {
    /// Adds the tokens of a slice: each of their characters measures one, and leads back to `home`.
    fn add_slice(&mut self, tokens: impl Iterator<Item = TokenId>, home: &[u32]) {
        let (slices, rest) = (
            self.context.vocabulary.slices(),
            self.source.hints.rest(home),
        );
        tokens.for_each(|token| {
            let characters = u32::from(slices.chars(token));
            self.measures.add(token, characters + rest);
        });
    }

    /// Adds tokens that are tried one by one.
    fn add_tokens(&mut self, tokens: impl Iterator<Item = TokenId>) -> Result<(), LimitError> {
        let mut places = self.places();
        for token in tokens {
            let bytes = self.context.vocabulary.bytes(token).unwrap_or_default();
            let number = places.run(bytes)?;
            if number != Places::DEAD {
                self.add(token, number, places.place(number));
            }
        }
        Ok(())
    }

    /// Adds the tokens of a row, found by a walk.
    fn add_by_walk(&mut self, row: &Row) -> Result<(), LimitError> {
        let mut places = self.places();
        let tour = Tour {
            vocabulary: self.context.vocabulary,
            wanted: Wanted::Place,
        };
        let trie = tour.vocabulary.trie();
        walk::from_start(&mut places, tour, None, |places, node, number| {
            for &token in trie.tokens(node) {
                if row::contains(row, token) {
                    self.add(token, number, places.place(number));
                }
            }
            Ok(Below::Walk)
        })
    }

    fn places(&self) -> Places<'a> {
        let item = Item {
            pos: self.source.pos,
            origin: Origin::BOTTOM,
        };
        Places::new(self.context.over(), Place::Item(item))
    }

    fn add(&mut self, token: TokenId, number: u32, place: Place) {
        let known = self.rests.get(&number).copied();
        let rest = known.unwrap_or_else(|| {
            let rest = self.rest(place);
            self.rests.insert(number, rest);
            rest
        });
        let bytes = self.context.vocabulary.bytes(token).unwrap_or_default();
        self.measures.add(token, self.source.measure(bytes) + rest);
    }

    /// The least measure of what ends the rule from `place`.
    fn rest(&self, place: Place) -> u32 {
        let generation = self.context.generation;
        let rest = |pos: Pos| {
            let words = generation.words(pos);
            words.map_or(0, |words| self.source.hints.rest(words))
        };
        match place {
            Place::Item(item) => rest(item.pos),
            // Where the rule may end, or calls another, a place is a state: the positions in it for which nobody waits
            // are those of the rule.
            Place::State(state) => {
                let items = generation.state(state).items.iter();
                let own = items.filter(|item| item.origin == Origin::BOTTOM);
                own.map(|item| rest(item.pos)).min().unwrap_or(0)
            }
            Place::Onward => 0,
        }
    }
}
