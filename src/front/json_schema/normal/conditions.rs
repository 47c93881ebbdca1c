//! Conditions that stand side by side and are told apart by the value of one property.
//!
//! `if` the property has this value `then` this, for many values: one by one they would be intersected in pairs. Since
//! at most one of them is met, they are a union instead: of what each asks for beside its value, and of objects that
//! meet none.

use rustc_hash::FxHashMap;

use super::Normaliser;
use crate::front::json_schema::reader::ValueId;
use crate::front::json_schema::schema::{Definition, Schema};
use crate::front::json_schema::values::{
    NameId, ObjectKeywords, Property, SetId, StringSet, Types,
};

/// So few conditions are no matter.
const FEW: usize = 4;

/// `if` a property has one of some values.
struct Condition {
    /// Where among the parts of a schema it stands.
    place: usize,
    name: NameId,
    /// The values, as a set and as texts.
    value: SetId,
    texts: Vec<String>,
    /// Whether objects that lack the property meet it, and whether what is no object does.
    is_met_without: bool,
    is_met_by_others: bool,
    /// What is asked for then.
    then: SetId,
}

impl Normaliser<'_> {
    /// Sets that have the same in common with `schema`'s own keywords as `parts` do, conditions that exclude each other as
    /// one of them.
    pub(super) fn conditions_joined(
        &mut self,
        schema: &Schema,
        parts: Vec<SetId>,
        origin: ValueId,
    ) -> Vec<SetId> {
        if parts.len() < FEW {
            return parts;
        }
        let places = parts.iter().enumerate();
        let found = places.filter_map(|(place, &set)| self.condition(place, set));
        let mut by_name: FxHashMap<NameId, Vec<Condition>> = FxHashMap::default();
        for condition in found {
            by_name.entry(condition.name).or_default().push(condition);
        }
        let mut groups: Vec<Vec<Condition>> = by_name.into_values().map(apart).collect();
        groups.retain(|group| group.len() >= FEW);
        groups.sort_by_key(|group| group[0].place);
        let mut joined: Vec<Option<SetId>> = parts.into_iter().map(Some).collect();
        for group in groups {
            let union = self.joined(schema, &group, origin);
            group
                .iter()
                .for_each(|condition| joined[condition.place] = None);
            joined[group[0].place] = Some(union);
        }
        joined.into_iter().flatten().collect()
    }

    /// The condition that a set is, as keywords make it.
    fn condition(&self, place: usize, set: SetId) -> Option<Condition> {
        let sets = &self.model.sets;
        let Definition::Any(branches) = sets.definition(sets.resolve(set)) else {
            return None;
        };
        let &[a, b] = &branches[..] else { return None };
        let unmet = |set: SetId| match sets.definition(set) {
            Definition::Not(met) => Some(*met),
            _ => None,
        };
        let (met, asked) = match (unmet(a), unmet(b)) {
            (Some(met), None) => (met, b),
            (None, Some(met)) => (met, a),
            _ => return None,
        };
        let Definition::Schema(asked) = sets.definition(asked) else {
            return None;
        };
        let then = match asked.all_of[..] {
            [first, then] if first == met && is_bare(asked) => then,
            _ => return None,
        };
        self.discriminator(place, met, then)
    }

    /// The condition `met`, where it is one on the value of one property.
    fn discriminator(&self, place: usize, met: SetId, then: SetId) -> Option<Condition> {
        let sets = &self.model.sets;
        let Definition::Schema(met) = sets.definition(sets.resolve(met)) else {
            return None;
        };
        let is_met_by_others = match met.types {
            Types::ALL => true,
            Types::OBJECT => false,
            _ => return None,
        };
        let keywords = met.object.as_deref()?;
        let &[Property { name, set: value }] = &keywords.properties[..] else {
            return None;
        };
        let is_met_without = !keywords.required.contains(&name);
        let plain = ObjectKeywords {
            properties: keywords.properties.clone(),
            required: keywords.required.clone(),
            ..ObjectKeywords::ANY
        };
        let rest = Schema {
            types: Types::ALL,
            object: None,
            ..(**met).clone()
        };
        if *keywords != plain
            || keywords.required.iter().any(|&other| other != name)
            || !rest.all_of.is_empty()
            || !is_bare(&rest)
        {
            return None;
        }
        Some(Condition {
            place,
            name,
            value,
            texts: self.listed_texts(value)?,
            is_met_without,
            is_met_by_others,
            then,
        })
    }

    /// The strings that a set lists, where it lists nothing else.
    fn listed_texts(&self, set: SetId) -> Option<Vec<String>> {
        let sets = &self.model.sets;
        let Definition::Schema(schema) = sets.definition(sets.resolve(set)) else {
            return None;
        };
        let rest = Schema {
            types: Types::ALL,
            constant: None,
            enumeration: None,
            ..(**schema).clone()
        };
        let listed: Vec<ValueId> = match (schema.constant, schema.enumeration) {
            (Some(constant), None) => vec![constant],
            (None, Some(list)) => self.model.document.elements(list).collect(),
            _ => return None,
        };
        let is_plain =
            schema.types.meets(Types::STRING) && rest.all_of.is_empty() && is_bare(&rest);
        let texts = listed.into_iter().filter(|_| is_plain).map(|value| {
            let text = self.model.document.string(value);
            text.map(|text| text.into_owned())
        });
        let texts: Option<Vec<String>> = texts.collect();
        texts.filter(|texts| !texts.is_empty())
    }

    /// The values that fulfil all of some conditions on one property, which exclude each other: of objects without the
    /// property only if `schema` has them.
    fn joined(&mut self, schema: &Schema, group: &[Condition], origin: ValueId) -> SetId {
        let name = group[0].name;
        let is_met_without = group.iter().any(|condition| condition.is_met_without);
        let required = Vec::from_iter(is_met_without.then_some(name));
        let mut union = Vec::with_capacity(group.len() + 3);
        for condition in group {
            let keywords = of_property(name, condition.value, vec![name]);
            union.push(self.objects_with(keywords, vec![condition.then], origin));
        }
        let values = group.iter().map(|condition| condition.value).collect();
        let values = self.model.sets.any(values, origin);
        let others = self.model.sets.not(values);
        union.push(self.objects_with(of_property(name, others, required), Vec::new(), origin));
        let then = |is_asked: fn(&Condition) -> bool| {
            let asked = group.iter().filter(|&condition| is_asked(condition));
            Vec::from_iter(asked.map(|condition| condition.then))
        };
        let own = schema.object.as_deref();
        if is_met_without && !own.is_some_and(|own| own.required.contains(&name)) {
            let all = then(|condition| condition.is_met_without);
            let lacking = of_property(name, SetId::NEVER, Vec::new());
            union.push(self.objects_with(lacking, all, origin));
        }
        let others = Schema {
            types: Types::ALL.without(Types::OBJECT),
            all_of: then(|condition| condition.is_met_by_others).into(),
            ..Schema::any()
        };
        union.push(self.model.sets.add(others, origin));
        self.model.sets.any(union, origin)
    }

    fn objects_with(
        &mut self,
        keywords: ObjectKeywords,
        all_of: Vec<SetId>,
        origin: ValueId,
    ) -> SetId {
        let schema = Schema {
            types: Types::OBJECT,
            object: Some(Box::new(keywords)),
            all_of: all_of.into(),
            ..Schema::any()
        };
        self.model.sets.add(schema, origin)
    }
}

fn of_property(name: NameId, set: SetId, required: Vec<NameId>) -> ObjectKeywords {
    ObjectKeywords {
        properties: vec![Property { name, set }],
        required,
        ..ObjectKeywords::ANY
    }
}

/// Whether a schema says nothing but what all of some sets have in common.
fn is_bare(schema: &Schema) -> bool {
    let says_nothing = schema.constant.is_none() && schema.enumeration.is_none();
    let of_no_type = schema.number.is_none() && schema.array.is_none() && schema.object.is_none();
    let any_type = schema.types == Types::ALL && schema.string == StringSet::ANY;
    says_nothing && of_no_type && any_type && schema.reference.is_none()
}

/// The conditions of which no two list the same value.
fn apart(conditions: Vec<Condition>) -> Vec<Condition> {
    let mut counts: FxHashMap<String, usize> = FxHashMap::default();
    for text in conditions.iter().flat_map(|condition| &condition.texts) {
        *counts.entry(text.clone()).or_default() += 1;
    }
    let mut apart = conditions;
    apart.retain(|condition| condition.texts.iter().all(|text| counts[text] == 1));
    apart
}
