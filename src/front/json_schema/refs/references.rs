//! What each reference means where it stands: a schema, and the scope that it is reached in.

use super::dialect::Dialect;
use super::linker::{Links, link};
use super::scope::{Context, ScopeId, Scopes, Target};
use crate::front::json_schema::config::SchemaConfig;
use crate::front::json_schema::draft::Draft;
use crate::front::json_schema::reader::{Document, Kind, ValueId};
use crate::front::json_schema::{SchemaError, pointer};

/// The references of a schema.
#[derive(Debug)]
pub(crate) struct References {
    /// None where all are JSON pointers within the one resource that there is.
    links: Option<Links>,
    start: Context,
    scopes: Scopes,
}

impl References {
    /// Of the schema in `document`, which gets the documents that it refers to.
    pub(crate) fn of(document: &mut Document, config: &SchemaConfig) -> Result<Self, SchemaError> {
        let plain = plain_draft(document, config.draft);
        let mut references = Self {
            links: plain.is_none().then(|| link(document, config)),
            start: Context {
                dialect: Dialect::whole(plain.unwrap_or(config.draft)),
                scope: ScopeId::EMPTY,
            },
            scopes: Scopes::new(),
        };
        references.start = references.enter(document, document.root(), references.start)?;
        Ok(references)
    }

    /// What the root is read by.
    pub(crate) fn start(&self) -> Context {
        self.start
    }

    /// What the schema at `place` is read by, in a schema that is read by `context`.
    pub(crate) fn enter(
        &mut self,
        document: &Document,
        place: ValueId,
        context: Context,
    ) -> Result<Context, SchemaError> {
        let links = self.links.as_ref();
        let Some(entered) = links.and_then(|links| {
            let resource = links.registry.beginning(place)?;
            Some(links.registry.get(resource))
        }) else {
            return Ok(context);
        };
        let scope = self.scopes.enter(context.scope, &entered.bindings);
        Ok(Context {
            dialect: entered.dialect.clone()?,
            scope: scope.map_err(pointer::limit(document, place))?,
        })
    }

    /// What the schema at a target is read by.
    pub(crate) fn context(
        &mut self,
        document: &Document,
        target: Target,
    ) -> Result<Context, SchemaError> {
        let outer = Context {
            dialect: self.start.dialect,
            scope: target.scope,
        };
        match &self.links {
            None => Ok(outer),
            Some(links) => {
                let resource = links.registry.around(document, target.place);
                let place = links.registry.get(resource).place;
                self.enter(document, place, outer)
            }
        }
    }

    /// Where the reference with this value leads from `scope`.
    pub(crate) fn target(
        &mut self,
        document: &Document,
        value: ValueId,
        scope: ScopeId,
    ) -> Result<Target, SchemaError> {
        let Some(links) = &self.links else {
            let place = local(document, value)?;
            return Ok(Target { place, scope });
        };
        let link = links.links.get(&value);
        let link = *link
            .expect("what is read as a schema was walked as one")
            .as_ref()
            .map_err(Clone::clone)?;
        let bound = link.dynamic.and_then(|name| self.scopes.bound(scope, name));
        let target = Target {
            place: bound.unwrap_or(link.place),
            scope,
        };
        let scope = self.context(document, target)?.scope;
        Ok(Target { scope, ..target })
    }
}

/// The draft of a schema that needs no registry: it is known by name, and all references are JSON
/// pointers within the document, in which no schema but the root has an identifier.
fn plain_draft(document: &Document, default: Draft) -> Option<Draft> {
    let root = document.root();
    let draft = match document.get(root, "$schema") {
        Some(value) => Draft::named(&document.string(value)?)?,
        None => default,
    };
    let identifier = match draft {
        Draft::Draft3 | Draft::Draft4 | Draft::OpenApi30 => r#""id""#,
        _ => r#""$id""#,
    };
    let (mut refers, mut embeds) = (false, false);
    for (key, value) in document.special_members() {
        match document.raw(key) {
            r#""$ref""# => {
                let reference = document.string(value);
                if reference.is_some_and(|reference| !is_pointer(&reference)) {
                    return None;
                }
                refers = true;
            }
            r#""$dynamicRef""# | r#""$recursiveRef""# => return None,
            name if name == identifier && document.parent(value) != Some(root) => {
                let id = document.string(value);
                embeds |= id.is_some_and(|id| !id.starts_with('#'));
            }
            r#""$schema""# if document.parent(value) != Some(root) => refers = true,
            _ if document.kind(key) == Kind::EscapedString => return None,
            _ => {}
        }
    }
    (!(refers && embeds)).then_some(draft)
}

/// Whether a reference is a JSON pointer within its document.
fn is_pointer(reference: &str) -> bool {
    reference.starts_with("#/") || reference == "#"
}

/// The place in the document that a JSON pointer leads to.
fn local(document: &Document, value: ValueId) -> Result<ValueId, SchemaError> {
    let malformed = |reason| SchemaError::malformed("$ref", pointer::of(document, value), reason);
    let reference = document.string(value);
    let reference = reference.ok_or_else(|| malformed("must be a string"))?;
    let fragment = reference.trim_start_matches('#');
    let place = pointer::resolve(document, document.root(), fragment);
    place.ok_or_else(|| malformed("leads nowhere"))
}
