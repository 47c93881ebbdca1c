//! Texts as words: for each its length, then its bytes, four to a word.

use super::{Texts, Words};

/// The words of a text.
pub(crate) fn words(text: &[u8]) -> impl Iterator<Item = u32> {
    let chunks = text.chunks(4).map(|chunk| {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        u32::from_le_bytes(word)
    });
    std::iter::once(text.len() as u32).chain(chunks)
}

/// Writes a text.
pub(crate) fn write(text: &[u8], to: &mut Words) {
    to.extend(words(text));
}

/// The text at the beginning of `words`, which are moved beyond it; an empty one at their end.
pub(crate) fn read(words: &mut &[u32]) -> Box<[u8]> {
    let (&length, rest) = words.split_first().unwrap_or((&0, &[]));
    let (text, rest) = rest.split_at((length as usize).div_ceil(4).min(rest.len()));
    *words = rest;
    let bytes = text.iter().flat_map(|word| word.to_le_bytes());
    bytes.take(length as usize).collect()
}

/// The words of some texts.
pub(crate) fn pack<'k>(texts: impl IntoIterator<Item = &'k [u8]>) -> Words {
    texts.into_iter().flat_map(words).collect()
}

/// The texts of some words.
pub(crate) fn unpack(mut words: &[u32]) -> Vec<Box<[u8]>> {
    let mut texts = Vec::new();
    while !words.is_empty() {
        texts.push(read(&mut words));
    }
    texts
}

/// `texts` with those of some words.
pub(crate) fn added(texts: &Texts, words: &[u32]) -> Texts {
    let words = unpack(words).into_iter();
    words.fold(texts.clone(), |texts, text| texts.with(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_packed_and_unpacked() {
        let texts: [&[u8]; 4] = [b"\"\"", b"\"abc\"", b"\"a\"", b"\"abcdefg\""];
        assert_eq!(unpack(&pack(texts)), texts.map(Box::from));
        assert!(unpack(&[]).is_empty());
    }
}
