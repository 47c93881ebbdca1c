//! Positions that are like a simpler one, cut by a measure, by forbidden beginnings or texts.

use std::cmp::Reverse;
use std::iter::once;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::context::Context;
use super::measures::Measures;
use super::mentions::refused;
use super::places::{Place, Places, Wanted};
use super::representation::{MaskBuilder, Row};
use super::rule::{Inside, RuleMask};
use super::rule_cache::LocalRules;
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
const LONG: usize = 32;

/// The position that is shadowed.
struct Source<'a> {
    /// What its body tells.
    hints: &'a dyn Hints,
    shadow: &'a Shadow<'a>,
    pos: Pos,
}

/// Adds what the `mask` of the position at `pos` leaves within the `shadow` of that of `item`.
pub(super) fn add(
    context: &Context<'_>,
    rules: &LocalRules,
    item: Item,
    (shadow, pos): (&Shadow<'_>, Pos),
    mask: &RuleMask,
    out: &mut MaskBuilder<'_>,
) -> Result<(), LimitError> {
    let vocabulary = context.vocabulary;
    let source = Source {
        hints: context
            .generation
            .grammar()
            .rule(shadow.rule)
            .body()
            .hints(),
        shadow,
        pos,
    };
    let without = Without::new(context, rules, item, shadow)?;
    inside(context, mask, &source, &without, out)?;
    let bounds = shadow.least..=shadow.most;
    let bounded = shadow.least > 0 || shadow.most < u32::MAX;
    let is_plain = shadow.except.is_empty() && without.is_empty();
    for (index, exit) in (0..).zip(&mask.exits) {
        let ending = rules.ending(context, item, (pos, index), exit)?;
        // PERF: mostly all of them fit, and they need not be looked at one by one. No text measures more than it has bytes.
        let is_roomy = shadow.least == 0 && u32::from(ending.longest()) <= shadow.most;
        let measures = (bounded && !is_roomy)
            .then(|| ending.measures(vocabulary, |text| source.hints.measure(&shadow.state, text)));
        let measures = measures.filter(|measures| {
            let (least, greatest) = measures.range.clone().into_inner();
            !bounds.contains(&least) || !bounds.contains(&greatest)
        });
        if is_plain && measures.is_none() {
            out.tokens(&ending.tokens);
            continue;
        }
        let mut others = 0;
        if shadow.except.is_empty() && measures.is_none() && without.listed.is_empty() {
            // PERF: where a name has ended, half of the tokens begin as it may not go on.
            others = ending.ranks.len();
            let kept = without.between(&ending.ranks);
            kept.for_each(|run| out.tokens(&ending.tokens[run]));
        }
        for (index, &token) in ending.tokens.iter().enumerate().skip(others) {
            let fits = measures.is_none_or(|measures| bounds.contains(&measures.each[index]));
            let text = || ending.text(vocabulary, index);
            let except = &shadow.except;
            let differs =
                except.is_empty() || except.binary_search_by(|e| (**e).cmp(text())).is_err();
            if fits && differs && !without.contains(token) {
                out.token(token);
            }
        }
    }
    Ok(())
}

/// The tokens that a shadow takes away whatever they measure.
struct Without<'a> {
    trie: &'a Trie,
    /// The ranks of those that have a forbidden beginning, ascending, unless they are few.
    beginnings: Vec<Range<Rank>>,
    /// The others, ascending.
    listed: Vec<TokenId>,
    /// The bits of their ids' last digits.
    ///
    /// PERF: hardly a token that is asked for is among them.
    digits: u64,
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
        let digits = listed
            .iter()
            .fold(0, |digits, &token| digits | digit(token));
        Ok(Self {
            trie,
            beginnings,
            listed,
            digits,
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
        let is_listed =
            || self.digits & digit(token) != 0 && self.listed.binary_search(&token).is_ok();
        !self.beginnings.is_empty() && begins() || is_listed()
    }

    /// Which of these `ranks`, ascending, lie between the beginnings.
    fn between(&self, ranks: &[Rank]) -> impl Iterator<Item = Range<usize>> {
        let at = |rank: Rank| ranks.partition_point(|&other| other < rank);
        let starts = self.beginnings.iter().map(move |cut| at(cut.end));
        let ends = self.beginnings.iter().map(move |cut| at(cut.start));
        let runs = once(0).chain(starts).zip(ends.chain(once(ranks.len())));
        runs.map(|(start, end)| start..end)
    }

    /// Those that `row` has.
    fn among(&self, row: &Row) -> Vec<TokenId> {
        let has = |token: &TokenId| row::contains(row, *token);
        self.tokens().filter(has).collect()
    }

    fn tokens(&self) -> impl Iterator<Item = TokenId> + '_ {
        let beginnings = self.beginnings.iter();
        let beginnings = beginnings.flat_map(|ranks| self.trie.tokens_ranked(ranks.clone()));
        beginnings.chain(&self.listed).copied()
    }
}

/// The last digit of the id in base 64, as a bit.
fn digit(token: TokenId) -> u64 {
    1 << (token.get() % 64)
}

