//! The crossings of passages, as they are met.

use std::borrow::Cow;
use std::sync::Arc;

use super::content::Comers;
use super::contents::Contents;
use super::context::Context;
use super::crossing::{Crossed, Crossing};
use super::passage::Passage;
use super::shared_rules::Met;
use super::suffix::{SuffixTrie, Suffixes};
use crate::base::{ByteSet, LimitError};
use crate::machine::Item;
use crate::vocab::NodeId;

/// Where fewer nodes lie below, they are walked as fast.
const WORTH_CROSSING: usize = 64;

/// What becomes of the `suffixes` of those `comers` in the passage that `start` begins, if that is known or
/// worth knowing.
pub(super) fn of_suffixes(
    (context, contents): (&Context<'_>, &Contents),
    start: Item,
    (comers, suffixes): (Comers, &Suffixes),
) -> Result<Option<Crossed>, LimitError> {
    let all = |_: &_| Cow::Borrowed(suffixes.gather(context.vocabulary));
    crossed((context, contents), start, (comers, all))
}

/// The same of the tokens that begin with the bytes of `node`.
pub(super) fn below(
    (context, contents): (&Context<'_>, &Contents),
    start: Item,
    node: NodeId,
) -> Result<Option<Crossed>, LimitError> {
    let vocabulary = context.vocabulary;
    let trie = vocabulary.trie();
    if trie.subtree_size(node) < WORTH_CROSSING {
        return Ok(None);
    }
    let live = |live: &ByteSet| {
        let depth = trie.nodes()[node.index()].depth();
        let children = trie.children(node).filter(|&(byte, _)| live.contains(byte));
        let below = children.flat_map(|(_, child)| trie.subtree_tokens(child));
        let suffixes = trie.tokens(node).iter().chain(below).map(|&token| {
            let bytes = vocabulary.bytes(token).unwrap_or_default();
            (&bytes[depth..], token, depth as u16)
        });
        Cow::Owned(SuffixTrie::new(suffixes.collect()))
    };
    crossed((context, contents), start, (Comers::Below(node), live))
}

/// The same of the `suffixes` that begin with these bytes, which are all that can be read.
fn crossed<'s>(
    (context, contents): (&Context<'_>, &Contents),
    start: Item,
    (comers, suffixes): (Comers, impl FnOnce(&ByteSet) -> Cow<'s, SuffixTrie>),
) -> Result<Option<Crossed>, LimitError> {
    let Context {
        generation, rules, ..
    } = *context;
    let Some(passage) = Passage::new(generation, start.pos) else {
        return Ok(None);
    };
    let content = |inst| contents.get(context, inst);
    let Some(way) = passage.key(generation, content) else {
        return Ok(None);
    };
    let key = (comers, way);
    let crossing = match rules.crossing(&key) {
        None => return Ok(None),
        Some(Met::Often(known)) => known,
        Some(Met::Once) => {
            let suffixes = suffixes(&passage.live(generation)?);
            let made = Crossing::new(context.over(), &passage, &suffixes)?;
            let made = made.map(Arc::new);
            rules.put_crossing(key, made.clone());
            made
        }
    };
    Ok(crossing.map(|crossing| Crossed::new(crossing, passage, start)))
}
