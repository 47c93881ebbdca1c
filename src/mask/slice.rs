//! Positions from which a whole class of characters leads on and on.
//!
//! PERF: without slices the mean of cold masks is 2.6 times as long, and their maximum 2.8 times (benches/LOG.md).

use super::representation::Row;
use crate::base::{ByteSet, LimitError, TokenId};
use crate::grammar::Reading;
use crate::machine::{Generation, Origin, Pos};
use crate::vocab::{Rank, TokenClass, Vocabulary, row};

/// Fewer characters than this are walked faster than sliced.
const WORTH: u32 = 24;
/// A class is followed through so many positions.
const MOST_HOMES: usize = 48;
/// A class that leads on for so many characters is worth a slice, though it ends: few tokens are longer.
const LONG: u32 = 16;
/// Where there is no such class, one is that leads on for so many.
const SHORT: u32 = 8;

/// The ranges of each byte of the well-formed UTF-8 sequences beyond ASCII (Unicode, table 3-7).
const SEQUENCES: [&[(u8, u8)]; 8] = [
    &[(0xC2, 0xDF), (0x80, 0xBF)],
    &[(0xE0, 0xE0), (0xA0, 0xBF), (0x80, 0xBF)],
    &[(0xE1, 0xEC), (0x80, 0xBF), (0x80, 0xBF)],
    &[(0xED, 0xED), (0x80, 0x9F), (0x80, 0xBF)],
    &[(0xEE, 0xEF), (0x80, 0xBF), (0x80, 0xBF)],
    &[(0xF0, 0xF0), (0x90, 0xBF), (0x80, 0xBF), (0x80, 0xBF)],
    &[(0xF1, 0xF3), (0x80, 0xBF), (0x80, 0xBF), (0x80, 0xBF)],
    &[(0xF4, 0xF4), (0x80, 0x8F), (0x80, 0xBF), (0x80, 0xBF)],
];

/// A class of characters that lead on from a position, in any order.
pub(super) struct Slice {
    class: TokenClass,
    /// How many characters of the class lead on for certain; `None` for any number.
    reach: Option<u32>,
    /// The one position that every character of the class leads to, from there too, if there is one.
    pub(super) home: Option<Pos>,
    /// The bytes outside the class that may come next where a run of it within reach leads; `None` where
    /// that does not tell which bytes may end a run of the class: where the rule may end there, so
    /// that anything may follow, or where something else begins with a character of the class.
    leaving: Option<Vec<u8>>,
}

/// The tokens of characters each of which leads from a position to itself, and the other tokens that may lead somewhere.
pub(crate) struct Run {
    /// The bytes that these characters begin with.
    pub(crate) leads: ByteSet,
    pub(crate) tokens: Row,
    /// In the trie's order.
    pub(crate) others: Vec<Rank>,
}

impl Run {
    /// That of `pos`, if it has one, and nothing else that happens there begins with such a character.
    pub(crate) fn at(
        generation: &Generation,
        vocabulary: &Vocabulary,
        pos: Pos,
    ) -> Result<Option<Self>, LimitError> {
        let slice = Slice::at(generation, pos)?;
        let slice = slice.filter(|slice| slice.home == Some(pos) && slice.leaving.is_some());
        Ok(slice.and_then(|slice| {
            let tokens = slice.row(vocabulary);
            let others = slice.candidates(vocabulary, &tokens)?;
            let TokenClass { ascii, mut leads } = slice.class;
            (0..128)
                .filter(|byte| ascii >> byte & 1 == 1)
                .for_each(|byte| leads.insert(byte));
            Some(Self {
                leads,
                tokens,
                others,
            })
        }))
    }
}

/// With more candidates than this, walking the trie beats walking them one by one.
const MOST_CANDIDATES: usize = 30_000;

impl Slice {
    /// The class that leads on from `pos` by edges of its own, if one is found that is worth a slice.
    pub(super) fn at(generation: &Generation, pos: Pos) -> Result<Option<Self>, LimitError> {
        if live(generation, pos).count_ones() < WORTH {
            return Ok(None);
        }
        let Some(closed) = Closed::find(generation, pos) else {
            return Ok(None);
        };
        Ok(Some(Self {
            home: closed.home(),
            leaving: closed.leaving(generation)?,
            class: closed.class,
            reach: closed.reach,
        }))
    }

    /// The tokens that lie in the class, within reach.
    pub(super) fn row(&self, vocabulary: &Vocabulary) -> Row {
        self.reached(vocabulary, vocabulary.slices().within(&self.class))
    }

    fn reached(&self, vocabulary: &Vocabulary, mut slice: Box<[u32]>) -> Row {
        for token in self.beyond(vocabulary) {
            row::remove(&mut slice, token);
        }
        slice.into()
    }

    /// `byte`, if it is an ASCII character outside the class.
    pub(super) fn stranger(&self, byte: u8) -> Option<u8> {
        (byte.is_ascii() && self.class.ascii >> byte & 1 == 0).then_some(byte)
    }

