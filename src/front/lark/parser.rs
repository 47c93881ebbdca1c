//! From words to a syntax tree.

mod atoms;
mod definitions;
mod directives;

use super::ast::{Node, NodeKind, Scope};
use super::error::{Fault, Faults, LarkErrorKind, LarkWarningKind};
use super::lexer::{Token, Word, words};
use super::{templates, text};
use crate::base::{LimitError, Limits, Span, quoted};
use crate::front::expression::{MOST_NESTED, repeated};

/// A text, read.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub(super) scope: Scope,
    pub(super) warnings: Vec<Fault<LarkWarningKind>>,
}

/// Reads `source`. What is wrong goes to `faults`.
pub(super) fn parse(source: &str, limits: &Limits, faults: &mut Faults) -> Parsed {
    let words = words(source, text::json_end);
    let mut parser = Parser {
        source,
        words: &words,
        at: 0,
        most: limits.depth.min(MOST_NESTED),
        depth: limits.depth.min(MOST_NESTED),
        brackets: 0,
        limits,
        warnings: Vec::new(),
        faults,
    };
    let scope = parser.scope(None);
    Parsed {
        scope,
        warnings: parser.warnings,
    }
}

struct Parser<'a> {
    source: &'a str,
    words: &'a [Word],
    at: usize,
    /// How deep groups may be nested.
    most: usize,
    /// How deep they still may.
    depth: usize,
    /// How many brackets are open: within them line breaks end nothing.
    brackets: usize,
    limits: &'a Limits,
    warnings: Vec<Fault<LarkWarningKind>>,
    faults: &'a mut Faults,
}

type Read<T> = Result<T, Fault>;

