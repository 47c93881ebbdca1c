//! Stepping and closing sets of items.

use rustc_hash::{FxHashMap, FxHashSet};

use super::cost::Cost;
use super::memory::Forgetting;
use super::node::{Exit, Inst, Pos};
use super::origin::{Origin, Origins, Wait};
use super::path::Rest;
use super::position::{Expander, Recall};
use super::state::{Arrived, Item, Items, State, StateId, Table};
use crate::base::{ByteSet, ControlId, Ids, LimitError, Store};
use crate::grammar::Reading;

/// Sets this small are searched, larger ones are hashed.
const SMALL: usize = 24;

/// A call that is made in a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Called {
    pub(crate) caller: Item,
    pub(crate) callee: Inst,
    /// Who waits for the callee: all who call it there.
    pub(crate) origin: Origin,
}

/// A growing set of items, in the order in which they came.
#[derive(Default)]
struct ItemSet {
    items: Vec<Item>,
    seen: FxHashSet<Item>,
}

impl ItemSet {
    fn clear(&mut self) {
        self.items.clear();
        self.seen.clear();
    }

    fn push(&mut self, item: Item) {
        if self.items.len() < SMALL {
            if !self.items.contains(&item) {
                self.items.push(item);
            }
            return;
        }
        if self.seen.is_empty() {
            self.seen.extend(&self.items);
        }
        if self.seen.insert(item) {
            self.items.push(item);
        }
    }
}

/// The rules that a state calls, in the order in which they were first called, with their origins.
#[derive(Default)]
struct CalledRules {
    all: Vec<(Inst, Origin)>,
    /// Where in `all` each is, once there are many.
    places: FxHashMap<Inst, usize>,
}

impl CalledRules {
    fn clear(&mut self) {
        self.all.clear();
        self.places.clear();
    }

    fn place(&self, inst: Inst) -> Option<usize> {
        match self.places.is_empty() {
            true => self.all.iter().position(|&(called, _)| called == inst),
            false => self.places.get(&inst).copied(),
        }
    }

    /// Adds a rule whose origin is not known yet, unless it was called before.
    fn push(&mut self, inst: Inst) -> bool {
        if self.place(inst).is_some() {
            return false;
        }
        self.all.push((inst, Origin::SELF));
        if self.all.len() > SMALL {
            let known = self.places.len();
            let others = self.all.iter().enumerate().skip(known);
            self.places
                .extend(others.map(|(place, &(called, _))| (called, place)));
        }
        true
    }

    fn origin(&self, inst: Inst) -> Option<Origin> {
        self.place(inst).map(|place| self.all[place].1)
    }
}

/// The states' interning table, and room to work in.
pub(super) struct Closer {
    pub(super) origins: Origins,
    ids: Ids,
    count: u32,
    pub(super) bytes: usize,
    next: ItemSet,
    closure: ItemSet,
    waits: Vec<Wait>,
    called: CalledRules,
    pub(super) forgotten: Forgetting,
    /// By position, what is to come of its rule.
    pub(super) rests: FxHashMap<Pos, Rest>,
}

/// A closer at work on one generation.
pub(super) struct Closing<'a, 'e> {
    pub(super) closer: &'a mut Closer,
    pub(super) states: &'e Store<State>,
    pub(super) expander: Expander<'e>,
    /// What had been spent when this began.
    pub(super) began: Cost,
    /// What the answer that it is done for had cost before.
    pub(super) before: Cost,
}

/// What each item costs that reads a byte, or comes into a state.
const STEPS_PER_ITEM: usize = 16;
/// What a new state costs besides, and that it is dropped again one day.
const STEPS_PER_STATE: usize = 24;

impl Closer {
    pub(super) fn new() -> Self {
        Self {
            origins: Origins::new(),
            ids: Ids::default(),
            count: 1,
            bytes: 0,
            next: ItemSet::default(),
            closure: ItemSet::default(),
            waits: Vec::new(),
            called: CalledRules::default(),
            forgotten: Forgetting::default(),
            rests: FxHashMap::default(),
        }
    }

    /// All that is known, to be dropped one by one.
    pub(super) fn dismantle(self) -> impl Iterator<Item = ()> + Send {
        let ids = self.ids.dismantle();
        let origins = self.origins.dismantle();
        ids.chain(origins).chain(self.forgotten.dismantle())
    }

    /// How many states there are.
    pub(super) fn count(&self) -> u32 {
        self.count
    }
}

impl Closing<'_, '_> {
    /// How many bytes the states take, with the positions and origins they are made of.
    pub(super) fn bytes(&self) -> usize {
        self.closer.bytes + self.closer.origins.bytes() + self.expander.writer.bytes()
    }

    /// The state of the items that `items` reach over `byte`.
    pub(super) fn step(
        &mut self,
        items: &[Item],
        byte: u8,
        recall: Recall,
    ) -> Result<StateId, LimitError> {
        self.closer.next.clear();
        for item in items {
            let node = self.expander.node(item.pos);
            for edge in node.edges_on(byte) {
                let to = self.expander.target((item.pos, edge.to), byte, recall);
                self.add(to, item.origin);
            }
            self.charge(STEPS_PER_ITEM)?;
        }
        self.complete()
    }

