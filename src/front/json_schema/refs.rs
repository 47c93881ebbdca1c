//! `$ref`: where it leads, and cycles of it that consume no value.

use super::draft::Draft;
use super::reader::{Document, Kind, ValueId};
use super::schema::{Definition, Sets};
use super::values::SetId;
use super::{SchemaError, pointer};

/// The place in the document that the `$ref` with this value leads to.
pub(super) fn target(
    document: &Document,
    draft: Draft,
    value: ValueId,
) -> Result<ValueId, SchemaError> {
    let Some(uri) = document.string(value) else {
        let pointer = pointer::of(document, value);
        return Err(SchemaError::malformed("$ref", pointer, "must be a string"));
    };
    let refuse =
        |reason: &str| SchemaError::unsupported("$ref", pointer::of(document, value), reason);
    let id = if draft == Draft::Draft4 { "id" } else { "$id" };
    if embedded(document, value, id) {
        return Err(refuse(
            "it stands in a schema with an identifier of its own",
        ));
    }
    let (base, fragment) = uri.split_once('#').unwrap_or((&uri, ""));
    let own = document
        .get(document.root(), id)
        .and_then(|id| document.string(id));
    let own = own.as_deref().map(|own| own.trim_end_matches('#'));
    if !base.is_empty() && own != Some(base) {
        return Err(refuse(
            "it leads out of this document; put the target under `$defs`",
        ));
    }
    if !fragment.is_empty() && !fragment.starts_with('/') {
        return Err(refuse("it leads to an anchor; use a JSON pointer"));
    }
    pointer::resolve(document, fragment).ok_or_else(|| {
        SchemaError::malformed("$ref", pointer::of(document, value), "leads nowhere")
    })
}

/// Whether `value` stands in a schema below the root that names itself, so that references in it
/// are relative to it.
fn embedded(document: &Document, value: ValueId, id: &str) -> bool {
    let mut at = document.parent(value);
    while let Some(object) = at.filter(|&object| object != document.root()) {
        let named = document.get(object, id).and_then(|id| document.string(id));
        if document.kind(object) == Kind::Object && named.is_some_and(|id| !id.starts_with('#')) {
            return true;
        }
        at = document.parent(object);
    }
    false
}

/// Refuses schemas that refer to themselves without consuming a value in between.
pub(super) fn check_cycles(document: &Document, sets: &Sets) -> Result<(), SchemaError> {
    let mut marks = vec![Mark::New; sets.len()];
    for start in 0..sets.len() {
        let mut path = vec![(SetId::from_usize(start), 0)];
        while let Some((set, child)) = path.last_mut() {
            if *child == 0 {
                match marks[set.index()] {
                    Mark::Done => {
                        path.pop();
                        continue;
                    }
                    Mark::Open => return Err(cycle(document, sets, *set)),
                    Mark::New => marks[set.index()] = Mark::Open,
                }
            }
            match in_place(sets, *set, *child) {
                Some(next) => {
                    *child += 1;
                    path.push((next, 0));
                }
                None => {
                    marks[set.index()] = Mark::Done;
                    path.pop();
                }
            }
        }
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    Open,
    Done,
}

/// The `index`-th of the sets that `set` applies to the same value as it is applied to.
pub(super) fn in_place(sets: &Sets, set: SetId, index: usize) -> Option<SetId> {
    match sets.definition(set) {
        Definition::Schema(schema) => {
            let reference = schema.reference.map(|target| sets.targets[&target]);
            let mut all = reference.into_iter().chain(schema.all_of.iter().copied());
            all.nth(index)
        }
        Definition::All(members) | Definition::Any(members) | Definition::One(members) => {
            members.get(index).copied()
        }
        Definition::Not(inner) => (index == 0).then_some(*inner),
    }
}

fn cycle(document: &Document, sets: &Sets, set: SetId) -> SchemaError {
    let origin = sets.origin(set);
    let place = document.get(origin, "$ref").unwrap_or(origin);
    SchemaError::unsupported(
        "$ref",
        pointer::of(document, place),
        "it leads back to itself without a property or an item in between",
    )
}
