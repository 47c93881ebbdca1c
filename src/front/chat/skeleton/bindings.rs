//! The prose-vals of a format, filled for a reader.

use rustc_hash::{FxHashMap, FxHashSet};

use super::names::{any_name, is_taken};
use super::role::{Detail, Extent, Role, ValueSpelling};
use super::values::Values;
use crate::base::{LimitError, RuleId};
use crate::front::abnf::{Binding, Bindings, Filling};
use crate::front::chat::fill::Fill;
use crate::front::chat::offered::Offered;
use crate::front::chat::options::ChatOptions;
use crate::front::chat::parameters::{Around, ParameterRule};
use crate::front::chat::prose::{IdForm, Names, Prose};
use crate::front::chat::shape::Shape;
use crate::front::chat::text::{Text, not_ending_in};
use crate::front::chat::{ChatError, Format, ToolChoice};
use crate::front::json_schema::{ParameterForm, ValueForm};
use crate::grammar::{GrammarBuilder, GrammarError, Label, Nfa};
use crate::regular::Dfa;

const ANY_ID: &str = "[A-Za-z0-9_-]{1,64}";

/// Fills the prose-vals of a format and notes the roles of their rules.
pub(super) struct Reading<'a> {
    format: &'a Format,
    options: &'a ChatOptions,
    offered: &'a Offered<'a>,
    shape: &'a Shape,
    detail: Detail,
    controls: Vec<String>,
    /// What fills those that mean the same to masks and to readers.
    fill: Fill<'a>,
    roles: FxHashMap<RuleId, Role>,
    /// Arguments with the white space around them.
    spaced: FxHashSet<RuleId>,
    code_tools: Vec<String>,
    /// The form of the parameters whose rule is being lowered.
    form: Option<ParameterForm>,
    pub(super) reads_parameters: bool,
    /// What strings of parameters stand between, where they do.
    pub(super) mark: Option<String>,
    /// How many rules are being lowered, each where the one before mentions it.
    depth: usize,
    error: Option<ChatError>,
}

