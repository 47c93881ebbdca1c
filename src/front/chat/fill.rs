//! What the prose-vals of a format stand for in one request.

use rustc_hash::FxHashSet;

use super::json::Json;
use super::marks::{MOST_MARKS, Marks};
use super::options::{ChatOptions, Condition};
use super::prose::{KNOWN, Prose, Sense};
use super::text::{Spelling, Text};
use super::{ChatError, Format};
use crate::base::{LineColumn, RuleId};
use crate::front::abnf::{Binding, Bindings, Filling};
use crate::front::json_schema::SchemaError;
use crate::grammar::{Body, Grammar, GrammarBuilder, GrammarError, Nfa};

/// How many strings a rule may have that `<text-without …>` names.
const MOST_STRINGS: usize = 256;
/// How long each of them may be, in bytes.
const LONGEST_STRING: usize = 256;

/// The rules that prose-vals became, as they are needed to bind rules afterwards.
#[derive(Debug, Default)]
pub(super) struct Filled {
    pub(super) tool_name: Option<RuleId>,
    pub(super) tool_arguments: Option<RuleId>,
    /// The argument rules of the tools that may be called.
    pub(super) arguments: Vec<RuleId>,
    pub(super) call_id: Option<RuleId>,
}

/// Fills the prose-vals of a format.
pub(super) struct Fill<'a> {
    format: &'a Format,
    options: &'a ChatOptions,
    /// The tools that may be called, by their place in the options.
    allowed: &'a [usize],
    generated: Json,
    any_spelling: Json,
    pub(super) marks: Marks,
    pub(super) filled: Filled,
    /// The first thing that went wrong.
    pub(super) error: Option<ChatError>,
}

impl<'a> Fill<'a> {
    pub(super) fn new(format: &'a Format, options: &'a ChatOptions, allowed: &'a [usize]) -> Self {
        Self {
            format,
            options,
            allowed,
            generated: Json::generated(format.controls(), options),
            any_spelling: Json::any_spelling(format.controls(), options),
            marks: Marks::default(),
            filled: Filled::default(),
            error: None,
        }
    }

    fn rule(
        &mut self,
        prose: &str,
        builder: &mut GrammarBuilder,
    ) -> Option<Result<RuleId, ChatError>> {
        let controls = self.format.controls();
        Some(match Prose::parse(prose)? {
            Prose::Text => self.text(
                prose,
                Text {
                    without: controls,
                    spelling: Spelling::Never,
                },
                builder,
            ),
            Prose::EscapedText => self.text(
                prose,
                Text {
                    without: controls,
                    spelling: Spelling::Doubled,
                },
                builder,
            ),
            Prose::Line => {
                let without = [controls, &["\r".to_owned(), "\n".to_owned()]].concat();
                self.text(
                    prose,
                    Text {
                        without: &without,
                        spelling: Spelling::Never,
                    },
                    builder,
                )
            }
            Prose::TextWithout(rule) => self.strings(prose, rule).and_then(|without| {
                self.text(
                    prose,
                    Text {
                        without: &without,
                        spelling: Spelling::Never,
                    },
                    builder,
                )
            }),
            Prose::ToolName => self.tool_name(builder),
            Prose::ToolArguments => self.tool_arguments(builder),
            Prose::CallId => self.call_id(builder),
            Prose::Json => self
                .any_spelling
                .value(builder)
                .map_err(|source| self.json_error(source)),
            Prose::Response => self.response(builder),
            Prose::Guard(condition, sense) => self.guard(prose, condition, sense, builder),
            Prose::Mark(mark_use, name) => {
                let rule = builder.declare(format!("<{prose}>"));
                match self.marks.add(rule, mark_use, name) {
                    Some(()) => self.add(rule, &Nfa::new(), builder),
                    None => Err(self.refuse(
                        prose,
                        format!("a format may have at most {MOST_MARKS} marks"),
                    )),
                }
            }
        })
    }

    fn add(
        &self,
        rule: RuleId,
        nfa: &Nfa,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        builder
            .define(rule, nfa)
            .map_err(|source| self.grammar_error(source))?;
        Ok(rule)
    }

    fn grammar_error(&self, source: GrammarError) -> ChatError {
        ChatError::Grammar {
            format: self.format.name().to_owned(),
            source: Box::new(source),
        }
    }

    fn json_error(&self, source: SchemaError) -> ChatError {
        ChatError::Json {
            format: self.format.name().to_owned(),
            source: Box::new(source),
        }
    }

    /// An error about `<prose>`, at its first place.
    fn refuse(&self, prose: &str, reason: String) -> ChatError {
        refuse(self.format, prose, reason)
    }

    fn text(
        &self,
        prose: &str,
        text: Text<'_>,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        let rule = builder.declare(format!("<{prose}>"));
        self.add(rule, &text.automaton(), builder)
    }

    /// The strings of the rule that `<text-without …>` names.
    fn strings(&self, prose: &str, rule: &str) -> Result<Vec<String>, ChatError> {
        let strings = self
            .format
            .abnf
            .lower(
                rule,
                &mut Controls(self.format.controls()),
                &self.options.limits,
            )
            .ok()
            .and_then(|g| members(&g));
        strings.ok_or_else(|| {
            let reason =
                format!("`{rule}` must be a rule that is a quoted string, or one of a few");
            self.refuse(prose, reason)
        })
    }

