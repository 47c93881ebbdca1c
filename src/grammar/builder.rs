//! The unchecked builder and the checked grammar it becomes.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::determinise::{DeterminiseError, charge, check_body, determinise};
use super::rule::Rule;
use super::trim::{self, Spellable};
use super::{Automaton, Body, Control, Edge, GrammarError, ImplicitBody, Nfa, Node, Words};
use crate::base::{ByteSet, ControlId, LimitError, Limits, RuleId};
use crate::regular::{Dfa, StateId};

/// How many rules a grammar mostly has, at most.
const RULES: usize = 16;

/// A body without control tokens and calls, determinised once and shared by grammars.
#[derive(Clone, Debug)]
pub(crate) struct SharedBody {
    automaton: Arc<Automaton>,
    /// What determinising it took.
    work: usize,
    /// What that was charged of [`Limits::work`].
    steps: usize,
}

/// Collects rules; unchecked until [`GrammarBuilder::finish`].
///
/// ```
/// use maskwright::base::Limits;
/// use maskwright::grammar::{GrammarBuilder, Nfa};
/// let mut builder = GrammarBuilder::new(Limits::default());
/// let digits = builder.declare("digits");
/// let mut nfa = Nfa::new();
/// let more = nfa.state();
/// nfa.bytes(nfa.start(), b'0', b'9', more);
/// nfa.bytes(more, b'0', b'9', more);
/// nfa.accept(more);
/// builder.define(digits, &nfa)?;
/// let grammar = builder.finish(digits)?;
/// assert_eq!(grammar.rule_count(), 1);
/// # Ok::<(), maskwright::grammar::GrammarError>(())
/// ```
#[derive(Debug)]
pub struct GrammarBuilder {
    limits: Limits,
    names: Vec<Cow<'static, str>>,
    bodies: Vec<Option<Body>>,
    controls: Vec<Control>,
    control_ids: FxHashMap<Control, ControlId>,
    subjects: Vec<(RuleId, Box<str>)>,
    /// What determinising the bodies took so far.
    work: usize,
    /// Of the first rules, which are those of a checked grammar: whether they may be empty.
    checked: Vec<bool>,
}

