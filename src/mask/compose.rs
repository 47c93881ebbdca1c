//! The mask of a state: the union of what its items allow.

use super::context::Context;
use super::crossings;
use super::ending::ended;
use super::entry::Entry;
use super::places::{Place, Places, Wanted};
use super::representation::{Mask, MaskBuilder};
use super::rule::{Inside, RuleMask};
use super::rule_cache::LocalRules;
use super::shadow;
use super::walk::{self, Below};
use crate::base::{LimitError, TokenId};
use crate::grammar::Ends;
use crate::machine::{ControlBinding, Generation, Item, StateId};

/// Computes the mask of `state`.
pub(super) fn of_state(
    context: &Context<'_>,
    rules: &LocalRules,
    state: StateId,
) -> Result<Mask, LimitError> {
    let generation = context.generation;
    let known = generation.state(state);
    let reads = |item: &&Item| !generation.node(item.pos).edges.is_empty();
    let mut out = MaskBuilder::new(context.rules.lists());
    for &item in known.items.iter().filter(reads) {
        add_item(context, rules, item, &mut out)?;
    }
    specials(generation, context.ends, state, |token| out.token(token));
    Ok(out.finish(context.vocabulary.mask_words()))
}

/// Computes the mask of `items`, from which nothing happens but steps within their bodies.
pub(super) fn of_items(
    context: &Context<'_>,
    rules: &LocalRules,
    items: &[Item],
) -> Result<Mask, LimitError> {
    let mut out = MaskBuilder::new(context.rules.lists());
    for &item in items {
        add_item(context, rules, item, &mut out)?;
    }
    Ok(out.finish(context.vocabulary.mask_words()))
}

/// Adds what `item` allows by edges of its own.
fn add_item<'c>(
    context: &Context<'c>,
    rules: &LocalRules,
    item: Item,
    out: &mut MaskBuilder<'c>,
) -> Result<(), LimitError> {
    if shared(context, rules, Entry::At(item), out)? {
        return Ok(());
    }
    let Context {
        generation,
        vocabulary,
        ..
    } = *context;
    let mut places = Places::surviving(context.over(), Place::Item(item));
    let mut behind = walk::behind_spaces(&mut places)?;
    if let Some(at) = behind {
        out.white_space(context.rules.white(vocabulary), vocabulary.spaces());
        if places.place(at) == Place::Call(item)
            && let Some(called) = Entry::called(generation, item)?
            && shared(context, rules, called, out)?
        {
            // What is left are the item's own edges.
            behind = Some(Places::START);
        }
    }
    let over = (vocabulary, Wanted::Survival);
    walk::from_start(&mut places, over, behind, |places, node, number| {
        if let Some(item) = places.item(number)
            && let Some(crossed) = crossings::below((context, rules.contents()), item, node)?
        {
            out.tokens(crossed.tokens());
            crossed.behind(context.over(), |(token, _)| out.token(token))?;
            return Ok(Below::Skip);
        }
        out.tokens(vocabulary.trie().tokens(node));
        Ok(Below::Walk)
    })
}

/// Adds what `entry` allows from what is kept for its rule; `false` where nothing is.
fn shared(
    context: &Context<'_>,
    rules: &LocalRules,
    entry: Entry,
    out: &mut MaskBuilder<'_>,
) -> Result<bool, LimitError> {
    let generation = context.generation;
    let shadow = generation.shadow(entry.pos());
    if let Some(shade) = shadow.filter(|shadow| shadow.ends == Ends::Same) {
        if !shadow::is_known_at(entry, &shade) {
            return Ok(false);
        }
        let source = generation.shadowed(&shade);
        let Some(mask) = rules.get(context, (source, entry.before()))? else {
            return Ok(false);
        };
        shadow::add(context, rules, entry, (&shade, source), &mask, out)?;
        return Ok(true);
    }
    let Some(mask) = rules.get(context, (entry.pos(), entry.before()))? else {
        return Ok(false);
    };
    add(context, &mask, entry, out)?;
    Ok(true)
}

fn add(
    context: &Context<'_>,
    mask: &RuleMask,
    entry: Entry,
    out: &mut MaskBuilder<'_>,
) -> Result<(), LimitError> {
    match &mask.inside {
        Inside::Row(row) => out.row(row.clone(), Vec::new()),
        Inside::List(list) => out.tokens(list),
    }
    for exit in &mask.exits {
        ended(context.over(), entry, exit, |(token, _)| out.token(token))?;
    }
    Ok(())
}

/// Calls `allow` with the special tokens that `state` allows: control tokens that are single
/// tokens, and the `ends` where the text may end.
pub(super) fn specials(
    generation: &Generation,
    ends: &[TokenId],
    state: StateId,
    mut allow: impl FnMut(TokenId),
) {
    let known = generation.state(state);
    for &control in &known.controls {
        if let ControlBinding::Token(token) = *generation.binding().control(control) {
            allow(token);
        }
    }
    if known.accepting {
        ends.iter().for_each(|&token| allow(token));
    }
}
