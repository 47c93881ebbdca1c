//! Tokens that end a rule in mid-token, by what is left of them.

use crate::base::{LimitError, TokenId};
use crate::machine::{Generation, StateId};

/// One node of a [`SuffixTrie`], in pre-order.
#[derive(Clone, Copy, Debug)]
struct SuffixNode {
    byte: u8,
    depth: u16,
    /// The node after this one's subtree.
    end: u32,
    /// Where this node's tokens begin; the next node's begin where they end.
    tokens: u32,
}

/// A byte trie of suffixes, each with the tokens that have it left when the rule has ended.
#[derive(Clone, Debug, Default)]
pub(super) struct SuffixTrie {
    nodes: Box<[SuffixNode]>,
    /// Each token with the number of its bytes that ended the rule.
    tokens: Box<[(TokenId, u16)]>,
}

impl SuffixTrie {
    /// Builds the trie; suffixes are not empty.
    pub(super) fn new(mut suffixes: Vec<(&[u8], TokenId, u16)>) -> Self {
        suffixes.sort_unstable();
        let mut nodes: Vec<SuffixNode> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut previous: &[u8] = &[];
        let mut tokens = Vec::with_capacity(suffixes.len());
        for (suffix, token, taken) in suffixes {
            let common = suffix
                .iter()
                .zip(previous)
                .take_while(|(a, b)| a == b)
                .count();
            close(&mut nodes, &mut open, common);
            for (depth, &byte) in suffix.iter().enumerate().skip(common) {
                open.push(nodes.len());
                let depth = depth as u16 + 1;
                nodes.push(SuffixNode {
                    byte,
                    depth,
                    end: 0,
                    tokens: tokens.len() as u32,
                });
            }
            tokens.push((token, taken));
            previous = suffix;
        }
        close(&mut nodes, &mut open, 0);
        Self {
            nodes: nodes.into(),
            tokens: tokens.into(),
        }
    }

    /// Calls `allow` with every token whose suffix survives from `state`.
    pub(super) fn walk(
        &self,
        generation: &Generation,
        state: StateId,
        mut allow: impl FnMut(&[(TokenId, u16)]),
    ) -> Result<(), LimitError> {
        let mut path: Vec<StateId> = vec![state];
        let mut index = 0;
        while let Some(node) = self.nodes.get(index) {
            path.truncate(usize::from(node.depth));
            let to = generation.advance(path[path.len() - 1], node.byte)?;
            if to == StateId::DEAD {
                index = node.end as usize;
                continue;
            }
            index += 1;
            let end = self
                .nodes
                .get(index)
                .map_or(self.tokens.len(), |next| next.tokens as usize);
            allow(&self.tokens[node.tokens as usize..end]);
            path.push(to);
        }
        Ok(())
    }

    pub(super) fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<SuffixNode>() + self.tokens.len() * 8
    }
}

/// Closes the open nodes deeper than `depth`.
fn close(nodes: &mut [SuffixNode], open: &mut Vec<usize>, depth: usize) {
    let end = nodes.len() as u32;
    for index in open.drain(depth..) {
        nodes[index].end = end;
    }
}