impl GrammarBuilder {
    /// An empty builder that works within `limits`.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits: limits.begin(),
            names: Vec::with_capacity(RULES),
            bodies: Vec::with_capacity(RULES),
            controls: Vec::new(),
            control_ids: FxHashMap::default(),
            subjects: Vec::new(),
            work: 0,
            checked: Vec::new(),
        }
    }

    /// A builder of a grammar that has the rules of `grammar`, by the same ids, and further ones.
    ///
    /// Of the former, one that has a body over bytes may get one that is made when visited instead, which is empty only
    /// where the one before was.
    pub(crate) fn beyond(grammar: &Grammar, limits: Limits) -> Self {
        let control_ids = grammar.controls();
        let rules = grammar.rules.iter();
        Self {
            limits: limits.begin(),
            names: rules.clone().map(|rule| rule.name.clone()).collect(),
            bodies: rules.clone().map(|rule| Some(rule.body.clone())).collect(),
            controls: grammar.controls.to_vec(),
            control_ids: control_ids
                .map(|(id, control)| (control.clone(), id))
                .collect(),
            subjects: grammar.subjects.to_vec(),
            work: 0,
            checked: rules.map(|rule| rule.nullable).collect(),
        }
    }

    /// The limits it works within.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The control token with this spelling, such as `<|start|>`.
    pub fn control(&mut self, spelling: &str) -> ControlId {
        self.control_for(Control::Named(spelling.to_owned()))
    }

    /// What the control token `id` stands for.
    pub(crate) fn control_with(&self, id: ControlId) -> &Control {
        &self.controls[id.index()]
    }

    /// The control token for `control`: a token by its id, any token but some.
    pub fn control_for(&mut self, control: Control) -> ControlId {
        if let Some(&id) = self.control_ids.get(&control) {
            return id;
        }
        let id = ControlId::from_usize(self.controls.len());
        self.controls.push(control.clone());
        self.control_ids.insert(control, id);
        id
    }

    /// A new rule, to be defined later; names are for people and need not be unique.
    pub fn declare(&mut self, name: impl Into<Cow<'static, str>>) -> RuleId {
        self.names.push(name.into());
        self.bodies.push(None);
        RuleId::from_usize(self.names.len() - 1)
    }

    /// Says for people what `rule` reads, such as the arguments of which tool. A rule may be used for several.
    pub(crate) fn describe(&mut self, rule: RuleId, subject: &str) {
        self.subjects.push((rule, subject.into()));
    }

    /// The name that `rule` was declared by.
    pub(crate) fn name(&self, rule: RuleId) -> &str {
        &self.names[rule.index()]
    }

    /// Gives `rule` its body, determinised.
    ///
    /// # Errors
    /// When the deterministic body is over `Limits::automaton_states`, or when one text ends the
    /// rule with two different exits.
    pub fn define(&mut self, rule: RuleId, nfa: &Nfa) -> Result<(), GrammarError> {
        self.define_to_share(rule, nfa).map(drop)
    }

    /// As [`GrammarBuilder::define`]; gives the body, which other grammars may share.
    pub(crate) fn define_to_share(
        &mut self,
        rule: RuleId,
        nfa: &Nfa,
    ) -> Result<SharedBody, GrammarError> {
        let name = || self.names[rule.index()].to_string();
        let before = (self.work, self.limits.spent());
        let automaton =
            determinise(nfa, &mut self.work, &self.limits).map_err(|error| match error {
                DeterminiseError::Limit(source) => GrammarError::Limit {
                    name: name(),
                    source,
                },
                DeterminiseError::Exits => GrammarError::AmbiguousExit { rule, name: name() },
            })?;
        let automaton = Arc::new(automaton);
        self.bodies[rule.index()] = Some(Body::Automaton(Arc::clone(&automaton)));
        Ok(SharedBody {
            automaton,
            work: self.work - before.0,
            steps: self.limits.spent().saturating_sub(before.1),
        })
    }

    /// Gives `rule` a body that was determinised before. What that took counts as if it were done anew.
    ///
    /// # Errors
    /// As [`GrammarBuilder::define`].
    pub(crate) fn define_shared(
        &mut self,
        rule: RuleId,
        body: &SharedBody,
    ) -> Result<(), GrammarError> {
        let of_body = (body.automaton.nodes.len(), body.work);
        check_body(of_body, &self.limits)
            .and_then(|()| self.limits.charge(body.steps))
            .and_then(|()| charge(body.work, &mut self.work, &self.limits))
            .map_err(|source| GrammarError::Limit {
                name: self.names[rule.index()].to_string(),
                source,
            })?;
        self.bodies[rule.index()] = Some(Body::Automaton(Arc::clone(&body.automaton)));
        Ok(())
    }

    /// Gives `rule` the texts of `dfa`.
    pub fn define_regular(&mut self, rule: RuleId, dfa: &Dfa) {
        let first = Dfa::DEAD.get() + 1;
        let edge = |(lo, hi, to): (u8, u8, StateId)| Edge {
            lo,
            hi,
            to: to.get() - first,
        };
        let node = |state| Node {
            edges: dfa.ranges(state).map(edge).collect(),
            exit: dfa.is_accepting(state).then(Words::new),
            ..Node::default()
        };
        // States are numbered as they are met: the first of those that live is the start.
        let live = dfa.states().filter(|&state| dfa.is_live(state));
        let nodes = live.map(node).collect();
        self.bodies[rule.index()] = Some(Body::Automaton(Arc::new(Automaton { nodes })));
    }

    /// Gives `rule` a body that is made when visited.
    pub(crate) fn define_implicit(&mut self, rule: RuleId, body: Arc<dyn ImplicitBody>) {
        self.bodies[rule.index()] = Some(Body::Implicit(body));
    }

    /// Gives `rule` the body that `other` has.
    pub(crate) fn define_as(&mut self, rule: RuleId, other: RuleId) {
        self.bodies[rule.index()] = self.bodies[other.index()].clone();
    }

    /// How many rules were declared so far.
    pub(crate) fn declared(&self) -> usize {
        self.names.len()
    }

    /// Replaces the bodies of the rules from the `first` one on, all of which are made when visited.
    pub(crate) fn wrap(
        &mut self,
        first: usize,
        wrap: impl Fn(Arc<dyn ImplicitBody>) -> Arc<dyn ImplicitBody>,
    ) {
        for body in &mut self.bodies[first..] {
            if let Some(Body::Implicit(inner)) = body {
                *inner = wrap(Arc::clone(inner));
            }
        }
    }

    /// Checks and trims the rules into a grammar that begins with `root`.
    ///
    /// # Errors
    /// An undefined rule, a start rule to which no text belongs, a limit.
    pub fn finish(self, root: RuleId) -> Result<Grammar, GrammarError> {
        LimitError::check("rules of a grammar", self.names.len(), self.limits.rules).map_err(
            |source| GrammarError::Limit {
                name: self.names[root.index()].to_string(),
                source,
            },
        )?;
        let mut is_checked = true;
        let mut rules = Vec::with_capacity(self.names.len());
        for (index, (name, body)) in self.names.into_iter().zip(self.bodies).enumerate() {
            let Some(body) = body else {
                return Err(GrammarError::Undefined {
                    rule: RuleId::from_usize(index),
                    name: name.into_owned(),
                });
            };
            // What is made when visited can end, and is not trimmed.
            let nullable = match (self.checked.get(index), &body) {
                (Some(&nullable), _) => nullable,
                (None, Body::Implicit(body)) => body.nullable(),
                (None, Body::Automaton(_)) => {
                    is_checked = false;
                    false
                }
            };
            rules.push(Rule {
                name,
                body,
                nullable,
            });
        }
        let controls = self.controls.into_boxed_slice();
        let grammar = Grammar {
            rules,
            controls,
            subjects: self.subjects.into(),
            root,
            limits: self.limits,
        };
        match is_checked {
            true => Ok(grammar),
            false => grammar.checked(&[true; 256]),
        }
    }
}

