//! Expressions that no rule recurs in, as automata.

use std::sync::Arc;

use super::splice::{self, Place};
use super::{Expression, RuleIndex, Rules};
use crate::base::{LimitError, Limits};
use crate::grammar::Nfa;
use crate::regular::Dfa;

/// Why an expression is no regular language, as far as can be told.
#[derive(Clone, Debug)]
pub(crate) enum Irregular {
    /// A rule leads to itself.
    Recursion,
    /// A token stands for no text; nothing is known of a rule outside of the table.
    Token,
    /// More states than are allowed.
    Limit(LimitError),
}

impl From<LimitError> for Irregular {
    fn from(error: LimitError) -> Self {
        Self::Limit(error)
    }
}

impl Rules {
    /// The texts of `expression`.
    pub(crate) fn regular(
        &self,
        expression: &Expression,
        limits: &Limits,
    ) -> Result<Dfa, Irregular> {
        let mut nfa = Nfa::new();
        let place = Place::new(nfa.start(), nfa.state());
        nfa.accept(place.to);
        let mut regular = Regular {
            rules: self,
            limits,
            open: Vec::new(),
        };
        regular.join(&mut nfa, expression, place)?;
        Ok(nfa.regular(limits)?)
    }
}

impl Rules {
    /// Leaves `rule` the texts that begin with no other of its texts: where a match may end, it does.
    pub(crate) fn make_lazy(&mut self, rule: RuleIndex, limits: &Limits) -> Result<(), Irregular> {
        let whole = self.regular(&Expression::Rule(rule), limits)?;
        self.replace(rule, Expression::Regular(Arc::new(whole.shortest())));
        Ok(())
    }
}

/// The texts of chunks that stand next to each other in `chunks`, from any of them to any other; none
/// at all among them.
pub(crate) fn substrings<'a>(
    chunks: impl IntoIterator<Item = &'a str>,
    limits: &Limits,
) -> Result<Dfa, LimitError> {
    let mut nfa = Nfa::new();
    let start = nfa.start();
    nfa.accept(start);
    let mut at = nfa.state();
    nfa.empty(start, at);
    for chunk in chunks {
        at = nfa.literal(at, chunk.as_bytes());
        nfa.accept(at);
        nfa.empty(start, at);
        LimitError::check("states of substrings", nfa.len(), limits.automaton_states)?;
    }
    nfa.regular(limits)
}

struct Regular<'a> {
    rules: &'a Rules,
    limits: &'a Limits,
    /// The rules that are being written.
    open: Vec<RuleIndex>,
}

impl Regular<'_> {
    fn join(
        &mut self,
        nfa: &mut Nfa,
        expression: &Expression,
        place: Place,
    ) -> Result<(), Irregular> {
        let states = self.limits.automaton_states;
        LimitError::check("states of a regular expression", nfa.len(), states)?;
        match expression {
            Expression::Sequence(items) => {
                let mut from = place.from;
                for item in items {
                    let to = nfa.state();
                    self.join(nfa, item, Place::new(from, to))?;
                    from = to;
                }
                nfa.empty(from, place.to);
            }
            Expression::Choice(items) => {
                for item in items {
                    self.join(nfa, item, place)?;
                }
            }
            Expression::Repeat { body, min, max } => self.repeat(nfa, body, (*min, *max), place)?,
            Expression::Rule(rule) => {
                if self.open.contains(rule) {
                    return Err(Irregular::Recursion);
                }
                self.open.push(*rule);
                self.join(nfa, &self.rules.get(*rule).body, place)?;
                self.open.pop();
            }
            Expression::Text(text) => splice::text(nfa, text, place),
            Expression::Set(set) => splice::set(nfa, set, place),
            Expression::Regular(dfa) => splice::automaton(nfa, dfa, place),
            Expression::Control(_) | Expression::Foreign(_) => return Err(Irregular::Token),
        }
        Ok(())
    }

    fn repeat(
        &mut self,
        nfa: &mut Nfa,
        body: &Expression,
        (min, max): (u32, Option<u32>),
        place: Place,
    ) -> Result<(), Irregular> {
        let mut from = place.from;
        for _ in 0..min {
            let to = nfa.state();
            self.join(nfa, body, Place::new(from, to))?;
            from = to;
        }
        match max {
            None => {
                let (enter, leave) = (nfa.state(), nfa.state());
                nfa.empty(from, enter);
                nfa.empty(from, place.to);
                self.join(nfa, body, Place::new(enter, leave))?;
                nfa.empty(leave, enter);
                nfa.empty(leave, place.to);
            }
            Some(max) => {
                for _ in min..max {
                    nfa.empty(from, place.to);
                    let to = nfa.state();
                    self.join(nfa, body, Place::new(from, to))?;
                    from = to;
                }
                nfa.empty(from, place.to);
            }
        }
        Ok(())
    }
}
