//! What the prose-vals of a format stand for in one request.

use std::sync::Arc;

use super::json::Json;
use super::marks::{MOST_MARKS, Marks};
use super::offered::Offered;
use super::options::{ChatOptions, OpenCall};
use super::parameters::{Around, ParameterRule};
use super::prose::{self, IdForm, KNOWN, Names, Prose, Sense};
use super::strings::strings;
use super::text::{Spelling, Text, name_but};
use super::tools::Tool;
use super::{ChatError, Format};
use crate::base::RuleId;
use crate::front::abnf::{Binding, Bindings, Filling};
use crate::front::json_schema::{SchemaError, SpacePattern, Whitespace};
use crate::grammar::{GrammarBuilder, GrammarError, Nfa};
use crate::regular::Dfa;

/// The rules that prose-vals became, as they are needed to bind rules afterwards.
#[derive(Debug, Default)]
pub(super) struct Filled {
    /// The rules that name tools, each with its names and the numbers of their tools.
    pub(super) tool_names: Vec<(RuleId, Vec<(String, u32)>)>,
    /// The rules that stand for arguments, each with those of the tools that may be called.
    pub(super) arguments: Vec<(RuleId, Box<[RuleId]>)>,
    pub(super) id: Option<(RuleId, Id)>,
}

/// What the ids of a format are.
#[derive(Debug)]
pub(super) enum Id {
    Free,
    Pattern(Arc<Dfa>),
    Counter(u32),
}

/// What each tool costs besides its schema.
const STEPS_PER_TOOL: usize = 1024;

/// Fills the prose-vals of a format.
pub(super) struct Fill<'a> {
    format: &'a Format,
    options: &'a ChatOptions,
    offered: &'a Offered<'a>,
    /// The spellings of the control tokens.
    controls: Vec<String>,
    generated: Json,
    any_spelling: Json,
    pub(super) marks: Marks,
    pub(super) filled: Filled,
    /// How many rules are being lowered, each where the one before mentions it.
    depth: usize,
    /// The first thing that went wrong.
    pub(super) error: Option<ChatError>,
}

