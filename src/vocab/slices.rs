//! Slices: the tokens that lie wholly inside a class of characters, for any class.
//!
//! A row per byte says which tokens contain it, so a class's slice is what is left of the ordinary
//! tokens when the rows of the excluded bytes are taken away, and the tokens that are not UTF-8 by
//! themselves. An index by byte lists the tokens that contain it: those that may leave a class.

use std::cmp::Reverse;
use std::sync::OnceLock;

use crate::base::{ByteSet, TokenId};

use super::longer::{Longer, More};
use super::row;
use super::tokens::Tokens;
use super::trie::{NodeId, Trie};

/// A set of characters, as slices know them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TokenClass {
    /// The ASCII characters in it: bit `b` is the character `b`.
    pub(crate) ascii: u128,
    /// The characters beyond ASCII in it: those whose UTF-8 begins with one of these bytes.
    pub(crate) leads: ByteSet,
}

impl TokenClass {
    /// The bytes that characters beyond ASCII begin with (RFC 3629, section 4).
    pub(crate) const LEADS: ByteSet = ByteSet::range(0xC2, 0xF4);
}

/// The rows, the index by byte and the lengths in characters of a vocabulary's ordinary tokens.
#[derive(Clone)]
pub(crate) struct Slices {
    /// Words of a row.
    words: usize,
    /// For each byte the row of the tokens that contain it.
    by_byte: Box<[u32]>,
    ordinary: Box<[u32]>,
    non_ascii: Box<[u32]>,
    not_utf8: Box<[u32]>,
    index: ByteIndex,
    /// By id.
    chars: Box<[u32]>,
    longer: Longer,
    /// The ordinary tokens, the longest first, and the length of each in bytes.
    by_length: Box<[(u32, TokenId)]>,
    /// For each byte the tokens that begin with it and have it again, once asked for.
    again: Box<[OnceLock<Box<[TokenId]>>]>,
}

impl Slices {
    /// The slices of these tokens, rows with a bit for each of `logits` ids.
    pub(super) fn new(tokens: &Tokens, trie: &Trie, logits: usize) -> Self {
        let words = row::words(logits);
        let chars = chars(tokens);
        let mut slices = Self {
            words,
            longer: Longer::new(tokens, &chars, words),
            by_byte: vec![0; 256 * words].into_boxed_slice(),
            ordinary: row::empty(logits),
            non_ascii: row::empty(logits),
            not_utf8: row::empty(logits),
            index: ByteIndex::empty(),
            chars,
            by_length: Box::default(),
            again: vec![OnceLock::new(); 256].into_boxed_slice(),
        };
        let lengths = tokens
            .ordinary()
            .map(|(id, bytes)| (bytes.len() as u32, id));
        slices.by_length = lengths.collect();
        slices.by_length.sort_by_key(|&(length, _)| Reverse(length));
        for (id, bytes) in tokens.ordinary() {
            slices.add(id, bytes);
        }
        slices.index = ByteIndex::new(trie, |byte| row::count(slices.row_containing(byte)));
        slices
    }

    fn add(&mut self, id: TokenId, bytes: &[u8]) {
        row::insert(&mut self.ordinary, id);
        let (word, bit) = (id.index() >> 5, 1 << (id.get() & 31));
        for &byte in bytes {
            self.by_byte[usize::from(byte) * self.words + word] |= bit;
        }
        if !bytes.is_ascii() {
            row::insert(&mut self.non_ascii, id);
            if std::str::from_utf8(bytes).is_err() {
                row::insert(&mut self.not_utf8, id);
            }
        }
    }

    /// The row of the ordinary tokens wholly inside `class`, each UTF-8 by itself.
    pub(crate) fn within(&self, class: &TokenClass) -> Box<[u32]> {
        let mut inside = self.ordinary.clone();
        match class.leads.is_empty() {
            true => row::subtract(&mut inside, &self.non_ascii),
            false => {
                row::subtract(&mut inside, &self.not_utf8);
                let others = TokenClass::LEADS.without(&class.leads);
                others
                    .iter()
                    .for_each(|lead| self.take_out(lead, &mut inside));
            }
        }
        for byte in (0..128).filter(|byte| class.ascii >> byte & 1 == 0) {
            self.take_out(byte, &mut inside);
        }
        inside
    }

