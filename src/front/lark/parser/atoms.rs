//! Atoms: strings, ranges, patterns, names, groups, tokens, and grammars within the grammar.

use super::{Parser, Read};
use crate::base::{LimitError, Span, TokenId};
use crate::front::lark::ast::{Node, NodeKind};
use crate::front::lark::error::{Fault, LarkErrorKind, LarkWarningKind};
use crate::front::lark::lexer::Token;
use crate::front::lark::text;
use crate::grammar::{Control, TokenName};

/// Sets of tokens are listed one by one, up to so many.
const MOST_TOKENS: usize = 1 << 16;
/// The member of a schema by which llguidance is told how values are spelt.
const GUIDANCE: &str = "x-guidance";

impl Parser<'_> {
    pub(super) fn atom(&mut self) -> Read<Node> {
        let span = self.place();
        match self.peek() {
            Some(Token::Text) => self.text(span),
            Some(Token::Pattern) => self.pattern(span),
            Some(Token::Rule | Token::Terminal) => self.reference(span),
            Some(Token::Control) => {
                self.advance();
                let control = self.control(span)?;
                Ok(Node::new(NodeKind::Control(control), span))
            }
            Some(Token::GroupStart) => self.deeper(span, |parser| parser.group(Token::GroupEnd)),
            Some(Token::OptionStart) => {
                let body = self.deeper(span, |parser| parser.group(Token::OptionEnd))?;
                let (body, min, max) = (Box::new(body), 0, Some(1));
                Ok(Node::new(
                    NodeKind::Repeat { body, min, max },
                    self.since(span),
                ))
            }
            Some(Token::Tilde) => {
                self.advance();
                let body = self.deeper(span, Self::atom)?;
                Ok(Node::new(NodeKind::Not(Box::new(body)), self.since(span)))
            }
            Some(Token::Directive) => self.embedded(span),
            Some(Token::Reference) => {
                let why = "no other grammars come with this one";
                Err(Self::unsupported("another grammar, `@name`,", why, span))
            }
            _ => Err(self.unexpected("an element")),
        }
    }

    fn group(&mut self, end: Token) -> Read<Node> {
        self.advance();
        let body = self.alternatives()?;
        match self.take(end) {
            Some(_) => Ok(body),
            None if end == Token::GroupEnd => Err(self.unexpected("`)`")),
            None => Err(self.unexpected("`]`")),
        }
    }

    fn text(&mut self, span: Span) -> Read<Node> {
        self.advance();
        let (first, ignores_case) = text::string(self.source, span)?;
        if self.take(Token::DotDot).is_none() {
            let text = first;
            return Ok(Node::new(NodeKind::Text { text, ignores_case }, span));
        }
        let Some(last_span) = self.take(Token::Text) else {
            return Err(self.unexpected("the last character of the range"));
        };
        let (last, folds) = text::string(self.source, last_span)?;
        let span = self.since(span);
        let one = |text: &str| {
            let mut characters = text.chars();
            characters.next().filter(|_| characters.next().is_none())
        };
        match (one(&first), one(&last)) {
            (Some(first), Some(last)) if first <= last && !ignores_case && !folds => {
                Ok(Node::new(NodeKind::Range(first, last), span))
            }
            _ => Err(Fault::new(LarkErrorKind::Range, span)),
        }
    }

    fn pattern(&mut self, span: Span) -> Read<Node> {
        self.advance();
        let pattern = text::pattern(self.source, span)?;
        if text::lazy_quantifier(&pattern).is_some() {
            self.warn(LarkWarningKind::LazyQuantifier, span);
        }
        Ok(Node::new(NodeKind::Pattern(pattern), span))
    }

    fn reference(&mut self, span: Span) -> Read<Node> {
        let Some((name, _)) = self.name() else {
            return Err(self.unexpected("a name"));
        };
        let counts = matches!(self.peek_at(1), Some(Token::Comma | Token::Number));
        if self.peek() == Some(Token::BraceStart) && !counts {
            let arguments = self.deeper(span, Self::arguments)?;
            let kind = NodeKind::Use { name, arguments };
            return Ok(Node::new(kind, self.since(span)));
        }
        if self.peek() == Some(Token::DoubleColon) {
            let why = "write the rule out for each value";
            return Err(Self::unsupported(
                "a rule with a parameter",
                why,
                self.place(),
            ));
        }
        Ok(Node::new(NodeKind::Name(name), span))
    }

    /// `{a, b}` behind the name of a template that is used.
    fn arguments(&mut self) -> Read<Vec<Node>> {
        self.take(Token::BraceStart);
        let mut arguments = Vec::new();
        loop {
            arguments.push(self.atom()?);
            if self.take(Token::Comma).is_none() {
                break;
            }
        }
        match self.take(Token::BraceEnd) {
            Some(_) => Ok(arguments),
            None => Err(self.unexpected("`,` or `}`")),
        }
    }

    /// `%json`, `%lark`, `%regex`.
    fn embedded(&mut self, span: Span) -> Read<Node> {
        let directive = self.slice(span).to_owned();
        self.advance();
        match directive.as_str() {
            "%json" => {
                let json = self.json(span)?.to_owned();
                if text::has_member(&json, GUIDANCE) {
                    self.warn(LarkWarningKind::Guidance, span);
                }
                Ok(Node::new(NodeKind::Json(json), span))
            }
            "%regex" => {
                let chunks = self.substrings(span)?;
                Ok(Node::new(NodeKind::Substrings(chunks), span))
            }
            "%lark" => {
                if self.take(Token::BraceStart).is_none() {
                    return Err(self.unexpected("`{`"));
                }
                let scope = self.deeper(span, |parser| Ok(parser.scope(Some(Token::BraceEnd))))?;
                if self.take(Token::BraceEnd).is_none() {
                    return Err(self.unexpected("`}`"));
                }
                Ok(Node::new(NodeKind::Lark(Box::new(scope)), span))
            }
            _ => {
                let why = "within a rule there are %json, %regex and %lark";
                Err(Self::unsupported(format!("`{directive}`"), why, span))
            }
        }
    }

    /// The JSON behind the directive at `span`.
    pub(super) fn json(&self, span: Span) -> Read<&str> {
        let rest = &self.source[span.end..];
        match text::json_end(rest) {
            0 => {
                let kind =
                    LarkErrorKind::Json(format!("expected JSON behind `{}`", self.slice(span)));
                Err(Fault::new(kind, span))
            }
            end => Ok(rest[..end].trim()),
        }
    }

    fn substrings(&self, span: Span) -> Read<Vec<String>> {
        let refused = || {
            let message = "expected {\"substring_chunks\": [\"…\"]}, {\"substring_words\": \"…\"} or {\"substring_chars\": \"…\"}";
            Fault::new(LarkErrorKind::Json(message.to_owned()), span)
        };
        let value: serde_json::Value =
            serde_json::from_str(self.json(span)?).map_err(|_| refused())?;
        let members = value.as_object().filter(|members| members.len() == 1);
        let (key, value) = members
            .and_then(|members| members.iter().next())
            .ok_or_else(refused)?;
        let text = || value.as_str().ok_or_else(refused);
        match key.as_str() {
            "substring_chars" => Ok(text()?.chars().map(String::from).collect()),
            "substring_words" => Ok(words(text()?)),
            "substring_chunks" => {
                let chunks = value.as_array().ok_or_else(refused)?.iter();
                let chunks = chunks.map(|chunk| chunk.as_str().map(str::to_owned));
                chunks.collect::<Option<_>>().ok_or_else(refused)
            }
            _ => Err(refused()),
        }
    }

    /// `<|name|>`, `<[7]>`, `<[7-9,12]>`, `<[^7]>`, `<[*]>`.
    fn control(&self, span: Span) -> Read<Control> {
        let written = self.slice(span);
        let inside = written
            .strip_prefix("<[")
            .and_then(|rest| rest.strip_suffix("]>"));
        let Some(inside) = inside else {
            return Ok(Control::OneOf(vec![TokenName::Text(written.to_owned())]));
        };
        if inside == "*" {
            return Ok(Control::Except(Vec::new()));
        }
        let (list, is_negated) = match inside.strip_prefix('^') {
            Some(list) => (list, true),
            None => (inside, false),
        };
        let malformed = || {
            let (expected, found) = ("tokens' numbers, as `<[7,9-12]>`", format!("`{written}`"));
            Fault::new(LarkErrorKind::Syntax { expected, found }, span)
        };
        let mut tokens = Vec::new();
        for range in list.split(',') {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let first: u32 = first.parse().map_err(|_| malformed())?;
            let last: u32 = last.parse().map_err(|_| malformed())?;
            if last < first {
                return Err(malformed());
            }
            let count = tokens.len().saturating_add((last - first) as usize + 1);
            LimitError::check("tokens of a set", count, MOST_TOKENS)
                .map_err(|error| Fault::new(error, span))?;
            tokens.extend((first..=last).map(|id| TokenName::Id(TokenId::new(id))));
        }
        Ok(match is_negated {
            true => Control::Except(tokens),
            false => Control::OneOf(tokens),
        })
    }
}

/// Words, and what stands between them, character by character.
fn words(text: &str) -> Vec<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words: Vec<String> = Vec::new();
    let mut within = false;
    for c in text.chars() {
        match words.last_mut() {
            Some(last) if within && is_word(c) => last.push(c),
            _ => words.push(c.into()),
        }
        within = is_word(c);
    }
    words
}