impl<'a> Fill<'a> {
    pub(super) fn new(
        format: &'a Format,
        options: &'a ChatOptions,
        offered: &'a Offered<'a>,
    ) -> Self {
        let controls = format.controls_with(&options.sequence_tokens);
        Self {
            format,
            options,
            offered,
            generated: Json::generated(&controls, options),
            any_spelling: Json::any_spelling(&controls, options),
            controls,
            marks: Marks::default(),
            filled: Filled::default(),
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
            | Prose::TextWithout(_)
            | Prose::NameBut(_)) => self.text(prose, text, builder),
            Prose::Within(rule) | Prose::Longest(rule) | Prose::ToolCode(_, Some(rule)) => {
                self.within(prose, rule, builder)
            }
            Prose::ToolCode(_, None) => self.text(prose, Prose::Text, builder),
            Prose::Name(names) => self.tool_name(prose, names, builder),
            Prose::NameOtherThan(names, rule) => {
                let taken = self.strings(prose, rule);
                let taken = taken.and_then(|taken| self.check_names(prose, names, &taken));
                taken.and_then(|()| self.tool_name(prose, names, builder))
            }
            Prose::ToolArguments => self.tool_arguments(builder),
            Prose::ToolArgumentsString => self.tool_arguments_string(builder),
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
            | Prose::ParameterValueQuoted(_) => {
                let reason = "it stands in the rule of a `<parameters RULE>` only".to_owned();
                Err(self.format.refuse(prose, reason))
            }
            Prose::Id(form) => self.id(prose, form, builder),
            Prose::OpenCallId => return Some(Ok(self.open_calls(|call| call.id.clone()))),
            Prose::OpenCallName => {
                return Some(Ok(self.open_calls(|call| Some(call.name.clone()))));
            }
            Prose::FirstOpenCallName => match self.options.open_calls.first() {
                Some(call) => return Some(Ok(Binding::One(Filling::Text(call.name.clone())))),
                None => self.format.rule(prose, &Nfa::new(), builder),
            },
            Prose::Json => self
                .any_spelling
                .value(builder)
                .map_err(|source| self.json_error(source)),
            Prose::Response => self.response(builder),
            Prose::Space => self.space(prose, builder),
            Prose::Begin => self.control(prose, &self.options.sequence_tokens.begin, builder),
            Prose::End => self.control(prose, &self.options.sequence_tokens.end, builder),
            Prose::Guard(condition, sense) => {
                let mut nfa = Nfa::new();
                if condition.holds(self.options, self.offered) == (sense == Sense::If) {
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

    fn json_error(&self, source: SchemaError) -> ChatError {
        ChatError::Json {
            format: self.format.name().to_owned(),
            source: Box::new(source),
        }
    }

    /// A rule of text. The format keeps its body for further requests.
    fn text(
        &self,
        prose: &str,
        text: Prose<'_>,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        let texts = &self.format.texts;
        let defined = match texts.get(prose, &self.controls) {
            Some(body) => {
                let rule = builder.declare(format!("<{prose}>"));
                builder.define_shared(rule, &body).map(|()| rule)
            }
            None => {
                let nfa = self.text_automaton(prose, text)?;
                let rule = builder.declare(format!("<{prose}>"));
                let body = builder.define_to_share(rule, &nfa);
                body.map(|body| {
                    texts.keep(prose, &self.controls, body);
                    rule
                })
            }
        };
        defined.map_err(|source| self.format.refused(source))
    }

    /// What a prose-val of text says, which the control tokens and the file decide.
    fn text_automaton(&self, prose: &str, text: Prose<'_>) -> Result<Nfa, ChatError> {
        let limits = &self.options.limits;
        let limit = |source| self.format.over_limit(prose, source);
        let (others, spelling, after) = match text {
            Prose::EscapedText => (Vec::new(), Spelling::Doubled, ""),
            Prose::Line => (["\r", "\n"].map(str::to_owned).into(), Spelling::Never, ""),
            Prose::TextBut(rule) => (self.strings(prose, rule)?, Spelling::Never, ""),
            Prose::LinesBut(rule) => (self.strings(prose, rule)?, Spelling::Never, "\n"),
            Prose::EscapedTextBut(rule) => (self.strings(prose, rule)?, Spelling::Doubled, ""),
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

    /// The strings of the rule that a prose-val names.
    pub(super) fn strings(&self, prose: &str, rule: &str) -> Result<Vec<String>, ChatError> {
        let limits = &self.options.limits;
        strings(&self.format.abnf, rule, &self.controls, limits).ok_or_else(|| {
            let reason =
                format!("`{rule}` must be a rule that is a quoted string, or one of a few");
            self.format.refuse(prose, reason)
        })
    }

    /// The names of tools, each of which ends with the tool's number.
    fn tool_name(
        &mut self,
        prose: &str,
        names: Names,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        let tools = (0u32..).zip(&self.offered.tools);
        let named: Vec<(String, u32)> = tools
            .filter_map(|(number, tool)| Some((names.of(tool)?.to_owned(), number)))
            .collect();
        if named.is_empty() {
            return self.format.rule(prose, &Nfa::new(), builder);
        }
        let rule = self.stand_in(prose, builder)?;
        self.filled.tool_names.push((rule, named));
        Ok(rule)
    }

    /// Whether no tool that may be called has one of these names, which mean something else in the format.
    fn check_names(&self, prose: &str, names: Names, taken: &[String]) -> Result<(), ChatError> {
        let mut named = self.offered.tools.iter().filter_map(|tool| names.of(tool));
        match named.find(|name| taken.iter().any(|taken| taken == name)) {
            Some(name) => {
                let reason = format!("a tool named `{name}` cannot be called in this format");
                Err(self.format.refuse(prose, reason))
            }
            None => Ok(()),
        }
    }

    fn tool_arguments(&mut self, builder: &mut GrammarBuilder) -> Result<RuleId, ChatError> {
        self.each_tool("tool.arguments", builder, |fill, tool, builder| {
            let (arguments, deadlines) = (tool.arguments(), fill.options.deadlines);
            fill.generated.arguments(arguments, deadlines, builder)
        })
    }

    fn tool_arguments_string(&mut self, builder: &mut GrammarBuilder) -> Result<RuleId, ChatError> {
        self.each_tool("tool.arguments-string", builder, |fill, tool, builder| {
            let (arguments, deadlines) = (tool.arguments(), fill.options.deadlines);
            let json = &mut fill.generated;
            json.arguments_string(arguments, deadlines, builder)
        })
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
            limits: &self.options.limits,
            space,
        };
        let form = Arc::new(around.form(rule, builder)?);
        let mut json = Json::generated(form.forbidden(), self.options);
        self.each_tool(rule.prose, builder, |fill, tool, builder| {
            let (arguments, deadlines) = (tool.arguments(), fill.options.deadlines);
            json.parameters(arguments, deadlines, &form, builder)
        })
    }

    /// A rule that stands for that of the tool which is called.
    fn each_tool(
        &mut self,
        prose: &str,
        builder: &mut GrammarBuilder,
        mut rule: impl FnMut(&mut Self, &Tool, &mut GrammarBuilder) -> Result<RuleId, SchemaError>,
    ) -> Result<RuleId, ChatError> {
        let offered = self.offered;
        let mut rule_of = |fill: &mut Self, tool: &Tool, builder: &mut GrammarBuilder| {
            let charged = builder.limits().charge(STEPS_PER_TOOL);
            charged.map_err(|source| fill.format.over_limit(prose, source))?;
            let rule = rule(fill, tool, builder).map_err(|source| ChatError::Tool {
                name: tool.name().to_owned(),
                pointer: tool.pointer().to_owned(),
                source: Box::new(source),
            })?;
            builder.describe(rule, tool.name());
            Ok::<_, ChatError>(rule)
        };
        let tools = offered.tools.iter();
        let rules = tools.map(|tool| rule_of(self, tool, builder));
        let rules = rules.collect::<Result<Box<[_]>, _>>()?;
        for &tool in &offered.others {
            rule_of(self, tool, builder)?;
        }
        let rule = self.stand_in(prose, builder)?;
        self.filled.arguments.push((rule, rules));
        Ok(rule)
    }

    fn id(
        &mut self,
        prose: &str,
        form: IdForm<'_>,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        let refuse = |reason: String| self.format.refuse(prose, reason);
        if self.filled.id.is_some() {
            return Err(refuse("all ids of a format are of one form".to_owned()));
        }
        let id = match form {
            IdForm::Free => Id::Free,
            IdForm::Counter(first) => Id::Counter(first),
            IdForm::Pattern(pattern) => {
                let texts = Dfa::regex_full(pattern, &self.options.limits);
                let texts = texts.map_err(|error| refuse(error.to_string()))?;
                if texts.is_empty() || texts.is_accepting(texts.start()) {
                    return Err(refuse("an id has a character at least".to_owned()));
                }
                Id::Pattern(Arc::new(texts))
            }
        };
        let rule = self.stand_in(prose, builder)?;
        self.filled.id = Some((rule, id));
        Ok(rule)
    }

    /// A rule that is replaced when the whole grammar is known.
    fn stand_in(&self, prose: &str, builder: &mut GrammarBuilder) -> Result<RuleId, ChatError> {
        let mut nfa = Nfa::new();
        let end = nfa.literal(nfa.start(), b"?");
        nfa.accept(end);
        self.format.rule(prose, &nfa, builder)
    }

    /// One filling for each open call; where the format asks for ids, for each that has one.
    fn open_calls(&self, filling: impl Fn(&OpenCall) -> Option<String>) -> Binding {
        let asks_for_ids = self.format.has_prose("open-call-id");
        let calls = self.options.open_calls.iter();
        let answerable = calls.filter(|call| !asks_for_ids || call.id.is_some());
        Binding::Each(answerable.filter_map(filling).map(Filling::Text).collect())
    }

    fn response(&mut self, builder: &mut GrammarBuilder) -> Result<RuleId, ChatError> {
        match &self.options.response_schema {
            Some(schema) => {
                self.generated
                    .schema(schema, builder)
                    .map_err(|source| ChatError::Response {
                        source: Box::new(source),
                    })
            }
            None => self
                .generated
                .value(builder)
                .map_err(|source| self.json_error(source)),
        }
    }

    fn space(&self, prose: &str, builder: &mut GrammarBuilder) -> Result<RuleId, ChatError> {
        let mut nfa = Nfa::new();
        match &self.options.whitespace {
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
