//! Positions in rule bodies, made when first visited.

use std::sync::OnceLock;

use super::binding::{Binding, ControlBinding};
use super::node::{Beyond, Edges, Exit, Inst, Pos, PosCall, PosNode};
use super::writer::Writer;
use crate::base::{ByteSet, ControlId, ENTRY, Ids, RuleId, Store};
use crate::grammar::{
    Body, Call, Edge, Ends, Grammar, Memory, Node, Reading, Remembering, ReturnTo, Words,
};

/// What identifies a position.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Body(Inst, Words),
    /// Inside a control token that is spelt in bytes: bytes done, and where it leads.
    Spelling(ControlId, u32, Pos),
}

impl Key {
    /// How many bytes it takes beyond its own.
    fn bytes(&self) -> usize {
        match self {
            Self::Body(_, words) => words.bytes(),
            Self::Spelling(..) => 0,
        }
    }
}

pub(super) struct PosEntry {
    pos: Pos,
    pub(super) inst: Inst,
    pub(super) key: Key,
    node: OnceLock<PosNode>,
}

/// Whether steps record what a body may remember.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recall {
    /// As the language is.
    Full,
    /// As masks are computed ([`Remembering`]).
    Nothing,
}

pub(super) struct InstEntry {
    pub(super) rule: RuleId,
    pub(super) args: Words,
    start: OnceLock<Pos>,
}

/// The positions, rule instances and exits seen so far. Reads take no lock; the interning tables
/// are the writer's ([`Writer`]).
pub(super) struct Positions {
    positions: Store<PosEntry>,
    instances: Store<InstEntry>,
    exits: Store<Words>,
}

/// What a new position costs; what it costs to make what one offers, and what each edge, call and part of its body that is
/// looked at does.
const STEPS_PER_POSITION: usize = 16;
const STEPS_PER_NODE: usize = 48;
const STEPS_PER_PART: usize = 2;
/// Bodies that record look at what they have recorded again and again.
const PARTS_PER_WORD: usize = 8;

/// Takes the edges for `missing` bytes away.
fn leave_out(missing: &ByteSet, node: &mut Node<Words>) {
    for Edge { lo, hi, to } in std::mem::take(&mut node.edges) {
        let left = ByteSet::range(lo, hi).without(missing);
        for (lo, hi) in left.ranges() {
            node.range(lo, hi, to.clone());
        }
    }
}

const WRITTEN: &str = "an id is handed out after its slot is written";

impl Positions {
    pub(super) fn new() -> Self {
        Self {
            positions: Store::new(),
            instances: Store::new(),
            exits: Store::new(),
        }
    }

    /// All that is known, to be dropped one by one.
    pub(super) fn dismantle(self) -> impl Iterator<Item = ()> + Send {
        let positions = self.positions.dismantle();
        let positions = positions.chain(self.instances.dismantle());
        positions.chain(self.exits.dismantle())
    }

    pub(super) fn entry(&self, pos: Pos) -> &PosEntry {
        self.positions.get(pos.get()).expect(WRITTEN)
    }

    pub(super) fn instance(&self, inst: Inst) -> &InstEntry {
        self.instances.get(inst.get()).expect(WRITTEN)
    }

    /// About how many bytes `pos` takes.
    pub(super) fn bytes(&self, pos: Pos) -> usize {
        let entry = self.entry(pos);
        let node = entry.node.get().map_or(0, PosNode::bytes);
        entry.key.bytes() + node + ENTRY * size_of::<PosEntry>()
    }

    /// The rule instance whose body `pos` is in.
    pub(crate) fn inst(&self, pos: Pos) -> Inst {
        self.entry(pos).inst
    }

    pub(crate) fn rule(&self, inst: Inst) -> RuleId {
        self.instance(inst).rule
    }

    /// The words of `pos` within its body; `None` inside a spelt control token.
    pub(crate) fn words(&self, pos: Pos) -> Option<&Words> {
        match &self.entry(pos).key {
            Key::Body(_, words) => Some(words),
            Key::Spelling(..) => None,
        }
    }

