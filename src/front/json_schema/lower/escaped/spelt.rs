//! Texts as they are spelt in a string.

use std::sync::Mutex;

use crate::base::lock;
use crate::grammar::Texts;

/// The escapes that JSON text needs: other characters do not stand in it, or need none.
pub(super) const NEEDED: [(u8, u8); 5] = [
    (b'"', b'"'),
    (b'\\', b'\\'),
    (b'n', b'\n'),
    (b'r', b'\r'),
    (b't', b'\t'),
];

/// The minimal spelling of `text`.
pub(super) fn spell(text: &[u8]) -> Vec<u8> {
    let mut spelt = Vec::with_capacity(text.len() + 2);
    for &byte in text {
        match NEEDED.iter().find(|&&(_, needed)| needed == byte) {
            Some(&(letter, _)) => spelt.extend([b'\\', letter]),
            None => spelt.push(byte),
        }
    }
    spelt
}

/// The bytes that are spelt by others, where escapes are minimal; an escape that is under way at the end is none yet.
pub(super) fn read(spelt: impl IntoIterator<Item = u32>) -> impl Iterator<Item = u32> {
    let mut spelt = spelt.into_iter();
    std::iter::from_fn(move || {
        let byte = spelt.next()?;
        if byte != u32::from(b'\\') {
            return Some(byte);
        }
        let letter = spelt.next()?;
        let mut needed = NEEDED.iter();
        let meant = needed.find(|&&(known, _)| u32::from(known) == letter);
        Some(meant.map_or(letter, |&(_, byte)| u32::from(byte)))
    })
}

/// The spelling of a text that begins with a quote, from that quote on: the backslash before it is left out.
pub(super) fn spell_quoted(text: &[u8]) -> Vec<u8> {
    spell(text).split_off(text.len().min(1))
}

/// Sets of texts that begin with a quote, in their spelling; each that ends with a letter behind a backslash also without
/// that letter.
#[derive(Debug, Default)]
pub(super) struct SpeltTexts {
    /// The set that was asked for last, and its spelling.
    ///
    /// PERF: without, each new key spells all that are in use: within an object of 1,000 keys cold masks take 780 µs in the
    /// mean for 57 to 80, of 100 keys 64 for 21 (`maskbench --content assert`, dev profile).
    last: Mutex<(Texts, Texts)>,
}

impl SpeltTexts {
    /// Those of `texts`.
    pub(super) fn of(&self, texts: &Texts) -> Texts {
        if texts.is_empty() {
            return Texts::default();
        }
        let mut last = lock(&self.last);
        let (known, spelt) = &*last;
        if known.is_same(texts) {
            return spelt.clone();
        }
        let made = match texts.before() {
            Some((before, text)) if before.is_same(known) => {
                spellings(text).fold(spelt.clone(), |spelt, text| spelt.with(&text))
            }
            _ => texts.iter().flat_map(spellings).collect(),
        };
        *last = (texts.clone(), made.clone());
        made
    }
}

fn spellings(text: &[u8]) -> impl Iterator<Item = Vec<u8>> + use<> {
    let spelt = spell_quoted(text);
    let last = text.last().copied();
    let is_escaped = last.is_some_and(|last| NEEDED.iter().any(|&(_, needed)| needed == last));
    let without = is_escaped.then(|| spelt[..spelt.len() - 1].to_vec());
    without
        .into_iter()
        .filter(|text| !text.is_empty())
        .chain([spelt])
}
