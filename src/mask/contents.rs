//! What the rules of one generation say.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::content::Content;
use super::context::Context;
use crate::grammar::content_key;
use crate::machine::Inst;

/// Rules that call others and have longer descriptions than this hardly recur.
const LONGEST: usize = 96;

/// What the rules of one generation say, by instance.
#[derive(Debug, Default)]
pub(super) struct Contents(Mutex<FxHashMap<Inst, Option<Content>>>);

impl Contents {
    /// What the rule of `inst` says, if its description is all of it.
    pub(super) fn get(&self, context: &Context<'_>, inst: Inst) -> Option<Content> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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
