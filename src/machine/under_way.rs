//! Which texts that may be remembered are under way in a state.

use super::generation::Generation;
use super::state::StateId;
use crate::grammar::{Delimiters, Progress};

impl Generation {
    /// The texts that may be remembered in which `state` is: how they are delimited, and how far it is.
    pub(crate) fn texts_under_way(
        &self,
        state: StateId,
    ) -> impl Iterator<Item = (Delimiters, Progress)> {
        let items = self.state(state).items.iter();
        items.filter_map(|item| {
            let rule = self.grammar().rule(self.rule(self.inst(item.pos)));
            let body = rule.body().hints().remembering()?;
            let progress = body.progress(self.words(item.pos)?)?;
            Some((body.delimiters(), progress))
        })
    }
}