impl<'a> Reading<'a> {
    pub(super) fn new(
        format: &'a Format,
        options: &'a ChatOptions,
        (offered, shape): (&'a Offered<'a>, &'a Shape),
        detail: Detail,
    ) -> Self {
        Self {
            format,
            options,
            offered,
            shape,
            detail,
            controls: format.controls_with(&options.sequence_tokens),
            fill: Fill::new(format, shape, &options.open_calls),
            roles: FxHashMap::default(),
            spaced: FxHashSet::default(),
            code_tools: Vec::new(),
            form: None,
            reads_parameters: false,
            mark: None,
            depth: 0,
            error: None,
        }
    }

    /// The roles, and the names of the tools that take text.
    pub(super) fn finish(self) -> Result<(FxHashMap<RuleId, Role>, Vec<String>), ChatError> {
        match self.error.or(self.fill.error) {
            Some(error) => Err(error),
            None => Ok((self.roles, self.code_tools)),
        }
    }

    /// A rule for `<prose>` and its role; `None` where it means the same to masks.
    fn rule(
        &mut self,
        prose: &str,
        parsed: Prose<'_>,
        builder: &mut GrammarBuilder,
    ) -> Result<Option<RuleId>, ChatError> {
        let (rule, role) = match parsed {
            Prose::Within(rule) => {
                let role = match prose.split(' ').next() {
                    Some("content") => Role::Content(Extent::Passage),
                    Some("reasoning") => Role::Reasoning(Extent::Passage),
                    _ => Role::Verbatim,
                };
                (self.within(prose, rule, builder)?, role)
            }
            Prose::Longest(rule) => (self.longest(prose, rule, builder)?, Role::Longest),
            Prose::ToolCode(tool, rule) => {
                let code = match rule {
                    Some(rule) => self.within(prose, rule, builder)?,
                    None => self.text(prose, &self.controls, builder)?,
                };
                self.code_tools.push(tool.to_owned());
                (code, Role::Code(self.code_tools.len() as u16 - 1))
            }
            Prose::EscapedText => (self.escaped(prose, &[], builder)?, Role::Verbatim),
            Prose::EscapedTextBut(others) => {
                let others = self.fill.strings(prose, others)?;
                (self.escaped(prose, &others, builder)?, Role::Verbatim)
            }
            Prose::Name(names) => (self.names(prose, names, &[], builder)?, Role::Name),
            Prose::NameOtherThan(names, rule) => {
                let taken = self.fill.strings(prose, rule)?;
                (self.names(prose, names, &taken, builder)?, Role::Name)
            }
            Prose::ToolArguments => {
                let object = self.value(Values::Object, builder)?;
                let spaced = self.spaced(prose, (object, Role::Arguments), builder)?;
                self.spaced.insert(spaced);
                return Ok(Some(spaced));
            }
            Prose::ToolArgumentsString => {
                let string = self.arguments_string(prose, builder)?;
                let spaced = self.spaced(prose, (string, Role::Framing), builder)?;
                self.spaced.insert(spaced);
                return Ok(Some(spaced));
            }
            Prose::Response => {
                let value = self.value(Values::Json, builder)?;
                let content = Role::Content(Extent::Text);
                return self.spaced(prose, (value, content), builder).map(Some);
            }
            Prose::Json => return self.value(Values::Json, builder).map(Some),
            Prose::Space => return self.space(prose, builder).map(Some),
            Prose::Id(form) => {
                let pattern = match form {
                    IdForm::Free => ANY_ID,
                    IdForm::Counter(_) => "[0-9]+",
                    IdForm::Pattern(pattern) => pattern,
                };
                (self.pattern(prose, pattern, builder)?, Role::Id)
            }
            Prose::Parameters(rule, separator) => {
                let rule = ParameterRule {
                    prose,
                    rule,
                    separator,
                };
                (self.parameters(rule, builder)?, Role::Parameters)
            }
            Prose::ParameterName(_) => (self.parameter_name(prose, builder)?, Role::ParameterName),
            Prose::ParameterValue(value) => {
                self.parameter_value(prose, (value.form, &[]), builder)?
            }
            Prose::ParameterValueBut(_) => {
                self.parameter_value(prose, (ValueForm::Raw, &[]), builder)?
            }
            Prose::ParameterValueEndingBut(rule) => {
                let last = self.fill.last_characters(prose, rule)?;
                self.parameter_value(prose, (ValueForm::Raw, &last), builder)?
            }
            Prose::ParameterValueQuoted(mark) => {
                let rule = self.marked_value(prose, mark, builder)?;
                (rule, Role::ParameterValue(ValueSpelling::Nested))
            }
            _ => return Ok(None),
        };
        self.roles.insert(rule, role);
        Ok(Some(rule))
    }

    /// A rule that calls the rule `name` of the file.
    fn within(
        &mut self,
        prose: &str,
        name: &str,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        let inner = self.lowered(prose, name, builder)?;
        self.calling(prose, inner, builder)
    }

    /// A rule of its own that calls `inner`, so that its role is no other's.
    fn calling(
        &self,
        prose: &str,
        inner: RuleId,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        let mut nfa = Nfa::new();
        let end = nfa.state();
        nfa.call(nfa.start(), inner, end);
        nfa.accept(end);
        self.format.rule(prose, &nfa, builder)
    }

    /// The rule `name` of the file.
    fn lowered(
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

    /// What the rule `name` of the file reads, which must call no other.
    fn longest(
        &mut self,
        prose: &str,
        name: &str,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        let rule = self.lowered(prose, name, builder)?;
        match self.roles.contains_key(&rule) {
            true => Err(self
                .format
                .refuse(prose, format!("`{name}` has a role already"))),
            false => Ok(rule),
        }
    }

    /// What fills `<prose>`, unless that met a limit.
    fn within_limits(&self, prose: &str, nfa: Result<Nfa, LimitError>) -> Result<Nfa, ChatError> {
        nfa.map_err(|source| self.format.over_limit(prose, source))
    }

    fn text(
        &self,
        prose: &str,
        without: &[String],
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        self.text_ending(prose, (without, &[]), builder)
    }

    /// Text without some strings that ends in none of the bytes `last`.
    fn text_ending(
        &self,
        prose: &str,
        (without, last): (&[String], &[u8]),
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        let text = Text {
            without,
            doubled: &[],
            after: "",
        };
        let text = text.automaton(builder.limits());
        let mut text = self.within_limits(prose, text)?;
        if !last.is_empty() {
            not_ending_in(&mut text, last);
        }
        self.format.rule(prose, &text, builder)
    }

    /// Text in which a control token is spelt with its first byte doubled: that byte only frames.
    ///
    /// The pieces between such spellings have no control token in them, and the last of them does not end in the first
    /// byte of one, which would double what follows.
    fn escaped(
        &mut self,
        prose: &str,
        others: &[String],
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        let without = [&self.controls[..], others].concat();
        let plain = self.text(prose, &without, builder)?;
        let mut firsts: Vec<u8> = self
            .controls
            .iter()
            .map(|name| name.as_bytes()[0])
            .collect();
        firsts.sort_unstable();
        firsts.dedup();
        let last = self.text_ending(prose, (&without, &firsts), builder)?;
        let mut nfa = Nfa::new();
        let (read, end) = (nfa.state(), nfa.state());
        nfa.call(nfa.start(), plain, read);
        nfa.call(nfa.start(), last, end);
        for control in &self.controls {
            let mut doubling = Nfa::new();
            let doubled = doubling.literal(doubling.start(), &control.as_bytes()[..1]);
            doubling.accept(doubled);
            let framing = self.format.rule(prose, &doubling, builder)?;
            self.roles.insert(framing, Role::Framing);
            let spelt = nfa.state();
            nfa.call(read, framing, spelt);
            let after = nfa.literal(spelt, control.as_bytes());
            nfa.empty(after, nfa.start());
        }
        nfa.accept(end);
        self.format.rule(prose, &nfa, builder)
    }

    fn names(
        &self,
        prose: &str,
        names: Names,
        taken: &[String],
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        let any = self.offered.tools.is_empty() && self.offered.others.is_empty();
        // Who asks for an answer of a schema and has no tools is not called by any name.
        let may_call =
            self.options.tool_choice != ToolChoice::None && self.options.response_schema.is_none();
        if any && names != Names::BuiltIns && may_call {
            // By its full name, that is the built-in tool.
            let python =
                (self.offered.python && names != Names::Short).then(|| "python".to_owned());
            let taken: Vec<String> = taken.iter().cloned().chain(python).collect();
            let names = any_name(&taken, &self.options.limits);
            let names = names.map_err(|reason| self.format.refuse(prose, reason))?;
            let rule = builder.declare(format!("<{prose}>"));
            builder.define_regular(rule, &names);
            return Ok(rule);
        }
        let mut nfa = Nfa::new();
        let offered = self.offered.tools.iter();
        let offered = offered.filter_map(|tool| names.of(tool));
        for name in offered.filter(|name| !is_taken(name, taken)) {
            let end = nfa.literal(nfa.start(), name.as_bytes());
            nfa.accept(end);
        }
        self.format.rule(prose, &nfa, builder)
    }

    fn pattern(
        &self,
        prose: &str,
        pattern: &str,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        let texts = Dfa::regex_full(pattern, &self.options.limits);
        let texts = texts.map_err(|error| self.format.refuse(prose, error.to_string()))?;
        let rule = builder.declare(format!("<{prose}>"));
        builder.define_regular(rule, &texts);
        Ok(rule)
    }

    /// Any white space of JSON, whatever the request writes.
    fn space(&self, prose: &str, builder: &mut GrammarBuilder) -> Result<RuleId, ChatError> {
        let mut nfa = Nfa::new();
        nfa.accept(nfa.start());
        for byte in *b" \t\r\n" {
            nfa.bytes(nfa.start(), byte, byte, nfa.start());
        }
        self.format.rule(prose, &nfa, builder)
    }

    /// A value with a role of its own, and white space around it, which only frames: models write it, whatever a mask allows.
    fn spaced(
        &mut self,
        prose: &str,
        (value, role): (RuleId, Role),
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        self.roles.insert(value, role);
        let space = self.space("space", builder)?;
        self.roles.insert(space, Role::Framing);
        let mut nfa = Nfa::new();
        let (begin, read, end) = (nfa.state(), nfa.state(), nfa.state());
        nfa.call(nfa.start(), space, begin);
        nfa.call(begin, value, read);
        nfa.call(read, space, end);
        nfa.accept(end);
        self.format.rule(prose, &nfa, builder)
    }

    /// A string in which an object stands, with white space around it there.
    fn arguments_string(
        &mut self,
        prose: &str,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        let space = self.value(Values::SpeltSpace, builder)?;
        self.roles.insert(space, Role::Framing);
        let object = self.value(Values::SpeltObject, builder)?;
        self.roles.insert(object, Role::ArgumentsString);
        let mut nfa = Nfa::new();
        let (begin, read, behind) = (nfa.state(), nfa.state(), nfa.state());
        let quoted = nfa.literal(nfa.start(), b"\"");
        nfa.call(quoted, space, begin);
        nfa.call(begin, object, read);
        nfa.call(read, space, behind);
        let end = nfa.literal(behind, b"\"");
        nfa.accept(end);
        self.format.rule(prose, &nfa, builder)
    }

    /// A value whose strings stand between two of the control token that is the rule `name`.
    fn marked_value(
        &mut self,
        prose: &str,
        name: &str,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        let mark = self.fill.strings(prose, name)?.swap_remove(0);
        let mut nfa = Nfa::new();
        let (control, end) = (builder.control(&mark), nfa.state());
        nfa.control(nfa.start(), control, end);
        nfa.accept(end);
        let rule = self.format.rule(prose, &nfa, builder)?;
        // So that a value has its marks in it, by which it is made JSON.
        self.roles.insert(rule, Role::Verbatim);
        self.mark = Some(mark);
        self.value_with(Values::Nested, Some(rule), builder)
    }

    fn value(&mut self, values: Values, builder: &mut GrammarBuilder) -> Result<RuleId, ChatError> {
        self.value_with(values, None, builder)
    }

    fn value_with(
        &mut self,
        values: Values,
        mark: Option<RuleId>,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        let forbidden = match &self.form {
            Some(form) => form.forbidden(),
            None => &self.controls,
        };
        let limits = &self.options.limits;
        let lowered = values.lower((forbidden, mark), self.detail, limits, builder);
        let (inner, structure) = lowered.map_err(|errors| ChatError::Abnf {
            format: self.format.name().to_owned(),
            errors,
        })?;
        if let Some(structure) = structure {
            self.roles.insert(structure, Role::Structure);
        }
        self.calling("value", inner, builder)
    }

    /// The parameters of a call, one by one: none, or one and then others with the separator before them.
    fn parameters(
        &mut self,
        rule: ParameterRule<'_>,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        let space = self.space("space", builder)?;
        let around = Around {
            format: self.format,
            controls: &self.controls,
            limits: &self.options.limits,
            holding: &self.shape.holding,
            space,
        };
        self.form = Some(around.form(rule, builder)?);
        let parameter = self.within(rule.prose, rule.rule, builder);
        let form = self.form.take();
        let parameter = parameter?;
        let separator = form.as_ref().map_or(&[][..], ParameterForm::separator);
        let plain = separator.trim_ascii();
        let mut nfa = Nfa::new();
        let (next, end) = (nfa.state(), nfa.state());
        nfa.accept(nfa.start());
        nfa.empty(nfa.start(), next);
        nfa.call(next, parameter, end);
        nfa.accept(end);
        let again = nfa.literal(end, plain);
        match plain.len() < separator.len() {
            // White space of the separator is any.
            true => nfa.call(again, space, next),
            false => nfa.empty(again, next),
        }
        self.reads_parameters = true;
        self.format.rule(rule.prose, &nfa, builder)
    }

    fn parameter_name(
        &self,
        prose: &str,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        let form = self.form.as_ref().ok_or_else(|| self.misplaced(prose))?;
        let rule = builder.declare(format!("<{prose}>"));
        builder.define_regular(rule, form.names());
        Ok(rule)
    }

    fn misplaced(&self, prose: &str) -> ChatError {
        let reason = "it stands in the rule of a `<parameters RULE>` only".to_owned();
        self.format.refuse(prose, reason)
    }

    /// A value in a form, which ends in none of the bytes `last` where it stands as it is.
    fn parameter_value(
        &mut self,
        prose: &str,
        (form, last): (ValueForm, &[u8]),
        builder: &mut GrammarBuilder,
    ) -> Result<(RuleId, Role), ChatError> {
        let Some(parameters) = &self.form else {
            return Err(self.misplaced(prose));
        };
        let (rule, spelling) = match form {
            ValueForm::Python => {
                let rule = self.value(Values::Python, builder)?;
                (rule, ValueSpelling::Python)
            }
            ValueForm::Json => (self.value(Values::Json, builder)?, ValueSpelling::Json),
            form => {
                let rule = self.text_ending(prose, (parameters.forbidden(), last), builder)?;
                let spelling = match form {
                    ValueForm::Raw => ValueSpelling::Raw,
                    ValueForm::String => ValueSpelling::String,
                    _ => ValueSpelling::Json,
                };
                (rule, spelling)
            }
        };
        Ok((rule, Role::ParameterValue(spelling)))
    }
}

impl Bindings for Reading<'_> {
    fn controls(&self) -> Vec<String> {
        self.controls.clone()
    }

    fn known(&self) -> Vec<String> {
        self.fill.known()
    }

    fn bind(&mut self, prose: &str, builder: &mut GrammarBuilder) -> Option<Binding> {
        if self.error.is_some() {
            // All is refused: what else is wrong is not looked for.
            let nothing = builder.declare(format!("<{prose}>"));
            return Some(Binding::One(Filling::Rule(nothing)));
        }
        let Some(parsed) = Prose::parse(prose) else {
            return self.fill.bind(prose, builder);
        };
        let rule = match self.rule(prose, parsed, builder) {
            Ok(Some(rule)) => rule,
            Ok(None) => {
                let bound = self.fill.bind(prose, builder)?;
                if let Binding::One(Filling::Rule(rule)) = bound {
                    let word = prose.split([' ', '-']).next();
                    let role = match word {
                        Some("content") => Role::Content(Extent::Text),
                        Some("reasoning") => Role::Reasoning(Extent::Text),
                        Some("text") => Role::Verbatim,
                        _ => return Some(bound),
                    };
                    self.roles.insert(rule, role);
                }
                return Some(bound);
            }
            Err(error) => {
                self.error.get_or_insert(error);
                builder.declare(format!("<{prose}>"))
            }
        };
        Some(Binding::One(Filling::Rule(rule)))
    }

    fn define(
        &mut self,
        rule: RuleId,
        nfa: &Nfa,
        builder: &mut GrammarBuilder,
    ) -> Result<(), GrammarError> {
        let called = nfa.nodes.iter().flat_map(|node| &node.edges);
        let is_of_call = |label: &Label| match label {
            Label::Call(rule) => {
                let role = self.roles.get(rule);
                matches!(role, Some(Role::Name | Role::Code(_) | Role::Parameters))
                    || self.spaced.contains(rule)
            }
            _ => false,
        };
        if called.into_iter().any(|(label, _)| is_of_call(label)) {
            self.roles.insert(rule, Role::Call);
        }
        self.fill.define(rule, nfa, builder)
    }
}
