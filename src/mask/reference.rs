//! The definition of a mask, as slow as it is plain.

use super::compose::specials;
use crate::base::{LimitError, TokenId};
use crate::machine::{Generation, StateId};
use crate::vocab::{NodeId, Trie, Vocabulary, row};

/// Writes the mask of `state` by walking the whole trie.
pub(crate) fn reference(
    generation: &Generation,
    vocabulary: &Vocabulary,
    ends: &[TokenId],
    state: StateId,
    out: &mut [u32],
) -> Result<(), LimitError> {
    out.fill(0);
    let trie = vocabulary.trie();
    walk(generation, trie, state, |node| {
        for &token in trie.tokens(node) {
            row::insert(out, token);
        }
    })?;
    specials(generation, ends, state, |token| row::insert(out, token));
    Ok(())
}

/// Walks the whole trie from `state`; calls `alive` with every node where the machine is alive.
///
/// This is the definition, and nothing is remembered but what the machine remembers.
fn walk(
    generation: &Generation,
    trie: &Trie,
    state: StateId,
    mut alive: impl FnMut(NodeId),
) -> Result<(), LimitError> {
    let nodes = trie.nodes();
    let mut path: Vec<StateId> = vec![state];
    let mut index = 1;
    while index < trie.node_count() {
        let entry = nodes[index];
        path.truncate(trie.depth(NodeId::from_index(index)));
        let to = generation.advance(path[path.len() - 1], entry.byte())?;
        if to == StateId::DEAD {
            index = entry.end();
            continue;
        }
        alive(NodeId::from_index(index));
        path.push(to);
        index += 1;
    }
    Ok(())
}
