//! What is remembered of the rules of one generation, by position and by where callers go on.

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use smallvec::SmallVec;

use super::bounded::Bounded;
use super::context::{Contents, Context};
use super::crossing::{Comers, Crossed, Crossing, Met, Passage};
use super::mentions::Mentions;
use super::places::{Over, Place};
use super::rule::{Contribution, RuleKey};
use super::slice::Slice;
use super::suffix::{Ended, SuffixTrie, Suffixes};
use crate::base::{BudgetPart, ByteSet, LimitError, Share, TokenId, lock};
use crate::grammar::{Ends, Words};
use crate::machine::{Generation, Item, Origin, Pos};
use crate::vocab::{NodeId, Vocabulary};

/// What the rules of one generation contribute.
#[derive(Debug)]
pub(super) struct LocalRules {
    contents: Contents,
    positions: Mutex<Bounded<Pos, Option<Arc<Contribution>>>>,
    endings: Mutex<Bounded<EndingKey, Arc<Ending>>>,
    mentions: OnceLock<SmallVec<[Arc<Mentions>; 1]>>,
}

/// The position whose exits are meant, which of them, and where callers go on.
type EndingKey = (Pos, u32, Place);

impl LocalRules {
    /// With at most about `most_bytes`. Endings count towards `share`; contributions are mostly others', too.
    pub(super) fn new(most_bytes: usize, share: &Arc<Share>) -> Self {
        Self {
            contents: Contents::default(),
            positions: Mutex::new(Bounded::new(most_bytes / 2)),
            endings: Mutex::new(Bounded::within(most_bytes / 2, BudgetPart::of(share))),
            mentions: OnceLock::new(),
        }
    }

    /// All that is kept, to be dropped one by one.
    pub(super) fn dismantle(self) -> impl Iterator<Item = ()> + Send {
        let positions = self.positions.into_inner();
        let positions = positions.unwrap_or_else(PoisonError::into_inner);
        let endings = self.endings.into_inner();
        let endings = endings.unwrap_or_else(PoisonError::into_inner);
        positions.dismantle().chain(endings.dismantle())
    }

    pub(super) fn contents(&self) -> &Contents {
        &self.contents
    }

    /// Which tokens mention a text, for each way that the grammar's bodies delimit those they remember.
    pub(super) fn mentions(&self, context: &Context<'_>) -> &[Arc<Mentions>] {
        self.mentions.get_or_init(|| {
            let declared = context.generation.delimiters().iter();
            let of = |&delimiters| context.rules.mentions(context.vocabulary, delimiters);
            declared.map(of).collect()
        })
    }

    /// The tokens that end the rule of `item` by the `index`th exit of the position at `source`,
    /// and survive where its callers go on.
    ///
    /// Positions that shadow the same one before the same continuation have the same.
    ///
    /// PERF: cold masks take 1.06 times as long where they are not kept (benches/LOG.md).
    pub(super) fn ending(
        &self,
        context: &Context<'_>,
        item: Item,
        (source, index): (Pos, u32),
        exit: &(Words, Suffixes),
    ) -> Result<Arc<Ending>, LimitError> {
        let Some(after) = after(context.generation, item, &exit.0)? else {
            let whole = exit.1.whole(context.vocabulary.trie());
            return Ok(Arc::new(Ending::of(whole)));
        };
        let key = (source, index, after);
        let known = || lock(&self.endings);
        if let Some(ending) = known().get(&key) {
            return Ok(ending.clone());
        }
        let ending = Arc::new(self.find_ending(context, (source, index), &exit.1, after)?);
        let _dropped = known().insert(key, ending.clone(), ending.bytes());
        Ok(ending)
    }

    fn find_ending(
        &self,
        context: &Context<'_>,
        (source, index): (Pos, u32),
        suffixes: &Suffixes,
        after: Place,
    ) -> Result<Ending, LimitError> {
        let over = context.over();
        if let Some(start) = after.sole(context.generation)
            && let Some(key) = self.key(context, source)
            && let comers = (Comers::Exit(key, index), suffixes)
            && let Some(crossed) = of_suffixes((context, &self.contents), start, comers)?
        {
            let mut ending = Ending::staying(&crossed);
            crossed.behind(over, |ended| ending.push(ended))?;
            return Ok(ending);
        }
        let mut ending = Ending::default();
        suffixes.walk(over, after, |ended| ending.push(ended))?;
        Ok(ending)
    }

