//! The words of positions, arguments and exits, and the texts that go with them.

use std::ops::{Deref, DerefMut};

use smallvec::SmallVec;

use super::texts::Texts;
use crate::base::spilled_bytes;

/// A position of an implicit body, call arguments, or an exit: a few words, and a set of texts, that mean something to
/// their body only. Equal ones are the same position.
///
/// A body that must remember many texts keeps them in `texts`, which costs next to nothing to copy.
#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Words {
    own: SmallVec<[u32; 8]>,
    pub(crate) texts: Texts,
}

impl Clone for Words {
    fn clone(&self) -> Self {
        Self {
            // PERF: the crate's own clone goes word by word, and took 7 % of the instructions of accepts, where this takes 2
            // (callgrind, 30 schemas of MaskBench).
            own: SmallVec::from_slice(&self.own),
            texts: self.texts.clone(),
        }
    }
}

impl Words {
    /// No words, and no texts.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// No words, with room for some.
    pub(crate) fn with_capacity(words: usize) -> Self {
        SmallVec::with_capacity(words).into()
    }

    /// These words, without texts.
    pub(crate) fn from_slice(words: &[u32]) -> Self {
        SmallVec::from_slice(words).into()
    }

    /// No words, with these texts.
    pub(crate) fn of_texts(texts: Texts) -> Self {
        Self {
            texts,
            ..Self::default()
        }
    }

    /// Adds a word behind the others.
    pub(crate) fn push(&mut self, word: u32) {
        self.own.push(word);
    }

    /// Adds words behind the others.
    pub(crate) fn extend_from_slice(&mut self, words: &[u32]) {
        self.own.extend_from_slice(words);
    }

    /// Whether there are neither words nor texts.
    pub(crate) fn is_empty(&self) -> bool {
        self.own.is_empty() && self.texts.is_empty()
    }

    /// How many bytes the words take beyond their own.
    pub(crate) fn bytes(&self) -> usize {
        spilled_bytes(&self.own)
    }
}

impl Deref for Words {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.own
    }
}

impl DerefMut for Words {
    fn deref_mut(&mut self) -> &mut [u32] {
        &mut self.own
    }
}

impl From<SmallVec<[u32; 8]>> for Words {
    fn from(own: SmallVec<[u32; 8]>) -> Self {
        Self {
            own,
            texts: Texts::default(),
        }
    }
}

impl<const N: usize> From<[u32; N]> for Words {
    fn from(words: [u32; N]) -> Self {
        Self::from_slice(&words)
    }
}

impl From<&[u32]> for Words {
    fn from(words: &[u32]) -> Self {
        Self::from_slice(words)
    }
}

impl FromIterator<u32> for Words {
    fn from_iter<I: IntoIterator<Item = u32>>(words: I) -> Self {
        words.into_iter().collect::<SmallVec<_>>().into()
    }
}

impl Extend<u32> for Words {
    fn extend<I: IntoIterator<Item = u32>>(&mut self, words: I) {
        self.own.extend(words);
    }
}
