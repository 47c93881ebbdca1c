//! The texts that a position refuses and its shadow takes, where the body is asked for them.
//!
//! PERF: numbers that must differ from others are numbers but for those. Without this each of a thousand tokens of digits is a
//! position of its own in each mask: within 10 distinct integers masks take 0.08 ms in the mean for 2.9 (benches/LOG.md).

use super::context::Context;
use crate::base::LimitError;
use crate::grammar::Ahead;
use crate::machine::{Item, Pos};
use crate::vocab::{NodeId, Trie};

/// What it costs to look at a node, and to ask what may follow its text.
const STEPS_PER_NODE: usize = 4;
const STEPS_PER_TEXT: usize = 128;

/// Where in the trie texts begin that `item` refuses and the position `like` takes, which its shadow names.
pub(super) fn refused(
    context: &Context<'_>,
    item: Item,
    like: Pos,
) -> Result<Vec<NodeId>, LimitError> {
    let generation = context.generation;
    let told = generation.told(item.pos);
    let Some(refusing) = told.and_then(|(hints, words)| hints.refusing(words)) else {
        return Ok(Vec::new());
    };
    let trie = context.vocabulary.trie();
    let mut search = Search {
        trie,
        pending: Vec::new(),
    };
    let live = generation.expand(like).own_bytes();
    let first = live
        .iter()
        .filter_map(|byte| trie.child(NodeId::ROOT, byte));
    search.pending.extend(first.map(|node| (node, None)));
    let mut refused = Vec::new();
    while let Some((node, ahead)) = search.pending.pop() {
        context.work.charge(STEPS_PER_NODE)?;
        let ahead = match ahead {
            Some(known) => known,
            None => {
                let text = search.text(node);
                context
                    .work
                    .charge(STEPS_PER_TEXT + refusing.weight(text))?;
                refusing.ahead(text)
            }
        };
        match ahead {
            Ahead::Nothing => refused.push(node),
            ahead => search.go_on(node, ahead),
        }
    }
    Ok(refused)
}

struct Search<'a> {
    trie: &'a Trie,
    /// Nodes to look at, each with what may follow if that is known.
    pending: Vec<(NodeId, Option<Ahead>)>,
}

impl<'a> Search<'a> {
    /// The bytes that lead to a node.
    fn text(&self, node: NodeId) -> &'a [u8] {
        let text = self.trie.text(self.trie.subtree_ranks(node).start);
        &text[..self.trie.depth(node)]
    }

    /// Looks at what lies behind a node.
    fn go_on(&mut self, node: NodeId, ahead: Ahead) {
        let Ahead::Some { free, most, asked } = ahead else {
            return;
        };
        let both = free.union(&asked);
        let children = self.trie.children(node);
        for (byte, child) in children.filter(|&(byte, _)| both.contains(byte)) {
            let known = most.checked_sub(1).filter(|_| free.contains(byte));
            let known = known.map(|most| Ahead::Some { free, most, asked });
            self.pending.push((child, known));
        }
    }
}
