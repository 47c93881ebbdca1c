//! Positions from which a whole class of characters leads on and on.

use crate::base::{ByteSet, LimitError};
use crate::grammar::Reading;
use crate::machine::{Generation, Origin, Pos};
use crate::vocab::TokenClass;

/// Fewer characters than this are walked faster than sliced.
const WORTH: u32 = 24;
/// Where a class leads through more positions than this, it is not looked for.
const MOST_HOMES: usize = 24;

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

/// A class of characters that lead on from a position for ever, in any order.
pub(super) struct Absorbed {
    pub(super) class: TokenClass,
    /// The one position that every character of the class leads to, from there too, if there is one.
    pub(super) home: Option<Pos>,
    /// The bytes outside the class that may come next where a run of it leads; `None` where
    /// that does not tell which bytes may end a run of the class: where the rule may end there, so
    /// that anything may follow, or where something else begins with a character of the class.
    pub(super) leaving: Option<Vec<u8>>,
}

/// A class that `pos` absorbs by edges of its own, if one is found that is worth a slice.
pub(super) fn absorbed(generation: &Generation, pos: Pos) -> Result<Option<Absorbed>, LimitError> {
    let Some(closed) = Closed::new(generation, pos) else {
        return Ok(None);
    };
    Ok(Some(Absorbed {
        home: closed.home(),
        leaving: closed.leaving(generation)?,
        class: closed.class,
    }))
}

/// A class of characters, and the positions that runs of it lead through.
struct Closed {
    class: TokenClass,
    /// The position where runs begin comes first.
    homes: Vec<Pos>,
    /// Which of the homes lead to which, by some character of the class.
    steps: Vec<(Pos, Pos)>,
}

impl Closed {
    /// The class is what the positions have in common: a byte that leads to where little of the class goes on is
    /// taken out of it instead.
    fn new(generation: &Generation, pos: Pos) -> Option<Self> {
        let mut closed = Self {
            class: TokenClass {
                ascii: u128::MAX,
                leads: TokenClass::LEADS,
            },
            homes: vec![pos],
            steps: Vec::new(),
        };
        let mut next = 0;
        while let Some(&from) = closed.homes.get(next) {
            next += 1;
            // Positions that remember what is read do not come back.
            let records = generation.expand(from).reading != Reading::Passing;
            closed.add_ascii(generation, from);
            let few = closed.class.ascii.count_ones() < WORTH;
            if records || few || closed.homes.len() > MOST_HOMES {
                return None;
            }
            closed.add_beyond(generation, from);
        }
        Some(closed)
    }

    /// Cuts the ASCII of the class to what lives at `from`, and follows it.
    fn add_ascii(&mut self, generation: &Generation, from: Pos) {
        self.class.ascii &= live(generation, from);
        for edge in &generation.expand(from).edges {
            let bytes = self.class.ascii & ascii(edge.lo, edge.hi);
            if bytes != 0 && !self.follow(generation, from, edge.to) {
                self.class.ascii &= !bytes;
            }
        }
    }

    /// The same for the characters beyond ASCII.
    fn add_beyond(&mut self, generation: &Generation, from: Pos) {
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
    fn goes_on(&mut self, generation: &Generation, from: Pos, sequence: &[(u8, u8)]) -> bool {
        let leads = ByteSet::range(sequence[0].0, sequence[0].1);
        if self.class.leads.intersect(&leads).is_empty() {
            return true;
        }
        let mut ends = Vec::new();
        let all = through(generation, from, sequence, &mut ends);
        if all && ends.iter().all(|&to| self.follow(generation, from, to)) {
            return true;
        }
        if leads.len() == 1 {
            self.class.leads = self.class.leads.without(&leads);
        }
        false
    }

    /// Adds `to` to the homes, if most of the class goes on there.
    fn follow(&mut self, generation: &Generation, from: Pos, to: Pos) -> bool {
        if !self.homes.contains(&to) {
            let common = self.class.ascii & live(generation, to);
            if common.count_ones() * 2 < self.class.ascii.count_ones() {
                return false;
            }
            self.homes.push(to);
        }
        if !self.steps.contains(&(from, to)) {
            self.steps.push((from, to));
        }
        true
    }

    fn home(&self) -> Option<Pos> {
        let start = self.homes[0];
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
        for &from in &self.homes {
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