    /// A trie of the names, which ends with the tool's number.
    fn tool_name(&mut self, builder: &mut GrammarBuilder) -> Result<RuleId, ChatError> {
        let rule = builder.declare("<tool.name>");
        let mut nfa = Nfa::new();
        for (number, &tool) in self.allowed.iter().enumerate() {
            let name = self
                .options
                .tools
                .iter()
                .nth(tool)
                .map_or("", |tool| tool.name());
            let end = nfa.literal(nfa.start(), name.as_bytes());
            nfa.accept_with(end, &[number as u32]);
        }
        self.filled.tool_name = Some(rule);
        self.add(rule, &nfa, builder)
    }

    fn tool_arguments(&mut self, builder: &mut GrammarBuilder) -> Result<RuleId, ChatError> {
        for (index, tool) in self.options.tools.iter().enumerate() {
            // Tools that may not be called are refused all the same when they are wrong.
            let rule = self
                .generated
                .arguments(tool.arguments(), builder)
                .map_err(|source| ChatError::Tool {
                    name: tool.name().to_owned(),
                    pointer: tool.pointer().to_owned(),
                    source: Box::new(source),
                })?;
            if self.allowed.contains(&index) {
                self.filled.arguments.push(rule);
            }
        }
        let rule = self.stand_in("<tool.arguments>", builder)?;
        self.filled.tool_arguments = Some(rule);
        Ok(rule)
    }

    fn call_id(&mut self, builder: &mut GrammarBuilder) -> Result<RuleId, ChatError> {
        let rule = self.stand_in("<call-id>", builder)?;
        self.filled.call_id = Some(rule);
        Ok(rule)
    }

    /// A rule that is replaced when the whole grammar is known.
    fn stand_in(&self, name: &str, builder: &mut GrammarBuilder) -> Result<RuleId, ChatError> {
        let rule = builder.declare(name);
        let mut nfa = Nfa::new();
        let end = nfa.literal(nfa.start(), b"?");
        nfa.accept(end);
        self.add(rule, &nfa, builder)
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

    fn guard(
        &self,
        prose: &str,
        condition: Condition,
        sense: Sense,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        let rule = builder.declare(format!("<{prose}>"));
        let mut nfa = Nfa::new();
        if self.options.holds(condition) == (sense == Sense::If) {
            nfa.accept(nfa.start());
        }
        self.add(rule, &nfa, builder)
    }
}

/// An error about `<prose>` of `format`, at its first place.
pub(super) fn refuse(format: &Format, prose: &str, reason: String) -> ChatError {
    let found = format
        .abnf
        .prose_vals()
        .into_iter()
        .find(|found| found.name == prose);
    let at = found.map_or(0, |found| found.span.start);
    ChatError::Prose {
        format: format.name().to_owned(),
        prose: prose.to_owned(),
        place: LineColumn::of(&format.source, at),
        reason,
    }
}

impl Bindings for Fill<'_> {
    fn controls(&self) -> Vec<String> {
        self.format.controls().to_vec()
    }

    fn known(&self) -> Vec<String> {
        KNOWN.iter().map(|&known| known.to_owned()).collect()
    }

    fn bind(&mut self, prose: &str, builder: &mut GrammarBuilder) -> Option<Binding> {
        let rule = match self.rule(prose, builder)? {
            Ok(rule) => rule,
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
        match self.marks.resolve(nfa) {
            Some(resolved) => builder.define(rule, &resolved),
            None => builder.define(rule, nfa),
        }
    }
}

/// Bindings of a rule without prose-vals.
struct Controls<'a>(&'a [String]);

impl Bindings for Controls<'_> {
    fn controls(&self) -> Vec<String> {
        self.0.to_vec()
    }

    fn known(&self) -> Vec<String> {
        Vec::new()
    }

    fn bind(&mut self, _: &str, _: &mut GrammarBuilder) -> Option<Binding> {
        None
    }
}

/// The strings of a grammar of one rule; `None` where it has more rules, too many strings, or one
/// that is empty or not UTF-8.
fn members(grammar: &Grammar) -> Option<Vec<String>> {
    let Body::Automaton(automaton) = grammar.rule(grammar.root()).body() else {
        return None;
    };
    let mut members = Vec::new();
    let mut seen = FxHashSet::default();
    let mut open = vec![(0u32, Vec::new())];
    while let Some((at, read)) = open.pop() {
        let node = &automaton.nodes[at as usize];
        if !node.calls.is_empty() || read.len() > LONGEST_STRING || open.len() > MOST_STRINGS {
            return None;
        }
        if node.exit.is_some() && seen.insert(read.clone()) {
            members.push(
                String::from_utf8(read.clone())
                    .ok()
                    .filter(|string| !string.is_empty())?,
            );
        }
        for &(control, to) in &node.controls {
            open.push((
                to,
                [&read[..], grammar.control_name(control).as_bytes()].concat(),
            ));
        }
        for edge in &node.edges {
            open.extend((edge.lo..=edge.hi).map(|byte| (edge.to, [&read[..], &[byte]].concat())));
        }
    }
    (!members.is_empty() && members.len() <= MOST_STRINGS).then_some(members)
}
