//! From a resolved grammar to rules of a [`GrammarBuilder`].
//!
//! Each rule becomes an automaton. Small rules that do not recur are put in the place of their
//! calls, as long as a budget lasts.

mod path;

use rustc_hash::FxHashMap;
use smallvec::smallvec;

use path::{Place, Step, byte_step, path, range, spell};

use super::ast::{Case, Count, Node, NodeKind, RuleIndex, Unit};
use super::bindings::{Binding, Bindings, Filling};
use super::error::{AbnfErrorKind, AbnfErrors, Fault, Faults};
use super::resolve::Resolved;
use super::small::size;
use crate::base::{LimitError, RuleId, Span, graph, longest_beginning, nearest};
use crate::front::repetition::Repetition;
use crate::grammar::{GrammarBuilder, GrammarError, Nfa, NfaState};

/// How deep pieces of one rule are lowered within each other; what is deeper is a rule of its own.
const DEEP: usize = 64;

/// What it costs to lower a rule, and for each rule of the grammar to see whether it is reached.
const STEPS: usize = 1024;
const STEPS_PER_RULE: usize = 4;

/// Adds the rule `start` of `abnf`, and all that it needs, to `builder`.
pub(super) fn lower<'a>(
    abnf: &'a Resolved,
    builder: &'a mut GrammarBuilder,
    start: &str,
    bindings: &'a mut dyn Bindings,
) -> Result<RuleId, AbnfErrors> {
    let mut faults = Faults::default();
    if let Err(error) = builder
        .limits()
        .charge(STEPS + STEPS_PER_RULE * abnf.rules.len())
    {
        return Err(AbnfErrors::one(
            Fault::new(error, Span::default()),
            &abnf.source,
        ));
    }
    let Some(start) = abnf.rule(start) else {
        let names = abnf.rules.iter().map(|rule| rule.name.as_str());
        let hint = nearest(start, names).map(|name| format!("did you mean `{name}`?"));
        let kind = AbnfErrorKind::UnknownStart {
            name: start.to_owned(),
        };
        return Err(AbnfErrors::one(
            Fault {
                kind,
                span: Span::default(),
                hint,
            },
            &abnf.source,
        ));
    };
    let prose = bind(abnf, start, builder, bindings, &mut faults);
    faults.finish(&abnf.source)?;
    let mut controls = bindings.controls();
    controls.sort_unstable();
    let mut lowering = Lowering {
        abnf,
        budget: builder.limits().automaton_states,
        controls,
        bindings,
        builder,
        prose,
        small: abnf.small_rules(),
        ids: vec![None; abnf.rules.len()],
        open: Vec::new(),
        depth: 0,
        deep: Vec::new(),
        current: start,
    };
    let root = lowering.id(start);
    while let Some(rule) = lowering.open.pop() {
        lowering.rule(rule).map_err(|error| {
            refusal(
                error,
                abnf.rules[lowering.current.index()].name_span,
                &abnf.source,
            )
        })?;
    }
    Ok(root)
}

/// The grammar's refusal of what was lowered, as an error at `span`.
pub(super) fn refusal(error: GrammarError, span: Span, source: &str) -> AbnfErrors {
    let kind = match error {
        GrammarError::Limit { source, .. } => AbnfErrorKind::Limit(source),
        error => AbnfErrorKind::Grammar(error),
    };
    AbnfErrors::one(Fault::new(kind, span), source)
}

/// What each prose-val stands for that `start` leads to.
fn bind<'a>(
    abnf: &'a Resolved,
    start: RuleIndex,
    builder: &mut GrammarBuilder,
    bindings: &mut dyn Bindings,
    faults: &mut Faults,
) -> FxHashMap<&'a str, Binding> {
    let reached = graph::reachable([start.index()], abnf.calls());
    let mut bound = FxHashMap::default();
    for (rule, _) in abnf
        .rules
        .iter()
        .zip(reached)
        .filter(|&(_, reached)| reached)
    {
        rule.body.visit(&mut |node| {
            let NodeKind::Prose(name) = &node.kind else {
                return;
            };
            if bound.contains_key(name.as_str()) {
                return;
            }
            match bindings.bind(name, builder) {
                Some(binding) => {
                    bound.insert(name.as_str(), binding);
                }
                None => {
                    let known = bindings.known();
                    let near = nearest(name, known.iter().map(String::as_str));
                    let hint = near.map(|near| format!("did you mean `<{near}>`?"));
                    let kind = AbnfErrorKind::UnboundProse {
                        name: name.clone(),
                        known,
                    };
                    faults.push(Fault {
                        kind,
                        span: node.span,
                        hint,
                    });
                }
            }
        });
    }
    bound
}