/// A checked grammar: every rule is defined, and every position of an explicit body can end.
#[derive(Clone, Debug)]
pub struct Grammar {
    rules: Vec<Rule>,
    controls: Box<[Control]>,
    /// What rules read, as [`GrammarBuilder::describe`] was told.
    subjects: Box<[(RuleId, Box<str>)]>,
    root: RuleId,
    limits: Limits,
}

impl Grammar {
    /// How many rules there are.
    pub fn rule_count(&self) -> usize {
        self.rules.len()
    }

    /// How much of [`Limits::work`] compiling it took, with all that was compiled into it.
    pub fn work(&self) -> usize {
        self.limits.spent()
    }

    /// The control tokens that the grammar names.
    pub fn controls(&self) -> impl ExactSizeIterator<Item = (ControlId, &Control)> {
        let controls = self.controls.iter().enumerate();
        controls.map(|(i, control)| (ControlId::from_usize(i), control))
    }

    pub(crate) fn control(&self, control: ControlId) -> &Control {
        &self.controls[control.index()]
    }

    pub(crate) fn rule(&self, rule: RuleId) -> &Rule {
        &self.rules[rule.index()]
    }

    pub(crate) fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }

    /// What `rule` reads, as far as that was said.
    pub(crate) fn subjects(&self, rule: RuleId) -> impl Iterator<Item = &str> {
        let subjects = self.subjects.iter().filter(move |(of, _)| *of == rule);
        subjects.map(|(_, subject)| &**subject)
    }

    pub(crate) fn root(&self) -> RuleId {
        self.root
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The bytes that bodies read; of those that are made when visited, which may have any text, all that text has.
    pub(crate) fn bytes_read(&self) -> ByteSet {
        let mut bytes = ByteSet::new();
        for rule in &self.rules {
            match &rule.body {
                Body::Automaton(automaton) => {
                    for edge in automaton.nodes.iter().flat_map(|node| &node.edges) {
                        bytes.insert_range(edge.lo, edge.hi);
                    }
                }
                Body::Implicit(body) => bytes = bytes.union(&body.hints().reads()),
            }
        }
        bytes
    }

    /// The same grammar without the bytes that cannot be spelt, trimmed anew. Implicit bodies are
    /// left as they are.
    ///
    /// # Errors
    /// When the start rule can no longer end.
    pub(crate) fn spelt_with(self, spellable: &Spellable) -> Result<Self, GrammarError> {
        self.checked(spellable)
    }

    fn checked(mut self, spellable: &Spellable) -> Result<Self, GrammarError> {
        let productive = trim::productive(&self.rules, spellable);
        let name = |rule: RuleId, rules: &[Rule]| rules[rule.index()].name.to_string();
        if !productive[self.root.index()] {
            let name = name(self.root, &self.rules);
            return Err(GrammarError::Unproductive {
                rule: self.root,
                name,
            });
        }
        for rule in &mut self.rules {
            if let Body::Automaton(automaton) = &rule.body {
                rule.body = Body::Automaton(trim::trim(automaton, &productive, spellable));
            }
        }
        let nullable = trim::nullable(&self.rules);
        for (index, rule) in self.rules.iter_mut().enumerate() {
            rule.nullable = nullable[index];
            if let (true, Body::Automaton(automaton)) = (rule.nullable, &rule.body)
                && has_exit(automaton, &nullable)
            {
                let rule_id = RuleId::from_usize(index);
                return Err(GrammarError::NullableExit {
                    rule: rule_id,
                    name: rule.name.to_string(),
                });
            }
        }
        Ok(self)
    }
}

fn has_exit(automaton: &Automaton, nullable: &[bool]) -> bool {
    trim::empty_end(automaton, nullable)
        .and_then(|node| node.exit.as_ref())
        .is_some_and(|exit| !exit.is_empty())
}
