//! The syntax tree of a grammar in Lark, with places.

use rustc_hash::{FxHashMap, FxHashSet};

use super::lazy::Lexeme;
use crate::base::Span;
use crate::grammar::Control;

/// The rule that a grammar starts from where nothing else is said.
pub const START: &str = "start";

/// A grammar: the outermost, or one within another.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub(super) definitions: Vec<Definition>,
    pub(super) ignored: Vec<Node>,
    /// What is imported, by its name here and in the library.
    pub(super) imports: FxHashSet<(String, String)>,
    /// What `%override` and `%extend` say of definitions, until they are made so.
    pub(super) changes: Vec<Change>,
    /// Whether what is ignored comes at most once in a place.
    pub(super) ignores_once: bool,
}

/// `%override` or `%extend`.
#[derive(Clone, Debug)]
pub(super) struct Change {
    /// Whether what it says is an alternative to what is there, and does not stand in its place.
    pub(super) extends: bool,
    pub(super) change: Definition,
}

impl Scope {
    /// Adds a terminal of a library by its name there, once, however often it is imported under one name.
    pub(super) fn import(&mut self, library: &str, terminal: Definition) {
        let import = (terminal.name.clone(), library.to_owned());
        if self.imports.insert(import) {
            self.definitions.push(terminal);
        }
    }

    /// Makes the changes; gives those of which there is no definition.
    pub(super) fn change(&mut self) -> Vec<Definition> {
        let changes = std::mem::take(&mut self.changes);
        if changes.is_empty() {
            return Vec::new();
        }
        let mut places = FxHashMap::default();
        for (at, definition) in self.definitions.iter().enumerate() {
            places.entry(definition.name.clone()).or_insert(at);
        }
        let mut lost = Vec::new();
        for Change { extends, change } in changes {
            let Some(&at) = places.get(&change.name) else {
                lost.push(change);
                continue;
            };
            let known = &mut self.definitions[at];
            if extends {
                known.extend(change.body);
            } else {
                *known = change;
            }
        }
        lost
    }
}

/// A rule or a terminal.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) is_terminal: bool,
    /// What it is used with, if it is a template.
    pub(super) parameters: Vec<String>,
    pub(super) options: Options,
    pub(super) body: Node,
}

impl Definition {
    /// Adds an alternative.
    fn extend(&mut self, body: Node) {
        let span = self.body.span;
        let first = std::mem::replace(&mut self.body, Node::sequence(Vec::new(), span));
        self.body = match first {
            Node {
                kind: NodeKind::Choice(mut items),
                span,
            } => {
                items.push(body);
                Node::new(NodeKind::Choice(items), span)
            }
            first => Node::choice(vec![first, body], span),
        };
    }

    /// What it would be for a lexer, if it is no rule.
    pub(super) fn lexeme(&self) -> Option<Lexeme> {
        match self.is_terminal {
            true => Some(Lexeme::Terminal),
            false => self.is_read_whole().then_some(Lexeme::Lazy),
        }
    }

    /// Whether it is read whole, without what is ignored in it: terminals are, and rules whose shortest
    /// matches alone count.
    pub(super) fn is_read_whole(&self) -> bool {
        self.is_terminal || self.options.lazy.is_some() || self.options.marker.is_some()
    }
}

/// What stands in brackets behind a rule's name.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    /// That the shortest matches alone count, and where it says so.
    pub(super) lazy: Option<Span>,
    /// What the rule ends with, and nothing before it.
    pub(super) marker: Option<Node>,
}

/// A piece of a right-hand side and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) kind: NodeKind,
    pub(super) span: Span,
}

/// What a piece says.
#[derive(Clone, Debug)]
pub(super) enum NodeKind {
    Choice(Vec<Node>),
    Sequence(Vec<Node>),
    /// `a & b`, at least two.
    All(Vec<Node>),
    /// `~a`.
    Not(Box<Node>),
    Repeat {
        body: Box<Node>,
        min: u32,
        max: Option<u32>,
    },
    /// `"text"`, letters of either case being equal where it says so.
    Text {
        text: String,
        ignores_case: bool,
    },
    /// `"a".."z"`.
    Range(char, char),
    /// `/pattern/flags`, the flags within the pattern.
    Pattern(String),
    Name(String),
    /// `name{a, b}`: a template and its arguments.
    Use {
        name: String,
        arguments: Vec<Node>,
    },
    /// `<|name|>`, `<[7]>`.
    Control(Control),
    /// `%json {…}`: the schema's text.
    Json(String),
    /// `%lark {…}`.
    Lark(Box<Scope>),
    /// `%regex {"substring_…": …}`: the chunks.
    Substrings(Vec<String>),
}

impl Node {
    pub(super) fn new(kind: NodeKind, span: Span) -> Self {
        Self { kind, span }
    }

    /// `items` as alternatives; one alone stands for itself.
    pub(super) fn choice(items: Vec<Self>, span: Span) -> Self {
        Self::list(items, NodeKind::Choice, span)
    }

    /// `items` one after the other; one alone stands for itself.
    pub(super) fn sequence(items: Vec<Self>, span: Span) -> Self {
        Self::list(items, NodeKind::Sequence, span)
    }

    /// What all of `items` have; one alone stands for itself.
    pub(super) fn all(items: Vec<Self>, span: Span) -> Self {
        Self::list(items, NodeKind::All, span)
    }

    fn list(mut items: Vec<Self>, kind: fn(Vec<Self>) -> NodeKind, span: Span) -> Self {
        match items.len() {
            1 => items.remove(0),
            _ => Self::new(kind(items), span),
        }
    }
}