    pub(crate) fn args(&self, inst: Inst) -> &Words {
        &self.instance(inst).args
    }

    /// What `pos` offers, if it was visited.
    pub(super) fn node(&self, pos: Pos) -> Option<&PosNode> {
        self.entry(pos).node.get()
    }

    /// What a position that some state holds offers.
    pub(super) fn visited(&self, pos: Pos) -> &PosNode {
        self.node(pos)
            .expect("items are visited before a state holds them")
    }

    /// The words of an exit.
    pub(super) fn exit(&self, exit: Exit) -> Words {
        self.exits.get(exit.get()).cloned().unwrap_or_default()
    }
}

/// Positions with everything needed to make new ones.
pub(super) struct Expander<'a> {
    pub(super) grammar: &'a Grammar,
    pub(super) binding: &'a Binding,
    pub(super) positions: &'a Positions,
    pub(super) writer: &'a mut Writer,
}

impl<'a> Expander<'a> {
    pub(super) fn instance(&mut self, rule: RuleId, args: &Words) -> Inst {
        let hash = Ids::hash(&(rule, args));
        let table = &self.positions.instances;
        let same = |id| {
            table
                .get(id)
                .is_some_and(|e| e.rule == rule && e.args == *args)
        };
        if let Some(id) = self.writer.instance_ids.find(hash, same) {
            return Inst::new(id);
        }
        let id = self.writer.instance_count;
        self.writer.instance_count += 1;
        self.writer.bytes += args.bytes() + ENTRY * size_of::<InstEntry>();
        self.writer.count(&args.texts);
        table.set(
            id,
            InstEntry {
                rule,
                args: args.clone(),
                start: OnceLock::new(),
            },
        );
        self.writer.instance_ids.insert(hash, id);
        Inst::new(id)
    }

    pub(super) fn exit(&mut self, words: &[u32]) -> Exit {
        if words.is_empty() {
            return Exit::PLAIN;
        }
        let hash = Ids::hash(words);
        let table = &self.positions.exits;
        if let Some(id) = self
            .writer
            .exit_ids
            .find(hash, |id| table.get(id).is_some_and(|w| w[..] == *words))
        {
            return Exit::new(id);
        }
        self.writer.exit_count += 1;
        let id = self.writer.exit_count;
        self.writer.bytes += size_of_val(words) + ENTRY * size_of::<Words>();
        table.set(id, words.into());
        self.writer.exit_ids.insert(hash, id);
        Exit::new(id)
    }