    /// The state of the items that `items` reach over a control token.
    pub(super) fn step_control(
        &mut self,
        items: &[Item],
        control: ControlId,
    ) -> Result<StateId, LimitError> {
        self.closer.next.clear();
        for item in items {
            for &(offered, to) in self.expander.node(item.pos).controls() {
                if offered == control {
                    self.add(to, item.origin);
                }
            }
        }
        self.complete()
    }

    /// The state in which `inst` begins where nobody waits for it.
    pub(super) fn begin(&mut self, inst: Inst) -> Result<StateId, LimitError> {
        let pos = self.expander.start(inst);
        self.enter(pos, Origin::BOTTOM)
    }

    /// The state of one position, reached with `origin` waiting.
    pub(super) fn enter(&mut self, pos: Pos, origin: Origin) -> Result<StateId, LimitError> {
        self.closer.next.clear();
        self.add(pos, origin);
        self.complete()
    }

    /// Where the callers go on after `inst`, called from `origin`, has ended with `exit`.
    pub(super) fn leave(
        &mut self,
        inst: Inst,
        exit: Exit,
        origin: Origin,
    ) -> Result<Arrived, LimitError> {
        self.closer.next.clear();
        self.finish_rule(inst, exit, origin);
        if let &[item] = self.closer.next.items.as_slice()
            && self.expander.node(item.pos).stays()
        {
            return Ok(Arrived::Within(item));
        }
        self.complete().map(Arrived::At)
    }

    /// The state with these items for a kernel, ascending, if there is one.
    pub(super) fn known(&self, kernel: &[Item]) -> Option<StateId> {
        let state = |id| self.states.get(id);
        let same = |id| state(id).is_some_and(|state| state.kernel[..] == *kernel);
        let id = self.closer.ids.find(Ids::hash(kernel), same);
        id.map(StateId::new)
    }

    /// The state with these items for a kernel.
    pub(super) fn with_kernel(
        &mut self,
        items: impl IntoIterator<Item = Item>,
    ) -> Result<StateId, LimitError> {
        self.closer.next.clear();
        for item in items {
            self.closer.next.push(item);
        }
        self.closer.next.items.sort_unstable();
        self.intern()
    }

    fn add(&mut self, pos: Pos, origin: Origin) {
        for &pos in self.expander.skip(pos) {
            self.closer.next.push(Item { pos, origin });
        }
    }

    fn finish_rule(&mut self, inst: Inst, exit: Exit, origin: Origin) {
        let Closer { origins, next, .. } = &mut *self.closer;
        origins.returns(
            inst,
            exit,
            origin,
            &mut self.expander,
            |expander, pos, origin| {
                for &pos in expander.skip(pos) {
                    next.push(Item { pos, origin });
                }
            },
        );
    }

    /// Lets the callers of every rule that has ended go on, and interns what is left.
    fn complete(&mut self) -> Result<StateId, LimitError> {
        let mut index = 0;
        while let Some(&item) = self.closer.next.items.get(index) {
            index += 1;
            if item.origin == Origin::BOTTOM {
                continue;
            }
            if let Some(exit) = self.expander.node(item.pos).exit {
                let inst = self.expander.positions.inst(item.pos);
                self.finish_rule(inst, exit, item.origin);
                self.check_items(self.closer.next.items.len())?;
            }
        }
        let expander = &mut self.expander;
        let kernel = &mut self.closer.next.items;
        kernel.retain(|item| {
            let node = expander.node(item.pos);
            !node.is_bare() || (item.origin == Origin::BOTTOM && node.exit.is_some())
        });
        kernel.sort_unstable();
        self.intern()
    }

    /// Takes so many steps of what one answer may cost.
    // Away from who calls it, so that a compile fetches its code once.
    #[inline(never)]
    pub(super) fn charge(&mut self, steps: usize) -> Result<(), LimitError> {
        self.expander.writer.add_work(steps);
        self.spent().check(self.expander.grammar.limits())
    }

    /// What was spent on the generation so far.
    pub(super) fn cost(&self) -> Cost {
        Cost {
            steps: self.expander.writer.work(),
            bytes: self.bytes(),
        }
    }

    /// What was spent of what one answer may cost.
    pub(super) fn spent(&self) -> Cost {
        self.cost().since(self.began).and(self.before)
    }

    fn check_items(&mut self, count: usize) -> Result<(), LimitError> {
        self.charge(STEPS_PER_ITEM)?;
        let allowed = self.expander.grammar.limits().state_items;
        LimitError::check("items of one state", count, allowed)
    }