    /// Of the tokens that begin with a stranger those of which all else lies in the class, within reach; of other
    /// tokens the row says nothing.
    pub(super) fn row_after(&self, vocabulary: &Vocabulary, stranger: u8) -> Row {
        let (slices, trie) = (vocabulary.slices(), vocabulary.trie());
        self.reached(vocabulary, slices.within_after(trie, stranger, &self.class))
    }

    /// The tokens that are out of reach.
    fn beyond(&self, vocabulary: &Vocabulary) -> impl Iterator<Item = TokenId> {
        let (slices, reach) = (vocabulary.slices(), self.reach.unwrap_or(u32::MAX));
        // Tokens have no more characters than bytes.
        let longer = slices.longer_than(reach as usize);
        longer.filter(move |&token| slices.chars(token) > reach)
    }

    /// The tokens outside the `slice` that may survive all the same, in the trie's order; `None` where there are
    /// so many that the trie is walked faster.
    pub(super) fn candidates(&self, vocabulary: &Vocabulary, slice: &[u32]) -> Option<Vec<Rank>> {
        let (slices, trie) = (vocabulary.slices(), vocabulary.trie());
        let Some(leaving) = &self.leaving else {
            let mut others = row::empty(vocabulary.len());
            row::copy(&mut others, slices.ordinary());
            row::subtract(&mut others, slice);
            return (row::count(&others) <= MOST_CANDIDATES)
                .then(|| trie.ranked(row::tokens(&others)));
        };
        let size: usize = leaving.iter().map(|&b| slices.containing(b).len()).sum();
        if size > MOST_CANDIDATES {
            return None;
        }
        let mut tokens: Vec<TokenId> = Vec::with_capacity(size);
        for &byte in leaving {
            tokens.extend_from_slice(slices.containing(byte));
        }
        if !self.class.leads.is_empty() {
            tokens.extend(row::tokens(slices.not_utf8()));
        }
        tokens.extend(self.beyond(vocabulary).filter(|&token| {
            // What leaves the class sooner does so by one of the bytes above.
            let bytes = vocabulary.bytes(token).unwrap_or_default().iter();
            let mut sure = bytes.take(self.reach.unwrap_or(u32::MAX) as usize);
            sure.all(|&byte| self.stranger(byte).is_none())
        }));
        (tokens.len() <= MOST_CANDIDATES).then(|| trie.ranked(tokens.into_iter()))
    }
}

/// All characters.
const ANY: TokenClass = TokenClass {
    ascii: u128::MAX,
    leads: TokenClass::LEADS,
};

/// A position that runs of a class lead through.
#[derive(Clone, Copy)]
struct Home {
    pos: Pos,
    /// The least number of characters that lead there.
    depth: u32,
}

/// A class of characters, and the positions that runs of it lead through.
struct Closed {
    class: TokenClass,
    /// The position where runs begin comes first, then the others by their depth.
    homes: Vec<Home>,
    /// Which of the homes lead to which, by some character of the class.
    steps: Vec<(Pos, Pos)>,
    /// How many characters of the class lead on for certain; `None` for any number.
    reach: Option<u32>,
}

impl Closed {
    /// The class of runs from `pos` on, if one is found that is worth a slice.
    fn find(generation: &Generation, pos: Pos) -> Option<Self> {
        match Self::new(generation, pos, LONG) {
            Ok(closed) => Some(closed),
            Err(depth) if depth >= SHORT => Self::new(generation, pos, SHORT).ok(),
            Err(_) => None,
        }
    }

    /// The class is what the positions have in common: a byte that leads to where little of the class goes on is
    /// taken out of it instead, unless that is after `long` characters or more. If none goes on so far, after how many
    /// there is none.
    fn new(generation: &Generation, pos: Pos, long: u32) -> Result<Self, u32> {
        let mut closed = Self {
            class: ANY,
            homes: vec![Home { pos, depth: 0 }],
            steps: Vec::new(),
            reach: None,
        };
        let mut next = 0;
        while let Some(&from) = closed.homes.get(next) {
            let before = closed.class;
            let goes_on = closed.add(generation, from);
            if from.depth >= long && (!goes_on || closed.class != before) {
                // A run of one character less ends where its position is known, too.
                closed.class = before;
                closed.reach = Some(from.depth - 1);
                closed.homes.truncate(next);
                break;
            }
            if !goes_on {
                return Err(from.depth);
            }
            next += 1;
        }
        Ok(closed)
    }

    /// Cuts the class to what lives at `from`, and follows it; `false` where it does not go on as one.
    fn add(&mut self, generation: &Generation, from: Home) -> bool {
        // Positions that remember what is read do not come back.
        let records = generation.expand(from.pos).reading != Reading::Passing;
        self.add_ascii(generation, from);
        let few = self.class.ascii.count_ones() < WORTH;
        if records || few || self.homes.len() > MOST_HOMES {
            return false;
        }
        self.add_beyond(generation, from);
        true
    }

