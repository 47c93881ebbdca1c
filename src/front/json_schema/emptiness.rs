//! Which sets of values have members: the least fixpoint over sets that are made of each other.

use super::config::PropertyOrder;
use super::model::{Alternatives, Model};
use super::reader::ValueId;
use super::values::SetId;
use super::values::{ArrayId, ObjectId};

/// Per set, the round in which it was found to have a member, from 1; 0 where it has none.
///
/// A set of rank n has a member whose parts belong to sets of lower ranks.
pub(super) fn ranks(model: &Model) -> Vec<u32> {
    let mut ranks = vec![0; model.alternatives.len()];
    // Parts mostly are reached later: last to first, few rounds are needed.
    let mut left: Vec<SetId> = model.reached.iter().rev().copied().collect();
    for round in 1.. {
        let before = left.len();
        left.retain(|&set| {
            // After the first round, only what has a part that is newly known can change.
            let found = model.alternatives(set).is_some_and(|all| {
                (round == 1 || has_part(model, all, &ranks, round - 1))
                    && has_member(model, all, &ranks, round)
            });
            if found {
                ranks[set.index()] = round;
            }
            !found
        });
        if left.len() == before {
            break;
        }
    }
    ranks
}

/// Whether some part of its arrays and objects was found in `round`.
fn has_part(model: &Model, all: &Alternatives, ranks: &[u32], round: u32) -> bool {
    let is_new = |set: SetId| ranks[model.sets.resolve(set).index()] == round;
    let array = |&id: &ArrayId| {
        let set = model.array(id);
        let own = set.prefix.iter().chain([&set.rest]).copied();
        own.chain(model.array_shape(id).sets()).any(is_new)
    };
    let object = |&id: &ObjectId| model.object_shape(id).sets().any(is_new);
    all.arrays.iter().any(array) || all.objects.iter().any(object)
}

/// Whether a member can be made of parts that were found before `round`.
fn has_member(model: &Model, all: &Alternatives, ranks: &[u32], round: u32) -> bool {
    let known = |set: SetId| (1..round).contains(&ranks[model.sets.resolve(set).index()]);
    all.null
        || all.falsity
        || all.truth
        || !all.literals.is_empty()
        || !all.numbers.is_empty()
        || !all.strings.is_empty()
        || all
            .arrays
            .iter()
            .any(|&id| array_has_member(model, id, known))
        || all
            .objects
            .iter()
            .any(|&id| object_has_member(model, id, known))
}

/// Whether the array set has a member, given which sets do.
pub(super) fn array_has_member(model: &Model, id: ArrayId, known: impl Fn(SetId) -> bool) -> bool {
    let (set, shape) = (model.array(id), model.array_shape(id));
    shape.is_live(&shape.live(set, known), &shape.start())
}

/// Whether the object set has a member, given which sets do.
pub(super) fn object_has_member(
    model: &Model,
    id: ObjectId,
    known: impl Fn(SetId) -> bool,
) -> bool {
    let shape = model.object_shape(id);
    if shape.is_plain() {
        let mut slots = shape.slots.iter();
        return slots.all(|slot| !slot.required || slot.has_value(&known));
    }
    // A member in any order has one in the declared order.
    let usable = shape.usable(PropertyOrder::Any, known);
    shape.is_live(&usable, &shape.start(PropertyOrder::Any))
}

/// The place of the subschema that leaves the root without a member; `None` where it has one.
pub(super) fn conflict(model: &Model) -> Option<ValueId> {
    if model.inhabited(model.root) {
        return None;
    }
    let mut set = model.root;
    let mut seen = vec![set];
    // Follow what a value needs for as long as there is one thing that it lacks.
    while let Some(part) = lacking(model, set).filter(|part| !seen.contains(part)) {
        set = part;
        seen.push(set);
    }
    // `false` may stand anywhere: the place that asks for it says more.
    let place = match seen.as_slice() {
        [.., asker, SetId::NEVER] => *asker,
        _ => set,
    };
    Some(model.sets.origin(place))
}

/// A part that members of `set` need and that has none itself.
fn lacking(model: &Model, set: SetId) -> Option<SetId> {
    let all = model.alternatives(set)?;
    let known = |set: SetId| model.inhabited(set);
    let items = all.arrays.iter().filter_map(|&id| {
        let array = model.array(id);
        (0..=array.prefix.len())
            .map(|i| array.item(i))
            .take(array.least as usize)
            .find(|&set| !known(set))
    });
    let values = all.objects.iter().filter_map(|&id| {
        let slots = &model.object_shape(id).slots;
        let mut required = slots.iter().filter(|slot| slot.required);
        let slot = required.find(|slot| !slot.has_value(known))?;
        Some(
            slot.choices
                .first()
                .map_or(SetId::NEVER, |choice| choice.set),
        )
    });
    items
        .chain(values)
        .map(|set| model.sets.resolve(set))
        .next()
}
