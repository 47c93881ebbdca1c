//! Patterns (ECMA-262, section 22.2.1, and other dialects) to trees.
//!
//! The syntax and meaning of ECMA-262 are those of the flag `u`: `.` and classes take code points. Beyond it
//! the harmless part of annex B.1.2 is read, for schemas in the wild use it: `\` before punctuation,
//! lone `]`, `{` and `}`, a `-` beside a class escape, quantified look-aheads (look-behinds are not); and
//! what is an error there and means one thing only in other dialects, which is noted.

mod classes;
mod escapes;
mod groups;
mod names;

use crate::base::{Limits, Span};

use super::ast::{Assertion, Ast, Atomic, Look, Node, Polarity, Sets};
use super::code_points::CodePoints;
use super::dialect::{Dialect, Flags};
use super::error::{PatternError, PatternErrorKind as Kind};
use super::notes::{PatternNote, PatternNoteKind as Note};
use names::{Names, Taken};

type Result<T> = std::result::Result<T, PatternError>;

/// Reads a pattern, and what in it is of another dialect.
pub(super) fn parse(
    text: &str,
    dialect: Dialect,
    flags: Flags,
    limits: &Limits,
) -> Result<(Ast, Vec<PatternNote>)> {
    let mut parser = Parser {
        text,
        at: 0,
        depth: limits.depth,
        dialect,
        flags,
        is_quoting: false,
        lazy: 0,
        looks: Vec::new(),
        behinds: Vec::new(),
        looking: None,
        sets: Sets::default(),
        notes: Vec::new(),
        name: None,
        taken: Taken::default(),
    };
    let root = parser.pattern()?;
    if dialect != Dialect::Rust && is_delimited(text) {
        parser.note_at(Note::Slashes, 0, text.len());
    }
    let ast = Ast {
        root,
        looks: parser.looks,
        behinds: parser.behinds,
        sets: parser.sets,
        word: dialect.word(Flags::default()),
    };
    Ok((ast, parser.notes))
}

/// Whether a pattern is written between slashes, with flags behind it.
fn is_delimited(text: &str) -> bool {
    let Some((body, flags)) = text
        .strip_prefix('/')
        .and_then(|rest| rest.rsplit_once('/'))
    else {
        return false;
    };
    // What has slashes within is likely a path.
    let is_flags = flags.len() <= 6 && flags.bytes().all(|flag| b"dgimsuvxy".contains(&flag));
    let is_pattern = body.contains(['^', '$', '[', '(', '\\', '*', '+']);
    is_flags && !body.is_empty() && (is_pattern || !flags.is_empty()) && !has_bare_slash(body)
}

fn has_bare_slash(body: &str) -> bool {
    let mut escaped = false;
    body.chars().any(|c| {
        let bare = c == '/' && !escaped;
        escaped = c == '\\' && !escaped;
        bare
    })
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    dialect: Dialect,
    /// The flags that hold here.
    flags: Flags,
    /// Whether one is behind `\Q`.
    is_quoting: bool,
    /// How many quantifiers so far take as little as they can.
    lazy: usize,
    looks: Vec<Node>,
    behinds: Vec<Node>,
    /// Which way the assertion looks that is being read, if one is.
    looking: Option<Direction>,
    sets: Sets,
    notes: Vec<PatternNote>,
    /// The name of the group that begins here.
    name: Option<&'a str>,
    taken: Taken<'a>,
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
    /// More than one code point, or a place told by what is around it.
    Node(Node),
}

/// Whether a quantifier may follow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Repeatable {
    Yes,
    No,
}

/// What is read of a group, or of the whole pattern.
#[derive(Default)]
struct Level<'a> {
    branches: Vec<Node>,
    /// Those of the branch that is being read.
    terms: Vec<Node>,
    names: Names<'a>,
}

impl Level<'_> {
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
struct Group<'a> {
    /// Where its `(` stands.
    start: usize,
    kind: GroupKind,
    /// What held around it: the flags, which way an assertion looks, and how many quantifiers were lazy.
    flags: Flags,
    looking: Option<Direction>,
    lazy: usize,
    /// What was read around it.
    around: Level<'a>,
}

