//! A generation: everything one grammar's machine has seen, shared by all its sessions.

use std::hash::Hash;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use smallvec::SmallVec;

use super::adopt::Adoption;
use super::binding::Binding;
use super::closure::{Called, Closer, Closing};
use super::cost::{Cost, Costs};
use super::mark::Mark;
use super::memory::{Forgotten, delimiters};
use super::node::{Exit, Inst, Pos, PosNode};
use super::origin::{Origin, Wait};
use super::path::{Rests, Text};
use super::position::{Expander, Positions, Recall};
use super::state::{Arrived, Item, State, StateId, Table};
use super::writer::Writer;
use crate::base::{
    BudgetPart, ByteSet, ControlId, ENTRY, LimitError, PartedMap, RuleId, Store, TEXT, TokenId,
    lock,
};
use crate::grammar::{Delimiters, Grammar, Hints, Reading, Shadow, Words};

/// A generation, as one session holds it: what is known is shared, what its answers cost is its own.
pub(crate) struct Generation {
    known: Arc<Known>,
    /// What the holder caused so far.
    pub(super) costs: Costs,
}

/// States, positions and origins seen so far. Reads of what is known take no lock; only misses do.
pub(crate) struct Known {
    grammar: Arc<Grammar>,
    binding: Arc<Binding>,
    states: Store<State>,
    /// By rule instance, the state in which it begins where nobody waits for it.
    begun: Store<StateId>,
    positions: Positions,
    maker: Mutex<Maker>,
    mark: Mark,
    /// How bodies delimit the texts that they remember; none where no body remembers any.
    delimiters: SmallVec<[Delimiters; 1]>,
}

/// What a miss needs, behind the lock.
struct Maker {
    closer: Closer,
    writer: Writer,
    controls: PartedMap<(StateId, ControlId), StateId>,
    /// Where bytes lead that are not recorded, although the state's positions would.
    unrecorded: PartedMap<(StateId, u8), StateId>,
    leaves: PartedMap<(Inst, Exit, Origin), Arrived>,
    /// How many bytes these three take.
    kept: usize,
    /// What all of it takes of a budget.
    part: BudgetPart,
}

impl Generation {
    /// One that has seen nothing; what it will takes `part` of a budget.
    pub(crate) fn new(grammar: Arc<Grammar>, binding: Arc<Binding>, part: BudgetPart) -> Self {
        let states = Store::new();
        states.set(
            StateId::DEAD.get(),
            State {
                kernel: SmallVec::new(),
                items: SmallVec::new(),
                controls: Box::new([]),
                accepting: false,
                records: false,
                table: Table::new(ByteSet::EMPTY, ByteSet::EMPTY),
            },
        );
        let maker = Maker {
            closer: Closer::new(),
            writer: Writer::default(),
            controls: PartedMap::default(),
            unrecorded: PartedMap::default(),
            leaves: PartedMap::default(),
            kept: 0,
            part,
        };
        let known = Known {
            delimiters: delimiters(&grammar),
            grammar,
            binding,
            states,
            begun: Store::new(),
            positions: Positions::new(),
            maker: Mutex::new(maker),
            mark: Mark::default(),
        };
        Self {
            known: Arc::new(known),
            costs: Costs::default(),
        }
    }

    /// What was seen, to be dropped one by one, if nobody else holds it.
    pub(crate) fn dismantle(self) -> Result<impl Iterator<Item = ()> + Send, Self> {
        let Self { known, costs } = self;
        match Arc::try_unwrap(known) {
            Ok(known) => Ok(known.dismantle()),
            Err(known) => Err(Self { known, costs }),
        }
    }

