//! A few instances of a schema, for people to look at.

use std::cell::Cell;

use super::config::PropertyOrder;
use super::emptiness::{array_has_member, object_has_member};
use super::lower::spell;
use super::model::{Alternatives, Model};
use super::number::Decimal;
use super::number_set::{NumberSet, Spelling};
use super::reader::{Document, Kind, ValueId};
use super::shape::{ObjectShape, Progress, Unique, UniqueItems, Usable};
use super::values::{ArrayId, ObjectId};
use super::values::{LanguageId, SetId, StringSet};
use crate::base::Limits;
use crate::regular::{Dfa, Lengths, StateId};

/// Strings and arrays that must be longer than this have no sample.
const LONGEST: u32 = 10_000;
/// How deep a full sample shows what may be left out.
const DEPTH: u32 = 4;
/// From so many values on, a sample shows no more of what may be left out.
const FULL: usize = 500;
/// A sample of more values is huge.
const HUGE: usize = 10_000;

/// A small instance and a full one, as JSON texts; fewer where they are alike or would be huge.
pub(super) fn samples(model: &Model) -> Vec<String> {
    let mut samples: Vec<String> = Vec::new();
    for depth in [0, DEPTH] {
        let mut text = String::new();
        let values = Cell::new(0);
        if (Sampler { model, values })
            .value(model.root, depth, &mut text)
            .is_some()
            && !samples.contains(&text)
        {
            samples.push(text);
        }
    }
    samples
}

struct Sampler<'m> {
    model: &'m Model,
    /// How many values were begun.
    values: Cell<usize>,
}

