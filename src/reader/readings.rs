//! The readings of a turn that are possible so far, each with what it says of the bytes that are still held back.

use smallvec::SmallVec;

use super::error::ReadError;
use super::places::{Mark, Owner};
use super::table::{SetId, Symbol, Table};
use crate::base::Span;

/// How many readings may be open.
const MOST_READINGS: usize = 64;
/// A reading with more pieces is long.
const MANY_PIECES: usize = 32;

/// A piece of a reading: bytes with a role, or a boundary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Text {
        owner: Owner,
        span: Span,
    },
    /// A boundary, and where it is.
    Mark(Mark, usize),
}

/// What is said of a text so far.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    set: SetId,
    pieces: Vec<Piece>,
    /// The pieces of another reading of the same text that goes on in the same places, so that nothing will settle them:
    /// what comes next belongs to both.
    rival: Option<Vec<Piece>>,
}

impl Reading {
    fn push(&mut self, owner: Owner, start: usize, end: usize) {
        for pieces in self.both() {
            match pieces.last_mut() {
                Some(Piece::Text { owner: last, span }) if *last == owner && span.end == start => {
                    span.end = end;
                }
                _ => pieces.push(Piece::Text {
                    owner,
                    span: Span::new(start, end),
                }),
            }
        }
    }

    fn mark(&mut self, marks: &[Mark], at: usize) {
        for pieces in self.both() {
            pieces.extend(marks.iter().map(|&mark| Piece::Mark(mark, at)));
        }
    }

    fn both(&mut self) -> impl Iterator<Item = &mut Vec<Piece>> {
        std::iter::once(&mut self.pieces).chain(&mut self.rival)
    }

    fn says_the_same(&self, other: &Self) -> bool {
        self.pieces == other.pieces && self.rival == other.rival
    }
}

/// All readings that are possible so far, at least one.
#[derive(Clone, Debug)]
pub(super) struct Readings {
    all: SmallVec<[Reading; 2]>,
}

/// How a text ends.
#[derive(Debug)]
pub(super) enum Ending {
    /// It is no turn.
    None,
    /// In one way: what was held back.
    One(Vec<Piece>),
    /// In two.
    Two(Vec<Piece>, Vec<Piece>),
}

impl Readings {
    pub(super) fn new(start: SetId) -> Self {
        let reading = Reading {
            set: start,
            pieces: Vec::new(),
            rival: None,
        };
        Self {
            all: SmallVec::from_iter([reading]),
        }
    }

    /// The sets of places of the readings.
    pub(super) fn sets(&mut self) -> impl Iterator<Item = &mut SetId> {
        self.all.iter_mut().map(|reading| &mut reading.set)
    }

    /// Reads a symbol, which stands at `start..end`. Gives whether a reading is left; where none is, all is as before.
    ///
    /// # Errors
    /// Too many readings.
    pub(super) fn step(
        &mut self,
        table: &mut Table,
        symbol: Symbol,
        start: usize,
        end: usize,
    ) -> Result<bool, ReadError> {
        // One reading that goes on in one way is the rule, and takes no copy.
        if let [reading] = self.all.as_mut_slice()
            && let [branch] = &table.step(reading.set, symbol)[..]
        {
            reading.mark(&branch.marks, start);
            reading.push(branch.owner, start, end);
            reading.set = branch.to;
            return Ok(true);
        }
        let mut next: SmallVec<[Reading; 2]> = SmallVec::new();
        for reading in &self.all {
            for branch in table.step(reading.set, symbol).clone().iter() {
                let mut longer = reading.clone();
                longer.mark(&branch.marks, start);
                longer.push(branch.owner, start, end);
                longer.set = branch.to;
                add(&mut next, longer, table);
            }
        }
        if next.len() > MOST_READINGS {
            return Err(ReadError::Readings {
                at: start,
                allowed: MOST_READINGS,
            });
        }
        if next.is_empty() {
            return Ok(false);
        }
        self.all = next;
        Ok(true)
    }

    /// Reads bytes as long as there is one reading and each is of the same role as the last byte, which ended at `at`.
    /// Gives how many it read.
    pub(super) fn run(&mut self, table: &Table, bytes: &[u8], at: usize) -> usize {
        let [reading] = self.all.as_mut_slice() else {
            return 0;
        };
        let (Some(Piece::Text { owner, span }), None) = (reading.pieces.last_mut(), &reading.rival)
        else {
            return 0;
        };
        if span.end != at {
            return 0;
        }
        let mut set = reading.set;
        let read = bytes.iter().take_while(|&&byte| {
            let next = table.plain(set, byte);
            let goes_on = next.filter(|(own, _)| own == owner);
            set = goes_on.map_or(set, |(_, to)| to);
            goes_on.is_some()
        });
        let count = read.count();
        (reading.set, span.end) = (set, at + count);
        count
    }