    fn intern(&mut self) -> Result<StateId, LimitError> {
        let kernel = &self.closer.next.items;
        if kernel.is_empty() {
            return Ok(StateId::DEAD);
        }
        let hash = Ids::hash(&kernel[..]);
        let states = self.states;
        let same = |id| {
            states
                .get(id)
                .is_some_and(|state| state.kernel[..] == kernel[..])
        };
        if let Some(id) = self.closer.ids.find(hash, same) {
            return Ok(StateId::new(id));
        }
        // More than twice of what is there when a fresh generation is due: room for the answers in progress.
        let allowed = self.expander.grammar.limits().machine_bytes;
        let allowed = allowed.saturating_mul(2);
        LimitError::check("bytes for states of the machine", self.bytes(), allowed)?;
        self.charge(STEPS_PER_STATE)?;
        let state = self.close()?;
        self.closer.bytes += state.bytes();
        let id = self.closer.count;
        self.closer.count += 1;
        self.states.set(id, state);
        self.closer.ids.insert(hash, id);
        Ok(StateId::new(id))
    }

    /// The calls that are made where the state's kernel is `kernel`.
    pub(super) fn calls(&mut self, kernel: &[Item]) -> Result<Vec<Called>, LimitError> {
        self.closer.next.clear();
        kernel.iter().for_each(|&item| self.closer.next.push(item));
        self.enclose()?;
        let closer = &*self.closer;
        let mut calls = Vec::new();
        for &caller in &closer.closure.items {
            for call in self.expander.node(caller.pos).calls() {
                let origin = closer.called.origin(call.callee);
                calls.extend(origin.map(|origin| Called {
                    caller,
                    callee: call.callee,
                    origin,
                }));
            }
        }
        Ok(calls)
    }

    /// The state whose kernel is in `next`.
    fn close(&mut self) -> Result<State, LimitError> {
        let kernel = self.enclose()?;
        Ok(self.state(kernel))
    }

    /// Closes the kernel that is in `next` over its calls.
    fn enclose(&mut self) -> Result<Items, LimitError> {
        let kernel = Items::from_slice(&self.closer.next.items);
        self.closer.closure.clear();
        self.closer.waits.clear();
        self.closer.called.clear();
        for &item in &kernel {
            self.closer.closure.push(item);
        }
        let mut index = 0;
        while let Some(&item) = self.closer.closure.items.get(index) {
            index += 1;
            let calls = self.expander.node(item.pos).calls();
            self.charge(STEPS_PER_ITEM * calls.len())?;
            for call in calls {
                let wait = Wait {
                    callee: call.callee,
                    site: call.site,
                    ask: call.ask,
                    origin: item.origin,
                };
                self.closer.waits.push(wait);
                if !self.closer.called.push(call.callee) {
                    continue;
                }
                let start = self.expander.start(call.callee);
                for &pos in self.expander.skip(start) {
                    self.closer.closure.push(Item {
                        pos,
                        origin: Origin::SELF,
                    });
                }
                self.check_items(self.closer.closure.items.len())?;
            }
        }
        self.tie()?;
        Ok(kernel)
    }

    /// Gives the called rules their origins.
    fn tie(&mut self) -> Result<(), LimitError> {
        self.closer.waits.sort_unstable();
        for index in 0..self.closer.called.all.len() {
            let Closer {
                origins,
                waits,
                called,
                ..
            } = &mut *self.closer;
            let (inst, origin) = &mut called.all[index];
            *origin = origins.origin(waits, *inst, &mut self.expander);
            let callers = origins.waits(*origin).len();
            self.charge(STEPS_PER_ITEM * (callers + 1))?;
        }
        let Closer {
            closure, called, ..
        } = &mut *self.closer;
        for item in closure
            .items
            .iter_mut()
            .filter(|item| item.origin == Origin::SELF)
        {
            let inst = self.expander.positions.inst(item.pos);
            item.origin = called
                .origin(inst)
                .expect("an item with origin SELF is in a rule that was called");
        }
        Ok(())
    }

    fn state(&mut self, kernel: Items) -> State {
        let expander = &mut self.expander;
        let items = &mut self.closer.closure.items;
        let accepting = kernel
            .iter()
            .any(|item| item.origin == Origin::BOTTOM && expander.node(item.pos).exit.is_some());
        items.retain(|item| {
            let node = expander.node(item.pos);
            !node.edges.is_empty() || !node.controls().is_empty()
        });
        items.sort_unstable();
        items.dedup();
        let mut controls: Vec<ControlId> = Vec::new();
        let mut live = ByteSet::EMPTY;
        let mut starts = ByteSet::EMPTY;
        let mut records = false;
        for item in items.iter() {
            let node = expander.positions.visited(item.pos);
            controls.extend(node.controls().iter().map(|&(control, _)| control));
            records |= node.reading != Reading::Passing;
            for edge in &node.edges {
                live.insert_range(edge.lo, edge.hi);
                match node.reading {
                    Reading::Passing => starts.insert(edge.lo),
                    Reading::Recording { .. } => starts.insert_range(edge.lo, edge.hi),
                }
                if let Some(next) = edge.hi.checked_add(1) {
                    starts.insert(next);
                }
            }
        }
        controls.sort_unstable();
        controls.dedup();
        let table = Table::new(live, starts);
        State {
            kernel,
            items: Items::from_slice(items),
            controls: controls.into(),
            accepting,
            records,
            table,
        }
    }
}
