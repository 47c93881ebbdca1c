//! The order of the properties of an object that several parts of a schema name.

use rustc_hash::FxHashMap;

use super::Normaliser;
use super::branches::{branches, branching};
use crate::front::json_schema::SchemaError;
use crate::front::json_schema::model::Alternatives;
use crate::front::json_schema::reader::ValueId;
use crate::front::json_schema::schema::{Places, Schema, Sets};
use crate::front::json_schema::values::{NameId, Property, SetId};

impl Normaliser<'_> {
    /// Gives objects their properties in the order of the text: what is named by something that stands
    /// before `properties` comes first.
    pub(super) fn put_in_order(
        &mut self,
        schema: &Schema,
        all: &mut Alternatives,
        origin: ValueId,
    ) -> Result<(), SchemaError> {
        let mut parts = in_text_order(schema, &self.model.sets);
        parts.retain(|&(rank, _)| {
            rank <= schema.places.own || schema.places.reference < Places::of_set(0)
        });
        if all.objects.is_empty() || parts.len() < 2 {
            return Ok(());
        }
        let mut names: Vec<NameId> = Vec::new();
        for (_, part) in parts {
            match part {
                Part::Own => names.extend(own_names(schema)),
                Part::Set(set) => self.add_names(set, &mut names)?,
            }
        }
        let rank: FxHashMap<NameId, usize> = names.into_iter().rev().zip(0..).collect();
        for id in &mut all.objects {
            let mut object = (**self.model.object(*id)).clone();
            let place = |property: &Property| {
                let rank = rank.get(&property.name);
                rank.map_or(usize::MAX, |rank| usize::MAX - 1 - rank)
            };
            if object.properties.is_sorted_by_key(place) {
                continue;
            }
            object.properties.sort_by_key(place);
            if let Some(ordered) = self.add_object(object, origin)? {
                *id = ordered;
            }
        }
        Ok(())
    }

    /// Adds the names that the objects of a set have; of "exactly one of", those of all branches, which need not be held
    /// against each other for that.
    fn add_names(&mut self, set: SetId, names: &mut Vec<NameId>) -> Result<(), SchemaError> {
        let sets = &self.model.sets;
        let Some(schema) = branching(sets, set).cloned() else {
            let parts = branches(sets, set).unwrap_or(&[set]).to_vec();
            return self.add_names_of(&parts, names);
        };
        for (_, part) in in_text_order(&schema, &self.model.sets) {
            match part {
                Part::Own => names.extend(own_names(&schema)),
                Part::Set(set) => {
                    let parts = branches(&self.model.sets, set).unwrap_or(&[set]).to_vec();
                    self.add_names_of(&parts, names)?;
                }
            }
        }
        Ok(())
    }

    fn add_names_of(&mut self, sets: &[SetId], names: &mut Vec<NameId>) -> Result<(), SchemaError> {
        for &set in sets {
            let all = self.normalise(set)?;
            for &id in &all.objects {
                let properties = self.model.object(id).properties.iter();
                names.extend(properties.map(|property| property.name));
            }
        }
        Ok(())
    }
}

/// What names properties in a schema.
enum Part {
    /// Its `properties`.
    Own,
    Set(SetId),
}

/// What names properties in a schema, with its rank, as it stands in the text.
fn in_text_order(schema: &Schema, sets: &Sets) -> Vec<(u32, Part)> {
    let parts = schema.all_of.iter().enumerate();
    let parts = parts.map(|(index, &set)| (Places::of_set(index), Part::Set(set)));
    let target = schema.reference.map(|target| sets.targets[&target]);
    let target = target.map(|set| (schema.places.reference, Part::Set(set)));
    let own = (schema.places.own, Part::Own);
    let mut parts: Vec<(u32, Part)> = parts.chain(target).chain([own]).collect();
    parts.sort_unstable_by_key(|&(rank, _)| rank);
    parts
}

/// The names of a schema's `properties`.
fn own_names(schema: &Schema) -> impl Iterator<Item = NameId> {
    let own = schema.object.iter().flat_map(|own| &own.properties);
    own.map(|property| property.name)
}