    /// Notes that a contribution has grown by so many bytes, here and among what is shared.
    pub(super) fn grew(&self, context: &Context<'_>, bytes: usize) {
        lock(&self.positions).grow(bytes);
        context.rules.grew(bytes);
    }

    /// What the rule of `pos` contributes from there, if that is worth keeping.
    pub(super) fn get(
        &self,
        context: &Context<'_>,
        pos: Pos,
    ) -> Result<Option<Arc<Contribution>>, LimitError> {
        let known = || lock(&self.positions);
        if let Some(mask) = known().get(&pos) {
            return Ok(mask.clone());
        }
        let mask = self.make(context, pos)?;
        let bytes = size_of::<(Pos, Arc<Contribution>)>() + own_bytes(mask.as_ref());
        let _dropped = known().insert(pos, mask.clone(), bytes);
        Ok(mask)
    }

    fn make(
        &self,
        context: &Context<'_>,
        pos: Pos,
    ) -> Result<Option<Arc<Contribution>>, LimitError> {
        let Context {
            generation, rules, ..
        } = *context;
        if generation.words(pos).is_none() {
            return Ok(None);
        }
        let make = || {
            let wider = self.wider(context, pos)?;
            let mask = Contribution::new(context.over(), pos, wider.as_deref())?;
            Ok(mask.map(Arc::new))
        };
        let Some(key) = self.key(context, pos) else {
            let is_worth_it = generation
                .shadow(pos)
                .is_some_and(|shadow| shadow.ends == Ends::Fewer)
                || Slice::at(generation, pos)?.is_some();
            return if is_worth_it { make() } else { Ok(None) };
        };
        if let Some(mask) = rules.get(&key) {
            return Ok(mask);
        }
        let mask = make()?;
        rules.put(key, mask.clone());
        Ok(mask)
    }

    /// What is kept for all grammars has this key, if the rule of `pos` is told by its content.
    fn key(&self, context: &Context<'_>, pos: Pos) -> Option<RuleKey> {
        let generation = context.generation;
        let content = self.contents.get(context, generation.inst(pos))?;
        Some((content, generation.words(pos)?.clone()))
    }

    /// The mask of the position that `pos` is like but for the texts that end its rule, if any.
    fn wider(
        &self,
        context: &Context<'_>,
        pos: Pos,
    ) -> Result<Option<Arc<Contribution>>, LimitError> {
        let shadow = context.generation.shadow(pos);
        match shadow.filter(|shadow| shadow.ends == Ends::Fewer) {
            Some(shadow) => self.get(context, context.generation.shadowed(&shadow)),
            None => Ok(None),
        }
    }
}

/// How many bytes a contribution takes.
fn own_bytes(mask: Option<&Arc<Contribution>>) -> usize {
    mask.map_or(0, |mask| mask.bytes())
}

/// Tokens that end a rule and survive.
#[derive(Debug, Default)]
pub(super) struct Ending {
    pub(super) tokens: Vec<TokenId>,
    /// How many bytes of each end the rule.
    taken: Vec<u32>,
    measures: OnceLock<EndingMeasures>,
}

/// What the bytes that end a rule measure.
#[derive(Debug)]
pub(super) struct EndingMeasures {
    /// By token.
    pub(super) each: Box<[u32]>,
    /// The least and the greatest.
    pub(super) range: RangeInclusive<u32>,
}

impl Ending {
    fn of(tokens: impl Iterator<Item = Ended>) -> Self {
        let mut ending = Self::default();
        tokens.for_each(|ended| ending.push(ended));
        ending
    }

    fn bytes(&self) -> usize {
        size_of::<(EndingKey, Self)>() + self.tokens.len() * size_of::<(TokenId, u32, u32)>()
    }

    /// Adds a token.
    fn push(&mut self, (token, taken): Ended) {
        self.tokens.push(token);
        self.taken.push(taken);
    }

    /// The tokens of a crossing that stay there.
    fn staying(crossed: &Crossed) -> Self {
        Self {
            tokens: crossed.tokens().to_vec(),
            taken: crossed.taken().to_vec(),
            measures: OnceLock::new(),
        }
    }

