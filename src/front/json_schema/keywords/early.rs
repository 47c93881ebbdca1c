//! Keywords of draft 3 that later ones have not, and `nullable` of OpenAPI 3.0.

use super::{Keywords, Parts};
use crate::front::json_schema::SchemaError;
use crate::front::json_schema::number_set::{Integrality, NumberSet};
use crate::front::json_schema::reader::{Kind, ValueId};
use crate::front::json_schema::schema::Schema;
use crate::front::json_schema::values::{SetId, Types};

impl Keywords<'_> {
    /// `type`, which may be `any` and have schemas among its names (draft 3, section 5.1).
    pub(super) fn early_type(
        &mut self,
        value: ValueId,
        schema: &mut Schema,
        parts: &mut Parts,
    ) -> Result<(), SchemaError> {
        let document = self.document;
        let is_any = |name: ValueId| document.string(name).is_some_and(|name| name == "any");
        let is_list = document.kind(value) == Kind::Array;
        let mut elements = document.elements(value);
        if is_any(value) || is_list && elements.any(is_any) {
            return Ok(());
        }
        let has_schemas = document
            .elements(value)
            .any(|element| document.kind(element) == Kind::Object);
        match has_schemas && is_list {
            true => {
                let sets = self.named_or_schemas(value)?;
                schema.all_of.push(self.sets.any(sets, value));
            }
            false => (schema.types, parts.integrality) = self.types(value)?,
        }
        Ok(())
    }

    /// `disallow`: none of these types (draft 3, section 5.25).
    pub(super) fn disallow(
        &mut self,
        value: ValueId,
        schema: &mut Schema,
    ) -> Result<(), SchemaError> {
        for set in self.named_or_schemas(value)? {
            schema.all_of.push(self.sets.not(set));
        }
        Ok(())
    }

    /// `extends`: what these schemas say as well (draft 3, section 5.26).
    pub(super) fn extends(
        &mut self,
        value: ValueId,
        schema: &mut Schema,
    ) -> Result<(), SchemaError> {
        match self.document.kind(value) {
            Kind::Array => schema.all_of.extend(self.schemas(value)?),
            _ => schema.all_of.push(self.schema(value)?),
        }
        Ok(())
    }

    /// A set for each of some names of types and schemas, or for the only one.
    fn named_or_schemas(&mut self, value: ValueId) -> Result<Vec<SetId>, SchemaError> {
        let document = self.document;
        let elements: Vec<ValueId> = match document.kind(value) {
            Kind::Array => document.elements(value).collect(),
            _ => vec![value],
        };
        elements
            .into_iter()
            .map(|element| match document.kind(element) {
                Kind::Object => self.schema(element),
                _ if document.string(element).is_some_and(|name| name == "any") => Ok(SetId::ANY),
                _ => {
                    let (types, integrality) = self.types(element)?;
                    let number = NumberSet::of_type(integrality);
                    let of_type = Schema {
                        types,
                        number: (integrality != Integrality::Any).then(|| Box::new(number)),
                        ..Schema::any()
                    };
                    Ok(self.sets.add(of_type, element))
                }
            })
            .collect()
    }

    /// `required: true` of a property, which is about the object around (draft 3, section 5.7).
    pub(super) fn is_required(&self, property: ValueId) -> bool {
        let document = self.document;
        let required = match document.kind(property) {
            Kind::Object => document.get(property, "required"),
            _ => None,
        };
        required.is_some_and(|value| document.kind(value) == Kind::True)
    }

    /// `nullable: true` beside a `type` allows null as well (OpenAPI 3.0.3, Schema Object).
    pub(super) fn nullable(&self, object: ValueId, schema: &mut Schema) {
        let document = self.document;
        let says = |keyword| document.get(object, keyword);
        if says("type").is_some()
            && says("nullable").is_some_and(|value| document.kind(value) == Kind::True)
        {
            schema.types = schema.types.union(Types::NULL);
        }
    }
}
