//! The byte trie of the ordinary tokens, flat and in pre-order.
//!
//! A walk goes through the nodes in one direction: to the next node to descend, to the end of the
//! subtree to skip it. A node is eight bytes: its byte, its depth, the node after its
//! subtree, and how many tokens come before it in pre-order. The tokens lie in one list in
//! that order, so a node's tokens and a subtree's are ranges of it.

mod build;

use std::ops::Range;

use crate::base::{TokenId, define_id};

use super::row;

define_id! {
    /// Where a token stands in a trie's pre-order.
    pub(crate) Rank
}

/// A byte trie of the ordinary tokens of a vocabulary.
///
/// Several tokens with the same bytes stand at one node. Special tokens are not in it.
///
/// # Examples
///
/// ```
/// use maskwright::base::TokenId;
/// use maskwright::vocab::VocabularyBuilder;
///
/// let mut builder = VocabularyBuilder::new();
/// builder.ordinary(TokenId::new(0), b"a")?.ordinary(TokenId::new(1), b"ab")?;
/// let vocabulary = builder.build()?;
/// let trie = vocabulary.trie();
/// let a = trie.find(b"a").expect("a token starts with a");
/// assert_eq!(trie.tokens(a), [TokenId::new(0)]);
/// assert_eq!(trie.subtree_tokens(a), [TokenId::new(0), TokenId::new(1)]);
/// # Ok::<(), maskwright::vocab::VocabError>(())
/// ```
#[derive(Clone)]
pub struct Trie {
    /// In pre-order, and an end mark, which ends the last node's tokens.
    nodes: Box<[TrieNode]>,
    /// In pre-order of their nodes; ids ascend within a node.
    tokens: Box<[TokenId]>,
    /// By id, the token's rank.
    ranks: Box<[Rank]>,
    /// The tokens' bytes by rank, one after the other.
    ///
    /// PERF: many tokens are read in this order, and by id they would lie scattered.
    text: Box<[u8]>,
    /// By rank, where a token's bytes begin; the next one's begin where they end.
    starts: Box<[u32]>,
    /// The root's child for each byte, or 0.
    roots: Box<[u32; 256]>,
    /// The node of each two bytes, or 0.
    ///
    /// PERF: whoever looks among the children of a node meets each of them, which lie far apart; those of
    /// the root's children are many.
    pairs: Box<[u32]>,
    /// A bit for each two bytes that stand together in some token.
    ///
    /// PERF: tokenizers split letters from punctuation, so that no token begins with most texts that are looked for; they
    /// are told by this.
    joints: Box<[u32]>,
    /// In pre-order, where nodes lie deep.
    shafts: Box<[Shaft]>,
}

/// A node of a [`Trie`]; it belongs to the trie that gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    /// The root: the empty byte string.
    pub const ROOT: Self = Self(0);

    /// The node as an index into [`Trie::nodes`].
    #[inline]
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }

    /// The node at `index` of [`Trie::nodes`].
    #[inline]
    pub(crate) const fn from_index(index: usize) -> Self {
        Self(index as u32)
    }
}

/// What a walk reads of a node.
#[derive(Clone, Copy)]
pub(crate) struct TrieNode {
    /// The node after the subtree (24 bits), the byte (8).
    end_and_byte: u32,
    /// The tokens before the node's own (22 bits), the depth as far as 10 bits tell it.
    tokens_and_depth: u32,
}

/// The depth of nodes that lie so deep or deeper: what their own is, a table of the trie says.
const DEEP: usize = (1 << 10) - 1;

/// Nodes in a row, each a child of the one before, that lie deep.
#[derive(Clone, Copy)]
struct Shaft {
    /// The first of them.
    node: u32,
    /// Its depth.
    depth: u32,
}

impl TrieNode {
    const fn new(byte: u8, depth: usize, tokens_before: usize) -> Self {
        let depth = if depth < DEEP { depth } else { DEEP };
        Self {
            end_and_byte: byte as u32,
            tokens_and_depth: (tokens_before as u32) << 10 | depth as u32,
        }
    }

    fn set_end(&mut self, end: usize) {
        self.end_and_byte = (end as u32) << 8 | (self.end_and_byte & 0xff);
    }

    /// The byte that leads here from the parent.
    #[inline]
    pub(crate) const fn byte(self) -> u8 {
        self.end_and_byte as u8
    }

    /// The index of the next node outside the subtree.
    #[inline]
    pub(crate) const fn end(self) -> usize {
        (self.end_and_byte >> 8) as usize
    }

    /// The number of bytes from the root, or [`DEEP`].
    #[inline]
    const fn known_depth(self) -> usize {
        self.tokens_and_depth as usize & DEEP
    }

