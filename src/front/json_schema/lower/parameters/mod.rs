//! The members of an object as parameters, one by one: the object machine in another spelling.
//!
//! Which member may come next, and when the object may end, is what [`ObjectBody`] says; how a member is written is
//! what a [`ParameterForm`] says. `lowering` makes the rules of the values.

mod around;
mod composite;
mod form;
mod lowering;
mod nested;
mod values;

use rustc_hash::FxHashMap;

use super::fresh::{FreshText, TextsInUse};
use super::object::{At, ObjectBody, Phase};
use super::packed;
use crate::base::{ByteSet, RuleId};
use crate::front::json_schema::config::PropertyOrder;
use crate::front::json_schema::shape::{Choice, Progress};
use crate::front::json_schema::values::SetId;
use crate::grammar::{
    Call, Hints, ImplicitBody, Needed, Node, Remembering, ReturnTo, Texts, Words,
};

pub(crate) use form::{FormNode, FormParts, JsonType, ParameterForm, ValueForm};
use form::{Forms, Part};
pub(crate) use lowering::lower_parameters;
use std::sync::Arc;

/// By form, the rules that a value of a set is written by.
pub(super) type ValueRules = Vec<Vec<RuleId>>;

/// An object as its parameters.
///
/// Positions are a [`Stage`], a node of the form, and those of the object after a member.
#[derive(Debug)]
pub(super) struct ParametersBody {
    pub(super) form: Arc<ParameterForm>,
    pub(super) object: ObjectBody,
    pub(super) values: Arc<FxHashMap<SetId, ValueRules>>,
}

/// Where in the parameters one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Stage {
    /// Before the first one.
    Start,
    /// Within what stands between two, the node being how many of its bytes are read.
    Separator,
    /// In a parameter whose name is still to come.
    Unnamed,
    /// In the name of a slot; the node is where it leads.
    Key,
    /// Behind the name of a slot.
    Slot,
    /// Behind another name.
    Other,
    /// Behind the value.
    Valued,
    /// In the name of a slot that stands behind the value once more; the node is where it leads.
    Again,
}

/// A position, its words taken apart.
#[derive(Clone, Debug)]
struct Spot {
    stage: Stage,
    node: u32,
    at: At,
}

impl Spot {
    fn to(&self, node: u32) -> Self {
        Self {
            node,
            ..self.clone()
        }
    }
}

impl ParametersBody {
    fn words(&self, spot: &Spot) -> Words {
        let mut words = Words::from_slice(&[spot.stage as u32, spot.node]);
        words.extend_from_slice(&self.object.words(&spot.at));
        words.texts = spot.at.keys.clone();
        words
    }

    fn read(&self, words: &Words) -> Spot {
        let stages = [
            Stage::Start,
            Stage::Separator,
            Stage::Unnamed,
            Stage::Key,
            Stage::Slot,
            Stage::Other,
            Stage::Valued,
            Stage::Again,
        ];
        Spot {
            stage: stages[words[0] as usize],
            node: words[1],
            at: self.object.read_parts(&words[2..], &words.texts),
        }
    }

    /// Where nothing has been read.
    fn beginning(&self) -> Spot {
        Spot {
            stage: Stage::Start,
            node: 0,
            at: At {
                phase: Phase::After,
                which: 0,
                depth: 0,
                progress: self.object.nothing(),
                keys: Texts::default(),
            },
        }
    }

    /// The forms that values of a choice can have.
    fn forms(&self, choice: &Choice) -> Forms {
        let rules = self.values.get(&choice.set).into_iter().flatten();
        let has_rules = (0u32..).zip(rules).filter(|(_, rules)| !rules.is_empty());
        has_rules.fold(0, |all, (form, _)| all | 1 << form)
    }

