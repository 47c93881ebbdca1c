//! The tokens a session has accepted, shared between forks.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::base::TokenId;
use crate::machine::StateId;

/// A persistent stack: pushing and popping one token are O(1), and so is a copy. The newest steps are a session's own; those
/// before them stand in blocks that forks share.
// PERF: an allocation for each token, as a list would have it, makes warm accepts 1.3 times as long (benches/LOG.md).
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    /// The newest steps, the oldest of them first, at most as many as a block has.
    recent: SmallVec<[Step; BLOCK]>,
    /// The newest block.
    older: Option<Arc<Block>>,
}

/// How many steps a block has.
const BLOCK: usize = 16;

#[derive(Clone, Copy, Debug)]
struct Step {
    token: TokenId,
    /// The state before the token.
    before: StateId,
}

#[derive(Debug)]
struct Block {
    /// The oldest first.
    steps: [Step; BLOCK],
    /// How many steps there are up to the end of the block.
    length: usize,
    older: Option<Arc<Block>>,
}

impl History {
    pub(super) fn len(&self) -> usize {
        self.older.as_ref().map_or(0, |block| block.length) + self.recent.len()
    }

    pub(super) fn newest(&self) -> Option<TokenId> {
        self.steps().next().map(|step| step.token)
    }

    pub(super) fn push(&mut self, token: TokenId, before: StateId) {
        if let Ok(steps) = <[Step; BLOCK]>::try_from(self.recent.as_slice()) {
            let length = self.len();
            let older = self.older.take();
            self.older = Some(Arc::new(Block {
                steps,
                length,
                older,
            }));
            self.recent.clear();
        }
        self.recent.push(Step { token, before });
    }

    /// Takes back the newest token and gives the state before it.
    pub(super) fn pop(&mut self) -> Option<StateId> {
        if self.recent.is_empty() {
            let block = self.older.take()?;
            self.recent.extend_from_slice(&block.steps);
            self.older.clone_from(&block.older);
        }
        self.recent.pop().map(|step| step.before)
    }

    /// The tokens, oldest first.
    pub(super) fn tokens(&self) -> Vec<TokenId> {
        self.last(self.len())
    }

    /// The newest `count` tokens, oldest first.
    pub(super) fn last(&self, count: usize) -> Vec<TokenId> {
        let mut tokens = Vec::with_capacity(count);
        tokens.extend(self.steps().take(count).map(|step| step.token));
        tokens.reverse();
        tokens
    }

    /// The states before the tokens, newest first, with how many tokens were accepted then.
    pub(super) fn states(&self) -> impl Iterator<Item = (usize, StateId)> {
        let accepted = (0..self.len()).rev();
        accepted.zip(self.steps().map(|step| step.before))
    }

    /// The steps, newest first.
    fn steps(&self) -> impl Iterator<Item = &Step> {
        let blocks = std::iter::successors(self.older.as_deref(), |block| block.older.as_deref());
        let shared = blocks.flat_map(|block| block.steps.iter().rev());
        self.recent.iter().rev().chain(shared)
    }
}

impl Drop for Block {
    /// Block by block: dropping a long list recursively would overflow the stack.
    fn drop(&mut self) {
        let mut older = self.older.take();
        while let Some(mut block) = older.and_then(Arc::into_inner) {
            older = block.older.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Pushes, pops and forks at random, beside lists that are copied.
        #[test]
        fn a_history_is_a_stack_that_forks(turns in prop::collection::vec((0..3u8, 1..40u32), 0..60)) {
            let mut forks = vec![(History::default(), Vec::new())];
            for (turn, count) in turns {
                let (mut history, mut steps) = forks[count as usize % forks.len()].clone();
                for n in 0..count {
                    match turn {
                        0 => prop_assert_eq!(history.pop(), steps.pop().map(|(_, before)| before)),
                        _ => {
                            history.push(TokenId::new(n), StateId::new(count));
                            steps.push((TokenId::new(n), StateId::new(count)));
                        }
                    }
                }
                forks.push((history, steps));
            }
            for (history, steps) in &forks {
                let tokens: Vec<_> = steps.iter().map(|(token, _)| *token).collect();
                let states = steps.iter().map(|(_, before)| *before).enumerate().rev();
                prop_assert_eq!(history.len(), steps.len());
                prop_assert_eq!(history.newest(), tokens.last().copied());
                prop_assert_eq!(history.tokens(), tokens);
                prop_assert!(history.states().eq(states));
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "pushes a million tokens")]
    fn a_long_history_is_dropped_without_recursion() {
        let mut history = History::default();
        (0..1 << 20).for_each(|n| history.push(TokenId::new(n), StateId::new(n)));
        let fork = history.clone();
        drop(history);
        assert_eq!(fork.len(), 1 << 20);
    }
}
