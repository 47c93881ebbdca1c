//! The members of a set on one side of zero.

use super::exponent;
use super::interval::Interval;
use super::scientific::Scientific;
use crate::front::json_schema::grid::{DIGITS_OF_DOUBLES, Grid};
use crate::front::json_schema::number::{DOUBLE_DIGITS, Decimal};
use crate::front::json_schema::number_set::{Spelling, Written};

/// Magnitudes, and how they are spelt.
#[derive(Debug)]
pub(super) struct Side {
    pub(super) interval: Interval,
    /// Those that are spelt with one digit before the point and an exponent, if any.
    pub(super) scientific: Option<Scientific>,
    /// Whether all numbers, or integers, are members: then any digits have an exponent.
    pub(super) free: bool,
    /// How many digits an integer part has at most that a fraction follows.
    pub(super) before_fraction: u32,
}

impl Side {
    /// The side of the negative numbers, or of the others; `None` where no member is there.
    pub(super) fn new(written: &Written, negative: bool) -> Option<Self> {
        let (least, most) = (written.least.as_ref(), written.most.as_ref());
        let (near, far) = match negative {
            false => (least, most),
            true => (most, least),
        };
        let interval = Interval::new(near, far, negative)?;
        let (least, most) = (interval.least(), interval.most());
        let great = least.into_iter().chain(most).any(is_great);
        let (lowest, mut highest) = exponent::range(written.grid.as_ref()).into_inner();
        if great {
            highest = highest.min(i64::from(DOUBLE_DIGITS) - 1);
        }
        let grid = written.grid.as_ref();
        let exponents = match (grid, written.spelling) {
            (None, spelling) => spelling != Spelling::Digits,
            (Some(grid), Spelling::Any) => grid.has_integers() || grid.dense,
            (Some(_), _) => false,
        };
        Some(Self {
            scientific: exponents
                .then(|| Scientific::new(least, most, lowest..=highest))
                .flatten(),
            free: exponents
                && grid.is_none_or(Grid::is_integers)
                && least.is_none()
                && most.is_none(),
            before_fraction: match great {
                true => DOUBLE_DIGITS,
                false => DIGITS_OF_DOUBLES,
            },
            interval,
        })
    }
}

/// Whether a bound is an integer that doubles may not hold. What reads it mostly does, as an
/// integer, but would round a number next to it that has a fraction or an exponent.
fn is_great(bound: &Decimal) -> bool {
    bound.is_integer() && bound.digits.len() > DOUBLE_DIGITS as usize
}
