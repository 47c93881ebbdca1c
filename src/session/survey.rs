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
use super::arrivals::{Arrivals, Told};
use super::bounds::{Bounds, Levels};
use super::likeness::{Kind, Likeness};
use super::live::Live;
use super::mentions::{Memory, Mentioned, UnderWay};
use super::token_set::TokenSet;
use super::way::{Way, cost};
use crate::base::{LimitError, TokenId};
use crate::grammar::Delimiters;
use crate::machine::{StateId, Step};
use crate::mask::Work;
use crate::vocab::{TokenKind, row};

/// What a byte of a way costs that is written in tokens and held against what is remembered, and a token that is held
/// against a way.
const STEPS_PER_BYTE: usize = 16;
const STEPS_PER_TOKEN: usize = 8;

/// So many ways are looked for after tokens that lead to states of one kind, which differ in what was read alone.
///
/// PERF: else each of a thousand tokens has a way of its own where items must differ. Within arrays of distinct numbers from 0 to 1,000
/// the worst mask under a deadline takes 14 ms for 291, and within such of five numbers or objects none meets what one answer may
/// make, which the first did (benches/LOG.md; `hostile --all due-`).
const WAYS_OF_A_KIND: usize = 8;
/// Fewer where they are longer than this together.
const BYTES_OF_A_KIND: usize = 512;
/// After the others the end is presumed to cost twice as much as at most after these, and so much more. A token of which that is
/// not true is in the mask and refused.
const PRESUMED_MARGIN: usize = 16;

impl Constraint {
    /// The way from `state` to an end.
    pub(super) fn way(&self, live: &Live, state: StateId) -> Result<Arc<Way>, LimitError> {
        if let Some(known) = live.surveyed().ways().get(&state) {
            return Ok(known.clone());
        }
        let steps = match live.generation.state(state).accepting {
            true => Vec::new(),
            false => live.generation.way_out(state)?,
        };
        let way = Arc::new(self.written(live, &steps));
        let _dropped = live
            .surveyed()
            .ways()
            .insert(state, way.clone(), way.bytes());
        Ok(way)
    }

