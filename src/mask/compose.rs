//! The mask of a state: the union of what its items allow.

use super::context::Context;
use super::item::by_edges;
use super::local::{LocalRules, ended};
use super::mechanism::Mechanism;
use super::representation::{Mask, MaskBuilder};
use super::rule::{Contribution, Inside};
use super::shadow;
use crate::base::{LimitError, TokenId};
use crate::grammar::{Ends, Shadow};
use crate::machine::{Generation, Item, Pos, StateId};

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
    add_items(context, rules, known.items.iter().filter(reads), &mut out)?;
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
    add_items(context, rules, items.iter(), &mut out)?;
    Ok(out.finish(context.vocabulary.mask_words()))
}

/// Adds what `items` allow.
fn add_items<'c, 'i>(
    context: &Context<'c>,
    rules: &LocalRules,
    items: impl Iterator<Item = &'i Item>,
    out: &mut MaskBuilder<'c>,
) -> Result<(), LimitError> {
    for &item in items {
        if !add_known(context, rules, item, out)? {
            by_edges((context, rules.contents()), item, out)?;
        }
    }
    Ok(())
}

/// Adds what `item` allows, if something is kept for its rule; whether that is so.
fn add_known(
    context: &Context<'_>,
    rules: &LocalRules,
    item: Item,
    out: &mut MaskBuilder<'_>,
) -> Result<bool, LimitError> {
    let (source, shadow) = source(context.generation, item);
    let Some(mask) = rules.get(context, source)? else {
        return Ok(false);
    };
    match &shadow {
        None => add(context, &mask, item, out)?,
        Some(shadow) => shadow::add(context, rules, item, (shadow, source), &mask, out)?,
    }
    Ok(true)
}

/// How the tokens of `item` come into a mask.
pub(super) fn mechanism(
    context: &Context<'_>,
    rules: &LocalRules,
    item: Item,
) -> Result<Mechanism, LimitError> {
    let (source, shadow) = source(context.generation, item);
    Ok(match (rules.get(context, source)?, shadow) {
        (None, _) => Mechanism::Walk,
        (Some(_), None) => Mechanism::Contribution,
        (Some(_), Some(_)) => Mechanism::Cut,
    })
}

/// The position whose contribution serves for `item`, and how it is cut.
fn source(generation: &Generation, item: Item) -> (Pos, Option<Shadow<'_>>) {
    let shadow = generation.shadow(item.pos);
    match shadow.filter(|shadow| shadow.ends != Ends::Fewer) {
        None => (item.pos, None),
        Some(shadow) => (generation.shadowed(&shadow), Some(shadow)),
    }
}

fn add(
    context: &Context<'_>,
    mask: &Contribution,
    item: Item,
    out: &mut MaskBuilder<'_>,
) -> Result<(), LimitError> {
    match &mask.inside {
        Inside::Row(row) => out.row(row.clone(), Vec::new()),
        Inside::List(list) => out.tokens(list),
    }
    for exit in &mask.exits {
        ended(context.over(), item, exit, |(token, _)| out.token(token))?;
    }
    Ok(())
}

/// Calls `allow` with the tokens that `state` allows whatever they spell: those of control tokens, and
/// the `ends` where the text may end.
pub(super) fn specials(
    generation: &Generation,
    ends: &[TokenId],
    state: StateId,
    mut allow: impl FnMut(TokenId),
) {
    let known = generation.state(state);
    for &control in &known.controls {
        let tokens = generation.binding().control(control).tokens();
        tokens.for_each(&mut allow);
    }
    if known.accepting {
        ends.iter().for_each(|&token| allow(token));
    }
}
