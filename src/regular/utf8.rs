//! Code points as sequences of byte ranges.

use regex_syntax::utf8::Utf8Sequences;
use smallvec::SmallVec;

/// One to four byte ranges `(lo, hi)`, both ends included: the strings with a byte of each, in order.
pub(crate) type Sequence = SmallVec<[(u8, u8); 4]>;

/// The UTF-8 forms of the code points from `lo` to `hi`, both included, surrogates left out.
///
/// A code point of the range is spelt by exactly one of the sequences; they come in ascending order.
pub(crate) fn sequences(lo: char, hi: char) -> impl Iterator<Item = Sequence> {
    Utf8Sequences::new(lo, hi).map(|s| s.as_slice().iter().map(|r| (r.start, r.end)).collect())
}

/// Whether `byte` continues a code point (`10xxxxxx`); every other byte of a valid text starts one.
pub(crate) const fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_its_sequences_in_order() {
        let found: Vec<_> = sequences('a', 'ÿ').collect();
        let ranges: Vec<&[(u8, u8)]> = found.iter().map(Sequence::as_slice).collect();
        assert_eq!(
            ranges,
            [&[(0x61, 0x7F)][..], &[(0xC2, 0xC3), (0x80, 0xBF)][..]]
        );
    }
}
