//! What the prose-vals of a format stand for in requests of one shape. What each request says by itself has slots.

use std::sync::Arc;

use super::kept::KeptText;
use super::marks::{MOST_MARKS, Marks};
use super::options::OpenCall;
use super::parameters::{Around, ParameterRule};
use super::prose::{self, IdForm, KNOWN, Names, Prose, Sense};
use super::shape::Shape;
use super::slot::{Id, Slot, SlotKind, Written};
use super::strings::strings;
use super::text::{Spelling, Text, name_but, not_ending_in};
use super::{ChatError, Format};
use crate::base::RuleId;
use crate::front::abnf::{Binding, Bindings, Filling};
use crate::front::json_schema::{SpacePattern, Whitespace};
use crate::grammar::{GrammarBuilder, GrammarError, Nfa};
use crate::regular::Dfa;

/// Fills the prose-vals of a format.
pub(super) struct Fill<'a> {
    format: &'a Format,
    shape: &'a Shape,
    /// The calls that wait for an answer.
    open_calls: &'a [OpenCall],
    /// Whether the rules have to do with these, so that requests of one shape differ in them.
    pub(super) answers_calls: bool,
    /// The spellings of the control tokens.
    controls: Vec<String>,
    pub(super) marks: Marks,
    /// The rules that each request fills by itself.
    pub(super) slots: Vec<Slot>,
    /// How many rules are being lowered, each where the one before mentions it.
    depth: usize,
    /// The first thing that went wrong.
    pub(super) error: Option<ChatError>,
}

impl<'a> Fill<'a> {
    pub(super) fn new(format: &'a Format, shape: &'a Shape, open_calls: &'a [OpenCall]) -> Self {
        Self {
            format,
            shape,
            open_calls,
            answers_calls: false,
            controls: format.controls_with(&shape.sequence),
            marks: Marks::default(),
            slots: Vec::new(),
            depth: 0,
            error: None,
        }
    }

    /// What `prose` stands for; `None` where it says nothing known.
    fn binding(
        &mut self,
        prose: &str,
        builder: &mut GrammarBuilder,
    ) -> Option<Result<Binding, ChatError>> {
        let rule = match Prose::parse(prose)? {
            text @ (Prose::Text
            | Prose::EscapedText
            | Prose::Line
            | Prose::TextBut(_)
            | Prose::LinesBut(_)
            | Prose::EscapedTextBut(_)
            | Prose::TextEndingBut(..)
            | Prose::TextWithout(_)
            | Prose::NameBut(_)) => self.text(prose, text, builder),
            Prose::Within(rule) | Prose::Longest(rule) | Prose::ToolCode(_, Some(rule)) => {
                self.within(prose, rule, builder)
            }
            Prose::ToolCode(_, None) => self.text(prose, Prose::Text, builder),
            Prose::Name(names) => self.tool_name(prose, names, Vec::new(), builder),
            Prose::NameOtherThan(names, rule) => {
                let taken = self.strings(prose, rule);
                taken.and_then(|taken| self.tool_name(prose, names, taken, builder))
            }
            Prose::ToolArguments => self.slot(prose, SlotKind::Arguments(Written::Json), builder),
            Prose::ToolArgumentsString => {
                self.slot(prose, SlotKind::Arguments(Written::InString), builder)
            }
            Prose::Parameters(rule, separator) => {
                let rule = ParameterRule {
                    prose,
                    rule,
                    separator,
                };
                self.parameters(rule, builder)
            }
            Prose::ParameterName(_)
            | Prose::ParameterValue(_)
            | Prose::ParameterValueBut(_)
            | Prose::ParameterValueEndingBut(_)
            | Prose::ParameterValueQuoted(_) => {
                let reason = "it stands in the rule of a `<parameters RULE>` only".to_owned();
                Err(self.format.refuse(prose, reason))
            }
            Prose::Id(form) => self.id(prose, form, builder),
            Prose::OpenCallId => return Some(Ok(self.open_calls(|call| call.id.clone()))),
            Prose::OpenCallName => {
                return Some(Ok(self.open_calls(|call| Some(call.name.clone()))));
            }
            Prose::FirstOpenCallName => {
                self.answers_calls = true;
                match self.open_calls.first() {
                    Some(call) => return Some(Ok(Binding::One(Filling::Text(call.name.clone())))),
                    None => self.format.rule(prose, &Nfa::new(), builder),
                }
            }
            Prose::Json => self.slot(prose, SlotKind::Json, builder),
            Prose::Response => self.slot(prose, SlotKind::Response, builder),
            Prose::Space => self.space(prose, builder),
            Prose::Begin => self.control(prose, &self.shape.sequence.begin, builder),
            Prose::End => self.control(prose, &self.shape.sequence.end, builder),
            Prose::Guard(condition, sense) => {
                let mut nfa = Nfa::new();
                if self.shape.holding.has(condition) == (sense == Sense::If) {
                    nfa.accept(nfa.start());
                }
                self.format.rule(prose, &nfa, builder)
            }
            Prose::Mark(mark_use, name) => {
                self.format
                    .rule(prose, &Nfa::new(), builder)
                    .and_then(|rule| {
                        self.marks.add(rule, mark_use, name).ok_or_else(|| {
                            let reason = format!("a format may have at most {MOST_MARKS} marks");
                            self.format.refuse(prose, reason)
                        })?;
                        Ok(rule)
                    })
            }
        };
        Some(rule.map(|rule| Binding::One(Filling::Rule(rule))))
    }

