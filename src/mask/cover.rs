//! Where nothing need be walked, since all tokens there are allowed as it is.

use std::ops::Range;

use crate::base::{ByteSet, TokenId};
use crate::vocab::{NodeId, Rank, Trie, Vocabulary, row};

/// A row that lacks more tokens covers too little.
const MOST_OUTSIDE: usize = 1 << 14;

/// The places in the vocabulary's trie from where on all tokens are among some.
#[derive(Debug)]
pub(super) enum Cover {
    /// All tokens but a few.
    Most {
        /// The first bytes of the others.
        firsts: ByteSet,
        /// The others, by rank.
        others: Box<[u32]>,
    },
    /// A few, ascending.
    Few(Box<[Rank]>),
}

impl Cover {
    /// What the tokens of `row` cover, if that is much.
    pub(super) fn of_row(vocabulary: &Vocabulary, row: &[u32]) -> Option<Self> {
        let trie = vocabulary.trie();
        let lacks = trie.subtree_tokens(NodeId::ROOT).len() - row::count(row);
        if lacks > MOST_OUTSIDE {
            return None;
        }
        let others: Box<[u32]> = row.iter().map(|word| !word).collect();
        let mut firsts = ByteSet::new();
        let ordinary = row::tokens(&others).filter(|&token| {
            let first = vocabulary.bytes(token).and_then(|bytes| bytes.first());
            first.inspect(|&&first| firsts.insert(first)).is_some()
        });
        let others = trie.row_of_ranks(ordinary);
        Some(Self::Most { firsts, others })
    }

    /// What the tokens of a list cover.
    pub(super) fn of_list(vocabulary: &Vocabulary, list: &[TokenId]) -> Self {
        Self::Few(vocabulary.trie().ranked(list.iter().copied()).into())
    }

    /// The bytes that tokens begin with which are not among them, or a few more.
    pub(super) fn firsts(&self) -> &ByteSet {
        match self {
            Self::Most { firsts, .. } => firsts,
            Self::Few(_) => &ByteSet::ALL,
        }
    }

    /// Whether none of these `ranks` is among them.
    pub(super) fn has_none(&self, ranks: Range<Rank>) -> bool {
        match self {
            Self::Most { others, .. } => {
                let [start, end] = [ranks.start, ranks.end].map(|rank| TokenId::new(rank.get()));
                row::all_between(others, start..end)
            }
            Self::Few(few) => {
                let first = few.partition_point(|&rank| rank < ranks.start);
                few.get(first).is_none_or(|&rank| rank >= ranks.end)
            }
        }
    }

    /// Whether all tokens that begin with the bytes of `node` are among them.
    pub(super) fn has_all(&self, trie: &Trie, node: NodeId) -> bool {
        let Range { start, end } = trie.subtree_ranks(node);
        match self {
            Self::Most { others, .. } => {
                let [start, end] = [start, end].map(|rank| TokenId::new(rank.get()));
                !row::any_between(others, start..end)
            }
            Self::Few(ranks) => {
                let first = ranks.partition_point(|&rank| rank < start);
                let last = first + (end.index() - start.index()) - 1;
                ranks
                    .get(last)
                    .is_some_and(|rank| rank.index() + 1 == end.index())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocab::VocabularyBuilder;
    use proptest::prelude::*;

    /// A vocabulary of these texts, a hole after each.
    fn vocabulary(texts: &[Vec<u8>]) -> Vocabulary {
        let mut builder = VocabularyBuilder::new();
        for (index, text) in texts.iter().enumerate() {
            builder
                .ordinary(TokenId::from_usize(2 * index), text)
                .unwrap();
        }
        builder.build().unwrap()
    }

    fn check(vocabulary: &Vocabulary, tokens: &[TokenId], cover: &Cover) {
        let trie = vocabulary.trie();
        for node in (1..trie.node_count()).map(NodeId::from_index) {
            let below = trie.subtree_tokens(node);
            let has = |token| tokens.contains(token);
            assert_eq!(cover.has_all(trie, node), below.iter().all(has));
            let ranks = trie.subtree_ranks(node);
            assert_eq!(cover.has_none(ranks), !below.iter().any(has));
        }
        for token in trie.subtree_tokens(NodeId::ROOT) {
            let first = vocabulary.bytes(*token).unwrap()[0];
            assert!(tokens.contains(token) || cover.firsts().contains(first));
        }
    }

    proptest! {
        #[test]
        fn a_cover_is_what_its_tokens_are(
            texts in prop::collection::vec(prop::collection::vec(b'a'..=b'c', 1..4), 1..40),
            chosen in prop::collection::vec(any::<bool>(), 40),
        ) {
            let vocabulary = vocabulary(&texts);
            let tokens: Vec<TokenId> = (0..texts.len())
                .filter(|&index| chosen[index])
                .map(|index| TokenId::from_usize(2 * index))
                .collect();
            check(&vocabulary, &tokens, &Cover::of_list(&vocabulary, &tokens));
            let mut row = row::empty(vocabulary.len());
            tokens.iter().for_each(|&token| row::insert(&mut row, token));
            check(&vocabulary, &tokens, &Cover::of_row(&vocabulary, &row).unwrap());
        }
    }
}