/// What a group is.
#[derive(Clone, Copy)]
enum GroupKind {
    Plain,
    Atomic,
    Look(Direction, Polarity),
}

impl<'a> Parser<'a> {
    /// The whole pattern: by hand, not by recursion, since groups nest.
    fn pattern(&mut self) -> Result<Node> {
        let mut open: Vec<Group<'a>> = Vec::new();
        let mut level = Level::default();
        loop {
            self.skip()?;
            let start = self.at;
            let Some(next) = self.peek() else { break };
            match next {
                '|' if !self.is_quoting => {
                    self.bump();
                    level.end_branch();
                    self.taken.next_branch(&mut level.names, self.dialect);
                }
                ')' if !self.is_quoting => {
                    let Some(group) = open.pop() else {
                        return Err(Kind::UnopenedGroup.at(start, start + 1));
                    };
                    self.bump();
                    let inner = std::mem::replace(&mut level, group.around);
                    let body = self.end(inner, &mut level);
                    (self.flags, self.looking) = (group.flags, group.looking);
                    let (node, repeatable) = self.close(body, group.kind, group.start, group.lazy);
                    let node = self.repeated(group.start, group.lazy, node, repeatable)?;
                    level.terms.push(node);
                }
                '(' if !self.is_quoting => {
                    let (flags, looking, lazy) = (self.flags, self.looking, self.lazy);
                    self.bump();
                    let kind = self.group(start, open.len())?;
                    if let Some(name) = self.name.take()
                        && !self.taken.take(name, &mut level.names)
                    {
                        return Err(Kind::RepeatedGroupName.at(start, self.at));
                    }
                    open.push(Group {
                        start,
                        kind,
                        flags,
                        looking,
                        lazy,
                        around: std::mem::take(&mut level),
                    });
                }
                _ => {
                    if !self.is_quoting && self.quantifier()?.is_some() {
                        return Err(Kind::NothingToRepeat.at(start, self.at));
                    }
                    let lazy = self.lazy;
                    let (node, repeatable) = self.atom()?;
                    let node = self.repeated(start, lazy, node, repeatable)?;
                    level.terms.push(node);
                }
            }
        }
        match open.last() {
            Some(group) => Err(Kind::UnclosedGroup.at(group.start, group.start + 1)),
            None => Ok(level.end()),
        }
    }

    /// What was read of a group, whose names are those of what is around it from now on.
    fn end(&mut self, mut level: Level<'a>, around: &mut Level<'a>) -> Node {
        let names = std::mem::take(&mut level.names);
        self.taken.end(names, &mut around.names);
        level.end()
    }

    /// A group with all that is in it.
    fn close(
        &mut self,
        body: Node,
        kind: GroupKind,
        start: usize,
        lazy: usize,
    ) -> (Node, Repeatable) {
        match kind {
            GroupKind::Plain => (body, Repeatable::Yes),
            GroupKind::Atomic => (self.atomic(body, start, lazy), Repeatable::Yes),
            GroupKind::Look(Direction::Ahead, polarity) => {
                (self.look_ahead(body, polarity), Repeatable::Yes)
            }
            GroupKind::Look(Direction::Behind, polarity) => {
                (self.look_behind(body, polarity), Repeatable::No)
            }
        }
    }

    /// `node`, which stands at `start` behind so many lazy quantifiers, as often as what follows says.
    fn repeated(
        &mut self,
        start: usize,
        lazy: usize,
        mut node: Node,
        repeatable: Repeatable,
    ) -> Result<Node> {
        loop {
            self.skip()?;
            let before = self.at;
            if self.is_quoting {
                return Ok(node);
            }
            let Some(bounds) = self.quantifier()? else {
                return Ok(node);
            };
            if repeatable == Repeatable::No {
                return Err(Kind::NothingToRepeat.at(before, self.at));
            }
            node = times(node, bounds);
            if self.dialect == Dialect::Rust {
                continue;
            }
            if self.eat("+") {
                self.note_foreign(Note::Atomic, before, &[Dialect::Pcre, Dialect::Python]);
                node = self.atomic(node, start, lazy);
            }
            return Ok(node);
        }
    }

