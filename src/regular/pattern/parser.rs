//! ECMA-262 patterns (section 22.2.1) to trees.
//!
//! The syntax and meaning are those of the flag `u`: `.` and classes take code points. Beyond it
//! the harmless part of annex B.1.2 is read, for schemas in the wild use it: `\` before punctuation,
//! lone `]`, `{` and `}`, a `-` beside a class escape, quantified look-aheads.

use crate::base::{LimitError, Limits};

use super::ast::{Assertion, Ast, Look, Node, Polarity, Sets};
use super::code_points::{CodePoints, LAST};
use super::error::{PatternError, PatternErrorKind as Kind};

type Result<T> = std::result::Result<T, PatternError>;

/// Reads a pattern.
pub(super) fn parse(text: &str, limits: &Limits) -> Result<Ast> {
    let mut parser = Parser {
        text,
        at: 0,
        depth: limits.depth,
        looks: Vec::new(),
        sets: Sets::default(),
    };
    let root = parser.disjunction(limits.depth)?;
    if parser.peek().is_some() {
        return Err(Kind::UnopenedGroup.at(parser.at, parser.at + 1));
    }
    Ok(Ast {
        root,
        looks: parser.looks,
        sets: parser.sets,
    })
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    looks: Vec<Node>,
    sets: Sets,
}

/// What an escape or a class member stands for.
enum Atom {
    /// A code point, or a lone surrogate.
    Single(u32),
    Set(CodePoints),
    Assert(Assertion),
}

