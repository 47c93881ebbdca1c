//! The keywords for objects.

use rustc_hash::FxHashSet;

use super::Keywords;
use super::parts::Parts;
use crate::base::union;
use crate::front::json_schema::SchemaError;
use crate::front::json_schema::keyword::Keyword;
use crate::front::json_schema::reader::{Kind, ValueId};
use crate::front::json_schema::schema::Schema;
use crate::front::json_schema::values::{NameId, ObjectKeywords, Property, SetId, Types};

/// Lists of more names are hashed.
const MANY: usize = 32;

impl Keywords<'_> {
    #[inline(never)]
    pub(super) fn object(
        &mut self,
        parts: &Parts,
    ) -> Result<Option<Box<ObjectKeywords>>, SchemaError> {
        let document = self.document;
        let mut set = Box::new(ObjectKeywords::ANY);
        if let Some(properties) = parts[Keyword::Properties] {
            self.expect_object(properties, "must be an object of schemas")?;
            set.properties
                .reserve_exact(document.members(properties).count());
            for (key, value) in document.members(properties) {
                let property = Property {
                    name: self.name(key),
                    set: self.schema(value)?,
                };
                if self.is_required(value) {
                    set.required.push(property.name);
                }
                set.properties.push(property);
            }
        }
        let is_flag = |value: &ValueId| matches!(document.kind(*value), Kind::True | Kind::False);
        if let Some(required) = parts[Keyword::Required].filter(|value| !is_flag(value)) {
            let mut names = self.names(required)?;
            if !set.required.is_empty() {
                let known: FxHashSet<NameId> = set.required.iter().copied().collect();
                names.retain(|name| !known.contains(name));
                names.splice(..0, std::mem::take(&mut set.required));
            }
            set.required = names;
        }
        if let Some(patterns) = parts[Keyword::PatternProperties] {
            self.expect_object(patterns, "must be an object of schemas")?;
            for (key, value) in document.members(patterns) {
                set.patterns
                    .push((self.key_pattern(key)?, self.schema(value)?));
            }
        }
        if let Some(additional) = parts[Keyword::AdditionalProperties] {
            set.additional = self.schema(additional)?;
        }
        if let Some(names) = parts[Keyword::PropertyNames] {
            set.names = self.schema(names)?;
        }
        if let Some(value) = parts[Keyword::MinProperties] {
            set.least = self.count(value)?;
        }
        if let Some(value) = parts[Keyword::MaxProperties] {
            set.most = self.count(value)?;
        }
        for value in [
            parts[Keyword::Dependencies],
            parts[Keyword::DependentRequired],
        ]
        .into_iter()
        .flatten()
        {
            self.implications(value, &mut set)?;
        }
        Ok((*set != ObjectKeywords::ANY).then_some(set))
    }

    /// The names that go with others; members that are schemas are no names.
    fn implications(
        &mut self,
        value: ValueId,
        set: &mut ObjectKeywords,
    ) -> Result<(), SchemaError> {
        let document = self.document;
        self.expect_object(value, "must be an object")?;
        for (key, needed) in document.members(value) {
            // In draft 3 one name stands for itself.
            let is_name = document.string(needed).is_some();
            if document.kind(needed) == Kind::Array || is_name {
                let name = self.name(key);
                let needed = match is_name {
                    true => vec![self.name(needed)],
                    false => self.names(needed)?,
                };
                set.implications
                    .extend(needed.into_iter().map(|needed| (name, needed)));
            }
        }
        Ok(())
    }

    /// What an object must be where it has a property, as sets that all hold: `dependentSchemas`.
    pub(super) fn dependents(
        &mut self,
        parts: &Parts,
        schema: &mut Schema,
    ) -> Result<(), SchemaError> {
        for (key, value) in self.dependent_schemas(parts) {
            let consequence = self.schema(value)?;
            if consequence == SetId::ANY {
                continue;
            }
            let [absent, present] = self.presence(key);
            let met = self.all(&[present, consequence], value);
            schema.all_of.push(self.sets.any(vec![absent, met], value));
        }
        Ok(())
    }

    /// The members of `dependentSchemas` and `dependencies` that are schemas.
    pub(super) fn dependent_schemas(&self, parts: &Parts) -> Vec<(ValueId, ValueId)> {
        let document = self.document;
        let keywords = [
            parts[Keyword::Dependencies],
            parts[Keyword::DependentSchemas],
        ];
        let members = keywords
            .into_iter()
            .flatten()
            .flat_map(|value| document.members(value));
        members
            .filter(|&(_, value)| {
                document.kind(value) != Kind::Array && document.string(value).is_none()
            })
            .collect()
    }

    /// The values that are no objects with the key that stands at `key`, and those that are.
    pub(super) fn presence(&mut self, key: ValueId) -> [SetId; 2] {
        let name = self.name(key);
        let with = |property, required| Schema {
            object: Some(Box::new(ObjectKeywords {
                properties: property,
                required,
                ..ObjectKeywords::ANY
            })),
            ..Schema::any()
        };
        let never = Property {
            name,
            set: SetId::NEVER,
        };
        let absent = with(vec![never], Vec::new());
        let mut present = with(Vec::new(), vec![name]);
        present.types = Types::OBJECT;
        [self.sets.add(absent, key), self.sets.add(present, key)]
    }

    /// Distinct property names.
    fn names(&mut self, value: ValueId) -> Result<Vec<NameId>, SchemaError> {
        let document = self.document;
        let malformed = "must be an array of property names";
        if document.kind(value) != Kind::Array {
            return Err(self.malformed(value, malformed));
        }
        let mut names = Vec::with_capacity(document.elements(value).count());
        for name in document.elements(value) {
            if document.string(name).is_none() {
                return Err(self.malformed(value, malformed));
            }
            let name = self.name(name);
            if names.len() > MANY || !names.contains(&name) {
                names.push(name);
            }
        }
        Ok(match names.len() > MANY {
            true => union(names.into_iter()),
            false => names,
        })
    }

    fn expect_object(&self, value: ValueId, reason: &str) -> Result<(), SchemaError> {
        match self.document.kind(value) {
            Kind::Object => Ok(()),
            _ => Err(self.malformed(value, reason)),
        }
    }

    /// The name that is spelt by the string `value`.
    pub(super) fn name(&mut self, value: ValueId) -> NameId {
        let text = self.document.string(value).unwrap_or_default();
        self.sets.name(&text)
    }
}
