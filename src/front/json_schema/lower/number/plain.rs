//! Numbers as programs print them: no more digits than doubles need.

use std::sync::Arc;

use super::{Integers, NumberBody};
use crate::front::json_schema::lower::lead::Lead;
use crate::front::json_schema::lower::tag;
use crate::front::json_schema::number_set::NumberSet;
use crate::grammar::{Edge, Hints, ImplicitBody, KeyWriter, Node, Words};

/// So many significant digits tell every double from all others.
const DIGITS: u32 = 17;

/// A number of a set, in plain spelling.
///
/// Positions are those of any spelling, and behind them how many digits there are so far. Where there are
/// enough, none follows, unless the number can neither end nor have an exponent: then a bound or
/// a step needs more of them.
#[derive(Debug)]
pub(in crate::front::json_schema::lower) struct PlainNumber {
    inner: NumberBody,
}

/// What has been read of the digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Read {
    /// None.
    Nothing,
    /// So many of an integer part that does not begin with a zero.
    Whole(u32),
    /// A zero before the point, and so many zeros behind it.
    Zeros(u32),
    /// So many, the last of them behind the point.
    Fraction(u32),
    /// All: an exponent follows.
    Exponent,
}

impl Read {
    fn word(self) -> u32 {
        match self {
            Self::Nothing => 0,
            Self::Whole(digits) => 1 << 8 | digits,
            Self::Zeros(zeros) => 2 << 8 | zeros,
            Self::Fraction(digits) => 3 << 8 | digits,
            Self::Exponent => 4 << 8,
        }
    }

    fn of(word: u32) -> Self {
        let count = word & 0xFF;
        match word >> 8 {
            0 => Self::Nothing,
            1 => Self::Whole(count),
            2 => Self::Zeros(count),
            3 => Self::Fraction(count),
            _ => Self::Exponent,
        }
    }

    fn after(self, byte: u8) -> Self {
        let more = |count: u32| (count + 1).min(DIGITS);
        match (self, byte) {
            (Self::Exponent, _) | (_, b'e' | b'E') => Self::Exponent,
            (Self::Nothing, b'0') => Self::Zeros(0),
            (Self::Nothing, b'1'..=b'9') => Self::Whole(1),
            (Self::Whole(count), b'0'..=b'9') => Self::Whole(more(count)),
            (Self::Whole(count), b'.') => Self::Fraction(count),
            (Self::Zeros(count), b'0') => Self::Zeros(more(count)),
            (Self::Zeros(_), b'1'..=b'9') => Self::Fraction(1),
            (Self::Fraction(count), b'0'..=b'9') => Self::Fraction(more(count)),
            (read, _) => read,
        }
    }

    /// Whether `byte` would be one too many, in a number that may end here if `ends`, and may otherwise have an exponent.
    fn is_enough_before(self, byte: u8, ends: bool) -> bool {
        let is_exponent = byte == b'e' || byte == b'E';
        match self {
            // Zeros at the end of an integer say how large it is; a fraction behind so many digits says nothing.
            Self::Whole(DIGITS..) => byte != b'0' && (ends || !is_exponent),
            Self::Zeros(DIGITS..) => byte == b'0',
            Self::Fraction(DIGITS..) => !is_exponent,
            _ => false,
        }
    }
}

impl PlainNumber {
    /// The body of a set that is not empty.
    pub(in crate::front::json_schema::lower) fn new(lead: Lead, set: Arc<NumberSet>) -> Self {
        let inner = NumberBody {
            integers: Integers::Digits,
            ..NumberBody::new(lead, set)
        };
        Self { inner }
    }
}

/// Where the words of what is read stand.
fn parts(words: &[u32]) -> (&[u32], Read) {
    let (read, inner) = words.split_last().expect("positions have words");
    (inner, Read::of(*read))
}

fn position(inner: &[u32], read: Read) -> Words {
    let mut words = Words::from_slice(inner);
    words.push(read.word());
    words
}