    /// The choices of the value that is still to come, each with the progress after it.
    fn choices(&self, spot: &Spot) -> Vec<(Choice, Progress)> {
        let (at, object) = (&spot.at, &self.object);
        match spot.stage {
            Stage::Slot => object.choices(&at.progress, at.which).collect(),
            Stage::Other => {
                let other = &object.others[at.which as usize];
                object.choices_of_other(&at.progress, other).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether a value can be written from `node` on.
    fn leads_on(&self, spot: &Spot, node: u32) -> bool {
        if self.form.read[node as usize] != Part::Name {
            return true;
        }
        let ahead = self.form.ahead[node as usize];
        let mut choices = self.choices(spot).into_iter();
        choices.any(|(choice, _)| self.forms(&choice) & ahead != 0)
    }

    /// What may come between two parameters, before the first and behind the last.
    fn between(&self, spot: &Spot, node: &mut Node<Words>) {
        let progress = &spot.at.progress;
        if self.object.may_close(progress) {
            node.end();
        }
        if !self.object.may_go_on(progress) {
            return;
        }
        let unnamed = Spot {
            stage: Stage::Unnamed,
            ..spot.to(0)
        };
        match self.form.separator.first() {
            Some(&byte) if spot.stage != Stage::Start => {
                let within = Spot {
                    stage: Stage::Separator,
                    ..spot.to(1)
                };
                node.byte(byte, self.words(&within));
            }
            _ => self.form_node(&unnamed, node),
        }
    }

    fn separator(&self, spot: &Spot, node: &mut Node<Words>) {
        match self.form.separator.get(spot.node as usize) {
            Some(&byte) => node.byte(byte, self.words(&spot.to(spot.node + 1))),
            None => {
                let unnamed = Spot {
                    stage: Stage::Unnamed,
                    ..spot.to(0)
                };
                self.form_node(&unnamed, node);
            }
        }
    }

    /// What the form offers at its node.
    fn form_node(&self, spot: &Spot, node: &mut Node<Words>) {
        let form = &self.form.nodes[spot.node as usize];
        let leads_on = |to: u32| self.leads_on(spot, to);
        for edge in form.edges.iter().filter(|edge| leads_on(edge.to)) {
            node.range(edge.lo, edge.hi, self.words(&spot.to(edge.to)));
        }
        for &(control, to) in form.controls.iter().filter(|(_, to)| leads_on(*to)) {
            node.controls.push((control, self.words(&spot.to(to))));
        }
        for &(rule, to) in form.calls.iter().filter(|(_, to)| leads_on(*to)) {
            node.call(rule, self.words(&spot.to(to)));
        }
        if let Some(to) = form.name {
            self.any_name(&spot.to(to), node);
        }
        if let Some(to) = form.again {
            let again = Spot {
                stage: Stage::Again,
                ..spot.to(to)
            };
            self.again(&again, node);
        }
        for &(form, to) in &form.values {
            self.value(form, &spot.to(to), node);
        }
        if form.ends {
            let mut ended = spot.clone();
            ended.at.which = 0;
            self.between(&ended, node);
        }
    }

    /// A name, behind which one is at the node of `spot`.
    fn any_name(&self, spot: &Spot, node: &mut Node<Words>) {
        if !self.object.known().keys.is_empty() {
            let key = Spot {
                stage: Stage::Key,
                ..spot.clone()
            };
            self.key(&key, node);
        }
        for (index, other) in (0..).zip(&self.object.others) {
            if self.object.may_have_other(&spot.at.progress, other) {
                let mut site = spot.clone();
                site.stage = Stage::Other;
                site.at.which = index;
                node.calls.push(Call {
                    rule: other.key,
                    args: Words::of_texts(spot.at.keys.clone()),
                    to: ReturnTo::Ask(self.words(&site)),
                });
            }
        }
    }

    /// Goes on with the names that may come next and agree with the one under way. One that is complete may be the
    /// beginning of another.
    fn key(&self, spot: &Spot, node: &mut Node<Words>) {
        let depth = spot.at.depth as usize;
        let mut possible = self.object.agreeing(&spot.at).peekable();
        while let Some((offset, key, slot)) = possible.next() {
            let Some(&byte) = key.get(depth) else {
                self.named(spot, slot, node);
                continue;
            };
            let alike = |(_, other, _): &(u32, &[u8], u32)| other[depth] == byte;
            while possible.next_if(alike).is_some() {}
            let mut to = spot.clone();
            to.at.which += offset;
            to.at.depth += 1;
            node.byte(byte, self.words(&to));
        }
    }

    /// What may come behind the whole name of `slot`.
    fn named(&self, spot: &Spot, slot: u32, node: &mut Node<Words>) {
        if let Some(progress) = self.object.after_slot(&spot.at.progress, slot) {
            let named = Spot {
                stage: Stage::Slot,
                node: spot.node,
                at: At {
                    which: slot,
                    depth: 0,
                    progress,
                    ..spot.at.clone()
                },
            };
            self.form_node(&named, node);
        }
    }

    /// Goes on with the name of the slot whose value has been read.
    fn again(&self, spot: &Spot, node: &mut Node<Words>) {
        let name = self.object.slot_name(spot.at.which).as_bytes();
        let mut to = spot.clone();
        match name.get(spot.at.depth as usize) {
            Some(&byte) => {
                to.at.depth += 1;
                node.byte(byte, self.words(&to));
            }
            None => {
                to.stage = Stage::Valued;
                to.at.depth = 0;
                self.form_node(&to, node);
            }
        }
    }

    /// A value of a form, behind which one is at the node of `spot`.
    fn value(&self, form: usize, spot: &Spot, node: &mut Node<Words>) {
        for (choice, progress) in self.choices(spot) {
            let mut valued = Spot {
                stage: Stage::Valued,
                node: spot.node,
                at: spot.at.after(progress),
            };
            if self.form.repeats_names() {
                valued.at.which = spot.at.which;
            }
            let rules = self.values.get(&choice.set);
            for &rule in rules.into_iter().flat_map(|rules| &rules[form]) {
                node.call(rule, self.words(&valued));
            }
        }
    }
}

impl ImplicitBody for ParametersBody {
    fn start(&self, _args: &Words) -> Words {
        self.words(&self.beginning())
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        let spot = self.read(words);
        match spot.stage {
            Stage::Start => self.between(&spot, node),
            Stage::Separator => self.separator(&spot, node),
            Stage::Key => self.key(&spot, node),
            Stage::Again => self.again(&spot, node),
            Stage::Unnamed | Stage::Slot | Stage::Other | Stage::Valued => {
                self.form_node(&spot, node);
            }
        }
    }

    fn on_return(&self, site: &Words, _callee: RuleId, exit: &[u32]) -> Option<Words> {
        let mut spot = self.read(site);
        spot.at.keys = packed::added(&spot.at.keys, exit);
        Some(self.words(&spot))
    }

    fn nullable(&self) -> bool {
        self.object.may_close(&self.object.nothing())
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl TextsInUse for ParametersBody {
    fn fresh(&self) -> impl Iterator<Item = &FreshText> {
        self.object.fresh()
    }
}

impl Hints for ParametersBody {
    fn needs(&self, missing: &ByteSet) -> Option<Needed> {
        self.object.needs(missing)
    }

    fn remembering(&self) -> Option<&dyn Remembering> {
        self.object.hints().remembering().map(|_| self as _)
    }

    /// As of an object in JSON.
    fn gist(&self, words: &Words) -> Option<Words> {
        let mut spot = self.read(words);
        let is_free = self.object.order() == PropertyOrder::Any;
        if spot.at.keys.is_empty() && !is_free {
            return None;
        }
        if is_free {
            spot.at.progress.seen = self.object.counts(&spot.at.progress);
        }
        spot.at.keys = Texts::default();
        Some(self.words(&spot))
    }
}
