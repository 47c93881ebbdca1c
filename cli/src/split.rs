//! A text as control tokens and bytes.

use aho_corasick::{AhoCorasick, MatchKind};
use maskwright::vocab::Vocabulary;

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part<'t> {
    Control(&'t str),
    Byte(u8),
}

impl Part<'_> {
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Control(name) => name.len(),
            Self::Byte(_) => 1,
        }
    }
}

/// Finds the control tokens of a text.
pub(crate) struct Splitter<'a> {
    /// Those that the language names.
    named: &'a [String],
    spellings: AhoCorasick,
}

impl<'a> Splitter<'a> {
    /// Where the language names control tokens, those and the vocabulary's special tokens are read
    /// as such; where it names none, all is text.
    pub(crate) fn new(named: &'a [String], vocabulary: &'a Vocabulary) -> Self {
        let specials = vocabulary.specials().map(|(name, _)| name);
        let specials = specials.filter(|_| !named.is_empty());
        let all = named.iter().map(String::as_str).chain(specials);
        let spellings = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(all.filter(|spelling| !spelling.is_empty()))
            .expect("the names of a vocabulary are bytes enough for a few million states at most");
        Self { named, spellings }
    }

    /// Whether the language names this control token.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.named.iter().any(|named| named == name)
    }

    /// The parts of `text`. Of several control tokens that begin at one place the longest counts.
    pub(crate) fn parts<'t>(&self, text: &'t str) -> impl Iterator<Item = Part<'t>> {
        let mut controls = self.spellings.find_iter(text).peekable();
        let mut at = 0;
        std::iter::from_fn(move || {
            let part = match controls.next_if(|control| control.start() == at) {
                Some(control) => Part::Control(&text[control.range()]),
                None => Part::Byte(*text.as_bytes().get(at)?),
            };
            at += part.len();
            Some(part)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use maskwright::base::TokenId;
    use maskwright::vocab::VocabularyBuilder;

    fn split(named: &[&str], text: &str) -> Vec<String> {
        let mut builder = VocabularyBuilder::new();
        builder.ordinary(TokenId::new(0), b"a").expect("free");
        builder.special(TokenId::new(1), "<s>").expect("free");
        let vocabulary = builder.build().expect("well-formed");
        let named: Vec<String> = named.iter().map(|&name| name.to_owned()).collect();
        let splitter = Splitter::new(&named, &vocabulary);
        let spelt = splitter.parts(text).map(|part| match part {
            Part::Control(name) => name.to_owned(),
            Part::Byte(byte) => char::from(byte).to_string(),
        });
        spelt.collect()
    }

    #[test]
    fn finds_the_longest() {
        assert_eq!(
            split(&["<a>", "<a>b"], "<a>b<a><s><"),
            ["<a>b", "<a>", "<s>", "<"]
        );
        assert_eq!(split(&[], "<s>"), ["<", "s", ">"]);
    }
}
