//! Where rules come from, for people who ask why something may come.

use super::Words;
use crate::base::RuleId;

/// Where in its source stands what a body reads. It is worked out when it is asked for.
pub(crate) trait Provenance {
    /// Pointers to the parts of the source that the rule was written from; none where it cannot tell.
    fn own(&self) -> Vec<String>;

    /// Pointers to the parts of the source that say what a call at `state` to `callee` reads; none where that is a part of
    /// the rule's own values, such as a key or white space.
    fn called(&self, state: &Words, callee: RuleId) -> Vec<String>;
}
