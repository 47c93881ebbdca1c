//! Where a JSON pointer in a `$ref` leads.

use crate::front::json_schema::draft::Draft;
use crate::front::json_schema::reader::{Document, Kind, ValueId};
use crate::front::json_schema::{SchemaError, pointer};

/// The place in the document that the `$ref` with this value leads to.
pub(crate) fn target(
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
    pointer::resolve(document, document.root(), fragment).ok_or_else(|| {
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
