//! Grids: the numbers at equal distances that are written, and which of them is next to a bound.

use super::grain::period;
use super::number::{DOUBLE_DIGITS, Decimal};
use super::step::{Step, gcd, lcm, power_of_ten};

/// Multiples of a step, some of them left out, of so many digits at most.
///
/// All counts are of units: `10^-places`. What reads numbers mostly holds them in doubles, so
/// those that are written have few enough digits for doubles to tell them apart. Zeros at the end
/// of a fraction are no digits in this sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    pub(crate) places: u32,
    pub(crate) step: u128,
    /// Multiples of these are left out; they are multiples of the step.
    pub(crate) except: Vec<u128>,
    /// The grid repeats after so many units.
    pub(crate) period: u128,
    /// Digits before the point and after it together; a zero before the point is one of them.
    pub(crate) digits: u32,
    /// Whether the numbers between two neighbours that are both none of `except` count too.
    pub(crate) dense: bool,
}

/// Digits of an integer that nothing but its bounds is asked of: then it need not be told from its
/// neighbours, only be a double.
pub(crate) const DIGITS_OF_DOUBLES: u32 = 308;

impl Grid {
    /// The multiples of `step`, but not of `except`, that are written.
    pub(crate) fn written(step: Step, except: &[Step]) -> Self {
        let places = step.places();
        let period = period(step, except).expect("grains with too long a period are refused");
        Self {
            places,
            step: step.units(places),
            except: except.iter().map(|except| except.units(places)).collect(),
            period,
            digits: match (places, period) {
                (0, 1) => DIGITS_OF_DOUBLES,
                _ => DOUBLE_DIGITS,
            },
            dense: false,
        }
    }

    /// All multiples of `step` but not of `except`, as far as arithmetic reaches.
    pub(crate) fn all(step: Step, except: &[Step]) -> Self {
        let mut grid = Self::written(step, except);
        if !grid.is_integers() {
            grid.digits = 37;
        }
        grid
    }

    /// The numbers that need more than so many places.
    pub(crate) fn finer(places: u32) -> Self {
        // The digit before the point is one of them.
        let finest = Step::power(DOUBLE_DIGITS - 1);
        Self {
            dense: true,
            ..Self::written(finest, &[Step::power(places)])
        }
    }

    /// Whether these are all integers that are doubles.
    pub(crate) fn is_integers(&self) -> bool {
        self.places == 0 && self.period == 1 && self.digits == DIGITS_OF_DOUBLES
    }

    /// Whether all integers are among these, and doubles show that they are: the step is 1, or halves
    /// of it.
    pub(crate) fn has_integers(&self) -> bool {
        let unit = power_of_ten(self.places);
        !self.dense
            && self.except.is_empty()
            && unit.is_multiple_of(self.step)
            && (unit / self.step).is_power_of_two()
    }

    /// Of numbers that need more than so many places, how many those are.
    pub(crate) fn coarse_places(&self) -> Option<u32> {
        let coarse = self.except.first().filter(|_| self.dense)?;
        Some(self.places - coarse.ilog10())
    }

    /// Digits that a number with so many before the point has after it, at most.
    pub(crate) fn fraction(&self, whole: u32) -> u32 {
        self.places.min(self.digits.saturating_sub(whole))
    }

    /// How much of a beginning matters where so many places are still to come: it may be reduced
    /// modulo this.
    pub(crate) fn modulus(&self, places_left: u32) -> u128 {
        self.period / gcd(self.period, power_of_ten(places_left))
    }

    /// Whether a number of so many units belongs to the grid.
    pub(crate) fn contains(&self, units: u128) -> bool {
        units.is_multiple_of(self.step) && !self.is_left_out(units)
    }

    fn is_left_out(&self, units: u128) -> bool {
        self.except
            .iter()
            .any(|&except| units.is_multiple_of(except))
    }

    /// The first number of the grid from `least` to `most` whose last `zeros` places are zero.
    pub(crate) fn first(&self, least: u128, most: u128, zeros: u32) -> Option<u128> {
        let stride = self.stride(zeros)?;
        let mut units = least.div_ceil(stride) * stride;
        // Few in a row are left out: every prime factor takes its multiples only.
        while units <= most {
            if !self.is_left_out(units) {
                return Some(units);
            }
            units += stride;
        }
        None
    }

    /// The last number of the grid from `least` to `most` whose last `zeros` places are zero.
    fn last(&self, least: u128, most: u128, zeros: u32) -> Option<u128> {
        let stride = self.stride(zeros)?;
        let mut units = most / stride * stride;
        while units >= least {
            if !self.is_left_out(units) {
                return Some(units);
            }
            units = units.checked_sub(stride)?;
        }
        None
    }

    /// The distance of numbers whose last `zeros` places are zero; `None` where all are left out.
    fn stride(&self, zeros: u32) -> Option<u128> {
        let stride = lcm(self.step, power_of_ten(zeros))?;
        (!self.is_left_out(stride)).then_some(stride)
    }

    /// The least number of the grid above `value`, or at it where it is `inclusive`.
    pub(crate) fn ceiling(&self, value: &Decimal, inclusive: bool) -> Option<Decimal> {
        if self.is_integers() {
            return Some(match value.is_integer() && !inclusive {
                true => value.successor(),
                false => value.ceiling(),
            });
        }
        let (units, exact) = value.units(self.places);
        let at = |negative, units| Some(Decimal::from_units(negative, units, self.places));
        if !value.negative {
            let units = self.above(units + u128::from(!exact || !inclusive))?;
            return at(false, units);
        }
        let most = units.checked_sub(u128::from(exact && !inclusive));
        match most.and_then(|most| self.below(most)) {
            Some(units) => at(true, units),
            None => at(false, self.above(0)?),
        }
    }

    /// The greatest number of the grid below `value`, or at it where it is `inclusive`.
    pub(crate) fn floor(&self, value: &Decimal, inclusive: bool) -> Option<Decimal> {
        let least = self.ceiling(&value.opposite(), inclusive)?;
        Some(least.opposite())
    }

    /// The least magnitude from `least` on.
    fn above(&self, least: u128) -> Option<u128> {
        (1..=self.longest()).find_map(|whole| {
            let (first, last) = self.of_length(whole);
            let zeros = self.places - self.fraction(whole);
            self.first(least.max(first), last, zeros)
        })
    }

    /// The greatest magnitude up to `most`.
    fn below(&self, most: u128) -> Option<u128> {
        (1..=self.longest()).rev().find_map(|whole| {
            let (first, last) = self.of_length(whole);
            let zeros = self.places - self.fraction(whole);
            self.last(first, most.min(last), zeros)
        })
    }

    fn longest(&self) -> u32 {
        self.digits.min(37 - self.places)
    }

    /// The magnitudes with so many digits before the point.
    fn of_length(&self, whole: u32) -> (u128, u128) {
        let first = match whole {
            1 => 0,
            _ => power_of_ten(whole - 1 + self.places),
        };
        (first, power_of_ten(whole + self.places) - 1)
    }
}
