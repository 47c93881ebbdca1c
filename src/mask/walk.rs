//! Walking a part of the trie with the machine.

use crate::base::LimitError;
use crate::machine::{Generation, StateId};
use crate::vocab::{NodeId, Trie};

/// Walks the subtree below `node` from `state`, which is the state at `node`; calls `alive` with
/// every node below where the machine is still alive, in pre-order.
pub(super) fn below(
    generation: &Generation,
    trie: &Trie,
    node: NodeId,
    state: StateId,
    mut alive: impl FnMut(NodeId, StateId),
) -> Result<(), LimitError> {
    let nodes = trie.nodes();
    let top = nodes[node.index()].depth();
    let end = nodes[node.index()].end();
    let mut path: Vec<StateId> = vec![state];
    let mut index = node.index() + 1;
    while index < end {
        let entry = nodes[index];
        path.truncate(entry.depth() - top);
        let from = path[path.len() - 1];
        let to = generation.advance(from, entry.byte())?;
        if to == StateId::DEAD {
            index = entry.end();
            continue;
        }
        alive(NodeId::from_index(index), to);
        path.push(to);
        index += 1;
    }
    Ok(())
}
