//! A way from a state to the end of the text.
//!
//! Where bodies remember what they have read, what is shortest without memory may be refused with it.
//! So it is a best-first search over states, guided by how far the end would be if nothing were
//! remembered: the nearest state's shortest way is followed; where it is refused, other steps are
//! tried one by one, from the last state on backwards. Texts that must differ are counted up as digits are.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::cost::Cost;
use super::generation::Generation;
use super::node::Pos;
use super::path::{Rests, Step, Text};
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
            rests: Rests::default(),
            last: Vec::new(),
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

/// The positions of a state.
type Alike = SmallVec<[Pos; 1]>;

/// A state, how it was reached, and the steps from it that are still to be tried.
struct Tried {
    state: StateId,
    before: Option<(usize, Step)>,
    left: Option<std::vec::IntoIter<Step>>,
    /// How many steps that were tried lead here one behind the other; 0 on a way that was followed.
    depth: usize,
}

/// What was tried last from states that are alike: what was tried before was refused as having been read.
#[derive(Clone, Copy)]
struct Last {
    step: Step,
    /// Whether all steps were tried once.
    all: bool,
}

struct Search<'g> {
    generation: &'g Generation,
    tried: Vec<Tried>,
    seen: FxHashSet<StateId>,
    /// What is left to do, with how far the end seems to be.
    agenda: BinaryHeap<Reverse<(usize, Left, usize)>>,
    /// The shortest ways from states with nothing remembered.
    shortest: FxHashMap<StateId, Option<Text>>,
    rests: Rests,
    /// By how many steps were tried one behind the other, what was tried last from states with these positions.
    last: Vec<FxHashMap<Alike, Last>>,
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
            depth: 0,
        });
        Ok(Some(self.tried.len() - 1))
    }

    /// Follows the shortest way; gives the last state on it if the text may end there.
    fn follow(&mut self, from: usize) -> Result<Option<usize>, LimitError> {
        let Some(way) = self.shortest(self.tried[from].state)? else {
            return Ok(None);
        };
        let mut at = from;
        let mut left = way.len();
        for step in way.steps() {
            self.agenda.push(Reverse((left, Left::Branch, at)));
            left -= 1;
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
    /// further than from the state itself. Where all were tried before, what lies behind the last comes before the others.
    ///
    /// PERF: else all bytes of a character are tried for each of the strings that must differ. With twenty of these to come the worst mask
    /// under a deadline takes 122 ms for 397, and `minProperties` of twenty meets no limit (`hostile --all due-`).
    fn branch(&mut self, from: usize, distance: usize) -> Result<(), LimitError> {
        let (state, depth) = (self.tried[from].state, self.tried[from].depth);
        let alike = self.positions(state)?;
        self.last
            .resize_with(self.last.len().max(depth + 1), FxHashMap::default);
        let last = self.last[depth].get(&alike).copied();
        let (mut left, again) = match self.tried[from].left.take() {
            Some(left) => (left, distance),
            None => {
                let all = last.is_some_and(|last| last.all);
                (
                    self.steps_on(state, last),
                    distance.saturating_add(all.into()),
                )
            }
        };
        while let Some(step) = left.next() {
            let to = self.advance(state, step)?;
            let Some(next) = self.try_state(to, Some((from, step)))? else {
                continue;
            };
            self.tried[next].depth = depth + 1;
            let behind = self.shortest(to)?.map_or(usize::MAX, |way| way.len());
            self.agenda.push(Reverse((behind, Left::Follow, next)));
            if behind <= distance {
                self.note(depth, alike, step);
                self.tried[from].left = Some(left);
                self.agenda.push(Reverse((again, Left::Branch, from)));
                return Ok(());
            }
        }
        self.exhaust(from, alike)
    }

    /// Notes that all steps from a state were tried: the next time it is the first, or, where that comes behind another that was tried,
    /// what comes behind the one that follows this, as digits are carried.
    fn exhaust(&mut self, from: usize, alike: Alike) -> Result<(), LimitError> {
        let tried = &self.tried[from];
        let (state, depth, before) = (tried.state, tried.depth, tried.before);
        if let Some(&step) = self.steps(state).first() {
            self.last[depth].insert(alike, Last { step, all: true });
        }
        if let (Some(above), Some((parent, step))) = (depth.checked_sub(1), before)
            && let Some(siblings) = &self.tried[parent].left
            && let Some(&next) = siblings.as_slice().first()
            && let (Step::Byte(byte), Step::Byte(next_byte)) = (step, next)
            && byte < next_byte
        {
            let alike = self.positions(self.tried[parent].state)?;
            self.note(above, alike, next);
        }
        Ok(())
    }

    /// Notes that `step` was tried last; what was tried behind another says nothing any more.
    fn note(&mut self, depth: usize, alike: Alike, step: Step) {
        let all = match self.last[depth].get(&alike) {
            Some(last) if last.step == step => return,
            last => last.is_some_and(|last| last.all),
        };
        self.last[depth].insert(alike, Last { step, all });
        self.last.truncate(depth + 1);
    }

    /// The positions of a state with nothing remembered, whoever waits for their rules to end.
    ///
    /// PERF: the count of items to come is among what waits, so that among strings that must differ no two states were alike with it
    /// (benches/LOG.md).
    fn positions(&self, state: StateId) -> Result<Alike, LimitError> {
        let state = self.generation.forgetful(state)?;
        let kernel = self.generation.state(state).kernel.iter();
        Ok(kernel.map(|item| item.pos).collect())
    }

    /// The steps that a state offers, from the one on that was tried last.
    fn steps_on(&self, state: StateId, last: Option<Last>) -> std::vec::IntoIter<Step> {
        let mut steps = self.steps(state);
        let at = last.and_then(|last| steps.iter().position(|&step| step == last.step));
        steps.rotate_left(at.unwrap_or_default());
        steps.into_iter()
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
    fn shortest(&mut self, state: StateId) -> Result<Option<Text>, LimitError> {
        let state = self.generation.forgetful(state)?;
        if let Some(known) = self.shortest.get(&state) {
            return Ok(known.clone());
        }
        let before = self.generation.cost().since(self.began);
        let way = (self.generation).shortest(state, before, &mut self.rests)?;
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
