//! The documents that a schema may refer to: the caller's, and the drafts' meta-schemas.

use super::{metaschemas, uri};
use crate::front::json_schema::config::SchemaDocument;

/// Hands out each document once.
pub(super) struct Library<'c> {
    documents: Vec<&'c SchemaDocument>,
}

impl<'c> Library<'c> {
    pub(super) fn new(documents: &'c [SchemaDocument]) -> Self {
        Self {
            documents: documents.iter().collect(),
        }
    }

    /// The URI and the text of the document to read when `wanted` names nothing so far: the one that is
    /// known by it, or else any, since a document may name its parts as it likes.
    pub(super) fn take(&mut self, wanted: &str) -> Option<(String, &'c str)> {
        let known = self.documents.iter().position(|d| name(d) == wanted);
        if let (None, Some(text)) = (known, metaschemas::find(wanted)) {
            return Some((wanted.to_owned(), text));
        }
        let index = known.or((!self.documents.is_empty()).then_some(0))?;
        let document = self.documents.remove(index);
        Some((name(document).to_owned(), &document.text))
    }
}

fn name(document: &SchemaDocument) -> &str {
    uri::split(&document.uri).0
}
