//! A short text to the end: what each position's own rule still needs is searched for once, whoever waits for it, and kept;
//! what is left is the way through the callers.
//!
//! Positions are asked how far the end of their rule is in rounds, of which each looks four times as far: so a rule that needs much is
//! not searched to its end where another item's is near.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashSet;

use super::closure::Closing;
use super::node::{Exit, Pos};
use super::origin::Origin;
use super::path::{IMPATIENT, Path, Rest, Rests, Text};
use super::state::Item;
use crate::base::LimitError;

/// What it costs to go on at a caller or to note where one stops.
const STEPS_PER_SITE: usize = 16;

/// How many steps the first round looks; each further one looks four times as far, up to [`IMPATIENT`], and the last one to any end.
const FIRST_LOOK: u64 = 8;

/// A position on a way, with those who wait for its rule to end.
struct Node {
    item: Item,
    /// The node whose rule ended before.
    before: Option<usize>,
    /// What is to come of its own rule, once that is known.
    path: Option<Path>,
}

/// What is next at a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    End,
    Begin,
}

/// What a round finds.
enum Found {
    Text(Text),
    /// Something that is further than the round looks may be nearer.
    Nothing,
    /// A rule has ended so that none of its callers goes on, or too much is near: this is told by a search of all ends.
    NotTold,
}

#[derive(Default)]
struct Round {
    nodes: Vec<Node>,
    agenda: BinaryHeap<Reverse<(u64, Turn, usize)>>,
    known: FxHashSet<Item>,
    /// Whatever lies beyond the round is so far away at least.
    beyond: Option<u64>,
}

impl Closing<'_, '_> {
    /// A short text from the state with this kernel to an end; `None` where that is not told so.
    ///
    /// PERF: within 40 to 300 open objects p99 of masks under a deadline is three quarters of what it is otherwise (benches/LOG.md). Over
    /// 300 required objects surveys meet `work` without it, and over an enum of 1,000 the worst takes 71 ms for 46 (`hostile --all due-`).
    pub(super) fn nearest(
        &mut self,
        kernel: &[Item],
        rests: &mut Rests,
    ) -> Result<Option<Text>, LimitError> {
        let mut look = FIRST_LOOK;
        loop {
            match self.round(kernel, look, rests)? {
                Found::Text(text) => return Ok(Some(text)),
                Found::Nothing if look < u64::MAX => {}
                Found::Nothing | Found::NotTold => return Ok(None),
            }
            look = match look < IMPATIENT {
                true => 4 * look,
                false => u64::MAX,
            };
        }
    }

    fn round(
        &mut self,
        kernel: &[Item],
        look: u64,
        rests: &mut Rests,
    ) -> Result<Found, LimitError> {
        let mut round = Round::default();
        for &item in kernel {
            round.push(item, 0, None);
        }
        while let Some(Reverse((steps, turn, at))) = round.agenda.pop() {
            if round.beyond.is_some_and(|beyond| beyond < steps) {
                break;
            }
            self.charge(STEPS_PER_SITE)?;
            let Item { pos, origin } = round.nodes[at].item;
            match (turn, self.rest(pos, look, rests)?) {
                (_, Rest::Wide(_)) => return Ok(Found::NotTold),
                (_, Rest::Beyond(least)) => {
                    let least = steps.saturating_add(least);
                    let known = round.beyond.unwrap_or(u64::MAX);
                    round.beyond = Some(known.min(least));
                }
                (Turn::Begin, Rest::Known(known)) => {
                    let end = steps.saturating_add(known.path.len() as u64);
                    round.nodes[at].path = Some(known.path);
                    round.agenda.push(Reverse((end, Turn::End, at)));
                }
                (Turn::End, Rest::Known(_)) if origin == Origin::BOTTOM => {
                    return Ok(Found::Text(round.text(at)));
                }
                (Turn::End, Rest::Known(known)) => {
                    let sites = self.sites(Item { pos, origin }, known.exit)?;
                    if sites.is_empty() {
                        return Ok(Found::NotTold);
                    }
                    let sites = sites.into_iter();
                    sites.for_each(|site| round.push(site, steps, Some(at)));
                }
            }
        }
        Ok(Found::Nothing)
    }

    /// Where those go on who wait for the rule of `item`, which ends so.
    fn sites(&mut self, item: Item, exit: Exit) -> Result<Vec<Item>, LimitError> {
        let inst = self.expander.positions.inst(item.pos);
        let mut sites = Vec::new();
        let (origins, expander) = (&mut self.closer.origins, &mut self.expander);
        origins.returns(inst, exit, item.origin, expander, |_, pos, origin| {
            sites.push(Item { pos, origin });
        });
        self.charge(STEPS_PER_SITE * sites.len())?;
        Ok(sites)
    }

    /// What is to come of the rule of `pos`, as far as `look` steps.
    fn rest(&mut self, pos: Pos, look: u64, rests: &mut Rests) -> Result<Rest, LimitError> {
        if let Some(known) = rests.get(&pos) {
            return Ok(Rest::Known(known.clone()));
        }
        let rest = match self.closer.rests.get(&pos) {
            Some(known @ Rest::Known(_)) => known.clone(),
            Some(known @ Rest::Beyond(least)) if *least >= look => known.clone(),
            // As a search would say it that had not looked further before.
            Some(Rest::Wide(least)) if *least > look => Rest::Beyond(look),
            Some(known @ Rest::Wide(_)) => known.clone(),
            _ => self.look_for_rest(pos, look)?,
        };
        if let Rest::Known(known) = &rest {
            let stops = known.behind_stops();
            self.charge(STEPS_PER_SITE * stops.len())?;
            for (stop, behind) in stops {
                rests.entry(stop).or_insert(behind);
            }
            rests.insert(pos, known.clone());
        }
        Ok(rest)
    }

    fn look_for_rest(&mut self, pos: Pos, look: u64) -> Result<Rest, LimitError> {
        let rest = self.rest_of_rule(pos, look)?;
        let before = self.closer.rests.insert(pos, rest.clone());
        let before = before.map_or(0, |before| before.bytes());
        self.closer.bytes += rest.bytes() - before;
        Ok(rest)
    }
}

impl Round {
    fn push(&mut self, item: Item, steps: u64, before: Option<usize>) {
        if self.known.insert(item) {
            let at = self.nodes.len();
            self.nodes.push(Node {
                item,
                before,
                path: None,
            });
            self.agenda.push(Reverse((steps, Turn::Begin, at)));
        }
    }

    /// The text that ends at the node `end`.
    fn text(&self, end: usize) -> Text {
        let mut parts = Vec::new();
        let mut next = Some(end);
        while let Some(at) = next {
            parts.extend(self.nodes[at].path.clone());
            next = self.nodes[at].before;
        }
        parts.into_iter().rev().collect()
    }
}
