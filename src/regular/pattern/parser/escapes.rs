//! Classes and escapes: what stands for code points without being them.

use super::super::ast::Assertion;
use super::super::code_points::{CodePoints, LAST};
use super::super::error::{PatternError, PatternErrorKind as Kind};
use super::{Atom, Parser, Place, Result, begins_look_behind};

impl Parser<'_> {
    /// The rest of a class after `[`, which stands at `start`.
    pub(super) fn class(&mut self, start: usize) -> Result<CodePoints> {
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
    pub(super) fn escape(&mut self, start: usize, place: Place) -> Result<Atom> {
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
                let named = rest.starts_with("?<") && !begins_look_behind(rest);
                groups += usize::from(named || !rest.starts_with('?'));
            }
            _ => {}
        }
    }
    groups
}
