//! What a schema amounts to: parts that no value satisfies, and values that it refuses itself.

use rustc_hash::FxHashSet;

use super::places::{Adds, Place, Places};
use super::warning::{Lint, Report};
use crate::front::json_schema::{Definition, Evaluator, Kind, Model, SetId, ValueId};

/// How many values of one `enum` are named.
const LISTED: usize = 100;

pub(super) fn check(places: &Places<'_>, model: &Model, report: &mut Report<'_>) {
    let evaluator = Evaluator {
        document: &model.document,
        sets: &model.sets,
    };
    let reached: FxHashSet<SetId> = model.reached.iter().copied().collect();
    let mut told = FxHashSet::default();
    for &(value, set) in &model.sets.places {
        let Some(place) = places.at(value).map(|index| &places.all[index]) else {
            continue;
        };
        let own = model.sets.resolve(set);
        if reached.contains(&own) && !model.inhabited(own) && !is_false(places, value) {
            told.insert(value);
            report.warn(
                Lint::NeverValid,
                value,
                "no value satisfies this schema".to_owned(),
                "its keywords contradict each other; if that is meant, write `false`",
            );
        }
        examples(evaluator, place, set, report);
        if let Some(values) = place.get("enum") {
            useless(evaluator, values, set, report);
        }
    }
    conflicts(places, model, &mut told, report);
}

/// Whether a schema says in so many words that nothing satisfies it: `false`, or `not` with all.
fn is_false(places: &Places<'_>, schema: ValueId) -> bool {
    let document = places.document;
    let mut members = document.members(schema);
    match (document.kind(schema), members.next(), members.next()) {
        (Kind::False, ..) => true,
        (_, Some((_, inner)), None) if document.get(schema, "not").is_some() => {
            document.kind(inner) == Kind::True || document.raw(inner) == "{}"
        }
        _ => false,
    }
}

/// What a schema gives for an example, and refuses.
fn examples(evaluator: Evaluator<'_>, place: &Place, set: SetId, report: &mut Report<'_>) {
    let default = place.get("default").into_iter();
    let examples = place.get("examples").into_iter();
    let given = default
        .map(|value| ("default", value))
        .chain(examples.flat_map(|list| {
            evaluator
                .document
                .elements(list)
                .map(|value| ("examples", value))
        }));
    for (keyword, value) in given {
        if !evaluator.satisfies(set, value) {
            report.warn(
                Lint::InvalidExample,
                value,
                format!("this value of `{keyword}` is not valid"),
                "correct it, or the schema",
            );
        }
    }
}

/// Values of `enum` that the keywords beside it refuse.
fn useless(evaluator: Evaluator<'_>, values: ValueId, set: SetId, report: &mut Report<'_>) {
    let Definition::Schema(schema) = evaluator.sets.definition(set) else {
        return;
    };
    let beside = schema.beside_enumeration();
    let values = evaluator.document.elements(values);
    let mut refused = values.filter(|&value| !evaluator.satisfies_schema(&beside, value));
    for value in refused.by_ref().take(LISTED) {
        let raw = evaluator.document.raw(value);
        report.warn(
            Lint::UselessValue,
            value,
            format!("the keywords beside `enum` refuse {raw}"),
            "leave it out, or correct them",
        );
    }
    if let Some(first) = refused.next() {
        let more = 1 + refused.count();
        report.warn(
            Lint::UselessValue,
            first,
            format!(
                "the keywords beside `enum` refuse {more} more of its values, from this one on"
            ),
            "leave them out, or correct the keywords",
        );
    }
}

/// Properties whose schemas, taken together, have no member, in schemas that are written so.
fn conflicts(
    places: &Places<'_>,
    model: &Model,
    told: &mut FxHashSet<ValueId>,
    report: &mut Report<'_>,
) {
    for &(value, set) in &model.sets.places {
        let set = model.sets.resolve(set);
        let objects = model.alternatives(set).map(|all| all.objects.as_slice());
        let objects = objects.filter(|_| model.inhabited(set));
        let (Some(place), Some(&[object])) = (places.at(value), objects) else {
            continue;
        };
        let slots = &model.object_shape(object).slots;
        let known = |set| model.inhabited(set);
        for slot in slots.iter().filter(|slot| !slot.has_value(known)) {
            let name = model.sets.name_text(slot.name);
            let declared = declarations(places, place, name);
            let Some(&first) = declared.first() else {
                continue;
            };
            let meant = declared.iter().any(|&schema| is_false(places, schema));
            if !meant && !declared.iter().any(|schema| told.contains(schema)) {
                told.insert(first);
                report.warn(
                    Lint::NeverValid,
                    first,
                    format!("property `{name}` can never be valid"),
                    "what several schemas say of it contradicts itself",
                );
            }
        }
    }
}

/// What a schema, and those that always hold with it, say of a property.
fn declarations(places: &Places<'_>, place: usize, name: &str) -> Vec<ValueId> {
    let document = places.document;
    let all = [vec![place], places.within(&[place], Adds::Always)].concat();
    let properties = all
        .into_iter()
        .filter_map(|index| places.all[index].get("properties"));
    properties
        .filter_map(|properties| document.get(properties, name))
        .collect()
}