    /// The rule `name` of the file, lowered apart from the rule that mentions it.
    fn within(
        &mut self,
        prose: &str,
        name: &str,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        self.depth += 1;
        let lowered = (self.format).lower_within(prose, name, self.depth, builder, self);
        self.depth -= 1;
        lowered
    }

    /// A rule of text. The format keeps its body for further requests.
    fn text(
        &self,
        prose: &str,
        text: Prose<'_>,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        let (kept, limits) = (&self.format.kept, &self.shape.limits);
        let defined = match kept.text(prose, &self.controls) {
            Some(KeptText { body, steps }) => {
                let charged = limits.charge(steps);
                charged.map_err(|source| self.format.over_limit(prose, source))?;
                let rule = builder.declare(format!("<{prose}>"));
                builder.define_shared(rule, &body).map(|()| rule)
            }
            None => {
                let before = limits.spent();
                let nfa = self.text_automaton(prose, text)?;
                let steps = limits.spent().saturating_sub(before);
                let rule = builder.declare(format!("<{prose}>"));
                builder.define_to_share(rule, &nfa).map(|body| {
                    kept.keep_text(prose, &self.controls, KeptText { body, steps });
                    rule
                })
            }
        };
        defined.map_err(|source| self.format.refused(source))
    }

    /// What a prose-val of text says, which the control tokens and the file decide.
    fn text_automaton(&self, prose: &str, text: Prose<'_>) -> Result<Nfa, ChatError> {
        let limits = &self.shape.limits;
        let limit = |source| self.format.over_limit(prose, source);
        let (others, spelling, after) = match text {
            Prose::EscapedText => (Vec::new(), Spelling::Doubled, ""),
            Prose::Line => (["\r", "\n"].map(str::to_owned).into(), Spelling::Never, ""),
            Prose::TextBut(rule) => (self.strings(prose, rule)?, Spelling::Never, ""),
            Prose::LinesBut(rule) => (self.strings(prose, rule)?, Spelling::Never, "\n"),
            Prose::EscapedTextBut(rule) => (self.strings(prose, rule)?, Spelling::Doubled, ""),
            Prose::TextEndingBut(rule, others) => return self.ending_but(prose, rule, others),
            Prose::TextWithout(rule) => {
                let text = Text {
                    without: &self.strings(prose, rule)?,
                    doubled: &[],
                    after: "",
                };
                return text.automaton(limits).map_err(limit);
            }
            Prose::NameBut(rule) => {
                return name_but(&self.strings(prose, rule)?, limits).map_err(limit);
            }
            _ => (Vec::new(), Spelling::Never, ""),
        };
        let text = match spelling {
            Spelling::Never => Text {
                without: &[&self.controls[..], &others].concat(),
                doubled: &[],
                after,
            }
            .automaton(limits),
            Spelling::Doubled => Text {
                without: &others,
                doubled: &self.controls,
                after,
            }
            .automaton(limits),
        };
        text.map_err(limit)
    }

    /// Text that ends in none of the characters of a rule, and has none of the strings of another.
    fn ending_but(&self, prose: &str, rule: &str, others: Option<&str>) -> Result<Nfa, ChatError> {
        let last = self.last_characters(prose, rule)?;
        let mut without = self.controls.clone();
        if let Some(others) = others {
            without.extend(self.strings(prose, others)?);
        }
        let text = Text {
            without: &without,
            doubled: &[],
            after: "",
        };
        let mut text = text
            .automaton(&self.shape.limits)
            .map_err(|source| self.format.over_limit(prose, source))?;
        not_ending_in(&mut text, &last);
        Ok(text)
    }

    /// The characters of the rule `rule`, in which a text does not end.
    pub(super) fn last_characters(&self, prose: &str, rule: &str) -> Result<Vec<u8>, ChatError> {
        let last = self.strings(prose, rule)?;
        let is_one = |string: &String| string.len() == 1;
        if !last.iter().all(is_one) {
            let reason = format!("`{rule}` must be one character of ASCII, or some of them");
            return Err(self.format.refuse(prose, reason));
        }
        Ok(last.concat().into_bytes())
    }

    /// The strings of the rule that a prose-val names.
    pub(super) fn strings(&self, prose: &str, rule: &str) -> Result<Vec<String>, ChatError> {
        let limits = &self.shape.limits;
        strings(&self.format.abnf, rule, &self.controls, limits).ok_or_else(|| {
            let reason =
                format!("`{rule}` must be a rule that is a quoted string, or one of a few");
            self.format.refuse(prose, reason)
        })
    }

    /// The names of tools, none of them `taken`.
    fn tool_name(
        &mut self,
        prose: &str,
        names: Names,
        taken: Vec<String>,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        match self.shape.has_names(names) {
            true => self.slot(prose, SlotKind::Names { names, taken }, builder),
            false => self.format.rule(prose, &Nfa::new(), builder),
        }
    }