    fn written(&self, live: &Live, steps: &[Step]) -> Way {
        let runs = steps.chunk_by(|a, b| matches!((a, b), (Step::Byte(_), Step::Byte(_))));
        let text = steps.iter().map(|step| match *step {
            Step::Byte(byte) => byte,
            Step::Control(_) => Delimiters::CONTROL,
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
        if let Some(known) = live.surveyed().bounds().get(&state) {
            return Ok(known.clone());
        }
        let bounds = Arc::new(self.survey(live, state)?);
        let _dropped = live
            .surveyed()
            .bounds()
            .insert(state, bounds.clone(), bounds.bytes());
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
        let mut survey = Survey {
            constraint: self,
            live,
            state,
            start,
            memory,
            work,
            kinds: FxHashMap::default(),
            levels: Levels::default(),
        };
        survey.run(&mut mask)?;
        Ok(survey.levels.finish(start, mask))
    }

    /// The way that `token` has after `state`, which allows it, by what was found there, and what it costs.
    pub(super) fn way_after(
        &self,
        live: &Live,
        (state, bounds): (StateId, &Bounds),
        token: TokenId,
    ) -> Result<Option<(usize, Arc<Way>)>, LimitError> {
        let presumed = bounds.presumed(token);
        let way = match bounds.own(token) {
            Some(own) => Some(own.clone()),
            None if presumed.is_some() => Some(self.own_way(live, state, token)?),
            None => {
                let to = self.reached_by(live, (state, bounds.start()), token)?;
                match bounds.shared(to) {
                    Some(shared) => Some(shared.clone()),
                    // A state that behaves as that of the tokens which were looked at for it.
                    None if to != StateId::DEAD => Some(self.way(live, to)?),
                    None => None,
                }
            }
        };
        Ok(way.map(|way| {
            let cost = cost(self.vocabulary(), Some(token), &way.tokens);
            (cost.max(presumed.unwrap_or_default()), way)
        }))
    }

    /// The way from the state that `token` leads to, looked for there.
    fn own_way(&self, live: &Live, state: StateId, token: TokenId) -> Result<Arc<Way>, LimitError> {
        let step = |at, byte| live.generation.advance(at, byte);
        let to = self.led_to(live, (state, state), token, step)?;
        self.way(live, to)
    }

    /// Where `token` leads: its bytes from the one state, if nothing is remembered, or what it is as a control token of the
    /// other.
    fn reached_by(
        &self,
        live: &Live,
        from: (StateId, StateId),
        token: TokenId,
    ) -> Result<StateId, LimitError> {
        let step = |at, byte| live.generation.advance_unrecorded(at, byte);
        self.led_to(live, from, token, step)
    }

    fn led_to(
        &self,
        live: &Live,
        (state, start): (StateId, StateId),
        token: TokenId,
        step: impl Fn(StateId, u8) -> Result<StateId, LimitError>,
    ) -> Result<StateId, LimitError> {
        let mut to = StateId::DEAD;
        if let Some(text) = self.text(token) {
            to = text.iter().try_fold(start, |at, &byte| step(at, byte))?;
        }
        let control = live.generation.advance_token(state, token)?;
        live.generation.either(to, control)
    }

    /// The bytes of a token that is text.
    fn text(&self, token: TokenId) -> Option<&[u8]> {
        let vocabulary = self.vocabulary();
        let is_text = !self.is_ordinary_end(token) && vocabulary.kind(token) == TokenKind::Ordinary;
        vocabulary.bytes(token).filter(|_| is_text)
    }
}

/// Tokens, each with its way.
type OwnWays = Vec<(TokenId, Arc<Way>)>;

/// The ways to the end from where the tokens of one state lead.
struct Survey<'a> {
    constraint: &'a Constraint,
    live: &'a Live,
    state: StateId,
    /// The state as it would be with nothing remembered.
    start: StateId,
    memory: Option<Memory>,
    work: Work<'a>,
    kinds: FxHashMap<Kind, Looked>,
    levels: Levels,
}

/// The ways that were looked for after tokens that lead to states of one kind.
#[derive(Clone, Copy, Default)]
struct Looked {
    ways: usize,
    /// Of all ways together.
    bytes: usize,
    /// The most that the end costs after one.
    most: usize,
}

impl Looked {
    fn has_enough(&self) -> bool {
        self.ways >= WAYS_OF_A_KIND || self.bytes >= BYTES_OF_A_KIND
    }

    /// Notes one after which the end costs so much.
    fn found(&mut self, way: &Way, cost: usize) {
        self.ways += 1;
        self.bytes += way.text.len();
        self.most = self.most.max(cost);
    }

    /// What the end is presumed to cost after the others.
    fn presumed(&self) -> usize {
        self.most.saturating_mul(2).saturating_add(PRESUMED_MARGIN)
    }
}

impl Survey<'_> {
    /// Finds a way for each token of `mask` that does not end the text; leaves those that do.
    fn run(&mut self, mask: &mut Box<[u32]>) -> Result<(), LimitError> {
        let ids = self.constraint.vocabulary().len();
        let (arrivals, leads) = self.arrivals()?;
        let controls = self.controls(mask);
        let mut text = mask.clone();
        let ends = self.constraint.ordinary_ends();
        ends.filter(|&token| row::contains(mask, token))
            .for_each(|token| row::remove(&mut text, token));
        let mut found = row::empty(ids);
        for told in [Told::Exactly, Told::ByKind] {
            let sets = leads.iter().zip(arrivals.sets());
            for (&to, set) in sets.filter(|(_, set)| set.told == told) {
                let mut tokens = set.tokens.within(&text);
                let both: Vec<TokenId> = tokens.within(&controls).iter().collect();
                tokens.remove(&both);
                if !tokens.is_empty() {
                    tokens.insert_into(&mut found);
                    self.add(to, told, tokens)?;
                }
            }
        }
        for (to, tokens) in self.of_controls(&controls)? {
            let tokens = TokenSet::new(tokens, ids);
            tokens.insert_into(&mut found);
            self.add(to, Told::Exactly, tokens)?;
        }
        row::subtract(mask, &found);
        let is_astray =
            |&token: &TokenId| row::contains(&text, token) && self.constraint.text(token).is_some();
        let astray: Vec<TokenId> = row::tokens(mask).filter(is_astray).collect();
        astray.iter().for_each(|&token| row::remove(mask, token));
        self.add_astray(TokenSet::new(astray, ids));
        Ok(())
    }

