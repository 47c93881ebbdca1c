//! Numbers of a set, digit by digit.
//!
//! A position remembers how what is read compares with the bounds (`interval`) and its remainder
//! by the steps (`residue`), each only as far as it matters for what may follow. Beside the digits
//! of a number those of a mantissa are read (`mantissa`), which an exponent follows (`exponent`) as
//! both together compare with the bounds (`scientific`). Numbers that neither bounds nor steps
//! concern may have an exponent after any digits (`free`).

mod exponent;
mod free;
mod interval;
mod mantissa;
mod onward;
mod plain;
mod position;
mod residue;
mod scientific;
mod side;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use std::sync::{Arc, OnceLock};

use exponent::Magnitude;
pub(super) use free::MOST_BEHIND_DIGITS;
use interval::Interval;
pub(super) use plain::PlainNumber;
use position::{At, Phase, edges};
use residue::Residue;
use side::Side;

use super::lead::Lead;
use super::tag;
use crate::front::json_schema::grid::{DIGITS_OF_DOUBLES, Grid};
use crate::front::json_schema::number_set::{NumberSet, Spelling};
use crate::grammar::{Hints, ImplicitBody, KeyWriter, Node, Words};

/// What trying the ways to a multiple takes: as many as there are digits before the point and behind it.
const WAYS_TRIED: usize = 256;

/// A number of a set.
#[derive(Debug)]
pub(super) struct NumberBody {
    lead: Lead,
    /// Not empty.
    set: Arc<NumberSet>,
    /// Whether what a schema calls integers has digits only.
    integers: Integers,
    members: OnceLock<Members>,
}

/// How what a schema calls an integer is spelt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Integers {
    Any,
    Digits,
}

/// The members of a set, worked out when the first of them is asked for.
#[derive(Debug)]
struct Members {
    spelling: Spelling,
    /// The members that are not negative, and those that are not positive.
    positive: Option<Side>,
    negative: Option<Side>,
    /// What members are multiples of; `None` where all numbers between the bounds count.
    grid: Option<Grid>,
}

impl NumberBody {
    /// The body of a set that is not empty.
    pub(super) fn new(lead: Lead, set: Arc<NumberSet>) -> Self {
        Self {
            lead,
            set,
            integers: Integers::Any,
            members: OnceLock::new(),
        }
    }

    /// Whether the numbers have digits alone, neither a fraction nor an exponent.
    fn is_written_as_digits(&self) -> bool {
        self.members().spelling == Spelling::Digits
    }

    fn members(&self) -> &Members {
        self.members
            .get_or_init(|| Members::of(&self.set, self.integers))
    }
}

impl Members {
    fn of(set: &NumberSet, integers: Integers) -> Self {
        let mut written = set.written().expect("sets that are lowered have members");
        if written.is_called_integer
            && integers == Integers::Digits
            && written.spelling == Spelling::Any
        {
            written.spelling = Spelling::Digits;
        }
        Self {
            spelling: written.spelling,
            positive: Side::new(&written, false),
            negative: Side::new(&written, true),
            grid: written.grid,
        }
    }

    fn side(&self, negative: bool) -> Option<&Side> {
        match negative {
            false => self.positive.as_ref(),
            true => self.negative.as_ref(),
        }
    }

    /// The grid that the rest of a number must meet, if any.
    fn grid(&self, residue: Residue) -> Option<&Grid> {
        self.grid.as_ref().filter(|_| !residue.settled)
    }

    /// Digits that an integer part may have.
    fn longest(&self) -> u32 {
        self.grid
            .as_ref()
            .map_or(DIGITS_OF_DOUBLES, |grid| grid.digits)
    }

    /// The first digit of the integer part.
    fn first_digit(&self, negative: bool, node: &mut Node<Words>) {
        let Some(side) = self.side(negative) else {
            return;
        };
        let before = At {
            negative,
            residue: Residue::start(self.grid.as_ref()),
            ..At::phase(Phase::Whole, 0)
        };
        // What reads `-0` takes it for a number with a fraction.
        let no_zero = negative && self.spelling == Spelling::Digits;
        edges(node, |digit| match digit {
            0 if no_zero => None,
            _ => self.after_whole(&side.interval, before, digit),
        });
        self.first_of_mantissa(side, negative, node);
    }

    /// After one more digit of the integer part, if a member begins so.
    fn after_whole(&self, interval: &Interval, at: At, digit: u8) -> Option<Words> {
        if at.count == self.longest() {
            return None;
        }
        let next = At {
            phase: match (at.count, digit) {
                (0, 0) => Phase::Zero,
                _ => Phase::Whole,
            },
            count: at.count + 1,
            compared: interval.after_whole(at.compared, at.count, digit),
            residue: match self.grid(at.residue) {
                Some(grid) => at.residue.after_digit(grid, digit),
                None => at.residue,
            },
            ..at
        };
        let live = match next.phase {
            Phase::Zero => {
                let point = self.after_integer(interval, next);
                self.ends(interval, point) || self.begins_fraction(point)
            }
            _ => self.begins_integer(interval, next),
        };
        live.then(|| next.words())
    }

    /// After the integer part and before its fraction.
    fn after_integer(&self, interval: &Interval, at: At) -> At {
        At {
            phase: Phase::Point,
            count: 0,
            compared: interval.after_integer(at.compared, at.count),
            residue: match self.grid(at.residue) {
                Some(grid) => at.residue.after_integer(grid, at.count),
                None => at.residue,
            },
            ..at
        }
    }

