//! Objects: declared properties, in their order or in any, and others anywhere between.

mod describe;
mod onward;
mod plan;
mod position;
mod provenance;
mod stage;

use std::ops::Range;
use std::sync::Arc;

use smallvec::SmallVec;

use super::fresh::{FreshText, TextsInUse};
use super::lead::{Lead, Spaces};
use super::packed;
use super::tag;
use crate::base::{ByteSet, RuleId};
use crate::front::json_schema::config::PropertyOrder;
use crate::front::json_schema::shape::{Choice, ObjectShape, Progress};
use crate::grammar::{
    Call, Hints, ImplicitBody, KeyWriter, Needed, Node, Provenance, Remembering, ReturnTo, Texts,
    Words,
};

use plan::Known;

pub(super) use plan::{Plan, Writable};
pub(super) use position::{At, Phase};
pub(super) use stage::Stage;

/// Slots are few beside so many times as many keys: then they are put in order, where the first of the keys that may come is
/// mostly found at once.
const FEW: usize = 8;

/// An object.
///
/// Positions are a [`Phase`], two words of its own, the [`Progress`], and the keys of no slot so
/// far: they are remembered, so that none comes twice.
#[derive(Debug)]
pub(super) struct ObjectBody {
    pub(super) lead: Lead,
    pub(super) plan: Arc<Plan>,
    /// By class of other keys: the rule of the key, and the rules of its values by choice.
    pub(super) others: Vec<OtherRules>,
}

/// The rules of the keys of no slot, of one class.
#[derive(Debug)]
pub(super) struct OtherRules {
    /// Which of the shape's classes it is.
    pub(super) class: usize,
    /// The rule of `keys`.
    pub(super) key: RuleId,
    pub(super) keys: Arc<FreshText>,
    pub(super) values: SmallVec<[(RuleId, Choice); 1]>,
}

impl ObjectBody {
    pub(super) fn known(&self) -> &Known {
        self.plan.known()
    }

    fn shape(&self) -> &ObjectShape {
        &self.plan.shape
    }

    pub(super) fn order(&self) -> PropertyOrder {
        self.plan.lowered.order
    }

    pub(super) fn words(&self, at: &At) -> Words {
        at.words(self.shape(), self.order())
    }

    /// The position with these words and keys.
    pub(super) fn read_parts(&self, words: &[u32], keys: &Texts) -> At {
        At::read(words, keys, self.shape(), self.order())
    }

    pub(super) fn read(&self, words: &Words) -> At {
        self.read_parts(words, &words.texts)
    }

    /// Whether only the order of the slots and which of them are required matters, and the order is given.
    fn is_in_order(&self) -> bool {
        self.shape().is_plain() && self.order() == PropertyOrder::Declared
    }

    /// Whether `slot`, which can have a value, may come next.
    ///
    /// PERF: asked of every key; [`Self::after_slot`] looks at all slots before its own, and copies what was seen.
    fn may_come(&self, progress: &Progress, slot: u32) -> bool {
        match (self.shape().is_plain(), self.order()) {
            (true, PropertyOrder::Declared) => self.known().ahead(progress.next).contains(&slot),
            (true, PropertyOrder::Any) => !progress.has(slot as usize),
            (false, _) => self.after_slot(progress, slot).is_some(),
        }
    }

    /// The progress after `slot`, if it may come next.
    pub(super) fn after_slot(&self, progress: &Progress, slot: u32) -> Option<Progress> {
        let usable = &self.known().usable;
        self.shape().after_slot(usable, progress, slot as usize)
    }

    /// The rules of the values that `slot` may have, its key being read, and the progress after
    /// each.
    pub(super) fn values(&self, progress: &Progress, slot: u32) -> Vec<(RuleId, Progress)> {
        let choices = self.choices(progress, slot);
        choices
            .map(|(choice, after)| (self.plan.lowered.rule(choice.set), after))
            .collect()
    }