struct Lowering<'a> {
    abnf: &'a Resolved,
    builder: &'a mut GrammarBuilder,
    bindings: &'a mut dyn Bindings,
    /// Ascending.
    controls: Vec<String>,
    prose: FxHashMap<&'a str, Binding>,
    small: &'a [Option<usize>],
    ids: Vec<Option<RuleId>>,
    /// Rules that have an id and no body yet.
    open: Vec<RuleIndex>,
    /// How many pieces are being lowered, each within the one before.
    depth: usize,
    /// Pieces of the rule at work that lie too deep, as rules that have no body yet.
    deep: Vec<(RuleId, &'a Node, Option<usize>)>,
    /// The rule at work.
    current: RuleIndex,
    /// How many states may still be made by writing something more than once.
    budget: usize,
}

type Lowered = Result<(), GrammarError>;

impl<'a> Lowering<'a> {
    fn id(&mut self, rule: RuleIndex) -> RuleId {
        if let Some(id) = self.ids[rule.index()] {
            return id;
        }
        let id = self
            .builder
            .declare(self.abnf.rules[rule.index()].name.clone());
        self.ids[rule.index()] = Some(id);
        self.open.push(rule);
        id
    }

    fn rule(&mut self, rule: RuleIndex) -> Lowered {
        self.current = rule;
        let id = self.id(rule);
        self.define(id, &self.abnf.rules[rule.index()].body, None)?;
        while let Some((id, node, index)) = self.deep.pop() {
            self.define(id, node, index)?;
        }
        Ok(())
    }

    /// Gives the rule `id` the body `node`.
    fn define(&mut self, id: RuleId, node: &'a Node, index: Option<usize>) -> Lowered {
        let mut nfa = Nfa::new();
        let (from, to) = (nfa.start(), nfa.state());
        nfa.accept(to);
        self.node(&mut nfa, node, Place { from, to, index })?;
        self.bindings.define(id, &nfa, self.builder)
    }

    /// Joins the two states of `place` by `node`. Neither state gets a loop from this.
    fn node(&mut self, nfa: &mut Nfa, node: &'a Node, place: Place) -> Lowered {
        if self.depth == DEEP && !node.children().is_empty() {
            return self.later(nfa, node, place);
        }
        self.depth += 1;
        let lowered = self.piece(nfa, node, place);
        self.depth -= 1;
        lowered
    }

    /// Makes a rule of a piece that lies deep. What stands for a prose-val has to do with the rule that it is in.
    fn later(&mut self, nfa: &mut Nfa, node: &'a Node, place: Place) -> Lowered {
        let name = &self.abnf.rules[self.current.index()].name;
        let mut prose = false;
        node.visit(&mut |node| prose |= matches!(node.kind, NodeKind::Prose(_)));
        if prose {
            return Err(GrammarError::Limit {
                name: name.clone(),
                source: LimitError {
                    what: "elements within each other around a prose-val",
                    given: DEEP + 1,
                    allowed: DEEP,
                },
            });
        }
        let id = self.builder.declare(format!("{name}, within"));
        self.deep.push((id, node, place.index));
        nfa.call(place.from, id, place.to);
        Ok(())
    }

    fn repeated(&mut self, nfa: &mut Nfa, count: Count, body: &'a Node, place: Place) -> Lowered {
        let times = (count.min, count.max);
        self.repeat(nfa, (body, place.index), times, (place.from, place.to))
    }

