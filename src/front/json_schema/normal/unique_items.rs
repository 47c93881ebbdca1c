//! Items of arrays in which no two are equal, or some must be: how to tell them apart, and how many there are.

use super::Normaliser;
use crate::front::json_schema::reader::{Kind, ValueId};
use crate::front::json_schema::shape::{Unique, UniqueItems};
use crate::front::json_schema::values::{ArraySet, Repeats, StringId};
use crate::front::json_schema::{SchemaError, abundance, pointer};

/// Languages of more strings than this are not exhausted by any array.
const COUNTED: usize = 1024;

impl Normaliser<'_> {
    /// The items of the arrays of `set`; `None` where they may be equal.
    pub(super) fn unique_items(&mut self, set: &ArraySet) -> Result<Option<Unique>, SchemaError> {
        match set.repeats {
            Repeats::Any => return Ok(None),
            // An item that came can come again, if all are of one set.
            Repeats::Some if set.prefix.is_empty() && set.counts.is_empty() => {
                return Ok(Some(Unique::Repeated));
            }
            Repeats::Some => {
                let reason = "it stands under `not`, and there are items of different sets";
                return Err(self.refuse_unique(set, reason));
            }
            Repeats::None if !set.prefix.is_empty() || !set.counts.is_empty() => {
                return Ok(Some(Unique::Values));
            }
            Repeats::None => {}
        }
        let all = self.normalise(set.rest)?;
        let compound = |value: &ValueId| {
            let kind = self.model.document.kind(*value);
            matches!(kind, Kind::Array | Kind::Object)
        };
        let is_number = |value: &ValueId| self.model.document.kind(*value) == Kind::Number;
        let compounds = !all.arrays.is_empty() || !all.objects.is_empty();
        let number = match &*all.numbers {
            &[id] if !all.literals.iter().any(is_number) => {
                let count = abundance::count(self.model.number(id));
                count.map(|count| (id, Some(count).filter(|&count| count < u32::MAX)))
            }
            _ => None,
        };
        let are_counted = all.numbers.is_empty() || number.is_some();
        if compounds || !are_counted || all.literals.iter().any(compound) {
            return Ok(Some(Unique::Values));
        }
        let mut items = UniqueItems {
            strings: all.strings.to_vec(),
            number,
            words: [all.null, all.falsity, all.truth],
            ..UniqueItems::default()
        };
        let document = &self.model.document;
        let equality = self.model.sets.equality(document);
        for value in equality.distinct(&all.literals) {
            match document.kind(value) {
                Kind::Number => items.values.push(value),
                _ => items.texts.push(value),
            }
        }
        items.total = self.total(&items);
        let finite = items.strings.iter();
        let finite = finite.filter(|&&id| strings(self, id).is_some()).count();
        // Finite ones may overlap.
        match finite + usize::from(!items.texts.is_empty()) > 1 && items.total.is_some() {
            true => Ok(Some(Unique::Values)),
            false => Ok(Some(Unique::Scalars(items))),
        }
    }

    /// How many distinct items there are; `None` where there is no end to them.
    fn total(&self, items: &UniqueItems) -> Option<u32> {
        let words = items.words.iter().filter(|&&word| word).count();
        let mut total = (words + items.texts.len() + items.values.len()) as u32;
        for &id in &items.strings {
            total = total.saturating_add(strings(self, id)?);
        }
        match items.number {
            Some((_, count)) => Some(total.saturating_add(count?)),
            None => Some(total),
        }
    }
}

impl Normaliser<'_> {
    /// The error for arrays of `set`: the keyword stands beside that for the items, or in the schema
    /// that says nothing of them.
    pub(super) fn refuse_unique(&self, set: &ArraySet, reason: &'static str) -> SchemaError {
        let (document, item) = (&self.model.document, self.model.sets.origin(set.rest));
        let places = [Some(item), document.parent(item)];
        let mut places = places.into_iter().flatten();
        let keyword = places.find_map(|place| document.get(place, "uniqueItems"));
        let pointer = pointer::of(document, keyword.unwrap_or(item));
        SchemaError::unsupported("uniqueItems", pointer, reason)
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
