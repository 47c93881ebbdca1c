//! The documents that a schema may refer to: the caller's, and the drafts' meta-schemas.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{metaschemas, uri};
use crate::base::{LimitError, Limits};
use crate::front::json_schema::config::SchemaDocument;

/// How many bytes of a document are looked through for identifiers at the cost of one step.
const BYTES_PER_STEP: usize = 8;

/// Hands out each document once.
pub(super) struct Library<'c> {
    documents: &'c [SchemaDocument],
    /// Which are left.
    left: Vec<bool>,
    /// The first document that is known by a URI.
    by_uri: FxHashMap<&'c str, usize>,
    /// The documents in which something is named so: made when one is wanted that is not known by its URI.
    by_name: Option<FxHashMap<&'c str, SmallVec<[usize; 1]>>>,
}

impl<'c> Library<'c> {
    pub(super) fn new(documents: &'c [SchemaDocument]) -> Self {
        let uris = documents.iter().map(name).enumerate().rev();
        Self {
            documents,
            left: vec![true; documents.len()],
            by_uri: uris.map(|(index, uri)| (uri, index)).collect(),
            by_name: None,
        }
    }

    /// The URI and the text of the document to read when `wanted` names nothing so far: the one that is known by it, or
    /// else one in which something may be named so.
    pub(super) fn take(
        &mut self,
        wanted: &str,
        limits: &Limits,
    ) -> Result<Option<(String, &'c str)>, LimitError> {
        let known = self.by_uri.get(wanted).copied();
        let known = known.filter(|&index| self.left[index]);
        if let (None, Some(text)) = (known, metaschemas::find(wanted)) {
            return Ok(Some((wanted.to_owned(), text)));
        }
        let found = match known {
            Some(known) => Some(known),
            None => self.naming(wanted, limits)?,
        };
        Ok(found.map(|index| {
            self.left[index] = false;
            let document = &self.documents[index];
            (name(document).to_owned(), &*document.text)
        }))
    }

    /// The first document left in which something may be named `wanted`.
    fn naming(&mut self, wanted: &str, limits: &Limits) -> Result<Option<usize>, LimitError> {
        let by_name = match &mut self.by_name {
            Some(known) => known,
            unknown => unknown.insert(names(self.documents, limits)?),
        };
        let named = [last_segment(wanted), ANY].map(|name| by_name.get(name));
        let mut named = named.into_iter().flatten().flatten().copied();
        Ok(named.find(|&index| self.left[index]))
    }
}

fn name(document: &SchemaDocument) -> &str {
    uri::split(&document.uri).0
}

/// What stands for an identifier that is not told by its last segment; no segment has a slash.
const ANY: &str = "/";

/// The documents by the last segments of the identifiers in them. A reference that is resolved keeps its last segment.
///
/// What else is written like an identifier is taken for one: the document is read, and then it is known better.
fn names<'c>(
    documents: &'c [SchemaDocument],
    limits: &Limits,
) -> Result<FxHashMap<&'c str, SmallVec<[usize; 1]>>, LimitError> {
    let mut found: FxHashMap<&str, SmallVec<[usize; 1]>> = FxHashMap::default();
    for (index, document) in documents.iter().enumerate() {
        limits.charge(document.text.len() / BYTES_PER_STEP + 1)?;
        for id in identifiers(&document.text) {
            let all = found.entry(id).or_default();
            if all.last() != Some(&index) {
                all.push(index);
            }
        }
    }
    Ok(found)
}

/// The last segments of the strings that are members `$id` or `id`, in a text that is JSON.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("id\"").filter_map(|(at, end)| {
        let before = &text[..at];
        let key = before.strip_suffix('$').unwrap_or(before);
        let value = text[at + end.len()..].trim_start().strip_prefix(':')?;
        let value = value.trim_start().strip_prefix('"')?;
        let id = &value[..value.find('"')?];
        let segment = last_segment(uri::split(id).0);
        let is_told = !id.contains('\\') && !segment.starts_with(['?', '.']);
        key.ends_with('"')
            .then_some(if is_told { segment } else { ANY })
    })
}

fn last_segment(uri: &str) -> &str {
    uri.rsplit('/').next().unwrap_or_default()
}
