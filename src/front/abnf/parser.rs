//! From the words of a rule to its tree, by recursive descent over RFC 5234, section 4.

use super::ast::{Case, Count, Names, Node, NodeKind, RuleIndex, Unit};
use super::error::{AbnfErrorKind, Fault, Faults};
use super::lexer::{Token, Word};
use super::values::{self, shorten};
use crate::base::{LimitError, Limits, Span};

const ELEMENT: &str = "an element (a rule's name, a string, a number, `(`, `[` or `<`)";

/// A rule's left side, operator and right side.
#[derive(Debug)]
pub(super) struct Definition {
    pub(super) rule: RuleIndex,
    pub(super) name: Span,
    pub(super) operator: Operator,
    pub(super) body: Node,
}

/// What stands between a rule's two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    /// `=`
    Define,
    /// `=/`
    Extend,
}

/// Parses `words`, one rule. Its numbers are in `unit`, save in `OCTET`, which is a byte always. A
/// rule that cannot be read goes to `faults`.
pub(super) fn parse(
    source: &str,
    words: &[Word],
    unit: Unit,
    names: &mut Names,
    limits: &Limits,
    faults: &mut Faults,
) -> Option<Definition> {
    let mut parser = Parser {
        source,
        words,
        at: 0,
        unit,
        names,
        limits,
        depth: 0,
        faults,
    };
    match parser.definition() {
        Ok(definition) => Some(definition),
        Err(fault) => {
            faults.push(fault);
            None
        }
    }
}

struct Parser<'a> {
    source: &'a str,
    words: &'a [Word],
    at: usize,
    unit: Unit,
    names: &'a mut Names,
    limits: &'a Limits,
    depth: usize,
    faults: &'a mut Faults,
}

impl<'a> Parser<'a> {
    /// `rulename defined-as elements`
    fn definition(&mut self) -> Result<Definition, Fault> {
        let name = self.expect(Token::Name, "a rule's name")?;
        let spelling = self.slice(name);
        if spelling.eq_ignore_ascii_case("OCTET") {
            self.unit = Unit::Byte;
        }
        let rule = self.names.intern(spelling);
        let operator = if self.take(Token::Extends).is_some() {
            Operator::Extend
        } else {
            self.expect(Token::Defines, "`=` or `=/`")?;
            Operator::Define
        };
        let body = self.alternation()?;
        if self.at < self.words.len() {
            return Err(self.unexpected("an element, `/` or the end of the rule"));
        }
        Ok(Definition {
            rule,
            name,
            operator,
            body,
        })
    }

    fn alternation(&mut self) -> Result<Node, Fault> {
        let mut items = vec![self.concatenation()?];
        while self.take(Token::Slash).is_some() {
            items.push(self.concatenation()?);
        }
        Ok(Node::alternation(items))
    }

    fn concatenation(&mut self) -> Result<Node, Fault> {
        let mut items = vec![self.repetition()?];
        while self.peek().is_some_and(begins_element) {
            if self.adjoins() {
                let fault = self.unexpected("white space between two elements");
                return Err(fault.hint("elements of a concatenation stand apart"));
            }
            items.push(self.repetition()?);
        }
        Ok(Node::concatenation(items))
    }

    /// `[repeat] element`
    fn repetition(&mut self) -> Result<Node, Fault> {
        let start = self.place().start;
        let Some(count) = self.repeat()? else {
            return self.element();
        };
        if !self.adjoins() {
            let fault = self.unexpected("an element directly after its repetition");
            return Err(fault.hint("write `2*3DIGIT`, without white space inside"));
        }
        let body = Box::new(self.element()?);
        let span = Span::new(start, self.previous_end());
        if let Some(max) = count.max.filter(|&max| count.min > max) {
            let kind = AbnfErrorKind::ReversedRepetition {
                min: count.min,
                max,
            };
            self.faults
                .push(Fault::new(kind, span).hint("write the smaller count first"));
        }
        Ok(Node {
            kind: NodeKind::Repetition { count, body },
            span,
        })
    }

    /// `1*DIGIT / (*DIGIT "*" *DIGIT)`
    fn repeat(&mut self) -> Result<Option<Count>, Fault> {
        let least = self
            .take(Token::Number)
            .map(|span| self.count(span))
            .transpose()?;
        let star = match self.peek() {
            Some(Token::Star) if least.is_none() || self.adjoins() => self.take(Token::Star),
            _ => None,
        };
        if star.is_none() {
            return Ok(least.map(|n| Count {
                min: n,
                max: Some(n),
            }));
        }
        let most = if self.adjoins() {
            self.take(Token::Number)
        } else {
            None
        };
        let most = most.map(|span| self.count(span)).transpose()?;
        Ok(Some(Count {
            min: least.unwrap_or(0),
            max: most,
        }))
    }

    fn count(&self, span: Span) -> Result<u32, Fault> {
        self.slice(span).parse().map_err(|_| {
            let given = self.slice(span).parse().unwrap_or(usize::MAX);
            let allowed = u32::MAX as usize;
            Fault::new(
                LimitError {
                    what: "repetitions of an element",
                    given,
                    allowed,
                },
                span,
            )
        })
    }

    fn element(&mut self) -> Result<Node, Fault> {
        let Some(&Word { token, span }) = self.words.get(self.at) else {
            return Err(self.unexpected(ELEMENT));
        };
        let kind = match token {
            Token::GroupStart => return self.nested(Token::GroupEnd, "an element, `/` or `)`"),
            Token::OptionStart => {
                let body = Box::new(self.nested(Token::OptionEnd, "an element, `/` or `]`")?);
                let span = Span::new(span.start, self.previous_end());
                let count = Count {
                    min: 0,
                    max: Some(1),
                };
                return Ok(Node {
                    kind: NodeKind::Repetition { count, body },
                    span,
                });
            }
            Token::Name => NodeKind::Rule(self.names.intern(self.slice(span))),
            Token::Text => self.literal(span)?,
            Token::Prose => NodeKind::Prose(self.printable(span, 1)?.to_owned()),
            Token::Value => values::parse(self.slice(span), span, self.unit, self.faults)?,
            _ => return Err(self.unexpected(ELEMENT)),
        };
        self.at += 1;
        Ok(Node { kind, span })
    }