/// Adds the tokens that stay inside.
fn inside(
    context: &Context<'_>,
    mask: &RuleMask,
    source: &Source<'_>,
    without: &Without<'_>,
    out: &mut MaskBuilder<'_>,
) -> Result<(), LimitError> {
    let shadow = source.shadow;
    let kept = |token: &TokenId| !without.contains(*token);
    let vocabulary = context.vocabulary;
    // A token measures no more than it has bytes.
    let longest = vocabulary.longest_token() as u32;
    if shadow.most >= longest.saturating_add(source.hints.greatest_rest()) {
        match &mask.inside {
            Inside::Row(row) => out.row(row.clone(), without.among(row)),
            Inside::List(list) if without.is_empty() => out.tokens(list),
            Inside::List(list) => {
                let left = list.iter().copied().filter(kept);
                left.for_each(|token| out.token(token));
            }
        }
        return Ok(());
    }
    let long_only = shadow.most >= (LONG as u32).saturating_add(source.hints.greatest_rest());
    let among = match &mask.inside {
        Inside::Row(_) if long_only => Among::Long,
        Inside::Row(_) | Inside::List(_) => Among::All,
    };
    let measures = measures(context, mask, source, among)?;
    let (cut, below) = measures.split(shadow.most);
    match &mask.inside {
        Inside::Row(row) if among == Among::Long && cut.len() > MOST_CUT => {
            let make = || {
                let mut row = row.to_vec();
                cut.iter()
                    .for_each(|&(_, token)| row::remove(&mut row, token));
                Row::from(row)
            };
            out.row(
                measures.cut_row(shadow.most, make),
                without.tokens().collect(),
            );
        }
        Inside::Row(row) if cut.len() <= MOST_CUT => {
            let minus = cut.iter().map(|&(_, token)| token).chain(without.tokens());
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
            out.row(
                measures.cut_row(shadow.most, make),
                without.tokens().collect(),
            );
        }
        _ => below
            .iter()
            .map(|(_, token)| *token)
            .filter(kept)
            .for_each(|t| out.token(t)),
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
    context: &Context<'_>,
    mask: &'a RuleMask,
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
    Ok(known.get_or_init(|| measures))
}

/// The measures of the tokens inside `mask`, each with the rest of where it leads.
fn measured(
    context: &Context<'_>,
    mask: &RuleMask,
    source: &Source<'_>,
    among: Among,
) -> Result<Measures, LimitError> {
    let Context {
        generation,
        vocabulary,
        ..
    } = *context;
    let item = Item {
        pos: source.pos,
        origin: Origin::BOTTOM,
    };
    let trie = vocabulary.trie();
    let long = || vocabulary.slices().longer_than(LONG);
    let mut measures = Measures::default();
    // Looping on a class of characters measures each of them as one, and leads back.
    let slice = mask.slice.as_ref();
    if let Some((slice, home)) = slice {
        let looping = source.hints.rest(home);
        let chars = |token| u32::from(vocabulary.slices().chars(token));
        let add = |token| measures.add(token, chars(token) + looping);
        match among {
            Among::All => row::tokens(slice).for_each(add),
            Among::Long => long()
                .filter(|&token| row::contains(slice, token))
                .for_each(add),
        }
    }
    let sliced = |token| slice.is_some_and(|(slice, _)| row::contains(slice, token));
    let mut rests: FxHashMap<u32, u32> = FxHashMap::default();
    // Where the rule may end, or calls another, a place is a state: the positions in it that wait
    // for nobody are those of the rule.
    let rest_of = |place: Place| {
        let rest = |pos: Pos| {
            generation
                .words(pos)
                .map_or(0, |words| source.hints.rest(words))
        };
        match place {
            Place::Item(item) => rest(item.pos),
            Place::State(state) => {
                let items = generation.state(state).items.iter();
                let own = items.filter(|item| item.origin == Origin::BOTTOM);
                own.map(|item| rest(item.pos)).min().unwrap_or(0)
            }
            _ => 0,
        }
    };
    let mut measure = |token, number, place| {
        if sliced(token) {
            return;
        }
        let rest = rests.entry(number).or_insert_with(|| rest_of(place));
        let bytes = vocabulary.bytes(token).unwrap_or_default();
        measures.add(
            token,
            source.hints.measure(&source.shadow.state, bytes) + *rest,
        );
    };
    let mut places = Places::new(context.over(), Place::Item(item));
    match (&mask.inside, slice) {
        (Inside::Row(inside), _) if among == Among::Long => {
            let inside = long().filter(|&token| row::contains(inside, token) && !sliced(token));
            run(&mut places, vocabulary, inside, measure)?
        }
        (Inside::List(list), _) => run(&mut places, vocabulary, list.iter().copied(), measure)?,
        (Inside::Row(inside), Some((slice, _))) => {
            let others = row::tokens(inside).filter(|&token| !row::contains(slice, token));
            run(&mut places, vocabulary, others, measure)?;
        }
        (Inside::Row(inside), None) => {
            let tour = Tour {
                vocabulary,
                wanted: Wanted::Place,
            };
            walk::from_start(&mut places, tour, None, |places, node, number| {
                let place = places.place(number);
                let tokens = trie.tokens(node).iter();
                let tokens = tokens.filter(|&&token| row::contains(inside, token));
                tokens.for_each(|&token| measure(token, number, place));
                Ok(Below::Walk)
            })?
        }
    }
    Ok(measures.sorted())
}

/// Calls `measure` with each of `tokens` and the place that it leads to.
fn run(
    places: &mut Places<'_>,
    vocabulary: &Vocabulary,
    tokens: impl Iterator<Item = TokenId>,
    mut measure: impl FnMut(TokenId, u32, Place),
) -> Result<(), LimitError> {
    for token in tokens {
        let number = places.run(vocabulary.bytes(token).unwrap_or_default())?;
        if number != Places::DEAD {
            measure(token, number, places.place(number));
        }
    }
    Ok(())
}