    /// Where the node's tokens begin among all tokens in pre-order; the next node's begin where they end.
    #[inline]
    pub(crate) const fn tokens_start(self) -> usize {
        (self.tokens_and_depth >> 10) as usize
    }
}

impl Trie {
    /// The number of nodes, the root included.
    pub fn node_count(&self) -> usize {
        self.nodes.len() - 1
    }

    /// The children of a node with the bytes that lead to them, bytes ascending.
    pub(crate) fn children(&self, node: NodeId) -> Children<'_> {
        Children {
            trie: self,
            next: node.index() + 1,
            end: self.nodes[node.index()].end(),
        }
    }

    /// The child that `byte` leads to.
    pub(crate) fn child(&self, node: NodeId, byte: u8) -> Option<NodeId> {
        if node == NodeId::ROOT {
            return Some(NodeId(self.roots[usize::from(byte)])).filter(|&child| child != node);
        }
        self.children(node)
            .take_while(|&(other, _)| other <= byte)
            .find(|&(other, _)| other == byte)
            .map(|(_, child)| child)
    }

    /// The node of these bytes: some token begins with them.
    pub fn find(&self, bytes: &[u8]) -> Option<NodeId> {
        if !self.joins(bytes) {
            return None;
        }
        let (start, rest) = match *bytes {
            [one, other, ref rest @ ..] => (self.grandchild(one, other)?, rest),
            _ => (NodeId::ROOT, bytes),
        };
        rest.iter()
            .try_fold(start, |node, &byte| self.child(node, byte))
    }

    /// Whether each two neighbours among `bytes` stand together in some token.
    pub(crate) fn joins(&self, bytes: &[u8]) -> bool {
        let mut pairs = bytes.windows(2).rev();
        pairs.all(|pair| row::contains(&self.joints, joint(pair[0], pair[1])))
    }

    /// The node of two bytes.
    #[inline]
    pub(crate) fn grandchild(&self, one: u8, other: u8) -> Option<NodeId> {
        let node = NodeId(self.pairs[pair_index(one, other)]);
        (node != NodeId::ROOT).then_some(node)
    }

    /// The beginnings of `bytes` that are tokens, shortest first: the tokens, ids ascending, and their length.
    pub(super) fn prefixes(&self, bytes: &[u8]) -> impl Iterator<Item = (&[TokenId], usize)> {
        let nodes = bytes.iter().scan(NodeId::ROOT, |node, &byte| {
            *node = self.child(*node, byte)?;
            Some(*node)
        });
        let tokens = nodes.map(|node| self.tokens(node)).zip(1..);
        tokens.filter(|(tokens, _)| !tokens.is_empty())
    }

    /// The tokens that are exactly the node's bytes, ids ascending.
    #[inline]
    pub fn tokens(&self, node: NodeId) -> &[TokenId] {
        self.tokens_between(node.index(), node.index() + 1)
    }

    /// The tokens that begin with the node's bytes, in pre-order.
    #[inline]
    pub fn subtree_tokens(&self, node: NodeId) -> &[TokenId] {
        self.tokens_between(node.index(), self.nodes[node.index()].end())
    }

    /// The nodes in pre-order, the root first, and an end mark.
    ///
    /// A walk may look one past any node but the mark: the mark has depth 0 and no tokens.
    #[inline]
    pub(crate) fn nodes(&self) -> &[TrieNode] {
        &self.nodes
    }

    /// The number of bytes from the root to `node`; the root's is 0, and so is the end mark's.
    #[inline]
    pub(crate) fn depth(&self, node: NodeId) -> usize {
        match self.nodes[node.index()].known_depth() {
            DEEP => self.deep(node),
            depth => depth,
        }
    }

    #[cold]
    fn deep(&self, node: NodeId) -> usize {
        let after = self.shafts.partition_point(|shaft| shaft.node <= node.0);
        let Shaft { node: top, depth } = self.shafts[after - 1];
        (depth + node.0 - top) as usize
    }

    /// The ranks of the tokens that are exactly the node's bytes.
    #[inline]
    pub(crate) fn own_ranks(&self, node: NodeId) -> Range<Rank> {
        let [start, end] = [0, 1].map(|next| self.nodes[node.index() + next].tokens_start());
        Rank::from_usize(start)..Rank::from_usize(end)
    }

    /// The ranks of the tokens that begin with the node's bytes.
    pub(crate) fn subtree_ranks(&self, node: NodeId) -> Range<Rank> {
        let start = self.nodes[node.index()].tokens_start();
        let end = self.nodes[self.nodes[node.index()].end()].tokens_start();
        Rank::from_usize(start)..Rank::from_usize(end)
    }

    /// The ranks of the tokens that begin with the node's bytes and go on.
    pub(crate) fn ranks_below(&self, node: NodeId) -> impl ExactSizeIterator<Item = Rank> + Clone {
        let Range { start, end } = self.subtree_ranks(node);
        let own = self.tokens(node).len() as u32;
        (start.get() + own..end.get()).map(Rank::new)
    }

    /// The tokens of these ranks.
    pub(crate) fn tokens_ranked(&self, ranks: Range<Rank>) -> &[TokenId] {
        &self.tokens[ranks.start.index()..ranks.end.index()]
    }

    /// The rank of one of the trie's tokens.
    #[inline]
    pub(crate) fn rank(&self, token: TokenId) -> Rank {
        self.ranks[token.index()]
    }

    /// The ranks of some of the trie's tokens, ascending, each once.
    pub(crate) fn ranked(&self, tokens: impl Iterator<Item = TokenId>) -> Vec<Rank> {
        // PERF: what is sorted here are thousands, one in a hundred of all.
        row::tokens(&self.row_of_ranks(tokens))
            .map(|rank| Rank::new(rank.get()))
            .collect()
    }

    /// A row with the ranks of some of the trie's tokens in the place of ids.
    pub(crate) fn row_of_ranks(&self, tokens: impl Iterator<Item = TokenId>) -> Box<[u32]> {
        let mut ranks = row::empty(self.tokens.len());
        tokens.for_each(|token| row::insert(&mut ranks, TokenId::new(self.rank(token).get())));
        ranks
    }

    /// The token that stands there.
    #[inline]
    pub(crate) fn token(&self, rank: Rank) -> TokenId {
        self.tokens[rank.index()]
    }

    /// Its bytes.
    #[inline]
    pub(crate) fn text(&self, rank: Rank) -> &[u8] {
        let [start, end] = [0, 1].map(|next| self.starts[rank.index() + next] as usize);
        &self.text[start..end]
    }

    /// How many nodes the subtree has, `node` included: hardly fewer than tokens.
    #[inline]
    pub(crate) fn subtree_size(&self, node: NodeId) -> usize {
        self.nodes[node.index()].end() - node.index()
    }

    fn tokens_between(&self, start: usize, end: usize) -> &[TokenId] {
        &self.tokens[self.nodes[start].tokens_start()..self.nodes[end].tokens_start()]
    }
}

