//! Objects that know their members.

use std::sync::Arc;

use super::demand::Demand;
use super::readers::{Compound, Readers};
use super::value::{Sort, Value, next, read_text, returned, write_text};
use crate::base::{ByteSet, RuleId};
use crate::front::json_schema::lower::object::{ObjectBody, Stage};
use crate::front::json_schema::lower::packed::{pack, unpack};
use crate::front::json_schema::shape::Progress;
use crate::front::json_schema::values::LanguageId;
use crate::grammar::{Call, Hints, ImplicitBody, Needed, Node, ReturnTo, Words};

/// What it costs to read a word of what is packed in a position.
const STEPS_PER_WORD: usize = 4;

/// An object set whose members are remembered.
#[derive(Debug)]
pub(crate) struct ObjectReader {
    /// Its keys of no slot are fresh ones.
    pub(crate) inner: ObjectBody,
    /// By class of keys of no slot their language, `None` for all keys.
    pub(crate) classes: Vec<Option<LanguageId>>,
}

/// The body of an object set: an object that meets the demand given as arguments, and is the exit.
///
/// Positions are the number of words of a position of the other body, these words, the key under
/// way, the members, and the demand as far as the members agree with it.
#[derive(Debug)]
pub(crate) struct ObjectMemory {
    pub(crate) reader: Arc<ObjectReader>,
    pub(crate) readers: Arc<Readers>,
}

/// What is remembered.
#[derive(Clone, Debug)]
struct Past {
    /// The key whose value is to come, where it is known.
    key: Option<Box<str>>,
    members: Vec<(Box<str>, Value)>,
    demand: Demand,
}

impl Past {
    fn new(demand: Demand) -> Self {
        Self {
            key: None,
            members: Vec::new(),
            demand,
        }
    }

    fn with(&self, key: &str, value: Value) -> Self {
        let mut members = self.members.clone();
        let demand = self.demand.after_member(key, &value);
        let at = members.partition_point(|(other, _)| **other < *key);
        members.insert(at, (key.into(), value));
        Self {
            key: None,
            members,
            demand,
        }
    }

    fn has(&self, key: &str) -> bool {
        self.members.iter().any(|(other, _)| **other == *key)
    }
}

/// What an object is so far, and the slot that may come next.
type Ahead = (Progress, Past, usize);

impl Compound for ObjectReader {
    fn sort(&self) -> Sort {
        Sort::Object
    }

    fn has(&self, readers: &Readers, demand: &Demand) -> bool {
        self.leads_on(
            readers,
            &self.inner.nothing(),
            &Past::new(demand.clone()),
            0,
        )
    }
}

impl ObjectReader {
    /// Whether an object can be completed that is `past` so far, the slots from `slot` on one after
    /// the other: what can be completed in any order can be so.
    fn leads_on(&self, readers: &Readers, progress: &Progress, past: &Past, slot: usize) -> bool {
        self.one_leads_on(readers, vec![(progress.clone(), past.clone(), slot)])
    }

    /// Whether one of these can be completed. By hand, not by recursion: objects have many members.
    fn one_leads_on(&self, readers: &Readers, mut pending: Vec<Ahead>) -> bool {
        while let Some((progress, past, slot)) = pending.pop() {
            if past.demand.is_none()
                || (self.inner.may_close(&progress) && past.demand.may_end(past.members.len()))
                || self.has_next(readers, &progress, &past, slot, &mut pending)
            {
                return true;
            }
        }
        false
    }

    /// Whether it can be completed with at least one more member.
    fn goes_on(&self, readers: &Readers, progress: &Progress, past: &Past, slot: usize) -> bool {
        let mut pending = Vec::new();
        self.has_next(readers, progress, past, slot, &mut pending)
            || self.one_leads_on(readers, pending)
    }

    /// Whether it surely can be completed with at least one more member; it can, too, if one of those can that
    /// are added to `pending`.
    fn has_next(
        &self,
        readers: &Readers,
        progress: &Progress,
        past: &Past,
        slot: usize,
        pending: &mut Vec<Ahead>,
    ) -> bool {
        if let Demand::Among(values) = &past.demand {
            let mut values = values.iter();
            return values.any(|value| self.completes(readers, progress, past, value));
        }
        let mut slots = slot..self.inner.slots();
        slots.any(|slot| {
            let after = self.inner.after_slot(progress, slot as u32);
            after.is_some_and(|after| {
                self.has_value(readers, &after, past, (slot as u32, slot + 1), pending)
            })
        }) || (0..self.classes.len()).any(|class| {
            self.inner
                .may_have_other(progress, &self.inner.others[class])
                && self.has_fresh_key(class, past)
        })
    }

