//! What every computation of a mask needs, and what the rules of a generation say.

use std::sync::Mutex;

use rustc_hash::FxHashMap;

use super::places::Over;
use super::rule::Content;
use super::shared::RuleMasks;
use super::work::Work;
use crate::base::{TokenId, lock};
use crate::grammar::content_key;
use crate::machine::{Generation, Inst};
use crate::vocab::Vocabulary;

/// Everything a mask is made of.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) generation: &'a Generation,
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) rules: &'a RuleMasks,
    /// The tokens that end a text which may end.
    pub(crate) ends: &'a [TokenId],
    /// What the answer has cost so far.
    pub(crate) work: &'a Work<'a>,
}

impl<'a> Context<'a> {
    /// What tokens are tried over.
    pub(super) fn over(&self) -> Over<'a> {
        Over {
            generation: self.generation,
            vocabulary: self.vocabulary,
            rooms: self.rules.rooms(),
            work: self.work,
        }
    }
}

/// Rules that call others and have longer descriptions than this hardly recur.
const LONGEST: usize = 96;

/// What the rules of one generation say, by instance.
#[derive(Debug, Default)]
pub(super) struct Contents(Mutex<FxHashMap<Inst, Option<Content>>>);

impl Contents {
    /// What the rule of `inst` says, if its description is all of it.
    pub(super) fn get(&self, context: &Context<'_>, inst: Inst) -> Option<Content> {
        let mut known = lock(&self.0);
        let generation = context.generation;
        *known.entry(inst).or_insert_with(|| {
            if !generation.args(inst).is_empty() {
                return None;
            }
            let rule = generation.rule(inst);
            let description = content_key(generation.grammar(), rule, LONGEST)?;
            Some(context.rules.content(description))
        })
    }
}