    /// Sets of tokens, and where those of each lead as text if nothing is remembered.
    fn arrivals(&self) -> Result<(Arc<Arrivals>, Vec<StateId>), LimitError> {
        let (generation, vocabulary) = (&self.live.generation, self.constraint.vocabulary());
        let like = Likeness::of(generation, self.start);
        let known = self.live.surveyed().arrivals().get(&like.alike).cloned();
        let arrivals = match known.filter(|known| known.serve(&like)) {
            Some(known) => known,
            None => {
                let alike = like.alike.clone();
                let start = (self.start, like);
                let found = Arrivals::find(generation, vocabulary, start, &self.work)?;
                let found = Arc::new(found);
                let surveyed = self.live.surveyed();
                let _dropped = (surveyed.arrivals()).insert(alike, found.clone(), found.bytes());
                found
            }
        };
        let leads = arrivals.ends(generation, vocabulary, self.start, &self.work)?;
        Ok((arrivals, leads))
    }

    /// The tokens of `mask` that the state may take as control tokens.
    fn controls(&self, mask: &[u32]) -> Box<[u32]> {
        let generation = &self.live.generation;
        let controls = generation.state(self.state).controls.iter();
        let tokens = controls.flat_map(|&control| generation.binding().control(control).tokens());
        let mut row = row::empty(self.constraint.vocabulary().len());
        tokens
            .filter(|&token| row::contains(mask, token))
            .for_each(|token| row::insert(&mut row, token));
        row
    }

    /// The tokens that are control tokens, by where they lead as these or as text.
    fn of_controls(&self, controls: &[u32]) -> Result<BTreeMap<StateId, Vec<TokenId>>, LimitError> {
        let mut by_state: BTreeMap<StateId, Vec<TokenId>> = BTreeMap::new();
        for token in row::tokens(controls) {
            let from = (self.state, self.start);
            let to = self.constraint.reached_by(self.live, from, token)?;
            if to != StateId::DEAD {
                by_state.entry(to).or_default().push(token);
            }
        }
        Ok(by_state)
    }

    /// Adds a way for each of `tokens`, which lead to the state `to` if nothing is remembered, or presumes one.
    fn add(&mut self, to: StateId, told: Told, tokens: TokenSet) -> Result<(), LimitError> {
        let kind = Kind::of(&self.live.generation, to);
        let mut looked = self.kinds.get(&kind).copied().unwrap_or_default();
        if told == Told::Exactly && (!looked.has_enough() || self.levels.knows(to)) {
            self.add_ways(to, tokens, &mut looked)?;
        } else {
            if !looked.has_enough() {
                let way = self.way(to)?;
                looked.found(&way, cost(self.constraint.vocabulary(), None, &way.tokens));
            }
            self.levels.presume(looked.presumed(), tokens);
        }
        self.kinds.insert(kind, looked);
        Ok(())
    }

    /// The same, counting the ways: that of the state `to` where it is open to tokens, else one of their own.
    fn add_ways(
        &mut self,
        to: StateId,
        mut tokens: TokenSet,
        looked: &mut Looked,
    ) -> Result<(), LimitError> {
        let vocabulary = self.constraint.vocabulary();
        let mut way = self.way(to)?;
        if let Some(memory) = &self.memory {
            if !memory.is_clean(&way.text)
                && let Some(first) = tokens.iter().next()
            {
                // One that mentions nothing remembered is open to most of the others as well.
                way = self.own_way(first)?;
            }
            looked.found(&way, cost(vocabulary, None, &way.tokens));
            let under_way = UnderWay::at(&self.live.generation, to);
            let refused = self.refused(memory, &way, (&tokens, &under_way))?;
            tokens.remove(&refused);
            let (own, rest) = self.own_ways(memory, (&refused, &under_way), looked)?;
            for (token, way) in own {
                let cost = cost(vocabulary, Some(token), &way.tokens);
                self.levels.add_own(token, cost, way);
            }
            self.levels.presume(looked.presumed(), TokenSet::Few(rest));
        } else {
            looked.found(&way, cost(vocabulary, None, &way.tokens));
        }
        if way.tokens.is_empty() {
            // Tokens that end the text by themselves cost less.
            let mut ends = vocabulary.end_tokens().to_vec();
            ends.retain(|&token| tokens.contains(token));
            tokens.remove(&ends);
            for token in ends {
                let cost = cost(vocabulary, Some(token), &[]);
                self.levels.add(cost, TokenSet::Few(vec![token]));
            }
        }
        self.levels.add(cost(vocabulary, None, &way.tokens), tokens);
        self.levels.share(to, way);
        Ok(())
    }

