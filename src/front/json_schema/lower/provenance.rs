//! Where in the schema the sets of values stand that rules read.

use smallvec::SmallVec;

use crate::base::RuleId;
use crate::front::json_schema::model::{Alternatives, Model};
use crate::front::json_schema::pointer;
use crate::front::json_schema::reader::ValueId;
use crate::front::json_schema::schema::Definition;
use crate::front::json_schema::values::SetId;

use super::lowered::Lowered;

/// Subschemas that read alike are one set, which may stand in many places: this many are named.
const MOST: usize = 4;

/// The places of the sets that have an alternative such as `is` looks for.
pub(super) fn of_alternatives(model: &Model, is: impl Fn(&Alternatives) -> bool) -> Vec<String> {
    let has = |set: &&SetId| model.alternatives(**set).is_some_and(&is);
    let sets = model.reached.iter().filter(has);
    sets.flat_map(|&set| of_set(model, set, None))
        .take(MOST)
        .collect()
}

/// The places of those of `sets` that `callee` reads, as values of the property `name`, if they are.
pub(super) fn of_call(
    lowered: &Lowered,
    sets: impl Iterator<Item = SetId>,
    callee: RuleId,
    name: Option<&str>,
) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for set in sets.filter(|&set| lowered.rule(set) == callee) {
        for pointer in of_set(&lowered.model, set, name) {
            if !found.contains(&pointer) {
                found.push(pointer);
            }
        }
    }
    found
}

/// The places of a set: of the subschema that says what it is, then of those that this one is made of.
fn of_set(model: &Model, set: SetId, name: Option<&str>) -> Vec<String> {
    let mut found: Vec<ValueId> = Vec::new();
    let (mut open, mut next) = (vec![set], 0);
    while let Some(&set) = open.get(next) {
        next += 1;
        let places = model.sets.places.iter();
        let places = places.filter(|&&(_, known)| known == set);
        let places: SmallVec<[ValueId; 4]> = places.map(|&(place, _)| place).collect();
        let own = places
            .iter()
            .filter(|&&place| is_property(model, place, name));
        let own: SmallVec<[ValueId; 4]> = own.copied().collect();
        let best = if own.is_empty() { places } else { own };
        for place in best.into_iter().take(MOST) {
            if !found.contains(&place) {
                found.push(place);
            }
        }
        for part in parts(model, set) {
            if !open.contains(&part) {
                open.push(part);
            }
        }
    }
    let found = found.into_iter();
    found
        .map(|place| pointer::of(&model.document, place))
        .collect()
}

/// The sets that `set` is made of.
fn parts(model: &Model, set: SetId) -> SmallVec<[SetId; 4]> {
    match model.sets.definition(set) {
        Definition::Schema(schema) => {
            let target = schema
                .reference
                .and_then(|target| model.sets.targets.get(&target));
            schema
                .all_of
                .iter()
                .copied()
                .chain(target.copied())
                .collect()
        }
        Definition::Alias(target) => model
            .sets
            .targets
            .get(target)
            .copied()
            .into_iter()
            .collect(),
        Definition::All(sets) | Definition::Any(sets) | Definition::One(sets) => {
            sets.iter().copied().collect()
        }
        Definition::Not(_) => SmallVec::new(),
    }
}

/// Whether what stands at `place` is said of the property `name`.
fn is_property(model: &Model, place: ValueId, name: Option<&str>) -> bool {
    let key = model.document.key(place);
    let key = key.and_then(|key| model.document.string(key));
    name.is_some() && key.as_deref() == name
}
