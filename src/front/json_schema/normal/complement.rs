//! What a set of alternatives has not.

use super::Normaliser;
use crate::front::json_schema::SchemaError;
use crate::front::json_schema::model::{Alternatives, Few};
use crate::front::json_schema::number_set::NumberSet;
use crate::front::json_schema::reader::{Kind, ValueId};
use crate::front::json_schema::schema::Schema;
use crate::front::json_schema::values::{
    ArrayId, ArraySet, NumberId, ObjectId, ObjectSet, Property, SetId, StringId, StringSet,
};

impl Normaliser<'_> {
    /// The values that are in none of the alternatives.
    pub(super) fn complement(
        &mut self,
        all: &Alternatives,
        origin: ValueId,
    ) -> Result<Alternatives, SchemaError> {
        let mut others = Alternatives {
            null: !all.null,
            falsity: !all.falsity,
            truth: !all.truth,
            numbers: Few::from_iter(self.add_number(NumberSet::default(), origin)),
            strings: Few::from_iter(self.add_string(StringSet::ANY, origin)?),
            arrays: Few::from_iter(self.add_array(ArraySet::ANY)),
            objects: Few::from_iter(self.add_object(ObjectSet::ANY, origin)?),
            ..Alternatives::default()
        };
        self.without_literals(&mut others, &all.literals, origin)?;
        for &id in &all.numbers {
            let set = self.model.number(id).clone();
            let numbers = self.number_complement(&set, origin);
            self.cut(&mut others, Part::Numbers(numbers), origin)?;
        }
        for &id in &all.strings {
            let set = *self.model.string(id);
            let strings = self.string_complement(set, origin)?;
            self.cut(&mut others, Part::Strings(strings), origin)?;
        }
        for &id in &all.arrays {
            let set = self.model.array(id).clone();
            let arrays = self.array_complement(&set);
            self.cut(&mut others, Part::Arrays(arrays), origin)?;
        }
        for &id in &all.objects {
            let set = self.model.object(id).clone();
            let objects = self.object_complement(&set, origin)?;
            self.cut(&mut others, Part::Objects(objects), origin)?;
        }
        Ok(others)
    }

    /// Leaves of one type's values in `all` those that `part` has.
    fn cut(
        &mut self,
        all: &mut Alternatives,
        part: Part,
        origin: ValueId,
    ) -> Result<(), SchemaError> {
        let mut one = Alternatives::default();
        match part {
            Part::Numbers(numbers) => {
                one.numbers = numbers.into();
                all.numbers = self.intersect(all, &one, origin)?.numbers;
            }
            Part::Strings(strings) => {
                one.strings = strings.into();
                all.strings = self.intersect(all, &one, origin)?.strings;
            }
            Part::Arrays(arrays) => {
                one.arrays = arrays.into();
                all.arrays = self.intersect(all, &one, origin)?.arrays;
            }
            Part::Objects(objects) => {
                one.objects = objects.into();
                all.objects = self.intersect(all, &one, origin)?.objects;
            }
        }
        Ok(())
    }

    /// Takes single values away.
    fn without_literals(
        &mut self,
        all: &mut Alternatives,
        literals: &[ValueId],
        origin: ValueId,
    ) -> Result<(), SchemaError> {
        let texts = self.string_literals(literals);
        if !texts.is_empty() {
            let language = self.of_literals(&texts, origin)?;
            let set = StringSet {
                language: Some(language),
                ..StringSet::ANY
            };
            all.strings = self.string_complement(set, origin)?.into();
        }
        for &value in literals {
            match self.model.document.kind(value) {
                Kind::Number => {
                    let own = NumberSet::of_literal(self.model.document.raw(value));
                    let numbers = self.number_complement(&own, origin);
                    self.cut(all, Part::Numbers(numbers), origin)?;
                }
                Kind::Array => {
                    let own = self.array_of(value);
                    let arrays = self.array_complement(&own);
                    self.cut(all, Part::Arrays(arrays), origin)?;
                }
                Kind::Object => {
                    let own = self.object_of_literal(value);
                    let objects = self.object_complement(&own, origin)?;
                    self.cut(all, Part::Objects(objects), origin)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The numbers that are no members of a set.
    fn number_complement(&mut self, set: &NumberSet, origin: ValueId) -> Vec<NumberId> {
        let others = set.complement().into_iter();
        let added = others.filter_map(|other| self.add_number(other, origin));
        added.collect()
    }

    /// The set of a value of the document.
    fn literal(&mut self, value: ValueId) -> SetId {
        let schema = Schema {
            constant: Some(value),
            ..Schema::any()
        };
        self.model.sets.add(schema, value)
    }

    pub(super) fn array_of(&mut self, value: ValueId) -> ArraySet {
        let items: Vec<ValueId> = self.model.document.elements(value).collect();
        ArraySet {
            least: items.len() as u32,
            most: items.len() as u32,
            prefix: items.into_iter().map(|item| self.literal(item)).collect(),
            rest: SetId::NEVER,
            ..ArraySet::ANY
        }
    }

    pub(super) fn object_of_literal(&mut self, value: ValueId) -> ObjectSet {
        let members: Vec<(ValueId, ValueId)> = self.model.document.members(value).collect();
        let properties: Vec<Property> = members
            .into_iter()
            .map(|(key, member)| {
                let text = self.model.document.string(key).unwrap_or_default();
                Property {
                    name: self.model.sets.name(&text),
                    set: self.literal(member),
                }
            })
            .collect();
        ObjectSet {
            required: properties.iter().map(|property| property.name).collect(),
            properties,
            additional: SetId::NEVER,
            ..ObjectSet::ANY
        }
    }
}

/// Alternatives for the values of one type.
enum Part {
    Numbers(Vec<NumberId>),
    Strings(Vec<StringId>),
    Arrays(Vec<ArrayId>),
    Objects(Vec<ObjectId>),
}
