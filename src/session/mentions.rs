//! Which ways are open to a state that remembers what was read: those that say nothing of it again.

use std::sync::Arc;

use crate::base::LimitError;
use crate::grammar::{Delimiters, Refusal, Remembered};
use crate::machine::{Forgotten, Generation, StateId};

/// What a state remembers, as far as it decides which ways are open.
pub(super) struct Memory {
    delimiters: Box<[Delimiters]>,
    remembered: Arc<[Remembered]>,
    begun: Vec<Box<[u8]>>,
}

impl Memory {
    /// What `state` remembers; `None` where nothing ever is.
    pub(super) fn of(generation: &Generation, state: StateId) -> Result<Option<Self>, LimitError> {
        let Some(Forgotten { memory, begun, .. }) = generation.forgotten(state)? else {
            return Ok(None);
        };
        Ok(Some(Self {
            delimiters: generation.delimiters().into(),
            remembered: memory,
            begun: begun.to_vec(),
        }))
    }

    fn is_delimiter(&self, byte: u8) -> bool {
        let mut delimiters = self.delimiters.iter();
        delimiters.any(|known| known.delimiter == byte)
    }

    /// Where the delimiters of `text` are.
    fn places(&self, text: &[u8]) -> impl Iterator<Item = usize> {
        (0..text.len()).filter(|&at| self.is_delimiter(text[at]))
    }

    /// Whether `text` begins with something remembered.
    fn begins(&self, text: &[u8]) -> bool {
        let mut remembered = self.remembered.iter();
        remembered.any(|remembered| match remembered.refusal {
            // These end with a delimiter.
            Refusal::Whole => {
                let mut ends = self.places(text);
                ends.any(|end| remembered.texts.contains(&text[..=end]))
            }
            Refusal::Beginning => {
                let mut lengths = 1..=text.len();
                lengths.any(|length| remembered.texts.contains(&text[..length]))
            }
        })
    }

    /// Whether a way mentions nothing that is remembered.
    pub(super) fn is_clean(&self, way: &[u8]) -> bool {
        let whole = |remembered: &Remembered| remembered.refusal == Refusal::Whole;
        self.remembered.iter().all(whole) && !self.places(way).any(|at| self.begins(&way[at..]))
    }

    /// Whether what `token` says can matter: something is begun, or begins in it.
    pub(super) fn concerns(&self, token: &[u8]) -> bool {
        !self.begun.is_empty() || self.places(token).next().is_some()
    }

    /// Whether a way that is open by itself, and clean, is open after `token`: no text that is begun, or begins in the
    /// token, was read before or comes again on the way.
    pub(super) fn allows(&self, token: &[u8], way: &[u8]) -> bool {
        let read = [token, way].concat();
        let begin_here = self.places(token).map(|at| (at, &[][..]));
        let begun = self.begun.iter().map(|begun| (0, &**begun));
        begun.chain(begin_here).all(|(at, begun)| {
            let text = [begun, &read[at..]].concat();
            let inside = begun.len().max(1);
            let end = text.iter().skip(inside);
            let Some(end) = end.copied().position(|byte| self.is_delimiter(byte)) else {
                return !self.begins(&text);
            };
            let delimited = &text[..=inside + end];
            let behind = &read[at + inside + end - begun.len()..];
            let again = self
                .places(behind)
                .any(|at| behind[at..].starts_with(delimited));
            !self.begins(&text) && !again
        })
    }
}
