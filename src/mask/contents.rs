//! What the rules of one generation say.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::content::Content;
use super::context::Context;
use crate::grammar::content_key;
use crate::machine::Inst;

/// What the rules of one generation say, by instance, as far as they need no long description.
#[derive(Debug)]
pub(super) struct Contents {
    known: Mutex<FxHashMap<Inst, Option<Content>>>,
    /// How many words a description has at most.
    longest: usize,
}

impl Contents {
    /// Those of rules with descriptions of at most so many words, unless they call nothing.
    pub(super) fn new(longest: usize) -> Self {
        Self {
            known: Mutex::default(),
            longest,
        }
    }

    /// What the rule of `inst` says, if its description is all of it.
    pub(super) fn get(&self, context: &Context<'_>, inst: Inst) -> Option<Content> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let generation = context.generation;
        *known.entry(inst).or_insert_with(|| {
            if !generation.args(inst).is_empty() {
                return None;
            }
            let rule = generation.rule(inst);
            let description = content_key(generation.grammar(), rule, self.longest)?;
            Some(context.rules.content(description))
        })
    }
}
