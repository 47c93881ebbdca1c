//! References that lead back to themselves without consuming a value.

use super::reader::Document;
use super::schema::{Definition, Sets};
use super::values::SetId;
use super::{SchemaError, pointer};

/// Refuses schemas that refer to themselves without consuming a value in between.
pub(super) fn check_cycles(document: &Document, sets: &Sets) -> Result<(), SchemaError> {
    let mut marks = vec![Mark::New; sets.len()];
    let mut path = Vec::new();
    for start in (0..sets.len()).map(SetId::from_usize) {
        // Most sets apply no other to the same value.
        path.extend(in_place(sets, start, 0).map(|_| (start, 0)));
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
        Definition::Alias(target) => (index == 0).then(|| sets.targets[target]),
        Definition::All(members) | Definition::Any(members) | Definition::One(members) => {
            members.get(index).copied()
        }
        Definition::Not(inner) => (index == 0).then_some(*inner),
    }
}

fn cycle(document: &Document, sets: &Sets, set: SetId) -> SchemaError {
    let origin = sets.origin(set);
    let place = |keyword| Some((keyword, document.get(origin, keyword)?));
    let mut keywords = ["$ref", "$dynamicRef", "$recursiveRef"].into_iter();
    let (keyword, place) = keywords.find_map(place).unwrap_or(("$ref", origin));
    SchemaError::unsupported(
        keyword,
        pointer::of(document, place),
        "it leads back to itself without a property or an item in between",
    )
}