impl Parser<'_> {
    fn disjunction(&mut self, depth: usize) -> Result<Node> {
        let mut branches = vec![self.alternative(depth)?];
        while self.eat("|") {
            branches.push(self.alternative(depth)?);
        }
        Ok(unless_single(branches, Node::Alternation))
    }

    fn alternative(&mut self, depth: usize) -> Result<Node> {
        let mut terms = Vec::new();
        while self.peek().is_some_and(|c| c != '|' && c != ')') {
            terms.push(self.term(depth)?);
        }
        if terms.is_empty() {
            return Ok(Node::Empty);
        }
        Ok(unless_single(terms, Node::Concat))
    }

    fn term(&mut self, depth: usize) -> Result<Node> {
        let start = self.at;
        if self.quantifier()?.is_some() {
            return Err(Kind::NothingToRepeat.at(start, self.at));
        }
        let atom = self.atom(depth)?;
        let before = self.at;
        let Some((min, max)) = self.quantifier()? else {
            return Ok(atom);
        };
        if matches!(atom, Node::Assert(_)) && !self.text[start..].starts_with('(') {
            return Err(Kind::NothingToRepeat.at(before, self.at));
        }
        Ok(match (min, max) {
            (_, Some(0)) => Node::Empty,
            (1, Some(1)) => atom,
            _ => Node::Repeat {
                body: Box::new(atom),
                min,
                max,
            },
        })
    }

    fn atom(&mut self, depth: usize) -> Result<Node> {
        let start = self.at;
        let Some(c) = self.bump() else {
            return Ok(Node::Empty);
        };
        let atom = match c {
            '^' => Atom::Assert(Assertion::Start),
            '$' => Atom::Assert(Assertion::End),
            '.' => Atom::Set(CodePoints::dot()),
            '(' => return self.group(start, depth),
            '[' => Atom::Set(self.class(start)?),
            '\\' => self.escape(start, Place::Term)?,
            literal => Atom::Single(literal.into()),
        };
        Ok(match atom {
            Atom::Single(code_point) => Node::Set(self.sets.intern(CodePoints::single(code_point))),
            Atom::Set(set) => Node::Set(self.sets.intern(set)),
            Atom::Assert(assertion) => Node::Assert(assertion),
        })
    }

    /// The rest of a group after `(`, which stands at `start`.
    fn group(&mut self, start: usize, depth: usize) -> Result<Node> {
        let Some(depth) = depth.checked_sub(1) else {
            let error = LimitError {
                what: "nested groups of a pattern",
                given: self.depth + 1,
                allowed: self.depth,
            };
            return Err(Kind::Limit(error).at(start, self.at));
        };
        let mut polarity = None;
        if self.eat("?") {
            if self.eat("=") {
                polarity = Some(Polarity::Positive);
            } else if self.eat("!") {
                polarity = Some(Polarity::Negative);
            } else if !self.eat(":") {
                self.group_name(start)?;
            }
        }
        let body = self.disjunction(depth)?;
        if !self.eat(")") {
            return Err(Kind::UnclosedGroup.at(start, start + 1));
        }
        let Some(polarity) = polarity else {
            return Ok(body);
        };
        self.looks.push(body);
        Ok(Node::Look(Look {
            body: self.looks.len() as u32 - 1,
            polarity,
        }))
    }

    /// `<name>` after `(?`, or the refusal of what else stands there.
    fn group_name(&mut self, start: usize) -> Result<()> {
        if self.eat("<=") || self.eat("<!") {
            return Err(Kind::LookBehind.at(start, self.at));
        }
        if self.eat("<") {
            let name = self.take_while(|c| c.is_alphanumeric() || c == '_' || c == '$');
            let is_name = name.starts_with(|c: char| !c.is_numeric());
            if !is_name || !self.eat(">") {
                return Err(Kind::GroupName.at(start, self.at));
            }
            return Ok(());
        }
        let flags = self.take_while(|c| c.is_ascii_alphabetic() || c == '-');
        if !flags.is_empty() && (self.eat(")") || self.eat(":")) {
            return Err(Kind::InlineFlags.at(start, self.at));
        }
        self.bump();
        Err(Kind::UnknownGroup.at(start, self.at))
    }

    /// A quantifier, if one stands here: the least and the largest number.
    fn quantifier(&mut self) -> Result<Option<(u32, Option<u32>)>> {
        let bounds = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                let Some(bounds) = self.braces()? else {
                    return Ok(None);
                };
                self.eat("?");
                return Ok(Some(bounds));
            }
            _ => return Ok(None),
        };
        self.bump();
        self.eat("?");
        Ok(Some(bounds))
    }

    /// `{n}`, `{n,}` or `{n,m}`; anything else that begins with `{` is literal text.
    fn braces(&mut self) -> Result<Option<(u32, Option<u32>)>> {
        let start = self.at;
        self.bump();
        let min = self.take_while(|c| c.is_ascii_digit());
        let comma = self.eat(",");
        let max = self.take_while(|c| c.is_ascii_digit());
        if min.is_empty() || !self.eat("}") {
            self.at = start;
            return Ok(None);
        }
        // Counts beyond u32 meet the limits like any other large count.
        let number = |digits: &str| digits.parse().unwrap_or(u32::MAX);
        let bounds = match (comma, max.is_empty()) {
            (false, _) => (number(min), Some(number(min))),
            (true, true) => (number(min), None),
            (true, false) => (number(min), Some(number(max))),
        };
        if bounds.1.is_some_and(|max| max < bounds.0) {
            return Err(Kind::QuantifierOrder.at(start, self.at));
        }
        Ok(Some(bounds))
    }

    /// The rest of a class after `[`, which stands at `start`.
    fn class(&mut self, start: usize) -> Result<CodePoints> {
        let negated = self.eat("^");
        let mut ranges = Vec::new();
        loop {
            if self.eat("]") {
                let set = CodePoints::new(ranges);
                return Ok(if negated { set.negate() } else { set });
            }
            let from = self.at;
            let first = self.class_atom(start)?;
            let is_range = self.rest().starts_with('-') && !self.rest().starts_with("-]");
            if !is_range {
                add(&mut ranges, &first);
                continue;
            }
            self.bump();
            let last = self.class_atom(start)?;
            match (&first, &last) {
                (Atom::Single(lo), Atom::Single(hi)) if lo <= hi => ranges.push((*lo, *hi)),
                (Atom::Single(_), Atom::Single(_)) => {
                    return Err(Kind::RangeOrder.at(from, self.at));
                }
                _ => {
                    add(&mut ranges, &first);
                    ranges.push(('-'.into(), '-'.into()));
                    add(&mut ranges, &last);
                }
            }
        }
    }

    fn class_atom(&mut self, class: usize) -> Result<Atom> {
        let start = self.at;
        match self.bump() {
            None => Err(Kind::UnclosedClass.at(class, class + 1)),
            Some('\\') => self.escape(start, Place::Class),
            Some(c) => Ok(Atom::Single(c.into())),
        }
    }

    /// The rest of an escape after `\`, which stands at `start`.
    fn escape(&mut self, start: usize, place: Place) -> Result<Atom> {
        let Some(c) = self.bump() else {
            return Err(Kind::TrailingBackslash.at(start, self.at));
        };
        let single = |c: char| Ok(Atom::Single(c.into()));
        match c {
            'd' => Ok(Atom::Set(CodePoints::digits())),
            'D' => Ok(Atom::Set(CodePoints::digits().negate())),
            'w' => Ok(Atom::Set(CodePoints::word())),
            'W' => Ok(Atom::Set(CodePoints::word().negate())),
            's' => Ok(Atom::Set(CodePoints::space())),
            'S' => Ok(Atom::Set(CodePoints::space().negate())),
            'p' | 'P' => {
                let set = self.property(start)?;
                Ok(Atom::Set(if c == 'P' { set.negate() } else { set }))
            }
            'b' if place == Place::Class => single('\u{8}'),
            'b' => Ok(Atom::Assert(Assertion::WordBoundary)),
            'B' if place == Place::Term => Ok(Atom::Assert(Assertion::NoWordBoundary)),
            't' => single('\t'),
            'n' => single('\n'),
            'v' => single('\u{B}'),
            'f' => single('\u{C}'),
            'r' => single('\r'),
            'c' => match self.bump() {
                Some(letter) if letter.is_ascii_alphabetic() => {
                    Ok(Atom::Single(letter as u32 % 32))
                }
                _ => Err(Kind::MalformedEscape.at(start, self.at)),
            },
            'x' => self.hex_digits(start, 2).map(Atom::Single),
            'u' => self.unicode_escape(start).map(Atom::Single),
            '0' if !self.peek().is_some_and(|c| c.is_ascii_digit()) => single('\0'),
            '0'..='9' => Err(self.numeric_escape(start, place)),
            'k' if place == Place::Term && self.peek() == Some('<') => {
                self.take_while(|c| c != '>');
                self.eat(">");
                Err(Kind::BackReference.at(start, self.at))
            }
            c if c.is_alphanumeric() => Err(Kind::UnknownEscape.at(start, self.at)),
            literal => single(literal),
        }
    }

    /// `{name}` after `\p`.
    fn property(&mut self, start: usize) -> Result<CodePoints> {
        if !self.eat("{") {
            return Err(Kind::MalformedEscape.at(start, self.at));
        }
        let name = self.take_while(|c| c != '}');
        if !self.eat("}") {
            return Err(Kind::MalformedEscape.at(start, self.at));
        }
        CodePoints::property(name).map_err(|kind| kind.at(start, self.at))
    }

    /// What follows `\u`: four digits, two such escapes that make a surrogate pair, or `{…}`.
    fn unicode_escape(&mut self, start: usize) -> Result<u32> {
        if self.eat("{") {
            let digits = self.take_while(|c| c.is_ascii_hexdigit());
            let value = u32::from_str_radix(digits.trim_start_matches('0'), 16);
            let value = value
                .ok()
                .or((!digits.is_empty() && digits.bytes().all(|d| d == b'0')).then_some(0));
            return match value.filter(|&v| v <= LAST && self.eat("}")) {
                Some(value) => Ok(value),
                None => Err(Kind::MalformedEscape.at(start, self.at)),
            };
        }
        let high = self.hex_digits(start, 4)?;
        if (0xD800..0xDC00).contains(&high) && self.rest().starts_with("\\u") {
            let before = self.at;
            self.at += 2;
            match self.hex_digits(before, 4) {
                Ok(low @ 0xDC00..0xE000) => {
                    return Ok(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00));
                }
                _ => self.at = before,
            }
        }
        Ok(high)
    }

    fn hex_digits(&mut self, start: usize, count: usize) -> Result<u32> {
        let digits = self
            .rest()
            .get(..count)
            .filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
            Some(value) => {
                self.at += count;
                Ok(value)
            }
            None => Err(Kind::MalformedEscape.at(start, self.at)),
        }
    }

    /// Why `\1` is refused: a back-reference where there are so many groups, else an octal escape.
    fn numeric_escape(&mut self, start: usize, place: Place) -> PatternError {
        self.take_while(|c| c.is_ascii_digit());
        let number: usize = self.text[start + 1..self.at].parse().unwrap_or(usize::MAX);
        let is_reference = place == Place::Term && (1..=count_groups(self.text)).contains(&number);
        let kind = if is_reference {
            Kind::BackReference
        } else {
            Kind::OctalEscape
        };
        kind.at(start, self.at)
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn eat(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.at += expected.len();
        }
        found
    }
}