    /// Whether the members that `value` still has can follow `progress`, at least one, and the object end then.
    fn completes(
        &self,
        readers: &Readers,
        progress: &Progress,
        past: &Past,
        value: &Value,
    ) -> bool {
        let Value::Object(members) = value else {
            return false;
        };
        let left = members.iter().filter(|(key, _)| !past.has(key));
        let mut left: Vec<(Option<u32>, &str, &Value)> = left
            .map(|(key, value)| (self.inner.slot(key), &**key, value))
            .collect();
        left.sort_by_key(|(slot, ..)| slot.unwrap_or(u32::MAX));
        let mut pending = vec![(progress.clone(), 0)];
        while let Some((progress, index)) = pending.pop() {
            let Some(&(slot, key, value)) = left.get(index) else {
                match index > 0 && self.inner.may_close(&progress) {
                    true => return true,
                    false => continue,
                }
            };
            let afters = self.after_member(&progress, slot, key);
            let fitting = afters
                .into_iter()
                .filter(|&(set, _)| readers.contains(set, value));
            pending.extend(fitting.map(|(_, after)| (after, index + 1)));
        }
        false
    }

    /// Which sets the value at `key` may belong to, which is read next, with the progress after each.
    fn after_member(
        &self,
        progress: &Progress,
        slot: Option<u32>,
        key: &str,
    ) -> Vec<(RuleId, Progress)> {
        let Some(slot) = slot else {
            let classes = (0..self.classes.len()).filter(|&class| self.speaks(class, key));
            let others = classes.map(|class| &self.inner.others[class]);
            return others
                .flat_map(|other| self.inner.after_other(progress, other))
                .collect();
        };
        let after = self.inner.after_slot(progress, slot);
        after.map_or_else(Vec::new, |after| {
            self.inner.values(&after, slot).into_iter().collect()
        })
    }

    /// Whether a value of `slot`, whose key is read, leads on, with slots from `next` on.
    fn takes_slot(
        &self,
        readers: &Readers,
        progress: &Progress,
        past: &Past,
        slot: u32,
        next: usize,
    ) -> bool {
        let mut pending = Vec::new();
        self.has_value(readers, progress, past, (slot, next), &mut pending)
            || self.one_leads_on(readers, pending)
    }

    /// As [`Self::has_next`], for a value of `slot`, whose key is read.
    fn has_value(
        &self,
        readers: &Readers,
        progress: &Progress,
        past: &Past,
        (slot, next): (u32, usize),
        pending: &mut Vec<Ahead>,
    ) -> bool {
        let key = self.inner.slot_name(slot);
        let mut values = self.inner.values(progress, slot).into_iter();
        values
            .any(|(set, after)| self.has_member(readers, (set, &after), key, (past, next), pending))
    }

    /// Whether the object can be completed with some value of `set` at `key`, after which the progress
    /// is `after`.
    fn takes(
        &self,
        readers: &Readers,
        value: (RuleId, &Progress),
        key: &str,
        past: &Past,
        slot: usize,
    ) -> bool {
        let mut pending = Vec::new();
        self.has_member(readers, value, key, (past, slot), &mut pending)
            || self.one_leads_on(readers, pending)
    }

    /// As [`Self::has_next`], for some value of `set` at `key`, after which the progress is `after`.
    fn has_member(
        &self,
        readers: &Readers,
        (set, after): (RuleId, &Progress),
        key: &str,
        (past, slot): (&Past, usize),
        pending: &mut Vec<Ahead>,
    ) -> bool {
        let agreeing = past.demand.members(key);
        if may_differ(readers, set, &agreeing, past) {
            return true;
        }
        let fitting = agreeing
            .into_iter()
            .filter(|value| readers.contains(set, value));
        pending.extend(fitting.map(|value| (after.clone(), past.with(key, value), slot)));
        false
    }

