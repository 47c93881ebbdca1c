//! A way from a state to the end of the text.
//!
//! Where bodies remember what they have read, what is shortest without memory may be refused with it.
//! So it is a best-first search over states, guided by how far the end would be if nothing were
//! remembered: the nearest state's shortest way is followed; where it is refused, other steps are
//! tried one by one, from the last state on backwards.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::cost::Cost;
use super::generation::Generation;
use super::path::{Path, Step};
use super::state::StateId;
use crate::base::LimitError;
use crate::grammar::Reading;

/// What it costs to try a step, besides what making the state does.
const TRY: Cost = Cost {
    steps: 10,
    bytes: 0,
};

/// States tried before the search is given up.
const TRIED: usize = 1 << 20;

impl Generation {
    /// Steps that lead from `state` to an end of the text: as few as can be where nothing is
    /// remembered, else few. From the dead state there are none.
    pub(crate) fn way_out(&self, state: StateId) -> Result<Vec<Step>, LimitError> {
        let mut search = Search {
            generation: self,
            tried: Vec::new(),
            seen: FxHashSet::default(),
            agenda: BinaryHeap::new(),
            shortest: FxHashMap::default(),
            last: FxHashMap::default(),
            began: self.cost(),
        };
        search.run(state)
    }
}

/// What is left to do with a state that was tried; the former first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Left {
    /// To follow its shortest way.
    Follow,
    /// To try other steps.
    Branch,
}

/// A state, how it was reached, and the steps from it that are still to be tried.
struct Tried {
    state: StateId,
    before: Option<(usize, Step)>,
    left: Option<std::vec::IntoIter<Step>>,
}

struct Search<'g> {
    generation: &'g Generation,
    tried: Vec<Tried>,
    seen: FxHashSet<StateId>,
    /// What is left to do, with how far the end seems to be.
    agenda: BinaryHeap<Reverse<(usize, Left, usize)>>,
    /// The shortest ways from states with nothing remembered.
    shortest: FxHashMap<StateId, Option<Path>>,
    /// The steps that were tried last from these states: what was tried before them was refused as having been read.
    last: FxHashMap<StateId, Step>,
    /// What had been spent when the search began.
    began: Cost,
}

impl Search<'_> {
    fn run(&mut self, state: StateId) -> Result<Vec<Step>, LimitError> {
        if let Some(start) = self.try_state(state, None)? {
            self.agenda.push(Reverse((0, Left::Follow, start)));
        }
        while let Some(Reverse((distance, left, index))) = self.agenda.pop() {
            match left {
                Left::Branch => self.branch(index, distance)?,
                Left::Follow => {
                    if let Some(end) = self.follow(index)? {
                        return Ok(self.steps_to(end));
                    }
                }
            }
        }
        Ok(Vec::new())
    }

    /// Notes a state that is neither dead nor known.
    fn try_state(
        &mut self,
        state: StateId,
        before: Option<(usize, Step)>,
    ) -> Result<Option<usize>, LimitError> {
        if state == StateId::DEAD || !self.seen.insert(state) {
            return Ok(None);
        }
        LimitError::check("states on the way to the end", self.tried.len(), TRIED)?;
        self.tried.push(Tried {
            state,
            before,
            left: None,
        });
        Ok(Some(self.tried.len() - 1))
    }

    /// Follows the shortest way; gives the last state on it if the text may end there.
    fn follow(&mut self, from: usize) -> Result<Option<usize>, LimitError> {
        let Some(way) = self.shortest(self.tried[from].state)? else {
            return Ok(None);
        };
        let mut at = from;
        for (done, &step) in way.iter().enumerate() {
            self.agenda
                .push(Reverse((way.len() - done, Left::Branch, at)));
            let to = self.advance(self.tried[at].state, step)?;
            match self.try_state(to, Some((at, step)))? {
                Some(next) => at = next,
                None => return Ok(None),
            }
        }
        if self.generation.state(self.tried[at].state).accepting {
            return Ok(Some(at));
        }
        self.agenda.push(Reverse((0, Left::Branch, at)));
        Ok(None)
    }

    /// Tries further steps from a state, each to be followed as it brings the end nearer, until one leads to where the end is no
    /// further than from the state itself.
    ///
    /// PERF: else all bytes of a character are tried for each of the strings that must differ. With twenty of these to come the worst mask
    /// under a deadline takes 122 ms for 397, and `minProperties` of twenty meets no limit (`hostile --all due-`).
    fn branch(&mut self, from: usize, distance: usize) -> Result<(), LimitError> {
        let state = self.tried[from].state;
        let alike = self.generation.forgetful(state)?;
        let mut left = match self.tried[from].left.take() {
            Some(left) => left,
            None => self.steps_on(state, alike).into_iter(),
        };
        while let Some(step) = left.next() {
            let to = self.advance(state, step)?;
            let Some(next) = self.try_state(to, Some((from, step)))? else {
                continue;
            };
            let behind = self.shortest(to)?.map_or(usize::MAX, |way| way.len());
            self.agenda.push(Reverse((behind, Left::Follow, next)));
            if behind <= distance {
                self.last.insert(alike, step);
                self.tried[from].left = Some(left);
                self.agenda.push(Reverse((distance, Left::Branch, from)));
                break;
            }
        }
        Ok(())
    }

    /// The steps that a state offers, from the one on that was tried last where it was `alike`.
    fn steps_on(&self, state: StateId, alike: StateId) -> Vec<Step> {
        let mut steps = self.steps(state);
        let last = self.last.get(&alike);
        let at = last.and_then(|last| steps.iter().position(|step| step == last));
        steps.rotate_left(at.unwrap_or_default());
        steps
    }

    /// The steps that a state offers; one of those that lead to the same state.
    fn steps(&self, state: StateId) -> Vec<Step> {
        let state = self.generation.state(state);
        let mut bytes: Vec<u8> = Vec::new();
        for item in &state.items {
            let node = self.generation.node(item.pos);
            for edge in &node.edges {
                match node.reading {
                    Reading::Passing => bytes.push(edge.lo),
                    Reading::Recording { .. } => bytes.extend(edge.lo..=edge.hi),
                }
                // Where the edge ends, another may begin to be alone.
                bytes.extend(edge.hi.checked_add(1));
            }
        }
        bytes.sort_unstable();
        bytes.dedup();
        let controls = state.controls.iter().copied().map(Step::Control);
        bytes.into_iter().map(Step::Byte).chain(controls).collect()
    }

    fn advance(&self, state: StateId, step: Step) -> Result<StateId, LimitError> {
        self.generation.costs.add(TRY);
        self.generation.check_answer(self.began)?;
        match step {
            Step::Byte(byte) => self.generation.advance(state, byte),
            Step::Control(control) => self.generation.advance_control(state, control),
        }
    }

    /// The shortest way from a state, with nothing remembered.
    fn shortest(&mut self, state: StateId) -> Result<Option<Path>, LimitError> {
        let state = self.generation.forgetful(state)?;
        if let Some(known) = self.shortest.get(&state) {
            return Ok(known.clone());
        }
        let way = self.generation.shortest(state, self.began)?;
        self.shortest.insert(state, way.clone());
        Ok(way)
    }

    fn steps_to(&self, end: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut at = end;
        while let Some((before, step)) = self.tried[at].before {
            steps.push(step);
            at = before;
        }
        steps.reverse();
        steps
    }
}