    fn remembering(&self, rule: RuleId) -> Option<&'a dyn Remembering> {
        self.grammar.rule(rule).body().hints().remembering()
    }

    pub(super) fn position(&mut self, inst: Inst, words: Words) -> Pos {
        self.intern(inst, Key::Body(inst, words))
    }

    /// The same rule instance, with nothing remembered.
    pub(super) fn forgetful(&mut self, inst: Inst) -> Inst {
        let entry = self.positions.instance(inst);
        match self.remembering(entry.rule) {
            Some(body) if !entry.args.is_empty() => {
                self.instance(entry.rule, &body.forget_args(&entry.args))
            }
            _ => inst,
        }
    }

    /// The same position, with nothing remembered.
    pub(super) fn forget(&mut self, pos: Pos) -> Pos {
        let entry = self.positions.entry(pos);
        let Some(body) = self.remembering(self.positions.instance(entry.inst).rule) else {
            return pos;
        };
        match &entry.key {
            Key::Body(inst, words) => {
                let forgotten = body.forget(words);
                match self.forgetful(*inst) {
                    same if same == *inst && forgotten == *words => pos,
                    inst => self.position(inst, forgotten),
                }
            }
            Key::Spelling(control, done, target) => {
                let target = self.forget(*target);
                let inst = self.positions.inst(target);
                self.intern(inst, Key::Spelling(*control, *done, target))
            }
        }
    }

    /// What of `pos` tells how far the end is ([`Hints::gist`](crate::grammar::Hints::gist)): not what is recorded, unless the body
    /// says so.
    pub(super) fn gist(&mut self, pos: Pos) -> Option<Words> {
        if let Some(own) = self.own_gist(pos) {
            return Some(own);
        }
        let node = self.node(pos);
        let Reading::Recording { carried } = node.reading else {
            return None;
        };
        let ends = node.exit.is_some();
        let words = self.positions.words(pos)?;
        let mut gist: Words = words[..words.len() - carried as usize].into();
        // A text may end where others like it must not.
        gist.push(ends.into());
        Some(gist)
    }

    /// What the body of `pos` says of it.
    fn own_gist(&self, pos: Pos) -> Option<Words> {
        let Key::Body(inst, words) = &self.positions.entry(pos).key else {
            return None;
        };
        let rule = self.grammar.rule(self.positions.rule(*inst));
        rule.body().hints().gist(words)
    }

    /// The byte that a shortest way to the end of the rule goes on with at `pos`
    /// ([`Hints::onward`](crate::grammar::Hints::onward)).
    pub(super) fn onward(&mut self, pos: Pos) -> Option<u8> {
        let node = self.node(pos);
        let Key::Body(inst, words) = &self.positions.entry(pos).key else {
            return None;
        };
        let rule = self.grammar.rule(self.positions.rule(*inst));
        let byte = rule.body().hints().onward(words)?;
        node.edges_on(byte).next().map(|_| byte)
    }

    /// How many parts of its body were looked at to visit `pos` ([`Hints::weight`](crate::grammar::Hints::weight)).
    pub(super) fn weight(&self, pos: Pos) -> usize {
        match &self.positions.entry(pos).key {
            Key::Body(inst, words) => {
                let rule = self.grammar.rule(self.positions.rule(*inst));
                rule.body()
                    .hints()
                    .weight(words)
                    .saturating_add(PARTS_PER_WORD * words.len())
            }
            _ => 1,
        }
    }

    /// What `pos` remembers, if its body does.
    pub(super) fn memory(&self, pos: Pos) -> Option<Memory> {
        let entry = self.positions.entry(pos);
        let Key::Body(inst, words) = &entry.key else {
            return None;
        };
        let body = self.remembering(self.positions.instance(*inst).rule)?;
        Some(body.memory(words))
    }

    /// Where an edge of `from` to `to` leads that was taken for `byte`.
    pub(super) fn target(&mut self, (from, to): (Pos, Pos), byte: u8, recall: Recall) -> Pos {
        let reading = self.node(from).reading;
        let (from, onto) = (self.positions.entry(from), self.positions.entry(to));
        match (reading, &from.key, &onto.key) {
            (Reading::Recording { carried }, Key::Body(_, read), Key::Body(inst, words)) => {
                let carried = &read[read.len() - carried as usize..];
                let mut recorded = Words::with_capacity(words.len() + carried.len() + 1);
                recorded.extend_from_slice(words);
                recorded.texts = words.texts.clone();
                recorded.extend_from_slice(carried);
                recorded.push(u32::from(byte));
                // The rule instance stays, since its callers do.
                let body = self.remembering(self.positions.instance(*inst).rule);
                let words = match (recall, body) {
                    (Recall::Nothing, Some(body)) => body.forget(&recorded),
                    _ => recorded,
                };
                self.position(*inst, words)
            }
            _ => to,
        }
    }

    pub(super) fn intern(&mut self, inst: Inst, key: Key) -> Pos {
        let hash = Ids::hash(&key);
        let table = &self.positions.positions;
        if let Some(id) = self
            .writer
            .position_ids
            .find(hash, |id| table.get(id).is_some_and(|e| e.key == key))
        {
            return Pos::new(id);
        }
        let id = self.writer.position_count;
        self.writer.position_count += 1;
        self.writer.add_work(STEPS_PER_POSITION);
        self.writer.bytes += key.bytes() + ENTRY * size_of::<PosEntry>();
        if let Key::Body(_, words) = &key {
            self.writer.count(&words.texts);
        }
        table.set(
            id,
            PosEntry {
                pos: Pos::new(id),
                inst,
                key,
                node: OnceLock::new(),
            },
        );
        self.writer.position_ids.insert(hash, id);
        Pos::new(id)
    }

    pub(super) fn start(&mut self, inst: Inst) -> Pos {
        let entry = self.positions.instance(inst);
        if let Some(&pos) = entry.start.get() {
            return pos;
        }
        let words = match self.grammar.rule(entry.rule).body() {
            Body::Automaton(_) => [0].as_slice().into(),
            Body::Implicit(body) => body.start(&entry.args),
        };
        let pos = self.position(inst, words);
        *entry.start.get_or_init(|| pos)
    }

    pub(super) fn node(&mut self, pos: Pos) -> &'a PosNode {
        let entry = self.positions.entry(pos);
        if let Some(node) = entry.node.get() {
            return node;
        }
        let node = self.make_node(entry);
        self.writer.bytes += node.bytes();
        let parts = node.edges.len() + node.calls().len() + self.weight(pos);
        self.writer
            .add_work(STEPS_PER_NODE + STEPS_PER_PART.saturating_mul(parts));
        entry.node.get_or_init(|| node)
    }

    fn make_node(&mut self, entry: &'a PosEntry) -> PosNode {
        let inst = entry.inst;
        match &entry.key {
            Key::Spelling(control, done, target) => {
                self.spelling_node(inst, *control, *done, *target)
            }
            Key::Body(_, words) => {
                let rule = self.grammar.rule(self.positions.instance(inst).rule);
                match rule.body() {
                    Body::Automaton(automaton) => {
                        let node = &automaton.nodes[words[0] as usize];
                        self.convert(inst, node, |&index| [index].as_slice().into())
                    }
                    Body::Implicit(body) => {
                        let mut node = std::mem::take(&mut self.writer.scratch);
                        body.expand(words, &mut node);
                        if !self.binding.missing().is_empty() {
                            leave_out(self.binding.missing(), &mut node);
                        }
                        let converted = self.convert(inst, &node, Words::clone);
                        node.edges.clear();
                        node.controls.clear();
                        node.calls.clear();
                        node.exit = None;
                        node.reading = Reading::Passing;
                        self.writer.scratch = node;
                        converted
                    }
                }
            }
        }
    }

    fn convert<T: PartialEq>(
        &mut self,
        inst: Inst,
        node: &Node<T>,
        words: impl Fn(&T) -> Words,
    ) -> PosNode {
        let mut edges = Edges::with_capacity(node.edges.len());
        let mut last: Option<(&T, Pos)> = None;
        for Edge { lo, hi, to: onto } in &node.edges {
            let to = match last {
                Some((same, pos)) if same == onto => pos,
                _ => self.position(inst, words(onto)),
            };
            last = Some((onto, to));
            edges.push(Edge {
                lo: *lo,
                hi: *hi,
                to,
            });
        }
        let mut controls = Vec::new();
        for (control, to) in &node.controls {
            let to = self.position(inst, words(to));
            match self.binding.control(*control) {
                ControlBinding::Bytes(_) => self.spell(inst, *control, 0, to, &mut edges),
                _ => controls.push((*control, to)),
            }
        }
        let calls = node
            .calls
            .iter()
            .map(|call| self.call(inst, call, &words))
            .collect();
        let exit = node.exit.as_ref().map(|exit| self.exit(exit));
        PosNode {
            edges,
            beyond: Beyond::new(controls, calls),
            exit,
            reading: node.reading,
        }
    }

    fn call<T>(&mut self, inst: Inst, call: &Call<T>, words: &impl Fn(&T) -> Words) -> PosCall {
        let callee = self.instance(call.rule, &call.args);
        let (site, ask) = match &call.to {
            ReturnTo::Position(to) => (to, false),
            ReturnTo::Ask(site) => (site, true),
        };
        PosCall {
            callee,
            site: self.position(inst, words(site)),
            ask,
        }
    }

    /// Adds the edge for byte `done` of a control token that is spelt in bytes.
    fn spell(&mut self, inst: Inst, control: ControlId, done: u32, target: Pos, edges: &mut Edges) {
        let ControlBinding::Bytes(spelling) = self.binding.control(control) else {
            return;
        };
        let Some(&byte) = spelling.get(done as usize) else {
            return;
        };
        let to = match done as usize + 1 == spelling.len() {
            true => target,
            false => self.intern(inst, Key::Spelling(control, done + 1, target)),
        };
        edges.push(Edge {
            lo: byte,
            hi: byte,
            to,
        });
    }

    fn spelling_node(&mut self, inst: Inst, control: ControlId, done: u32, target: Pos) -> PosNode {
        let mut edges = Edges::new();
        self.spell(inst, control, done, target, &mut edges);
        PosNode {
            edges,
            beyond: None,
            exit: None,
            reading: Reading::Passing,
        }
    }

    /// Whether nothing can happen at `pos` but steps within its body.
    pub(super) fn only_reads(&mut self, pos: Pos) -> bool {
        let simpler = match self.positions.node(pos) {
            Some(_) => None,
            None => self.shadowed(pos),
        };
        let node = self.node(simpler.unwrap_or(pos));
        node.beyond.is_none() && node.exit.is_none() && !node.edges.is_empty()
    }

    /// The position that `pos` shadows, if it does: whatever happens here can happen there, too.
    fn shadowed(&mut self, pos: Pos) -> Option<Pos> {
        let Key::Body(inst, words) = &self.positions.entry(pos).key else {
            return None;
        };
        let rule = self.grammar.rule(self.positions.rule(*inst));
        let shadow = rule.body().hints().shadow(words)?;
        let inst = self.instance(shadow.rule, &Words::new());
        (shadow.ends != Ends::Fewer).then(|| self.position(inst, shadow.state))
    }

    /// `pos`, and every position of its body reached from it by calls to rules that may be empty.
    pub(super) fn skip(&mut self, pos: Pos) -> &'a [Pos] {
        let entry = self.positions.entry(pos);
        let alone = std::slice::from_ref(&entry.pos);
        let Some(beyond) = &self.node(pos).beyond else {
            return alone;
        };
        if let Some(skip) = beyond.skip.get() {
            return skip;
        }
        let mut calls = beyond.calls.iter();
        if !calls.any(|call| self.is_nullable(call.callee)) {
            return alone;
        }
        let mut reached = vec![pos];
        let mut next = 0;
        while next < reached.len() {
            for call in self.node(reached[next]).calls() {
                if !self.is_nullable(call.callee) {
                    continue;
                }
                let to = match call.ask {
                    false => Some(call.site),
                    true => self.on_return(call.site, call.callee, Exit::PLAIN),
                };
                if let Some(to) = to.filter(|to| !reached.contains(to)) {
                    reached.push(to);
                }
            }
            next += 1;
        }
        beyond.skip.get_or_init(|| reached.into())
    }

    fn is_nullable(&self, inst: Inst) -> bool {
        let rule = self.positions.rule(inst);
        self.grammar.rule(rule).nullable()
    }

    /// Where the body of `site` goes on after `callee` has ended with `exit`.
    pub(super) fn on_return(&mut self, site: Pos, callee: Inst, exit: Exit) -> Option<Pos> {
        let entry = self.positions.entry(site);
        let Key::Body(inst, words) = &entry.key else {
            return Some(site);
        };
        let Body::Implicit(body) = self
            .grammar
            .rule(self.positions.instance(*inst).rule)
            .body()
        else {
            return Some(site);
        };
        let exit = self.positions.exit(exit);
        let words = body.on_return(words, self.positions.instance(callee).rule, &exit)?;
        Some(self.position(*inst, words))
    }
}
