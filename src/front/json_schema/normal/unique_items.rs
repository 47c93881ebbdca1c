//! Items of arrays in which no two are equal: how to tell them apart, and how many there are.

use super::Normaliser;
use crate::front::json_schema::number::Decimal;
use crate::front::json_schema::number_set::{Integrality, NumberSet};
use crate::front::json_schema::reader::{Kind, ValueId};
use crate::front::json_schema::shape::UniqueItems;
use crate::front::json_schema::values::{ArraySet, Repeats, StringId};
use crate::front::json_schema::{SchemaError, pointer};

/// Languages of more strings than this are not exhausted by any array.
const COUNTED: usize = 1024;

impl Normaliser<'_> {
    /// The items of the arrays of `set`; `None` where they may be equal.
    pub(super) fn unique_items(
        &mut self,
        set: &ArraySet,
    ) -> Result<Option<UniqueItems>, SchemaError> {
        let item = self.model.sets.origin(set.rest);
        let refuse = |this: &Self, reason| {
            // The keyword stands beside that for the items, or in the schema that says nothing of them.
            let document = &this.model.document;
            let places = [Some(item), document.parent(item)];
            let mut places = places.into_iter().flatten();
            let keyword = places.find_map(|place| document.get(place, "uniqueItems"));
            let pointer = pointer::of(document, keyword.unwrap_or(item));
            SchemaError::unsupported("uniqueItems", pointer, reason)
        };
        match set.repeats {
            Repeats::Any => return Ok(None),
            Repeats::Some => return Err(refuse(self, "it stands under `not`")),
            Repeats::None if !set.prefix.is_empty() || !set.counts.is_empty() => {
                return Err(refuse(
                    self,
                    "items are told apart only where all of them belong to one schema",
                ));
            }
            Repeats::None => {}
        }
        let all = self.normalise(set.rest)?;
        let compound = |value: &ValueId| {
            let kind = self.model.document.kind(*value);
            matches!(kind, Kind::Array | Kind::Object)
        };
        if !all.arrays.is_empty() || !all.objects.is_empty() || all.literals.iter().any(compound) {
            return Err(refuse(
                self,
                "arrays and objects cannot be told apart; say what scalars the items are",
            ));
        }
        let mut items = UniqueItems {
            strings: all.strings.clone(),
            words: [all.null, all.falsity, all.truth],
            ..UniqueItems::default()
        };
        let document = &self.model.document;
        for &value in &all.literals {
            match document.kind(value) {
                Kind::Number => items.values.push(value),
                _ => items.texts.push(value),
            }
        }
        for &id in &all.numbers {
            let set = self.model.number(id);
            let both = |other| set.intersect(&NumberSet::of_type(other));
            match (both(Integrality::Integer), both(Integrality::Digits)) {
                (Ok(integers), Ok(digits)) if integers == *set || digits == *set => {
                    items.integers.push(digits);
                }
                _ => {
                    return Err(refuse(self, "numbers with fractions cannot be told apart"));
                }
            }
        }
        items.total = self.total(&items);
        let finite = usize::from(!items.texts.is_empty())
            + items
                .strings
                .iter()
                .filter(|&&id| strings(self, id).is_some())
                .count();
        let numbers = items.integers.len() + usize::from(!items.values.is_empty());
        if items.total.is_some() && (finite > 1 || numbers > 1) {
            return Err(refuse(self, "the items overlap in several ways"));
        }
        Ok(Some(items))
    }

    /// How many distinct items there are; `None` where there is no end to them.
    fn total(&self, items: &UniqueItems) -> Option<u32> {
        let words = items.words.iter().filter(|&&word| word).count();
        let mut total = (words + items.texts.len() + items.values.len()) as u32;
        for &id in &items.strings {
            total = total.saturating_add(strings(self, id)?);
        }
        for set in &items.integers {
            let written = set.written()?;
            let bound = |bound: Option<&Decimal>| bound?.to_integer_text()?.parse::<i64>().ok();
            let (least, most) = (
                bound(written.least.as_ref())?,
                bound(written.most.as_ref())?,
            );
            let count = most.checked_sub(least)?.checked_add(1)?;
            total = total.saturating_add(u32::try_from(count).ok()?);
        }
        Some(total)
    }
}

/// How many strings there are in a set, where they are few.
fn strings(normaliser: &Normaliser<'_>, id: StringId) -> Option<u32> {
    let set = normaliser.model.string(id);
    let Some(language) = set.language else {
        return (set.most == 0).then_some(1);
    };
    let members = normaliser.model.language(language).dfa.members(COUNTED)?;
    let length = |text: &&Vec<u8>| {
        let chars = std::str::from_utf8(text).map_or(0, |text| text.chars().count() as u32);
        chars >= set.least && chars <= set.most
    };
    Some(members.iter().filter(length).count() as u32)
}
