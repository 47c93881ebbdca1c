//! From where a rule is read: from an item's position, or from where it begins, behind white space.

use super::places::Place;
use crate::base::LimitError;
use crate::machine::{Generation, Item, Origin, Pos, StateId};

/// What stands before the text of a rule in the same token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Before {
    Nothing,
    WhiteSpace,
}

/// From where a rule is read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entry {
    /// From an item's position on.
    At(Item),
    /// Behind white space, after which `caller` is where it was: from the `start` of what it calls.
    Called { caller: Item, start: Pos },
}

impl Entry {
    /// What `caller` calls, if that can be entered apart and begins with a step of its own.
    pub(super) fn called(
        generation: &Generation,
        caller: Item,
    ) -> Result<Option<Self>, LimitError> {
        let Some(callee) = generation.sole_callee(caller.pos) else {
            return Ok(None);
        };
        let begun = generation.state(generation.start_of(callee)?);
        Ok(match begun.items.as_slice() {
            &[Item { pos: start, .. }] => Some(Self::Called { caller, start }),
            _ => None,
        })
    }

    /// The position in the rule.
    pub(super) fn pos(self) -> Pos {
        match self {
            Self::At(item) => item.pos,
            Self::Called { start, .. } => start,
        }
    }

    pub(super) fn before(self) -> Before {
        match self {
            Self::At(_) => Before::Nothing,
            Self::Called { .. } => Before::WhiteSpace,
        }
    }

    /// Where callers go on when the rule has ended with `exit`; `None` where nobody waits for it.
    pub(super) fn after(
        self,
        generation: &Generation,
        exit: &[u32],
    ) -> Result<Option<Place>, LimitError> {
        let exit = generation.exit(exit);
        match self {
            Self::At(item) if item.origin == Origin::BOTTOM => Ok(None),
            Self::At(item) => {
                let inst = generation.inst(item.pos);
                let left = generation.leave(inst, exit, item.origin)?;
                Ok(Some(Place::of(left)))
            }
            Self::Called { caller, .. } => match generation.resumed(caller.pos, exit) {
                Some(pos) => {
                    let resumed = generation.arrive(Item { pos, ..caller })?;
                    Ok(Some(Place::of(resumed)))
                }
                None => Ok(Some(Place::State(StateId::DEAD))),
            },
        }
    }
}
