//! Repetitions: unfolded while the budget lasts; beyond it, made of rules that double.
//!
//! 2^k times is 2^(k-1) times, twice. So no count is too great.

use crate::base::RuleId;
use crate::grammar::{GrammarBuilder, GrammarError, Nfa, NfaState};

/// A front that lowers something that is repeated, its body, to an automaton.
pub(super) trait Repetition<Body: Copy> {
    fn builder(&mut self) -> &mut GrammarBuilder;

    /// The name of the rule that is being lowered.
    fn rule_name(&self) -> &str;

    /// Joins the two states by the body once. Neither state gets a loop from this.
    fn once(
        &mut self,
        nfa: &mut Nfa,
        body: Body,
        from: NfaState,
        to: NfaState,
    ) -> Result<(), GrammarError>;

    /// Makes `rule` the body once.
    fn define_once(&mut self, rule: RuleId, body: Body) -> Result<(), GrammarError>;

    /// Takes the states of so many copies of the body from the budget, if it has them.
    fn affords(&mut self, copies: usize, body: Body) -> bool;

    /// Whether so many more copies of the body are written out.
    fn unfolds(&mut self, copies: u32, body: Body) -> bool {
        copies == 0 || self.affords(copies as usize, body)
    }

    /// Joins the two states by the body, from `min` to `max` times.
    ///
    /// The body is written once for nothing; each further time is taken from the budget. So bodies within bodies are not
    /// written twice as often with each step inwards.
    fn repeat(
        &mut self,
        nfa: &mut Nfa,
        body: Body,
        (min, max): (u32, Option<u32>),
        (from, to): (NfaState, NfaState),
    ) -> Result<(), GrammarError> {
        let Some(max) = max else {
            return self.without_end(nfa, body, min, (from, to));
        };
        let (middle, more) = (nfa.state(), max.saturating_sub(min));
        let first = self.unfolds(min.saturating_sub(1), body);
        let further = more.saturating_sub(u32::from(min == 0));
        if first && self.unfolds(further, body) {
            self.exactly(nfa, min, body, (from, middle))?;
            return self.at_most(nfa, more, body, (middle, to));
        }
        if first && (min == 0 || self.unfolds(1, body)) {
            let powers = self.powers(more, body)?;
            self.exactly(nfa, min, body, (from, middle))?;
            return self.at_most_powers(nfa, more, &powers, (middle, to));
        }
        let powers = self.powers(min.max(more), body)?;
        sum(nfa, min, &powers, (from, middle));
        self.at_most_powers(nfa, more, &powers, (middle, to))
    }

    /// The body, `min` times or more.
    fn without_end(
        &mut self,
        nfa: &mut Nfa,
        body: Body,
        min: u32,
        (from, to): (NfaState, NfaState),
    ) -> Result<(), GrammarError> {
        let (enter, leave) = (nfa.state(), nfa.state());
        let before = min.saturating_sub(1);
        if self.unfolds(before, body) {
            self.exactly(nfa, before, body, (from, enter))?;
            self.once(nfa, body, enter, leave)?;
        } else {
            let powers = self.powers(before, body)?;
            sum(nfa, before, &powers, (from, enter));
            nfa.call(enter, powers[0], leave);
        }
        nfa.empty(leave, enter);
        nfa.empty(leave, to);
        if min == 0 {
            nfa.empty(from, to);
        }
        Ok(())
    }

    /// The body, `times` times, written out.
    fn exactly(
        &mut self,
        nfa: &mut Nfa,
        times: u32,
        body: Body,
        (mut from, end): (NfaState, NfaState),
    ) -> Result<(), GrammarError> {
        for _ in 0..times {
            let to = nfa.state();
            self.once(nfa, body, from, to)?;
            from = to;
        }
        nfa.empty(from, end);
        Ok(())
    }

    /// The body, up to `times` times, written out.
    fn at_most(
        &mut self,
        nfa: &mut Nfa,
        times: u32,
        body: Body,
        (mut from, end): (NfaState, NfaState),
    ) -> Result<(), GrammarError> {
        nfa.empty(from, end);
        for _ in 0..times {
            let to = nfa.state();
            self.once(nfa, body, from, to)?;
            nfa.empty(to, end);
            from = to;
        }
        Ok(())
    }

    /// What `powers` are of, up to `times` times.
    fn at_most_powers(
        &mut self,
        nfa: &mut Nfa,
        times: u32,
        powers: &[RuleId],
        (mut from, end): (NfaState, NfaState),
    ) -> Result<(), GrammarError> {
        nfa.empty(from, end);
        let below = self.below(powers)?;
        let mut rest = u64::from(times) + 1;
        while rest > 1 {
            let k = rest.ilog2() as usize;
            nfa.call(from, below[k], end);
            rest -= 1 << k;
            if rest > 0 {
                let to = nfa.state();
                nfa.call(from, powers[k], to);
                nfa.empty(to, end);
                from = to;
            }
        }
        Ok(())
    }

    /// Rules for the body 1, 2, 4, … times, as far as `times + 1` needs.
    fn powers(&mut self, times: u32, body: Body) -> Result<Vec<RuleId>, GrammarError> {
        let once = self.declare("repeated");
        self.define_once(once, body)?;
        let mut powers = vec![once];
        for k in 1..=(u64::from(times) + 1).ilog2() {
            let half = powers[powers.len() - 1];
            let rule = self.declare(&format!("2^{k} times"));
            let mut nfa = Nfa::new();
            let (middle, end) = (nfa.state(), nfa.state());
            nfa.call(nfa.start(), half, middle);
            nfa.call(middle, half, end);
            nfa.accept(end);
            self.builder().define(rule, &nfa)?;
            powers.push(rule);
        }
        Ok(powers)
    }

    /// For each k, a rule for less than 2^k times: less than 2^(k-1) times, or 2^(k-1) times and
    /// then less than that again. Each number of times in one way only.
    fn below(&mut self, powers: &[RuleId]) -> Result<Vec<RuleId>, GrammarError> {
        let mut below: Vec<RuleId> = Vec::with_capacity(powers.len());
        for k in 0..powers.len() {
            let rule = self.declare(&format!("below 2^{k} times"));
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
            self.builder().define(rule, &nfa)?;
            below.push(rule);
        }
        Ok(below)
    }

    /// A new rule that is a part of the one that is being lowered.
    fn declare(&mut self, part: &str) -> RuleId {
        let name = format!("{}, {part}", self.rule_name());
        self.builder().declare(name)
    }
}

/// What `powers` are of, `times` times.
fn sum(nfa: &mut Nfa, times: u32, powers: &[RuleId], (mut from, end): (NfaState, NfaState)) {
    for (_, &rule) in (0..32)
        .zip(powers)
        .filter(|(bit, _)| (times >> bit) & 1 == 1)
    {
        let to = nfa.state();
        nfa.call(from, rule, to);
        from = to;
    }
    nfa.empty(from, end);
}
