//! Where nothing need be walked, since all tokens there are allowed as it is.

use crate::base::{ByteSet, TokenId};
use crate::vocab::{NodeId, Vocabulary, row};

/// A row that lacks more tokens covers too little.
const MOST_OUTSIDE: usize = 1 << 14;

/// The places in the vocabulary's trie below which a row has all tokens.
#[derive(Debug)]
pub(super) struct Cover {
    /// The first bytes of the tokens that the row lacks.
    firsts: ByteSet,
    /// These tokens, by rank.
    outside: Box<[u32]>,
}

impl Cover {
    /// What `row` covers, if that is much.
    pub(super) fn new(vocabulary: &Vocabulary, row: &[u32]) -> Option<Self> {
        let trie = vocabulary.trie();
        let lacks = trie.subtree_tokens(NodeId::ROOT).len() - row::count(row);
        if lacks > MOST_OUTSIDE {
            return None;
        }
        let others: Box<[u32]> = row.iter().map(|word| !word).collect();
        let mut firsts = ByteSet::new();
        let outside = row::tokens(&others).filter(|&token| {
            let first = vocabulary.bytes(token).and_then(|bytes| bytes.first());
            first.is_some_and(|&first| {
                firsts.insert(first);
                true
            })
        });
        let outside = trie.row_of_ranks(outside);
        Some(Self { firsts, outside })
    }

    /// The bytes that tokens begin with which the row lacks.
    pub(super) fn firsts(&self) -> &ByteSet {
        &self.firsts
    }

    /// Whether the row has all tokens that begin with the bytes of `node`.
    pub(super) fn has_all(&self, vocabulary: &Vocabulary, node: NodeId) -> bool {
        let ranks = vocabulary.trie().subtree_ranks(node);
        let [start, end] = [ranks.start, ranks.end].map(|rank| TokenId::new(rank.get()));
        !row::any_between(&self.outside, start..end)
    }
}
