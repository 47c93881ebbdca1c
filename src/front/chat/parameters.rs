//! `<parameters RULE>`: what a rule of the file says of how one parameter is written.

use super::condition::Holding;
use super::prose::{NameForm, Prose, Sense};
use super::strings::strings;
use super::{ChatError, Format};
use crate::base::{ControlId, Limits, RuleId};
use crate::front::abnf::{Binding, Bindings, Filling};
use crate::front::json_schema::{FormNode, FormParts, ParameterForm, ValueForm};
use crate::grammar::{Automaton, Body, Grammar, GrammarBuilder, Nfa, ReturnTo};
use crate::regular::Dfa;

/// A rule of parameters, and what stands between two of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParameterRule<'a> {
    /// The prose-val, for errors.
    pub(super) prose: &'a str,
    pub(super) rule: &'a str,
    pub(super) separator: Option<&'a str>,
}

/// What the holes of the rule are filled with that are the same for all parameters.
pub(super) struct Around<'a> {
    pub(super) format: &'a Format,
    pub(super) controls: &'a [String],
    pub(super) limits: &'a Limits,
    pub(super) holding: &'a Holding,
    /// The rule of `<space>`.
    pub(super) space: RuleId,
}

/// The words of Python that are no names.
const KEYWORDS: &str = "False|None|True|and|as|assert|async|await|break|class|continue|def|del|elif|else|\
    except|finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|\
    yield";

