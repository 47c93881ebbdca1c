//! The least number of tokens to the end, as slow as it is plain.

use rustc_hash::FxHashSet;

use super::{Session, SessionError};
use crate::base::LimitError;
use crate::machine::StateId;
use crate::vocab::NodeId;

/// States looked at before the search is given up.
const LOOKED_AT: usize = 1 << 16;

impl Session {
    /// The least number of tokens after which the text may end, the end token not counted, by the definition: breadth first over
    /// all tokens, whatever the deadline. Seconds; for tests, which hold [`Session::tokens_needed`] against it.
    ///
    /// # Errors
    /// [`SessionError::Limit`], also where so many states lie before the end.
    pub fn reference_way_out(&self) -> Result<usize, SessionError> {
        let generation = &self.live.generation;
        let mut seen: FxHashSet<StateId> = FxHashSet::default();
        let mut states = vec![self.state];
        let mut count = 0;
        while !states
            .iter()
            .any(|&state| generation.state(state).accepting)
        {
            LimitError::check("states before the end", seen.len(), LOOKED_AT)?;
            let mut next = Vec::new();
            for state in states {
                self.followers(state, &mut |to| {
                    if seen.insert(to) {
                        next.push(to);
                    }
                })?;
            }
            states = next;
            count += 1;
        }
        Ok(count)
    }

    /// Visits where each token leads from `state`.
    fn followers(&self, state: StateId, visit: &mut dyn FnMut(StateId)) -> Result<(), LimitError> {
        let generation = &self.live.generation;
        for &control in &generation.state(state).controls {
            visit(generation.advance_control(state, control)?);
        }
        let trie = self.constraint.vocabulary().trie();
        let mut path = vec![state];
        let mut index = 1;
        while index < trie.node_count() {
            let entry = trie.nodes()[index];
            path.truncate(trie.depth(NodeId::from_index(index)));
            let to = generation.advance(path[path.len() - 1], entry.byte())?;
            if to == StateId::DEAD {
                index = entry.end();
                continue;
            }
            if !trie.tokens(NodeId::from_index(index)).is_empty() {
                visit(to);
            }
            path.push(to);
            index += 1;
        }
        Ok(())
    }
}