    /// Of the tokens that begin with `first`, an ASCII character outside `class`, the row of those that otherwise lie
    /// inside it; of other tokens the row says nothing.
    pub(crate) fn within_after(&self, trie: &Trie, first: u8, class: &TokenClass) -> Box<[u32]> {
        let mut inside = self.within(&TokenClass {
            ascii: class.ascii | 1 << first,
            ..*class
        });
        for &token in self.having_again(trie, first) {
            row::remove(&mut inside, token);
        }
        inside
    }

    /// The tokens that begin with `byte` and have it again.
    fn having_again(&self, trie: &Trie, byte: u8) -> &[TokenId] {
        self.again[usize::from(byte)].get_or_init(|| {
            let Some(node) = trie.child(NodeId::ROOT, byte) else {
                return Box::default();
            };
            let longer = trie.ranks_below(node);
            let again = longer.filter(|&rank| trie.text(rank)[1..].contains(&byte));
            again.map(|rank| trie.token(rank)).collect()
        })
    }

    /// Takes the tokens that contain `byte` out of `inside`.
    fn take_out(&self, byte: u8, inside: &mut [u32]) {
        let listed = self.containing(byte);
        // PERF: a short list is cheaper than a pass over the row, which takes several words at once.
        if listed.len() < self.words / 8 {
            listed.iter().for_each(|&token| row::remove(inside, token));
        } else {
            row::subtract(inside, self.row_containing(byte));
        }
    }

    /// The ordinary tokens that contain `byte`, in the trie's pre-order.
    pub(crate) fn containing(&self, byte: u8) -> &[TokenId] {
        self.index.tokens(byte)
    }

    /// The row of the ordinary tokens that contain `byte`.
    pub(crate) fn row_containing(&self, byte: u8) -> &[u32] {
        &self.by_byte[usize::from(byte) * self.words..][..self.words]
    }

    /// The row of all ordinary tokens.
    pub(crate) fn ordinary(&self) -> &[u32] {
        &self.ordinary
    }

    /// The row of the ordinary tokens that are not UTF-8 by themselves.
    pub(crate) fn not_utf8(&self) -> &[u32] {
        &self.not_utf8
    }

    /// The ordinary tokens of more than so many bytes.
    pub(crate) fn longer_than(&self, bytes: usize) -> impl Iterator<Item = TokenId> {
        let longer = |&(length, _): &(u32, TokenId)| length as usize > bytes;
        let count = self.by_length.partition_point(longer);
        self.by_length[..count].iter().map(|&(_, token)| token)
    }

    /// The ordinary tokens in which more than so many characters begin.
    pub(crate) fn more(&self, chars: u32) -> More<'_> {
        self.longer.more(chars)
    }

    /// How many characters begin in an ordinary token: its bytes that do not continue one.
    /// 0 for any other id.
    pub(crate) fn chars(&self, token: TokenId) -> u32 {
        self.chars.get(token.index()).copied().unwrap_or(0)
    }
}

/// By id, how many characters begin in an ordinary token.
fn chars(tokens: &Tokens) -> Box<[u32]> {
    let mut chars = vec![0; tokens.len()].into_boxed_slice();
    for (id, bytes) in tokens.ordinary() {
        let starts = bytes.iter().filter(|&&byte| !is_continuation(byte)).count();
        chars[id.index()] = starts as u32;
    }
    chars
}

/// Whether `byte` continues a character in UTF-8.
const fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// For each byte the ordinary tokens that contain it, in the trie's pre-order.
#[derive(Clone)]
struct ByteIndex {
    /// Where a byte's tokens begin; the next byte's begin where they end.
    starts: Box<[u32; 257]>,
    tokens: Box<[TokenId]>,
}

