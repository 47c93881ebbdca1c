//! From a syntax tree to rules: names looked up, terminals as automata where they must be, what is
//! ignored woven in.

mod terminals;

use rustc_hash::FxHashMap;

use super::ast::{Node, NodeKind, START, Scope};
use super::error::{Fault, Faults, LarkErrorKind};
use super::lazy::{Lexeme, Lexemes};
use crate::base::{LimitError, Limits, Span, nearest};
use crate::front::expression::{Expression, ForeignIndex, Irregular, Rule, RuleIndex, Rules};
use crate::front::json_schema::{self, CompiledSchema, SchemaConfig};
use crate::regular::PatternError;

/// A grammar whose names are resolved.
#[derive(Debug)]
pub(super) struct Resolved {
    pub(super) rules: Rules,
    /// The rules and terminals of the outermost grammar, by their names.
    pub(super) names: FxHashMap<String, RuleIndex>,
    /// For each rule that the outermost grammar defines, whether it is read whole; they come first.
    pub(super) own: Vec<bool>,
    /// Terminals, and the terminals that they are made of: an automaton does not name them any more.
    pub(super) needs: Vec<(RuleIndex, RuleIndex)>,
    /// The schemas of `%json`, as the expressions number them.
    pub(super) schemas: Vec<CompiledSchema>,
    /// What is ignored where the outermost grammar's texts begin.
    pub(super) ignored: Option<RuleIndex>,
    /// The rules that a lexer would read whole.
    pub(super) lexemes: Lexemes,
}

/// Resolves `scope`. What is wrong goes to `faults`.
pub(super) fn resolve(
    source: &str,
    scope: &Scope,
    config: &SchemaConfig,
    faults: &mut Faults,
) -> Resolved {
    let mut resolver = Resolver {
        source,
        config,
        limits: &config.limits,
        rules: Vec::new(),
        needs: Vec::new(),
        schemas: Vec::new(),
        lexemes: Lexemes::default(),
        faults,
    };
    let names = resolver.names(scope);
    let own = scope.definitions.iter();
    let own = own.map(|definition| definition.is_read_whole()).collect();
    let ignored = resolver.scope(scope, &names);
    Resolved {
        names: names.map,
        rules: Rules::new(resolver.rules),
        own,
        needs: resolver.needs,
        schemas: resolver.schemas,
        ignored,
        lexemes: resolver.lexemes,
    }
}

/// The names of one grammar.
struct Names {
    map: FxHashMap<String, RuleIndex>,
    /// The rule of its first definition.
    first: usize,
}

struct Resolver<'a> {
    source: &'a str,
    config: &'a SchemaConfig,
    limits: &'a Limits,
    rules: Vec<Rule>,
    needs: Vec<(RuleIndex, RuleIndex)>,
    schemas: Vec<CompiledSchema>,
    lexemes: Lexemes,
    faults: &'a mut Faults,
}

/// Where an expression stands.
struct Context<'a> {
    scope: &'a Scope,
    names: &'a Names,
    /// What may stand behind each terminal; none within terminals.
    ignored: Option<RuleIndex>,
}

type Read<T> = Result<T, Fault>;

