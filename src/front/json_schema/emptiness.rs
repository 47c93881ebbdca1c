//! Which sets of values have members: the least fixpoint over sets that are made of each other.

use super::model::{Alternatives, Model};
use super::reader::ValueId;
use super::values::{ArraySet, ObjectSet, SetId};

/// Per set, the round in which it was found to have a member, from 1; 0 where it has none.
///
/// A set of rank n has a member whose parts belong to sets of lower ranks.
pub(super) fn ranks(model: &Model) -> Vec<u32> {
    let mut ranks = vec![0; model.alternatives.len()];
    for round in 1.. {
        let mut changed = false;
        // Parts mostly have greater numbers or lesser ones: both ways, few rounds are needed.
        let mut visit = |index: usize, ranks: &mut Vec<u32>| {
            let Some(alternatives) = &model.alternatives[index] else {
                return;
            };
            if ranks[index] == 0 && has_member(model, alternatives, ranks, round) {
                ranks[index] = round;
                changed = true;
            }
        };
        (0..ranks.len()).for_each(|index| visit(index, &mut ranks));
        if !changed {
            break;
        }
    }
    ranks
}

/// Whether a member can be made of parts that were found before `round`.
fn has_member(model: &Model, all: &Alternatives, ranks: &[u32], round: u32) -> bool {
    let known = |set: SetId| (1..round).contains(&ranks[set.index()]);
    all.null
        || all.falsity
        || all.truth
        || !all.literals.is_empty()
        || !all.numbers.is_empty()
        || !all.strings.is_empty()
        || all
            .arrays
            .iter()
            .any(|&id| array_has_member(model.array(id), known))
        || all
            .objects
            .iter()
            .any(|&id| object_has_member(model.object(id), known))
}

/// Whether the array set has a member, given which sets do.
pub(super) fn array_has_member(array: &ArraySet, known: impl Fn(SetId) -> bool) -> bool {
    let least = array.least as usize;
    let prefix = &array.prefix[..least.min(array.prefix.len())];
    prefix.iter().all(|&set| known(set)) && (least <= prefix.len() || known(array.rest))
}

/// Whether the object set has a member, given which sets do.
pub(super) fn object_has_member(object: &ObjectSet, known: impl Fn(SetId) -> bool) -> bool {
    object
        .required
        .iter()
        .all(|&name| known(object.property(name)))
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
    let empty = |set: &SetId| !model.inhabited(*set);
    let items = all.arrays.iter().filter_map(|&id| {
        let array = model.array(id);
        (0..=array.prefix.len())
            .map(|i| array.item(i))
            .take(array.least as usize)
            .find(empty)
    });
    let values = all.objects.iter().filter_map(|&id| {
        let object = model.object(id);
        object
            .required
            .iter()
            .map(|&name| object.property(name))
            .find(empty)
    });
    items.chain(values).next()
}