impl ByteIndex {
    fn empty() -> Self {
        Self {
            starts: Box::new([0; 257]),
            tokens: Box::default(),
        }
    }

    /// The index of a trie's tokens, of which `count(byte)` contain a byte.
    fn new(trie: &Trie, count: impl Fn(u8) -> usize) -> Self {
        let mut starts = Box::new([0; 257]);
        for byte in 0..=u8::MAX {
            let index = usize::from(byte);
            starts[index + 1] = starts[index] + count(byte) as u32;
        }
        let mut next = *starts;
        let mut tokens = vec![TokenId::new(0); starts[256] as usize].into_boxed_slice();
        each_with_bytes(trie, |token, bytes| {
            for byte in bytes.iter() {
                let place = &mut next[usize::from(byte)];
                tokens[*place as usize] = token;
                *place += 1;
            }
        });
        Self { starts, tokens }
    }

    fn tokens(&self, byte: u8) -> &[TokenId] {
        let [start, end] = [0, 1].map(|offset| self.starts[usize::from(byte) + offset] as usize);
        &self.tokens[start..end]
    }
}

/// Calls `each` with every token and the set of its bytes, tokens in pre-order.
fn each_with_bytes(trie: &Trie, mut each: impl FnMut(TokenId, &ByteSet)) {
    // The bytes on the way to the current node, by depth.
    let mut path = vec![ByteSet::EMPTY];
    for index in 1..trie.node_count() {
        let node = NodeId::from_index(index);
        let depth = trie.depth(node);
        path.truncate(depth);
        let mut bytes = path[depth - 1];
        bytes.insert(trie.nodes()[index].byte());
        path.push(bytes);
        trie.tokens(node)
            .iter()
            .for_each(|&token| each(token, &bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocab::{Vocabulary, VocabularyBuilder};
    use proptest::prelude::*;

    fn vocabulary(texts: &[Vec<u8>], logits: usize) -> Vocabulary {
        let mut builder = VocabularyBuilder::new();
        builder.ordinary(TokenId::new(0), b"a").unwrap();
        builder.special(TokenId::new(1), "a").unwrap();
        for (id, text) in (2..).zip(texts) {
            builder.ordinary(TokenId::new(id), text).unwrap();
        }
        builder.build().unwrap().with_logits(logits).unwrap()
    }

    /// What the class says, token by token and character by character.
    fn is_within(class: &TokenClass, bytes: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(bytes) else {
            return false;
        };
        text.chars().all(|character| match character.is_ascii() {
            true => class.ascii >> (character as u32) & 1 == 1,
            false => class.leads.contains(character.to_string().as_bytes()[0]),
        })
    }

    fn ids(vocabulary: &Vocabulary, keep: impl Fn(&[u8]) -> bool) -> Vec<TokenId> {
        let all = (0..vocabulary.len()).map(TokenId::from_usize);
        all.filter(|&id| vocabulary.bytes(id).is_some_and(&keep))
            .collect()
    }

    fn listed(row: &[u32]) -> Vec<TokenId> {
        row::tokens(row).collect()
    }

    fn sorted(mut tokens: Vec<TokenId>) -> Vec<TokenId> {
        tokens.sort_unstable();
        tokens
    }

    fn check(vocabulary: &Vocabulary, classes: &[TokenClass]) {
        let slices = vocabulary.slices();
        assert_eq!(listed(slices.ordinary()), ids(vocabulary, |_| true));
        let not_utf8 = ids(vocabulary, |bytes| std::str::from_utf8(bytes).is_err());
        assert_eq!(listed(slices.not_utf8()), not_utf8);
        for class in classes {
            let row = slices.within(class);
            assert_eq!(row.len(), vocabulary.mask_words());
            assert_eq!(
                listed(&row),
                ids(vocabulary, |bytes| is_within(class, bytes)),
                "{class:?}"
            );
            for first in (0..128).filter(|first| class.ascii >> first & 1 == 0) {
                let row = slices.within_after(vocabulary.trie(), first, class);
                let begins = |id: &TokenId| vocabulary.bytes(*id).is_some_and(|b| b[0] == first);
                assert_eq!(
                    row::tokens(&row).filter(begins).collect::<Vec<_>>(),
                    ids(vocabulary, |bytes| bytes[0] == first
                        && is_within(class, &bytes[1..])),
                    "{class:?} after {first}"
                );
            }
        }
        for byte in 0..=255 {
            let expected = ids(vocabulary, |bytes| bytes.contains(&byte));
            assert_eq!(listed(slices.row_containing(byte)), expected);
            let order = |id: &TokenId| (vocabulary.bytes(*id).unwrap(), *id);
            assert!(slices.containing(byte).is_sorted_by_key(order), "pre-order");
            let mut index = slices.containing(byte).to_vec();
            index.sort_unstable();
            assert_eq!(index, expected);
        }
        for most in 0..40 {
            let starts = |bytes: &[u8]| bytes.iter().filter(|&&b| !is_continuation(b)).count();
            let more = match slices.more(most) {
                More::Row(row) => listed(row),
                More::List(list) => list.iter().map(|&(_, token)| token).collect(),
            };
            let expected = ids(vocabulary, |bytes| starts(bytes) > most as usize);
            assert_eq!(sorted(more), expected, "more than {most}");
        }
        for id in (0..vocabulary.len() + 2).map(TokenId::from_usize) {
            let chars = slices.chars(id);
            let text = vocabulary.bytes(id).map(std::str::from_utf8);
            match text {
                Some(Ok(text)) => assert_eq!(chars as usize, text.chars().count()),
                Some(Err(_)) => {}
                None => assert_eq!(chars, 0),
            }
        }
    }

    fn texts() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let piece = prop_oneof![
            prop::sample::select(vec![
                "a",
                "b",
                "\"",
                "\\",
                " ",
                "\u{e9}",
                "\u{4e2d}",
                "\u{1f600}"
            ])
            .prop_map(|text| text.as_bytes().to_vec()),
            prop::sample::select(vec![0u8, 0x7f, 0x80, 0xbf, 0xc3, 0xe4, 0xf0, 0xff])
                .prop_map(|byte| vec![byte]),
        ];
        let text = (
            prop::collection::vec(piece, 0..5),
            prop::sample::select(vec![1, 9]),
        )
            .prop_map(|(pieces, times)| pieces.concat().repeat(times));
        prop::collection::vec(text, 0..80)
    }

    fn class() -> impl Strategy<Value = TokenClass> {
        let ascii = prop_oneof![
            Just(0),
            Just(u128::MAX),
            any::<u128>(),
            any::<u128>().prop_map(|a| { a | 1 << b'a' | 1 << b'b' })
        ];
        let leads = prop::sample::select(vec![
            ByteSet::EMPTY,
            TokenClass::LEADS,
            ByteSet::range(0xC3, 0xC3),
            TokenClass::LEADS.without(&ByteSet::range(0xE4, 0xEF)),
        ]);
        (ascii, leads).prop_map(|(ascii, leads)| TokenClass { ascii, leads })
    }

    proptest! {
        #[test]
        fn slices_are_what_each_token_says(
            texts in texts(),
            more in 0usize..600,
            classes in prop::collection::vec(class(), 4),
        ) {
            check(&vocabulary(&texts, texts.len() + 2 + more), &classes);
        }
    }

    #[test]
    fn chars_of_a_broken_token_are_the_bytes_that_begin_one() {
        let texts = [&b"\xa9a"[..], b"a\xc3", b"\x80\x80"].map(<[u8]>::to_vec);
        let vocabulary = vocabulary(&texts, 5);
        let chars = [2, 3, 4].map(|id| vocabulary.slices().chars(TokenId::new(id)));
        assert_eq!(chars, [1, 2, 0]);
    }
}
