//! Which ways are open to a state that remembers what was read: those that say nothing of it again.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::token_set::TokenSet;
use crate::base::{LimitError, TokenId};
use crate::grammar::{Delimiters, Refusal, Remembered};
use crate::machine::{Forgotten, Generation, StateId};
use crate::mask::Work;
use crate::vocab::{NodeId, Trie, Vocabulary, row};

/// What it costs to look what goes on behind a text that is remembered.
const STEPS_PER_NODE: usize = 16;

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
        remembered.any(|remembered| remembered.texts.has_beginning_of(text))
    }

    /// Whether a way mentions nothing that is remembered.
    pub(super) fn is_clean(&self, way: &[u8]) -> bool {
        let whole = |remembered: &Remembered| remembered.refusal == Refusal::Whole;
        self.remembered.iter().all(whole) && !self.places(way).any(|at| self.begins(&way[at..]))
    }

    /// Those of `tokens` that can matter to a way: a text begins in them, or goes on as one of the way or one that is
    /// remembered does.
    pub(super) fn concerned(
        &self,
        vocabulary: &Vocabulary,
        tokens: &TokenSet,
        way: &Mentioned,
        work: &Work<'_>,
    ) -> Result<BTreeSet<TokenId>, LimitError> {
        let (slices, trie) = (vocabulary.slices(), vocabulary.trie());
        let delimiters = self.delimiters.iter().map(|known| known.delimiter);
        let begins = delimiters.map(|delimiter| tokens.within(slices.row_containing(delimiter)));
        let mut concerned: BTreeSet<TokenId> = BTreeSet::new();
        begins.for_each(|begins| concerned.extend(begins.iter()));
        if !self.begun.is_empty() {
            let mut rest = row::empty(vocabulary.len());
            tokens.insert_into(&mut rest);
            if !self.has_delimiters_within() {
                let nodes = self.going_on(trie, way, work)?.into_iter();
                let goes_on = nodes.flat_map(|node| trie.tokens(node)).copied();
                concerned.extend(goes_on.filter(|&token| row::contains(&rest, token)));
                // Behind a token that is no text the way itself goes on.
                rest.iter_mut()
                    .zip(slices.ordinary())
                    .for_each(|(word, text)| *word &= !text);
            }
            concerned.extend(row::tokens(&rest));
        }
        Ok(concerned)
    }

    /// Whether something is begun that has a delimiter within, since it is escaped: what goes on with that is not looked for.
    fn has_delimiters_within(&self) -> bool {
        let mut begun = self.begun.iter();
        begun.any(|begun| self.places(begun).count() > 1)
    }

    /// The nodes whose text goes on from what is begun as something remembered does, or as a text of the way.
    ///
    /// PERF: the tokens that merely begin with the same byte would be half of a vocabulary where that is a space; with this, and what is
    /// begun told once for all items, the worst mask under a deadline within 40 open objects takes 0.8 s for 26 ms (benches/LOG.md).
    fn going_on(
        &self,
        trie: &Trie,
        way: &Mentioned,
        work: &Work<'_>,
    ) -> Result<Vec<NodeId>, LimitError> {
        let mut nodes = Vec::new();
        for begun in &self.begun {
            let said = way.delimited.iter();
            for rest in said.filter_map(|text| text.strip_prefix(&**begun)) {
                let path = rest.iter().scan(NodeId::ROOT, |node, &byte| {
                    *node = trie.child(*node, byte)?;
                    Some(*node)
                });
                nodes.extend(path);
            }
            for Remembered { texts, .. } in self.remembered.iter() {
                let mut pending = vec![(NodeId::ROOT, begun.to_vec())];
                while let Some((node, text)) = pending.pop() {
                    work.charge(STEPS_PER_NODE)?;
                    for byte in texts.next_bytes(&text, 0) {
                        if let Some(child) = trie.child(node, byte) {
                            nodes.push(child);
                            pending.push((child, [&text[..], &[byte]].concat()));
                        }
                    }
                }
            }
        }
        Ok(nodes)
    }

    /// What a way says.
    pub(super) fn mentioned(&self, way: &[u8]) -> Mentioned {
        let places: Vec<usize> = self.places(way).collect();
        let remembered = self.remembered.iter();
        let longest = remembered
            .map(|remembered| remembered.texts.longest())
            .max();
        let until = places.first().map_or(way.len(), |&first| first + 1);
        let until = until.max(longest.unwrap_or(0)).min(way.len());
        let delimited = places.windows(2).map(|at| way[at[0]..=at[1]].into());
        Mentioned {
            beginning: way[..until].into(),
            delimited: delimited.collect(),
        }
    }

    /// Whether a way that is open by itself, and clean, is open after `token`: no text that is begun, or begins in the
    /// token, was read before or comes again on the way.
    pub(super) fn allows(&self, token: &[u8], way: &Mentioned) -> bool {
        let read = [token, &way.beginning].concat();
        let begin_here = self.places(token).map(|at| (at, &[][..]));
        let begun = self.begun.iter().map(|begun| (0, &**begun));
        begun.chain(begin_here).all(|(at, begun)| {
            let text = [begun, &read[at..]].concat();
            let inside = begun.len().max(1);
            let end = text.iter().skip(inside);
            let Some(end) = end.copied().position(|byte| self.is_delimiter(byte)) else {
                return !self.begins(&text);
            };
            // Of what has delimiters within, since they are escaped, it is enough that the first part comes again.
            let mut inner = text[1..].iter().copied();
            let first = inner.position(|byte| self.is_delimiter(byte)).unwrap_or(0);
            let delimited = &text[..=first + 1];
            let behind = at + inside + end - begun.len();
            let rest = token.get(behind..).unwrap_or_default();
            let comes_again = |place| read[behind + place..].starts_with(delimited);
            let again = way.delimited.contains(delimited) || self.places(rest).any(comes_again);
            !self.begins(&text) && !again
        })
    }
}

/// What a way says that may be remembered.
pub(super) struct Mentioned {
    /// At least up to its first delimiter, and as long as what is remembered.
    beginning: Box<[u8]>,
    /// From each delimiter to the next.
    delimited: FxHashSet<Box<[u8]>>,
}