    fn piece(&mut self, nfa: &mut Nfa, node: &'a Node, place: Place) -> Lowered {
        match &node.kind {
            NodeKind::Alternation(items) => items
                .iter()
                .try_for_each(|item| self.node(nfa, item, place)),
            NodeKind::Concatenation(items) => self.concatenation(nfa, items, place),
            NodeKind::Repetition { count, body } => {
                if place.index.is_none() && self.is_indexed(body) {
                    return self.each(nfa, place, |lowering, nfa, place| {
                        lowering.repeated(nfa, *count, body, place)
                    });
                }
                self.repeated(nfa, *count, body, place)
            }
            NodeKind::Rule(rule) => self.call(nfa, *rule, place),
            NodeKind::Prose(name) => {
                self.prose(nfa, name, place);
                Ok(())
            }
            NodeKind::Literal { text, .. } => {
                self.check_length(text.len())?;
                let steps = self.spelt(node);
                path(nfa, &steps, place);
                Ok(())
            }
            NodeKind::Values { values, unit } => {
                self.check_length(values.len())?;
                let steps = match unit {
                    Unit::CodePoint => self.spelt(node),
                    Unit::Byte => values.iter().flat_map(|&v| spell(v, *unit)).collect(),
                };
                path(nfa, &steps, place);
                Ok(())
            }
            NodeKind::Range { first, last, unit } => {
                range(nfa, *first, *last, *unit, place);
                Ok(())
            }
        }
    }

    /// What stands before the first indexed item and after the last is shared by all indices.
    fn concatenation(&mut self, nfa: &mut Nfa, items: &'a [Node], place: Place) -> Lowered {
        let indexed = |item: &Node| place.index.is_none() && self.is_indexed(item);
        let first = items.iter().position(indexed);
        let last = items.iter().rposition(indexed);
        let (first, last) = match (first, last) {
            (Some(first), Some(last)) if first < last => (first, last),
            _ => return self.sequence(nfa, items, place),
        };
        let (from, to) = (nfa.state(), nfa.state());
        self.sequence(nfa, &items[..first], place.between(place.from, from))?;
        self.each(nfa, place.between(from, to), |lowering, nfa, place| {
            lowering.sequence(nfa, &items[first..=last], place)
        })?;
        self.sequence(nfa, &items[last + 1..], place.between(to, place.to))
    }

    fn sequence(&mut self, nfa: &mut Nfa, items: &'a [Node], place: Place) -> Lowered {
        let Some((last, items)) = items.split_last() else {
            nfa.empty(place.from, place.to);
            return Ok(());
        };
        let mut from = place.from;
        for item in items {
            let to = nfa.state();
            self.node(nfa, item, place.between(from, to))?;
            from = to;
        }
        self.node(nfa, last, place.between(from, place.to))
    }

    /// Calls `lower` for every index of the fillings that go together.
    fn each(
        &mut self,
        nfa: &mut Nfa,
        place: Place,
        mut lower: impl FnMut(&mut Self, &mut Nfa, Place) -> Lowered,
    ) -> Lowered {
        let lengths = self.prose.values().filter_map(|binding| match binding {
            Binding::Each(fillings) => Some(fillings.len()),
            Binding::One(_) => None,
        });
        let length = lengths.min().unwrap_or(0);
        (0..length).try_for_each(|i| {
            lower(
                self,
                nfa,
                Place {
                    index: Some(i),
                    ..place
                },
            )
        })
    }

    fn is_indexed(&self, node: &Node) -> bool {
        match &node.kind {
            NodeKind::Prose(name) => {
                matches!(self.prose.get(name.as_str()), Some(Binding::Each(_)))
            }
            _ => node.children().iter().any(|child| self.is_indexed(child)),
        }
    }

    fn call(&mut self, nfa: &mut Nfa, rule: RuleIndex, place: Place) -> Lowered {
        let (abnf, small) = (self.abnf, self.small[rule.index()]);
        if small.is_some_and(|size| self.afford(size)) {
            let body = &abnf.rules[rule.index()].body;
            return self.node(
                nfa,
                body,
                Place {
                    index: None,
                    ..place
                },
            );
        }
        let id = self.id(rule);
        nfa.call(place.from, id, place.to);
        Ok(())
    }

