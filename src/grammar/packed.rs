//! The words of positions, and texts as words: for each its length, then its bytes, four to a word.

use smallvec::SmallVec;

/// A position of an implicit body, call arguments, or an exit: a few words that mean something to
/// their body only. Equal words are the same position.
pub(crate) type Words = SmallVec<[u32; 8]>;

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

/// The texts of some words with those of some more, ascending.
pub(crate) fn with(words: &[u32], more: &[u32]) -> Words {
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