    /// Whether both hold the same generation.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.known, &other.known)
    }

    pub(crate) fn grammar(&self) -> &Arc<Grammar> {
        &self.grammar
    }

    pub(crate) fn binding(&self) -> &Arc<Binding> {
        &self.binding
    }

    /// What those in it are to do.
    #[inline]
    pub(crate) fn mark(&self) -> &Mark {
        &self.mark
    }

    /// Steps of work so far that the holder caused; what others do meanwhile is no matter.
    pub(crate) fn worked(&self) -> usize {
        self.costs.steps()
    }

    /// What the holder spent so far.
    pub(crate) fn cost(&self) -> Cost {
        self.costs.get()
    }

    /// Whether an answer that began when so much was spent may go on.
    ///
    /// # Errors
    /// If it has taken more than one answer may.
    pub(crate) fn check_answer(&self, began: Cost) -> Result<(), LimitError> {
        self.cost().since(began).check(self.grammar.limits())
    }

    /// Whether a text that has taken so much work may be read on.
    ///
    /// # Errors
    /// If that is more than [`Limits::work`](crate::base::Limits::work).
    pub(crate) fn check_text(&self, spent: usize) -> Result<(), LimitError> {
        LimitError::check(TEXT, spent, self.grammar.limits().work)
    }

    /// The state in which a text begins.
    pub(crate) fn start(&self) -> Result<StateId, LimitError> {
        let root = self.grammar.root();
        self.make(|closing| {
            let inst = closing.expander.instance(root, &Words::new());
            Ok(*self.begun.set(inst.get(), closing.begin(inst)?))
        })
    }

    /// The state that in `other`, a generation of the same grammar, is `state`; `adoption` has what was taken over from there
    /// before.
    pub(crate) fn adopt(
        &self,
        (other, state): (&Self, StateId),
        adoption: &mut Adoption,
    ) -> Result<StateId, LimitError> {
        let kernel = &other.state(state).kernel;
        let callers = other.maker().closer.origins.callers(kernel, adoption);
        self.make(|closing| closing.adopt(&other.positions, (kernel, &callers), adoption))
    }

    /// Where `byte` leads from `state`.
    #[inline]
    pub(crate) fn advance(&self, state: StateId, byte: u8) -> Result<StateId, LimitError> {
        let from = self.state(state);
        match from.table.get(byte) {
            Some(to) => Ok(to),
            None => self.advance_new(from, byte),
        }
    }

    /// Where `byte` leads from `state`, if that was asked before.
    #[inline]
    pub(crate) fn known(&self, state: StateId, byte: u8) -> Option<StateId> {
        self.state(state).table.get(byte)
    }

    #[cold]
    fn advance_new(&self, from: &State, byte: u8) -> Result<StateId, LimitError> {
        let to = self.make(|closing| closing.step(&from.items, byte, Recall::Full))?;
        let bytes = from.table.set(byte, to);
        if bytes > 0 {
            self.maker().closer.bytes += bytes;
            self.costs.add(Cost { steps: 0, bytes });
        }
        Ok(to)
    }

    /// Where `byte` leads from `state` if it is not recorded.
    pub(crate) fn advance_unrecorded(
        &self,
        state: StateId,
        byte: u8,
    ) -> Result<StateId, LimitError> {
        if !self.records(state, byte) {
            return self.advance(state, byte);
        }
        if let Some(&to) = self.maker().unrecorded.get(&(state, byte)) {
            return Ok(to);
        }
        let items = &self.state(state).items;
        let to = self.make(|closing| closing.step(items, byte, Recall::Nothing))?;
        self.maker()
            .keep(|maker| &mut maker.unrecorded, (state, byte), to);
        Ok(to)
    }

    /// Whether a position of `state` records `byte`.
    pub(crate) fn records(&self, state: StateId, byte: u8) -> bool {
        let state = self.state(state);
        let records = |item: &Item| {
            let node = self.node(item.pos);
            node.reading != Reading::Passing && node.edges_on(byte).next().is_some()
        };
        state.records && state.items.iter().any(records)
    }

    /// The rule instance that `pos` calls, if that is all that can happen there besides steps within the body.
    pub(crate) fn sole_callee(&self, pos: Pos) -> Option<Inst> {
        let node = self.expand(pos);
        match *node.calls() {
            [call] if node.exit.is_none() && node.controls().is_empty() => {
                let rule = self.grammar.rule(self.rule(call.callee));
                (!rule.nullable()).then_some(call.callee)
            }
            _ => None,
        }
    }

    /// Where the body of `pos` goes on after its sole callee has ended with `exit`.
    pub(crate) fn resumed(&self, pos: Pos, exit: Exit) -> Option<Pos> {
        let call = self.expand(pos).calls().first()?;
        match call.ask {
            false => Some(call.site),
            true => self.make(|closing| closing.expander.on_return(call.site, call.callee, exit)),
        }
    }

    /// The state in which `inst` begins where nobody waits for it.
    pub(crate) fn start_of(&self, inst: Inst) -> Result<StateId, LimitError> {
        if let Some(&state) = self.begun.get(inst.get()) {
            return Ok(state);
        }
        self.make(|closing| Ok(*self.begun.set(inst.get(), closing.begin(inst)?)))
    }

    /// Where `control`, as a single token, leads from `state`.
    pub(crate) fn advance_control(
        &self,
        state: StateId,
        control: ControlId,
    ) -> Result<StateId, LimitError> {
        if !self.state(state).controls.contains(&control) {
            return Ok(StateId::DEAD);
        }
        if let Some(&to) = self.maker().controls.get(&(state, control)) {
            return Ok(to);
        }
        let items = &self.state(state).items;
        let to = self.make(|closing| closing.step_control(items, control))?;
        self.maker()
            .keep(|maker| &mut maker.controls, (state, control), to);
        Ok(to)
    }

    /// Where `token` leads from `state` as one of its control tokens.
    pub(crate) fn advance_token(
        &self,
        state: StateId,
        token: TokenId,
    ) -> Result<StateId, LimitError> {
        let mut to = StateId::DEAD;
        for &control in &self.state(state).controls {
            if self.binding.control(control).takes(token) {
                to = self.either(to, self.advance_control(state, control)?)?;
            }
        }
        Ok(to)
    }

    /// The state that is `one` or `other`, whatever comes.
    pub(crate) fn either(&self, one: StateId, other: StateId) -> Result<StateId, LimitError> {
        match (one, other) {
            (StateId::DEAD, state) | (state, StateId::DEAD) => Ok(state),
            _ if one == other => Ok(one),
            _ => {
                let items = [one, other].map(|state| &self.state(state).kernel);
                let items = items.into_iter().flatten().copied();
                self.make(|closing| closing.with_kernel(items))
            }
        }
    }

    /// Where `byte` leads from some of a state's items.
    pub(crate) fn step(
        &self,
        items: &[Item],
        byte: u8,
        recall: Recall,
    ) -> Result<StateId, LimitError> {
        self.make(|closing| closing.step(items, byte, recall))
    }

    /// Where the callers go on after `inst`, called from `origin`, has ended with `exit`.
    pub(crate) fn leave(
        &self,
        inst: Inst,
        exit: Exit,
        origin: Origin,
    ) -> Result<Arrived, LimitError> {
        if let Some(&arrived) = self.maker().leaves.get(&(inst, exit, origin)) {
            return Ok(arrived);
        }
        let arrived = self.make(|closing| closing.leave(inst, exit, origin))?;
        let key = (inst, exit, origin);
        self.maker().keep(|maker| &mut maker.leaves, key, arrived);
        Ok(arrived)
    }

    /// The calls that are made in `state`, callers before those that they call.
    pub(crate) fn calls(&self, state: StateId) -> Result<Vec<Called>, LimitError> {
        let kernel = &self.state(state).kernel;
        self.make(|closing| closing.calls(kernel))
    }

    /// Who waits in `origin`.
    pub(crate) fn waits(&self, origin: Origin) -> Arc<[Wait]> {
        self.maker().closer.origins.waits(origin).clone()
    }

    /// Where an item is arrived at.
    pub(crate) fn arrive(&self, item: Item) -> Result<Arrived, LimitError> {
        Ok(match self.expand(item.pos).stays() {
            true => Arrived::Within(item),
            false => Arrived::At(self.enter(item.pos, item.origin)?),
        })
    }

    /// The position behind the text with that `number` of those that lead on from `pos` ([`Hints::texts`]).
    pub(crate) fn behind_text(&self, pos: Pos, number: u32) -> Option<Pos> {
        let (hints, words) = self.told(pos)?;
        let to = hints.behind(words, number)?;
        Some(self.make(|closing| closing.expander.position(self.inst(pos), to)))
    }

    /// The shadow that `pos` has, if any.
    pub(crate) fn shadow(&self, pos: Pos) -> Option<Shadow<'_>> {
        self.told(pos)
            .and_then(|(hints, words)| hints.shadow(words))
    }

    /// What the body of `pos` can tell, and what it knows `pos` by.
    pub(crate) fn told(&self, pos: Pos) -> Option<(&dyn Hints, &Words)> {
        let rule = self.rule(self.inst(pos));
        Some((self.grammar.rule(rule).body().hints(), self.words(pos)?))
    }

    /// The position that `shadow` names.
    pub(crate) fn shadowed(&self, shadow: &Shadow<'_>) -> Pos {
        self.make(|closing| {
            let inst = closing.expander.instance(shadow.rule, &Words::new());
            let pos = closing.expander.position(inst, shadow.state.clone());
            closing.expander.node(pos);
            pos
        })
    }

    /// How bodies delimit the texts that they remember, each way once.
    pub(crate) fn delimiters(&self) -> &[Delimiters] {
        &self.delimiters
    }

    /// What `state` would be if nothing were remembered, and what is; `None` where nothing ever is.
    pub(crate) fn forgotten(&self, state: StateId) -> Result<Option<Forgotten>, LimitError> {
        if self.delimiters.is_empty() {
            return Ok(None);
        }
        let kernel = &self.state(state).kernel;
        self.make(|closing| closing.forget(state, kernel)).map(Some)
    }

    /// What `state` would be if nothing were remembered.
    pub(crate) fn forgetful(&self, state: StateId) -> Result<StateId, LimitError> {
        if self.delimiters.is_empty() {
            return Ok(state);
        }
        let kernel = &self.state(state).kernel;
        self.make(|closing| closing.forgetful(state, kernel))
    }

    /// A short text from `state` to an end; `None` where it has none. What was spent `before` counts.
    pub(super) fn shortest(
        &self,
        state: StateId,
        before: Cost,
        rests: &mut Rests,
    ) -> Result<Option<Text>, LimitError> {
        let kernel = &self.state(state).kernel;
        self.make(|closing| closing.shortest(kernel, before, rests))
    }

    /// What of `pos` tells how far the end is ([`Hints::gist`]), if its body says so.
    pub(crate) fn gist(&self, pos: Pos) -> Option<Words> {
        self.make(|closing| closing.expander.gist(pos))
    }

    /// Where an edge of `from` to `to` leads that was taken for `byte`.
    pub(crate) fn target(&self, (from, to): (Pos, Pos), byte: u8, recall: Recall) -> Pos {
        match self.expand(from).reading {
            Reading::Passing => to,
            Reading::Recording { .. } => {
                self.make(|closing| closing.expander.target((from, to), byte, recall))
            }
        }
    }

    /// The state of one position, reached with `origin` waiting.
    pub(crate) fn enter(&self, pos: Pos, origin: Origin) -> Result<StateId, LimitError> {
        self.make(|closing| closing.enter(pos, origin))
    }

    /// What `pos` offers; it need not be in any state.
    pub(crate) fn expand(&self, pos: Pos) -> &PosNode {
        if let Some(node) = self.positions.node(pos) {
            return node;
        }
        self.make(|closing| {
            closing.expander.node(pos);
        });
        self.node(pos)
    }

    /// The exit with these words.
    pub(crate) fn exit(&self, words: &[u32]) -> Exit {
        match words {
            [] => Exit::PLAIN,
            _ => self.make(|closing| closing.expander.exit(words)),
        }
    }

    /// The words of an exit.
    pub(crate) fn exit_words(&self, exit: Exit) -> Words {
        self.positions.exit(exit)
    }

    /// What is known of `state`.
    #[inline]
    pub(crate) fn state(&self, state: StateId) -> &State {
        self.states
            .get(state.get())
            .expect("a state's id is handed out after its slot is written")
    }

    /// What a position that some state holds offers.
    pub(crate) fn node(&self, pos: Pos) -> &PosNode {
        self.positions.visited(pos)
    }

    /// The start rule, as it is called.
    pub(crate) fn root(&self) -> Inst {
        self.make(|closing| {
            closing
                .expander
                .instance(self.grammar.root(), &Words::new())
        })
    }

    /// The rule instance of a position.
    pub(crate) fn inst(&self, pos: Pos) -> Inst {
        self.positions.inst(pos)
    }

    pub(crate) fn rule(&self, inst: Inst) -> RuleId {
        self.positions.rule(inst)
    }

    /// The arguments that a rule instance is called with.
    pub(crate) fn args(&self, inst: Inst) -> &Words {
        self.positions.args(inst)
    }

    /// The words of a position within its body; `None` inside a control token spelt in bytes.
    pub(crate) fn words(&self, pos: Pos) -> Option<&Words> {
        self.positions.words(pos)
    }

    /// The exits with which the rule at the bottom of `state` may end here.
    pub(crate) fn exits(&self, state: StateId) -> impl Iterator<Item = Exit> {
        let kernel = self.state(state).kernel.iter();
        kernel
            .filter(|item| item.origin == Origin::BOTTOM)
            .filter_map(|item| self.node(item.pos).exit)
    }

    fn maker(&self) -> MutexGuard<'_, Maker> {
        lock(&self.maker)
    }

    fn make<R>(&self, work: impl FnOnce(&mut Closing<'_, '_>) -> R) -> R {
        let mut maker = self.maker();
        let Maker {
            closer,
            writer,
            kept,
            part,
            ..
        } = &mut *maker;
        let expander = Expander {
            grammar: &self.grammar,
            binding: &self.binding,
            positions: &self.positions,
            writer,
        };
        let mut closing = Closing {
            closer,
            states: &self.states,
            expander,
            began: Cost::default(),
            before: Cost::default(),
        };
        closing.began = closing.cost();
        let result = work(&mut closing);
        self.costs.add(closing.cost().since(closing.began));
        let bytes = closing.bytes() + *kept;
        part.tell(bytes);
        if bytes > self.grammar.limits().machine_bytes / 8 * 7 {
            self.mark.fill();
        }
        result
    }
}