    /// What is matched once and for all: `body`, read from `start` on, when so many quantifiers were lazy.
    fn atomic(&self, body: Node, start: usize, lazy: usize) -> Node {
        Node::Atomic(Box::new(Atomic {
            body,
            span: Span::new(start, self.at),
            is_lazy: self.lazy > lazy,
        }))
    }

    /// What is no group.
    fn atom(&mut self) -> Result<(Node, Repeatable)> {
        let start = self.at;
        let Some(c) = self.bump() else {
            return Ok((Node::Empty, Repeatable::No));
        };
        let atom = match c {
            literal if self.is_quoting => Atom::Single(literal.into()),
            '^' => self.line_begins(start)?,
            '$' => self.line_ends(start)?,
            '.' => Atom::Set(self.dialect.dot(self.flags)),
            '[' => Atom::Set(self.class(start, self.depth)?),
            '\\' => self.escape(start, Place::Term)?,
            literal => Atom::Single(literal.into()),
        };
        // What is around a place cannot be repeated.
        let is_place = matches!(c, '^' | '$') && !self.is_quoting;
        Ok(match atom {
            Atom::Single(code_point) => {
                let set = self.fold(CodePoints::single(code_point));
                (self.set(set), Repeatable::Yes)
            }
            Atom::Set(set) => (self.set(set), Repeatable::Yes),
            Atom::Assert(assertion) => (Node::Assert(assertion), Repeatable::No),
            Atom::Node(node) if is_place => (node, Repeatable::No),
            Atom::Node(node) => (node, Repeatable::Yes),
        })
    }

    fn set(&mut self, set: CodePoints) -> Node {
        Node::Set(self.sets.intern(set))
    }

    /// A set, with the other cases of its letters where the flag says so.
    fn fold(&self, set: CodePoints) -> CodePoints {
        match self.flags.ignores_case {
            true => self.dialect.fold(&set, self.flags),
            false => set,
        }
    }

    /// What `^` asks for.
    fn line_begins(&mut self, start: usize) -> Result<Atom> {
        if !self.flags.has_lines {
            return Ok(Atom::Assert(Assertion::Start));
        }
        self.check_direction(self.looking, Direction::Behind, start)?;
        let ends = self.set(self.dialect.line_ends());
        let behind = self.look_behind(ends, Polarity::Positive);
        let begin = Node::Assert(Assertion::Start);
        Ok(Atom::Node(Node::Alternation(vec![begin, behind])))
    }

    /// What `$` asks for.
    fn line_ends(&mut self, start: usize) -> Result<Atom> {
        if self.flags.has_lines {
            self.check_direction(self.looking, Direction::Ahead, start)?;
            let ends = self.set(self.dialect.line_ends());
            let ahead = self.look_ahead(ends, Polarity::Positive);
            let end = Node::Assert(Assertion::End);
            return Ok(Atom::Node(Node::Alternation(vec![end, ahead])));
        }
        match self.dialect.dollar_leaves_line_feed() {
            true => self.end_or_line_feed(start),
            false => Ok(Atom::Assert(Assertion::End)),
        }
    }

    /// The end of the text, or a line feed and then the end.
    fn end_or_line_feed(&mut self, start: usize) -> Result<Atom> {
        self.check_direction(self.looking, Direction::Ahead, start)?;
        let feed = self.set(CodePoints::single(0x0A));
        let last = Node::Concat(vec![feed, Node::Assert(Assertion::End)]);
        let ahead = self.look_ahead(last, Polarity::Positive);
        let end = Node::Assert(Assertion::End);
        Ok(Atom::Node(Node::Alternation(vec![end, ahead])))
    }

    fn look_ahead(&mut self, body: Node, polarity: Polarity) -> Node {
        self.looks.push(body);
        let body = self.looks.len() as u32 - 1;
        Node::Look(Look { body, polarity })
    }

