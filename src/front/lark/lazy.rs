//! What rules of shortest matches take from other terminals.
//!
//! Where a rule with `[lazy]`, `[stop=…]` or `[suffix=…]` may begin, its match ends as soon as it can, and nothing else that
//! begins there runs to that end or past it: so llguidance documents free text with tool calls in it,
//! `start: call* TEXT`, where `TEXT` alone would take the calls, too. There a lexer decides; here each terminal loses
//! those texts, in each place by what may begin in it. Places are told apart by what may begin where a rule
//! begins and where it ends, so a rule is written once for each such pair.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::base::{LimitError, Limits, Span};
use crate::front::expression::{Expression, Irregular, Rule, RuleIndex, Rules};
use crate::regular::Dfa;

/// What a rule is that a lexer would read whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lexeme {
    Terminal,
    /// Its shortest matches alone count.
    Lazy,
    /// What may stand between terminals.
    Ignored,
}

/// The rules that a lexer would read whole.
pub(super) type Lexemes = FxHashMap<RuleIndex, Lexeme>;

/// Which languages of shortest matches may begin in a place, a bit each.
type Set = u128;

/// What is known of an expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Facts {
    /// The empty text belongs to it.
    is_nullable: bool,
    /// What may begin where it begins.
    first: Set,
    /// What may begin where it ends, so that it goes on.
    more: Set,
}

/// The rules that `root` needs, without what the shortest matches take; the rules as they are where there are none.
pub(super) fn hold_back(
    rules: Rules,
    root: RuleIndex,
    lexemes: &Lexemes,
    limits: &Limits,
) -> Result<(Rules, RuleIndex), (Span, LimitError)> {
    if !lexemes.values().any(|&lexeme| lexeme == Lexeme::Lazy) {
        return Ok((rules, root));
    }
    let refused = |rule, error| (rules.get(rule).span, error);
    let mut holding =
        Holding::new(&rules, lexemes, limits).map_err(|error| refused(root, error))?;
    let body = holding.facts[root.index()];
    let new = holding.place(root, body.first, 0);
    while let Some((rule, copy, first, follow)) = holding.open.pop() {
        let body = &rules.get(rule).body;
        let body = holding.expression(body, first, follow);
        holding.made[copy.index()].body = body.map_err(|error| refused(rule, error))?;
        LimitError::check("rules of a grammar", holding.made.len(), limits.rules)
            .map_err(|error| refused(rule, error))?;
    }
    let made = holding.made;
    Ok((Rules::new(made), new))
}

struct Holding<'a> {
    rules: &'a Rules,
    lexemes: &'a Lexemes,
    limits: &'a Limits,
    /// The languages of shortest matches, and which a rule has.
    lazy: Vec<Arc<Dfa>>,
    bits: FxHashMap<RuleIndex, usize>,
    facts: Vec<Facts>,
    /// All rules, the new ones last.
    made: Vec<Rule>,
    /// The copies of rules, by what may begin where they begin and where they end.
    copies: FxHashMap<(RuleIndex, Set, Set), RuleIndex>,
    /// Copies without a body yet.
    open: Vec<(RuleIndex, RuleIndex, Set, Set)>,
    /// The terminals that have lost texts, by what took them.
    cut: FxHashMap<(RuleIndex, Set), RuleIndex>,
}

impl<'a> Holding<'a> {
    fn new(rules: &'a Rules, lexemes: &'a Lexemes, limits: &'a Limits) -> Result<Self, LimitError> {
        let mut holding = Self {
            rules,
            lexemes,
            limits,
            lazy: Vec::new(),
            bits: FxHashMap::default(),
            facts: vec![Facts::default(); rules.len()],
            made: rules.iter().map(|(_, rule)| rule.clone()).collect(),
            copies: FxHashMap::default(),
            open: Vec::new(),
            cut: FxHashMap::default(),
        };
        let mut known: FxHashMap<Arc<Dfa>, usize> = FxHashMap::default();
        for (rule, Rule { body, .. }) in rules.iter() {
            if let (Some(Lexeme::Lazy), Expression::Regular(dfa)) = (lexemes.get(&rule), body) {
                let next = holding.lazy.len();
                let bit = *known.entry(dfa.clone()).or_insert(next);
                if bit == next {
                    holding.lazy.push(dfa.clone());
                }
                holding.bits.insert(rule, bit);
            }
        }
        let (count, most) = (holding.lazy.len(), Set::BITS as usize);
        LimitError::check("different shortest matches of a grammar", count, most)?;
        holding.settle()?;
        Ok(holding)
    }

