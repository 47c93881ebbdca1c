//! Magnitudes between two bounds, and how the digits read so far compare with them.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use crate::front::json_schema::number::Decimal;
use crate::grammar::KeyWriter;

/// Magnitudes: from zero, or a bound, to another, or without end. Bounds are members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Interval {
    least: Option<Limit>,
    most: Option<Limit>,
}

/// A bound, with the number of digits before its point.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Limit {
    value: Decimal,
    digits: u32,
}

/// How what is read compares with the bounds, digit by digit from the first on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Compared {
    pub(super) least: Ordering,
    pub(super) most: Ordering,
}

impl Limit {
    fn new(value: &Decimal) -> Self {
        Self {
            value: value.magnitude(),
            digits: u32::try_from(value.point.max(1)).unwrap_or(u32::MAX),
        }
    }

    /// The digit at `place`: 0 is the first after the point.
    fn digit(&self, place: i64) -> u8 {
        self.value.digit(self.value.point + place)
    }

    /// Whether all digits from `place` on are zero.
    fn ends(&self, place: i64) -> bool {
        self.value.digits.len() as i64 <= self.value.point + place
    }

    fn places(&self) -> u32 {
        let places = self.value.digits.len() as i64 - self.value.point;
        u32::try_from(places.max(0)).unwrap_or(u32::MAX)
    }
}

impl Interval {
    /// The magnitudes on one side of zero between two bounds, `near` being the one closer to that
    /// zero; `None` where there are none.
    pub(super) fn new(
        near: Option<&Decimal>,
        far: Option<&Decimal>,
        negative: bool,
    ) -> Option<Self> {
        let this_side = |value: &Decimal| value.is_zero() || value.negative == negative;
        if far.is_some_and(|far| !this_side(far)) {
            return None;
        }
        let least = near.filter(|near| !near.is_zero() && near.negative == negative);
        Some(Self {
            least: least.map(Limit::new),
            most: far.map(Limit::new),
        })
    }

    pub(super) fn least(&self) -> Option<&Decimal> {
        self.least.as_ref().map(|limit| &limit.value)
    }

    pub(super) fn most(&self) -> Option<&Decimal> {
        self.most.as_ref().map(|limit| &limit.value)
    }

    /// After one more digit of the integer part, of which `count` are read.
    pub(super) fn after_whole(&self, so_far: Compared, count: u32, digit: u8) -> Compared {
        self.compare(so_far, |so_far, limit| {
            // Longer than the bound: decided by length.
            if count >= limit.digits {
                return Ordering::Greater;
            }
            let place = i64::from(count) - i64::from(limit.digits);
            so_far.then_with(|| digit.cmp(&limit.digit(place)))
        })
    }

    /// After the integer part, of so many digits: one that is shorter than a bound's is less.
    pub(super) fn after_integer(&self, so_far: Compared, count: u32) -> Compared {
        self.compare(so_far, |so_far, limit| match count < limit.digits {
            true => Ordering::Less,
            false => so_far,
        })
    }

    /// After one more digit of the fraction, of which `count` are read.
    pub(super) fn after_place(&self, so_far: Compared, count: u32, digit: u8) -> Compared {
        self.compare(so_far, |so_far, limit| {
            so_far.then_with(|| digit.cmp(&limit.digit(i64::from(count))))
        })
    }

    fn compare(
        &self,
        so_far: Compared,
        compare: impl Fn(Ordering, &Limit) -> Ordering,
    ) -> Compared {
        let least = self.least.as_ref();
        let most = self.most.as_ref();
        Compared {
            least: least.map_or(Ordering::Greater, |limit| compare(so_far.least, limit)),
            most: most.map_or(Ordering::Less, |limit| compare(so_far.most, limit)),
        }
    }

    /// The places that may still decide: beyond those of the bounds, all are alike.
    pub(super) fn places(&self, so_far: Compared) -> u32 {
        let undecided = [(so_far.least, &self.least), (so_far.most, &self.most)];
        let undecided = undecided.into_iter().filter(|(so_far, _)| so_far.is_eq());
        let places = undecided.filter_map(|(_, limit)| limit.as_ref().map(Limit::places));
        places.max().unwrap_or(0)
    }

    /// Whether a number that ends after so many places is one.
    pub(super) fn holds(&self, so_far: Compared, count: u32) -> bool {
        let above = self.least.as_ref().is_none_or(|limit| match so_far.least {
            Ordering::Less => false,
            Ordering::Equal => limit.ends(i64::from(count)),
            Ordering::Greater => true,
        });
        above && so_far.most.is_le()
    }

    /// Whether a bound begins like this: then something can follow.
    pub(super) fn is_beginning(so_far: Compared) -> bool {
        so_far.least.is_eq() || so_far.most.is_eq()
    }

    /// How long integer parts may become, of which `count` digits are read and no bound begins so,
    /// for whatever follows to be between the bounds.
    pub(super) fn lengths(&self, so_far: Compared, count: u32, most: u32) -> RangeInclusive<u32> {
        // At a bound's own length, what is read may be too small or too great.
        let shortest = self.least.as_ref();
        let shortest = shortest.map_or(0, |limit| limit.digits + u32::from(so_far.least.is_lt()));
        let longest = self.most.as_ref();
        let longest = longest.map_or(most, |limit| limit.digits - u32::from(so_far.most.is_gt()));
        shortest.max(count)..=longest.min(most)
    }

    /// Whether a number of the interval begins like this, its integer part being over.
    pub(super) fn has_fraction(so_far: Compared) -> bool {
        so_far.least.is_ge() && so_far.most.is_le()
    }

    pub(super) fn describe(&self, key: &mut KeyWriter<'_>) {
        for limit in [&self.least, &self.most] {
            key.word(u32::from(limit.is_some()));
            if let Some(limit) = limit {
                key.word(limit.value.point as u32);
                key.bytes(&limit.value.digits);
            }
        }
    }
}
