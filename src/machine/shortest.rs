//! A shortest text from a state to the end, by Knuth's generalisation of Dijkstra's algorithm.
//!
//! Positions are taken cheapest first, each with the number of steps since its *frame* began: a run
//! of a rule, either one that the state holds with who waits for it, or one that is called, which is
//! then searched once for all who call it. A called frame is as late as the first call of it, so that
//! nothing is searched that lies further than the end.
//!
//! A frame that has ended is not searched for further, dearer exits; of positions that agree in their gist
//! ([`Hints::gist`](crate::grammar::Hints::gist)), the nearest is gone on from; and a frame
//! that grows wide, as a string does that several patterns count in, is left; unless all else leads nowhere.
//! Where a body knows its way ([`Hints::onward`](crate::grammar::Hints::onward)), as a number does that must be a
//! multiple, nothing else is looked at. So what is found is a shortest text where rules have one exit each and are not wide, and
//! else a short one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::closure::Closing;
use super::cost::Cost;
use super::node::{Exit, Inst, Pos};
use super::origin::Origin;
use super::path::{IMPATIENT, Known, Path, Rest, Rests, Step, Text};
use super::position::Recall;
use super::state::Item;
use crate::base::{ENTRY, LimitError, define_id};
use crate::grammar::Words;

/// What a visit costs, what each edge that it follows, and what each call and part of a body that it looks at.
const STEPS_PER_VISIT: usize = 150;
const STEPS_PER_EDGE: usize = 5;
const STEPS_PER_PART: usize = 2;
/// An end further than this is not looked for.
const LONGEST: usize = 1 << 20;

/// A frame is left after so many positions, at first.
const WIDTH: usize = 1 << 12;

define_id! {
    /// A position in a frame, on some way to it.
    VisitId
}
define_id! {
    FrameId
}

/// What is to come of one rule is left to a search of the whole text where so many positions are visited, and so many more for each
/// step: where a text nests in a union, an item that needs more than the whole text is else looked through for nothing.
///
/// PERF: without, ways out of two published schemas of unions meet `work` 400 tokens deep (`tests/drive.rs`, ignored), and
/// so do masks under a deadline within 300 objects of a union (`hostile --all due-union`).
const WIDE: u64 = 1 << 10;
const WIDE_PER_STEP: u64 = 32;

/// A position in a frame, and the way to it.
struct Visit {
    frame: FrameId,
    pos: Pos,
    /// Steps since the frame began; for a frame that the state holds, since the state.
    steps: u64,
    last: Last,
}

/// What a visit takes, here, in the agenda and among the fewest steps.
const VISIT_BYTES: usize =
    size_of::<Visit>() + size_of::<(u64, VisitId)>() + ENTRY * size_of::<((FrameId, Pos), u64)>();

/// What led to a visit.
#[derive(Clone, Copy)]
enum Last {
    /// Nothing: its frame begins there.
    Begin,
    Step(VisitId, Step),
    /// A call made at the one, which ended at the other.
    Call(VisitId, VisitId),
    /// The end of a frame that the state holds.
    Return(VisitId),
}

/// A run of a rule. Called ones have the origin [`Origin::SELF`].
struct Frame {
    inst: Inst,
    origin: Origin,
    /// Steps from the state to where it begins; 0 for those that the state holds.
    begins: u64,
    callers: Vec<Caller>,
    exits: Vec<(Exit, VisitId)>,
    /// How many positions were visited.
    visited: usize,
    has_ended: bool,
}

#[derive(Clone, Copy)]
struct Caller {
    visit: VisitId,
    site: Pos,
    ask: bool,
}

impl Closing<'_, '_> {
    /// A short text from the state with this kernel to an end; `None` where it has none.
    pub(super) fn shortest(
        &mut self,
        kernel: &[Item],
        before: Cost,
        rests: &mut Rests,
    ) -> Result<Option<Text>, LimitError> {
        self.before = before;
        if let Some(nearest) = self.nearest(kernel, rests)? {
            return Ok(Some(nearest));
        }
        let mut search = Search {
            width: WIDTH,
            ..Search::default()
        };
        for item in kernel {
            let inst = self.expander.positions.inst(item.pos);
            let frame = search.frame(inst, item.origin, 0);
            search.push(frame, item.pos, 0, Last::Begin);
        }
        while let Some(visit) = search.next() {
            if let Some(end) = search.visit(self, visit)? {
                return Ok(Some([search.steps_to(end)].into_iter().collect()));
            }
        }
        Ok(None)
    }

