//! Which sets of values have members: the least fixpoint over sets that are made of each other.

use super::config::PropertyOrder;
use super::model::{Alternatives, Model};
use super::reader::ValueId;
use super::values::SetId;
use super::values::{ArrayId, ObjectId};
use crate::base::union;

/// Per set, whether it has a member.
pub(super) fn inhabited(model: &Model) -> Vec<bool> {
    let mut inhabited = vec![false; model.alternatives.len()];
    // What the members of a set are made of was mostly reached behind it.
    let reached = model.reached.iter().copied();
    let mut found = find(model, reached.clone().rev(), &mut inhabited);
    let left: Vec<SetId> = reached.filter(|set| !inhabited[set.index()]).collect();
    let users = Users::among(&left, model);
    while !found.is_empty() {
        // Only what has a part that is newly known can change.
        let asked = union(found.iter().flat_map(|&set| users.of_part(set)));
        found = find(model, asked.into_iter(), &mut inhabited);
    }
    inhabited
}

/// Those of `sets` that are found to have a member, and were not yet.
fn find(model: &Model, sets: impl Iterator<Item = SetId>, inhabited: &mut [bool]) -> Vec<SetId> {
    let found = sets.filter(|&set| {
        let all = model.alternatives(set).filter(|_| !inhabited[set.index()]);
        let is_new = all.is_some_and(|all| has_member(model, all, inhabited));
        inhabited[set.index()] |= is_new;
        is_new
    });
    found.collect()
}

/// The sets, among some, that have members with a part of each set.
struct Users {
    /// Part and user, ascending.
    pairs: Vec<(SetId, SetId)>,
}

impl Users {
    fn among(users: &[SetId], model: &Model) -> Self {
        let mut pairs = Vec::new();
        for &user in users {
            let parts = model.parts(user).chain(model.contents(user));
            pairs.extend(parts.map(|part| (part, user)));
        }
        pairs.sort_unstable();
        pairs.dedup();
        Self { pairs }
    }

    fn of_part(&self, part: SetId) -> impl Iterator<Item = SetId> {
        let from = self.pairs.partition_point(|&(of, _)| of < part);
        let own = self.pairs[from..].iter();
        own.take_while(move |&&(of, _)| of == part)
            .map(|&(_, user)| user)
    }
}

/// Whether a member can be made of parts that belong to sets which are known to have one.
fn has_member(model: &Model, all: &Alternatives, inhabited: &[bool]) -> bool {
    let known = |set: SetId| inhabited[model.sets.resolve(set).index()];
    all.null
        || all.falsity
        || all.truth
        || !all.literals.is_empty()
        || !all.numbers.is_empty()
        || all
            .strings
            .iter()
            .any(|&id| model.string(id).content.is_none_or(known))
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
    let contents = model.contents(set).filter(|&set| !known(set));
    items
        .chain(values)
        .chain(contents)
        .map(|set| model.sets.resolve(set))
        .next()
}
