//! Positions that are like a simpler one, cut by a measure, by forbidden beginnings or texts.
//!
//! PERF: without shadows the mean of cold masks is 2.3 times as long, p99 1.6 times (benches/LOG.md).

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::ahead;
use super::context::Context;
use super::local::{Ending, EndingMeasures, LocalRules, after};
use super::measures::{Cut, Measures};
use super::mentions::refused;
use super::places::{Place, Places, Wanted};
use super::representation::{MaskBuilder, Row};
use super::rule::{Contribution, Inside};
use super::walk::{self, Below, Tour};
use crate::base::{LimitError, TokenId};
use crate::grammar::{Ends, Hints, Shadow};
use crate::machine::{Item, Origin, Pos};
use crate::vocab::{Rank, Trie, Vocabulary, row};

/// So few tokens are listed where they begin with something forbidden, and so few texts looked through.
const FEW: usize = 32;
/// Few tokens are longer than so many bytes: where no others can be cut, no others are measured.
///
/// PERF: cold masks take 1.11 times as long where all are; without the second, the first mask of a bounded pattern ten times
/// as long (benches/LOG.md).
const LONG: [usize; 2] = [32, 16];

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

    /// So much measures no text that the bound takes away.
    fn sure(&self) -> u32 {
        let rest = self.hints.greatest_rest();
        self.shadow.most.saturating_sub(rest)
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
    let without = Without::new(context, rules, item, &source)?;
    add_inside((context, rules), mask, &source, &without, out)?;
    for (index, exit) in (0..).zip(&mask.exits) {
        let ending = rules.ending(context, item, (pos, index), exit)?;
        let left = Left::new(context.vocabulary, &ending, &source, &without);
        match shadow.ends {
            Ends::Tried => add_tried(context, item, &left, out)?,
            _ if left.are_all() => out.tokens(&ending.tokens),
            _ => left.tokens().for_each(|(_, token)| out.token(token)),
        }
    }
    match shadow.ends {
        Ends::Open => add_ended_within(context, item, &source, out),
        Ends::Same | Ends::Tried | Ends::Fewer => Ok(()),
    }
}

/// Adds tokens that lead too far within the rule, and in the middle of which it may end in time.
fn add_ended_within(
    context: &Context<'_>,
    item: Item,
    source: &Source<'_>,
    out: &mut MaskBuilder<'_>,
) -> Result<(), LimitError> {
    let Some(after) = after(context.generation, item, &[])? else {
        return Ok(());
    };
    let slices = context.vocabulary.slices();
    let behind = Places::new(context.over(), after).live(Places::START);
    // A token measures no more than it has bytes.
    let sure = source.sure() as usize;
    let leads_too_far = |token: &TokenId| {
        let bytes = context.vocabulary.bytes(*token).unwrap_or_default();
        bytes.len() > sure
    };
    let having = behind.iter().flat_map(|byte| slices.containing(byte));
    let tokens = having.copied().filter(leads_too_far);
    add_surviving(context, item, tokens, out)
}

/// Adds those of `tokens` that survive from `item`.
fn add_surviving(
    context: &Context<'_>,
    item: Item,
    tokens: impl Iterator<Item = TokenId>,
    out: &mut MaskBuilder<'_>,
) -> Result<(), LimitError> {
    let trie = context.vocabulary.trie();
    let mut places = Places::new(context.over(), Place::Item(item));
    for rank in trie.ranked(tokens) {
        if places.survives(trie.text(rank))? {
            out.token(trie.token(rank));
        }
    }
    Ok(())
}

/// Those of the tokens that end the rule and survive behind it that a shadow leaves.
struct Left<'a> {
    vocabulary: &'a Vocabulary,
    ending: &'a Ending,
    source: &'a Source<'a>,
    without: &'a Without<'a>,
    /// What they measure, where some measure too little or too much.
    measures: Option<&'a EndingMeasures>,
}

impl<'a> Left<'a> {
    fn new(
        vocabulary: &'a Vocabulary,
        ending: &'a Ending,
        source: &'a Source<'a>,
        without: &'a Without<'a>,
    ) -> Self {
        let measures = source
            .is_bounded()
            .then(|| ending.measures(vocabulary, |text| source.measure(text)));
        let measures = measures.filter(|measures| {
            let (least, greatest) = measures.range.clone().into_inner();
            !source.fits(least) || !source.fits(greatest)
        });
        Self {
            vocabulary,
            ending,
            source,
            without,
            measures,
        }
    }

    fn are_all(&self) -> bool {
        self.measures.is_none() && self.source.shadow.except.is_empty() && self.without.is_empty()
    }

    /// The tokens, each with its number among those that end the rule.
    fn tokens(&self) -> impl Iterator<Item = (usize, TokenId)> {
        let except = &self.source.shadow.except;
        let tokens = self.ending.tokens.iter().copied().enumerate();
        tokens.filter(|&(index, token)| {
            let measures = self.measures;
            let fits = measures.is_none_or(|measures| self.source.fits(measures.each[index]));
            let length = self.ending.taken(index);
            let may_be_one = except.len() > FEW || except.iter().any(|text| text.len() == length);
            let is_one = || {
                let text = self.text(index);
                except.binary_search_by(|other| (**other).cmp(text)).is_ok()
            };
            let differs = !may_be_one || !is_one();
            fits && differs && !self.without.contains(token)
        })
    }

    /// What of the token with this number ends the rule.
    fn text(&self, index: usize) -> &[u8] {
        self.ending.text(self.vocabulary, index)
    }
}