    /// What is to come of the rule of `pos`, where that is found within `look` steps and, up to [`IMPATIENT`], without going on
    /// where something was put off.
    pub(super) fn rest_of_rule(&mut self, pos: Pos, look: u64) -> Result<Rest, LimitError> {
        let mut search = Search {
            width: WIDTH,
            gives_up: look <= IMPATIENT,
            ..Search::default()
        };
        let frame = search.frame(self.expander.positions.inst(pos), Origin::BOTTOM, 0);
        search.push(frame, pos, 0, Last::Begin);
        let mut visited: u64 = 0;
        while let Some(visit) = search.next() {
            let distance = search.distance(visit);
            if distance > look {
                return Ok(Rest::Beyond(look));
            }
            visited += 1;
            if visited > WIDE.saturating_add(WIDE_PER_STEP.saturating_mul(distance)) {
                return Ok(Rest::Wide(distance));
            }
            if let Some(end) = search.visit(self, visit)? {
                let exit = self.expander.node(search.visits[end.index()].pos).exit;
                let exit = exit.expect("the rule ends at the last visit");
                let (path, stops) = (search.steps_to(end), search.stops(end));
                return Ok(Rest::Known(Known::new(path, exit, stops)));
            }
        }
        // Looking further finds no more.
        Ok(Rest::Beyond(look.max(IMPATIENT)))
    }
}

#[derive(Default)]
struct Search {
    visits: Vec<Visit>,
    frames: Vec<Frame>,
    frame_ids: FxHashMap<(Inst, Origin), FrameId>,
    /// The fewest steps to each position so far.
    fewest: FxHashMap<(FrameId, Pos), u64>,
    /// The steps from the state to each visit to come.
    agenda: BinaryHeap<Reverse<(u64, VisitId)>>,
    /// The gists of the positions that were gone on from.
    gists: FxHashSet<(FrameId, Words)>,
    /// Visits in frames that have ended or are wide, and those whose gist is known.
    put_off: Vec<VisitId>,
    /// A frame with so many positions is wide.
    width: usize,
    /// Whether it ends where only what was put off is left.
    gives_up: bool,
}

impl Search {
    /// The frame of `inst`, which begins after so many steps if it is new.
    fn frame(&mut self, inst: Inst, origin: Origin, begins: u64) -> FrameId {
        let frames = &mut self.frames;
        *self.frame_ids.entry((inst, origin)).or_insert_with(|| {
            frames.push(Frame {
                inst,
                origin,
                begins,
                callers: Vec::new(),
                exits: Vec::new(),
                visited: 0,
                has_ended: false,
            });
            FrameId::from_usize(frames.len() - 1)
        })
    }

    fn push(&mut self, frame: FrameId, pos: Pos, steps: u64, last: Last) {
        let fewest = self.fewest.entry((frame, pos)).or_insert(u64::MAX);
        if *fewest <= steps {
            return;
        }
        *fewest = steps;
        let id = VisitId::from_usize(self.visits.len());
        self.visits.push(Visit {
            frame,
            pos,
            steps,
            last,
        });
        self.agenda.push(Reverse((self.distance(id), id)));
    }

    /// Steps from the state.
    fn distance(&self, id: VisitId) -> u64 {
        let visit = &self.visits[id.index()];
        self.frames[visit.frame.index()]
            .begins
            .saturating_add(visit.steps)
    }

    /// The nearest visit to come.
    fn next(&mut self) -> Option<VisitId> {
        loop {
            let Some(Reverse((_, id))) = self.agenda.pop() else {
                if self.put_off.is_empty() || self.gives_up {
                    return None;
                }
                self.resume();
                continue;
            };
            let visit = &self.visits[id.index()];
            if self.fewest[&(visit.frame, visit.pos)] < visit.steps {
                continue;
            }
            let frame = &mut self.frames[visit.frame.index()];
            if frame.has_ended || frame.visited == self.width {
                self.put_off.push(id);
                continue;
            }
            frame.visited += 1;
            return Some(id);
        }
    }

    /// Goes on in frames that were left, since the others lead nowhere.
    fn resume(&mut self) {
        self.width = self.width.saturating_mul(2);
        self.gists.clear();
        for frame in &mut self.frames {
            frame.has_ended = false;
        }
        for id in std::mem::take(&mut self.put_off) {
            self.agenda.push(Reverse((self.distance(id), id)));
        }
    }

    /// Goes on from a visit; gives the visit with which the text ends.
    fn visit(
        &mut self,
        closing: &mut Closing<'_, '_>,
        id: VisitId,
    ) -> Result<Option<VisitId>, LimitError> {
        self.check(closing, id)?;
        let Visit {
            frame, pos, steps, ..
        } = self.visits[id.index()];
        if let Some(gist) = closing.expander.gist(pos)
            && !self.gists.insert((frame, gist))
        {
            self.put_off.push(id);
            return Ok(None);
        }
        let node = closing.expander.node(pos);
        let parts = node.calls().len() + closing.expander.weight(pos);
        closing.charge(STEPS_PER_VISIT + STEPS_PER_PART * parts)?;
        if let Some(byte) = closing.expander.onward(pos) {
            for edge in node.edges_on(byte) {
                let expander = &mut closing.expander;
                let to = expander.target((pos, edge.to), byte, Recall::Nothing);
                self.push(frame, to, steps + 1, Last::Step(id, Step::Byte(byte)));
            }
            return Ok(None);
        }
        closing.charge(STEPS_PER_EDGE * node.edges.len())?;
        for edge in &node.edges {
            // One byte stands for the range: from wherever another leads there is an end too.
            let expander = &mut closing.expander;
            let to = expander.target((pos, edge.to), edge.lo, Recall::Nothing);
            let last = Last::Step(id, Step::Byte(edge.lo));
            self.push(frame, to, steps + 1, last);
        }
        for &(control, to) in node.controls() {
            let last = Last::Step(id, Step::Control(control));
            self.push(frame, to, steps + 1, last);
        }
        for call in node.calls() {
            let caller = Caller {
                visit: id,
                site: call.site,
                ask: call.ask,
            };
            self.call(closing, call.callee, caller);
        }
        match node.exit {
            Some(exit) => Ok(self.end(closing, id, exit)),
            None => Ok(None),
        }
    }