impl ImplicitBody for PlainNumber {
    fn start(&self, args: &Words) -> Words {
        position(&self.inner.start(args), Read::Nothing)
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        let (inner, read) = parts(words);
        let mut all = Node::default();
        self.inner.expand(&inner.into(), &mut all);
        let has_exponent = all
            .edges
            .iter()
            .any(|edge| edge.lo == b'e' || edge.lo == b'E');
        // Integers may be as long as they like: their digits say how large they are.
        let may_stop = !self.inner.is_written_as_digits() && (all.exit.is_some() || has_exponent);
        let ends = all.exit.is_some();
        node.exit = all.exit;
        for Edge { lo, hi, to } in all.edges {
            // Zeros count otherwise than other digits.
            let ranges = match (lo..=hi).contains(&b'0') {
                true => [Some((lo, b'0')), (hi > b'0').then_some((b'1', hi))],
                false => [Some((lo, hi)), None],
            };
            for (lo, hi) in ranges.into_iter().flatten() {
                if !(may_stop && read.is_enough_before(lo, ends)) {
                    node.range(lo, hi, position(&to, read.after(lo)));
                }
            }
        }
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for PlainNumber {
    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        key.word(tag::PLAIN_NUMBER);
        self.inner.describe(key)
    }

    fn onward(&self, words: &Words) -> Option<u8> {
        self.inner.onward(&parts(words).0.into())
    }

    fn weight(&self, words: &Words) -> usize {
        self.inner.weight(&parts(words).0.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::json_schema::number_set::Integrality;

    fn accepts(set: &NumberSet, text: &str) -> bool {
        let body = PlainNumber::new(Lead::Bare, Arc::new(set.clone()));
        // A byte may lead to several positions.
        let mut at = vec![body.start(&Words::new())];
        let expand = |at: &Words| {
            let mut node = Node::default();
            body.expand(at, &mut node);
            node
        };
        for byte in text.bytes() {
            let edges = at.iter().flat_map(|at| expand(at).edges);
            let edges = edges.filter(|edge| (edge.lo..=edge.hi).contains(&byte));
            at = edges.map(|edge| edge.to).collect();
        }
        at.iter().any(|at| expand(at).exit.is_some())
    }

    #[test]
    fn what_programs_print_is_plain() {
        let any = NumberSet::default();
        for text in [
            "0",
            "-0.0",
            "5.0",
            "19.90",
            "0.30000000000000004",
            "1e-7",
            "5e-324",
            "-6e+84",
            "1.7976931348623157e308",
            "1.7976931348623157e+308",
            "100000000000000000000",
            "123456789012345680000",
            "0.000001",
            "9007199254740993",
        ] {
            assert!(accepts(&any, text), "{text}");
        }
        for text in [
            "5.00000000000000000",
            "123456789012345678.5",
            "0.1234567890123456789",
            "1234567890123456789",
            "1e1000",
            "0.000000000000000000",
        ] {
            assert!(!accepts(&any, text), "{text}");
        }
        let integers = NumberSet::of_type(Integrality::Integer);
        assert!(
            ["0", "-12", "12345678901234567890123"]
                .iter()
                .all(|text| accepts(&integers, text))
        );
        assert!(
            !["1.0", "1e2", "5.000"]
                .iter()
                .any(|text| accepts(&integers, text))
        );
    }

    #[test]
    fn what_is_no_integer_has_a_fraction_or_an_exponent() {
        let others = NumberSet::of_type(Integrality::Integer).complement();
        let some = |text: &str| others.iter().any(|set| accepts(set, text));
        for text in ["0.5", "-12.25", "0.0000125"] {
            assert!(some(text), "{text}");
        }
        for text in ["5", "5.0", "0", "5e1"] {
            assert!(!some(text), "{text}");
        }
    }

    #[test]
    fn every_double_is_plain() {
        let any = NumberSet::default();
        let mut bits: u64 = 0x9E37_79B9_7F4A_7C15;
        for _ in 0..2000 {
            bits = bits
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let double = f64::from_bits(bits);
            if double.is_finite() {
                assert!(accepts(&any, &format!("{double:e}")), "{double:e}");
            }
        }
    }
}
