//! The keywords for arrays.

use super::Keywords;
use super::parts::Parts;
use crate::front::json_schema::SchemaError;
use crate::front::json_schema::keyword::Keyword;
use crate::front::json_schema::reader::Kind;
use crate::front::json_schema::values::{ArraySet, Count, Repeats};

impl Keywords<'_> {
    #[inline(never)]
    pub(super) fn array(&mut self, parts: &Parts) -> Result<Option<Box<ArraySet>>, SchemaError> {
        let mut set = Box::new(ArraySet::ANY);
        if let Some(value) = parts[Keyword::MinItems] {
            set.least = self.count(value)?;
        }
        if let Some(value) = parts[Keyword::MaxItems] {
            set.most = self.count(value)?;
        }
        if let Some(prefix) = parts[Keyword::PrefixItems] {
            set.prefix = self.schemas(prefix)?;
        }
        if let Some(items) = parts[Keyword::Items] {
            // An array of schemas means what it did up to draft 2019-09, whatever the draft.
            let is_tuple = self.document.kind(items) == Kind::Array;
            if is_tuple && parts[Keyword::PrefixItems].is_none() {
                set.prefix = self.schemas(items)?;
                if let Some(rest) = parts[Keyword::AdditionalItems] {
                    set.rest = self.schema(rest)?;
                }
            } else {
                set.rest = self.schema(items)?;
            }
        }
        set.counts.extend(self.contains(parts)?);
        if let Some(value) = parts[Keyword::UniqueItems] {
            set.repeats = match self.document.kind(value) {
                Kind::True => Repeats::None,
                Kind::False => Repeats::Any,
                _ => return Err(self.malformed(value, "must be a boolean")),
            };
        }
        Ok((*set != ArraySet::ANY).then_some(set))
    }

    fn contains(&mut self, parts: &Parts) -> Result<Option<Count>, SchemaError> {
        let Some(value) = parts[Keyword::Contains] else {
            return Ok(None);
        };
        let mut count = Count {
            set: self.schema(value)?,
            from: 0,
            least: 1,
            most: u32::MAX,
        };
        if let Some(value) = parts[Keyword::MinContains] {
            count.least = self.count(value)?;
        }
        if let Some(value) = parts[Keyword::MaxContains] {
            count.most = self.count(value)?;
        }
        Ok(Some(count))
    }
}
