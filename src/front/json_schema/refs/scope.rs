//! Dynamic scopes: what `$dynamicRef` and `$recursiveRef` find of the way that led to them.

use super::dialect::Dialect;
use crate::base::{LimitError, define_id};
use crate::front::json_schema::reader::ValueId;

define_id! {
    /// An interned scope.
    pub(crate) ScopeId
}
define_id! {
    /// A name that dynamic anchors of several resources bear.
    pub(crate) AnchorId
}

/// A schema and the scope it is reached in: what a reference leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Target {
    pub(crate) place: ValueId,
    pub(crate) scope: ScopeId,
}

/// What the keywords of a schema are read by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Context {
    pub(crate) dialect: Dialect,
    pub(crate) scope: ScopeId,
}

/// The place that an anchor of this name is bound to.
pub(super) type Binding = (AnchorId, ValueId);

/// How many scopes a schema may have: every schema may be read in each.
const SCOPES: usize = 256;

/// All scopes. A scope is a list of bindings, ascending by name: the outermost resource on the way
/// that has an anchor of this name binds it, for good.
#[derive(Debug)]
pub(super) struct Scopes(Vec<Box<[Binding]>>);

impl Scopes {
    /// The table with the empty scope alone.
    pub(super) fn new() -> Self {
        Self(vec![Box::default()])
    }

    /// `scope` after a resource was entered that has `anchors`.
    pub(super) fn enter(
        &mut self,
        scope: ScopeId,
        anchors: &[Binding],
    ) -> Result<ScopeId, LimitError> {
        let bound = |&(name, _): &Binding| self.bound(scope, name).is_some();
        if anchors.iter().all(bound) {
            return Ok(scope);
        }
        let mut bindings = self.0[scope.index()].to_vec();
        bindings.extend(anchors.iter().filter(|binding| !bound(binding)));
        bindings.sort_unstable();
        let known = self.0.iter().position(|known| **known == *bindings);
        let index = known.unwrap_or(self.0.len());
        if known.is_none() {
            LimitError::check("dynamic scopes of a schema", index + 1, SCOPES)?;
            self.0.push(bindings.into_boxed_slice());
        }
        Ok(ScopeId::from_usize(index))
    }

    /// The place that `name` is bound to in `scope`.
    pub(super) fn bound(&self, scope: ScopeId, name: AnchorId) -> Option<ValueId> {
        let bindings = &self.0[scope.index()];
        let at = bindings.binary_search_by_key(&name, |&(name, _)| name);
        at.ok().map(|at| bindings[at].1)
    }
}

impl ScopeId {
    /// The scope in which nothing is bound.
    pub(super) const EMPTY: Self = Self::new(0);
}
