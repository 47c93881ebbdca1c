//! Steps: positive decimals that others are multiples of, and the arithmetic of `multipleOf`.

use super::number::{DOUBLE_DIGITS, Decimal};
use crate::base::LimitError;

/// A positive decimal: `units × 10^-places`, of as few places as it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Step {
    units: u64,
    places: u32,
}

/// Digits of the least common multiple of several steps: remainders are words of 64 bits.
pub(crate) const DIGITS_TOGETHER: usize = 18;

impl Step {
    pub(crate) const ONE: Self = Self {
        units: 1,
        places: 0,
    };

    /// No step has more places: numbers of 15 digits may have one before the point, and one place
    /// more than the step.
    pub(crate) const PLACES: u32 = DOUBLE_DIGITS - 2;

    /// `10^-places`.
    pub(crate) fn power(places: u32) -> Self {
        Self { units: 1, places }
    }

    /// The step of this value, which is greater than zero.
    ///
    /// # Errors
    /// What doubles do not hold exactly enough: more than 15 digits before the point or in all,
    /// or more than [`Step::PLACES`] after it.
    pub(crate) fn new(value: &Decimal) -> Result<Self, LimitError> {
        let whole = usize::try_from(value.point).unwrap_or(0);
        let digits = value.digits.len().max(whole);
        LimitError::check("digits of a multipleOf", digits, DOUBLE_DIGITS as usize)?;
        let places = value.digits.len() as i64 - value.point;
        let places = usize::try_from(places).unwrap_or(0);
        LimitError::check(
            "decimal places of a multipleOf",
            places,
            Self::PLACES as usize,
        )?;
        let places = places as u32;
        let (units, _) = value.units(places);
        let units = u64::try_from(units).expect("it has at most 15 digits");
        Ok(Self { units, places })
    }

    pub(crate) fn places(self) -> u32 {
        self.places
    }

    /// The step in units of `10^-places`, of which it has no more.
    pub(crate) fn units(self, places: u32) -> u128 {
        u128::from(self.units) * power_of_ten(places - self.places)
    }

    /// The least step that is a multiple of both.
    ///
    /// # Errors
    /// It has more than 18 digits.
    pub(crate) fn lcm(self, other: Self) -> Result<Self, LimitError> {
        let mut places = self.places.max(other.places);
        let common = lcm(self.units(places), other.units(places));
        let mut units = common.unwrap_or(u128::MAX);
        while places > 0 && units.is_multiple_of(10) {
            units /= 10;
            places -= 1;
        }
        let digits = units.ilog10() as usize + 1;
        let what = "digits of the least common multiple of several multipleOf";
        LimitError::check(what, digits, DIGITS_TOGETHER)?;
        let units = u64::try_from(units).expect("it has at most 18 digits");
        Ok(Self { units, places })
    }

    pub(crate) fn is_multiple_of(self, other: Self) -> bool {
        let places = self.places.max(other.places);
        self.units(places).is_multiple_of(other.units(places))
    }

    /// Whether `value` is a multiple.
    pub(crate) fn divides(self, value: &Decimal) -> bool {
        let places = value.digits.len() as i64 - value.point;
        if places > i64::from(self.places) {
            return value.is_zero();
        }
        let modulus = u128::from(self.units);
        let digits = value.digits.iter();
        let remainder = digits.fold(0, |rest, &digit| (rest * 10 + u128::from(digit)) % modulus);
        let zeros = (i64::from(self.places) - places) as u64;
        (remainder * power_modulo(zeros, modulus)).is_multiple_of(modulus)
    }
}

pub(crate) fn gcd(a: u128, b: u128) -> u128 {
    match b {
        0 => a,
        _ => gcd(b, a % b),
    }
}

/// The least common multiple of positive numbers.
pub(crate) fn lcm(a: u128, b: u128) -> Option<u128> {
    (a / gcd(a, b)).checked_mul(b)
}

/// `10^exponent`, for at most 38.
pub(crate) fn power_of_ten(exponent: u32) -> u128 {
    10u128.pow(exponent)
}

/// `10^exponent` modulo a number of at most 19 digits.
fn power_modulo(mut exponent: u64, modulus: u128) -> u128 {
    let (mut base, mut power) = (10 % modulus, 1 % modulus);
    while exponent > 0 {
        if exponent % 2 == 1 {
            power = power * base % modulus;
        }
        base = base * base % modulus;
        exponent /= 2;
    }
    power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps() {
        let d = Decimal::parse;
        let step = |text: &str| Step::new(&d(text)).unwrap();
        assert_eq!(step("0.50"), step("5e-1"));
        assert_eq!(step("1e9").lcm(step("1e-9")), Ok(step("1000000000")));
        assert_eq!(step("0.4").lcm(step("0.6")), Ok(step("1.2")));
        assert_eq!(step("2.5").lcm(Step::ONE), Ok(step("5")));
        assert!(step("1.2").is_multiple_of(step("0.4")));
        assert!(!step("0.4").is_multiple_of(step("0.6")));
        assert!(step("1000000007").lcm(step("998244353")).is_ok());
        assert!(step("999999999999989").lcm(step("999983")).is_err());
        for (text, multiple, expected) in [
            ("0.0001", "0.0075", true),
            ("0.0001", "0.00751", false),
            ("1.5", "-4.5", true),
            ("1.5", "35", false),
            ("7", "1e1000000000", false),
            ("8", "1e1000000000", true),
            ("0.123456789", "1e308", false),
            ("1e9", "0", true),
            ("1e-13", "1e-14", false),
        ] {
            assert_eq!(
                step(text).divides(&d(multiple)),
                expected,
                "{multiple} {text}"
            );
        }
        for text in ["1e15", "1e300", "1e-14", "1.234567890123456"] {
            assert!(Step::new(&d(text)).is_err(), "{text}");
        }
    }
}
