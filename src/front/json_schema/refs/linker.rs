//! The linker: walks schemas for names and references, reads the documents that are referred to, and
//! says for every reference where it leads.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::dialect::{Dialect, Vocabularies};
use super::library::Library;
use super::registry::{Anchor, Named, Registry, ResourceId};
use super::scope::AnchorId;
use super::uri;
use crate::base::LimitError;
use crate::front::json_schema::config::SchemaConfig;
use crate::front::json_schema::draft::Draft;
use crate::front::json_schema::keyword::{is_reference, schemas_within};
use crate::front::json_schema::reader::{Document, Kind, ValueId};
use crate::front::json_schema::{SchemaError, pointer};

/// Where a reference leads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) place: ValueId,
    /// The name whose binding counts instead, if the scope has one.
    pub(super) dynamic: Option<AnchorId>,
}

/// All that references need.
#[derive(Debug)]
pub(super) struct Links {
    pub(super) registry: Registry,
    /// Where the references lead whose values these are, or why they lead nowhere.
    pub(super) links: FxHashMap<ValueId, Result<Link, SchemaError>>,
}

/// Follows all references of the schema in `document`, which gets the documents that they lead to.
///
/// What is wrong with a reference, or with the `$schema` of a resource, is told to who comes across it.
pub(super) fn link(document: &mut Document, config: &SchemaConfig) -> Links {
    let mut linker = Linker {
        config,
        default: Dialect::whole(config.draft),
        library: Library::new(&config.documents),
        registry: Registry::default(),
        unreadable: FxHashMap::default(),
        metaschemas: 0,
        walked: FxHashSet::default(),
        references: VecDeque::new(),
        document,
    };
    let root = linker.document.root();
    linker.enter_document(root, String::new());
    // Documents are in the same draft as the schema that refers to them if they do not say.
    let of_root = linker.registry.around(linker.document, root);
    if let Ok(dialect) = &linker.registry.get(of_root).dialect {
        linker.default = *dialect;
    }
    let mut found = Vec::new();
    while let Some((reference, within)) = linker.references.pop_front() {
        found.push((reference, linker.follow(reference, within)));
    }
    let names = linker.registry.bind();
    let links = found.into_iter().map(|(reference, leads)| {
        let link = leads.map(|(place, anchor)| Link {
            place,
            dynamic: anchor.and_then(|name| names.get(&name).copied()),
        });
        (reference, link)
    });
    Links {
        links: links.collect(),
        registry: linker.registry,
    }
}

/// How many meta-schemas may be looked up, each for the sake of the one before.
const METASCHEMAS: usize = 16;

struct Linker<'a> {
    document: &'a mut Document,
    config: &'a SchemaConfig,
    /// The dialect of documents that name none.
    default: Dialect,
    library: Library<'a>,
    registry: Registry,
    /// The documents that could not be read: told to who refers to them.
    unreadable: FxHashMap<String, SchemaError>,
    /// How many meta-schemas are being looked up, each for the next one's sake.
    metaschemas: usize,
    /// The schemas that were walked.
    walked: FxHashSet<ValueId>,
    /// Values of references, each with the resource it stands in.
    references: VecDeque<(ValueId, ResourceId)>,
}