    /// The bytes of the token with this `index` that end the rule.
    pub(super) fn text<'v>(&self, vocabulary: &'v Vocabulary, index: usize) -> &'v [u8] {
        let bytes = vocabulary.bytes(self.tokens[index]).unwrap_or_default();
        &bytes[..self.taken(index)]
    }

    /// How many they are.
    pub(super) fn taken(&self, index: usize) -> usize {
        self.taken[index] as usize
    }

    /// What they measure, told by `measure` for the position that is shadowed.
    pub(super) fn measures(
        &self,
        vocabulary: &Vocabulary,
        measure: impl Fn(&[u8]) -> u32,
    ) -> &EndingMeasures {
        self.measures.get_or_init(|| {
            let texts = (0..self.tokens.len()).map(|index| self.text(vocabulary, index));
            let each: Box<[u32]> = texts.map(measure).collect();
            let ends =
                |&first| (each.iter()).fold((first, first), |(a, b), &m| (m.min(a), m.max(b)));
            let (least, greatest) = each.first().map_or((0, 0), ends);
            EndingMeasures {
                range: least..=greatest,
                each,
            }
        })
    }
}

/// Where callers go on when the rule of `item` has ended with `exit`; `None` where nobody waits for it.
pub(super) fn after(
    generation: &Generation,
    item: Item,
    exit: &[u32],
) -> Result<Option<Place>, LimitError> {
    if item.origin == Origin::BOTTOM {
        return Ok(None);
    }
    let (inst, exit) = (generation.inst(item.pos), generation.exit(exit));
    let left = generation.leave(inst, exit, item.origin)?;
    Ok(Some(Place::of(left)))
}

/// Calls `allow` with the tokens that end the rule of `item` and survive where its callers go on.
pub(super) fn ended(
    over: Over<'_>,
    item: Item,
    (exit, suffixes): &(Words, Suffixes),
    allow: impl FnMut(Ended),
) -> Result<(), LimitError> {
    match after(over.generation, item, exit)? {
        Some(after) => suffixes.walk(over, after, allow),
        None => {
            suffixes.whole(over.vocabulary.trie()).for_each(allow);
            Ok(())
        }
    }
}

/// Where fewer nodes lie below, they are walked as fast.
const WORTH_CROSSING: usize = 16;

/// What becomes of the `suffixes` of those `comers` in the passage that `start` begins, if that is known or
/// worth knowing.
fn of_suffixes(
    (context, contents): (&Context<'_>, &Contents),
    start: Item,
    (comers, suffixes): (Comers, &Suffixes),
) -> Result<Option<Crossed>, LimitError> {
    let all = |_: &_| Cow::Borrowed(suffixes.gather(context.vocabulary));
    crossed((context, contents), start, (comers, all))
}

/// The same of the tokens that begin with the bytes of `node`.
pub(super) fn below(
    (context, contents): (&Context<'_>, &Contents),
    start: Item,
    node: NodeId,
) -> Result<Option<Crossed>, LimitError> {
    let vocabulary = context.vocabulary;
    let trie = vocabulary.trie();
    if trie.subtree_size(node) < WORTH_CROSSING {
        return Ok(None);
    }
    let live = |live: &ByteSet| {
        let depth = trie.depth(node);
        let children = trie.children(node).filter(|&(byte, _)| live.contains(byte));
        let below = children.flat_map(|(_, child)| trie.subtree_tokens(child));
        let suffixes = trie.tokens(node).iter().chain(below).map(|&token| {
            let bytes = vocabulary.bytes(token).unwrap_or_default();
            (&bytes[depth..], token, depth as u32)
        });
        Cow::Owned(SuffixTrie::new(suffixes.collect()))
    };
    crossed((context, contents), start, (Comers::Below(node), live))
}

/// The same of the `suffixes` that begin with these bytes, which are all that can be read.
fn crossed<'s>(
    (context, contents): (&Context<'_>, &Contents),
    start: Item,
    (comers, suffixes): (Comers, impl FnOnce(&ByteSet) -> Cow<'s, SuffixTrie>),
) -> Result<Option<Crossed>, LimitError> {
    let Context {
        generation, rules, ..
    } = *context;
    let Some(passage) = Passage::new(generation, start.pos) else {
        return Ok(None);
    };
    let content = |inst| contents.get(context, inst);
    let Some(way) = passage.key(generation, content) else {
        return Ok(None);
    };
    let key = (comers, way);
    let crossing = match rules.crossing(&key) {
        None => return Ok(None),
        Some(Met::Often(known)) => known,
        Some(Met::Once) => {
            let suffixes = suffixes(&passage.live(generation)?);
            let made = Crossing::new(context.over(), &passage, &suffixes)?;
            let made = made.map(Arc::new);
            rules.put_crossing(key, made.clone());
            made
        }
    };
    Ok(crossing.map(|crossing| Crossed::new(crossing, passage, start)))
}
