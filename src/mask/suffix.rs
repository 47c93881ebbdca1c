//! Tokens that end a rule in mid-token, by what is left of them.

use super::walk::{Place, Places};
use crate::base::{LimitError, TokenId};
use crate::machine::{Generation, Item, Origin, StateId};

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
    /// The tokens of which nothing is left.
    whole: Box<[(TokenId, u16)]>,
    nodes: Box<[SuffixNode]>,
    /// Each token with the number of its bytes that ended the rule.
    tokens: Box<[(TokenId, u16)]>,
}

impl SuffixTrie {
    pub(super) fn new(mut suffixes: Vec<(&[u8], TokenId, u16)>) -> Self {
        suffixes.sort_unstable();
        let whole = suffixes.partition_point(|(suffix, ..)| suffix.is_empty());
        let whole = suffixes
            .drain(..whole)
            .map(|(_, token, taken)| (token, taken))
            .collect();
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
            whole,
            nodes: nodes.into(),
            tokens: tokens.into(),
        }
    }

    /// Calls `allow` with every token whose suffix survives from `state`, which is where the rule's
    /// caller goes on.
    pub(super) fn walk(
        &self,
        generation: &Generation,
        state: StateId,
        mut allow: impl FnMut(&[(TokenId, u16)]),
    ) -> Result<(), LimitError> {
        if state == StateId::DEAD {
            return Ok(());
        }
        allow(&self.whole);
        let mut places = Places::new(generation, Place::State(state));
        let mut path: Vec<u32> = vec![Places::START];
        let mut index = 0;
        while let Some(node) = self.nodes.get(index) {
            path.truncate(usize::from(node.depth));
            let to = places.next(path[path.len() - 1], node.byte)?;
            if to == Places::DEAD {
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

    /// The tokens of which nothing is left.
    pub(super) fn whole(&self) -> &[(TokenId, u16)] {
        &self.whole
    }

    pub(super) fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<SuffixNode>() + (self.whole.len() + self.tokens.len()) * 8
    }
}

/// Closes the open nodes deeper than `depth`.
fn close(nodes: &mut [SuffixNode], open: &mut Vec<usize>, depth: usize) {
    let end = nodes.len() as u32;
    for index in open.drain(depth..) {
        nodes[index].end = end;
    }
}

/// Calls `allow` with the tokens that end the rule of `item` and survive where its callers go on.
pub(super) fn ended(
    generation: &Generation,
    item: Item,
    exit: &[u32],
    suffixes: &SuffixTrie,
    mut allow: impl FnMut(&[(TokenId, u16)]),
) -> Result<(), LimitError> {
    if item.origin == Origin::BOTTOM {
        allow(suffixes.whole());
        return Ok(());
    }
    let inst = generation.inst(item.pos);
    let after = generation.leave(inst, generation.exit(exit), item.origin)?;
    suffixes.walk(generation, after, allow)
}
