//! The registry: which schemas have names, as resources by URI and as anchors within those.

use rustc_hash::{FxHashMap, FxHashSet};

use super::dialect::Dialect;
use super::scope::{AnchorId, Binding};
use crate::base::define_id;
use crate::front::json_schema::SchemaError;
use crate::front::json_schema::reader::{Document, ValueId};

define_id! {
    /// A resource of a registry.
    pub(super) ResourceId
}

/// A schema with an identifier of its own, to which references in it are relative: the root of a
/// document, or one embedded in it.
#[derive(Debug)]
pub(super) struct Resource {
    pub(super) place: ValueId,
    /// The base URI, without fragment.
    pub(super) uri: String,
    /// An error where its `$schema` names none that is known.
    pub(super) dialect: Result<Dialect, SchemaError>,
    anchors: Vec<Anchor>,
    /// Which of the anchors has a name; none where several have it.
    anchor_names: FxHashMap<String, Option<usize>>,
    /// Its dynamic anchors, those apart whose names no other resource uses.
    pub(super) bindings: Box<[Binding]>,
}

/// A schema with a name within its resource.
#[derive(Debug)]
pub(super) struct Anchor {
    /// Empty for `$recursiveAnchor`.
    pub(super) name: String,
    pub(super) place: ValueId,
    pub(super) dynamic: bool,
}

/// What a name leads to.
pub(super) enum Named<T> {
    Nothing,
    One(T),
    Several,
}

/// All resources found so far.
#[derive(Debug, Default)]
pub(super) struct Registry {
    resources: Vec<Resource>,
    /// The resources by where they begin.
    roots: FxHashMap<ValueId, ResourceId>,
    /// By URI; none where several schemas claim it.
    names: FxHashMap<String, Option<ResourceId>>,
}

impl Registry {
    /// Adds a resource that begins at `place`.
    pub(super) fn add(
        &mut self,
        place: ValueId,
        uri: String,
        dialect: Result<Dialect, SchemaError>,
    ) -> ResourceId {
        let id = ResourceId::from_usize(self.resources.len());
        self.resources.push(Resource {
            place,
            uri,
            dialect,
            anchors: Vec::new(),
            anchor_names: FxHashMap::default(),
            bindings: Box::default(),
        });
        self.roots.insert(place, id);
        id
    }

    /// Names a resource that is embedded in another: a name that is in use names nothing.
    pub(super) fn name_embedded(&mut self, id: ResourceId) {
        let uri = self.get(id).uri.clone();
        self.names
            .entry(uri)
            .and_modify(|name| *name = None)
            .or_insert(Some(id));
    }

    /// Names the resource of a whole document, unless the name is in use: a document may go by its
    /// identifier and by the URI it was supplied with.
    pub(super) fn name_document(&mut self, id: ResourceId) {
        let uri = self.get(id).uri.clone();
        self.names.entry(uri).or_insert(Some(id));
    }

    pub(super) fn get(&self, id: ResourceId) -> &Resource {
        &self.resources[id.index()]
    }

    pub(super) fn get_mut(&mut self, id: ResourceId) -> &mut Resource {
        &mut self.resources[id.index()]
    }

    /// The resource that begins at `place`.
    pub(super) fn beginning(&self, place: ValueId) -> Option<ResourceId> {
        self.roots.get(&place).copied()
    }

    /// The resource that `place` belongs to.
    pub(super) fn around(&self, document: &Document, mut place: ValueId) -> ResourceId {
        loop {
            match (self.beginning(place), document.parent(place)) {
                (Some(resource), _) => return resource,
                (None, Some(parent)) => place = parent,
                (None, None) => unreachable!("each document is a resource"),
            }
        }
    }

    /// The resource with this URI.
    pub(super) fn named(&self, uri: &str) -> Named<ResourceId> {
        match self.names.get(uri) {
            None => Named::Nothing,
            Some(None) => Named::Several,
            Some(&Some(id)) => Named::One(id),
        }
    }

    /// Lets resources bind those dynamic anchors whose name leads to several places, and gives the
    /// names: the others mean the same in every scope.
    pub(super) fn bind(&mut self) -> FxHashMap<String, AnchorId> {
        let mut first: FxHashMap<&str, ValueId> = FxHashMap::default();
        let mut names: FxHashMap<String, AnchorId> = FxHashMap::default();
        let mut seen = FxHashSet::default();
        let all = self.resources.iter().flat_map(|r| &r.anchors);
        for anchor in all.filter(|anchor| anchor.dynamic) {
            let known = *first.entry(&anchor.name).or_insert(anchor.place);
            if known != anchor.place && seen.insert(&anchor.name) {
                names.insert(anchor.name.clone(), AnchorId::from_usize(names.len()));
            }
        }
        for resource in &mut self.resources {
            let dynamic = resource.anchors.iter().filter(|anchor| anchor.dynamic);
            let bindings = dynamic.filter_map(|a| Some((*names.get(&a.name)?, a.place)));
            resource.bindings = bindings.collect();
        }
        names
    }
}

impl Resource {
    pub(super) fn add_anchor(&mut self, anchor: Anchor) {
        let index = self.anchors.len();
        self.anchor_names
            .entry(anchor.name.clone())
            .and_modify(|name| *name = None)
            .or_insert(Some(index));
        self.anchors.push(anchor);
    }

    /// The anchor with this name.
    pub(super) fn anchor(&self, name: &str) -> Named<&Anchor> {
        match self.anchor_names.get(name) {
            None => Named::Nothing,
            Some(None) => Named::Several,
            Some(&Some(index)) => Named::One(&self.anchors[index]),
        }
    }
}
