//! Where the tokens of a state lead, and the ways from there to the end.
//!
//! Many tokens lead to one state, and have one way. Where bodies remember what was read they lead to as many states as
//! there are tokens; so the walk remembers nothing, and each token is held against the way of those that lead where
//! it leads: if no delimited text of one comes again in the other, the way is open to it, as
//! [`Remembering`](crate::grammar::Remembering) promises. If one may, a way is looked for from its own state.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Constraint;
use super::bounds::{Bounds, Levels};
use super::live::Live;
use super::mentions::{Memory, Mentioned};
use super::way::{CONTROL, Way, cost};
use crate::base::{LimitError, TokenId};
use crate::machine::{Generation, StateId, Step};
use crate::mask::Work;
use crate::vocab::{NodeId, TokenKind, row};

/// What a byte of a way costs that is written in tokens and held against what is remembered, and a token that is held
/// against a way.
const STEPS_PER_BYTE: usize = 16;
const STEPS_PER_TOKEN: usize = 8;

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
        let work = Work::on(&live.generation);
        let memory = Memory::of(&live.generation, state)?;
        let start = match memory {
            Some(_) => live.generation.forgetful(state)?,
            None => state,
        };
        let survey = Survey {
            constraint: self,
            live,
            state,
            start,
            memory,
            work,
        };
        let mut levels = Levels::default();
        for (to, tokens) in survey.reached(&mask)? {
            tokens
                .iter()
                .for_each(|&token| row::remove(&mut mask, token));
            survey.add(to, tokens, &mut levels)?;
        }
        Ok(levels.finish(start, mask))
    }

    /// The way that `token` has after `state`, which allows it, by what was found there, and what it costs.
    pub(super) fn way_after(
        &self,
        live: &Live,
        (state, bounds): (StateId, &Bounds),
        token: TokenId,
    ) -> Result<Option<(usize, Arc<Way>)>, LimitError> {
        let way = match bounds.own(token) {
            Some(own) => Some(own.clone()),
            None => {
                let to = self.reached_by(live, (state, bounds.start()), token)?;
                bounds.shared(to).cloned()
            }
        };
        Ok(way.map(|way| (cost(self.vocabulary(), Some(token), &way.tokens), way)))
    }

    /// Where `token` leads: its bytes from the one state, if nothing is remembered, or what it is as a control token of the
    /// other.
    fn reached_by(
        &self,
        live: &Live,
        (state, start): (StateId, StateId),
        token: TokenId,
    ) -> Result<StateId, LimitError> {
        let generation = &live.generation;
        let mut to = StateId::DEAD;
        if let Some(text) = self.text(token) {
            to = text
                .iter()
                .try_fold(start, |at, &byte| generation.advance_unrecorded(at, byte))?;
        }
        generation.either(to, generation.advance_token(state, token)?)
    }

    /// The bytes of a token that is text.
    fn text(&self, token: TokenId) -> Option<&[u8]> {
        let vocabulary = self.vocabulary();
        let is_text = !self.is_ordinary_end(token) && vocabulary.kind(token) == TokenKind::Ordinary;
        vocabulary.bytes(token).filter(|_| is_text)
    }
}

/// Tokens, with the state that they lead to if nothing is remembered.
type Reached = (StateId, Vec<TokenId>);

/// Where the tokens of one state lead, and the ways from there.
struct Survey<'a> {
    constraint: &'a Constraint,
    live: &'a Live,
    state: StateId,
    /// The state as it would be with nothing remembered.
    start: StateId,
    memory: Option<Memory>,
    work: Work<'a>,
}

