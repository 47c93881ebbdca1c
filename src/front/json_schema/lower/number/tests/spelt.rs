//! Which spellings of numbers there are, and which of them are written, told apart from the body.

use crate::front::json_schema::number::Decimal;
use crate::front::json_schema::number_set::{NumberSet, Spelling};

const GREATEST: &str = "1.7976931348623157e308";

/// Whether a text is a number as JSON spells it; `None` where not even one begins so.
pub(super) fn number(text: &str) -> Option<bool> {
    let mut state = b'^';
    for byte in text.bytes() {
        state = match (state, byte) {
            (b'^', b'-') => b'-',
            (b'^' | b'-', b'0') => b'0',
            (b'^' | b'-' | b'1', b'0'..=b'9') => b'1',
            (b'0' | b'1', b'.') => b'.',
            (b'.' | b'2', b'0'..=b'9') => b'2',
            (b'0' | b'1' | b'2', b'e' | b'E') => b'e',
            (b'e', b'+' | b'-') => b'+',
            (b'e' | b'+' | b'3', b'0'..=b'9') => b'3',
            _ => return None,
        };
    }
    Some(matches!(state, b'0'..=b'3'))
}

/// Whether a set's body writes a number that is spelt so.
pub(super) fn is_written(set: &NumberSet, text: &str) -> bool {
    let exponents = || match text.split_once(['e', 'E']) {
        None => true,
        Some((mantissa, exponent)) => has_exponent(set, mantissa, exponent),
    };
    set.contains(text) && exponents()
}

/// Whether a member that is spelt so is written.
fn has_exponent(set: &NumberSet, mantissa: &str, exponent: &str) -> bool {
    let written = set.written().unwrap();
    let negative = mantissa.starts_with('-');
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(mantissa) => ("-", mantissa),
        None => ("", mantissa),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let magnitude = exponent.trim_start_matches(['+', '-']);
    let exponent: i64 = exponent.parse().unwrap();
    let right_grain = match &written.grid {
        None => true,
        Some(grid) => {
            let zero = fraction.bytes().all(|digit| digit == b'0');
            let mantissa = grid.is_integers() || (whole.len() == 1 && whole != "0");
            let right = match grid.coarse_places() {
                Some(places) => mantissa && (-300..=-i64::from(places) - 2).contains(&exponent),
                None => grid.has_integers() && mantissa && zero && exponent >= 0,
            };
            right && written.spelling == Spelling::Any
        }
    };
    let (near, far) = match negative {
        false => (&written.least, &written.most),
        true => (&written.most, &written.least),
    };
    let near = near
        .as_ref()
        .filter(|near| !near.is_zero() && near.negative == negative);
    let bounds = || near.into_iter().chain(far);
    let great = bounds().any(|bound| bound.is_integer() && bound.digits.len() > 15);
    let highest = match (whole.len(), whole) {
        _ if bounds().next().is_some() && (whole.len() > 1 || whole == "0") => return false,
        (_, "0") => 308,
        (1, _) if great => 14,
        (1, _) => 308,
        (2..=200, _) => 99,
        _ => return false,
    };
    let value = Decimal::parse(&format!("{sign}{mantissa}e{exponent}"));
    magnitude.len() <= 3
        && right_grain
        && exponent <= highest
        && value.magnitude() <= Decimal::parse(GREATEST)
        && written.least.is_none_or(|least| least <= value)
        && written.most.is_none_or(|most| value <= most)
}

/// Numbers with an exponent, close to the bounds of a set and to the greatest double.
pub(super) fn near_bounds(set: &NumberSet) -> Vec<String> {
    let written = set.written().unwrap();
    let greatest = Decimal::parse(GREATEST);
    let bounds = written.least.iter().chain(&written.most).chain([&greatest]);
    let mut texts = Vec::new();
    for bound in bounds.filter(|bound| !bound.is_zero()) {
        let longest = bound.digits.len().min(19) as i64 + 1;
        for (digits, exponent) in (1..=longest).flat_map(|n| (-1..=1).map(move |x| (n, x))) {
            let mantissa = (0..digits).fold(0, |n, at| n * 10 + i128::from(bound.digit(at)));
            let exponent = bound.point - 1 + exponent;
            for mantissa in [mantissa - 1, mantissa, mantissa + 1] {
                let text = mantissa.to_string();
                let (first, fraction) = text.split_at(1);
                let point = if fraction.is_empty() { "" } else { "." };
                texts.push(format!("{first}{point}{fraction}e{exponent}"));
                texts.push(format!("-{first}{point}{fraction}0E{exponent:+03}"));
            }
        }
    }
    texts.retain(|text| number(text) == Some(true));
    texts
}
