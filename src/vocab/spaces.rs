//! Runs of white space in the trie: the tokens that are nothing else, and what comes behind.
//!
//! Wherever a language lets white space run on, the tokens of white space are the same, and they are many. A walk
//! takes them from here, and looks only at what follows the white space.
//!
//! PERF: cold masks take 1.11 times as long without, p99 1.39 times (benches/LOG.md).

use super::trie::{NodeId, Trie};
use crate::base::{ByteSet, TokenId};

/// The white space of plain text: tab, line feed, carriage return and space.
const WHITE: [u8; 4] = [b'\t', b'\n', b'\r', b' '];

/// The tokens of white space, and where other bytes follow it.
#[derive(Clone)]
pub(crate) struct Spaces {
    tokens: Box<[TokenId]>,
    /// The nodes whose byte is the first after some white space, by that byte.
    behind: Box<[NodeId]>,
    /// Where the nodes of each byte begin; those of the next begin where they end.
    starts: Box<[u32; 257]>,
}

impl Spaces {
    pub(super) fn new(trie: &Trie) -> Self {
        let mut tokens = Vec::new();
        let mut behind: Vec<(u8, NodeId)> = Vec::new();
        let first = WHITE
            .iter()
            .filter_map(|&byte| trie.child(NodeId::ROOT, byte));
        let mut white: Vec<NodeId> = first.collect();
        while let Some(node) = white.pop() {
            tokens.extend_from_slice(trie.tokens(node));
            for (byte, child) in trie.children(node) {
                match WHITE.contains(&byte) {
                    true => white.push(child),
                    false => behind.push((byte, child)),
                }
            }
        }
        behind.sort_unstable();
        let mut starts = Box::new([0; 257]);
        for byte in 0..=255 {
            let below = behind.partition_point(|&(other, _)| other <= byte);
            starts[usize::from(byte) + 1] = below as u32;
        }
        Self {
            tokens: tokens.into(),
            behind: behind.into_iter().map(|(_, node)| node).collect(),
            starts,
        }
    }

    /// The bytes that are white space.
    pub(crate) fn bytes() -> ByteSet {
        WHITE.into_iter().collect()
    }

    /// The tokens that are white space from end to end.
    pub(crate) fn tokens(&self) -> &[TokenId] {
        &self.tokens
    }

    /// The nodes where `byte`, which is not white space, follows white space from the root.
    pub(crate) fn behind(&self, byte: u8) -> &[NodeId] {
        let at = |index: usize| self.starts[index] as usize;
        &self.behind[at(byte.into())..at(usize::from(byte) + 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocab::VocabularyBuilder;

    #[test]
    fn what_is_behind_white_space() {
        let texts: [&[u8]; 8] = [b" ", b"\n ", b"a", b" a", b"\t a", b" ab", b" a a", b"\r,"];
        let mut builder = VocabularyBuilder::new();
        for (id, text) in (0..).zip(texts) {
            builder.ordinary(TokenId::new(id), text).unwrap();
        }
        let vocabulary = builder.build().unwrap();
        let (trie, spaces) = (vocabulary.trie(), vocabulary.spaces());
        let mut tokens = spaces.tokens().to_vec();
        tokens.sort_unstable();
        assert_eq!(tokens, [0, 1].map(TokenId::new));
        let find = |text: &[u8]| trie.find(text).unwrap();
        assert_eq!(spaces.behind(b'a'), [find(b"\t a"), find(b" a")]);
        assert_eq!(spaces.behind(b','), [find(b"\r,")]);
        assert_eq!(spaces.behind(b'b'), []);
        assert_eq!(spaces.behind(255), []);
    }
}
