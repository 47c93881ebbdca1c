//! Keys of a schema that are spelt like keywords and are none.

use super::keys;
use crate::front::json_schema::foreign;
use crate::front::json_schema::{Document, ValueId};

/// Those of a schema and of the schemas within it: the value, the key, the keyword.
pub(super) fn misspelt(
    document: &Document,
    schema: ValueId,
) -> Vec<(ValueId, String, &'static str)> {
    let mut found = Vec::new();
    foreign::any_schema(document, schema, |key, value| {
        let is_known = keys::is_keyword(key) || foreign::is_spelling(key);
        if !is_known && let Some(keyword) = keys::keyword_like(key) {
            found.push((value, key.to_owned(), keyword));
        }
        false
    });
    found
}