impl Parser<'_> {
    /// The items of a grammar up to `end`, or to the end of the text.
    fn scope(&mut self, end: Option<Token>) -> Scope {
        let mut scope = Scope::default();
        let brackets = std::mem::take(&mut self.brackets);
        loop {
            while self.take(Token::Newline).is_some() {}
            if self.peek().is_none() || self.peek() == end {
                break;
            }
            if let Err(fault) = self.item(&mut scope, end) {
                self.faults.push(fault);
                self.brackets = 0;
                while self.peek().is_some_and(|token| token != Token::Newline) {
                    self.at += 1;
                }
            }
        }
        self.brackets = brackets;
        for lost in scope.change() {
            let kind = LarkErrorKind::Undefined { name: lost.name };
            self.faults.push(Fault::new(kind, lost.span));
        }
        templates::write_out(&mut scope, self.limits, self.faults, &mut self.warnings);
        scope
    }

    fn item(&mut self, scope: &mut Scope, end: Option<Token>) -> Read<()> {
        match self.peek() {
            // The marks before a name shape trees only.
            Some(Token::Rule | Token::Terminal | Token::Question | Token::Bang) => {
                while self
                    .take(Token::Question)
                    .or_else(|| self.take(Token::Bang))
                    .is_some()
                {}
                let definition = self.definition()?;
                scope.definitions.push(definition);
            }
            Some(Token::Directive) => self.directive(scope)?,
            _ => return Err(self.unexpected("a rule, as `name: …`, a terminal or a directive")),
        }
        match self.peek() {
            Some(Token::Newline) | None => Ok(()),
            next if next == end => Ok(()),
            _ => Err(self.unexpected("an element, `|` or the end of the line")),
        }
    }

    /// Alternatives, each of what stands side by side.
    fn alternatives(&mut self) -> Read<Node> {
        let start = self.place();
        let mut items = vec![self.conjunction()?];
        while self.takes_bar() {
            items.push(self.conjunction()?);
        }
        Ok(Node::choice(items, self.since(start)))
    }

    /// `|`, also at the beginning of the next line.
    fn takes_bar(&mut self) -> bool {
        let start = self.at;
        while self
            .words
            .get(self.at)
            .is_some_and(|word| word.token == Token::Newline)
        {
            self.at += 1;
        }
        let found = self.take(Token::Bar).is_some();
        if !found {
            self.at = start;
        }
        found
    }

    /// `a & b`, with an alias behind it.
    fn conjunction(&mut self) -> Read<Node> {
        let start = self.place();
        let mut items = vec![self.sequence()?];
        while self.take(Token::And).is_some() {
            items.push(self.sequence()?);
        }
        if self.take(Token::Arrow).is_some() && self.name().is_none() {
            return Err(self.unexpected("the name of an alias"));
        }
        Ok(Node::all(items, self.since(start)))
    }

    fn sequence(&mut self) -> Read<Node> {
        let start = self.place();
        let mut items = Vec::new();
        while let Some(token) = self.peek() {
            if !begins_element(token) {
                break;
            }
            items.push(self.element()?);
        }
        Ok(Node::sequence(items, self.since(start)))
    }

    /// An atom and how often it is repeated.
    fn element(&mut self) -> Read<Node> {
        let start = self.place();
        let (mut node, mut counts) = (self.atom()?, 0);
        while let Some((min, max)) = self.count()? {
            counts += 1;
            repeated(counts).map_err(|error| Fault::new(error, self.place()))?;
            let body = Box::new(node);
            node = Node::new(NodeKind::Repeat { body, min, max }, self.since(start));
        }
        Ok(node)
    }

    /// How often the atom before is repeated, if that is said.
    fn count(&mut self) -> Read<Option<(u32, Option<u32>)>> {
        let count = match self.peek() {
            Some(Token::Star) => (0, None),
            Some(Token::Plus) => (1, None),
            Some(Token::Question) => (0, Some(1)),
            Some(Token::Tilde) if self.peek_at(1) == Some(Token::Number) => {
                return self.times().map(Some);
            }
            Some(Token::BraceStart) => return self.braces().map(Some),
            _ => return Ok(None),
        };
        self.advance();
        Ok(Some(count))
    }

    /// `~2`, `~2..3`.
    fn times(&mut self) -> Read<(u32, Option<u32>)> {
        let start = self.place();
        self.advance();
        let min = self.number()?;
        let max = match self.take(Token::DotDot) {
            Some(_) => self.number()?,
            None => min,
        };
        self.bounds(min, Some(max), start)
    }

    /// `{2}`, `{2,}`, `{2,3}`, `{,3}`.
    fn braces(&mut self) -> Read<(u32, Option<u32>)> {
        let start = self.place();
        self.advance();
        let min = match self.peek() {
            Some(Token::Comma) => 0,
            _ => self.number()?,
        };
        let max = match self.take(Token::Comma) {
            None => Some(min),
            Some(_) if self.peek() == Some(Token::BraceEnd) => None,
            Some(_) => Some(self.number()?),
        };
        if self.take(Token::BraceEnd).is_none() {
            return Err(self.unexpected("`}`"));
        }
        self.bounds(min, max, start)
    }

    fn bounds(&self, min: u32, max: Option<u32>, start: Span) -> Read<(u32, Option<u32>)> {
        match max {
            Some(max) if max < min => {
                let kind = LarkErrorKind::ReversedRepetition { min, max };
                Err(Fault::new(kind, self.since(start)).hint("write the smaller number first"))
            }
            _ => Ok((min, max)),
        }
    }

    fn number(&mut self) -> Read<u32> {
        match self.peek() {
            Some(Token::Number) if !self.slice(self.place()).starts_with(['-', '+']) => {
                let digits = self.slice(self.place());
                // Counts beyond u32 meet the limits like any other large count.
                let number = digits.parse().unwrap_or(u32::MAX);
                self.advance();
                Ok(number)
            }
            _ => Err(self.unexpected("a number of times")),
        }
    }

    /// The name of a rule or a terminal.
    fn name(&mut self) -> Option<(String, Span)> {
        let span = self
            .take(Token::Rule)
            .or_else(|| self.take(Token::Terminal))?;
        Some((self.slice(span).to_owned(), span))
    }

    /// Goes one group deeper.
    fn deeper<T>(&mut self, span: Span, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        let Some(depth) = self.depth.checked_sub(1) else {
            let error = LimitError {
                what: "nested groups of a grammar",
                given: self.most + 1,
                allowed: self.most,
            };
            self.at = self.words.len();
            return Err(Fault::new(error, span));
        };
        (self.depth, self.brackets) = (depth, self.brackets + 1);
        let read = read(self);
        (self.depth, self.brackets) = (depth + 1, self.brackets.saturating_sub(1));
        read
    }

    /// The next word; line breaks within brackets are passed over.
    fn peek(&self) -> Option<Token> {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Option<Token> {
        let mut words = self.words[self.at.min(self.words.len())..].iter();
        let mut words = words.by_ref().filter(|word| !self.passes_over(word));
        words.nth(ahead).map(|word| word.token)
    }

    fn passes_over(&self, word: &Word) -> bool {
        self.brackets > 0 && word.token == Token::Newline
    }

    fn take(&mut self, token: Token) -> Option<Span> {
        let mut at = self.at;
        while self
            .words
            .get(at)
            .is_some_and(|word| self.passes_over(word))
        {
            at += 1;
        }
        let word = self.words.get(at).filter(|word| word.token == token)?;
        self.at = at + 1;
        Some(word.span)
    }

    /// Takes the next word, whatever it is.
    fn advance(&mut self) {
        while self
            .words
            .get(self.at)
            .is_some_and(|word| self.passes_over(word))
        {
            self.at += 1;
        }
        self.at += 1;
    }

    /// Where the next word stands, or the end of the text.
    fn place(&self) -> Span {
        let end = Span::new(self.source.len(), self.source.len());
        let mut words = self.words[self.at.min(self.words.len())..].iter();
        let next = words.find(|word| !self.passes_over(word));
        next.map_or(end, |word| word.span)
    }

    /// From `start` to the end of the last word that was taken.
    fn since(&self, start: Span) -> Span {
        let last = self.at.checked_sub(1).and_then(|at| self.words.get(at));
        let end = last.map_or(start.start, |word| word.span.end);
        Span::new(start.start, end.max(start.start))
    }

    fn slice(&self, span: Span) -> &str {
        &self.source[span.start..span.end]
    }

    fn warn(&mut self, kind: LarkWarningKind, span: Span) {
        self.warnings.push(Fault::new(kind, span));
    }

    /// The fault that something is not supported.
    fn unsupported(what: impl Into<String>, why: &'static str, span: Span) -> Fault {
        let what = what.into();
        Fault::new(LarkErrorKind::Unsupported { what, why }, span)
    }

    /// The fault that something other than `expected` comes next.
    fn unexpected(&self, expected: &'static str) -> Fault {
        let span = self.place();
        let text = self.slice(span);
        let open = |expected| {
            let at = Span::new(span.start, span.start + 1);
            Fault::new(LarkErrorKind::Unterminated { expected }, at)
        };
        match self.peek() {
            Some(Token::OpenText) => open("`\"`"),
            Some(Token::OpenPattern) => open("`/`"),
            Some(token) => {
                let found = match token {
                    Token::Newline => "the end of the line".to_owned(),
                    _ => quoted(text),
                };
                let fault = Fault::new(LarkErrorKind::Syntax { expected, found }, span);
                match hint(token, text) {
                    Some(hint) => fault.hint(hint),
                    None => fault,
                }
            }
            None => {
                let found = "the end of the text".to_owned();
                Fault::new(LarkErrorKind::Syntax { expected, found }, span)
            }
        }
    }
}

fn begins_element(token: Token) -> bool {
    use Token::*;
    matches!(
        token,
        Rule | Terminal
            | Text
            | Pattern
            | Control
            | Directive
            | Reference
            | GroupStart
            | OptionStart
            | Tilde
            | OpenText
            | OpenPattern
    )
}

/// What someone who wrote `text` here may have meant.
fn hint(token: Token, text: &str) -> Option<&'static str> {
    Some(match (token, text.chars().next()?) {
        (Token::DoubleColon, _) => "rules are defined with `:`; `::=` is EBNF",
        (Token::Star | Token::Plus | Token::Question | Token::BraceStart, _) => {
            "there is nothing before it that could be repeated"
        }
        (Token::GroupEnd | Token::OptionEnd, _) => "no group is open",
        (Token::Equals, _) => "rules are defined with `:`",
        (_, '\'' | '“' | '”' | '‘' | '’') => "strings are quoted with `\"`",
        (_, ';') => "a rule ends with its line",
        (_, '\u{a0}') => "this is a no-break space; use an ordinary one",
        _ => return None,
    })
}
