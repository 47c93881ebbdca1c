//! Why tokens may come next: for each, the rule that reads it and where that stands in the schema.
//!
//! Nothing here is used by masks. An [`Explainer`] reads a text beside a session and notes at each byte which rules are
//! called from where; what it says of tokens it finds by reading each of them.

use rustc_hash::FxHashMap;

use super::lead::Lead;
use super::live::Live;
use super::{Constraint, SessionError};
use crate::base::{LimitError, Part, TokenId};
use crate::grammar::{Body, Provenance};
use crate::machine::{Inst, Item, Origin, Recall, StateId};
use crate::mask::Mechanism;
use crate::vocab::{TokenKind, row};

/// The most rules that are named as waiting.
const DEEPEST: usize = 32;

/// A reader of one text that can say why tokens may come next.
///
/// ```
/// use maskwright::base::{Limits, TokenId};
/// use maskwright::front::json_schema::{JsonRules, SchemaConfig, compile};
/// use maskwright::grammar::GrammarBuilder;
/// use maskwright::session::{ConstraintConfig, Engine};
/// use maskwright::vocab::VocabularyBuilder;
///
/// let config = SchemaConfig::default();
/// let schema = compile(r#"{"properties": {"a": {"maxLength": 3}}, "required": ["a"]}"#, &config)?;
/// let mut builder = GrammarBuilder::new(Limits::default());
/// let root = schema.lower_into(&mut JsonRules::new(&config)?, &mut builder);
/// let mut vocabulary = VocabularyBuilder::new();
/// for byte in 0..=255 {
///     vocabulary.ordinary(TokenId::new(byte.into()), &[byte])?;
/// }
/// vocabulary.special(TokenId::new(256), "<end>")?.end_token(TokenId::new(256));
/// let engine = Engine::new(vocabulary.build()?);
/// let constraint = engine.constraint(builder.finish(root)?, &ConstraintConfig::default())?;
///
/// let mut explainer = constraint.explainer()?;
/// for byte in br#"{"a":"x"# {
///     explainer.accept(TokenId::new((*byte).into()))?;
/// }
/// let reasons = explainer.reasons()?;
/// assert_eq!(reasons[0].rule, "string");
/// assert_eq!(reasons[0].pointers, ["#/properties/a"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Explainer {
    constraint: Constraint,
    live: Live,
    state: StateId,
    ended: bool,
    /// What the rules under way read, by who waits for them. Of calls at several places the latest counts: it is the
    /// one that is under way.
    subjects: FxHashMap<(Inst, Origin), Subject>,
}

/// What a rule reads, as far as that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Subject {
    name: Option<String>,
    pointers: Vec<String>,
}

/// Tokens that may come next, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The name of the rule that reads them, or in which they begin.
    pub rule: String,
    /// The names of the rules that wait for it to end, the nearest first.
    pub within: Vec<String>,
    /// Whose schema it is, such as a tool's name, if it is anybody's.
    pub subject: Option<String>,
    /// Pointers to the parts of the source that the rule stands for, the one that refers to the others first; none for rules
    /// that are no schema's.
    pub pointers: Vec<String>,
    /// How the tokens come into the mask.
    pub mechanism: Mechanism,
    /// The tokens, ascending.
    pub tokens: Vec<TokenId>,
}

impl Constraint {
    /// An explainer at the beginning of a text.
    ///
    /// # Errors
    /// [`SessionError::Limit`].
    pub fn explainer(&self) -> Result<Explainer, SessionError> {
        let live = self.live();
        let start = live.start;
        Explainer::new(self.clone(), live, start)
    }

    /// An explainer where `parts`, the beginning of a text, end.
    ///
    /// # Errors
    /// [`SessionError::Lead`] where no text begins so, [`SessionError::Limit`].
    pub fn explainer_after<'a>(
        &self,
        parts: impl IntoIterator<Item = Part<'a>>,
    ) -> Result<Explainer, SessionError> {
        let lead: Lead = parts.into_iter().collect();
        let (live, state) = lead.read(self.recogniser())?.into_parts();
        Explainer::new(self.clone(), live, state)
    }
}