    /// After one more digit of the fraction, if a member begins so.
    fn after_place(&self, interval: &Interval, at: At, digit: u8) -> Option<Words> {
        let compared = interval.after_place(at.compared, at.count, digit);
        let mut next = At {
            phase: Phase::Fraction,
            count: at.count + 1,
            compared,
            ..at
        };
        if let Some(grid) = self.grid(at.residue) {
            next.residue = at.residue.after_place(grid, digit);
            if !next.residue.settled && next.residue.left == 0 {
                let ends = self.ends(interval, next);
                return ends.then(|| At::phase(Phase::Zeros, 0).words());
            }
        }
        let live = self.begins_fraction(next);
        next.count = next.count.min(interval.places(compared));
        live.then(|| next.words())
    }

    /// Whether the number so far is a member, if it is not to have more digits.
    fn ends(&self, interval: &Interval, at: At) -> bool {
        interval.holds(at.compared, at.count)
            && self
                .grid(at.residue)
                .is_none_or(|grid| at.residue.ends(grid))
    }

    /// Whether a member begins with these digits of its integer part.
    fn begins_integer(&self, interval: &Interval, at: At) -> bool {
        let mut lengths = interval.lengths(at.compared, at.count, self.longest());
        Interval::is_beginning(at.compared)
            || match self.grid(at.residue) {
                None => !lengths.is_empty(),
                Some(grid) => lengths.any(|length| {
                    let more = length - at.count;
                    at.residue.can_end_at(grid, more, length)
                }),
            }
    }

    /// Whether a member begins with this integer part, a point, and these digits.
    fn begins_fraction(&self, at: At) -> bool {
        Interval::has_fraction(at.compared)
            && (Interval::is_beginning(at.compared)
                || self
                    .grid(at.residue)
                    .is_none_or(|grid| at.residue.can_end(grid)))
    }

    /// What may follow a complete integer part: the end, a fraction, an exponent.
    fn end_or_fraction(&self, side: &Side, at: At, node: &mut Node<Words>) {
        let point = self.after_integer(&side.interval, at);
        let ends = self.ends(&side.interval, point);
        if ends && self.spelling != Spelling::Other {
            node.end();
        }
        if self.spelling == Spelling::Digits || at.count > side.before_fraction {
            return;
        }
        if side.free {
            self.free_tail(at, node);
        } else if self.grid(point.residue).is_some() && point.residue.left == 0 {
            if ends {
                node.byte(b'.', At::phase(Phase::ZeroPoint, 0).words());
            }
        } else if self.begins_fraction(point) {
            node.byte(b'.', point.words());
        }
    }
}

impl Members {
    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        match Phase::read(words) {
            Phase::Exponent => return exponent::after_letter(words, node),
            Phase::Magnitude => return Magnitude::read(words).edges(node),
            _ => {}
        }
        let at = At::read(words);
        match (at.phase, self.side(at.negative)) {
            (Phase::Lead, _) => {
                let mut negative = Node::default();
                self.first_digit(true, &mut negative);
                if !negative.edges.is_empty() {
                    node.byte(b'-', At::phase(Phase::Sign, 0).words());
                }
                self.first_digit(false, node);
            }
            (Phase::Sign, _) => self.first_digit(true, node),
            (Phase::Zero, Some(side)) => self.end_or_fraction(side, at, node),
            (Phase::Whole, Some(side)) => {
                edges(node, |digit| self.after_whole(&side.interval, at, digit));
                self.end_or_fraction(side, at, node);
            }
            (Phase::Point, Some(side)) => {
                edges(node, |digit| self.after_place(&side.interval, at, digit));
            }
            (Phase::Fraction, Some(side)) => {
                if self.ends(&side.interval, at) {
                    node.end();
                }
                edges(node, |digit| self.after_place(&side.interval, at, digit));
            }
            (Phase::Mantissa | Phase::MantissaPoint | Phase::MantissaFraction, Some(side)) => {
                self.mantissa(side, at, node);
            }
            (Phase::ZeroPoint, _) => node.byte(b'0', At::phase(Phase::Zeros, 0).words()),
            (Phase::Zeros, _) => {
                node.end();
                node.byte(b'0', At::phase(Phase::Zeros, 0).words());
            }
            (Phase::FreePoint | Phase::FreeFraction, _) => self.free_fraction(at, node),
            // Positions of a side are handed out where there are members on it.
            _ => {}
        }
    }

    fn describe(&self, key: &mut KeyWriter<'_>) {
        let pair = |number: u128| [number as u32, (number >> 32) as u32];
        key.word(self.spelling as u32);
        // The rest follows from these.
        for side in [&self.positive, &self.negative] {
            key.word(u32::from(side.is_some()));
            side.iter().for_each(|side| side.interval.describe(key));
        }
        key.word(u32::from(self.grid.is_some()));
        if let Some(grid) = &self.grid {
            key.word(grid.places);
            key.word(u32::from(grid.dense));
            key.word(grid.except.len() as u32);
            let steps = [grid.step].into_iter().chain(grid.except.iter().copied());
            steps.flat_map(pair).for_each(|word| key.word(word));
        }
    }
}

impl ImplicitBody for NumberBody {
    fn start(&self, _args: &Words) -> Words {
        At::phase(Phase::Lead, 0).words()
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        if Phase::read(words) == Phase::Lead {
            self.lead.edges(node, words);
        }
        self.members().expand(words, node);
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for NumberBody {
    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        key.word(tag::NUMBER);
        key.word(self.lead as u32);
        self.members().describe(key);
        true
    }

    fn onward(&self, words: &Words) -> Option<u8> {
        self.members().toward_end(words)
    }

    fn weight(&self, _: &Words) -> usize {
        match self.members().grid {
            Some(_) => WAYS_TRIED,
            None => 1,
        }
    }
}
