//! A vocabulary's tokens by class: what the bytes of each suggest that it does.

use maskwright::base::TokenId;

/// What a token's bytes suggest it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Ends a turn.
    End,
    /// Another control token.
    Control,
    /// Closes a bracket, and opens nothing.
    Close,
    /// A quote alone: it may close a string, or open one.
    Quote,
    /// Letters of ASCII, perhaps after a space.
    Word,
    Digits,
    Space,
    /// Opens a bracket.
    Open,
    /// A comma or a colon: another member or item follows, or a value.
    Separator,
    /// Other ASCII.
    Mixed,
    /// Text beyond ASCII, or a piece of it.
    Foreign,
}

/// All of them.
pub(super) const CLASSES: [Class; 11] = [
    Class::End,
    Class::Control,
    Class::Close,
    Class::Quote,
    Class::Word,
    Class::Digits,
    Class::Space,
    Class::Open,
    Class::Separator,
    Class::Mixed,
    Class::Foreign,
];

impl Class {
    fn of(bytes: &[u8]) -> Self {
        let word = bytes.strip_prefix(b" ").unwrap_or(bytes);
        if bytes.iter().all(u8::is_ascii_whitespace) {
            Self::Space
        } else if !bytes.is_ascii() {
            Self::Foreign
        } else if word.iter().all(u8::is_ascii_alphabetic) {
            Self::Word
        } else if word.iter().all(u8::is_ascii_digit) {
            Self::Digits
        } else if bytes.iter().any(|b| b"{[".contains(b)) {
            Self::Open
        } else if bytes.iter().all(|b| b"\"}] \n".contains(b)) {
            if bytes.iter().any(|b| b"}]".contains(b)) {
                Self::Close
            } else {
                Self::Quote
            }
        } else if bytes.iter().all(|b| b",: ".contains(b)) {
            Self::Separator
        } else {
            Self::Mixed
        }
    }
}

/// A vocabulary's tokens by class, as rows of bits like a mask's. Made once per vocabulary.
pub(crate) struct Classes {
    rows: [Vec<u32>; CLASSES.len()],
    /// The tokens that are readable: without white space but single spaces.
    plain: Vec<u32>,
    /// Of the words, those in small letters behind a space.
    words: Vec<u32>,
    line_break: Option<TokenId>,
}

impl Classes {
    /// Sorts the ids below `len`; `kind` tells each one's bytes, and special tokens apart.
    pub(crate) fn new<'v>(len: usize, mut kind: impl FnMut(TokenId) -> Kind<'v>) -> Self {
        let empty = || vec![0; len.div_ceil(32)];
        let mut classes = Self {
            rows: std::array::from_fn(|_| empty()),
            plain: empty(),
            words: empty(),
            line_break: None,
        };
        for id in (0..len).map(TokenId::from_usize) {
            let (class, bytes) = match kind(id) {
                Kind::End => (Class::End, &[][..]),
                Kind::Control => (Class::Control, &[][..]),
                Kind::Text(bytes) => (Class::of(bytes), bytes),
            };
            insert(&mut classes.rows[class as usize], id);
            if is_plain(bytes) {
                insert(&mut classes.plain, id);
            }
            if class == Class::Word && is_small_word(bytes) {
                insert(&mut classes.words, id);
            }
            if bytes == b"\n" {
                classes.line_break = Some(id);
            }
        }
        classes
    }

    /// Whether the mask allows line breaks, as texts do and JSON's strings do not.
    pub(super) fn allows_lines(&self, mask: &[u32]) -> bool {
        self.line_break.is_some_and(|id| is_set(mask, id))
    }

    /// The readable tokens of the mask; of words, where there are any, those in small letters behind a space.
    pub(super) fn readable(&self, mask: &[u32]) -> Vec<u32> {
        let words = self.row(Class::Word);
        let has_words = common(mask, &self.words) > 0;
        let row = mask
            .iter()
            .zip(&self.plain)
            .zip(words.iter().zip(&self.words));
        row.map(|((mask, plain), (word, small))| match has_words {
            true => mask & plain & (!word | small),
            false => mask & plain,
        })
        .collect()
    }

    pub(super) fn row(&self, class: Class) -> &[u32] {
        &self.rows[class as usize]
    }
}

fn insert(row: &mut [u32], id: TokenId) {
    row[id.index() / 32] |= 1 << (id.index() % 32);
}

fn is_plain(bytes: &[u8]) -> bool {
    let is_odd = |byte: &u8| byte.is_ascii_whitespace() && *byte != b' ';
    !bytes.iter().any(is_odd) && !bytes.windows(2).any(|two| two == b"  ")
}

fn is_small_word(bytes: &[u8]) -> bool {
    let letters = bytes.strip_prefix(b" ").unwrap_or_default();
    letters.len() > 1 && letters.iter().all(u8::is_ascii_lowercase)
}

/// What the sampler may know of a token.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind<'v> {
    End,
    Control,
    Text(&'v [u8]),
}

/// Whether the mask allows `id`.
pub(super) fn is_set(mask: &[u32], id: TokenId) -> bool {
    mask.get(id.index() / 32)
        .is_some_and(|word| word >> (id.index() % 32) & 1 == 1)
}

/// How many bits are set in both rows.
pub(super) fn common(mask: &[u32], row: &[u32]) -> u32 {
    mask.iter()
        .zip(row)
        .map(|(a, b)| (a & b).count_ones())
        .sum()
}

/// The `n`th bit, from 0, that is set in both rows.
pub(super) fn nth(mask: &[u32], row: &[u32], mut n: u32) -> Option<TokenId> {
    for (index, (a, b)) in mask.iter().zip(row).enumerate() {
        let mut both = a & b;
        if n >= both.count_ones() {
            n -= both.count_ones();
            continue;
        }
        for _ in 0..n {
            both &= both - 1;
        }
        return Some(TokenId::from_usize(
            index * 32 + both.trailing_zeros() as usize,
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_tokens() {
        use Class::*;
        let words = [
            "the", " end", "7", " ", "{\"", "\"}", "\"", "é", "a.b", "\\n", ", ",
        ];
        let found = words.map(|word| Class::of(word.as_bytes()));
        assert_eq!(
            found,
            [
                Word, Word, Digits, Space, Open, Close, Quote, Foreign, Mixed, Mixed, Separator
            ]
        );
    }

    #[test]
    fn readable_tokens_have_plain_white_space() {
        let words = ["\n", " the", "The", "}\n", "}", " a  b", " x"];
        let classes = Classes::new(8, |id| match words.get(id.index()) {
            Some(word) => Kind::Text(word.as_bytes()),
            None => Kind::Control,
        });
        assert_eq!(classes.readable(&[0xff]), [0b1001_0010]);
        // Without a word in small letters behind a space any will do.
        assert_eq!(classes.readable(&[0xfd]), [0b1101_0100]);
        assert_eq!(classes.readable(&[0b1]), [0]);
        assert!(classes.allows_lines(&[0b1]) && !classes.allows_lines(&[0xfe]));
    }

    #[test]
    fn counts_and_finds_bits() {
        let (a, b) = ([0b1011, 0, 1 << 31], [0b1010, u32::MAX, u32::MAX]);
        assert_eq!(common(&a, &b), 3);
        let found = [0, 1, 2, 3].map(|n| nth(&a, &b, n).map(TokenId::get));
        assert_eq!(found, [Some(1), Some(3), Some(95), None]);
    }
}