impl Explainer {
    fn new(constraint: Constraint, live: Live, state: StateId) -> Result<Self, SessionError> {
        let mut explainer = Self {
            constraint,
            live,
            state,
            ended: false,
            subjects: FxHashMap::default(),
        };
        let root = explainer.live.generation.root();
        let subject = explainer.own(root);
        explainer.subjects.insert((root, Origin::BOTTOM), subject);
        explainer.arrive(state)?;
        Ok(explainer)
    }

    /// Appends `token`.
    ///
    /// # Errors
    /// [`SessionError::NotAllowed`] where it may not come, [`SessionError::Ended`] after an end token,
    /// [`SessionError::Limit`]. The explainer stays where it was.
    pub fn accept(&mut self, token: TokenId) -> Result<(), SessionError> {
        if self.ended {
            return Err(SessionError::Ended);
        }
        let live = self.live.clone();
        let generation = &live.generation;
        let vocabulary = self.constraint.vocabulary();
        let (mut to, mut passed) = (StateId::DEAD, Vec::new());
        if vocabulary.kind(token) == TokenKind::Ordinary {
            to = self.state;
            for &byte in vocabulary.bytes(token).unwrap_or_default() {
                to = generation.advance(to, byte)?;
                passed.push(to);
            }
        }
        to = generation.either(to, generation.advance_token(self.state, token)?)?;
        if to != StateId::DEAD {
            passed.push(to);
            passed.retain(|&state| state != StateId::DEAD);
            return passed
                .into_iter()
                .try_for_each(|state| Ok(self.arrive(state)?));
        }
        let is_end = self.constraint.stop_tokens().contains(&token);
        match is_end && generation.state(self.state).accepting {
            true => self.ended = true,
            false => return Err(SessionError::NotAllowed { token }),
        }
        Ok(())
    }

    /// Whether an end token may come next.
    pub fn may_end(&self) -> bool {
        !self.ended && self.live.generation.state(self.state).accepting
    }

