//! Where the tokens of a state lead, and the ways from there to the end.
//!
//! Many tokens lead to one state, and have one way. Where bodies remember what was read they lead to as many states as
//! there are tokens; so the walk remembers nothing, and each token is held against the way of those that lead where
//! it leads: if no delimited text of one comes again in the other, the way is open to it, as
//! [`Remembering`](crate::grammar::Remembering) promises. If one may, a way is looked for from its own state.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Constraint;
use super::bounds::Bounds;
use super::live::Live;
use super::mentions::Memory;
use super::way::{CONTROL, Way, cost};
use crate::base::{LimitError, TokenId};
use crate::machine::{StateId, Step};
use crate::vocab::{NodeId, TokenKind, row};

impl Constraint {
    /// The way from `state` to an end.
    pub(super) fn way(&self, live: &Live, state: StateId) -> Result<Arc<Way>, LimitError> {
        if let Some(known) = live.ways().get(&state) {
            return Ok(known.clone());
        }
        let steps = match live.generation.state(state).accepting {
            true => Vec::new(),
            false => live.generation.way_out(state)?,
        };
        let way = Arc::new(self.written(live, &steps));
        let _dropped = live.ways().insert(state, way.clone(), way.bytes());
        Ok(way)
    }

    fn written(&self, live: &Live, steps: &[Step]) -> Way {
        let runs = steps.chunk_by(|a, b| matches!((a, b), (Step::Byte(_), Step::Byte(_))));
        let text = steps.iter().map(|step| match *step {
            Step::Byte(byte) => byte,
            Step::Control(_) => CONTROL,
        });
        Way {
            tokens: runs.flat_map(|run| self.spelt(live, run)).collect(),
            text: text.collect(),
        }
    }

    /// The tokens of a run of bytes, or of a control token.
    fn spelt(&self, live: &Live, run: &[Step]) -> Vec<TokenId> {
        if let [Step::Control(control)] = *run {
            let binding = live.generation.binding();
            return binding.control(control).tokens().take(1).collect();
        }
        let bytes = run.iter().filter_map(|step| match *step {
            Step::Byte(byte) => Some(byte),
            Step::Control(_) => None,
        });
        let bytes: Vec<u8> = bytes.collect();
        let is_text = |token| !self.is_ordinary_end(token);
        self.vocabulary().fewest_tokens_of(&bytes, is_text)
    }

    /// How far the end is after each token that may come in `state`.
    pub(super) fn bounds(&self, live: &Live, state: StateId) -> Result<Arc<Bounds>, LimitError> {
        if let Some(known) = live.bounds().get(&state) {
            return Ok(known.clone());
        }
        let bounds = Arc::new(self.survey(live, state)?);
        let _dropped = live.bounds().insert(state, bounds.clone(), bounds.bytes());
        Ok(bounds)
    }

    fn survey(&self, live: &Live, state: StateId) -> Result<Bounds, LimitError> {
        let mut mask = row::empty(self.vocabulary().len());
        self.fill(live, state, &mut mask)?;
        let mut survey = Survey {
            constraint: self,
            live,
            state,
            memory: Memory::of(&live.generation, state)?,
            ways: Vec::new(),
            by_state: FxHashMap::default(),
        };
        let mut tokens = Vec::new();
        let began = live.generation.cost();
        for (token, to) in survey.reached(&mask)? {
            row::remove(&mut mask, token);
            let way = survey.way(token, to)?;
            live.generation.check_answer(began)?;
            let cost = cost(self.vocabulary(), Some(token), &survey.ways[way].way.tokens);
            tokens.push((token, cost, way as u32));
        }
        let ways = survey.ways.into_iter().map(|found| found.way).collect();
        Ok(Bounds::new(tokens, ways, mask))
    }
}

/// A way that was found, and for whom.
struct Found {
    way: Arc<Way>,
    /// Whether it says nothing that is remembered in the state that the survey is of.
    is_clean: bool,
}

/// Where the tokens of one state lead, and the ways from there.
struct Survey<'a> {
    constraint: &'a Constraint,
    live: &'a Live,
    state: StateId,
    memory: Option<Memory>,
    ways: Vec<Found>,
    /// The ways that were found from each state.
    by_state: FxHashMap<StateId, Vec<usize>>,
}