impl Around<'_> {
    /// How the parameters of `rule` are written.
    pub(super) fn form(
        &self,
        rule: ParameterRule<'_>,
        builder: &mut GrammarBuilder,
    ) -> Result<ParameterForm, ChatError> {
        let refuse = |reason: String| self.format.refuse(rule.prose, reason);
        let mut holes = Holes::new(self.controls, self.holding);
        let abnf = &self.format.abnf;
        let grammar = abnf.lower(rule.rule, &mut holes, self.limits);
        let grammar = grammar.map_err(|errors| ChatError::Abnf {
            format: self.format.name().to_owned(),
            errors,
        })?;
        let Body::Automaton(automaton) = grammar.rule(grammar.root()).body() else {
            return Err(refuse(
                "its rule must have a parameter's name and value".to_owned(),
            ));
        };
        let nodes = self.nodes(automaton, &grammar, &holes, builder);
        let nodes = nodes.map_err(|callee| {
            refuse(format!(
                "`{}` calls `{callee}` and must spell it out",
                rule.rule
            ))
        })?;
        let parts = FormParts {
            separator: self.separator(rule)?.into_bytes().into(),
            names: self.names(automaton, &holes, rule)?,
            forbidden: self.forbidden(automaton, &holes, rule)?,
            forms: holes.values.iter().map(|value| value.form).collect(),
            quote: self.quote(&holes, rule, builder)?,
            nodes,
            elements: Box::default(),
        };
        let form = ParameterForm::new(parts).map_err(|reason| refuse(reason.to_owned()))?;
        let ready = form.ready(self.limits);
        ready.map_err(|source| self.format.over_limit(rule.prose, source))?;
        Ok(form)
    }

    /// The automaton with its holes; the name of a rule that it calls and that is none.
    fn nodes(
        &self,
        automaton: &Automaton,
        grammar: &Grammar,
        holes: &Holes<'_>,
        builder: &mut GrammarBuilder,
    ) -> Result<Box<[FormNode]>, String> {
        let mut nodes = Vec::with_capacity(automaton.nodes.len());
        for node in &automaton.nodes {
            let mut form = FormNode {
                edges: node.edges.clone(),
                ends: node.exit.is_some(),
                ..FormNode::default()
            };
            for &(control, to) in &node.controls {
                let spelling = grammar.control(control).to_string();
                form.controls.push((builder.control(&spelling), to));
            }
            for call in &node.calls {
                let (ReturnTo::Position(to) | ReturnTo::Ask(to)) = call.to;
                if holes.name.is_some_and(|(name, _)| name == call.rule) {
                    form.name = Some(to);
                } else if let Some(value) = holes.value(call.rule) {
                    form.values.push((value, to));
                } else if holes.space == Some(call.rule) {
                    form.calls.push((self.space, to));
                } else if !holes.nevers.contains(&call.rule) {
                    return Err(grammar.rule(call.rule).name().to_owned());
                }
            }
            nodes.push(form);
        }
        Ok(nodes.into())
    }

    fn separator(&self, rule: ParameterRule<'_>) -> Result<String, ChatError> {
        let Some(separator) = rule.separator else {
            return Ok(String::new());
        };
        let found = strings(&self.format.abnf, separator, self.controls, self.limits);
        match found.as_deref() {
            Some([one]) if !self.controls.contains(one) => Ok(one.clone()),
            _ => {
                let reason = format!("`{separator}` must be a rule that is one quoted string");
                Err(self.format.refuse(rule.prose, reason))
            }
        }
    }

    /// What strings stand between.
    fn quote(
        &self,
        holes: &Holes<'_>,
        rule: ParameterRule<'_>,
        builder: &mut GrammarBuilder,
    ) -> Result<Option<ControlId>, ChatError> {
        let Some(quote) = holes.quote() else {
            return Ok(None);
        };
        let found = strings(&self.format.abnf, quote, self.controls, self.limits);
        match found.as_deref() {
            Some([one]) if self.controls.contains(one) => Ok(Some(builder.control(one))),
            _ => {
                let reason = format!("`{quote}` must be a rule that is one control token");
                Err(self.format.refuse(rule.prose, reason))
            }
        }
    }

    /// The names that can be told from what follows them.
    fn names(
        &self,
        automaton: &Automaton,
        holes: &Holes<'_>,
        rule: ParameterRule<'_>,
    ) -> Result<Dfa, ChatError> {
        let refuse = |reason: String| self.format.refuse(rule.prose, reason);
        let Some((hole, form)) = holes.name else {
            return Err(refuse("its rule must have a `<parameter.name>`".to_owned()));
        };
        let dfa = |pattern: &str| {
            Dfa::regex_full(pattern, self.limits).map_err(|error| refuse(error.to_string()))
        };
        let limited = |error: crate::base::LimitError| refuse(error.to_string());
        let names = match form {
            NameForm::Any => {
                let closing = closings(automaton, hole).into_iter();
                let mut closing: Vec<u8> = closing.filter_map(|text| text.bytes().next()).collect();
                if holes.quote().is_some() {
                    closing.extend(b"[]{},:");
                }
                let closing = closing.iter().map(|byte| format!("\\x{byte:02x}"));
                let closing: String = closing.collect();
                let inner = format!(r"\x00-\x1f\x7f{closing}");
                let edge = format!("{inner} ");
                dfa(&format!("[^{edge}]([^{inner}]*[^{edge}])?"))?
            }
            NameForm::Identifier => {
                let keywords = dfa(KEYWORDS)?;
                let names = dfa("[A-Za-z_][A-Za-z0-9_]*")?;
                names.difference(&keywords, self.limits).map_err(limited)?
            }
        };
        let controls: Vec<&[u8]> = self.controls.iter().map(String::as_bytes).collect();
        let texts = Dfa::text_without(&controls, self.limits).map_err(limited)?;
        names.intersect(&texts, self.limits).map_err(limited)
    }

    /// What closes the values, and whatever else the file says that a string written as it is cannot have.
    fn forbidden(
        &self,
        automaton: &Automaton,
        holes: &Holes<'_>,
        rule: ParameterRule<'_>,
    ) -> Result<Vec<String>, ChatError> {
        let mut forbidden = self.controls.to_vec();
        for value in &holes.values {
            // A control token closes strings between marks.
            if value.quote.is_none() {
                forbidden.extend(closings(automaton, value.hole));
            }
            if let Some(others) = &value.but {
                let found = strings(&self.format.abnf, others, self.controls, self.limits);
                forbidden.extend(found.ok_or_else(|| {
                    let reason = format!(
                        "`{others}` must be a rule that is a quoted string, or one of a few"
                    );
                    self.format.refuse(rule.prose, reason)
                })?);
            }
        }
        forbidden.sort_unstable();
        forbidden.dedup();
        Ok(forbidden)
    }
}