    fn check(&self, closing: &Closing<'_, '_>, id: VisitId) -> Result<(), LimitError> {
        let distance = usize::try_from(self.distance(id)).unwrap_or(usize::MAX);
        LimitError::check("steps to the end of a text", distance, LONGEST)?;
        let own = Cost {
            steps: 0,
            bytes: self.visits.len() * VISIT_BYTES,
        };
        let limits = closing.expander.grammar.limits();
        closing.spent().and(own).check(limits)
    }

    fn call(&mut self, closing: &mut Closing<'_, '_>, callee: Inst, caller: Caller) {
        let begins = self.distance(caller.visit);
        let known = self.frames.len();
        let frame = self.frame(callee, Origin::SELF, begins);
        if frame.index() == known {
            let start = closing.expander.start(callee);
            self.push(frame, start, 0, Last::Begin);
        }
        let called = &mut self.frames[frame.index()];
        called.callers.push(caller);
        for (exit, end) in called.exits.clone() {
            self.returns(closing, caller, exit, end);
        }
    }

    /// Ends the frame of `id`; gives `id` if the text ends with it.
    fn end(&mut self, closing: &mut Closing<'_, '_>, id: VisitId, exit: Exit) -> Option<VisitId> {
        let Visit { frame, steps, .. } = self.visits[id.index()];
        let Frame { inst, origin, .. } = self.frames[frame.index()];
        if origin == Origin::BOTTOM {
            return Some(id);
        }
        if origin == Origin::SELF {
            let ended = &mut self.frames[frame.index()];
            ended.has_ended = true;
            if ended.exits.iter().all(|&(known, _)| known != exit) {
                ended.exits.push((exit, id));
                for caller in ended.callers.clone() {
                    self.returns(closing, caller, exit, id);
                }
            }
            return None;
        }
        let mut sites = Vec::new();
        let expander = &mut closing.expander;
        let origins = &mut closing.closer.origins;
        origins.returns(inst, exit, origin, expander, |expander, site, origin| {
            sites.push((expander.positions.inst(site), site, origin));
        });
        self.frames[frame.index()].has_ended |= !sites.is_empty();
        for (inst, site, origin) in sites {
            let frame = self.frame(inst, origin, 0);
            self.push(frame, site, steps, Last::Return(id));
        }
        None
    }

    /// Lets a caller go on after what it called has ended at `end`.
    fn returns(&mut self, closing: &mut Closing<'_, '_>, caller: Caller, exit: Exit, end: VisitId) {
        let Visit { frame, steps, .. } = self.visits[caller.visit.index()];
        let ended = &self.visits[end.index()];
        let steps = steps.saturating_add(ended.steps);
        let callee = self.frames[ended.frame.index()].inst;
        let site = match caller.ask {
            true => closing.expander.on_return(caller.site, callee, exit),
            false => Some(caller.site),
        };
        if let Some(site) = site {
            self.push(frame, site, steps, Last::Call(caller.visit, end));
        }
    }

    /// The steps that lead to a visit.
    fn steps_to(&self, end: VisitId) -> Path {
        let mut steps = Vec::new();
        // By hand, not by recursion: texts nest as deep as they like.
        let mut pending = vec![end];
        while let Some(id) = pending.pop() {
            match self.visits[id.index()].last {
                Last::Begin => {}
                Last::Return(before) => pending.push(before),
                Last::Call(before, end) => pending.extend([before, end]),
                Last::Step(before, step) => {
                    steps.push(step);
                    pending.push(before);
                }
            }
        }
        steps.into_iter().rev().collect()
    }

    /// The positions behind calls on the way to a visit, in the frame that the visit is in, each with the steps to it.
    fn stops(&self, end: VisitId) -> Vec<(Pos, u32)> {
        let mut stops = Vec::new();
        let mut next = Some(end);
        while let Some(id) = next {
            let Visit {
                pos, steps, last, ..
            } = self.visits[id.index()];
            next = match last {
                Last::Step(before, _) => Some(before),
                Last::Call(before, _) => {
                    // No text is longer than LONGEST.
                    stops.push((pos, steps as u32));
                    Some(before)
                }
                Last::Begin | Last::Return(_) => None,
            };
        }
        stops
    }
}
