//! From a table of rules to rules of a [`GrammarBuilder`].
//!
//! Each rule becomes an automaton. Small rules that do not recur are put in the place of their
//! calls, as long as a budget lasts.

use super::splice::{self, Place};
use super::{Expression, RuleIndex, Rules};
use crate::base::{LimitError, RuleId};
use crate::front::repetition::Repetition;
use crate::grammar::{GrammarBuilder, GrammarError, Nfa, NfaState};

/// Rules of at most this many states are put in the place of their calls. It also bounds how deep
/// rules are put into rules.
const SMALL_RULE: usize = 64;

/// A rule body may have so many times the states that a deterministic one may have, as it is written.
const WRITTEN_PER_STATE: usize = 8;

/// Why the grammar refuses a rule, and which.
pub(crate) struct Refused {
    pub(crate) rule: RuleIndex,
    pub(crate) error: GrammarError,
}

/// Adds the rule `start`, and all that it needs, to `builder`, which has the `foreign` rules already.
pub(crate) fn lower(
    builder: &mut GrammarBuilder,
    rules: &Rules,
    start: RuleIndex,
    foreign: &[RuleId],
) -> Result<RuleId, Refused> {
    let mut lowering = Lowering {
        rules,
        foreign,
        budget: builder.limits().automaton_states,
        builder,
        small: small_rules(rules),
        ids: vec![None; rules.len()],
        open: Vec::new(),
        current: start,
    };
    let root = lowering.id(start);
    while let Some(rule) = lowering.open.pop() {
        lowering.current = rule;
        let refused = |error| Refused { rule, error };
        lowering.rule(rule).map_err(refused)?;
    }
    Ok(root)
}

/// For each rule that is put in the place of its calls, about how many states it has.
fn small_rules(rules: &Rules) -> Vec<Option<usize>> {
    let mut small = vec![None; rules.len()];
    for (rule, recurs) in rules.callees_first() {
        let size = size(&rules.get(rule).body, &small).saturating_add(1);
        small[rule.index()] = (!recurs && size <= SMALL_RULE).then_some(size);
    }
    small
}

/// About how many states `expression` needs, at least as many as it is deep.
fn size(expression: &Expression, small: &[Option<usize>]) -> usize {
    match expression {
        Expression::Sequence(items) | Expression::Choice(items) => {
            let sizes = items.iter().map(|item| size(item, small));
            sizes.fold(1, usize::saturating_add)
        }
        Expression::Repeat { body, min, max } => {
            let times = max.unwrap_or(*min).max(1) as usize;
            size(body, small).saturating_mul(times).saturating_add(1)
        }
        Expression::Rule(rule) => small[rule.index()].unwrap_or(1),
        Expression::Text(text) => text.len().max(1),
        Expression::Set(set) => set.ranges().len().max(1),
        Expression::Regular(dfa) => dfa.len(),
        Expression::Control(_) | Expression::Foreign(_) => 1,
    }
}

struct Lowering<'a> {
    rules: &'a Rules,
    foreign: &'a [RuleId],
    builder: &'a mut GrammarBuilder,
    small: Vec<Option<usize>>,
    ids: Vec<Option<RuleId>>,
    /// Rules that have an id and no body yet.
    open: Vec<RuleIndex>,
    /// The rule at work.
    current: RuleIndex,
    /// How many states may still be made by writing something more than once.
    budget: usize,
}

type Lowered = Result<(), GrammarError>;

