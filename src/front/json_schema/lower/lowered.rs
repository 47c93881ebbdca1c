//! What the bodies of one schema share.

use std::sync::Arc;

use super::lead::Spaces;
use super::spelling::Forbidden;
use crate::base::RuleId;
use crate::front::json_schema::config::PropertyOrder;
use crate::front::json_schema::model::Model;
use crate::front::json_schema::values::SetId;

/// A model, and the rules of its sets.
#[derive(Debug)]
pub(super) struct Lowered {
    pub(super) model: Arc<Model>,
    pub(super) forbidden: Arc<Forbidden>,
    pub(super) whitespace: Spaces,
    pub(super) order: PropertyOrder,
    /// Per set of values, its rule where it stands inside another value.
    pub(super) rules: Vec<Option<RuleId>>,
}

impl Lowered {
    pub(super) fn rule(&self, set: SetId) -> RuleId {
        self.rules[set.index()].expect("sets that have members have rules")
    }
}
