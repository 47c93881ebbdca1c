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

/// How many texts some words have.
pub(crate) fn count(words: &[u32]) -> usize {
    each(words).count()
}

/// Whether one of the texts of some words is `text`.
pub(crate) fn has(words: &[u32], text: &[u8]) -> bool {
    let wanted = pack([text]);
    each(words).any(|packed| *packed == wanted[..])
}

/// The words of each text.
pub(crate) fn each(mut words: &[u32]) -> impl Iterator<Item = &[u32]> {
    std::iter::from_fn(move || {
        let &length = words.first()?;
        let (text, rest) = words.split_at(words.len().min(1 + (length as usize).div_ceil(4)));
        words = rest;
        Some(text)
    })
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
        assert_eq!((count(&pack(texts)), count(&[])), (4, 0));
        assert!(texts.iter().all(|text| has(&pack(texts), text)));
        assert!(!has(&pack(texts), b"abc") && !has(&[], b""));
    }
}