impl Sampler<'_> {
    /// Writes a member of `set` that shows `depth` levels of what may be left out.
    fn value(&self, set: SetId, depth: u32, text: &mut String) -> Option<()> {
        let all = self.model.alternatives(set)?;
        let depth = match self.values.replace(self.values.get() + 1) {
            HUGE.. => return None,
            FULL.. => 0,
            _ => depth,
        };
        let rank = self
            .model
            .ranks
            .get(set.index())
            .copied()
            .unwrap_or_default();
        // Parts of lower rank only, so that recursion ends.
        let lower = |part: SetId| {
            let of_part = self
                .model
                .ranks
                .get(part.index())
                .copied()
                .unwrap_or_default();
            (1..rank).contains(&of_part)
        };
        let known = |part: SetId| match depth {
            0 => lower(part),
            _ => self.model.inhabited(part),
        };
        let mut objects = all.objects.iter();
        if let Some(&id) = objects.find(|&&id| object_has_member(self.model, id, known)) {
            return self.object(id, known, depth, text);
        }
        let mut arrays = all.arrays.iter();
        if let Some(&id) = arrays.find(|&&id| array_has_member(self.model, id, known)) {
            return self.array(id, known, depth, text);
        }
        self.scalar(all, text)
    }

    fn scalar(&self, all: &Alternatives, text: &mut String) -> Option<()> {
        if let Some(&literal) = all.literals.first() {
            write_literal(&self.model.document, literal, text);
        } else if let Some(&id) = all.strings.first() {
            text.push_str(&spell(&self.string(self.model.string(id))?));
        } else if let Some(&id) = all.numbers.first() {
            text.push_str(&number(self.model.number(id))?);
        } else {
            let words = [
                (all.truth, "true"),
                (all.falsity, "false"),
                (all.null, "null"),
            ];
            text.push_str(words.into_iter().find(|word| word.0)?.1);
        }
        Some(())
    }

    /// Writes the properties that must be there, and where `depth` is left those that may.
    fn object(
        &self,
        id: ObjectId,
        known: impl Fn(SetId) -> bool,
        depth: u32,
        text: &mut String,
    ) -> Option<()> {
        let shape = self.model.object_shape(id);
        let usable = shape.usable(PropertyOrder::Declared, known);
        let mut progress = shape.start(PropertyOrder::Declared);
        text.push('{');
        for (index, slot) in shape.slots.iter().enumerate() {
            let Some(after) = shape.after_slot(&usable, &progress, index) else {
                continue;
            };
            let skipped = Progress {
                next: index as u32 + 1,
                ..progress.clone()
            };
            let must = slot.required || !shape.is_live(&usable, &skipped);
            if must || depth > 0 {
                let mut choices = usable.slots[index].iter();
                let next = choices.find_map(|&choice| {
                    Some((choice.set, shape.after_value(&usable, &after, choice)?))
                });
                let (set, after) = next?;
                let name = self.model.sets.name_text(slot.name);
                self.member(name, set, depth, text)?;
                progress = after;
            }
        }
        let mut others: Vec<String> = Vec::new();
        while !shape.may_end(&usable, &progress) {
            let (key, set, after) = self.other(shape, &usable, &progress, &others)?;
            self.member(&key, set, depth, text)?;
            others.push(key);
            progress = after;
        }
        text.push('}');
        Some(())
    }

    /// A key of no slot that the object still needs, besides `others`, and its value's set.
    fn other(
        &self,
        shape: &ObjectShape,
        usable: &Usable,
        progress: &Progress,
        others: &[String],
    ) -> Option<(String, SetId, Progress)> {
        for (class, choices) in usable.others.iter().enumerate() {
            for &choice in choices.iter().rev() {
                let after = shape.after_other(usable, progress, class, choice);
                let leads_on =
                    |after: &Progress| (after.met, after.count) != (progress.met, progress.count);
                let Some(after) = after.filter(leads_on) else {
                    continue;
                };
                let key = match shape.others[class].keys {
                    None => {
                        let slots = shape.slots.iter();
                        let mut names = slots.map(|slot| self.model.sets.name_text(slot.name));
                        let longest = names.by_ref().map(str::len).max().unwrap_or_default();
                        format!("{}{}", "x".repeat(longest), others.len())
                    }
                    Some(keys) => self.key_besides(keys, others)?,
                };
                return Some((key, choice.set, after));
            }
        }
        None
    }

    /// A key of a language that is none of `others`.
    fn key_besides(&self, keys: LanguageId, others: &[String]) -> Option<String> {
        let limits = Limits::default();
        let others = Dfa::literals(others.iter().map(String::as_bytes), &limits).ok()?;
        let left = &self.model.language(keys).dfa;
        let left = left.difference(&others, &limits).ok()?;
        String::from_utf8(left.witness()?).ok()
    }

    fn member(&self, name: &str, set: SetId, depth: u32, text: &mut String) -> Option<()> {
        if !text.ends_with('{') {
            text.push(',');
        }
        text.push_str(&spell(name));
        text.push(':');
        self.value(set, depth.saturating_sub(1), text)
    }

    fn array(
        &self,
        id: ArrayId,
        known: impl Fn(SetId) -> bool,
        depth: u32,
        text: &mut String,
    ) -> Option<()> {
        let (set, shape) = (self.model.array(id), self.model.array_shape(id));
        if let Some(Unique::Scalars(items)) = &shape.unique {
            let items = self.distinct(items, set.least.max(depth.min(1)).min(set.most))?;
            text.push_str(&format!("[{}]", items.join(",")));
            return Some(());
        }
        if let Some(Unique::Repeated) = &shape.unique {
            if set.least > LONGEST {
                return None;
            }
            let mut item = String::new();
            self.value(set.rest, depth.saturating_sub(1), &mut item)?;
            let items = vec![item; set.least as usize];
            text.push_str(&format!("[{}]", items.join(",")));
            return Some(());
        }
        let live = shape.live(set, &known);
        let mut progress = shape.start();
        let wanted = if depth == 0 {
            0
        } else {
            set.prefix.len().max(1)
        };
        let mut items: Vec<String> = Vec::new();
        for number in 0.. {
            if shape.may_end(set, &progress) && number >= wanted {
                break;
            }
            if number > LONGEST as usize {
                return None;
            }
            let choices = shape.choices(set, &progress);
            let next = choices.iter().rev().find_map(|&choice| {
                let after = shape.after(set, &progress, choice)?;
                let possible = known(choice.set) && shape.is_live(&live, &after);
                possible.then_some((choice.set, after))
            });
            let Some((item, after)) = next else { break };
            let mut next = String::new();
            self.value(item, depth.saturating_sub(1), &mut next)?;
            if shape.unique.is_some() && items.contains(&next) {
                break;
            }
            items.push(next);
            progress = after;
        }
        text.push_str(&format!("[{}]", items.join(",")));
        shape.may_end(set, &progress).then_some(())
    }

    /// So many distinct items, fewer where there are no more.
    fn distinct(&self, items: &UniqueItems, count: u32) -> Option<Vec<String>> {
        let mut found: Vec<String> = Vec::new();
        for &value in items.texts.iter().chain(&items.values) {
            let mut text = String::new();
            write_literal(&self.model.document, value, &mut text);
            found.push(text);
        }
        let words = ["null", "false", "true"].into_iter().zip(items.words);
        found.extend(words.filter(|word| word.1).map(|word| word.0.to_owned()));
        for id in &items.strings {
            let set = self.model.string(*id);
            for more in 0..count {
                let least = set.least.saturating_add(more);
                let longer = (least <= set.most).then(|| self.string(&StringSet { least, ..*set }));
                let Some(Some(text)) = longer else { break };
                let text = spell(&text);
                if !found.contains(&text) {
                    found.push(text);
                }
            }
        }
        found.truncate(count as usize);
        (found.len() as u32 == count).then_some(found)
    }

    fn string(&self, set: &StringSet) -> Option<String> {
        let Some(language) = set.language.map(|id| self.model.language(id)) else {
            return (set.least <= LONGEST).then(|| "a".repeat(set.least as usize));
        };
        let bytes = match &language.lengths {
            Some(lengths) if set.is_bounded() => of_length(&language.dfa, lengths, set.least)?,
            _ => language.dfa.witness()?,
        };
        String::from_utf8(bytes).ok()
    }
}