    /// The arguments of tools, parameter by parameter.
    fn parameters(
        &mut self,
        rule: ParameterRule<'_>,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        let space = self.space("space", builder)?;
        let around = Around {
            format: self.format,
            controls: &self.controls,
            limits: &self.shape.limits,
            holding: &self.shape.holding,
            space,
        };
        let form = Arc::new(around.form(rule, builder)?);
        let written = Written::Parameters(form);
        self.slot(rule.prose, SlotKind::Arguments(written), builder)
    }

    fn id(
        &mut self,
        prose: &str,
        form: IdForm<'_>,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        let refuse = |reason: String| self.format.refuse(prose, reason);
        let is_id = |slot: &Slot| matches!(slot.kind, SlotKind::Id(_));
        if self.slots.iter().any(is_id) {
            return Err(refuse("all ids of a format are of one form".to_owned()));
        }
        let id = match form {
            IdForm::Free => Id::Free,
            IdForm::Counter(first) => Id::Counter(first),
            IdForm::Pattern(pattern) => {
                let texts = Dfa::regex_full(pattern, &self.shape.limits);
                let texts = texts.map_err(|error| refuse(error.to_string()))?;
                if texts.is_empty() || texts.is_accepting(texts.start()) {
                    return Err(refuse("an id has a character at least".to_owned()));
                }
                Id::Pattern(Arc::new(texts))
            }
        };
        self.slot(prose, SlotKind::Id(id), builder)
    }

    /// A rule that each request replaces by its own. What it reads is never empty.
    fn slot(
        &mut self,
        prose: &str,
        kind: SlotKind,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        let mut nfa = Nfa::new();
        let end = nfa.literal(nfa.start(), b"?");
        nfa.accept(end);
        let rule = self.format.rule(prose, &nfa, builder)?;
        let prose = prose.to_owned();
        self.slots.push(Slot { rule, prose, kind });
        Ok(rule)
    }

    /// One filling for each open call; where the format asks for ids, for each that has one.
    fn open_calls(&mut self, filling: impl Fn(&OpenCall) -> Option<String>) -> Binding {
        self.answers_calls = true;
        let asks_for_ids = self.format.has_prose("open-call-id");
        let calls = self.open_calls.iter();
        let answerable = calls.filter(|call| !asks_for_ids || call.id.is_some());
        Binding::Each(answerable.filter_map(filling).map(Filling::Text).collect())
    }

    fn space(&self, prose: &str, builder: &mut GrammarBuilder) -> Result<RuleId, ChatError> {
        let mut nfa = Nfa::new();
        match &self.shape.whitespace {
            Whitespace::Compact => nfa.accept(nfa.start()),
            Whitespace::Json => {
                nfa.accept(nfa.start());
                for byte in *b" \t\r\n" {
                    nfa.bytes(nfa.start(), byte, byte, nfa.start());
                }
            }
            Whitespace::Pretty => SpacePattern::pretty().write(&mut nfa),
            Whitespace::Pattern(pattern) => pattern.write(&mut nfa),
        }
        self.format.rule(prose, &nfa, builder)
    }

    fn control(
        &self,
        prose: &str,
        spelling: &str,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        let mut nfa = Nfa::new();
        let end = nfa.state();
        nfa.control(nfa.start(), builder.control(spelling), end);
        nfa.accept(end);
        self.format.rule(prose, &nfa, builder)
    }
}

impl Bindings for Fill<'_> {
    fn controls(&self) -> Vec<String> {
        self.controls.clone()
    }

    fn known(&self) -> Vec<String> {
        KNOWN.iter().map(|&known| known.to_owned()).collect()
    }

    fn bind(&mut self, prose: &str, builder: &mut GrammarBuilder) -> Option<Binding> {
        if self.error.is_some() {
            // All is refused: what else is wrong is not looked for.
            let nothing = builder.declare(format!("<{prose}>"));
            return Some(Binding::One(Filling::Rule(nothing)));
        }
        let Some(bound) = self.binding(prose, builder) else {
            // What is nearly known is said better here than by a list.
            let reason = prose.split_once(' ').and_then(|_| prose::fault(prose))?;
            self.error.get_or_insert(self.format.refuse(prose, reason));
            return Some(Binding::One(Filling::Rule(
                builder.declare(format!("<{prose}>")),
            )));
        };
        Some(bound.unwrap_or_else(|error| {
            self.error.get_or_insert(error);
            Binding::One(Filling::Rule(builder.declare(format!("<{prose}>"))))
        }))
    }

    fn define(
        &mut self,
        rule: RuleId,
        nfa: &Nfa,
        builder: &mut GrammarBuilder,
    ) -> Result<(), GrammarError> {
        let resolved = self.marks.resolve(nfa, builder.limits().automaton_states);
        let resolved = resolved.map_err(|source| GrammarError::Limit {
            name: builder.name(rule).to_owned(),
            source,
        })?;
        builder.define(rule, resolved.as_ref().unwrap_or(nfa))
    }
}