impl Maker {
    /// Keeps `value` for `key` in one of the tables.
    fn keep<K: Eq + Hash, V>(
        &mut self,
        table: impl Fn(&mut Self) -> &mut PartedMap<K, V>,
        key: K,
        value: V,
    ) {
        self.kept += ENTRY * size_of::<(K, V)>();
        table(self).insert(key, value);
    }
}

impl Known {
    fn dismantle(self) -> impl Iterator<Item = ()> + Send {
        let maker = self.maker.into_inner();
        let maker = maker.unwrap_or_else(PoisonError::into_inner);
        let states = self.states.dismantle().chain(self.begun.dismantle());
        let own = maker.controls.into_iter().map(drop);
        let own = own.chain(maker.unrecorded.into_iter().map(drop));
        let own = own.chain(maker.leaves.into_iter().map(drop));
        let of_maker = maker.closer.dismantle().chain(maker.writer.dismantle());
        let positions = self.positions.dismantle();
        states.chain(own).chain(of_maker).chain(positions)
    }
}

/// The same generation for another holder, who has caused no work yet.
impl Clone for Generation {
    fn clone(&self) -> Self {
        Self {
            known: self.known.clone(),
            costs: Costs::default(),
        }
    }
}

impl Deref for Generation {
    type Target = Known;

    fn deref(&self) -> &Known {
        &self.known
    }
}

impl std::fmt::Debug for Generation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Generation")
            .field("states", &self.maker().closer.count())
            .finish_non_exhaustive()
    }
}