    /// Cuts the ASCII of the class to what lives at `from`, and follows it.
    fn add_ascii(&mut self, generation: &Generation, from: Home) {
        self.class.ascii &= live(generation, from.pos);
        if self.class.ascii.count_ones() < WORTH {
            return;
        }
        for edge in &generation.expand(from.pos).edges {
            if self.homes.len() > MOST_HOMES {
                return;
            }
            let bytes = self.class.ascii & ascii(edge.lo, edge.hi);
            if bytes != 0 && !self.follow(generation, from, edge.to) {
                self.class.ascii &= !bytes;
            }
        }
    }

    /// The same for the characters beyond ASCII.
    fn add_beyond(&mut self, generation: &Generation, from: Home) {
        for sequence in SEQUENCES {
            let (lo, hi) = sequence[0];
            if self.goes_on(generation, from, sequence) {
                continue;
            }
            for lead in (lo..=hi).filter(|_| lo < hi) {
                self.goes_on(
                    generation,
                    from,
                    &[&[(lead, lead)], &sequence[1..]].concat(),
                );
            }
        }
    }

    /// Whether the characters of the class that are spelt by `sequence` lead on from `from`; if they do not,
    /// their leads are taken out of it, unless they are several.
    fn goes_on(&mut self, generation: &Generation, from: Home, sequence: &[(u8, u8)]) -> bool {
        let leads = ByteSet::range(sequence[0].0, sequence[0].1);
        if self.class.leads.intersect(&leads).is_empty() {
            return true;
        }
        let mut ends = Vec::new();
        let all = through(generation, from.pos, sequence, &mut ends);
        if all && ends.iter().all(|&to| self.follow(generation, from, to)) {
            return true;
        }
        if leads.len() == 1 {
            self.class.leads = self.class.leads.without(&leads);
        }
        false
    }

    /// Adds `to` to the homes, if most of the class goes on there.
    fn follow(&mut self, generation: &Generation, from: Home, to: Pos) -> bool {
        if !self.homes.iter().any(|home| home.pos == to) {
            let common = self.class.ascii & live(generation, to);
            if common.count_ones() * 2 < self.class.ascii.count_ones() {
                return false;
            }
            let depth = from.depth + 1;
            self.homes.push(Home { pos: to, depth });
        }
        if !self.steps.contains(&(from.pos, to)) {
            self.steps.push((from.pos, to));
        }
        true
    }

    fn home(&self) -> Option<Pos> {
        let start = self.homes.first().filter(|_| self.reach.is_none())?.pos;
        let to = |from| {
            let steps = self.steps.iter().filter(move |step| step.0 == from);
            steps.map(|&(_, to)| to)
        };
        let home = to(start).next()?;
        let all = to(start).chain(to(home)).all(|to| to == home);
        all.then_some(home)
    }

    fn leaving(&self, generation: &Generation) -> Result<Option<Vec<u8>>, LimitError> {
        let within = |byte: u8| match byte.is_ascii() {
            true => self.class.ascii >> byte & 1 == 1,
            false => self.class.leads.contains(byte),
        };
        let mut leaving = ByteSet::EMPTY;
        for &Home { pos: from, .. } in &self.homes {
            let here = generation.state(generation.enter(from, Origin::BOTTOM)?);
            if here.accepting {
                return Ok(None);
            }
            for item in &here.items {
                for edge in &generation.expand(item.pos).edges {
                    for byte in edge.lo..=edge.hi {
                        match within(byte) {
                            true if item.pos != from => return Ok(None),
                            true => {}
                            false => leaving.insert(byte),
                        }
                    }
                }
            }
        }
        Ok(Some(leaving.iter().collect()))
    }
}

/// The ASCII bytes from `lo` to `hi`.
fn ascii(lo: u8, hi: u8) -> u128 {
    match hi.min(0x7F).checked_sub(lo) {
        Some(more) => u128::MAX >> (0x7F - more) << lo,
        None => 0,
    }
}

/// The ASCII bytes that `pos` has edges for.
fn live(generation: &Generation, pos: Pos) -> u128 {
    let edges = generation.expand(pos).edges.iter();
    edges.fold(0, |live, edge| live | ascii(edge.lo, edge.hi))
}

/// Whether every byte sequence in `ranges` leads on from `from`; adds where they end.
fn through(generation: &Generation, from: Pos, ranges: &[(u8, u8)], ends: &mut Vec<Pos>) -> bool {
    let Some((&(lo, hi), rest)) = ranges.split_first() else {
        if !ends.contains(&from) {
            ends.push(from);
        }
        return true;
    };
    let mut next = u16::from(lo);
    for edge in &generation.expand(from).edges {
        if edge.hi < lo || hi < edge.lo {
            continue;
        }
        if next < u16::from(edge.lo) || !through(generation, edge.to, rest, ends) {
            return false;
        }
        next = next.max(u16::from(edge.hi) + 1);
    }
    next > u16::from(hi)
}
