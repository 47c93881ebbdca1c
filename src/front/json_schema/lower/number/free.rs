//! Numbers that nothing is asked of but to be numbers, or integers: fractions and exponents.
//!
//! Where there is one digit before the point, not zero, they are read as mantissas.

use super::position::{At, Phase};
use super::{Members, exponent};
use crate::grammar::{Node, Words};

/// With an exponent of two digits, integer parts are shorter by what the exponent adds.
const DIGITS_BEFORE_EXPONENT: u32 = 200;

/// The greatest exponent behind an integer part of several digits.
pub(in crate::front::json_schema::lower) const MOST_BEHIND_DIGITS: i64 = 99;

/// Classes of integer parts: which exponents may follow.
const ZERO: u32 = 0;
const SHORT: u32 = 1;
const LONG: u32 = 2;

impl Members {
    /// What may follow an integer part.
    pub(super) fn free_tail(&self, at: At, node: &mut Node<Words>) {
        let class = match (at.phase, at.count) {
            (Phase::Zero, _) => ZERO,
            (_, 1) => return,
            (_, 2..=DIGITS_BEFORE_EXPONENT) => SHORT,
            _ => LONG,
        };
        node.byte(b'.', At::phase(Phase::FreePoint, class).words());
        self.free_exponent(class, node);
    }

    /// What may follow in a fraction.
    pub(super) fn free_fraction(&self, at: At, node: &mut Node<Words>) {
        let highest = match self.grid {
            None => b'9',
            Some(_) => b'0',
        };
        let next = At::phase(Phase::FreeFraction, at.count);
        node.range(b'0', highest, next.words());
        if at.phase == Phase::FreeFraction {
            node.end();
            self.free_exponent(at.count, node);
        }
    }

    /// The exponent after an integer part of this class, and a fraction.
    fn free_exponent(&self, class: u32, node: &mut Node<Words>) {
        let highest = match class {
            ZERO => 308,
            SHORT => MOST_BEHIND_DIGITS,
            _ => return,
        };
        let lowest = *exponent::range(self.grid.as_ref()).start();
        exponent::letter(&(lowest..=highest), node);
    }
}