    /// Finds the facts of all rules.
    fn settle(&mut self) -> Result<(), LimitError> {
        let order = self.rules.callees_first();
        loop {
            self.limits.charge(order.len())?;
            let mut has_changed = false;
            for &(rule, _) in &order {
                let facts = self.facts_of(&self.rules.get(rule).body);
                has_changed |= facts != self.facts[rule.index()];
                self.facts[rule.index()] = facts;
            }
            if !has_changed {
                return Ok(());
            }
        }
    }

    fn facts_of(&self, expression: &Expression) -> Facts {
        match expression {
            Expression::Sequence(items) => {
                let start = Facts {
                    is_nullable: true,
                    ..Facts::default()
                };
                let both = |before, item| before_and(before, self.facts_of(item));
                items.iter().fold(start, both)
            }
            Expression::Choice(items) => {
                let items = items.iter().map(|item| self.facts_of(item));
                items.fold(Facts::default(), either)
            }
            Expression::Repeat { body, min, max } => {
                let facts = self.facts_of(body);
                Facts {
                    is_nullable: facts.is_nullable || *min == 0,
                    more: facts.more | if *max == Some(1) { 0 } else { facts.first },
                    ..facts
                }
            }
            Expression::Rule(rule) => self.facts_of_rule(*rule),
            Expression::Text(text) => Facts {
                is_nullable: text.is_empty(),
                ..Facts::default()
            },
            Expression::Regular(dfa) => Facts {
                is_nullable: dfa.is_accepting(dfa.start()),
                ..Facts::default()
            },
            Expression::Set(_) | Expression::Control(_) | Expression::Foreign(_) => {
                Facts::default()
            }
        }
    }

    fn facts_of_rule(&self, rule: RuleIndex) -> Facts {
        let facts = self.facts[rule.index()];
        match self.lexemes.contains_key(&rule) {
            false => facts,
            true => Facts {
                first: self.bits.get(&rule).map_or(0, |&bit| 1 << bit),
                more: 0,
                ..facts
            },
        }
    }

    /// The copy of `rule` for a place: what may begin in it, and what behind the rule.
    fn place(&mut self, rule: RuleIndex, first: Set, follow: Set) -> RuleIndex {
        let new = RuleIndex::from_usize(self.made.len());
        let copy = *self.copies.entry((rule, first, follow)).or_insert(new);
        if copy == new {
            self.made.push(self.rules.get(rule).clone());
            self.open.push((rule, copy, first, follow));
        }
        copy
    }

    /// `expression` in a place where all of `first` may begin, and before one where `follow` may.
    fn expression(
        &mut self,
        expression: &Expression,
        first: Set,
        follow: Set,
    ) -> Result<Expression, LimitError> {
        self.limits.charge(1)?;
        Ok(match expression {
            Expression::Sequence(items) => self.sequence(items, first, follow)?,
            Expression::Choice(items) => {
                let items = items
                    .iter()
                    .map(|item| self.expression(item, first, follow));
                Expression::Choice(items.collect::<Result<_, _>>()?)
            }
            Expression::Repeat { .. } => self.repeat(expression, first, follow)?,
            Expression::Rule(rule) => Expression::Rule(self.rule(*rule, first, follow)?),
            Expression::Text(_) | Expression::Set(_) | Expression::Regular(_) if first != 0 => {
                self.without(expression, first, None)?
            }
            other => other.clone(),
        })
    }

    fn repeat(
        &mut self,
        repeat: &Expression,
        first: Set,
        follow: Set,
    ) -> Result<Expression, LimitError> {
        let Expression::Repeat { body, min, max } = repeat else {
            return self.expression(repeat, first, follow);
        };
        let facts = self.facts_of(body);
        let (first, follow) = match max {
            Some(1) => (first, follow),
            _ => (
                first | facts.first | facts.more | follow,
                follow | facts.first,
            ),
        };
        let is_terminal = match &**body {
            Expression::Text(_) | Expression::Set(_) | Expression::Regular(_) => true,
            Expression::Rule(rule) => self.lexemes.get(rule) == Some(&Lexeme::Terminal),
            _ => false,
        };
        if first != 0 && max.is_none() && is_terminal {
            // One after the other, they run no further than one alone.
            return self.without(repeat, first, None);
        }
        Ok(Expression::Repeat {
            body: Box::new(self.expression(body, first, follow)?),
            min: *min,
            max: *max,
        })
    }

