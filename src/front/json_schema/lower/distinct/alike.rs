//! Which numbers a number may come to equal, by what was read of it.

use smallvec::SmallVec;

use crate::front::json_schema::number::{DOUBLE_DIGITS, Decimal};

/// Significant digits, as numbers from 0 to 9.
type Digits = SmallVec<[u8; DOUBLE_DIGITS as usize]>;

/// Doubles have all their digits below this exponent, and above the one with the other sign.
const FAR: u64 = 290;

/// What the beginning of a number says of the numbers that it may come to equal.
///
/// Numbers are told apart as doubles. Rounding keeps their order, and a decimal of at most [`DOUBLE_DIGITS`] is the shortest that has its
/// double. So what begins with the digits 12, at whatever place the point is, only equals numbers that do, or 13.
pub(super) struct Beginning {
    /// Nothing where nothing was read.
    negative: Option<bool>,
    /// Its first digits, [`DOUBLE_DIGITS`] at most.
    digits: Digits,
    /// The digits of the least number beyond all that begin so.
    beyond: Digits,
}

impl Beginning {
    pub(super) fn of(read: &[u8]) -> Self {
        let digits = mantissa(read).iter().filter(|byte| byte.is_ascii_digit());
        let digits = digits.map(|byte| byte - b'0');
        let digits = digits.skip_while(|&digit| digit == 0);
        let digits: Digits = digits.take(DOUBLE_DIGITS as usize).collect();
        Self {
            negative: read.first().map(|&byte| byte == b'-'),
            beyond: beyond(&digits),
            digits,
        }
    }

    /// Whether a number that begins so may equal another that was read. It is yes where that is zero or near the ends of
    /// doubles, which have fewer digits there.
    pub(super) fn may_equal(&self, other: &Decimal) -> bool {
        if other.is_zero() || other.point.unsigned_abs() >= FAR {
            return true;
        }
        let begins = || {
            let others = other.digits.iter().copied().chain(std::iter::repeat(0));
            self.digits.iter().copied().zip(others).all(|(a, b)| a == b)
        };
        let is_signed_so = self.negative.is_none_or(|own| own == other.negative);
        is_signed_so && (begins() || other.digits[..] == self.beyond[..])
    }
}

/// What stands before the exponent.
pub(super) fn mantissa(number: &[u8]) -> &[u8] {
    let end = number.iter().position(|byte| b"eE".contains(byte));
    &number[..end.unwrap_or(number.len())]
}

/// The digits of the next number of as many digits, without zeros at the end.
fn beyond(digits: &Digits) -> Digits {
    let nines = digits.iter().rev().take_while(|&&digit| digit == 9).count();
    let mut beyond = digits.clone();
    beyond.truncate(digits.len() - nines);
    match beyond.last_mut() {
        Some(last) => *last += 1,
        None => beyond.push(1),
    }
    beyond
}

#[cfg(test)]
mod tests {
    use super::super::Value;
    use super::*;

    #[test]
    fn numbers_that_begin_otherwise_are_left_out() {
        for (read, others, expected) in [
            ("", "1e0 -1e0 0", "1e0 -1e0 0"),
            ("-", "1e0 -1e0 0", "-1e0 0"),
            ("0", "1e0 -1e0 0", "1e0 0"),
            (
                "12",
                "1e0 1.2e0 1.25e7 1.3e1 1.31e0 -1.2e0 2e0",
                "1.2e0 1.25e7 1.3e1",
            ),
            ("0.0099", "9.9e-3 1e-2 9e-3 9.8e-3 1.01e-2", "9.9e-3 1e-2"),
            ("1.0e", "1e0 1e5 1.1e0 2e0", "1e0 1e5 1.1e0"),
            (
                "7",
                "5e-324 1.7976931348623157e308 6e0 8e0",
                "5e-324 1.7976931348623157e308 8e0",
            ),
        ] {
            let beginning = Beginning::of(read.as_bytes());
            let others = others.split(' ');
            let kept = others.filter(|other| beginning.may_equal(&Decimal::parse(other)));
            assert_eq!(kept.collect::<Vec<_>>().join(" "), expected, "{read}");
        }
    }

    /// Whatever was read of a number, it may still equal itself, and what a double does not tell from it.
    #[test]
    fn a_number_may_equal_itself_from_all_its_beginnings() {
        for text in [
            "0",
            "-0.0",
            "1",
            "10",
            "100e-2",
            "0.99999999999999999999",
            "9.9999999999999999999e5",
            "1.00000000000000000001",
            "123456789012345678901234567890",
            "0.1000000000000000055511151231257827",
            "0.09999999999999999999",
            "-12.5e-3",
            "1e-400",
            "4.9e-324",
            "2.2250738585072011e-308",
            "1e400",
            "1797693134862315700000e287",
            "9007199254740993",
            "0.00019999999999999999999",
        ] {
            let value = Value::of_spelt(text.as_bytes());
            for end in 0..=text.len() {
                let beginning = Beginning::of(&text.as_bytes()[..end]);
                let may = beginning.may_equal(&Decimal::parse(value.scalar()));
                assert!(may, "{text} from {}", &text[..end]);
            }
        }
    }
}
