//! Repetitions: unfolded while the budget lasts; beyond it, made of rules that double.
//!
//! 2^k times is 2^(k-1) times, twice. So no count is too great.

use super::{Lowered, Lowering, size};
use crate::base::RuleId;
use crate::front::expression::Expression;
use crate::front::expression::splice::Place;
use crate::grammar::{GrammarError, Nfa};

impl Lowering<'_> {
    /// Joins the states of `place` by `body`, from `min` to `max` times.
    pub(super) fn repetition(
        &mut self,
        nfa: &mut Nfa,
        body: &Expression,
        (min, max): (u32, Option<u32>),
        place: Place,
    ) -> Lowered {
        let Some(max) = max else {
            let (enter, leave) = (nfa.state(), nfa.state());
            let before = Place::new(place.from, enter);
            self.exactly(nfa, min.saturating_sub(1), body, before)?;
            self.join(nfa, body, Place::new(enter, leave))?;
            nfa.empty(leave, enter);
            nfa.empty(leave, place.to);
            if min == 0 {
                nfa.empty(place.from, place.to);
            }
            return Ok(());
        };
        let middle = nfa.state();
        self.exactly(nfa, min, body, Place::new(place.from, middle))?;
        let rest = max.saturating_sub(min);
        self.at_most(nfa, rest, body, Place::new(middle, place.to))
    }

    /// `body`, `times` times.
    fn exactly(&mut self, nfa: &mut Nfa, times: u32, body: &Expression, place: Place) -> Lowered {
        let mut from = place.from;
        if self.unfolds(times, body) {
            for _ in 0..times {
                let to = nfa.state();
                self.join(nfa, body, Place::new(from, to))?;
                from = to;
            }
        } else {
            let powers = self.powers(times, body)?;
            for (_, rule) in (0..32)
                .zip(powers)
                .filter(|(bit, _)| (times >> bit) & 1 == 1)
            {
                let to = nfa.state();
                nfa.call(from, rule, to);
                from = to;
            }
        }
        nfa.empty(from, place.to);
        Ok(())
    }

    /// `body`, up to `times` times.
    fn at_most(&mut self, nfa: &mut Nfa, times: u32, body: &Expression, place: Place) -> Lowered {
        let mut from = place.from;
        nfa.empty(from, place.to);
        if self.unfolds(times, body) {
            for _ in 0..times {
                let to = nfa.state();
                self.join(nfa, body, Place::new(from, to))?;
                nfa.empty(to, place.to);
                from = to;
            }
            return Ok(());
        }
        let powers = self.powers(times, body)?;
        let below = self.below(&powers)?;
        let mut rest = u64::from(times) + 1;
        while rest > 1 {
            let k = rest.ilog2() as usize;
            nfa.call(from, below[k], place.to);
            rest -= 1 << k;
            if rest > 0 {
                let to = nfa.state();
                nfa.call(from, powers[k], to);
                nfa.empty(to, place.to);
                from = to;
            }
        }
        Ok(())
    }

    /// Whether `times` copies of `body` are written out.
    fn unfolds(&mut self, times: u32, body: &Expression) -> bool {
        let copies = (times as usize).saturating_sub(1);
        copies == 0 || {
            let states = size(body, &self.small).saturating_mul(copies);
            self.afford(states)
        }
    }

    /// Rules for `body` 1, 2, 4, … times, as far as `times + 1` needs.
    fn powers(&mut self, times: u32, body: &Expression) -> Result<Vec<RuleId>, GrammarError> {
        let name = self.rules.get(self.current).name.clone();
        let once = self.builder.declare(format!("{name}, repeated"));
        self.define(once, body)?;
        let mut powers = vec![once];
        for k in 1..=(u64::from(times) + 1).ilog2() {
            let half = powers[powers.len() - 1];
            let rule = self.builder.declare(format!("{name}, 2^{k} times"));
            let mut nfa = Nfa::new();
            let (middle, end) = (nfa.state(), nfa.state());
            nfa.call(nfa.start(), half, middle);
            nfa.call(middle, half, end);
            nfa.accept(end);
            self.builder.define(rule, &nfa)?;
            powers.push(rule);
        }
        Ok(powers)
    }

    /// For each k, a rule for less than 2^k times: less than 2^(k-1) times, or 2^(k-1) times and
    /// then less than that again. Each number of times in one way only.
    fn below(&mut self, powers: &[RuleId]) -> Result<Vec<RuleId>, GrammarError> {
        let name = self.rules.get(self.current).name.clone();
        let mut below: Vec<RuleId> = Vec::with_capacity(powers.len());
        for k in 0..powers.len() {
            let rule = self.builder.declare(format!("{name}, below 2^{k} times"));
            let mut nfa = Nfa::new();
            let (middle, end) = (nfa.state(), nfa.state());
            nfa.accept(end);
            match k {
                0 => nfa.empty(nfa.start(), end),
                _ => {
                    nfa.call(nfa.start(), below[k - 1], end);
                    nfa.call(nfa.start(), powers[k - 1], middle);
                    nfa.call(middle, below[k - 1], end);
                }
            }
            self.builder.define(rule, &nfa)?;
            below.push(rule);
        }
        Ok(below)
    }
}