impl Survey<'_> {
    /// The tokens of `mask` that do not end the text.
    fn reached(&self, mask: &[u32]) -> Result<Vec<Reached>, LimitError> {
        let trie = self.constraint.vocabulary().trie();
        let mut steps = Steps::new(&self.live.generation, self.start, &self.work);
        let mut path = vec![Steps::START];
        let nodes = trie.nodes();
        let mut index = 1;
        while index < trie.node_count() {
            let entry = nodes[index];
            let node = NodeId::from_index(index);
            path.truncate(trie.depth(node));
            let to = steps.next(path[path.len() - 1], entry.byte())?;
            if to == Steps::DEAD {
                index = entry.end();
                continue;
            }
            let tokens = trie.tokens(node).iter().copied();
            steps.arrive(to, tokens.filter(|&token| self.is_text(mask, token)));
            path.push(to);
            index += 1;
        }
        let reached = steps.finish();
        match self.live.generation.state(self.state).controls.is_empty() {
            true => Ok(reached),
            false => self.with_controls(mask, reached),
        }
    }

    fn is_text(&self, mask: &[u32], token: TokenId) -> bool {
        row::contains(mask, token) && !self.constraint.is_ordinary_end(token)
    }

    /// Lets the tokens that are control tokens lead where these lead, too.
    fn with_controls(
        &self,
        mask: &[u32],
        reached: Vec<Reached>,
    ) -> Result<Vec<Reached>, LimitError> {
        let generation = &self.live.generation;
        let each = |(to, tokens): Reached| tokens.into_iter().map(move |token| (token, to));
        let by_token: FxHashMap<TokenId, StateId> = reached.into_iter().flat_map(each).collect();
        let mut by_state: BTreeMap<StateId, Vec<TokenId>> = BTreeMap::new();
        for token in row::tokens(mask) {
            let to = generation.advance_token(self.state, token)?;
            let before = by_token.get(&token).copied().unwrap_or(StateId::DEAD);
            let to = generation.either(before, to)?;
            if to != StateId::DEAD {
                by_state.entry(to).or_default().push(token);
            }
        }
        Ok(by_state.into_iter().collect())
    }

    /// Adds a way for each of `tokens`, which lead to the state `to` if nothing is remembered: that state's where it is open to
    /// them, else one of their own.
    fn add(
        &self,
        to: StateId,
        mut tokens: Vec<TokenId>,
        levels: &mut Levels,
    ) -> Result<(), LimitError> {
        let vocabulary = self.constraint.vocabulary();
        let way = self.way(to)?;
        if let Some(memory) = &self.memory {
            self.work.charge(STEPS_PER_TOKEN * tokens.len())?;
            let is_clean = memory.is_clean(&way.text);
            let mentioned = memory.mentioned(&way.text);
            let is_open = |token: TokenId| {
                !memory.concerns(vocabulary, token, &mentioned) || {
                    let text = vocabulary.bytes(token).unwrap_or_default();
                    memory.allows(text, &mentioned)
                }
            };
            let is_refused = |token: &mut TokenId| !is_clean || !is_open(*token);
            let refused: Vec<TokenId> = tokens.extract_if(.., is_refused).collect();
            self.add_refused(memory, &refused, levels)?;
        }
        if way.tokens.is_empty() {
            // Tokens that end the text by themselves cost less.
            for token in tokens {
                levels.add(cost(vocabulary, Some(token), &[]), [token]);
            }
        } else if !tokens.is_empty() {
            levels.add(cost(vocabulary, None, &way.tokens), tokens);
        }
        levels.share(to, way);
        Ok(())
    }

    /// Adds a way for each of `tokens`, to which that of the state that they lead to is not open.
    fn add_refused(
        &self,
        memory: &Memory,
        tokens: &[TokenId],
        levels: &mut Levels,
    ) -> Result<(), LimitError> {
        let vocabulary = self.constraint.vocabulary();
        let mut ways: Vec<(Mentioned, Arc<Way>)> = Vec::new();
        for &token in tokens {
            let text = vocabulary.bytes(token).unwrap_or_default();
            self.work.charge(STEPS_PER_TOKEN * (ways.len() + 1))?;
            let mut known = ways.iter();
            let way = match known.find(|(mentioned, _)| memory.allows(text, mentioned)) {
                Some((_, known)) => known.clone(),
                None => {
                    let own = self.own_way(token)?;
                    ways.push((memory.mentioned(&own.text), own.clone()));
                    own
                }
            };
            levels.add_own(token, cost(vocabulary, Some(token), &way.tokens), way);
        }
        Ok(())
    }

    /// The way from the state that `token` leads to, looked for there.
    fn own_way(&self, token: TokenId) -> Result<Arc<Way>, LimitError> {
        let generation = &self.live.generation;
        let mut to = StateId::DEAD;
        if let Some(text) = self.constraint.text(token) {
            to = text
                .iter()
                .try_fold(self.state, |at, &byte| generation.advance(at, byte))?;
        }
        let control = generation.advance_token(self.state, token)?;
        self.way(generation.either(to, control)?)
    }

    /// The way from `state`, which is charged as if nobody had asked for it before.
    fn way(&self, state: StateId) -> Result<Arc<Way>, LimitError> {
        let way = self.constraint.way(self.live, state)?;
        self.work.charge(STEPS_PER_BYTE * way.text.len())?;
        Ok(way)
    }
}

/// Where bytes lead if nothing is remembered, and what tokens come there: states by numbers, in the order in which they are met.
///
/// PERF: within a string some 400,000 bytes lead to a dozen states. With this, and tokens taken together that lead to one state, a survey
/// takes a fourth to a sixth of the time where nothing is remembered (benches/LOG.md).
struct Steps<'g> {
    generation: &'g Generation,
    work: &'g Work<'g>,
    numbers: FxHashMap<StateId, u32>,
    reached: Vec<Reached>,
    /// By state, where each byte leads.
    rows: Vec<[u32; 256]>,
}

const UNKNOWN: u32 = u32::MAX;

impl<'g> Steps<'g> {
    const DEAD: u32 = 0;
    const START: u32 = 1;

    fn new(generation: &'g Generation, start: StateId, work: &'g Work<'g>) -> Self {
        let mut steps = Self {
            generation,
            work,
            numbers: FxHashMap::default(),
            reached: Vec::new(),
            rows: Vec::new(),
        };
        steps.number(StateId::DEAD);
        steps.number(start);
        steps
    }

    fn number(&mut self, state: StateId) -> u32 {
        let next = self.reached.len() as u32;
        let number = *self.numbers.entry(state).or_insert(next);
        if number == next {
            self.reached.push((state, Vec::new()));
            self.rows.push([UNKNOWN; 256]);
        }
        number
    }

    #[inline]
    fn next(&mut self, from: u32, byte: u8) -> Result<u32, LimitError> {
        match self.rows[from as usize][usize::from(byte)] {
            UNKNOWN => self.discover(from, byte),
            known => Ok(known),
        }
    }

    #[inline(never)]
    fn discover(&mut self, from: u32, byte: u8) -> Result<u32, LimitError> {
        let state = self.reached[from as usize].0;
        let to = self.generation.advance_unrecorded(state, byte)?;
        self.work.charge(1)?;
        let to = self.number(to);
        self.rows[from as usize][usize::from(byte)] = to;
        Ok(to)
    }

    fn arrive(&mut self, at: u32, tokens: impl Iterator<Item = TokenId>) {
        self.reached[at as usize].1.extend(tokens);
    }

    /// The states to which tokens lead.
    fn finish(self) -> Vec<Reached> {
        let reached = self.reached.into_iter();
        reached.filter(|(_, tokens)| !tokens.is_empty()).collect()
    }
}
