//! States of a session from before it moved to a fresh generation, for those who go back to them.

use std::sync::Arc;

use super::history::History;
use crate::base::LimitError;
use crate::machine::StateId;

/// So many of the newest states are all kept: who goes back mostly takes back a draft.
const NEAR: usize = 64;
/// Further back than this is not looked for states to keep: a move costs the same however long the history is.
const FAR: usize = 4096;

/// Some states by how many tokens were accepted in them, the most first: the newest ones all, and one for each time that the
/// way back doubles.
#[derive(Clone, Debug, Default)]
pub(super) struct Anchors(Arc<[(usize, StateId)]>);

impl Anchors {
    /// Those to be kept by a session that moves, whose states from `moved` tokens on are of the generation that it leaves,
    /// as these anchors are. `adopt` gives what a state is where it moves to.
    pub(super) fn moved(
        &self,
        history: &History,
        moved: usize,
        mut adopt: impl FnMut(StateId) -> Result<StateId, LimitError>,
    ) -> Self {
        let accepted = history.len();
        let own = history.states().take(FAR);
        let own = own.take_while(|&(length, _)| length >= moved);
        let older = self.0.iter().copied().filter(|&(length, _)| length < moved);
        let mut kept = Vec::new();
        let mut known = own.chain(older).peekable();
        let mut last = 0;
        while let Some((length, state)) = known.next() {
            let back = accepted - length;
            let next = known.peek().map_or(accepted, |(next, _)| accepted - next);
            if back <= NEAR || next > 2 * last {
                // Where they do not all fit, the text is read anew from an older one.
                let Ok(adopted) = adopt(state) else {
                    break;
                };
                kept.push((length, adopted));
                last = back;
            }
        }
        Self(kept.into())
    }

    /// The newest state at which at most so many tokens were accepted.
    pub(super) fn before(&self, length: usize) -> Option<(usize, StateId)> {
        let found = self.0.iter().find(|(known, _)| *known <= length);
        found.copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::TokenId;

    #[test]
    fn the_way_from_an_anchor_is_no_longer_than_the_way_back() {
        let (mut history, mut anchors) = (History::default(), Anchors::default());
        let mut moved = 0;
        for length in 0..6000u32 {
            history.push(TokenId::new(length), StateId::new(length));
            if length % 997 == 0 {
                anchors = anchors.moved(&history, moved, Ok);
                moved = history.len();
                for left in 0..moved {
                    let (found, state) = anchors.before(left).unwrap_or((0, StateId::new(0)));
                    assert_eq!(state.get() as usize, found);
                    let back = moved - left;
                    assert!(back > NEAR || found == left);
                    assert!(left - found <= 2 * back, "{left} of {moved} from {found}");
                }
                assert!(anchors.0.len() < NEAR + 32);
            }
        }
    }
}