impl Resolver<'_> {
    /// Makes a rule, still without a body, for each definition.
    fn names(&mut self, scope: &Scope) -> Names {
        let first = self.rules.len();
        let mut map: FxHashMap<String, RuleIndex> = FxHashMap::default();
        for definition in &scope.definitions {
            let rule = self.rule(&definition.name, definition.span, Expression::empty());
            if let Some(lexeme) = definition.lexeme() {
                self.lexemes.insert(rule, lexeme);
            }
            let known = *map.entry(definition.name.clone()).or_insert(rule);
            if known != rule && self.faults.has_room() {
                let name = definition.name.clone();
                let first = self.rules[known.index()].span.line_column(self.source);
                let kind = LarkErrorKind::Duplicate { name, first };
                self.faults.push(Fault::new(kind, definition.span));
            }
        }
        Names { map, first }
    }

    fn rule(&mut self, name: &str, span: Span, body: Expression) -> RuleIndex {
        let name = name.to_owned();
        self.rules.push(Rule { name, span, body });
        RuleIndex::from_usize(self.rules.len() - 1)
    }

    /// Gives the rules of `scope` their bodies; gives the rule of what it ignores.
    fn scope(&mut self, scope: &Scope, names: &Names) -> Option<RuleIndex> {
        self.terminals(scope, names);
        let ignored = self.ignored(scope, names);
        let context = Context {
            scope,
            names,
            ignored,
        };
        for (at, definition) in scope.definitions.iter().enumerate() {
            if definition.is_read_whole() {
                continue;
            }
            match self.expression(&definition.body, &context) {
                Ok(body) => self.rules[names.first + at].body = body,
                Err(fault) => self.faults.push(fault),
            }
        }
        ignored
    }

    /// A rule for what may stand between terminals.
    fn ignored(&mut self, scope: &Scope, names: &Names) -> Option<RuleIndex> {
        let mut items = Vec::with_capacity(scope.ignored.len());
        for node in &scope.ignored {
            match self.terminal(node, (scope, names)) {
                Ok(item) => items.push(item),
                Err(fault) => self.faults.push(fault),
            }
        }
        let span = scope.ignored.first()?.span;
        let most = scope.ignores_once.then_some(1);
        let body = Expression::choice(items).repeated(0, most);
        let rule = self.rule("%ignore", span, body);
        self.lexemes.insert(rule, Lexeme::Ignored);
        Some(rule)
    }

    /// What stands in a rule, with what is ignored behind each terminal.
    fn expression(&mut self, node: &Node, context: &Context<'_>) -> Read<Expression> {
        Ok(match &node.kind {
            NodeKind::Choice(items) => Expression::choice(self.expressions(items, context)?),
            NodeKind::Sequence(items) => Expression::sequence(self.expressions(items, context)?),
            NodeKind::Repeat { body, min, max } => {
                self.expression(body, context)?.repeated(*min, *max)
            }
            NodeKind::Name(name) => {
                let (rule, at) = self.named(name, node.span, context.names)?;
                match context.scope.definitions[at].is_read_whole() {
                    true => behind(Expression::Rule(rule), context),
                    false => Expression::Rule(rule),
                }
            }
            NodeKind::Control(control) => behind(Expression::Control(control.clone()), context),
            NodeKind::Json(schema) => behind(self.schema(schema, node.span)?, context),
            NodeKind::Lark(inner) => behind(self.inner(inner, node.span)?, context),
            _ => {
                let mut terminal = self.terminal(node, (context.scope, context.names))?;
                // One terminal, also where it is several sets of letters.
                if matches!(terminal, Expression::Sequence(_)) {
                    let name = &self.source[node.span.start..node.span.end];
                    let rule = self.rule(name, node.span, terminal);
                    self.lexemes.insert(rule, Lexeme::Terminal);
                    terminal = Expression::Rule(rule);
                }
                behind(terminal, context)
            }
        })
    }

    fn expressions(&mut self, items: &[Node], context: &Context<'_>) -> Read<Vec<Expression>> {
        items
            .iter()
            .map(|item| self.expression(item, context))
            .collect()
    }

    /// The rule of a name, and which definition it is.
    fn named(&self, name: &str, span: Span, names: &Names) -> Read<(RuleIndex, usize)> {
        if let Some(&rule) = names.map.get(name) {
            return Ok((rule, rule.index() - names.first));
        }
        let rules = self.rules[names.first..].iter().map(|rule| &*rule.name);
        let known = rules.filter(|rule| names.map.contains_key(*rule));
        let near = self.faults.has_room().then(|| nearest(name, known));
        let hint = near.flatten().map(|near| format!("did you mean `{near}`?"));
        let kind = LarkErrorKind::Undefined {
            name: name.to_owned(),
        };
        Err(Fault { kind, span, hint })
    }

    /// `%json {…}`.
    fn schema(&mut self, schema: &str, span: Span) -> Read<Expression> {
        let compiled = json_schema::compile(schema, self.config);
        let compiled = compiled.map_err(|error| Fault::new(error, span))?;
        self.schemas.push(compiled);
        Ok(Expression::Foreign(ForeignIndex::from_usize(
            self.schemas.len() - 1,
        )))
    }

    /// `%lark {…}`: a grammar with names of its own.
    fn inner(&mut self, scope: &Scope, span: Span) -> Read<Expression> {
        let names = self.names(scope);
        let ignored = self.scope(scope, &names);
        let Some(&start) = names.map.get(START) else {
            let kind = LarkErrorKind::UnknownStart {
                name: START.to_owned(),
            };
            return Err(Fault::new(kind, span));
        };
        let before = ignored.map(Expression::Rule);
        let parts = before.into_iter().chain([Expression::Rule(start)]);
        Ok(Expression::sequence(parts.collect()))
    }

    fn refused(&self, error: PatternError, span: Span) -> Fault {
        // Where nothing of a pattern was written anew, the place in it is known.
        let written = &self.source[span.start..span.end];
        let is_plain = written.ends_with('/') && !written.contains("\\/");
        let at = |offset: usize| span.start + 1 + offset;
        let place = match is_plain && error.span.end <= written.len() - 2 {
            true => Span::new(at(error.span.start), at(error.span.end)),
            false => span,
        };
        Fault::new(error.kind, place)
    }
}

/// An expression with what is ignored behind it.
fn behind(expression: Expression, context: &Context<'_>) -> Expression {
    match context.ignored {
        Some(ignored) => Expression::Sequence(vec![expression, Expression::Rule(ignored)]),
        None => expression,
    }
}

/// Why an automaton cannot be had.
fn irregular(error: Irregular, span: Span) -> Fault {
    match error {
        Irregular::Limit(error) => Fault::new(error, span),
        // Terminals are neither.
        Irregular::Recursion | Irregular::Token => {
            let what = "a token or a rule";
            Fault::new(LarkErrorKind::InTerminal { what }, span)
        }
    }
}

/// The limit of a table of rules.
pub(super) fn check_size(rules: &Rules, limits: &Limits) -> Result<(), LimitError> {
    LimitError::check("rules of a grammar", rules.len(), limits.rules)
}
