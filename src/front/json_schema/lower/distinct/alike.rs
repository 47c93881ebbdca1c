//! Which numbers a number may come to equal, by what was read of it.

use smallvec::{SmallVec, smallvec};

use super::value::Value;
use crate::front::json_schema::number::{DOUBLE_DIGITS, Decimal};
use crate::grammar::Texts;

/// Significant digits.
type Digits = SmallVec<[u8; DOUBLE_DIGITS as usize]>;

/// Doubles have all their digits below this exponent, and above the one with the other sign.
const FAR: u64 = 290;

/// The text by which a number is in use, one for equal numbers: its sign, its digits and its exponent, so that numbers which begin
/// alike stand together; and apart from these those that any may come to equal.
pub(super) fn key(number: &Decimal) -> Box<[u8]> {
    let rounded;
    let number = match number.digits.len() > DOUBLE_DIGITS as usize {
        true => {
            rounded = Decimal::parse(Value::number(number).scalar());
            &rounded
        }
        false => number,
    };
    if number.is_zero() || number.point.unsigned_abs() >= FAR {
        let value = Value::number(number);
        return [&[ANY], value.scalar().as_bytes()].concat().into();
    }
    let sign = if number.negative { NEGATIVE } else { POSITIVE };
    let digits = number.digits.iter().map(|digit| b'0' + digit);
    let exponent = (number.point - 1).to_string();
    let digits = [sign].into_iter().chain(digits).chain([b'e']);
    digits.chain(exponent.bytes()).collect()
}

/// The first byte of a key.
const ANY: u8 = b'*';
const POSITIVE: u8 = b'+';
const NEGATIVE: u8 = b'-';

/// What the beginning of a number says of the numbers that it may come to equal: how their keys begin.
///
/// Numbers are told apart as doubles. Rounding keeps their order, and a decimal of at most [`DOUBLE_DIGITS`] is the shortest that has its
/// double. So what begins with the digits 12, at whatever place the point is, only equals numbers that do, or 13. It may equal
/// whatever is zero or near the ends of doubles, which have fewer digits there.
pub(super) struct Beginning(SmallVec<[Vec<u8>; 4]>);

impl Beginning {
    pub(super) fn of(read: &[u8]) -> Self {
        let mut prefixes = smallvec![vec![ANY]];
        let sign = match read.first() {
            None => {
                prefixes.extend([vec![POSITIVE], vec![NEGATIVE]]);
                return Self(prefixes);
            }
            Some(b'-') => NEGATIVE,
            Some(_) => POSITIVE,
        };
        let digits = mantissa(read).iter().filter(|byte| byte.is_ascii_digit());
        let digits = digits.skip_while(|&&digit| digit == b'0').copied();
        let digits: Digits = digits.take(DOUBLE_DIGITS as usize).collect();
        let ended = |digits: &[u8]| [&[sign], digits, b"e"].concat();
        prefixes.push([&[sign], &digits[..]].concat());
        if let Some(last) = digits.iter().rposition(|&digit| digit != b'0') {
            if last + 1 < digits.len() {
                prefixes.push(ended(&digits[..=last]));
            }
            prefixes.push(ended(&beyond(&digits)));
        }
        Self(prefixes)
    }

    /// How many of those `used` a number may equal that begins so, up to so many.
    pub(super) fn rivals(&self, used: &Texts, most: usize) -> usize {
        self.0.iter().fold(0, |sum, prefix| {
            sum + used.beginning_with(prefix).take(most - sum).count()
        })
    }

    /// Whether it may equal fewer of them than so many.
    pub(super) fn has_fewer_rivals(&self, used: &Texts, than: usize) -> bool {
        used.len() < than || self.rivals(used, than) < than
    }

    /// Whether it may equal none.
    pub(super) fn has_no_rival(&self, used: &Texts) -> bool {
        self.has_fewer_rivals(used, 1)
    }
}

/// What stands before the exponent.
pub(super) fn mantissa(number: &[u8]) -> &[u8] {
    let end = number.iter().position(|byte| b"eE".contains(byte));
    &number[..end.unwrap_or(number.len())]
}

/// The digits of the next number of as many digits, without zeros at the end.
fn beyond(digits: &Digits) -> Digits {
    let nines = digits.iter().rev().take_while(|&&digit| digit == b'9');
    let mut beyond = digits.clone();
    beyond.truncate(digits.len() - nines.count());
    match beyond.last_mut() {
        Some(last) => *last += 1,
        None => beyond.push(b'1'),
    }
    beyond
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may_equal(read: &str, other: &str) -> bool {
        let used = Texts::default().with(&key(&Decimal::parse(other)));
        !Beginning::of(read.as_bytes()).has_no_rival(&used)
    }

    #[test]
    fn numbers_have_one_key_where_they_are_one_value() {
        let texts = [
            "0",
            "-0.0",
            "1",
            "-1",
            "1.0",
            "10",
            "0.1",
            "-0.1",
            "1e-1",
            "12",
            "1.2",
            "1e300",
            "-1e300",
            "10e299",
            "1e-300",
            "1e-308",
            "5e-324",
            "4e-324",
            "-5e-324",
            "1e400",
            "1e401",
            "-1e400",
            "1.5e-300",
            "15e-301",
            "0.1000000000000000055511151231257827",
            "9007199254740993",
            "9007199254740992",
            "9007199254740994",
            "999999999999999999999",
            "1e21",
        ];
        for one in texts {
            for other in texts {
                let keys = [one, other].map(|text| key(&Decimal::parse(text)));
                let values = [one, other].map(|text| Value::of_spelt(text.as_bytes()));
                assert_eq!(keys[0] == keys[1], values[0] == values[1], "{one} {other}");
            }
        }
    }

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
            let kept = others.split(' ').filter(|other| may_equal(read, other));
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
            for end in 0..=text.len() {
                assert!(
                    may_equal(&text[..end], text),
                    "{text} from {}",
                    &text[..end]
                );
            }
        }
    }
}
