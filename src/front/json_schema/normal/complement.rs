//! What a set of alternatives has not.

use super::{Normaliser, PARTS_OF_A_SET};
use crate::base::union;
use crate::front::json_schema::SchemaError;
use crate::front::json_schema::model::{Alternatives, Few};
use crate::front::json_schema::number::Decimal;
use crate::front::json_schema::number_set::NumberSet;
use crate::front::json_schema::reader::{Kind, ValueId};
use crate::front::json_schema::schema::Schema;
use crate::front::json_schema::values::{ArraySet, ObjectSet, Property, SetId, StringSet};

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
            self.cut_numbers(&mut others, &set, origin)?;
        }
        for &id in &all.strings {
            let set = *self.model.string(id);
            let left = self.string_complement(set, origin)?;
            others.strings = self.meet(&others.strings, &left, origin, Self::both_strings)?;
        }
        for &id in &all.arrays {
            let set = self.model.array(id).clone();
            self.cut_arrays(&mut others, &set, origin)?;
        }
        for &id in &all.objects {
            let set = self.model.object(id).clone();
            self.cut_objects(&mut others, &set, origin)?;
        }
        Ok(others)
    }

    /// The values of `all` that are in none of the alternatives of `cut`. Its objects are taken away one after the other, each
    /// from those that it meets: what all of them leave may be more than can be had.
    pub(super) fn without(
        &mut self,
        all: Alternatives,
        cut: &Alternatives,
        origin: ValueId,
    ) -> Result<Alternatives, SchemaError> {
        let others = Alternatives {
            objects: Few::default(),
            ..cut.clone()
        };
        let others = self.complement(&others, origin)?;
        let mut left = self.intersect(&all, &others, origin)?;
        for &id in &cut.objects {
            let (mut met, mut apart) = (Alternatives::default(), Few::default());
            for &object in &left.objects {
                match self.both_objects(object, id, origin)? {
                    Some(_) => met.objects.push(object),
                    None => apart.push(object),
                }
            }
            let set = self.model.object(id).clone();
            self.cut_objects(&mut met, &set, origin)?;
            apart.extend(met.objects);
            left.objects = union(apart.into_iter()).into();
        }
        Ok(left)
    }

    /// Leaves of the numbers in `all` those that are not in `set`.
    fn cut_numbers(
        &mut self,
        all: &mut Alternatives,
        set: &NumberSet,
        origin: ValueId,
    ) -> Result<(), SchemaError> {
        let left = set.complement().into_iter();
        let left: Vec<_> = left
            .filter_map(|other| self.add_number(other, origin))
            .collect();
        all.numbers = self.meet(&all.numbers, &left, origin, Self::both_numbers)?;
        Ok(())
    }

    /// Leaves of the arrays in `all` those that are not in `set`.
    fn cut_arrays(
        &mut self,
        all: &mut Alternatives,
        set: &ArraySet,
        origin: ValueId,
    ) -> Result<(), SchemaError> {
        // There is a part for each place, and each part has all places before its own.
        let places = set.prefix.len();
        self.charge(places.saturating_mul(places) / 2, origin)?;
        let left = self.array_complement(set);
        all.arrays = self.meet(&all.arrays, &left, origin, Self::both_arrays)?;
        Ok(())
    }

    /// Leaves of the objects in `all` those that are not in `set`.
    fn cut_objects(
        &mut self,
        all: &mut Alternatives,
        set: &ObjectSet,
        origin: ValueId,
    ) -> Result<(), SchemaError> {
        let left = self.object_complement(set, origin)?;
        all.objects = self.meet(&all.objects, &left, origin, Self::both_objects)?;
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
        self.without_numbers(all, literals, origin)?;
        for &value in literals {
            match self.model.document.kind(value) {
                Kind::Array => {
                    let own = self.array_of(value);
                    self.cut_arrays(all, &own, origin)?;
                }
                Kind::Object => {
                    let own = self.object_of_literal(value);
                    self.cut_objects(all, &own, origin)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Takes single numbers away: all at once, as one after the other would take as many steps as there are pairs.
    fn without_numbers(
        &mut self,
        all: &mut Alternatives,
        literals: &[ValueId],
        origin: ValueId,
    ) -> Result<(), SchemaError> {
        let document = &self.model.document;
        let numbers = literals.iter().copied();
        let numbers = numbers.filter(|&value| matches!(document.kind(value), Kind::Number));
        let values: Vec<_> = numbers
            .map(|value| Decimal::parse(document.raw(value)))
            .collect();
        if values.is_empty() {
            return Ok(());
        }
        self.charge(PARTS_OF_A_SET * values.len(), origin)?;
        let gaps = NumberSet::without(values).into_iter();
        let gaps: Vec<_> = gaps
            .filter_map(|gap| self.add_number(gap, origin))
            .collect();
        all.numbers = self.meet(&all.numbers, &gaps, origin, Self::both_numbers)?;
        Ok(())
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