    fn look_behind(&mut self, body: Node, polarity: Polarity) -> Node {
        self.behinds.push(body);
        let body = self.behinds.len() as u32 - 1;
        Node::Behind(Look { body, polarity })
    }

    /// `\b` or `\B`. Words are told by the automaton where they are those of the dialect.
    fn word_boundary(&mut self, assertion: Assertion, start: usize) -> Result<Atom> {
        let word = self.fold(self.dialect.word(self.flags));
        if word == self.dialect.word(Flags::default()) {
            return Ok(Atom::Assert(assertion));
        }
        self.check_direction(self.looking, Direction::Behind, start)?;
        self.check_direction(self.looking, Direction::Ahead, start)?;
        let (inside, outside) = match assertion {
            Assertion::NoWordBoundary => (Polarity::Positive, Polarity::Negative),
            _ => (Polarity::Negative, Polarity::Positive),
        };
        let mut side = |before, after| {
            let [first, last] = [0, 1].map(|_| self.set(word.clone()));
            let behind = self.look_behind(first, before);
            let ahead = self.look_ahead(last, after);
            Node::Concat(vec![behind, ahead])
        };
        let from_word = side(Polarity::Positive, inside);
        let from_other = side(Polarity::Negative, outside);
        Ok(Atom::Node(Node::Alternation(vec![from_word, from_other])))
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
                self.lazy += usize::from(self.eat("?"));
                return Ok(Some(bounds));
            }
            _ => return Ok(None),
        };
        self.bump();
        self.lazy += usize::from(self.eat("?"));
        Ok(Some(bounds))
    }

    /// `{n}`, `{n,}` or `{n,m}`; anything else that begins with `{` is literal text.
    fn braces(&mut self) -> Result<Option<(u32, Option<u32>)>> {
        let start = self.at;
        self.bump();
        let min = self.count();
        let comma = self.eat(",");
        let max = if comma { self.count() } else { "" };
        let is_closed = self.eat("}");
        let is_open = min.is_empty() && comma && !max.is_empty() && is_closed;
        let reads_open = matches!(self.dialect, Dialect::Python | Dialect::Pcre);
        if is_open && !reads_open {
            self.note_at(Note::OpenQuantifier, start, self.at);
        }
        if !is_closed || min.is_empty() && !(is_open && reads_open) {
            self.at = start;
            return Ok(None);
        }
        // Counts beyond u32 meet the limits like any other large count.
        let number = |digits: &str| digits.parse().unwrap_or(u32::MAX);
        let least = if min.is_empty() { 0 } else { number(min) };
        let bounds = match (comma, max.is_empty()) {
            (false, _) => (least, Some(least)),
            (true, true) => (least, None),
            (true, false) => (least, Some(number(max))),
        };
        if bounds.1.is_some_and(|max| max < bounds.0) {
            return Err(Kind::QuantifierOrder.at(start, self.at));
        }
        Ok(Some(bounds))
    }

    /// The digits of a bound. Rust's dialect allows white space around them, and reads it as no text.
    fn count(&mut self) -> &'a str {
        let is_spaced = self.dialect == Dialect::Rust;
        let skips = |c: char| is_spaced && c.is_whitespace();
        self.take_while(skips);
        let digits = self.take_while(|c| c.is_ascii_digit());
        self.take_while(skips);
        digits
    }

    fn rest(&self) -> &'a str {
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

    fn take_while(&mut self, member: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|c| !member(c)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    fn note_at(&mut self, kind: Note, start: usize, end: usize) {
        let span = Span::new(start, end);
        let note = PatternNote { kind, span };
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Notes what stands between `start` and here, unless the dialect is one of those that have it.
    fn note_foreign(&mut self, kind: Note, start: usize, natives: &[Dialect]) {
        if !natives.contains(&self.dialect) {
            self.note_at(kind, start, self.at);
        }
    }
}

fn times(body: Node, (min, max): (u32, Option<u32>)) -> Node {
    match (min, max) {
        (_, Some(0)) => Node::Empty,
        (1, Some(1)) => body,
        _ => Node::Repeat {
            body: Box::new(body),
            min,
            max,
        },
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
