//! What a grid remembers of the digits read, and asks of those to come.

use crate::front::json_schema::grid::Grid;
use crate::front::json_schema::step::power_of_ten;

/// What is known of a number's beginning with respect to a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Residue {
    /// The digits read, as a number, as far as they matter.
    pub(super) value: u64,
    /// Places of the grid that are still to come.
    pub(super) places: u32,
    /// How many of them may be other than zero.
    pub(super) left: u32,
    /// Whether all digits may follow: there is no grid, or what was read settles it.
    pub(super) settled: bool,
}

impl Residue {
    pub(super) const SETTLED: Self = Self {
        value: 0,
        places: 0,
        left: 0,
        settled: true,
    };

    /// Before the first digit.
    pub(super) fn start(grid: Option<&Grid>) -> Self {
        grid.map_or(Self::SETTLED, |grid| Self {
            places: grid.places,
            settled: false,
            ..Self::SETTLED
        })
    }

    /// After one more digit, the places to come being counted already.
    pub(super) fn after_digit(self, grid: &Grid, digit: u8) -> Self {
        let value = u128::from(self.value) * 10 + u128::from(digit);
        let value = value % grid.modulus(self.places);
        Self {
            value: u64::try_from(value).expect("a grid's period has at most 18 digits"),
            ..self
        }
    }

    /// After an integer part of so many digits.
    pub(super) fn after_integer(self, grid: &Grid, count: u32) -> Self {
        Self {
            left: grid.fraction(count),
            ..self
        }
    }

    /// After one more digit of the fraction, of those that may be other than zero.
    pub(super) fn after_place(self, grid: &Grid, digit: u8) -> Self {
        let next = Self {
            places: self.places - 1,
            left: self.left - 1,
            ..self
        };
        let next = next.after_digit(grid, digit);
        match grid.dense && next.is_between(grid) {
            true => Self::SETTLED,
            false => next,
        }
    }

    /// The number so far, in units of the grid.
    fn units(self) -> u128 {
        u128::from(self.value) * power_of_ten(self.places)
    }

    /// Whether all numbers that begin like this, and the one after them, are none that is left out.
    fn is_between(self, grid: &Grid) -> bool {
        let (units, width) = (self.units(), power_of_ten(self.places));
        let mut except = grid.except.iter();
        except.all(|except| units % except != 0 && units % except + width < *except)
    }

    /// Whether the number so far is one of the grid.
    pub(super) fn ends(self, grid: &Grid) -> bool {
        grid.contains(self.units())
    }

    /// Whether places can follow that make it a number of the grid.
    pub(super) fn can_end(self, grid: &Grid) -> bool {
        let least = self.units();
        let most = least + power_of_ten(self.places) - 1;
        grid.first(least, most, self.places - self.left).is_some()
    }

    /// Whether it begins a number of the grid with `more` further digits of the integer part, which
    /// are `length` then.
    pub(super) fn can_end_at(self, grid: &Grid, more: u32, length: u32) -> bool {
        if grid.is_integers() {
            return true;
        }
        let width = power_of_ten(more + self.places);
        let least = u128::from(self.value) * width;
        let zeros = grid.places - grid.fraction(length);
        grid.first(least, least + width - 1, zeros).is_some()
    }

    /// The least number that makes it one of the grid when it follows: `digits` of the integer part, and as many places as
    /// are to come, of which the first `places` may be other than zero.
    pub(super) fn rest(self, grid: &Grid, digits: u32, places: u32) -> Option<u128> {
        let width = power_of_ten(digits + self.places);
        let least = u128::from(self.value) * width;
        let zeros = self.places - places.min(self.places);
        let units = grid.first(least, least + width - 1, zeros)?;
        Some(units - least)
    }
}