    /// What is demanded of a value of `set` at `key`, after which the progress is `after`: of the
    /// values that are agreed with, it has either none of theirs, or one.
    fn demands(
        &self,
        readers: &Readers,
        (set, after): (RuleId, &Progress),
        key: &str,
        past: &Past,
    ) -> Vec<Demand> {
        let agreeing = past.demand.members(key);
        let differs = may_differ(readers, set, &agreeing, past);
        let fits = |value: &&Value| {
            readers.contains(set, value)
                && self.leads_on(readers, after, &past.with(key, (*value).clone()), 0)
        };
        let again: Vec<Value> = agreeing.iter().filter(fits).cloned().collect();
        let besides = differs.then_some(Demand::Besides(agreeing));
        let among = (!again.is_empty()).then_some(Demand::Among(again));
        besides.into_iter().chain(among).collect()
    }

    /// Whether `key` is of a class of keys of no slot.
    fn speaks(&self, class: usize, key: &str) -> bool {
        self.classes[class].is_none_or(|language| self.inner.language(language).contains(key))
    }

    /// Whether the class has a key that neither is there nor is one of the values' agreed with.
    fn has_fresh_key(&self, class: usize, past: &Past) -> bool {
        let Some(language) = self.classes[class] else {
            return true;
        };
        let mut used = past.demand.keys();
        used.extend(past.members.iter().map(|(key, _)| key.clone()));
        let members = self.inner.language(language).dfa.members(used.len());
        members.is_none_or(|members| {
            let is_used = |key: &Vec<u8>| used.iter().any(|used| used.as_bytes() == key);
            !members.iter().all(is_used)
        })
    }

    /// The keys of no slot that the values agreed with have, of one class, where their value leads
    /// on.
    fn keys_again(
        &self,
        readers: &Readers,
        class: usize,
        progress: &Progress,
        past: &Past,
    ) -> Vec<Box<str>> {
        let mut keys = past.demand.keys();
        keys.retain(|key| {
            self.inner.slot(key).is_none()
                && !past.has(key)
                && self.speaks(class, key)
                && self
                    .inner
                    .after_other(progress, &self.inner.others[class])
                    .any(|(set, after)| self.takes(readers, (set, &after), key, past, 0))
        });
        keys
    }
}

/// Whether a value of `set` may be none of those that the values agreed with have.
fn may_differ(readers: &Readers, set: RuleId, agreeing: &[Value], past: &Past) -> bool {
    matches!(past.demand, Demand::Besides(_)) && readers.has_besides(set, agreeing)
}

impl ObjectMemory {
    fn words(inner: &Words, past: &Past) -> Words {
        let mut words = Words::of_texts(inner.texts.clone());
        words.push(inner.len() as u32);
        words.extend_from_slice(inner);
        words.push(u32::from(past.key.is_some()));
        if let Some(key) = &past.key {
            write_text(key, &mut words);
        }
        words.push(past.members.len() as u32);
        for (key, value) in &past.members {
            write_text(key, &mut words);
            value.write(&mut words);
        }
        past.demand.write(&mut words);
        words
    }

    fn read(words: &Words) -> (Words, Past) {
        let (own, mut rest) = words[1..].split_at(words[0] as usize);
        let key = (next(&mut rest) == 1).then(|| read_text(&mut rest));
        let count = next(&mut rest);
        let member = |_| {
            let key = read_text(&mut rest);
            (key, Value::read(&mut rest))
        };
        let members = (0..count).map(member).collect();
        let demand = Demand::read(&mut rest);
        let past = Past {
            key,
            members,
            demand,
        };
        let mut inner = Words::from_slice(own);
        inner.texts = words.texts.clone();
        (inner, past)
    }

    /// Whether a position of the other body is one of this.
    fn is_live(&self, inner: &Words, past: &Past) -> bool {
        let (reader, readers) = (&self.reader, &self.readers);
        let (stage, progress) = reader.inner.stage(inner);
        past.demand.is_none()
            || match stage {
                Stage::Between | Stage::Other(_) => true,
                Stage::End => past.demand.may_end(past.members.len()),
                Stage::More => reader.goes_on(readers, &progress, past, 0),
                Stage::Key(slots) => slots
                    .into_iter()
                    .any(|(slot, after)| reader.takes_slot(readers, &after, past, slot, 0)),
                Stage::Slot(slot) => reader.takes_slot(readers, &progress, past, slot, 0),
            }
    }