impl Lowering<'_> {
    fn id(&mut self, rule: RuleIndex) -> RuleId {
        if let Some(id) = self.ids[rule.index()] {
            return id;
        }
        let id = self.builder.declare(self.rules.get(rule).name.clone());
        self.ids[rule.index()] = Some(id);
        self.open.push(rule);
        id
    }

    fn rule(&mut self, rule: RuleIndex) -> Lowered {
        let (rules, id) = (self.rules, self.id(rule));
        match &rules.get(rule).body {
            Expression::Regular(dfa) => {
                self.builder.define_regular(id, dfa);
                Ok(())
            }
            body => self.define(id, body),
        }
    }

    /// Gives the rule `id` the body `expression`.
    fn define(&mut self, id: RuleId, expression: &Expression) -> Lowered {
        let mut nfa = Nfa::new();
        let place = Place::new(nfa.start(), nfa.state());
        nfa.accept(place.to);
        self.join(&mut nfa, expression, place)?;
        self.builder.define(id, &nfa)
    }

    /// Joins the two states of `place` by `expression`. Neither state gets a loop from this.
    fn join(&mut self, nfa: &mut Nfa, expression: &Expression, place: Place) -> Lowered {
        self.check_written(nfa)?;
        match expression {
            Expression::Sequence(items) => {
                let Some((last, items)) = items.split_last() else {
                    nfa.empty(place.from, place.to);
                    return Ok(());
                };
                let mut from = place.from;
                for item in items {
                    let to = nfa.state();
                    self.join(nfa, item, Place::new(from, to))?;
                    from = to;
                }
                self.join(nfa, last, Place::new(from, place.to))?;
            }
            Expression::Choice(items) => {
                for item in items {
                    self.join(nfa, item, place)?;
                }
            }
            Expression::Repeat { body, min, max } => {
                self.repeat(nfa, body.as_ref(), (*min, *max), (place.from, place.to))?;
            }
            Expression::Rule(rule) => self.call(nfa, *rule, place)?,
            Expression::Text(text) => splice::text(nfa, text, place),
            Expression::Set(set) => splice::set(nfa, set, place),
            Expression::Regular(dfa) => splice::automaton(nfa, dfa, place),
            Expression::Control(control) => {
                let control = self.builder.control_for(control.clone());
                nfa.control(place.from, control, place.to);
            }
            Expression::Foreign(foreign) => {
                nfa.call(place.from, self.foreign[foreign.index()], place.to);
            }
        }
        Ok(())
    }

    fn call(&mut self, nfa: &mut Nfa, rule: RuleIndex, place: Place) -> Lowered {
        let (rules, small) = (self.rules, self.small[rule.index()]);
        if small.is_some_and(|size| self.afford(size)) {
            return self.join(nfa, &rules.get(rule).body, place);
        }
        let id = self.id(rule);
        nfa.call(place.from, id, place.to);
        Ok(())
    }

    /// Whether a body has as many states, before it is determinised, as one can have that becomes small enough.
    fn check_written(&self, nfa: &Nfa) -> Lowered {
        let allowed = self.builder.limits().automaton_states;
        let allowed = allowed.saturating_mul(WRITTEN_PER_STATE);
        let written =
            LimitError::check("states of a rule body as it is written", nfa.len(), allowed);
        written.map_err(|source| GrammarError::Limit {
            name: self.rules.get(self.current).name.clone(),
            source,
        })
    }

    /// Takes so many states from the budget, if it has them.
    fn afford(&mut self, states: usize) -> bool {
        let left = self.budget.checked_sub(states);
        self.budget = left.unwrap_or(self.budget);
        left.is_some()
    }
}

impl Repetition<&Expression> for Lowering<'_> {
    fn builder(&mut self) -> &mut GrammarBuilder {
        self.builder
    }

    fn rule_name(&self) -> &str {
        &self.rules.get(self.current).name
    }

    fn once(&mut self, nfa: &mut Nfa, body: &Expression, from: NfaState, to: NfaState) -> Lowered {
        self.join(nfa, body, Place::new(from, to))
    }

    fn define_once(&mut self, rule: RuleId, body: &Expression) -> Lowered {
        self.define(rule, body)
    }

    fn affords(&mut self, copies: usize, body: &Expression) -> bool {
        let states = size(body, &self.small).saturating_mul(copies);
        self.afford(states)
    }
}
