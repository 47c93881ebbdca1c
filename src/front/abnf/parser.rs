//! From the words of a rule to its tree, over RFC 5234, section 4.

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

/// What is read of a group, or of a whole right side.
#[derive(Default)]
struct Level {
    alternatives: Vec<Node>,
    /// Those of the concatenation that is being read.
    parts: Vec<Node>,
}

impl Level {
    fn end_concatenation(&mut self) {
        let parts = std::mem::take(&mut self.parts);
        self.alternatives.push(Node::concatenation(parts));
    }

    fn end(mut self) -> Node {
        self.end_concatenation();
        Node::alternation(self.alternatives)
    }
}

/// A group or an option that is being read.
struct Group {
    /// Its bracket.
    open: Span,
    is_option: bool,
    /// How often it may come, and where that stands.
    repeat: Option<(usize, Count)>,
    /// What was read around it.
    around: Level,
}

struct Parser<'a> {
    source: &'a str,
    words: &'a [Word],
    at: usize,
    unit: Unit,
    names: &'a mut Names,
    limits: &'a Limits,
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

    /// A right side: by hand, not by recursion, since groups nest.
    fn alternation(&mut self) -> Result<Node, Fault> {
        let mut open: Vec<Group> = Vec::new();
        let mut level = Level::default();
        loop {
            let repeat = self.repetition()?;
            if let Some(Token::GroupStart | Token::OptionStart) = self.peek() {
                open.push(self.group(open.len() + 1, repeat, &mut level)?);
                continue;
            }
            let element = self.element()?;
            let mut node = self.repeated(repeat, element);
            // The element may be the last of a concatenation, that of an alternation, and that of a group.
            loop {
                level.parts.push(node);
                if self.peek().is_some_and(begins_element) {
                    if self.adjoins() {
                        let fault = self.unexpected("white space between two elements");
                        return Err(fault.hint("elements of a concatenation stand apart"));
                    }
                    break;
                }
                if self.take(Token::Slash).is_some() {
                    level.end_concatenation();
                    break;
                }
                let Some(group) = open.pop() else {
                    return Ok(level.end());
                };
                node = self.close(&group, std::mem::take(&mut level).end())?;
                node = self.repeated(group.repeat, node);
                level = group.around;
            }
        }
    }

    /// `[repeat]`, and where it stands.
    fn repetition(&mut self) -> Result<Option<(usize, Count)>, Fault> {
        let start = self.place().start;
        let Some(count) = self.repeat()? else {
            return Ok(None);
        };
        if !self.adjoins() {
            let fault = self.unexpected("an element directly after its repetition");
            return Err(fault.hint("write `2*3DIGIT`, without white space inside"));
        }
        Ok(Some((start, count)))
    }

    /// The element that was read last, as often as `repeat` says.
    fn repeated(&mut self, repeat: Option<(usize, Count)>, element: Node) -> Node {
        let Some((start, count)) = repeat else {
            return element;
        };
        let span = Span::new(start, self.previous_end());
        if let Some(max) = count.max.filter(|&max| count.min > max) {
            let kind = AbnfErrorKind::ReversedRepetition {
                min: count.min,
                max,
            };
            self.faults
                .push(Fault::new(kind, span).hint("write the smaller count first"));
        }
        let body = Box::new(element);
        Node {
            kind: NodeKind::Repetition { count, body },
            span,
        }
    }

    /// A group or an option, the `depth`-th within each other, after whose bracket `level` begins anew.
    fn group(
        &mut self,
        depth: usize,
        repeat: Option<(usize, Count)>,
        level: &mut Level,
    ) -> Result<Group, Fault> {
        let open = self.place();
        LimitError::check("nested groups", depth, self.limits.depth)
            .map_err(|error| Fault::new(error, open))?;
        let is_option = self.peek() == Some(Token::OptionStart);
        self.at += 1;
        Ok(Group {
            open,
            is_option,
            repeat,
            around: std::mem::take(level),
        })
    }

    /// What stands between two brackets; its span includes them.
    fn close(&mut self, group: &Group, mut node: Node) -> Result<Node, Fault> {
        let (close, expected) = match group.is_option {
            true => (Token::OptionEnd, "an element, `/` or `]`"),
            false => (Token::GroupEnd, "an element, `/` or `)`"),
        };
        let span = Span::new(group.open.start, self.expect(close, expected)?.end);
        node.span = span;
        if !group.is_option {
            return Ok(node);
        }
        let count = Count {
            min: 0,
            max: Some(1),
        };
        let body = Box::new(node);
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

    /// An element that is no group.
    fn element(&mut self) -> Result<Node, Fault> {
        let Some(&Word { token, span }) = self.words.get(self.at) else {
            return Err(self.unexpected(ELEMENT));
        };
        let kind = match token {
            Token::Name => NodeKind::Rule(self.names.intern(self.slice(span))),
            Token::Text => self.literal(span)?,
            Token::Prose => {
                NodeKind::Prose(self.inner(span, 1, |c| matches!(c, ' '..='~'))?.to_owned())
            }
            Token::Value => values::parse(self.slice(span), span, self.unit, self.faults)?,
            _ => return Err(self.unexpected(ELEMENT)),
        };
        self.at += 1;
        Ok(Node { kind, span })
    }

    fn literal(&self, span: Span) -> Result<NodeKind, Fault> {
        let quoted = self.slice(span);
        let (case, quote) = match quoted.as_bytes() {
            [b'%', b's' | b'S', ..] => (Case::Sensitive, 3),
            [b'%', ..] => (Case::Insensitive, 3),
            _ => (Case::Insensitive, 1),
        };
        Ok(NodeKind::Literal {
            text: self.inner(span, quote, |c| !c.is_control())?.to_owned(),
            case,
        })
    }

    /// The text at `span` without the first `open` bytes and the last, if all of it `fits`.
    fn inner(
        &self,
        span: Span,
        open: usize,
        fits: impl Fn(char) -> bool,
    ) -> Result<&'a str, Fault> {
        let text = &self.source[span.start + open..span.end - 1];
        let Some((at, found)) = text.char_indices().find(|&(_, c)| !fits(c)) else {
            return Ok(text);
        };
        let start = span.start + open + at;
        let place = Span::new(start, start + found.len_utf8());
        let hint = format!("write the character as the number %x{:02X}", found as u32);
        Err(Fault::new(AbnfErrorKind::NotPrintable { found }, place).hint(hint))
    }

    /// Whether `#` and an element come next, as in a list of RFC 2616.
    fn begins_list(&self) -> bool {
        let Some(next) = self.words.get(self.at) else {
            return false;
        };
        let rest = &self.source[next.span.start..];
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let behind = rest.strip_prefix('#').and_then(|rest| rest.chars().next());
        behind.is_some_and(|c| c.is_ascii_alphanumeric() || "(<[\"".contains(c))
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
                let before = self.words[..self.at].last().map(|word| word.token);
                let is_list =
                    text.starts_with('#') && matches!(before, Some(Token::Number | Token::Star));
                let hint = if is_list || self.begins_list() {
                    Some(LIST_FORM)
                } else if self.source[span.start..].starts_with("|>") {
                    Some(QUOTATION_MARK)
                } else {
                    hint(token, text)
                };
                match hint {
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

/// What to write for `1#element`.
const LIST_FORM: &str = "`1#element` is the list form of RFC 2616 and RFC 9110, not of ABNF: write `element *( *SP \",\" *SP element )`";

/// What to write for `"<|"|>"`, a control token with a quotation mark in it.
const QUOTATION_MARK: &str = "a string ends at the next `\"`: a token with a quotation mark in it is spelt with `%x22`, as `\"<|\" %x22 \"|>\"`";

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