impl Linker<'_> {
    fn string(&self, value: Option<ValueId>) -> Option<String> {
        Some(self.document.string(value?)?.into_owned())
    }

    /// Walks a document that is known by `uri`.
    fn enter_document(&mut self, root: ValueId, uri: String) {
        let resource = self.registry.add(root, uri, Ok(self.default));
        self.registry.name_document(resource);
        self.schema(root, resource);
    }

    /// Walks a schema, which stands in the resource `within`, and those in it.
    fn schema(&mut self, value: ValueId, within: ResourceId) {
        let mut pending = vec![(value, within)];
        while let Some((value, within)) = pending.pop() {
            if self.document.kind(value) == Kind::Object && self.walked.insert(value) {
                let before = pending.len();
                self.keywords(value, within, &mut pending);
                // The first of them is the next one.
                pending[before..].reverse();
            }
        }
    }

    /// Notes the names and references of a schema, and adds those in it to `pending`.
    fn keywords(
        &mut self,
        value: ValueId,
        within: ResourceId,
        pending: &mut Vec<(ValueId, ResourceId)>,
    ) {
        let within = self.identify(value, within);
        let draft = self.dialect(within).draft;
        let document = &*self.document;
        for (key, member) in document.members(value) {
            let name = document.string(key).unwrap_or_default();
            if is_reference(&name, draft) {
                self.references.push_back((member, within));
                continue;
            }
            let parts = schemas_within(&name, document, member);
            pending.extend(parts.into_iter().map(|part| (part, within)));
        }
    }

    /// The dialect that a resource is walked in; errors are told when its keywords are read.
    fn dialect(&self, resource: ResourceId) -> Dialect {
        let dialect = self.registry.get(resource).dialect.as_ref();
        dialect.copied().unwrap_or(self.default)
    }

    /// Notes the names that the schema at `value` has, and gives the resource it belongs to: one of its
    /// own where it has an identifier.
    ///
    /// Whether it does is for the draft around it to say, and only then `$schema` means anything.
    fn identify(&mut self, value: ValueId, within: ResourceId) -> ResourceId {
        let is_document = self.document.parent(value).is_none();
        if is_document {
            self.registry.get_mut(within).dialect = self.own_dialect(value, within);
        }
        let draft = self.dialect(within).draft;
        if draft.references_stand_alone() && self.document.get(value, "$ref").is_some() {
            return within;
        }
        let id = self.string(self.document.get(value, draft.identifier()));
        let id = id.unwrap_or_default();
        let (reference, fragment) = uri::split(&id);
        let base = &self.registry.get(within).uri;
        let own = uri::resolve(base, reference);
        let mut resource = within;
        if !reference.is_empty() && own != *base {
            if is_document {
                self.registry.get_mut(within).uri = own;
                self.registry.name_document(within);
            } else {
                let dialect = self.own_dialect(value, within);
                resource = self.registry.add(value, own, dialect);
                self.registry.name_embedded(resource);
            }
        }
        if draft.references_stand_alone() && !fragment.is_empty() && !fragment.starts_with('/') {
            self.anchor(resource, fragment.to_owned(), value, false);
        }
        self.anchors(value, resource);
        resource
    }

    /// The dialect of a resource that begins at `value`: its own, or the one around it.
    fn own_dialect(&mut self, value: ValueId, within: ResourceId) -> Result<Dialect, SchemaError> {
        match self.document.get(value, "$schema") {
            Some(schema) => self.named_dialect(schema),
            None => Ok(self.dialect(within)),
        }
    }

    /// The anchors of the drafts that have keywords for them.
    fn anchors(&mut self, value: ValueId, resource: ResourceId) {
        let draft = self.dialect(resource).draft;
        if draft < Draft::Draft201909 {
            return;
        }
        if let Some(name) = self.string(self.document.get(value, "$anchor")) {
            self.anchor(resource, name, value, false);
        }
        if draft == Draft::Draft201909 {
            let recursive = self.document.get(value, "$recursiveAnchor");
            let set = recursive.is_some_and(|flag| self.document.kind(flag) == Kind::True);
            if set && self.registry.get(resource).place == value {
                self.anchor(resource, String::new(), value, true);
            }
        } else if let Some(name) = self.string(self.document.get(value, "$dynamicAnchor")) {
            self.anchor(resource, name, value, true);
        }
    }

    fn anchor(&mut self, resource: ResourceId, name: String, place: ValueId, dynamic: bool) {
        self.registry.get_mut(resource).add_anchor(Anchor {
            name,
            place,
            dynamic,
        });
    }

    /// The dialect that a `$schema` with this value names.
    fn named_dialect(&mut self, schema: ValueId) -> Result<Dialect, SchemaError> {
        let place = |linker: &Self| pointer::of(linker.document, schema);
        let Some(name) = self.string(Some(schema)) else {
            return Err(SchemaError::malformed(
                "$schema",
                place(self),
                "must be a string",
            ));
        };
        if let Some(draft) = Draft::named(&name) {
            return Ok(Dialect::whole(draft));
        }
        // A meta-schema's own dialect is looked up in turn.
        self.metaschemas += 1;
        let allowed = METASCHEMAS.min(self.config.limits.depth);
        let nesting = LimitError::check("meta-schemas of each other", self.metaschemas, allowed);
        let meta = nesting
            .map_err(pointer::limit(self.document, schema))
            .and_then(|()| self.resource(uri::split(&name).0, "$schema", schema));
        self.metaschemas -= 1;
        let meta = self.registry.get(meta?).place;
        let draft = self.string(self.document.get(meta, "$schema"));
        let draft = draft.and_then(|name| Draft::named(&name)).ok_or_else(|| {
            let reason = "its meta-schema must name a draft that is known";
            SchemaError::unsupported("$schema", place(self), reason)
        })?;
        let mut dialect = Dialect::whole(draft);
        let vocabularies = self.document.get(meta, "$vocabulary");
        if let Some(listed) = vocabularies.filter(|_| draft >= Draft::Draft201909) {
            dialect.vocabularies = self.vocabularies(listed)?;
        }
        Ok(dialect)
    }

    /// What a `$vocabulary` lists.
    fn vocabularies(&self, listed: ValueId) -> Result<Vocabularies, SchemaError> {
        let mut all = Vocabularies::NONE;
        for (key, required) in self.document.members(listed) {
            let uri = self.document.string(key).unwrap_or_default();
            match Vocabularies::named(&uri) {
                Some(vocabulary) => all = all.union(vocabulary),
                None if self.document.kind(required) == Kind::False => {}
                None => {
                    let pointer = pointer::of(self.document, required);
                    let reason = "this vocabulary is not known, and required";
                    return Err(SchemaError::unsupported("$vocabulary", pointer, reason));
                }
            }
        }
        Ok(all)
    }

    /// The resource that `uri` names, for the `keyword` with this value.
    fn resource(
        &mut self,
        uri: &str,
        keyword: &str,
        value: ValueId,
    ) -> Result<ResourceId, SchemaError> {
        loop {
            let reason = match self.registry.named(uri) {
                Named::One(resource) => return Ok(resource),
                Named::Several => format!("`{uri}` is the identifier of several schemas"),
                Named::Nothing => {
                    if let Some(error) = self.unreadable.get(uri) {
                        return Err(error.clone());
                    }
                    let taken = self.library.take(uri, &self.config.limits);
                    match taken.map_err(pointer::limit(self.document, value))? {
                        Some((name, text)) => {
                            self.read(name, text);
                            continue;
                        }
                        None if keyword == "$schema" => format!(
                            "`{uri}` is none of the drafts 3, 4, 6, 7, 2019-09 and 2020-12, and no \
                             meta-schema is supplied for it"
                        ),
                        None => format!("no document is supplied for `{uri}`; nothing is fetched"),
                    }
                }
            };
            let pointer = pointer::of(self.document, value);
            return Err(SchemaError::unsupported(keyword, pointer, reason));
        }
    }

    /// Reads and walks a document.
    fn read(&mut self, uri: String, text: &str) {
        match self.document.add(&uri, text, &self.config.limits) {
            Ok(root) => self.enter_document(root, uri),
            Err(error) => {
                self.unreadable.insert(uri, error);
            }
        }
    }

    /// Where the reference with this value, which stands in the resource `within`, leads, and the name
    /// of the dynamic anchor there if it is by that name.
    fn follow(
        &mut self,
        value: ValueId,
        within: ResourceId,
    ) -> Result<(ValueId, Option<String>), SchemaError> {
        let keyword = self.string(self.document.key(value)).unwrap_or_default();
        let malformed = |linker: &Self, reason: &str| {
            SchemaError::malformed(&keyword, pointer::of(linker.document, value), reason)
        };
        let Some(reference) = self.string(Some(value)) else {
            return Err(malformed(self, "must be a string"));
        };
        let (path, fragment) = uri::split(&reference);
        let base = &self.registry.get(within).uri;
        let own = uri::resolve(base, path);
        let resource = match path.is_empty() || own == *base {
            true => within,
            false => self.resource(&own, &keyword, value)?,
        };
        let to = self.registry.get(resource);
        let (place, dynamic) = if fragment.is_empty() || fragment.starts_with('/') {
            let place = pointer::resolve(self.document, to.place, fragment);
            let recursive = matches!(to.anchor(""), Named::One(_));
            let dynamic = (keyword == "$recursiveRef" && recursive).then(String::new);
            (
                place.ok_or_else(|| malformed(self, "leads nowhere"))?,
                dynamic,
            )
        } else {
            let name = pointer::percent_decode(fragment).unwrap_or_default();
            match to.anchor(&name) {
                Named::Nothing => return Err(malformed(self, "leads nowhere")),
                Named::Several => return Err(malformed(self, "leads to an anchor set twice")),
                Named::One(anchor) => {
                    let dynamic = keyword == "$dynamicRef" && anchor.dynamic;
                    (anchor.place, dynamic.then_some(name))
                }
            }
        };
        let around = self.registry.around(self.document, place);
        self.schema(place, around);
        Ok((place, dynamic))
    }
}