    /// Presumes ways for tokens that lead nowhere where states were taken for others: like those of all that lead somewhere.
    fn add_astray(&mut self, tokens: TokenSet) {
        let most = self.kinds.values().map(Looked::presumed).max();
        self.levels.presume(most.unwrap_or(PRESUMED_MARGIN), tokens);
    }

    /// Those of `tokens` to which `way` is not open.
    fn refused(
        &self,
        memory: &Memory,
        way: &Way,
        (tokens, under_way): (&TokenSet, &UnderWay),
    ) -> Result<Vec<TokenId>, LimitError> {
        if !memory.is_clean(&way.text) {
            return Ok(tokens.iter().collect());
        }
        let vocabulary = self.constraint.vocabulary();
        let mentioned = memory.mentioned(&way.text);
        let mut refused = Vec::new();
        for token in memory.concerned(vocabulary, (tokens, under_way), &mentioned, &self.work)? {
            self.work.charge(STEPS_PER_TOKEN)?;
            let text = vocabulary.bytes(token).unwrap_or_default();
            if !memory.allows(text, under_way, &mentioned) {
                refused.push(token);
            }
        }
        Ok(refused)
    }

    /// A way for each of `tokens`, to which that of the state that they lead to is not open: the first that is open to it of those that
    /// were looked for until they are enough. Behind these come those of tokens with which texts begin that were read, since each of
    /// these may ask for more; the other tokens are left.
    fn own_ways(
        &self,
        memory: &Memory,
        (tokens, under_way): (&[TokenId], &UnderWay),
        looked: &mut Looked,
    ) -> Result<(OwnWays, Vec<TokenId>), LimitError> {
        let vocabulary = self.constraint.vocabulary();
        let text = |token: TokenId| vocabulary.bytes(token).unwrap_or_default();
        let mut ways: Vec<(Mentioned, Arc<Way>)> = Vec::new();
        let (mut found, mut begun, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for &token in tokens {
            self.work.charge(STEPS_PER_TOKEN * (ways.len() + 1))?;
            let mut known = ways.iter();
            let way = match known.find(|(way, _)| memory.allows(text(token), under_way, way)) {
                Some((_, known)) => known.clone(),
                None if looked.has_enough() => {
                    match memory.begun_with(text(token), &self.work)? {
                        0 => rest.push(token),
                        count => begun.push((count, token)),
                    }
                    continue;
                }
                None => {
                    let own = self.own_way(token)?;
                    looked.found(&own, cost(vocabulary, Some(token), &own.tokens));
                    ways.push((memory.mentioned(&own.text), own.clone()));
                    own
                }
            };
            found.push((token, way));
        }
        begun.sort_unstable();
        // The way of one with which many begin is open to most others.
        while let Some((_, token)) = begun.pop() {
            self.work.charge(STEPS_PER_TOKEN * (begun.len() + 1))?;
            let own = self.own_way(token)?;
            let way = memory.mentioned(&own.text);
            found.push((token, own.clone()));
            begun.retain(|&(_, token)| {
                let is_open = memory.allows(text(token), under_way, &way);
                found.extend(is_open.then(|| (token, own.clone())));
                !is_open
            });
        }
        Ok((found, rest))
    }

    /// The way from the state that `token` leads to, looked for there.
    fn own_way(&self, token: TokenId) -> Result<Arc<Way>, LimitError> {
        self.charged(self.constraint.own_way(self.live, self.state, token)?)
    }

    /// The way from `state`, which is charged as if nobody had asked for it before.
    fn way(&self, state: StateId) -> Result<Arc<Way>, LimitError> {
        self.charged(self.constraint.way(self.live, state)?)
    }

    fn charged(&self, way: Arc<Way>) -> Result<Arc<Way>, LimitError> {
        self.work.charge(STEPS_PER_BYTE * way.text.len())?;
        Ok(way)
    }
}
