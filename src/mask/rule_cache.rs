//! What is remembered of the rules of one generation, by position.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::absorb::absorbed;
use super::context::Context;
use super::entry::Before;
use super::rule::RuleMask;
use super::shared_rules::Content;
use super::suffix::Endings;
use crate::base::{IdMap, LimitError};
use crate::grammar::{Ends, content_key};
use crate::machine::{Inst, Pos};

/// Rules that call others and have longer descriptions than this hardly recur.
const LONGEST_SHARED: usize = 64;

/// What the rules of one generation contribute, by position.
#[derive(Debug, Default)]
pub(super) struct LocalRules {
    contents: Mutex<FxHashMap<Inst, Option<Content>>>,
    positions: Mutex<IdMap<Pos, Option<Arc<RuleMask>>>>,
    /// The same behind white space.
    spaced: Mutex<IdMap<Pos, Option<Arc<RuleMask>>>>,
    endings: Endings,
}

impl LocalRules {
    pub(super) fn endings(&self) -> &Endings {
        &self.endings
    }

    /// What the rule of `pos` contributes from there, if that is worth keeping.
    pub(super) fn get(
        &self,
        context: &Context<'_>,
        (pos, before): (Pos, Before),
    ) -> Result<Option<Arc<RuleMask>>, LimitError> {
        let kept = match before {
            Before::Nothing => &self.positions,
            Before::WhiteSpace => &self.spaced,
        };
        let kept = || kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mask) = kept().get(pos) {
            return Ok(mask.clone());
        }
        let mask = self.make(context, (pos, before))?;
        kept().insert(pos, mask.clone());
        Ok(mask)
    }

    fn make(
        &self,
        context: &Context<'_>,
        (pos, before): (Pos, Before),
    ) -> Result<Option<Arc<RuleMask>>, LimitError> {
        let Context {
            generation, rules, ..
        } = *context;
        let Some(words) = generation.words(pos) else {
            return Ok(None);
        };
        let make = || {
            let over = context.over();
            let mask = match before {
                Before::Nothing => RuleMask::new(over, pos, self.wider(context, pos)?.as_deref())?,
                Before::WhiteSpace => RuleMask::behind_white(over, pos)?,
            };
            Ok(mask.map(Arc::new))
        };
        let Some(content) = self.content(context, generation.inst(pos)) else {
            let is_worth_it = before == Before::WhiteSpace || absorbed(generation, pos)?.is_some();
            return if is_worth_it { make() } else { Ok(None) };
        };
        let key = (content, before, words.clone());
        if let Some(mask) = rules.get(&key) {
            return Ok(mask);
        }
        let mask = make()?;
        rules.put(key, mask.clone());
        Ok(mask)
    }

    /// The mask of the position that `pos` is like but for the texts that end its rule, if any.
    fn wider(&self, context: &Context<'_>, pos: Pos) -> Result<Option<Arc<RuleMask>>, LimitError> {
        let shadow = context.generation.shadow(pos);
        match shadow.filter(|shadow| shadow.ends == Ends::Fewer) {
            Some(shadow) => {
                let wider = context.generation.shadowed(&shadow);
                self.get(context, (wider, Before::Nothing))
            }
            None => Ok(None),
        }
    }

    /// What the rule of `inst` says, if its description is all of it.
    fn content(&self, context: &Context<'_>, inst: Inst) -> Option<Content> {
        let mut rules = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        let generation = context.generation;
        *rules.entry(inst).or_insert_with(|| {
            if !generation.args(inst).is_empty() {
                return None;
            }
            let rule = generation.rule(inst);
            let description = content_key(generation.grammar(), rule, LONGEST_SHARED)?;
            Some(context.rules.content(description))
        })
    }
}
