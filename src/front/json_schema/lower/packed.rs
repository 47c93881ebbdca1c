//! Texts as words: for each its length, then its bytes, four to a word.

use crate::grammar::Words;

/// Writes a text.
pub(super) fn write(text: &[u8], words: &mut Words) {
    words.push(text.len() as u32);
    for chunk in text.chunks(4) {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        words.push(u32::from_le_bytes(word));
    }
}

/// The text at the beginning of `words`, which are moved beyond it; an empty one at their end.
pub(super) fn read(words: &mut &[u32]) -> Box<[u8]> {
    let (&length, rest) = words.split_first().unwrap_or((&0, &[]));
    let (text, rest) = rest.split_at((length as usize).div_ceil(4).min(rest.len()));
    *words = rest;
    let bytes = text.iter().flat_map(|word| word.to_le_bytes());
    bytes.take(length as usize).collect()
}

/// The words of some texts.
pub(super) fn pack<'k>(texts: impl IntoIterator<Item = &'k [u8]>) -> Words {
    let mut words = Words::new();
    texts.into_iter().for_each(|text| write(text, &mut words));
    words
}

/// The texts of some words.
pub(super) fn unpack(mut words: &[u32]) -> Vec<Box<[u8]>> {
    let mut texts = Vec::new();
    while !words.is_empty() {
        texts.push(read(&mut words));
    }
    texts
}

/// The texts of some words with those of some more, ascending.
pub(super) fn with(words: &[u32], more: &[u32]) -> Words {
    let mut texts = unpack(words);
    texts.append(&mut unpack(more));
    texts.sort_unstable();
    pack(texts.iter().map(|text| &**text))
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
