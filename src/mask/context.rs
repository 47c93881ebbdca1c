//! What every computation of a mask needs.

use super::places::Over;
use super::shared_rules::RuleMasks;
use crate::base::TokenId;
use crate::machine::Generation;
use crate::vocab::Vocabulary;

/// Everything a mask is made of.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) generation: &'a Generation,
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) rules: &'a RuleMasks,
    /// The tokens that end a text which may end.
    pub(crate) ends: &'a [TokenId],
}

impl<'a> Context<'a> {
    /// What tokens are tried over.
    pub(super) fn over(&self) -> Over<'a> {
        Over {
            generation: self.generation,
            vocabulary: self.vocabulary,
            rooms: self.rules.rooms(),
        }
    }
}
