//! What is remembered of the rules of one generation, by position.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use smallvec::SmallVec;

use super::absorb::absorbed;
use super::content::{Comers, RuleKey};
use super::contents::Contents;
use super::context::Context;
use super::crossings;
use super::ending::{Ending, Endings};
use super::mentions::Mentions;
use super::places::Place;
use super::rule::RuleMask;
use super::suffix::Suffixes;
use crate::base::{IdMap, LimitError};
use crate::grammar::{Ends, Words};
use crate::machine::{Item, Pos};

/// What the rules of one generation contribute, by position.
#[derive(Debug, Default)]
pub(super) struct LocalRules {
    contents: Contents,
    positions: Mutex<IdMap<Pos, Option<Arc<RuleMask>>>>,
    endings: Endings,
    mentions: OnceLock<SmallVec<[Arc<Mentions>; 1]>>,
}

impl LocalRules {
    pub(super) fn contents(&self) -> &Contents {
        &self.contents
    }

    /// Which tokens mention a text, for each way that the grammar's bodies delimit those they remember.
    pub(super) fn mentions(&self, context: &Context<'_>) -> &[Arc<Mentions>] {
        self.mentions.get_or_init(|| {
            let declared = context.generation.delimiters().iter();
            let of = |&delimiters| context.rules.mentions(context.vocabulary, delimiters);
            declared.map(of).collect()
        })
    }

    /// The tokens that end the rule of `item` by the `index`th exit of the position at `source`,
    /// and survive where its callers go on.
    pub(super) fn ending(
        &self,
        context: &Context<'_>,
        item: Item,
        (source, index): (Pos, u32),
        exit: &(Words, Suffixes),
    ) -> Result<Arc<Ending>, LimitError> {
        let over = context.over();
        let find = |after: Place, ending: &mut Ending| {
            if let Some(start) = after.sole(context.generation)
                && let Some(key) = self.key(context, source)
                && let comers = (Comers::Exit(key, index), &exit.1)
                && let Some(crossed) =
                    crossings::of_suffixes((context, &self.contents), start, comers)?
            {
                *ending = Ending::staying(&crossed);
                return crossed.behind(over, |ended| ending.push(ended));
            }
            exit.1.walk(over, after, |ended| ending.push(ended))
        };
        self.endings.get(over, item, (source, index), exit, find)
    }

    /// What the rule of `pos` contributes from there, if that is worth keeping.
    pub(super) fn get(
        &self,
        context: &Context<'_>,
        pos: Pos,
    ) -> Result<Option<Arc<RuleMask>>, LimitError> {
        let known = || {
            self.positions
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(mask) = known().get(pos) {
            return Ok(mask.clone());
        }
        let mask = self.make(context, pos)?;
        known().insert(pos, mask.clone());
        Ok(mask)
    }

    fn make(&self, context: &Context<'_>, pos: Pos) -> Result<Option<Arc<RuleMask>>, LimitError> {
        let Context {
            generation, rules, ..
        } = *context;
        if generation.words(pos).is_none() {
            return Ok(None);
        }
        let make = || {
            let wider = self.wider(context, pos)?;
            let mask = RuleMask::new(context.over(), pos, wider.as_deref())?;
            Ok(mask.map(Arc::new))
        };
        let Some(key) = self.key(context, pos) else {
            let is_worth_it = generation
                .shadow(pos)
                .is_some_and(|shadow| shadow.ends == Ends::Fewer)
                || absorbed(generation, pos)?.is_some();
            return if is_worth_it { make() } else { Ok(None) };
        };
        if let Some(mask) = rules.get(&key) {
            return Ok(mask);
        }
        let mask = make()?;
        rules.put(key, mask.clone());
        Ok(mask)
    }

    /// What is kept for all grammars has this key, if the rule of `pos` is told by its content.
    fn key(&self, context: &Context<'_>, pos: Pos) -> Option<RuleKey> {
        let generation = context.generation;
        let content = self.contents.get(context, generation.inst(pos))?;
        Some((content, generation.words(pos)?.clone()))
    }

    /// The mask of the position that `pos` is like but for the texts that end its rule, if any.
    fn wider(&self, context: &Context<'_>, pos: Pos) -> Result<Option<Arc<RuleMask>>, LimitError> {
        let shadow = context.generation.shadow(pos);
        match shadow.filter(|shadow| shadow.ends == Ends::Fewer) {
            Some(shadow) => self.get(context, context.generation.shadowed(&shadow)),
            None => Ok(None),
        }
    }
}
