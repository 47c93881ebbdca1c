//! The order of the properties of an object that several parts of a schema name.

use rustc_hash::FxHashMap;

use super::Normaliser;
use crate::front::json_schema::SchemaError;
use crate::front::json_schema::model::Alternatives;
use crate::front::json_schema::reader::ValueId;
use crate::front::json_schema::schema::{Definition, Places, Schema};
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
        let mut parts: Vec<(u32, SetId)> = Vec::new();
        for (index, &set) in schema.all_of.iter().enumerate() {
            parts.push((Places::of_set(index), set));
        }
        if let Some(target) = schema.reference {
            let set = self.model.sets.targets[&target];
            parts.push((schema.places.reference, set));
        }
        parts.retain(|&(rank, _)| {
            rank < schema.places.own || schema.places.reference < Places::of_set(0)
        });
        if all.objects.is_empty() || parts.is_empty() {
            return Ok(());
        }
        parts.sort_unstable();
        let own = schema.object.iter().flat_map(|own| &own.properties);
        let own: Vec<NameId> = own.map(|property| property.name).collect();
        let mut names: Vec<NameId> = Vec::new();
        let mut has_own = false;
        for (rank, set) in parts {
            if rank > schema.places.own && !has_own {
                names.extend(&own);
                has_own = true;
            }
            self.add_names(set, &mut names)?;
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
        let parts = match sets.definition(sets.resolve(set)) {
            Definition::One(branches) => branches.to_vec(),
            _ => vec![set],
        };
        for part in parts {
            let part = self.normalise(part)?;
            for &id in &part.objects {
                let properties = self.model.object(id).properties.iter();
                names.extend(properties.map(|property| property.name));
            }
        }
        Ok(())
    }
}