    fn sequence(
        &mut self,
        items: &[Expression],
        first: Set,
        follow: Set,
    ) -> Result<Expression, LimitError> {
        let facts: Vec<Facts> = items.iter().map(|item| self.facts_of(item)).collect();
        // What may begin behind each item.
        let mut behind = vec![follow; items.len()];
        for at in (1..items.len()).rev() {
            let through = if facts[at].is_nullable { behind[at] } else { 0 };
            behind[at - 1] = facts[at].first | through;
        }
        let mut before = Facts {
            is_nullable: true,
            ..Facts::default()
        };
        let mut held = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            let through = if facts[at].is_nullable { behind[at] } else { 0 };
            let outer = if before.is_nullable { first } else { 0 };
            let here = facts[at].first | through | before.more | outer;
            held.push(self.expression(item, here, behind[at])?);
            before = before_and(before, facts[at]);
        }
        Ok(Expression::Sequence(held))
    }

    fn rule(&mut self, rule: RuleIndex, first: Set, follow: Set) -> Result<RuleIndex, LimitError> {
        let own = match self.lexemes.get(&rule) {
            None => return Ok(self.place(rule, first, follow)),
            Some(Lexeme::Ignored) => return Ok(rule),
            Some(Lexeme::Terminal) => None,
            Some(Lexeme::Lazy) => self.bits.get(&rule).copied(),
        };
        let taken = first & !own.map_or(0, |bit| 1 << bit);
        if taken == 0 {
            return Ok(rule);
        }
        if let Some(&known) = self.cut.get(&(rule, taken)) {
            return Ok(known);
        }
        let body = self.without(&Expression::Rule(rule), taken, own)?;
        let new = RuleIndex::from_usize(self.made.len());
        let known = self.rules.get(rule);
        self.made.push(Rule {
            body,
            ..known.clone()
        });
        self.cut.insert((rule, taken), new);
        Ok(new)
    }

    /// The texts of a terminal that do not begin with one of `taken`; of a rule of shortest matches, those that do not go
    /// past one.
    fn without(
        &self,
        terminal: &Expression,
        taken: Set,
        own: Option<usize>,
    ) -> Result<Expression, LimitError> {
        let regular = |expression: &Expression| match self.rules.regular(expression, self.limits) {
            Ok(dfa) => Ok(Some(dfa)),
            Err(Irregular::Limit(error)) => Err(error),
            Err(Irregular::Recursion | Irregular::Token) => Ok(None),
        };
        let Some(mut left) = regular(terminal)? else {
            // No lexeme recurs or has tokens in it.
            return Ok(terminal.clone());
        };
        let least = u32::from(own.is_some());
        for (bit, lazy) in self.lazy.iter().enumerate() {
            if (taken >> bit) & 1 == 1 {
                let lazy = Expression::Regular(lazy.clone());
                let rest = Expression::any().repeated(least, None);
                if let Some(past) = regular(&Expression::Sequence(vec![lazy, rest]))? {
                    left = left.difference(&past, self.limits)?;
                }
            }
        }
        Ok(match left.is_empty() {
            true => Expression::Choice(Vec::new()),
            false => Expression::Regular(Arc::new(left)),
        })
    }
}

/// The facts of one thing or another.
fn either(one: Facts, other: Facts) -> Facts {
    Facts {
        is_nullable: one.is_nullable || other.is_nullable,
        first: one.first | other.first,
        more: one.more | other.more,
    }
}

/// The facts of one thing before another.
fn before_and(one: Facts, other: Facts) -> Facts {
    let through = |is: bool, set: Set| if is { set } else { 0 };
    Facts {
        is_nullable: one.is_nullable && other.is_nullable,
        first: one.first | through(one.is_nullable, other.first),
        more: other.more | through(other.is_nullable, one.more),
    }
}