    /// Why tokens may come next, the reason with most tokens first. A token may have several. End tokens have none: see
    /// [`Self::may_end`].
    ///
    /// # Errors
    /// [`SessionError::Limit`].
    pub fn reasons(&self) -> Result<Vec<Reason>, SessionError> {
        let mut reasons: Vec<Reason> = Vec::new();
        if self.ended {
            return Ok(reasons);
        }
        for &item in &self.live.generation.state(self.state).items {
            let tokens = self.tokens(item)?;
            let mut reason = self.reason(item)?;
            match reasons.iter_mut().find(|known| known.is_like(&reason)) {
                Some(known) => known.tokens.extend(tokens),
                None => {
                    reason.tokens = tokens;
                    reasons.push(reason);
                }
            }
        }
        reasons.retain(|reason| !reason.tokens.is_empty());
        for reason in &mut reasons {
            reason.tokens.sort_unstable();
            reason.tokens.dedup();
        }
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.tokens.len()));
        Ok(reasons)
    }

    /// Goes to `state`, and notes what is called there.
    fn arrive(&mut self, state: StateId) -> Result<(), LimitError> {
        let live = self.live.clone();
        let generation = &live.generation;
        let mut here: FxHashMap<(Inst, Origin), Subject> = FxHashMap::default();
        for call in generation.calls(state)? {
            let caller = (generation.inst(call.caller.pos), call.caller.origin);
            let known = here.get(&caller).or_else(|| self.subjects.get(&caller));
            let subject = self.called(call.caller, call.callee, known);
            let noted = here.entry((call.callee, call.origin)).or_default();
            noted.name = noted.name.take().or(subject.name);
            for pointer in subject.pointers {
                if !noted.pointers.contains(&pointer) {
                    noted.pointers.push(pointer);
                }
            }
        }
        self.subjects.extend(here);
        self.state = state;
        Ok(())
    }

    /// What `callee` reads, called by one that reads what is `known`.
    fn called(&self, caller: Item, callee: Inst, known: Option<&Subject>) -> Subject {
        let generation = &self.live.generation;
        let mut subject = known.cloned().unwrap_or_default();
        let names = generation.grammar().subjects(generation.rule(callee));
        let names: Vec<&str> = names.collect();
        if !names.is_empty() {
            subject = self.own(callee);
            subject.name = Some(names.join(", "));
        }
        let words = generation.words(caller.pos);
        if let (Some(words), Some(from)) = (words, self.provenance(generation.inst(caller.pos))) {
            let pointers = from.called(words, generation.rule(callee));
            if !pointers.is_empty() {
                subject.pointers = pointers;
            }
        }
        match subject.pointers.is_empty() {
            true => Subject {
                name: subject.name,
                ..self.own(callee)
            },
            false => subject,
        }
    }

    fn own(&self, inst: Inst) -> Subject {
        Subject {
            name: None,
            pointers: self
                .provenance(inst)
                .map_or_else(Vec::new, |from| from.own()),
        }
    }

    fn provenance(&self, inst: Inst) -> Option<&dyn Provenance> {
        let generation = &self.live.generation;
        match generation.grammar().rule(generation.rule(inst)).body() {
            Body::Implicit(body) => body.hints().provenance(),
            Body::Automaton(_) => None,
        }
    }

    /// What `item` reads, with no tokens yet.
    fn reason(&self, item: Item) -> Result<Reason, LimitError> {
        let generation = &self.live.generation;
        let inst = generation.inst(item.pos);
        let subject = self.subjects.get(&(inst, item.origin)).cloned();
        let subject = subject.unwrap_or_default();
        let mechanism = match generation.node(item.pos).edges.is_empty() {
            true => Mechanism::Controls,
            false => self.constraint.mechanism(&self.live, item)?,
        };
        Ok(Reason {
            rule: self.name(inst),
            within: self.within(inst, item.origin),
            subject: subject.name,
            pointers: subject.pointers,
            mechanism,
            tokens: Vec::new(),
        })
    }

    fn name(&self, inst: Inst) -> String {
        let generation = &self.live.generation;
        let rule = generation.grammar().rule(generation.rule(inst));
        rule.name().to_owned()
    }

    /// The names of those that wait for `inst` to end; of several, the first.
    fn within(&self, mut inst: Inst, mut origin: Origin) -> Vec<String> {
        let generation = &self.live.generation;
        let mut names = Vec::new();
        while origin != Origin::BOTTOM && names.len() < DEEPEST {
            let waits = generation.waits(origin);
            let Some(wait) = waits.iter().find(|wait| wait.callee == inst) else {
                break;
            };
            inst = generation.inst(wait.site);
            if wait.origin != Origin::SELF {
                origin = wait.origin;
            }
            names.push(self.name(inst));
        }
        names
    }

    /// The tokens of the mask that begin at `item`, whatever its rule remembers: a state for each key that could come
    /// would be more than a machine holds.
    fn tokens(&self, item: Item) -> Result<Vec<TokenId>, SessionError> {
        let generation = &self.live.generation;
        let vocabulary = self.constraint.vocabulary();
        let mut mask = vec![0; vocabulary.mask_words()];
        self.constraint.fill(&self.live, self.state, &mut mask)?;
        let node = generation.node(item.pos);
        let own = node.own_bytes();
        let mut first = FxHashMap::default();
        for byte in own.iter() {
            first.insert(byte, generation.step(&[item], byte, Recall::Nothing)?);
        }
        let mut tokens: Vec<TokenId> = Vec::new();
        let all = (0..vocabulary.len()).map(TokenId::from_usize);
        for token in all.filter(|&token| row::contains(&mask, token)) {
            let Some((byte, rest)) = vocabulary.bytes(token).and_then(<[u8]>::split_first) else {
                continue;
            };
            let Some(&(mut at)) = first.get(byte) else {
                continue;
            };
            for &byte in rest {
                at = generation.advance_unrecorded(at, byte)?;
            }
            tokens.extend((at != StateId::DEAD).then_some(token));
        }
        for &(control, _) in node.controls() {
            tokens.extend(generation.binding().control(control).tokens());
        }
        Ok(tokens)
    }
}

impl Reason {
    /// Whether both are the same but for their tokens.
    fn is_like(&self, other: &Self) -> bool {
        let what = |reason: &'_ Self| (reason.rule.clone(), reason.subject.clone());
        what(self) == what(other)
            && self.mechanism == other.mechanism
            && self.pointers == other.pointers
            && self.within == other.within
    }
}