/// Adds those tokens that end the rule with their last byte, and those of the others that survive from `item`.
fn add_tried(
    context: &Context<'_>,
    item: Item,
    left: &Left<'_>,
    out: &mut MaskBuilder<'_>,
) -> Result<(), LimitError> {
    let mut longer = Vec::new();
    for (index, token) in left.tokens() {
        match context.vocabulary.bytes(token) {
            Some(bytes) if bytes.len() > left.ending.taken(index) => longer.push(token),
            _ => out.token(token),
        }
    }
    add_surviving(context, item, longer.into_iter(), out)
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
        source: &Source<'_>,
    ) -> Result<Self, LimitError> {
        let (trie, shadow) = (context.vocabulary.trie(), source.shadow);
        let ranks = |node| trie.subtree_ranks(node);
        let nodes = shadow.without.iter().filter_map(|text| trie.find(text));
        let mut beginnings: Vec<Range<Rank>> = nodes.map(ranks).collect();
        if shadow.ends == Ends::Tried {
            let refused = ahead::refused(context, item, source.pos)?;
            beginnings.extend(refused.into_iter().map(ranks));
        }
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
    let vocabulary = context.vocabulary;
    let (most, sure) = (source.shadow.most, source.sure());
    // A token measures no more than it has bytes.
    if sure >= vocabulary.longest_token() as u32 {
        match &mask.inside {
            Inside::Row(row) => out.row(row.clone(), without.among(row)),
            Inside::List(list) => without.add_others(list.iter().copied(), out),
        }
        return Ok(());
    }
    let inside = match &mask.inside {
        Inside::Row(row) => Some(row),
        Inside::List(_) => None,
    };
    let among = inside.map_or(Among::All, |_| Among::beyond(sure));
    let measures = measures((context, rules), mask, source, among)?;
    let grew = |bytes| rules.grew(context, bytes);
    match measures.cut(vocabulary, inside, most, grew) {
        Cut::Row(row) => out.row(row, without.tokens().collect()),
        Cut::Few(tokens) => without.add_others(tokens.iter().copied(), out),
        Cut::But(tokens) => {
            let tokens = tokens.iter().copied().chain(without.tokens());
            if let Some(row) = inside {
                out.row(row.clone(), tokens.collect());
            }
        }
    }
    Ok(())
}

/// Which tokens are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Among {
    All,
    /// Those of more than [`LONG`] bytes, by its index.
    Long(usize),
}

impl Among {
    /// Those that can measure more than `sure`, or more.
    fn beyond(sure: u32) -> Self {
        let long = LONG.iter().position(|&long| long as u32 <= sure);
        long.map_or(Self::All, Self::Long)
    }

    /// Where they are kept.
    fn index(self) -> usize {
        match self {
            Self::All => LONG.len(),
            Self::Long(index) => index,
        }
    }
}

/// The measures of the tokens inside `mask`, which are kept with it.
fn measures<'a>(
    (context, rules): (&Context<'_>, &LocalRules),
    mask: &'a Contribution,
    source: &Source<'_>,
    among: Among,
) -> Result<&'a Measures, LimitError> {
    let known = &mask.measures[among.index()];
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
    let slice = mask.slice.as_ref();
    let sliced = |token| slice.is_some_and(|(slice, _)| row::contains(slice, token));
    let of_slice = slice.map(|(slice, home)| (slice.clone(), source.hints.rest(home)));
    let mut all = Measuring {
        context,
        source,
        measures: Measures::of(of_slice),
        rests: FxHashMap::default(),
    };
    match (&mask.inside, among) {
        (Inside::List(list), _) => all.add_tokens(list.iter().copied())?,
        (Inside::Row(inside), Among::Long(index)) => {
            let long = context.vocabulary.slices().longer_than(LONG[index]);
            all.add_tokens(long.filter(|&token| row::contains(inside, token) && !sliced(token)))?;
        }
        (Inside::Row(inside), Among::All) if slice.is_some() => {
            all.add_tokens(row::tokens(inside).filter(|&token| !sliced(token)))?;
        }
        (Inside::Row(inside), Among::All) => all.add_by_walk(inside)?,
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
    /// Adds tokens that are tried one by one.
    fn add_tokens(&mut self, tokens: impl Iterator<Item = TokenId>) -> Result<(), LimitError> {
        let mut places = self.places();
        let trie = self.context.vocabulary.trie();
        for rank in trie.ranked(tokens) {
            let text = trie.text(rank);
            let number = places.run(text)?;
            if number != Places::DEAD {
                let measure = self.of(text, number, &places);
                self.measures.add(trie.token(rank), measure);
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
            let tokens = trie.tokens(node);
            if tokens.iter().any(|&token| row::contains(row, token)) {
                // The tokens of a node are the same text.
                let text = trie.text(trie.own_ranks(node).start);
                let measure = self.of(text, number, places);
                let inside = tokens.iter().filter(|&&token| row::contains(row, token));
                inside.for_each(|&token| self.measures.add(token, measure));
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

    /// The measure of a text that leads to the place of that number, with its rest.
    fn of(&mut self, text: &[u8], number: u32, places: &Places<'_>) -> u32 {
        let known = self.rests.get(&number).copied();
        let rest = known.unwrap_or_else(|| {
            let rest = self.rest(places.place(number));
            self.rests.insert(number, rest);
            rest
        });
        self.source.measure(text) + rest
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
