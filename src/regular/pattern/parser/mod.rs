//! ECMA-262 patterns (section 22.2.1) to trees.
//!
//! The syntax and meaning are those of the flag `u`: `.` and classes take code points. Beyond it
//! the harmless part of annex B.1.2 is read, for schemas in the wild use it: `\` before punctuation,
//! lone `]`, `{` and `}`, a `-` beside a class escape, quantified look-aheads (look-behinds are not).

mod escapes;

use crate::base::{LimitError, Limits};

use super::ast::{Assertion, Ast, Look, Node, Polarity, Sets};
use super::code_points::CodePoints;
use super::error::{PatternError, PatternErrorKind as Kind};

type Result<T> = std::result::Result<T, PatternError>;

/// Reads a pattern.
pub(super) fn parse(text: &str, limits: &Limits) -> Result<Ast> {
    let mut parser = Parser {
        text,
        at: 0,
        depth: limits.depth,
        looks: Vec::new(),
        behinds: Vec::new(),
        looking: None,
        sets: Sets::default(),
    };
    let root = parser.pattern()?;
    Ok(Ast {
        root,
        looks: parser.looks,
        behinds: parser.behinds,
        sets: parser.sets,
    })
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    looks: Vec<Node>,
    behinds: Vec<Node>,
    /// Which way the assertion looks that is being read, if one is.
    looking: Option<Direction>,
    sets: Sets,
}

/// Which way an assertion looks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Ahead,
    Behind,
}

/// Where an escape stands: its meaning may depend on it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Term,
    Class,
}

/// What an escape or a class member stands for.
enum Atom {
    /// A code point, or a lone surrogate.
    Single(u32),
    Set(CodePoints),
    Assert(Assertion),
}

/// How assertions with a body begin after `(`.
const LOOKS: [(&str, Direction, Polarity); 4] = [
    ("?=", Direction::Ahead, Polarity::Positive),
    ("?!", Direction::Ahead, Polarity::Negative),
    ("?<=", Direction::Behind, Polarity::Positive),
    ("?<!", Direction::Behind, Polarity::Negative),
];

/// How a group looks: which way, for what, and which way the assertion looks that it stands in.
type Looking = (Direction, Polarity, Option<Direction>);

/// What is read of a group, or of the whole pattern.
#[derive(Default)]
struct Level {
    branches: Vec<Node>,
    /// Those of the branch that is being read.
    terms: Vec<Node>,
}

impl Level {
    fn end_branch(&mut self) {
        let branch = unless_single(std::mem::take(&mut self.terms), Node::Concat);
        self.branches.push(branch);
    }

    fn end(mut self) -> Node {
        self.end_branch();
        unless_single(self.branches, Node::Alternation)
    }
}

/// A group that is being read.
struct Group {
    /// Where its `(` stands.
    start: usize,
    /// If it is an assertion.
    looks: Option<Looking>,
    /// What was read around it.
    around: Level,
}

impl Parser<'_> {
    /// The whole pattern: by hand, not by recursion, since groups nest.
    fn pattern(&mut self) -> Result<Node> {
        let mut open: Vec<Group> = Vec::new();
        let mut level = Level::default();
        while let Some(next) = self.peek() {
            let start = self.at;
            match next {
                '|' => {
                    self.bump();
                    level.end_branch();
                }
                ')' => {
                    let Some(group) = open.pop() else {
                        return Err(Kind::UnopenedGroup.at(start, start + 1));
                    };
                    self.bump();
                    let body = std::mem::replace(&mut level, group.around).end();
                    let atom = self.close(body, group.looks);
                    level.terms.push(self.repeated(group.start, atom)?);
                }
                '(' => {
                    self.bump();
                    let looks = self.group(start, open.len())?;
                    let around = std::mem::take(&mut level);
                    open.push(Group {
                        start,
                        looks,
                        around,
                    });
                }
                _ => {
                    if self.quantifier()?.is_some() {
                        return Err(Kind::NothingToRepeat.at(start, self.at));
                    }
                    let atom = self.atom()?;
                    level.terms.push(self.repeated(start, atom)?);
                }
            }
        }
        match open.last() {
            Some(group) => Err(Kind::UnclosedGroup.at(group.start, group.start + 1)),
            None => Ok(level.end()),
        }
    }

    /// `atom`, which stands at `start`, as often as what follows says.
    fn repeated(&mut self, start: usize, atom: Node) -> Result<Node> {
        let before = self.at;
        let Some((min, max)) = self.quantifier()? else {
            return Ok(atom);
        };
        let written = &self.text[start..before];
        let is_fixed = match atom {
            Node::Assert(_) => !written.starts_with('('),
            Node::Behind(_) => begins_look_behind(&written[1..]),
            _ => false,
        };
        if is_fixed {
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

    /// What is no group.
    fn atom(&mut self) -> Result<Node> {
        let start = self.at;
        let Some(c) = self.bump() else {
            return Ok(Node::Empty);
        };
        let atom = match c {
            '^' => Atom::Assert(Assertion::Start),
            '$' => Atom::Assert(Assertion::End),
            '.' => Atom::Set(CodePoints::dot()),
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

    /// What kind of group begins after `(`, which stands at `start` within `depth` others.
    fn group(&mut self, start: usize, depth: usize) -> Result<Option<Looking>> {
        let nesting = LimitError::check("nested groups of a pattern", depth + 1, self.depth);
        nesting.map_err(|error| Kind::Limit(error).at(start, self.at))?;
        for (begin, direction, polarity) in LOOKS {
            if self.eat(begin) {
                let around = self.looking.replace(direction);
                return match (around, direction) {
                    (Some(Direction::Ahead), Direction::Behind) => {
                        Err(Kind::LookBehindInLookAhead.at(start, self.at))
                    }
                    (Some(Direction::Behind), Direction::Ahead) => {
                        Err(Kind::LookAheadInLookBehind.at(start, self.at))
                    }
                    _ => Ok(Some((direction, polarity, around))),
                };
            }
        }
        if self.eat("?") && !self.eat(":") {
            self.group_name(start)?;
        }
        Ok(None)
    }

    /// A group with this body.
    fn close(&mut self, body: Node, looks: Option<Looking>) -> Node {
        let Some((direction, polarity, around)) = looks else {
            return body;
        };
        self.looking = around;
        let (bodies, node): (_, fn(Look) -> Node) = match direction {
            Direction::Ahead => (&mut self.looks, Node::Look),
            Direction::Behind => (&mut self.behinds, Node::Behind),
        };
        bodies.push(body);
        node(Look {
            body: bodies.len() as u32 - 1,
            polarity,
        })
    }

    /// `<name>` after `(?`, or the refusal of what else stands there.
    fn group_name(&mut self, start: usize) -> Result<()> {
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

/// Whether `rest`, which stands after `(`, makes that a look-behind's.
fn begins_look_behind(rest: &str) -> bool {
    rest.starts_with("?<=") || rest.starts_with("?<!")
}