    /// What stands between two brackets; its span includes them.
    fn nested(&mut self, close: Token, expected: &'static str) -> Result<Node, Fault> {
        let open = self.place();
        self.at += 1;
        self.depth += 1;
        LimitError::check("nested groups", self.depth, self.limits.depth)
            .map_err(|error| Fault::new(error, open))?;
        let mut node = self.alternation()?;
        node.span = Span::new(open.start, self.expect(close, expected)?.end);
        self.depth -= 1;
        Ok(node)
    }

    fn literal(&self, span: Span) -> Result<NodeKind, Fault> {
        let quoted = self.slice(span);
        let (case, quote) = match quoted.as_bytes() {
            [b'%', b's' | b'S', ..] => (Case::Sensitive, 3),
            [b'%', ..] => (Case::Insensitive, 3),
            _ => (Case::Insensitive, 1),
        };
        Ok(NodeKind::Literal {
            text: self.printable(span, quote)?.to_owned(),
            case,
        })
    }

    /// The text at `span` without the first `open` bytes and the last, if it is printable ASCII.
    fn printable(&self, span: Span, open: usize) -> Result<&'a str, Fault> {
        let text = &self.source[span.start + open..span.end - 1];
        let Some((at, found)) = text.char_indices().find(|(_, c)| !matches!(c, ' '..='~')) else {
            return Ok(text);
        };
        let start = span.start + open + at;
        let place = Span::new(start, start + found.len_utf8());
        let hint = format!("write the character as the number %x{:02X}", found as u32);
        Err(Fault::new(AbnfErrorKind::NotPrintable { found }, place).hint(hint))
    }

    fn peek(&self) -> Option<Token> {
        self.words.get(self.at).map(|word| word.token)
    }

    fn take(&mut self, token: Token) -> Option<Span> {
        let word = self.words.get(self.at).filter(|word| word.token == token)?;
        self.at += 1;
        Some(word.span)
    }

    fn expect(&mut self, token: Token, expected: &'static str) -> Result<Span, Fault> {
        self.take(token).ok_or_else(|| self.unexpected(expected))
    }

    /// The next word follows the one before it directly.
    fn adjoins(&self) -> bool {
        self.words
            .get(self.at)
            .is_some_and(|word| word.span.start == self.previous_end())
    }

    fn previous_end(&self) -> usize {
        self.words[..self.at].last().map_or(0, |word| word.span.end)
    }

    /// Where the next word stands, or the end of the rule.
    fn place(&self) -> Span {
        let end = self.previous_end();
        self.words
            .get(self.at)
            .map_or(Span::new(end, end), |word| word.span)
    }

    fn slice(&self, span: Span) -> &'a str {
        &self.source[span.start..span.end]
    }

    /// The fault that something other than `expected` comes next.
    fn unexpected(&self, expected: &'static str) -> Fault {
        let span = self.place();
        let text = self.slice(span);
        let fault = |kind| Fault::new(kind, span);
        match self.peek() {
            Some(Token::OpenText) => {
                let span = Span::new(span.end, span.end);
                Fault::new(AbnfErrorKind::Unterminated { expected: "`\"`" }, span)
            }
            Some(Token::OpenProse) => {
                let span = Span::new(span.end, span.end);
                Fault::new(AbnfErrorKind::Unterminated { expected: "`>`" }, span)
            }
            Some(token) => {
                let found = format!("`{}`", shorten(&text.escape_debug().to_string()));
                let fault = fault(AbnfErrorKind::Syntax { expected, found });
                match hint(token, text) {
                    Some(hint) => fault.hint(hint),
                    None => fault,
                }
            }
            None => fault(AbnfErrorKind::Syntax {
                expected,
                found: "the end of the rule".into(),
            })
            .hint("a rule goes on only on lines indented deeper than its first"),
        }
    }
}

fn begins_element(token: Token) -> bool {
    use Token::*;
    matches!(
        token,
        Name | Number
            | Star
            | GroupStart
            | OptionStart
            | Value
            | Text
            | Prose
            | OpenText
            | OpenProse
    )
}

/// What someone who wrote `text` here may have meant.
fn hint(token: Token, text: &str) -> Option<&'static str> {
    Some(match (token, text.chars().next()?) {
        (Token::Defines | Token::Extends, _) => {
            "a rule begins in the column of the first one; deeper lines continue the rule above"
        }
        (Token::GroupEnd | Token::OptionEnd, _) => "nothing at all is written `\"\"`",
        (_, '|') => "alternatives are separated by `/`",
        (_, '\'' | '“' | '”') => "strings are quoted with `\"`",
        (_, '+') => "one or more is written `1*` before the element",
        (_, '?') => "an optional element is written `[element]`",
        (_, '{' | '}') => "zero or more is written `*` before the element",
        (_, ':') => "rules are defined with `=`",
        (_, '_') => "rule names are made of letters, digits and `-`",
        (_, '#') => "comments begin with `;`",
        (_, '%') => "numbers begin with `%x`, `%d` or `%b`, strings with `%s\"` or `%i\"`",
        (_, '\r') => "a carriage return must be followed by a line feed",
        (_, '\u{a0}') => "this is a no-break space; use an ordinary one",
        _ => return None,
    })
}