impl Survey<'_> {
    /// The tokens of `mask` that do not end the text, each with the state that it leads to if nothing is remembered.
    fn reached(&self, mask: &[u32]) -> Result<Vec<(TokenId, StateId)>, LimitError> {
        let generation = &self.live.generation;
        let began = generation.cost();
        let trie = self.constraint.vocabulary().trie();
        let mut reached = Vec::new();
        let mut path = vec![match self.memory {
            Some(_) => generation.forgetful(self.state)?,
            None => self.state,
        }];
        let nodes = trie.nodes();
        let mut index = 1;
        while index < trie.node_count() {
            let entry = nodes[index];
            path.truncate(trie.depth(NodeId::from_index(index)));
            let from = path[path.len() - 1];
            let to = generation.advance_unrecorded(from, entry.byte())?;
            generation.check_answer(began)?;
            if to == StateId::DEAD {
                index = entry.end();
                continue;
            }
            let tokens = trie.tokens(NodeId::from_index(index)).iter();
            let tokens = tokens.filter(|&&token| self.is_text(mask, token));
            reached.extend(tokens.map(|&token| (token, to)));
            path.push(to);
            index += 1;
        }
        if !generation.state(self.state).controls.is_empty() {
            self.add_controls(mask, &mut reached)?;
        }
        Ok(reached)
    }

    fn is_text(&self, mask: &[u32], token: TokenId) -> bool {
        row::contains(mask, token) && !self.constraint.is_ordinary_end(token)
    }

    /// Lets the tokens that are control tokens lead where these lead, too.
    fn add_controls(
        &self,
        mask: &[u32],
        reached: &mut Vec<(TokenId, StateId)>,
    ) -> Result<(), LimitError> {
        let generation = &self.live.generation;
        let mut by_token: FxHashMap<TokenId, StateId> = reached.drain(..).collect();
        for token in row::tokens(mask) {
            let to = generation.advance_token(self.state, token)?;
            let before = by_token.get(&token).copied().unwrap_or(StateId::DEAD);
            let to = generation.either(before, to)?;
            if to != StateId::DEAD {
                by_token.insert(token, to);
            }
        }
        reached.extend(by_token);
        reached.sort_unstable_by_key(|&(token, _)| token);
        Ok(())
    }

    /// The number of a way from where `token` leads, which is `to` if nothing is remembered.
    fn way(&mut self, token: TokenId, to: StateId) -> Result<usize, LimitError> {
        if !self.by_state.contains_key(&to) {
            let way = self.constraint.way(self.live, to)?;
            self.add(way, to, Memory::is_clean);
        }
        let known = &self.by_state[&to];
        let Some(memory) = &self.memory else {
            return Ok(known[0]);
        };
        let text = self
            .constraint
            .vocabulary()
            .bytes(token)
            .unwrap_or_default();
        let fits = |&&way: &&usize| {
            let Found { way, is_clean } = &self.ways[way];
            *is_clean && memory.allows(text, &way.text)
        };
        if let Some(&way) = known.iter().find(fits) {
            return Ok(way);
        }
        let way = self.own_way(token)?;
        Ok(self.add(way, to, |_, _| true))
    }

    /// The way from the state that `token` leads to, looked for there.
    fn own_way(&self, token: TokenId) -> Result<Arc<Way>, LimitError> {
        let generation = &self.live.generation;
        let vocabulary = self.constraint.vocabulary();
        let mut to = StateId::DEAD;
        if !self.constraint.is_ordinary_end(token) && vocabulary.kind(token) == TokenKind::Ordinary
        {
            let bytes = vocabulary.bytes(token).unwrap_or_default().iter();
            to = bytes
                .copied()
                .try_fold(self.state, |at, byte| generation.advance(at, byte))?;
        }
        let control = generation.advance_token(self.state, token)?;
        self.constraint
            .way(self.live, generation.either(to, control)?)
    }

    fn add(
        &mut self,
        way: Arc<Way>,
        to: StateId,
        is_clean: impl Fn(&Memory, &[u8]) -> bool,
    ) -> usize {
        let memory = self.memory.as_ref();
        let is_clean = memory.is_none_or(|memory| is_clean(memory, &way.text));
        self.ways.push(Found { way, is_clean });
        let index = self.ways.len() - 1;
        self.by_state.entry(to).or_default().push(index);
        index
    }
}