    /// What the value of `slot` may be, its key being read, and the progress after each.
    pub(super) fn choices<'b>(
        &'b self,
        progress: &'b Progress,
        slot: u32,
    ) -> impl Iterator<Item = (Choice, Progress)> + 'b {
        let (shape, usable) = (self.shape(), &self.known().usable);
        let choices = usable.slots[slot as usize].iter();
        choices.filter_map(move |&choice| {
            let after = shape.after_value(usable, progress, choice)?;
            Some((choice, after))
        })
    }

    /// What the value of a key of class `other` may be, and the progress after each.
    pub(super) fn choices_of_other<'b>(
        &'b self,
        progress: &'b Progress,
        other: &'b OtherRules,
    ) -> impl Iterator<Item = (Choice, Progress)> + 'b {
        let (shape, usable) = (self.shape(), &self.known().usable);
        other.values.iter().filter_map(move |&(_, choice)| {
            let after = shape.after_other(usable, progress, other.class, choice)?;
            Some((choice, after))
        })
    }

    /// The values that a key of class `other` may have, and the progress after each.
    pub(super) fn after_other<'b>(
        &'b self,
        progress: &'b Progress,
        other: &'b OtherRules,
    ) -> impl Iterator<Item = (RuleId, Progress)> + 'b {
        let (shape, usable) = (self.shape(), &self.known().usable);
        other.values.iter().filter_map(move |&(rule, choice)| {
            let after = shape.after_other(usable, progress, other.class, choice)?;
            Some((rule, after))
        })
    }

    pub(super) fn may_have_other(&self, progress: &Progress, other: &OtherRules) -> bool {
        self.after_other(progress, other).next().is_some()
    }

    pub(super) fn may_close(&self, progress: &Progress) -> bool {
        let shape = self.shape();
        match shape.is_plain() {
            true => self.missing(progress).is_none(),
            false => shape.may_end(&self.known().usable, progress),
        }
    }

    pub(super) fn may_go_on(&self, progress: &Progress) -> bool {
        let other = |other: &OtherRules| self.may_have_other(progress, other);
        let mut keys = self.possible(progress, self.known().all());
        self.others.iter().any(other) || keys.next().is_some()
    }

    /// How many slots are missing that some object needs, how many others are there, and which clauses
    /// may still hold for what is missing.
    pub(super) fn counts(&self, progress: &Progress) -> SmallVec<[u32; 2]> {
        let lacks = |&slot: &u32| !progress.has(slot as usize);
        let (mut missing, mut others) = (0, 0);
        for (needed, seen) in self.needed(progress).into_iter().zip(&progress.seen) {
            missing += (needed & !seen).count_ones();
            others += (seen & !needed).count_ones();
        }
        let clauses = self.shape().clauses.iter();
        let may_hold = clauses.map(|clause| u32::from(clause.iter().any(lacks)));
        [missing, others].into_iter().chain(may_hold).collect()
    }

    /// Offers white space where it may stand, and tells whether what stands behind it may come.
    fn space(&self, phase: Phase, here: &Words, node: &mut Node<Words>) -> bool {
        let spaces = self.plan.lowered.whitespace;
        match phase {
            Phase::Open | Phase::Comma | Phase::Colon | Phase::OtherColon | Phase::After => {
                spaces.pass(node, here)
            }
            Phase::Value | Phase::OtherValue => spaces.pass_before_value(node, here),
            Phase::Start | Phase::Key | Phase::End => true,
        }
    }

    /// A key: of a slot that may come next, or another one.
    fn any_key(&self, at: &At, node: &mut Node<Words>) {
        // All keys begin with the quote; which ones are left is said by the progress alone.
        let first = self.possible(&at.progress, self.known().all()).next();
        if let Some(first) = first {
            let inside = At {
                phase: Phase::Key,
                which: first,
                depth: 1,
                ..at.clone()
            };
            node.byte(b'"', self.words(&inside));
        }
        for (index, other) in (0..).zip(&self.others) {
            if self.may_have_other(&at.progress, other) {
                let colon = At {
                    phase: Phase::OtherColon,
                    which: index,
                    depth: 0,
                    ..at.clone()
                };
                node.calls.push(Call {
                    rule: other.key,
                    args: Words::of_texts(at.keys.clone()),
                    to: ReturnTo::Ask(self.words(&colon)),
                });
            }
        }
    }

    /// Those `among` the keys whose slots may come next, ascending.
    ///
    /// Where few slots are ahead, those are looked at.
    fn possible(&self, progress: &Progress, among: Range<u32>) -> impl Iterator<Item = u32> {
        let known = self.known();
        let mut of_slots = SmallVec::<[u32; 4]>::new();
        let mut rest = among.clone();
        if let Some(ahead) = self.few_ahead(progress, &among) {
            rest = 0..0;
            let keys = ahead.filter_map(|slot| known.key_of(slot));
            of_slots.extend(keys.filter(|key| among.contains(key)));
            of_slots.sort_unstable();
        }
        let may_come = move |&key: &u32| self.may_come(progress, known.keys[key as usize].1);
        of_slots.into_iter().chain(rest.filter(may_come))
    }

    /// The slots that may come next, if the order is given and they are few beside the keys `among` which theirs are.
    fn few_ahead(&self, progress: &Progress, among: &Range<u32>) -> Option<Range<u32>> {
        if among.len() < FEW || !self.is_in_order() {
            return None;
        }
        let ahead = self.known().ahead(progress.next);
        (ahead.len() < among.len() / FEW).then_some(ahead)
    }

    /// The keys that agree with the one under way.
    fn alike(&self, at: &At) -> Range<u32> {
        let keys = &self.known().keys[at.which as usize..];
        let prefix = &keys[0].0[..at.depth as usize];
        let count = keys.partition_point(|(key, _)| key.starts_with(prefix));
        at.which..at.which + count as u32
    }

    /// Those of them that may come next: how far behind the first of them, the key, and its slot.
    pub(super) fn agreeing<'b>(&'b self, at: &At) -> impl Iterator<Item = (u32, &'b [u8], u32)> {
        let possible = self.possible(&at.progress, self.alike(at));
        possible.map(|index| {
            let (key, slot) = &self.known().keys[index as usize];
            (index - at.which, &**key, *slot)
        })
    }

    /// Goes on with the keys that may come next and agree with the one under way.
    fn key(&self, at: &At, node: &mut Node<Words>) {
        let depth = at.depth as usize;
        let mut possible = self.agreeing(at).peekable();
        while let Some((offset, key, slot)) = possible.next() {
            let byte = key[depth];
            let mut least = slot;
            while let Some((_, _, slot)) = possible.next_if(|(_, other, _)| other[depth] == byte) {
                least = least.min(slot);
            }
            if key.len() == depth + 1 {
                let after = self.after_slot(&at.progress, slot);
                if let Some(after) = after {
                    node.byte(byte, self.words(&at.colon(slot, after)));
                }
                continue;
            }
            let mut to = At {
                which: at.which + offset,
                depth: at.depth + 1,
                ..at.clone()
            };
            // Slots before the first possible one play no part any more.
            if self.is_in_order() {
                to.progress.next = least;
            }
            node.byte(byte, self.words(&to));
        }
    }
}

