//! What the items of an array of distinct items are, so that they can be told apart.

use crate::front::json_schema::SchemaError;
use crate::front::json_schema::model::StringId;
use crate::front::json_schema::normal::Normaliser;
use crate::front::json_schema::number::Decimal;
use crate::front::json_schema::number_set::{Integrality, NumberSet};
use crate::front::json_schema::pointer;
use crate::front::json_schema::reader::{Kind, ValueId};
use crate::front::json_schema::values::{ArraySet, Repeats};

/// Languages of more strings than this are not exhausted by any array.
const COUNTED: usize = 1024;

/// Items that are told apart by their texts, or one by one.
#[derive(Clone, Debug, Default)]
pub(crate) struct UniqueItems {
    pub(crate) strings: Vec<StringId>,
    /// Strings of the document.
    pub(crate) texts: Vec<ValueId>,
    /// Other values of the document.
    pub(crate) values: Vec<ValueId>,
    /// `null`, `false` and `true`.
    pub(crate) words: [bool; 3],
    /// Integers, spelt without a fraction.
    pub(crate) integers: Vec<NumberSet>,
    /// How many there are in all; `None` where there is no end to them.
    pub(crate) total: Option<u32>,
}

impl UniqueItems {
    /// The items of the arrays of `set`; `None` where they may be equal.
    pub(super) fn of(
        normaliser: &mut Normaliser<'_>,
        set: &ArraySet,
    ) -> Result<Option<Self>, SchemaError> {
        let item = normaliser.model.sets.origin(set.rest);
        let refuse = |normaliser: &Normaliser<'_>, reason| {
            // The keyword stands beside that for the items, or in the schema that says nothing of them.
            let document = &normaliser.model.document;
            let places = [Some(item), document.parent(item)];
            let mut places = places.into_iter().flatten();
            let keyword = places.find_map(|place| document.get(place, "uniqueItems"));
            let pointer = pointer::of(document, keyword.unwrap_or(item));
            SchemaError::unsupported("uniqueItems", pointer, reason)
        };
        match set.repeats {
            Repeats::Any => return Ok(None),
            Repeats::Some => return Err(refuse(normaliser, "it stands under `not`")),
            Repeats::None if !set.prefix.is_empty() || !set.counts.is_empty() => {
                return Err(refuse(
                    normaliser,
                    "items are told apart only where all of them belong to one schema",
                ));
            }
            Repeats::None => {}
        }
        let all = normaliser.alternatives_of(set.rest)?;
        let compound = |value: &ValueId| {
            let kind = normaliser.model.document.kind(*value);
            matches!(kind, Kind::Array | Kind::Object)
        };
        if !all.arrays.is_empty() || !all.objects.is_empty() || all.literals.iter().any(compound) {
            return Err(refuse(
                normaliser,
                "arrays and objects cannot be told apart; say what scalars the items are",
            ));
        }
        let mut items = Self {
            strings: all.strings.clone(),
            words: [all.null, all.falsity, all.truth],
            ..Self::default()
        };
        let document = &normaliser.model.document;
        for &value in &all.literals {
            match document.kind(value) {
                Kind::Number => items.values.push(value),
                _ => items.texts.push(value),
            }
        }
        for &id in &all.numbers {
            let set = normaliser.model.number(id);
            let both = |other| set.intersect(&NumberSet::of_type(other));
            match (both(Integrality::Integer), both(Integrality::Digits)) {
                (Ok(integers), Ok(digits)) if integers == *set || digits == *set => {
                    items.integers.push(digits);
                }
                _ => {
                    return Err(refuse(
                        normaliser,
                        "numbers with fractions cannot be told apart",
                    ));
                }
            }
        }
        items.total = items.count(normaliser);
        let finite = usize::from(!items.texts.is_empty())
            + items
                .strings
                .iter()
                .filter(|&&id| strings(normaliser, id).is_some())
                .count();
        let numbers = items.integers.len() + usize::from(!items.values.is_empty());
        if items.total.is_some() && (finite > 1 || numbers > 1) {
            return Err(refuse(normaliser, "the items overlap in several ways"));
        }
        Ok(Some(items))
    }

    fn count(&self, normaliser: &Normaliser<'_>) -> Option<u32> {
        let words = self.words.iter().filter(|&&word| word).count();
        let mut total = (words + self.texts.len() + self.values.len()) as u32;
        for &id in &self.strings {
            total = total.saturating_add(strings(normaliser, id)?);
        }
        for set in &self.integers {
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