/// The texts that stand right behind the calls of `hole`, without white space around them: as long as one byte
/// follows another. Where a control token follows, it closes what is before, and no text has one.
fn closings(automaton: &Automaton, hole: RuleId) -> Vec<String> {
    let calls = automaton.nodes.iter().flat_map(|node| &node.calls);
    let mut closings = Vec::new();
    for call in calls.filter(|call| call.rule == hole) {
        let (ReturnTo::Position(to) | ReturnTo::Ask(to)) = call.to;
        let (mut at, mut bytes) = (to, Vec::new());
        loop {
            let node = &automaton.nodes[at as usize];
            let alone = node.controls.is_empty() && node.calls.is_empty() && node.exit.is_none();
            match node.edges.as_slice() {
                [edge] if alone && edge.lo == edge.hi && bytes.len() < automaton.nodes.len() => {
                    bytes.push(edge.lo);
                    at = edge.to;
                }
                [] if !node.controls.is_empty() => {
                    bytes.clear();
                    break;
                }
                _ => break,
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        closings.extend(Some(text.trim().to_owned()).filter(|text| !text.is_empty()));
    }
    closings
}

/// A place for a value.
struct Value {
    hole: RuleId,
    form: ValueForm,
    /// The rule of what strings cannot have besides.
    but: Option<String>,
    /// The rule of what strings stand between.
    quote: Option<String>,
}

/// The places that a rule of parameters has.
struct Holes<'a> {
    controls: &'a [String],
    name: Option<(RuleId, NameForm)>,
    values: Vec<Value>,
    space: Option<RuleId>,
    holding: &'a Holding,
    /// What stands for conditions that do not hold, and for what is only read.
    nevers: Vec<RuleId>,
}

impl<'a> Holes<'a> {
    fn new(controls: &'a [String], holding: &'a Holding) -> Self {
        Self {
            controls,
            holding,
            nevers: Vec::new(),
            name: None,
            values: Vec::new(),
            space: None,
        }
    }

    /// The rule of what strings stand between.
    fn quote(&self) -> Option<&str> {
        self.values.iter().find_map(|value| value.quote.as_deref())
    }

    fn value(&self, rule: RuleId) -> Option<usize> {
        self.values.iter().position(|value| value.hole == rule)
    }
}

impl Bindings for Holes<'_> {
    fn controls(&self) -> Vec<String> {
        self.controls.to_vec()
    }

    fn known(&self) -> Vec<String> {
        let known = ["parameter.name", "parameter.value", "space"];
        known.map(str::to_owned).to_vec()
    }

    fn bind(&mut self, prose: &str, builder: &mut GrammarBuilder) -> Option<Binding> {
        let parsed = Prose::parse(prose)?;
        let is_nothing = match parsed {
            Prose::Guard(condition, sense) => self.holding.has(condition) == (sense == Sense::If),
            // What frames a value is no part of its form.
            Prose::Longest(_) => self.holding.is_reading(),
            _ => false,
        };
        if is_nothing {
            return Some(Binding::One(Filling::Text(String::new())));
        }
        let hole = builder.declare(format!("<{prose}>"));
        let mut nfa = Nfa::new();
        let end = nfa.literal(nfa.start(), b"?");
        nfa.accept(end);
        builder.define(hole, &nfa).ok()?;
        let mut value = |form, but: Option<&str>, quote: Option<&str>| {
            self.values.push(Value {
                hole,
                form,
                but: but.map(str::to_owned),
                quote: quote.map(str::to_owned),
            });
        };
        match parsed {
            Prose::ParameterName(form) if self.name.is_none() => self.name = Some((hole, form)),
            Prose::ParameterValue(prose) => value(prose.form, None, None),
            Prose::ParameterValueBut(rule) => value(ValueForm::Raw, Some(rule), None),
            Prose::ParameterValueQuoted(rule) => value(ValueForm::Nested, None, Some(rule)),
            Prose::ParameterValueEndingBut(_) if self.holding.is_reading() => {
                value(ValueForm::Raw, None, None);
            }
            // These are read and never written.
            Prose::Longest(_) | Prose::ParameterValueEndingBut(_) | Prose::Guard(..) => {
                self.nevers.push(hole);
            }
            Prose::Space => self.space = Some(hole),
            _ => return None,
        }
        Some(Binding::One(Filling::Rule(hole)))
    }
}