impl ImplicitBody for ObjectBody {
    fn start(&self, _args: &Words) -> Words {
        Words::from_slice(&[Phase::Start as u32])
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        let at = self.read(words);
        let to = |phase| self.words(&at.then(phase));
        let passed = self.space(at.phase, words, node);
        match at.phase {
            _ if !passed => {}
            Phase::Start => {
                self.lead.edges(node, words);
                node.byte(b'{', to(Phase::Open));
            }
            Phase::Open => {
                if self.may_close(&at.progress) {
                    node.byte(b'}', to(Phase::End));
                }
                self.any_key(&at, node);
            }
            Phase::Comma => self.any_key(&at, node),
            Phase::Key => self.key(&at, node),
            Phase::Colon => node.byte(b':', to(Phase::Value)),
            Phase::Value => {
                for (rule, progress) in self.values(&at.progress, at.which) {
                    node.call(rule, self.words(&at.after(progress)));
                }
            }
            Phase::OtherColon => node.byte(b':', to(Phase::OtherValue)),
            Phase::OtherValue => {
                let other = &self.others[at.which as usize];
                for (rule, progress) in self.after_other(&at.progress, other) {
                    node.call(rule, self.words(&at.after(progress)));
                }
            }
            Phase::After => {
                if self.may_go_on(&at.progress) {
                    node.byte(b',', to(Phase::Comma));
                }
                if self.may_close(&at.progress) {
                    node.byte(b'}', to(Phase::End));
                }
            }
            Phase::End => node.end(),
        }
    }