    fn prose(&mut self, nfa: &mut Nfa, name: &str, place: Place) {
        let fillings = match self.prose.get(name) {
            Some(Binding::One(filling)) => std::slice::from_ref(filling),
            Some(Binding::Each(fillings)) => match place.index {
                Some(index) => &fillings[index..=index],
                None => fillings,
            },
            None => &[],
        };
        for filling in fillings {
            match filling {
                Filling::Text(text) => {
                    let steps: Vec<_> = text.bytes().map(|byte| byte_step(byte, byte)).collect();
                    path(nfa, &steps, place);
                }
                Filling::Rule(rule) => nfa.call(place.from, *rule, place.to),
            }
        }
    }

    /// Whether a rule may have so many states, before they are made.
    fn check_length(&self, states: usize) -> Lowered {
        let allowed = self.builder.limits().automaton_states;
        let length = LimitError::check("states of a rule body", states, allowed);
        length.map_err(|source| GrammarError::Limit {
            name: self.abnf.rules[self.current.index()].name.clone(),
            source,
        })
    }

    /// The bytes and control tokens of what a node spells out.
    fn spelt(&mut self, node: &Node) -> Vec<Step> {
        let text = node.spelt().unwrap_or_default();
        let is_free = matches!(
            node.kind,
            NodeKind::Literal {
                case: Case::Insensitive,
                ..
            }
        );
        let mut steps = Vec::with_capacity(text.len());
        let mut at = 0;
        while let Some(&byte) = text.as_bytes().get(at) {
            let rest = &text.as_bytes()[at..];
            if let Some(control) = longest_beginning(&self.controls, rest) {
                at += control.len();
                steps.push(Step::Control(self.builder.control(control)));
                continue;
            }
            steps.push(match is_free && byte.is_ascii_alphabetic() {
                true => {
                    let (upper, lower) = (byte.to_ascii_uppercase(), byte.to_ascii_lowercase());
                    Step::Bytes(smallvec![(upper, upper), (lower, lower)])
                }
                false => byte_step(byte, byte),
            });
            at += 1;
        }
        steps
    }

    fn afford(&mut self, states: usize) -> bool {
        let left = self.budget.checked_sub(states);
        self.budget = left.unwrap_or(self.budget);
        left.is_some()
    }
}

/// A body is an element and which of the rules that a prose-val stands for it takes.
impl<'a> Repetition<(&'a Node, Option<usize>)> for Lowering<'a> {
    fn builder(&mut self) -> &mut GrammarBuilder {
        self.builder
    }

    fn rule_name(&self) -> &str {
        &self.abnf.rules[self.current.index()].name
    }

    fn once(
        &mut self,
        nfa: &mut Nfa,
        (node, index): (&'a Node, Option<usize>),
        from: NfaState,
        to: NfaState,
    ) -> Lowered {
        self.node(nfa, node, Place { from, to, index })
    }

    fn define_once(&mut self, rule: RuleId, (node, index): (&'a Node, Option<usize>)) -> Lowered {
        self.define(rule, node, index)
    }

    fn affords(&mut self, copies: usize, (node, _): (&'a Node, Option<usize>)) -> bool {
        self.afford(size(node, self.small).saturating_mul(copies))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_control_token_counts() {
        let texts = ["", "<|", "<|a", "<|ab", "<|a|>", "b"].map(str::to_owned);
        let found = |rest: &str| longest_beginning(&texts, rest.as_bytes()).map(String::as_str);
        assert_eq!(found("<|a|>x"), Some("<|a|>"));
        assert_eq!(found("<|ac"), Some("<|a"));
        assert_eq!(found("<|b"), Some("<|"));
        assert_eq!(found("<b"), None);
        assert_eq!(found("bc"), Some("b"));
        assert_eq!(found("c"), None);
        assert_eq!(found(""), None);
    }
}
