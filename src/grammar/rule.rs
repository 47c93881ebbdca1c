//! A rule of a checked grammar.

use std::borrow::Cow;

use super::Body;

/// A checked rule.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(super) name: Cow<'static, str>,
    pub(super) body: Body,
    pub(super) nullable: bool,
}

impl Rule {
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn body(&self) -> &Body {
        &self.body
    }

    /// Whether the rule may end, plainly, without input.
    pub(crate) fn nullable(&self) -> bool {
        self.nullable
    }
}
