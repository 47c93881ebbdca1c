//! A few instances of a schema, for people to look at.

use super::emptiness::{array_has_member, object_has_member};
use super::lower::spell;
use super::model::{Alternatives, Model};
use super::number::Decimal;
use super::number_set::{NumberSet, Spelling};
use super::reader::{Document, Kind, ValueId};
use super::values::{ArraySet, ObjectSet, SetId, StringSet};
use crate::regular::{Dfa, Lengths, StateId};

/// Strings and arrays that must be longer than this have no sample.
const LONGEST: u32 = 10_000;
/// How deep a full sample shows what may be left out.
const DEPTH: u32 = 4;

/// A small instance and a full one, as JSON texts; fewer where they are alike or would be huge.
pub(super) fn samples(model: &Model) -> Vec<String> {
    let mut samples: Vec<String> = Vec::new();
    for depth in [0, DEPTH] {
        let mut text = String::new();
        if (Sampler { model })
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
}

impl Sampler<'_> {
    /// Writes a member of `set` that shows `depth` levels of what may be left out.
    fn value(&self, set: SetId, depth: u32, text: &mut String) -> Option<()> {
        let all = self.model.alternatives(set)?;
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
        let mut objects = all.objects.iter().map(|&id| self.model.object(id));
        if let Some(object) = objects.find(|object| object_has_member(object, known)) {
            return self.object(object, depth, text);
        }
        let mut arrays = all.arrays.iter().map(|&id| self.model.array(id));
        if let Some(array) = arrays.find(|array| array_has_member(array, known)) {
            return self.array(array, depth, text);
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

    fn object(&self, object: &ObjectSet, depth: u32, text: &mut String) -> Option<()> {
        let model = self.model;
        let declared = object.properties.iter().map(|property| property.name);
        let undeclared = object.required.iter().copied();
        let undeclared =
            undeclared.filter(|name| object.properties.iter().all(|other| other.name != *name));
        text.push('{');
        for name in declared.chain(undeclared) {
            let set = object.property(name);
            if !object.required.contains(&name) && (depth == 0 || !model.inhabited(set)) {
                continue;
            }
            if !text.ends_with('{') {
                text.push(',');
            }
            let spelt = model
                .document
                .string(model.sets.names[name.index()])
                .unwrap_or_default();
            text.push_str(&spell(&spelt));
            text.push(':');
            self.value(set, depth.saturating_sub(1), text)?;
        }
        text.push('}');
        Some(())
    }

    fn array(&self, array: &ArraySet, depth: u32, text: &mut String) -> Option<()> {
        let wanted = if depth == 0 {
            0
        } else {
            array.prefix.len().max(1) as u32
        };
        let count = wanted.min(array.most).max(array.least);
        if count > LONGEST {
            return None;
        }
        text.push('[');
        for index in 0..count {
            let item = array.item(index as usize);
            if !self.model.inhabited(item) {
                break;
            }
            if index > 0 {
                text.push(',');
            }
            self.value(item, depth.saturating_sub(1), text)?;
        }
        text.push(']');
        Some(())
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
