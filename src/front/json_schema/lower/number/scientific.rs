//! Magnitudes between two bounds, spelt with one digit before the point and an exponent.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use super::interval::Compared;
use crate::front::json_schema::number::{Decimal, GREATEST_DOUBLE};

/// Such magnitudes: how a mantissa compares with the bounds' says which exponents may follow it.
///
/// INVARIANT: neither bound is zero, and the first is not above the second.
#[derive(Debug)]
pub(super) struct Scientific {
    least: Option<Decimal>,
    most: Decimal,
    exponents: RangeInclusive<i64>,
}

impl Scientific {
    /// The magnitudes from `least` to `most`, with exponents of a range; `None` where all are zero.
    /// Without an upper bound, that is the greatest double.
    pub(super) fn new(
        least: Option<&Decimal>,
        most: Option<&Decimal>,
        exponents: RangeInclusive<i64>,
    ) -> Option<Self> {
        let most = most.map_or_else(|| Decimal::parse(GREATEST_DOUBLE), Clone::clone);
        (!most.is_zero()).then(|| Self {
            least: least.cloned(),
            most,
            exponents,
        })
    }

    /// After one more digit of the mantissa, of which `count` are read.
    pub(super) fn after_digit(&self, so_far: Compared, count: u32, digit: u8) -> Compared {
        let compare = |so_far: Ordering, bound: &Decimal| {
            so_far.then_with(|| digit.cmp(&bound.digit(i64::from(count))))
        };
        let least = self.least.as_ref();
        Compared {
            least: least.map_or(Ordering::Greater, |least| compare(so_far.least, least)),
            most: compare(so_far.most, &self.most),
        }
    }

    /// After a mantissa of so many digits: one that a bound's goes on from is less.
    pub(super) fn after_mantissa(&self, so_far: Compared, count: u32) -> Compared {
        let end = |so_far: Ordering, bound: &Decimal| match bound.digits.len() > count as usize {
            true => so_far.then(Ordering::Less),
            false => so_far,
        };
        let least = self.least.as_ref();
        Compared {
            least: least.map_or(Ordering::Greater, |least| end(so_far.least, least)),
            most: end(so_far.most, &self.most),
        }
    }

    /// The exponents that may follow a mantissa, or one that begins so. Where there are some, a
    /// mantissa can go on so that they may follow: as that of a bound does, if it begins as one.
    pub(super) fn exponents(&self, mantissa: Compared) -> RangeInclusive<i64> {
        let (mut lowest, mut highest) = self.exponents.clone().into_inner();
        if let Some(least) = &self.least {
            lowest = lowest.max(least.point - 1 + i64::from(mantissa.least.is_lt()));
        }
        highest = highest.min(self.most.point - 1 - i64::from(mantissa.most.is_gt()));
        lowest..=highest
    }

    /// The digits of a mantissa that may still decide: beyond those of the bounds, all are alike.
    pub(super) fn digits(&self, so_far: Compared) -> u32 {
        let most = Some(&self.most).filter(|_| so_far.most.is_eq());
        let least = self.least.as_ref().filter(|_| so_far.least.is_eq());
        let digits = most.into_iter().chain(least);
        digits
            .map(|bound| bound.digits.len() as u32)
            .max()
            .unwrap_or(0)
    }
}
