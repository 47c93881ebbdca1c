//! The shortest way to the end of a number that must be a multiple: the fewest digits that make it one.
//!
//! Such numbers have too many beginnings to look through, and which digits complete one is a matter of arithmetic.

use super::interval::Interval;
use super::position::{At, Phase};
use super::{Members, Side};
use crate::front::json_schema::grid::Grid;
use crate::front::json_schema::number_set::Spelling;
use crate::front::json_schema::step::power_of_ten;

impl Members {
    /// The byte that a shortest way to the end goes on with, in digits that must make a multiple and that no bound begins
    /// with.
    pub(super) fn toward_end(&self, words: &[u32]) -> Option<u8> {
        let phase = Phase::read(words);
        match phase {
            Phase::ZeroPoint => return Some(b'0'),
            Phase::Whole | Phase::Point | Phase::Fraction => {}
            _ => return None,
        }
        let at = At::read(words);
        let grid = self.grid(at.residue).filter(|grid| !grid.is_integers())?;
        let side = self.side(at.negative)?;
        if Interval::is_beginning(at.compared) {
            return None;
        }
        match phase {
            Phase::Whole => self.toward_end_of_whole(side, grid, at),
            _ => toward_end_of_fraction(grid, at),
        }
    }

    fn toward_end_of_whole(&self, side: &Side, grid: &Grid, at: At) -> Option<u8> {
        let lengths = side.interval.lengths(at.compared, at.count, self.longest());
        // By what a way costs: digits, or some of them, the point and others.
        for cost in 0..=self.longest() + grid.places + 1 {
            for digits in (0..=cost).rev() {
                let length = at.count + digits;
                if !lengths.contains(&length)
                    || !self.may_be_so_long(side, grid, length, cost - digits)
                {
                    continue;
                }
                let places = (cost - digits).saturating_sub(1);
                let Some(rest) = at.residue.rest(grid, digits, places) else {
                    continue;
                };
                return match (cost, digits) {
                    (0, _) => None,
                    (_, 0) => Some(b'.'),
                    _ => Some(leading(rest, digits + at.residue.places)),
                };
            }
        }
        None
    }

    /// Whether a number may have so many digits before the point, and so many bytes from that on.
    fn may_be_so_long(&self, side: &Side, grid: &Grid, length: u32, fraction: u32) -> bool {
        match (fraction, self.spelling) {
            (0, Spelling::Any | Spelling::Digits) => true,
            // A point alone is no fraction.
            (0 | 1, _) | (_, Spelling::Digits) => false,
            (_, Spelling::Any) => {
                length <= side.before_fraction && fraction - 1 <= grid.fraction(length)
            }
            (_, Spelling::Other) => fraction == 2,
        }
    }
}

fn toward_end_of_fraction(grid: &Grid, at: At) -> Option<u8> {
    let least = u32::from(at.phase == Phase::Point);
    let mut digits = least..=at.residue.left;
    let rest = digits.find_map(|digits| Some((digits, at.residue.rest(grid, 0, digits)?)));
    match rest? {
        (0, _) => None,
        (_, rest) => Some(leading(rest, at.residue.places)),
    }
}

/// The first of so many digits.
fn leading(number: u128, digits: u32) -> u8 {
    let digit = number / power_of_ten(digits - 1);
    b'0' + u8::try_from(digit).expect("it has no more digits")
}
