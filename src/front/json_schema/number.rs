//! Exact decimals: what the numbers of a schema mean.

use std::cmp::Ordering;

use smallvec::SmallVec;

/// Doubles tell decimals of so many digits from all others of as many.
pub(crate) const DOUBLE_DIGITS: u32 = 15;

/// The greatest double.
pub(crate) const GREATEST_DOUBLE: &str = "1.7976931348623157e308";

/// An exact decimal number: `0.d1d2d3… × 10^point`, negative or not.
///
/// Neither leading nor trailing zeros are kept, so equal numbers are equal values; zero has no
/// digits and no sign.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Decimal {
    pub(crate) negative: bool,
    /// Digits as numbers from 0 to 9.
    pub(crate) digits: SmallVec<[u8; 24]>,
    pub(crate) point: i64,
}

impl Decimal {
    /// Reads a number spelt as in JSON.
    pub(crate) fn parse(text: &str) -> Self {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)),
            None => (text, 0),
        };
        let negative = mantissa.starts_with('-');
        let mantissa = mantissa.trim_start_matches('-');
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits: SmallVec<[u8; 24]> = whole
            .bytes()
            .chain(fraction.bytes())
            .map(|b| b - b'0')
            .collect();
        let zeros = digits.iter().take_while(|&&d| d == 0).count();
        digits.drain(..zeros);
        while digits.last() == Some(&0) {
            digits.pop();
        }
        if digits.is_empty() {
            return Self::default();
        }
        let point = (whole.len() as i64 - zeros as i64).saturating_add(exponent);
        Self {
            negative,
            digits,
            point,
        }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    pub(crate) fn is_integer(&self) -> bool {
        self.point >= self.digits.len() as i64
    }

    /// The number as a count, the greatest count where it is greater; `None` where it is no
    /// non-negative integer.
    pub(crate) fn as_count(&self) -> Option<u32> {
        if self.negative || !self.is_integer() {
            return None;
        }
        if self.point > 10 {
            return Some(u32::MAX);
        }
        let count = (0..self.point).fold(0u64, |n, i| n * 10 + u64::from(self.digit(i)));
        Some(u32::try_from(count).unwrap_or(u32::MAX))
    }

    /// The digit `place` places after the first one, 0 beyond the last.
    pub(crate) fn digit(&self, place: i64) -> u8 {
        let place = usize::try_from(place).ok();
        place
            .and_then(|place| self.digits.get(place))
            .copied()
            .unwrap_or(0)
    }

    /// The greatest integer that is not greater.
    pub(crate) fn floor(&self) -> Self {
        match (self.is_integer(), self.negative) {
            (true, _) => self.clone(),
            (false, false) => self.truncated(),
            (false, true) => self.truncated().away_from_zero(true),
        }
    }

    /// The least integer that is not less.
    pub(crate) fn ceiling(&self) -> Self {
        match (self.is_integer(), self.negative) {
            (true, _) => self.clone(),
            (false, true) => self.truncated(),
            (false, false) => self.truncated().away_from_zero(false),
        }
    }

    /// The integer above this one, which is an integer.
    pub(crate) fn successor(&self) -> Self {
        match self.negative {
            true => self.towards_zero(),
            false => self.away_from_zero(false),
        }
    }

    /// The magnitude in units of `10^-places`, rounded down, and whether that is all of it; for
    /// great ones at least `10^37`.
    pub(crate) fn units(&self, places: u32) -> (u128, bool) {
        const MOST: u128 = 10u128.pow(37);
        let count = self.point.saturating_add(i64::from(places));
        if count > 37 {
            return (MOST, false);
        }
        let digits = (0..count).map(|place| u128::from(self.digit(place)));
        let units = digits.fold(0, |units, digit| units * 10 + digit);
        (units, count >= self.digits.len() as i64)
    }

    /// The number that has this sign and so many units of `10^-places`.
    pub(crate) fn from_units(negative: bool, units: u128, places: u32) -> Self {
        let sign = if negative { "-" } else { "" };
        Self::parse(&format!("{sign}{units}e-{places}"))
    }

    /// The double that a reader takes it for.
    pub(crate) fn to_double(&self) -> f64 {
        let digits = self.digits.iter().map(|&digit| char::from(b'0' + digit));
        let sign = if self.negative { "-" } else { "" };
        let text = format!("{sign}0.{}e{}", digits.collect::<String>(), self.point);
        text.parse().expect("a number in Rust's spelling")
    }

    /// The number on the other side of zero.
    pub(crate) fn opposite(&self) -> Self {
        Self {
            negative: !self.negative && !self.is_zero(),
            ..self.clone()
        }
    }

    fn truncated(&self) -> Self {
        let kept = usize::try_from(self.point).unwrap_or(0);
        let digits = self.digits[..kept.min(self.digits.len())].iter().copied();
        Self::from_integer_digits(self.negative, digits.collect())
    }

    fn away_from_zero(&self, negative: bool) -> Self {
        let mut digits = self.integer_digits();
        let mut at = digits.len();
        loop {
            match at.checked_sub(1) {
                None => {
                    digits.insert(0, 1);
                    break;
                }
                Some(last) if digits[last] == 9 => digits[last] = 0,
                Some(last) => {
                    digits[last] += 1;
                    break;
                }
            }
            at -= 1;
        }
        Self::from_integer_digits(negative, digits)
    }

    fn towards_zero(&self) -> Self {
        let mut digits = self.integer_digits();
        for digit in digits.iter_mut().rev() {
            match *digit {
                0 => *digit = 9,
                _ => {
                    *digit -= 1;
                    break;
                }
            }
        }
        Self::from_integer_digits(self.negative, digits)
    }

    fn integer_digits(&self) -> Vec<u8> {
        (0..self.point).map(|place| self.digit(place)).collect()
    }

    fn from_integer_digits(negative: bool, digits: Vec<u8>) -> Self {
        let text: String = digits.iter().map(|&d| char::from(b'0' + d)).collect();
        Self {
            negative,
            ..Self::parse(if text.is_empty() { "0" } else { &text })
        }
        .normalised()
    }

    fn normalised(mut self) -> Self {
        self.negative &= !self.is_zero();
        self
    }

    /// The number without its sign.
    pub(crate) fn magnitude(&self) -> Self {
        Self {
            negative: false,
            ..self.clone()
        }
    }

    /// The integer spelt without exponent or fraction; `None` for others and for long ones.
    pub(crate) fn to_integer_text(&self) -> Option<String> {
        if !self.is_integer() || self.point > 40 {
            return None;
        }
        if self.is_zero() {
            return Some("0".to_owned());
        }
        let sign = self.negative.then_some('-');
        let digits = (0..self.point).map(|place| char::from(b'0' + self.digit(place)));
        Some(sign.into_iter().chain(digits).collect())
    }

    /// The number spelt without exponent; `None` where that takes very many digits.
    pub(crate) fn to_text(&self) -> Option<String> {
        if self.point.abs() > 1000 {
            return None;
        }
        let places = self.point.min(0)..self.point.max(self.digits.len() as i64);
        let mut text = String::from(if self.negative { "-" } else { "" });
        if self.point <= 0 {
            text.push('0');
        }
        for place in places {
            if place == self.point && !self.is_integer() {
                text.push('.');
            }
            text.push(char::from(b'0' + self.digit(place)));
        }
        Some(text)
    }

    /// The spellings with an exponent that programs write: of very small numbers and of great ones.
    pub(crate) fn to_scientific_texts(&self) -> Vec<String> {
        let exponent = self.point - 1;
        if self.is_zero() || (-4..16).contains(&exponent) {
            return Vec::new();
        }
        let mantissa = Self {
            point: 1,
            ..self.clone()
        };
        let mantissa = mantissa.to_text().expect("its point is near");
        vec![
            format!("{mantissa}e{exponent}"),
            format!("{mantissa}e{exponent:+}"),
            format!("{mantissa}e{exponent:+03}"),
        ]
    }

    /// An integer and an exponent of at most `most`, as in `12e7`; `None` where it would not be positive.
    pub(crate) fn to_integer_scientific_text(&self, most: i64) -> Option<String> {
        let exponent = most.min(self.point - self.digits.len() as i64);
        let mantissa = Self {
            point: self.point - exponent,
            ..self.clone()
        };
        let mantissa = mantissa.to_text().filter(|_| exponent > 0)?;
        Some(format!("{mantissa}e{exponent}"))
    }

    /// Whether a double is this very integer.
    pub(crate) fn is_double_integer(&self) -> bool {
        let double = self.to_double();
        self.is_integer() && double.is_finite() && Self::parse(&format!("{double:.0}")) == *self
    }

    fn cmp_magnitude(&self, other: &Self) -> Ordering {
        match (self.is_zero(), other.is_zero()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => self
                .point
                .cmp(&other.point)
                .then_with(|| self.digits.cmp(&other.digits)),
        }
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => self.cmp_magnitude(other),
            (true, true) => other.cmp_magnitude(self),
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// An exponent; beyond any that can matter, it is cut.
fn parse_exponent(text: &str) -> i64 {
    const MOST: i64 = 1 << 40;
    let (sign, digits) = match text.as_bytes().first() {
        Some(b'-') => (-1, &text[1..]),
        Some(b'+') => (1, &text[1..]),
        _ => (1, text),
    };
    sign * digits
        .bytes()
        .fold(0i64, |n, b| (n * 10 + i64::from(b - b'0')).min(MOST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_rounding() {
        let d = Decimal::parse;
        assert_eq!(d("-0.0"), d("0"));
        assert_eq!(d("1.50e1"), d("15"));
        let ascending = [
            "-1e3", "-12", "-1.5", "-0.01", "0", "1e-3", "0.5", "1", "1.01", "10", "1e2",
        ];
        for pair in ascending.windows(2) {
            assert!(d(pair[0]) < d(pair[1]), "{pair:?}");
        }
        for (text, floor, ceiling) in [
            ("1.5", "1", "2"),
            ("-1.5", "-2", "-1"),
            ("0.2", "0", "1"),
            ("-0.2", "-1", "0"),
            ("9.9", "9", "10"),
            ("-99.5", "-100", "-99"),
            ("7", "7", "7"),
        ] {
            assert_eq!(d(text).floor(), d(floor), "{text}");
            assert_eq!(d(text).ceiling(), d(ceiling), "{text}");
        }
        for (text, above) in [
            ("0", "1"),
            ("-1", "0"),
            ("9", "10"),
            ("100", "101"),
            ("-10", "-9"),
        ] {
            assert_eq!(d(text).successor(), d(above), "{text}");
        }
        assert_eq!(d("1e9").as_count(), Some(1_000_000_000));
        assert_eq!(d("2.0").as_count(), Some(2));
        assert_eq!(d("1e30").as_count(), Some(u32::MAX));
        assert_eq!((d("-1").as_count(), d("0.5").as_count()), (None, None));
        for (text, is_double) in [
            ("9007199254740992", true),
            ("9007199254740993", false),
            ("-1e22", true),
            ("1e23", false),
            ("1e400", false),
            ("0", true),
            ("0.5", false),
        ] {
            assert_eq!(d(text).is_double_integer(), is_double, "{text}");
        }
        assert_eq!(d("-1200").to_integer_text().as_deref(), Some("-1200"));
    }
}