impl<'a> Parser<'a> {
    fn take_while(&mut self, member: impl Fn(char) -> bool) -> &'a str {
        let rest = &self.text[self.at..];
        let taken = &rest[..rest.find(|c| !member(c)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }
}

/// Where an escape stands: its meaning may depend on it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Term,
    Class,
}

fn unless_single(mut nodes: Vec<Node>, combine: fn(Vec<Node>) -> Node) -> Node {
    match nodes.pop() {
        Some(only) if nodes.is_empty() => only,
        Some(last) => {
            nodes.push(last);
            combine(nodes)
        }
        None => Node::Empty,
    }
}

fn add(ranges: &mut Vec<(u32, u32)>, atom: &Atom) {
    match atom {
        Atom::Single(code_point) => ranges.push((*code_point, *code_point)),
        Atom::Set(set) => ranges.extend(set.ranges()),
        // A class has no assertions: `escape` makes none there.
        Atom::Assert(_) => {}
    }
}

/// The number of capturing groups of a pattern.
fn count_groups(text: &str) -> usize {
    let (mut groups, mut in_class, mut escaped) = (0, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => {
                let rest = &text[at + 1..];
                let named =
                    rest.starts_with("?<") && !rest.starts_with("?<=") && !rest.starts_with("?<!");
                groups += usize::from(named || !rest.starts_with('?'));
            }
            _ => {}
        }
    }
    groups
}
