//! How a trie is built: of tokens in order of their bytes.

use super::{DEEP, NodeId, Rank, Shaft, Trie, TrieNode, joint, pair_index};
use crate::base::TokenId;
use crate::vocab::row;
use crate::vocab::tokens::Tokens;

impl Trie {
    /// The trie of the ordinary tokens.
    pub(in crate::vocab) fn new(tokens: &Tokens) -> Self {
        let mut builder = Builder::default();
        for id in sorted(tokens) {
            builder.push(id, tokens.bytes(id).unwrap_or_default());
        }
        builder.finish()
    }
}

/// The ordinary tokens by their bytes, ids ascending among equals.
///
/// PERF: sorted as numbers made of a token's first twelve bytes and its id; byte strings, which lie
/// scattered, are compared only among the few tokens that begin alike.
fn sorted(tokens: &Tokens) -> Vec<TokenId> {
    let mut keys: Vec<_> = tokens
        .ordinary()
        .map(|(id, bytes)| sort_key(id, bytes))
        .collect();
    keys.sort_unstable();
    let token = |key: u128| TokenId::new(key as u32);
    for alike in keys.chunk_by_mut(|one, other| one >> 32 == other >> 32) {
        if alike.len() > 1 {
            alike.sort_unstable_by_key(|&key| (tokens.bytes(token(key)), token(key)));
        }
    }
    keys.into_iter().map(token).collect()
}

/// The first twelve bytes, zeros for those that are missing, above the id.
fn sort_key(id: TokenId, bytes: &[u8]) -> u128 {
    let mut prefix = [0; 16];
    let len = bytes.len().min(12);
    prefix[..len].copy_from_slice(&bytes[..len]);
    u128::from_be_bytes(prefix) | u128::from(id.get())
}

/// Builds a trie of tokens that come in order of their bytes.
struct Builder<'a> {
    nodes: Vec<TrieNode>,
    tokens: Vec<TokenId>,
    text: Vec<u8>,
    starts: Vec<u32>,
    /// The nodes from the root to the token pushed last, whose subtrees are not finished.
    path: Vec<usize>,
    last: &'a [u8],
    joints: Box<[u32]>,
    shafts: Vec<Shaft>,
}

impl Default for Builder<'_> {
    fn default() -> Self {
        Self {
            nodes: vec![TrieNode::new(0, 0, 0)],
            tokens: Vec::new(),
            text: Vec::new(),
            starts: vec![0],
            path: vec![0],
            last: &[],
            joints: row::empty(1 << 16),
            shafts: Vec::new(),
        }
    }
}

impl<'a> Builder<'a> {
    fn push(&mut self, id: TokenId, bytes: &'a [u8]) {
        let shared = self
            .last
            .iter()
            .zip(bytes)
            .take_while(|(last, byte)| last == byte)
            .count();
        self.close(shared + 1);
        if bytes.len() >= DEEP {
            self.shafts.push(Shaft {
                node: (self.nodes.len() + DEEP.saturating_sub(shared + 1)) as u32,
                depth: DEEP.max(shared + 1) as u32,
            });
        }
        for (depth, &byte) in bytes.iter().enumerate().skip(shared) {
            self.path.push(self.nodes.len());
            self.nodes
                .push(TrieNode::new(byte, depth + 1, self.tokens.len()));
            if let Some(before) = depth.checked_sub(1) {
                row::insert(&mut self.joints, joint(bytes[before], byte));
            }
        }
        self.tokens.push(id);
        self.text.extend_from_slice(bytes);
        self.starts.push(self.text.len() as u32);
        self.last = bytes;
    }

    /// Ends the subtrees of the path's nodes from `depth` on.
    fn close(&mut self, depth: usize) {
        let end = self.nodes.len();
        for node in self.path.drain(depth..) {
            self.nodes[node].set_end(end);
        }
    }

    fn finish(mut self) -> Trie {
        self.close(0);
        let mut mark = TrieNode::new(0, 0, self.tokens.len());
        mark.set_end(self.nodes.len());
        self.nodes.push(mark);
        let ids = self.tokens.iter().map(|token| token.index() + 1).max();
        let mut ranks = vec![Rank::new(0); ids.unwrap_or(0)].into_boxed_slice();
        for (rank, token) in self.tokens.iter().enumerate() {
            ranks[token.index()] = Rank::from_usize(rank);
        }
        let mut trie = Trie {
            nodes: self.nodes.into_boxed_slice(),
            tokens: self.tokens.into_boxed_slice(),
            ranks,
            text: self.text.into_boxed_slice(),
            starts: self.starts.into_boxed_slice(),
            roots: Box::new([0; 256]),
            pairs: vec![0; 1 << 16].into_boxed_slice(),
            joints: self.joints,
            shafts: self.shafts.into_boxed_slice(),
        };
        let children: Vec<_> = trie.children(NodeId::ROOT).collect();
        for (byte, child) in children {
            trie.roots[usize::from(byte)] = child.0;
            let below: Vec<_> = trie.children(child).collect();
            for (next, node) in below {
                trie.pairs[pair_index(byte, next)] = node.0;
            }
        }
        trie
    }
}