/// The number of two bytes, as that of a bit.
fn joint(one: u8, other: u8) -> TokenId {
    TokenId::from_usize(pair_index(one, other))
}

fn pair_index(one: u8, other: u8) -> usize {
    usize::from(one) << 8 | usize::from(other)
}

/// The children of a node: see [`Trie::children`].
#[derive(Clone)]
pub(crate) struct Children<'a> {
    trie: &'a Trie,
    next: usize,
    end: usize,
}

impl Iterator for Children<'_> {
    type Item = (u8, NodeId);

    fn next(&mut self) -> Option<Self::Item> {
        if self.next == self.end {
            return None;
        }
        let child = NodeId::from_index(self.next);
        let node = self.trie.nodes[self.next];
        self.next = node.end();
        Some((node.byte(), child))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocab::VocabularyBuilder;
    use crate::vocab::tokens::Tokens;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// The tokens by their bytes: what a trie is, without its form.
    type Model = BTreeMap<Vec<u8>, Vec<TokenId>>;

    fn build(texts: &[Vec<u8>]) -> (Trie, Model) {
        let mut tokens = Tokens::default();
        let mut model = Model::new();
        for (index, text) in texts.iter().enumerate() {
            // Every other id is a hole.
            let id = TokenId::from_usize(2 * index);
            tokens.set_ordinary(id, text).unwrap();
            if !text.is_empty() {
                model.entry(text.clone()).or_default().push(id);
            }
        }
        (Trie::new(&tokens), model)
    }

    /// The nodes in pre-order with their bytes, found by the children of each.
    fn nodes_of(trie: &Trie, node: NodeId, bytes: &[u8], list: &mut Vec<(Vec<u8>, NodeId)>) {
        list.push((bytes.to_vec(), node));
        for (byte, child) in trie.children(node) {
            nodes_of(trie, child, &[bytes, &[byte]].concat(), list);
        }
    }

    fn check(texts: &[Vec<u8>]) {
        let (trie, model) = build(texts);
        let mut nodes = Vec::new();
        nodes_of(&trie, NodeId::ROOT, &[], &mut nodes);
        let mut prefixes = vec![vec![]];
        let prefixes_of = |text: &Vec<u8>| (1..=text.len()).map(|n| text[..n].to_vec()).collect();
        prefixes.extend(
            model
                .keys()
                .flat_map(|text| -> Vec<Vec<u8>> { prefixes_of(text) }),
        );
        prefixes.sort();
        prefixes.dedup();
        assert_eq!(
            nodes
                .iter()
                .map(|(bytes, _)| bytes.clone())
                .collect::<Vec<_>>(),
            prefixes
        );
        assert_eq!(trie.node_count(), nodes.len());
        for (index, (bytes, node)) in nodes.iter().enumerate() {
            assert_eq!(node.index(), index, "pre-order");
            assert_eq!(trie.find(bytes), Some(*node));
            let raw = trie.nodes()[index];
            assert_eq!(trie.depth(*node), bytes.len());
            assert_eq!(raw.byte(), bytes.last().copied().unwrap_or(0));
            let own = model.get(bytes).cloned().unwrap_or_default();
            assert_eq!(trie.tokens(*node), own);
            let below = model.iter().filter(|(text, _)| text.starts_with(bytes));
            let below: Vec<_> = below.flat_map(|(_, ids)| ids.clone()).collect();
            assert_eq!(trie.subtree_tokens(*node), below);
            let inside = nodes
                .iter()
                .filter(|(other, _)| other.starts_with(bytes))
                .count();
            assert_eq!(raw.end(), index + inside);
            assert_eq!(trie.subtree_size(*node), inside);
            let ranks = trie.subtree_ranks(*node);
            assert_eq!(trie.tokens_ranked(ranks), below);
            let longer: Vec<_> = trie.ranks_below(*node).map(|r| trie.token(r)).collect();
            assert_eq!(longer, below[own.len()..]);
            for token in own {
                assert_eq!(trie.text(trie.rank(token)), bytes);
                assert_eq!(trie.token(trie.rank(token)), token);
            }
            for byte in 0..=255 {
                let child = [&bytes[..], &[byte]].concat();
                let expected = nodes.iter().find(|(other, _)| *other == child).map(|n| n.1);
                assert_eq!(trie.child(*node, byte), expected);
                assert_eq!(trie.find(&child), expected);
            }
        }
        let mark = trie.nodes()[trie.node_count()];
        assert_eq!(
            (mark.known_depth(), mark.tokens_start()),
            (0, trie.subtree_tokens(NodeId::ROOT).len())
        );
    }

    fn texts() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let byte = prop_oneof![
            3 => prop::sample::select(vec![0u8, b'a', b'b', 0xff]),
            1 => any::<u8>(),
        ];
        prop::collection::vec(prop::collection::vec(byte, 0..12), 0..30)
    }

    proptest! {
        #[test]
        fn a_trie_is_the_map_of_its_tokens(texts in texts()) {
            check(&texts);
        }
    }

    #[test]
    fn long_tokens_that_share_their_beginning() {
        // The sort key's length and the padding of shorter tokens must not matter.
        let zeros = (0..20).map(|len| vec![0; len]);
        let nines = (0..20).rev().map(|len| [vec![9; len], vec![0]].concat());
        check(&zeros.chain(nines).collect::<Vec<_>>());
        // Depths that a node does not tell by itself.
        let deep = |len: usize, last: u8| [vec![7; len], vec![last]].concat();
        check(&[
            deep(1030, 1),
            deep(1021, 2),
            deep(1022, 3),
            deep(1023, 4),
            deep(1025, 9),
        ]);
    }

    #[test]
    fn a_token_may_be_as_long_as_64_kib() {
        const LONGEST: usize = crate::vocab::tokens::MAX_TOKEN_BYTES;
        let mut builder = VocabularyBuilder::new();
        let long = vec![b' '; LONGEST];
        builder.ordinary(TokenId::new(0), &long).unwrap();
        builder.ordinary(TokenId::new(1), b" ").unwrap();
        let longer = [&long[..], b" "].concat();
        assert!(builder.ordinary(TokenId::new(2), &longer).is_err());
        let vocabulary = builder.build().unwrap();
        let trie = vocabulary.trie();
        let node = trie.find(&long).unwrap();
        assert_eq!(
            (trie.depth(node), trie.tokens(node)),
            (LONGEST, &[TokenId::new(0)][..])
        );
    }

    #[test]
    fn specials_are_not_in_it() {
        let mut builder = VocabularyBuilder::new();
        builder.ordinary(TokenId::new(0), b"a").unwrap();
        builder.special(TokenId::new(1), "b").unwrap();
        let vocabulary = builder.build().unwrap();
        assert_eq!(vocabulary.trie().find(b"b"), None);
        assert_eq!(
            vocabulary.trie().subtree_tokens(NodeId::ROOT),
            [TokenId::new(0)]
        );
    }
}