    /// Whether so much is held back that what is certain of it is better taken: where readings part, each byte copies them.
    pub(super) fn are_long(&self) -> bool {
        self.all[0].pieces.len() > MANY_PIECES
    }

    /// Takes away what all readings agree on.
    pub(super) fn settled(&mut self) -> Vec<Piece> {
        if self.all.iter().any(|reading| reading.rival.is_some()) {
            return Vec::new();
        }
        let (first, others) = self.all.split_first_mut().expect("there is a reading");
        if others.is_empty() {
            return std::mem::take(&mut first.pieces);
        }
        let mut common: Option<Vec<Piece>> = None;
        for other in others.iter() {
            let known = common.as_deref().unwrap_or(&first.pieces);
            common = Some(beginning(known, &other.pieces));
        }
        let common = common.unwrap_or_default();
        for reading in &mut self.all {
            reading.drop_front(&common);
        }
        common
    }

    /// What is held back of the first reading.
    pub(super) fn held_back_from(&self) -> Option<usize> {
        let starts = self.all.iter().filter_map(|reading| {
            reading.pieces.iter().find_map(|piece| match piece {
                Piece::Text { span, .. } => Some(span.start),
                Piece::Mark(..) => None,
            })
        });
        starts.min()
    }

    /// What is left to say if the text ends here, at `at`.
    pub(super) fn ending(&self, table: &mut Table, at: usize) -> Ending {
        let mut found: Vec<Vec<Piece>> = Vec::new();
        for reading in &self.all {
            for marks in table.ends(reading.set) {
                let mut ended = reading.clone();
                ended.mark(&marks, at);
                for pieces in std::iter::once(ended.pieces).chain(ended.rival) {
                    if !found.contains(&pieces) {
                        found.push(pieces);
                    }
                }
            }
        }
        let mut found = found.into_iter();
        match (found.next(), found.next()) {
            (None, _) => Ending::None,
            (Some(one), None) => Ending::One(one),
            (Some(one), Some(two)) => Ending::Two(one, two),
        }
    }
}

impl Reading {
    /// Takes away the pieces `common`, with which it begins; the last of them may be a part of its piece.
    fn drop_front(&mut self, common: &[Piece]) {
        let Some((last, before)) = common.split_last() else {
            return;
        };
        let mut rest = self.pieces.split_off(before.len());
        match (&mut rest[0], last) {
            (Piece::Text { span, .. }, Piece::Text { span: taken, .. }) if span.end > taken.end => {
                span.start = taken.end;
            }
            _ => drop(rest.remove(0)),
        }
        self.pieces = rest;
    }
}

/// What two readings begin with alike.
fn beginning(left: &[Piece], right: &[Piece]) -> Vec<Piece> {
    let alike = left.iter().zip(right);
    let count = alike.take_while(|(left, right)| left == right).count();
    let partial = left.get(count).zip(right.get(count));
    let partial = partial.and_then(|(left, right)| shared(left, right));
    left[..count].iter().cloned().chain(partial).collect()
}

/// What two pieces begin with alike, where they are texts of one role.
fn shared(left: &Piece, right: &Piece) -> Option<Piece> {
    match (left, right) {
        (
            Piece::Text { owner, span },
            Piece::Text {
                owner: other,
                span: others,
            },
        ) if owner == other && span.start == others.start => Some(Piece::Text {
            owner: *owner,
            span: Span::new(span.start, span.end.min(others.end)),
        }),
        _ => None,
    }
}

/// Adds a reading: to one that says the same, or beside one that is in the same places as its rival, or by itself.
fn add(all: &mut SmallVec<[Reading; 2]>, reading: Reading, table: &mut Table) {
    if let Some(same) = all.iter_mut().find(|known| known.says_the_same(&reading)) {
        same.set = table.union(same.set, reading.set);
    } else if let Some(known) = all.iter_mut().find(|known| known.set == reading.set) {
        known.rival.get_or_insert(reading.pieces);
    } else {
        all.push(reading);
    }
}