/// Writes a value of the schema's document as the grammar spells it.
fn write_literal(document: &Document, value: ValueId, text: &mut String) {
    match document.kind(value) {
        Kind::PlainString | Kind::EscapedString => {
            text.push_str(&spell(&document.string(value).unwrap_or_default()));
        }
        Kind::Array => {
            text.push('[');
            for (index, element) in document.elements(value).enumerate() {
                text.push_str(if index > 0 { "," } else { "" });
                write_literal(document, element, text);
            }
            text.push(']');
        }
        Kind::Object => {
            text.push('{');
            for (index, (key, member)) in document.members(value).enumerate() {
                text.push_str(if index > 0 { "," } else { "" });
                write_literal(document, key, text);
                text.push(':');
                write_literal(document, member, text);
            }
            text.push('}');
        }
        Kind::Number => {
            let raw = document.raw(value);
            let integer = Decimal::parse(raw).to_integer_text();
            text.push_str(integer.as_deref().unwrap_or(raw));
        }
        _ => text.push_str(document.raw(value)),
    }
}

/// The first of the shortest strings of at least so many code points.
fn of_length(dfa: &Dfa, lengths: &Lengths, least: u32) -> Option<Vec<u8>> {
    let mut left = lengths.shortest(dfa.start(), u64::from(least))?;
    if left > u64::from(LONGEST) {
        return None;
    }
    let (mut state, mut bytes) = (dfa.start(), Vec::new());
    while left > 0 {
        left -= 1;
        let ends = |state: StateId| lengths.can_finish(state, left, Some(left));
        state = character(dfa, state, 0, &ends, &mut bytes)?;
    }
    Some(bytes)
}

/// Appends a character that leads to a state in which `ends` holds.
fn character(
    dfa: &Dfa,
    state: StateId,
    missing: u32,
    ends: &impl Fn(StateId) -> bool,
    bytes: &mut Vec<u8>,
) -> Option<StateId> {
    for (lo, _, next) in dfa.ranges(state) {
        // How many bytes a character has is said by its first one.
        let missing = match lo {
            _ if missing > 0 => missing - 1,
            0x00..=0x7F => 0,
            0xC0..=0xDF => 1,
            0xE0..=0xEF => 2,
            _ => 3,
        };
        bytes.push(lo);
        if missing == 0 && ends(next) {
            return Some(next);
        }
        let further = (missing > 0).then(|| character(dfa, next, missing, ends, bytes));
        if let Some(end) = further.flatten() {
            return Some(end);
        }
        bytes.pop();
    }
    None
}

/// A member with few digits.
pub(super) fn number(set: &NumberSet) -> Option<String> {
    /// Bounds may have so many digits, and doubles so many places.
    const PLACES: i64 = 800;
    let written = set.written()?;
    let zero = Decimal::default();
    let near = |bound: &Decimal, above: bool, places: i64| {
        let mut member = bound.clone();
        member.point += places;
        member = if above {
            member.ceiling()
        } else {
            member.floor()
        };
        member.point -= places;
        member
    };
    // Bounds are members; so is what is next to zero, where nothing is on its side.
    let next = written.grid.iter().flat_map(|grid| {
        let around = [grid.ceiling(&zero, true), grid.floor(&zero, true)];
        let bounds = [written.least.clone(), written.most.clone()];
        around.into_iter().chain(bounds).flatten()
    });
    let rounded = (0..PLACES).flat_map(|places| {
        let above = written
            .least
            .iter()
            .map(move |least| near(least, true, places));
        let below = written
            .most
            .iter()
            .map(move |most| near(most, false, places));
        above.chain(below)
    });
    let spelt = |value: Decimal| {
        let mut text = value.to_text()?;
        if written.spelling == Spelling::Other {
            text.push_str(".0");
        }
        Some(text)
    };
    std::iter::once(zero.clone())
        .chain(next)
        .chain(rounded)
        .filter_map(spelt)
        .find(|text| set.contains(text))
}