    /// The calls that read a key of no slot, made instead of `call`.
    fn key_calls(&self, call: Call<Words>, past: &Past, node: &mut Node<Words>) {
        let (reader, readers) = (&self.reader, &self.readers);
        let ReturnTo::Ask(colon) = &call.to else {
            return;
        };
        let (Stage::Other(class), progress) = reader.inner.stage(colon) else {
            return;
        };
        let class = class as usize;
        let site = ReturnTo::Ask(Self::words(colon, past));
        let spell = |keys: Vec<Box<str>>| -> Vec<Vec<u8>> {
            keys.iter()
                .map(|key| readers.forbidden.spell(key))
                .collect()
        };
        if matches!(past.demand, Demand::Besides(_)) && reader.has_fresh_key(class, past) {
            let demanded = spell(past.demand.keys()).into_iter();
            let in_use = call.args.texts.clone();
            let used = demanded.fold(in_use, |used, key| used.with(&key));
            node.calls.push(Call {
                rule: call.rule,
                args: Words::of_texts(used),
                to: site.clone(),
            });
        }
        let again = spell(reader.keys_again(readers, class, &progress, past));
        if !again.is_empty() {
            node.calls.push(Call {
                rule: readers.texts,
                args: pack(again.iter().map(Vec::as_slice)),
                to: site,
            });
        }
    }

    /// The calls that read the value at `key`, made instead of `call`.
    fn value_calls(
        &self,
        call: &Call<Words>,
        key: Option<&str>,
        past: &Past,
        node: &mut Node<Words>,
    ) {
        let (reader, readers) = (&self.reader, &self.readers);
        let ReturnTo::Position(to) = &call.to else {
            return;
        };
        let site = Past {
            key: key.map(Box::from),
            ..past.clone()
        };
        let site = Self::words(to, &site);
        let (_, after) = reader.inner.stage(to);
        let demands = match key {
            Some(key) => reader.demands(readers, (call.rule, &after), key, past),
            None => vec![Demand::NONE],
        };
        for demand in demands {
            node.calls.push(Call {
                rule: readers.set(call.rule).rule,
                args: demand.to_words(),
                to: ReturnTo::Ask(site.clone()),
            });
        }
    }
}

impl ImplicitBody for ObjectMemory {
    fn start(&self, args: &Words) -> Words {
        let past = Past::new(Demand::read(&mut &**args));
        Self::words(&self.reader.inner.start(&Words::new()), &past)
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        let (inner, past) = Self::read(words);
        let body = &self.reader.inner;
        let mut plain = Node::default();
        body.expand(&inner, &mut plain);
        if plain.exit.is_some() {
            node.exit = Some(Value::Object(past.members).to_words());
            return;
        }
        for edge in plain.edges {
            if self.is_live(&edge.to, &past) {
                node.range(edge.lo, edge.hi, Self::words(&edge.to, &past));
            }
        }
        let (stage, _) = body.stage(&inner);
        for call in plain.calls {
            match stage {
                _ if body.plan.lowered.whitespace.calls(call.rule) => {
                    if let ReturnTo::Position(to) = &call.to {
                        node.call(call.rule, Self::words(to, &past));
                    }
                }
                Stage::Slot(slot) => {
                    self.value_calls(&call, Some(body.slot_name(slot)), &past, node);
                }
                Stage::Other(_) => self.value_calls(&call, past.key.as_deref(), &past, node),
                _ => self.key_calls(call, &past, node),
            }
        }
    }

    fn on_return(&self, site: &Words, callee: RuleId, exit: &[u32]) -> Option<Words> {
        let (inner, mut past) = Self::read(site);
        if let (Stage::Other(_), _) = self.reader.inner.stage(&inner) {
            // A key whose text is not known agrees with none.
            match unpack(exit).first() {
                Some(text) => past.key = Some(Value::of_spelt(text).scalar().into()),
                None => past.demand = Demand::NONE,
            }
            let inner = self.reader.inner.on_return(&inner, callee, exit)?;
            return Some(Self::words(&inner, &past));
        }
        let value = returned(exit)?;
        let past = match past.key.take() {
            Some(key) => past.with(&key, value),
            None => past.with("", Value::Other),
        };
        Some(Self::words(&inner, &past))
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for ObjectMemory {
    fn needs(&self, missing: &ByteSet) -> Option<Needed> {
        self.reader.inner.needs(missing)
    }

    fn gist(&self, words: &Words) -> Option<Words> {
        let (inner, Past { demand, .. }) = Self::read(words);
        let gist = self.reader.inner.hints().gist(&inner);
        Some(Self::words(&gist.unwrap_or(inner), &Past::new(demand)))
    }

    /// What the values demand of a member is read from what they are packed in.
    fn weight(&self, words: &Words) -> usize {
        STEPS_PER_WORD * words.len()
    }
}
