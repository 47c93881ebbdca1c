//! Classes: sets of characters in brackets.

use super::super::code_points::CodePoints;
use super::super::dialect::{Dialect, posix};
use super::super::error::PatternErrorKind as Kind;
use super::super::notes::PatternNoteKind as Note;
use super::{Atom, Parser, Place, Result};
use crate::base::LimitError;

/// The operators of classes of Rust's dialect.
const OPERATORS: [(&str, Operator); 3] = [
    ("&&", Operator::Both),
    ("--", Operator::Without),
    ("~~", Operator::Either),
];

/// How two sets of a class make one.
#[derive(Clone, Copy)]
enum Operator {
    Both,
    Without,
    /// In one of them, but not in both.
    Either,
}

impl Operator {
    fn apply(self, left: &CodePoints, right: &CodePoints) -> CodePoints {
        match self {
            Self::Both => left.both(right),
            Self::Without => left.both(&right.negate()),
            Self::Either => left.with(right).both(&left.both(right).negate()),
        }
    }
}

impl Parser<'_> {
    /// The rest of a class after `[`, which stands at `start`.
    pub(super) fn class(&mut self, start: usize, depth: usize) -> Result<CodePoints> {
        let Some(depth) = depth.checked_sub(1) else {
            let error = LimitError {
                what: "nested classes of a pattern",
                given: self.depth + 1,
                allowed: self.depth,
            };
            return Err(Kind::Limit(error).at(start, self.at));
        };
        let negated = self.eat("^");
        let mut members = CodePoints::default();
        let mut operation: Option<(CodePoints, Operator)> = None;
        let mut ranges = Vec::new();
        // A bracket at the beginning is a member where dialects of this kind have no empty classes.
        if self.dialect != Dialect::Ecma && self.eat("]") {
            ranges.push((0x5D, 0x5D));
        }
        loop {
            let ends = self.eat("]");
            let operator = if ends { None } else { self.operator() };
            if ends || operator.is_some() {
                members = members.with(&CodePoints::new(std::mem::take(&mut ranges)));
                if let Some((left, operator)) = operation.take() {
                    members = operator.apply(&left, &members);
                }
                operation = operator.map(|operator| (std::mem::take(&mut members), operator));
            }
            if ends {
                let set = self.fold(members);
                return Ok(if negated { set.negate() } else { set });
            }
            if operator.is_none() {
                self.class_member(start, depth, &mut ranges)?;
            }
        }
    }

    /// The operator that stands here, in Rust's dialect.
    fn operator(&mut self) -> Option<Operator> {
        if self.dialect == Dialect::Rust {
            return OPERATORS
                .into_iter()
                .find(|(text, _)| self.eat(text))
                .map(|(_, operator)| operator);
        }
        // `--` before anything but a class is mostly a range from or to the hyphen.
        if self.rest().starts_with("&&") || self.rest().starts_with("--[") {
            self.note_at(Note::ClassOperator, self.at, self.at + 2);
        }
        None
    }

    /// A range, a single member, or a class within this one.
    fn class_member(
        &mut self,
        class: usize,
        depth: usize,
        ranges: &mut Vec<(u32, u32)>,
    ) -> Result<()> {
        let from = self.at;
        if let Some(set) = self.inner_class(depth)? {
            ranges.extend(set.ranges());
            return Ok(());
        }
        let first = self.class_atom(class)?;
        let rest = self.rest();
        let is_operator = self.dialect == Dialect::Rust && rest.starts_with("--");
        if !rest.starts_with('-') || rest.starts_with("-]") || is_operator {
            add(ranges, &first);
            return Ok(());
        }
        self.bump();
        let last = self.class_atom(class)?;
        match (&first, &last) {
            (Atom::Single(lo), Atom::Single(hi)) if lo <= hi => ranges.push((*lo, *hi)),
            (Atom::Single(_), Atom::Single(_)) => {
                return Err(Kind::RangeOrder.at(from, self.at));
            }
            _ => {
                add(ranges, &first);
                ranges.push(('-'.into(), '-'.into()));
                add(ranges, &last);
            }
        }
        Ok(())
    }

    /// `[:alpha:]`, or in Rust's dialect any class; elsewhere a bracket is a member.
    fn inner_class(&mut self, depth: usize) -> Result<Option<CodePoints>> {
        let start = self.at;
        if let Some(rest) = self.rest().strip_prefix("[:") {
            let is_name = |c: char| c.is_ascii_lowercase() || c == '^';
            let name = rest.split(|c| !is_name(c)).next().unwrap_or_default();
            if !name.is_empty() && rest[name.len()..].starts_with(":]") {
                let end = start + 2 + name.len() + 2;
                if matches!(self.dialect, Dialect::Ecma | Dialect::Python) {
                    self.note_at(Note::PosixClass, start, end);
                    return Ok(None);
                }
                self.at = end;
                return posix(name).map(Some).map_err(|kind| kind.at(start, end));
            }
        }
        if self.dialect == Dialect::Rust && self.eat("[") {
            return self.class(start, depth).map(Some);
        }
        Ok(None)
    }

    fn class_atom(&mut self, class: usize) -> Result<Atom> {
        let start = self.at;
        match self.bump() {
            None => Err(Kind::UnclosedClass.at(class, class + 1)),
            Some('\\') => self.escape(start, Place::Class),
            Some(c) => Ok(Atom::Single(c.into())),
        }
    }
}

fn add(ranges: &mut Vec<(u32, u32)>, atom: &Atom) {
    match atom {
        Atom::Single(code_point) => ranges.push((*code_point, *code_point)),
        Atom::Set(set) => ranges.extend(set.ranges()),
        // A class has no assertions: `escape` makes none there.
        Atom::Assert(_) | Atom::Node(_) => {}
    }
}