    fn on_return(&self, site: &Words, _callee: RuleId, exit: &[u32]) -> Option<Words> {
        let mut at = self.read(site);
        at.keys = packed::added(&at.keys, exit);
        Some(self.words(&at))
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for ObjectBody {
    fn needs(&self, missing: &ByteSet) -> Option<Needed> {
        let keys = self.known().keys.iter();
        Needed::by(missing, keys.map(|(key, _)| &**key))
    }

    fn provenance(&self) -> Option<&dyn Provenance> {
        Some(self)
    }

    /// What is left of the keys, by slot.
    fn texts(&self, words: &Words, most: usize) -> SmallVec<[(&[u8], u32); 2]> {
        if words.first().map(|&word| Spaces::plain(word)) != Some(Phase::Key as u32) {
            return SmallVec::new();
        }
        let at = self.read(words);
        let agreeing = self.agreeing(&at).take(most);
        agreeing
            .map(|(_, key, slot)| (&key[at.depth as usize..], slot))
            .collect()
    }

    fn behind(&self, words: &Words, slot: u32) -> Option<Words> {
        let at = self.read(words);
        let after = self.after_slot(&at.progress, slot)?;
        Some(self.words(&at.colon(slot, after)))
    }

    /// Of slots in any order it is enough to know what [`Self::counts`] says.
    fn gist(&self, words: &Words) -> Option<Words> {
        let mut at = self.read(words);
        let is_free = self.order() == PropertyOrder::Any;
        if at.keys.is_empty() && !is_free {
            return None;
        }
        if is_free {
            at.progress.seen = self.counts(&at.progress);
        }
        at.keys = Texts::default();
        let mut gist = self.words(&at);
        gist[0] = words[0];
        Some(gist)
    }

    fn onward(&self, words: &Words) -> Option<u8> {
        self.toward_end(&self.read(words))
    }

    /// A look at each key that agrees, or at each slot that is ahead, tells which may come.
    fn weight(&self, words: &Words) -> usize {
        let at = self.read(words);
        let keys = match at.phase {
            Phase::Open | Phase::Comma | Phase::After => self.known().all(),
            Phase::Key => self.alike(&at),
            _ => 0..0,
        };
        let looked_at = self.few_ahead(&at.progress, &keys).unwrap_or(keys).len();
        (looked_at + 1).saturating_mul(self.shape().parts_per_key())
    }

    fn remembering(&self) -> Option<&dyn Remembering> {
        match self.others.as_slice() {
            [] => None,
            _ => Some(self),
        }
    }

    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        key.word(tag::OBJECT);
        key.word(self.lead as u32);
        self.plan.lowered.whitespace.describe(key);
        key.word(self.order() as u32);
        self.describe_members(key);
        true
    }
}

impl TextsInUse for ObjectBody {
    fn fresh(&self) -> impl Iterator<Item = &FreshText> {
        self.others.iter().map(|other| &*other.keys)
    }
}
